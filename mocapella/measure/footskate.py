"""How well feet stand: slip, penetration and floating, in a clip and all over a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.measure.coherence import edges
from mocapella.measure.distortion_maps import grid
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.kinematics import forward, without_heading
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.rig.legs import foot_points, leg_roles

SHORTEST = 3  # frames; shorter plants are not measured
STEP = 0.25  # seconds: a foot needs at least as long to be lifted and set down elsewhere
SLIPPING = 1.0  # mm: places where a foot slides further than this are counted


class Slip(NamedTuple):
    """One plant of one foot point, and how far it slid."""

    point: str  # "left_heel"
    first: int  # frames, both planted
    last: int
    slid: float  # metres: largest distance over the ground from where the point came to rest
    gap: float  # metres: largest distance of the point from the ground, above or below


@dataclass(frozen=True, eq=False)
class Footing:
    """How the feet of a clip stand."""

    slips: tuple[Slip, ...]
    penetration: float  # metres: largest depth of any foot point below the ground, planted or not
    approach: float  # m/s: largest speed of any foot point over the ground in the three frames before its plants
    floating: float  # metres: largest height of a planted foot's lower end above the ground

    @property
    def slip_mm_max(self) -> float:
        """The furthest any planted point slid, millimetres; 0 where nothing was planted."""
        return 1000.0 * max((slip.slid for slip in self.slips), default=0.0)

    @property
    def slip_mm_mean(self) -> float:
        """How far a planted point slid on average, millimetres; 0 where nothing was planted."""
        return 1000.0 * float(np.mean([slip.slid for slip in self.slips])) if self.slips else 0.0

    @property
    def penetration_mm_max(self) -> float:
        """The deepest any foot point was below the ground, millimetres."""
        return 1000.0 * self.penetration

    @property
    def floating_mm_max(self) -> float:
        """The highest a planted foot's lower end was above the ground, millimetres."""
        return 1000.0 * self.floating


def footing(clip: Clip | Examined, contacts: Contacts | None = None, *, ground: float | int = 0.0) -> Footing:
    """Measure how the feet of a clip stand.

    Parameters
    ----------
    clip
        What to measure.
    contacts
        Its foot plants; found from the motion if None. Plants shorter than three frames are left out. Where frames lie
        further apart than ``STEP``, a foot may have stepped between any two of them, so nothing counts as sliding.
    ground
        The height of the ground, metres. Foot points rest on it at their height over a flat sole.

    Returns
    -------
    Footing
        Slip of every plant, and the largest penetration, floating height and approach speed.

    Raises
    ------
    MotionError
        Where the skeleton's legs are not known, or the contacts belong to another clip.
    """
    examined = examine(clip)
    clip, plants = examined.clip, examined.plants if contacts is None else contacts
    if plants.n_frames != clip.n_frames:
        raise MotionError(f"contacts of {plants.n_frames} frames do not belong to a clip of {clip.n_frames}")
    roles = leg_roles(clip.skeleton)
    places = foot_places(clip, roles)
    heights = places[..., 1] - foot_points(clip.skeleton, roles)[2] - ground
    slips, approach = [], 0.0
    for i, point in enumerate(FOOT_POINTS) if clip.frame_rate * STEP >= 1.0 else ():
        flat = places[:, i, ::2]
        for first, last in plants.point(point):
            if last - first + 1 < SHORTEST:
                continue
            slid = float(np.linalg.norm(flat[first : last + 1] - flat[first], axis=-1).max())
            slips.append(Slip(point, first, last, slid, float(np.abs(heights[first : last + 1, i]).max())))
            if first >= SHORTEST:
                steps = np.linalg.norm(np.diff(flat[first - SHORTEST : first + 1], axis=0), axis=-1)
                approach = max(approach, float(steps.max()) * clip.frame_rate)
    lower = np.stack([heights[:, :2].min(axis=1), heights[:, 2:].min(axis=1)], axis=1)
    stand = np.stack([plants.planted(foot) for foot in FEET], axis=1)
    floating = float(lower.max(initial=0.0, where=stand))
    return Footing(tuple(slips), max(0.0, -float(heights.min())), approach, floating)


@dataclass(frozen=True, eq=False)
class Trial:
    """How the feet stood at each of the blending points that were played."""

    places: tuple[tuple[float, ...], ...]
    slip_mm: tuple[float, ...]  # at each place the furthest that a planted point slid
    penetration_mm: tuple[float, ...]  # the deepest that a point was below the ground
    floating_mm: tuple[float, ...]  # the highest that a planted foot was above it
    approach_m_s: tuple[float, ...]  # the fastest that a point moved over the ground just before it came to rest
    closing_cm_max: float  # largest distance of a joint from where it was one cycle before, relative to the root

    def to_dict(self) -> dict[str, Any]:
        """Figures of every place, where slip and penetration are largest, and how many places slip."""
        lists = ("slip_mm", "penetration_mm", "floating_mm", "approach_m_s")
        return {
            "places": [list(place) for place in self.places],
            **{name: list(getattr(self, name)) for name in lists},
            "slip_at": list(self.places[int(np.argmax(self.slip_mm))]),
            "penetration_at": list(self.places[int(np.argmax(self.penetration_mm))]),
            "slipping": sum(slip > SLIPPING for slip in self.slip_mm),
        }


def trial_corners(network: Network) -> list[tuple[int, ...]]:
    """The nodes of each place where a network is tried: every node, every edge, every triangle."""
    nodes = [(int(node),) for node in np.unique(network.corners)]
    groups = [edges(network.corners)] + ([network.corners] if network.corners.shape[1] > 2 else [])
    return nodes + [tuple(corners) for group in groups for corners in group.tolist()]


def trial_places(network: Network) -> list[tuple[float, ...]]:
    """Where a network is tried: its nodes, the middles of its edges and of its triangles."""
    return [tuple(network.points[list(corners)].mean(axis=0).tolist()) for corners in trial_corners(network)]


def grid_places(network: Network, columns: int, rows: int) -> list[tuple[float, ...]]:
    """The points of an even grid that lie in a network."""
    points = [tuple(point) for point in grid(network, columns, rows).reshape(-1, 2).tolist()]
    return [point for point in points if network.place(point).inside]


def try_out(
    network: Network, places: Sequence[tuple[float, ...]], *, progress: Callable[[], None] = lambda: None
) -> Trial:
    """Play a network at each of some blending points, three cycles at a time, and measure its feet.

    Feet settle in the first cycle. ``progress`` is called after each point.
    """
    rows, closing = [], 0.0
    for place in places:
        clip, contacts, frames = play_cycles(network, place)
        feet = footing(clip, contacts)
        rows.append((feet.slip_mm_max, feet.penetration_mm_max, feet.floating_mm_max, feet.approach))
        closing = max(closing, _closing(clip, frames))
        progress()
    slips, depths, heights, speeds = zip(*rows, strict=True)
    return Trial(tuple(places), slips, depths, heights, speeds, 100.0 * closing)


def play_cycles(network: Network, place: tuple[float, ...], cycles: int = 3) -> tuple[Clip, Contacts, int]:
    """Some cycles at a blending point, with the foot plants; and the frames of each."""
    rate = 60.0  # frames per second, adjusted so that a cycle has whole frames
    half_up = 0.5 + 1e-6  # added before fractions are cut: odd cycles at 120 Hz are halves, which rounding would tip
    player = Player(network, point=place)
    duration = player.spectrum.duration
    frames = max(8, int(duration * rate + half_up))
    return *record_with_contacts(player, seconds=cycles * duration, frame_rate=frames / duration), frames


def _closing(clip: Clip, frames: int) -> float:
    """Largest distance of a joint from where it was a cycle before, relative to the root; metres."""
    rotations = without_heading(clip.rotations_wxyz[-2 * frames :])
    roots = np.zeros((len(rotations), 3))
    roots[:, 1] = clip.root_positions[-2 * frames :, 1]
    places, _ = forward(clip.skeleton, roots, rotations)
    return float(np.linalg.norm(places[frames:] - places[:-frames], axis=-1).max())
