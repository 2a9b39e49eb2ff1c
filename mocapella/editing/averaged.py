"""Stances of one manner averaged."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from mocapella.analysis.plants.detect import find_plants
from mocapella.arrays import readonly
from mocapella.editing.stances import Course, Stance, course_of, find_stances, steady
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.kinematics import without_heading
from mocapella.motion.skeleton import Skeleton

# An averaged motion: for each foot the one stance that all of a clip's stances make together.

MOST_SAMPLES = 100_000  # of a stance


@dataclass(frozen=True, eq=False)
class AveragedStance:
    """What one foot's stances are on average, sampled evenly from its landing to the next one's, both included.

    The root stands in it as seen from its course: its rotation from a heading that sways with no step, its way from the
    direction of travel, its height from the ground.
    """

    rotations_wxyz: Float[np.ndarray, "samples joints 4"]
    ways: Float[np.ndarray, "samples 2"]  # metres ahead and left of where the foot landed
    heights: Float[np.ndarray, " samples"]  # of the root above the ground, metres
    seconds: float  # from landing to landing
    count: int = 1  # how many stances went into it

    def __post_init__(self) -> None:
        for name in ("rotations_wxyz", "ways", "heights"):
            object.__setattr__(self, name, readonly(getattr(self, name), np.float64))
        n = len(self.heights)
        if not 2 <= n <= MOST_SAMPLES or self.ways.shape != (n, 2) or len(self.rotations_wxyz) != n:
            raise MotionError(
                f"a stance has 2 to {MOST_SAMPLES} samples, the same of rotations, ways and heights; "
                f"got {len(self.rotations_wxyz)}, {len(self.ways)} and {n}"
            )
        if not (np.isfinite(self.seconds) and self.seconds > 0.0):
            raise MotionError(f"a stance takes some time, got {self.seconds} s")
        if not all(np.isfinite(each).all() for each in (self.rotations_wxyz, self.ways, self.heights)):
            raise MotionError("rotations, ways and heights of a stance must be finite numbers")
        lengths = np.linalg.norm(self.rotations_wxyz, axis=-1)
        if np.abs(lengths - 1.0).max(initial=0.0) > 1e-6:
            raise MotionError("rotations of a stance must be unit quaternions; normalise them")

    @property
    def step(self) -> Float[np.ndarray, 2]:
        """How far the root gets from landing to landing, metres ahead and left."""
        return np.asarray(self.ways[-1] - self.ways[0])

    def at(
        self, shares: Float[np.ndarray, " places"]
    ) -> tuple[Float[np.ndarray, "places joints 4"], Float[np.ndarray, "places 2"], Float[np.ndarray, " places"]]:
        """Rotations, ways and heights at these shares of the stance, 0 … 1."""
        at = np.clip(shares, 0.0, 1.0) * (len(self.heights) - 1)
        return slerped(self.rotations_wxyz, at), lerped(self.ways, at), lerped(self.heights, at)

    def resampled(self, n_samples: int) -> AveragedStance:
        """The same stance in another number of samples."""
        if n_samples == len(self.heights):
            return self
        rotations, ways, heights = self.at(np.linspace(0.0, 1.0, n_samples))
        return replace(self, rotations_wxyz=rotations, ways=ways, heights=heights)


@dataclass(frozen=True, eq=False)
class AveragedMotion:
    """A manner of going: one averaged stance of the left foot, one of the right.

    It comes from ``average_stances`` and is given to ``blend_stances``; before that, averaged motions can be blended
    among themselves.
    """

    skeleton: Skeleton
    stances: Mapping[str, AveragedStance]  # "left" and "right"
    name: str = ""

    def __post_init__(self) -> None:
        if set(self.stances) != set(FEET):
            raise MotionError(f"an averaged motion has a stance of left and right, got {', '.join(self.stances)}")
        for foot, stance in self.stances.items():
            joints = stance.rotations_wxyz.shape[1:]
            if joints != (self.skeleton.n_joints, 4):
                raise MotionError(
                    f"expected rotations of {self.skeleton.n_joints} joints in the {foot} stance, got shape {joints}"
                )
        object.__setattr__(self, "stances", MappingProxyType({foot: self.stances[foot] for foot in FEET}))

    @property
    def left(self) -> AveragedStance:
        """The left foot's stance."""
        return self.stances["left"]

    @property
    def right(self) -> AveragedStance:
        """The right foot's stance."""
        return self.stances["right"]

    def blended(self, other: AveragedMotion, ratio: float | int) -> AveragedMotion:
        """A manner between two: this one at a ratio of 0, the other at 1, beyond that exaggerated.

        How long stances take and how far they get is blended as their poses are.

        Raises
        ------
        MotionError
            Where the skeletons differ, or the ratio is no number or leaves no time.
        """
        check_ratio(ratio)
        refuse_other_skeleton(self.skeleton, self.name, other.skeleton, other.name)
        if ratio in (0, 1):
            return other if ratio else self
        pairs = {foot: (self.stances[foot], other.stances[foot]) for foot in FEET}
        for a, b in pairs.values():
            if not _mixed(a.seconds, b.seconds, ratio) > 0.0:
                raise MotionError(f"at a ratio of {ratio:g} a stance would take no time; try 0 to 1")
        name = f"{self.name} {other.name} {ratio:g}".strip()
        return AveragedMotion(self.skeleton, {foot: _between(*pair, ratio) for foot, pair in pairs.items()}, name)

    def __repr__(self) -> str:
        steps = ", ".join(
            f"{foot} {stance.seconds:.2f} s {np.hypot(*stance.step):.2f} m" for foot, stance in self.stances.items()
        )
        return f"AveragedMotion({f'{self.name!r}, ' if self.name else ''}{steps})"


def averaged(stances: Sequence[AveragedStance]) -> AveragedStance:
    """The mean of stances that have as many samples; of rotations it is the one nearest to all."""
    together = np.stack([stance.rotations_wxyz for stance in stances], axis=-2)
    rotations = stances[0].rotations_wxyz if len(stances) == 1 else quaternions.unroll(quaternions.mean(together))
    return AveragedStance(
        rotations,
        np.mean([stance.ways for stance in stances], axis=0),
        np.mean([stance.heights for stance in stances], axis=0),
        float(np.mean([stance.seconds for stance in stances])),
        sum(stance.count for stance in stances),
    )


def slerped(
    rotations: Float[np.ndarray, "frames joints 4"], at: Float[np.ndarray, " places"]
) -> Float[np.ndarray, "places joints 4"]:
    """Rotations at fractional frames, turned evenly between neighbours; exact at whole ones."""
    start = np.minimum(at.astype(np.int64), len(rotations) - 2)
    return quaternions.slerp(rotations[start], rotations[start + 1], (at - start)[:, None])


def lerped(
    values: Float[np.ndarray, " frames *rest"], at: Float[np.ndarray, " places"]
) -> Float[np.ndarray, " places *rest"]:
    """Values at fractional frames, on straight lines between neighbours; exact at whole ones."""
    start = np.minimum(at.astype(np.int64), len(values) - 2)
    share = (at - start).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray((1.0 - share) * values[start] + share * values[start + 1])


def check_ratio(ratio: float | int) -> None:
    """A ratio must be a number."""
    if not isinstance(ratio, (int, float, np.number)) or not np.isfinite(ratio):
        raise MotionError(f"expected a ratio that is a number, 0 for none to 1 for all of it, got {ratio!r}")


def refuse_other_skeleton(own: Skeleton, name: str, other: Skeleton, other_name: str) -> None:
    """Motions of two skeletons do not mix."""
    if not own.same_as(other):
        raise MotionError(
            f"{other_name or 'the averaged motion'!r} is of another skeleton ({other!r}) than {name or 'the motion'!r} "
            f"({own!r}); only motions of one skeleton mix"
        )


def _between(a: AveragedStance, b: AveragedStance, ratio: float | int) -> AveragedStance:
    n = max(len(a.heights), len(b.heights))
    first, second = a.resampled(n), b.resampled(n)
    return AveragedStance(
        quaternions.unroll(quaternions.slerp(first.rotations_wxyz, second.rotations_wxyz, float(ratio))),
        first.ways + ratio * (second.ways - first.ways),
        first.heights + ratio * (second.heights - first.heights),
        _mixed(a.seconds, b.seconds, ratio),
        a.count + b.count,
    )


def _mixed(a: float, b: float, ratio: float | int) -> float:
    return (1.0 - ratio) * a + ratio * b


# From a clip of someone going to the averaged motion of that manner.


def average_stances(clip: Clip, *, contacts: Contacts | None = None) -> AveragedMotion:
    """The averaged motion of a clip: all stances of a foot brought to one length and averaged.

    Of a long walk the steady part counts: pauses, odd steps and those out of a stand or into one are left out, unless
    a foot has no others. An artificial rest pose in front is left out, too.

    Parameters
    ----------
    clip
        A walk or run of some steps.
    contacts
        Its foot plants, where they are known better than ``find_plants`` would find them.

    Raises
    ------
    MotionError
        Where a foot has no whole stance, from its own landing to the other foot's.

    Warns
    -----
    MotionWarning
        Where a foot has only one, which is then no average.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> sad = average_stances(perform("walk", style="sad", cycles=4.0)[0])
    >>> sad.left.count
    3
    """
    shown, plants = shown_plants(clip, contacts)
    stances = find_stances(shown, plants)
    course = course_of(shown, stances)
    found = {}
    for foot in FEET:
        chosen = steady(stances, foot)
        if not chosen:
            raise MotionError(
                f"{clip!r} has no whole stance of the {foot} foot, from its landing to that of the other; "
                "give a clip with more steps, or its plants where they were not found"
            )
        if len(chosen) == 1:
            warnings.warn(
                f"{clip.name or 'the clip'} has one whole stance of the {foot} foot, which stands for all",
                MotionWarning,
                stacklevel=2,
            )
        n_samples = round(float(np.mean([stance.n_frames for stance in chosen]))) + 1
        found[foot] = averaged([_seen(shown, course, stance, max(n_samples, 2)) for stance in chosen])
    return AveragedMotion(clip.skeleton, found, clip.name)


def shown_plants(clip: Clip, contacts: Contacts | None) -> tuple[Clip, Contacts]:
    """A clip without an artificial rest pose, and its plants; those given may still count that pose."""
    shown = clip.captured
    if contacts is None:
        return shown, find_plants(shown, gait=True)
    if contacts.n_frames != clip.n_frames:
        raise MotionError(f"expected plants over the {clip.n_frames} frames of the clip, got {contacts.n_frames}")
    return shown, contacts[clip.n_frames - shown.n_frames :]


def _seen(clip: Clip, course: Course, stance: Stance, n_samples: int) -> AveragedStance:
    """One stance seen from its course, in so many samples, the next landing included."""
    frames = slice(stance.first, stance.last + 2)
    at = np.linspace(0.0, float(stance.n_frames), n_samples)
    ways = np.concatenate([[0.0], np.cumsum(course.travel[stance.first : stance.last + 1])])
    return AveragedStance(
        slerped(on_course(clip, course, frames), at),
        lerped(np.stack([ways.real, ways.imag], axis=1), at),
        lerped(course.heights[frames], at),
        stance.n_frames / clip.frame_rate,
    )


def on_course(clip: Clip, course: Course, frames: slice) -> Float[np.ndarray, "frames joints 4"]:
    """Local rotations, that of the root seen from the course's heading."""
    return without_heading(clip.rotations_wxyz[frames], course.headings[frames])
