"""How well the feet of a clip stand: sliding while planted, sinking into the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.analysis.feet import foot_places, foot_points, leg_roles
from mocapella.analysis.plants import find_plants
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts

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


def footing(clip: Clip, contacts: Contacts | None = None, *, ground: float | int = 0.0) -> Footing:
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
    plants = find_plants(clip) if contacts is None else contacts
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
