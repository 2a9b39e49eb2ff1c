"""How well feet stand: slip, sinking, floating; a network on trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.feet import foot_places
from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.measure.maps import grid
from mocapella.measure.network import edges
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.kinematics import forward, without_heading
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.rig.legs import foot_points, leg_roles

# How well the feet of a clip stand: sliding while planted, sinking into the ground.

SHORTEST = 3  # frames: what is shorter is no plant to slide in
STEP = 0.25  # seconds: nobody lifts a foot and stands on it again elsewhere in less


@dataclass(frozen=True)
class Slip:
    """One plant of one foot point and how far it slid."""

    point: str  # "left_heel"
    first: int  # frames, both planted
    last: int
    slid: float  # metres: the furthest it got over the ground from where it came to rest
    gap: float  # metres: the furthest its height was from the ground, either way


@dataclass(frozen=True, eq=False)
class Footing:
    """How the feet of a clip stand."""

    slips: tuple[Slip, ...]
    penetration: float  # metres: the deepest any foot point was below the ground, planted or not
    approach: float  # m/s: the fastest any foot point moved over the ground in the three frames before its plants
    floating: float  # metres: the highest that both ends of a foot were above the ground while one of them was planted

    @property
    def slip_mm_max(self) -> float:
        """The furthest any planted point slid, millimetres; 0 where nothing was planted."""
        return 1000.0 * max((slip.slid for slip in self.slips), default=0.0)

    @property
    def slip_mm_mean(self) -> float:
        """How far a planted point slid on average, millimetres."""
        return 1000.0 * float(np.mean([slip.slid for slip in self.slips])) if self.slips else 0.0

    @property
    def penetration_mm_max(self) -> float:
        """The deepest any foot point was below the ground, millimetres."""
        return 1000.0 * self.penetration

    @property
    def floating_mm_max(self) -> float:
        """The highest that both ends of a planted foot were above the ground, millimetres."""
        return 1000.0 * self.floating


def footing(clip: Clip | Examined, contacts: Contacts | None = None, *, ground: float | int = 0.0) -> Footing:
    """Measure how the feet of a clip stand.

    Parameters
    ----------
    clip
        What to measure.
    contacts
        Its foot plants; found from the motion if None. Plants shorter than three frames are left out. Where frames lie
        further apart than ``STEP``, a foot that rests in one and in the next may have stepped between them, so each is
        a plant of its own, and nothing slides.
    ground
        The height of the ground, metres. Foot points rest on it at their height over a flat sole.

    Raises
    ------
    MotionError
        Where the skeleton's legs are not known, or the contacts belong to another clip.
    """
    known = examine(clip)
    clip, plants = known.clip, known.plants if contacts is None else contacts
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
            gap = float(np.abs(heights[first : last + 1, i]).max())
            slips.append(Slip(point, first, last, slid, gap))
            if first >= SHORTEST:
                approach = max(approach, _speed(flat[first - SHORTEST : first + 1]) * clip.frame_rate)
    lower = np.stack([heights[:, :2].min(axis=1), heights[:, 2:].min(axis=1)], axis=1)
    stand = np.stack([plants.planted(foot) for foot in FEET], axis=1)
    floating = float(lower.max(initial=0.0, where=stand))
    return Footing(tuple(slips), max(0.0, -float(heights.min())), approach, floating)


def _speed(places: Float[np.ndarray, "frames 2"]) -> float:
    """The longest step between neighbouring frames."""
    return float(np.linalg.norm(np.diff(places, axis=0), axis=-1).max())


# A network on trial: played all over, to see how its feet stand and whether its cycles close.

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
    rotations = without_heading(clip.rotations_wxyz[-2 * frames :])
    roots = np.zeros((len(rotations), 3))
    roots[:, 1] = clip.root_positions[-2 * frames :, 1]
    places, _ = forward(clip.skeleton, roots, rotations)
    return float(np.linalg.norm(places[frames:] - places[:-frames], axis=-1).max())
