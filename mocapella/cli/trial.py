"""A network on trial: played all over, to see how its feet stand and whether its cycles close."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mocapella.blending.network import Network
from mocapella.geometry import quaternions
from mocapella.measure.slip import footing
from mocapella.measure.sync import edges
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import forward
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

_RATE = 60.0  # frames per second, give or take what makes a cycle of whole frames
_ROUNDS = 3  # cycles played at each place; the feet have settled in the first


@dataclass(frozen=True)
class Trial:
    """The worst of all places that were played."""

    places: int
    slip_mm_max: float
    penetration_mm_max: float
    closing_cm_max: float  # how far any joint was from where it had been one cycle before, seen from the root


def trial_places(network: Network) -> list[tuple[float, ...]]:
    """The nodes of a network, the middles of its edges and of its triangles."""
    used = np.unique(network.corners)
    groups = [network.points[used], network.points[edges(network)].mean(axis=1)]
    if network.corners.shape[1] > 2:
        groups.append(network.points[network.corners].mean(axis=1))
    return [tuple(place) for place in np.concatenate(groups).tolist()]


def try_out(network: Network, *, progress: Callable[[], None] = lambda: None) -> Trial:
    """Play a network at its nodes and at the middles of its edges and triangles, three cycles each."""
    places = trial_places(network)
    slip = penetration = closing = 0.0
    for place in places:
        player = Player(network, point=place)
        duration = player.spectrum.duration
        frames = max(8, round(duration * _RATE))
        clip, contacts = record_with_contacts(player, seconds=_ROUNDS * duration, frame_rate=frames / duration)
        feet = footing(clip, contacts)
        slip, penetration = max(slip, feet.slip_mm_max), max(penetration, feet.penetration_mm_max)
        closing = max(closing, _closing(clip, frames))
        progress()
    return Trial(len(places), slip, penetration, 100.0 * closing)


def _closing(clip: Clip, frames: int) -> float:
    """The furthest any joint is, in the last cycle, from where it was one cycle before, seen from the root; metres."""
    rotations = np.array(clip.rotations_wxyz[-2 * frames :])
    back = quaternions.about_y(-quaternions.yaw(rotations[:, 0]))
    rotations[:, 0] = quaternions.multiply(back, rotations[:, 0])
    roots = np.zeros((len(rotations), 3))
    roots[:, 1] = clip.root_positions[-2 * frames :, 1]
    places, _ = forward(clip.skeleton, roots, rotations)
    return float(np.linalg.norm(places[frames:] - places[:-frames], axis=-1).max())
