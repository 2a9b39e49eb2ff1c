"""A network on trial: played all over, to see how its feet stand and whether its cycles close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mocapella.blending.network import Network
from mocapella.geometry import quaternions
from mocapella.measure.maps import grid
from mocapella.measure.slip import footing
from mocapella.measure.sync import edges
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import forward
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

_RATE = 60.0  # frames per second, give or take what makes a cycle of whole frames
_ROUNDS = 3  # cycles played at each place; the feet have settled in the first
SLIPPING = 1.0  # mm: who slides further in a plant is seen to


@dataclass(frozen=True, eq=False)
class Trial:
    """How the feet stood at each of the places that were played, and the worst of them."""

    places: tuple[tuple[float, ...], ...]
    slips_mm: tuple[float, ...]  # at each place the furthest that any planted point slid
    depths_mm: tuple[float, ...]  # and the deepest that any was below the ground
    heights_mm: tuple[float, ...]  # the highest that a planted foot was above it
    approaches: tuple[float, ...]  # m/s: the fastest that any moved over the ground just before it came to rest
    closing_cm_max: float  # how far any joint was from where it had been one cycle before, seen from the root

    @property
    def slip_mm_max(self) -> float:
        """The furthest any planted point slid anywhere, millimetres."""
        return max(self.slips_mm)

    @property
    def penetration_mm_max(self) -> float:
        """The deepest any foot point was below the ground anywhere, millimetres."""
        return max(self.depths_mm)

    @property
    def floating_mm_max(self) -> float:
        """The highest any planted foot was above the ground anywhere, millimetres."""
        return max(self.heights_mm)

    @property
    def approach_max(self) -> float:
        """The fastest any foot point moved over the ground in the three frames before a plant, m/s."""
        return max(self.approaches)

    def to_dict(self) -> dict[str, Any]:
        """As plain values: every place with its figures, where they are worst, how many places slip."""
        return {
            "places": [list(place) for place in self.places],
            "slip_mm": list(self.slips_mm),
            "penetration_mm": list(self.depths_mm),
            "floating_mm": list(self.heights_mm),
            "approach_m_s": list(self.approaches),
            "slip_at": list(self.places[self.slips_mm.index(self.slip_mm_max)]),
            "penetration_at": list(self.places[self.depths_mm.index(self.penetration_mm_max)]),
            "slipping": sum(slip > SLIPPING for slip in self.slips_mm),
        }


def trial_places(network: Network) -> list[tuple[float, ...]]:
    """The nodes of a network, the middles of its edges and of its triangles."""
    used = np.unique(network.corners)
    groups = [network.points[used], network.points[edges(network)].mean(axis=1)]
    if network.corners.shape[1] > 2:
        groups.append(network.points[network.corners].mean(axis=1))
    return [tuple(place) for place in np.concatenate(groups).tolist()]


def grid_places(network: Network, columns: int, rows: int) -> list[tuple[float, ...]]:
    """The points of an even grid that lie in a network."""
    points = [tuple(point) for point in grid(network, columns, rows).reshape(-1, 2).tolist()]
    return [point for point in points if network.place(point).inside]


def try_out(
    network: Network, places: Sequence[tuple[float, ...]], *, progress: Callable[[], None] = lambda: None
) -> Trial:
    """Play a network at each of some places, three cycles at a time."""
    slips, depths, heights, approaches, closing = [], [], [], [], 0.0
    for place in places:
        player = Player(network, point=place)
        duration = player.spectrum.duration
        frames = max(8, round(duration * _RATE))
        clip, contacts = record_with_contacts(player, seconds=_ROUNDS * duration, frame_rate=frames / duration)
        feet = footing(clip, contacts)
        slips.append(feet.slip_mm_max)
        depths.append(feet.penetration_mm_max)
        heights.append(feet.floating_mm_max)
        approaches.append(feet.approach)
        closing = max(closing, _closing(clip, frames))
        progress()
    return Trial(tuple(places), tuple(slips), tuple(depths), tuple(heights), tuple(approaches), 100.0 * closing)


def _closing(clip: Clip, frames: int) -> float:
    """The furthest any joint is, in the last cycle, from where it was one cycle before, seen from the root; metres."""
    rotations = np.array(clip.rotations_wxyz[-2 * frames :])
    back = quaternions.about_y(-quaternions.yaw(rotations[:, 0]))
    rotations[:, 0] = quaternions.multiply(back, rotations[:, 0])
    roots = np.zeros((len(rotations), 3))
    roots[:, 1] = clip.root_positions[-2 * frames :, 1]
    places, _ = forward(clip.skeleton, roots, rotations)
    return float(np.linalg.norm(places[frames:] - places[:-frames], axis=-1).max())
