"""Averaged motions: one mean stance of each foot that represents a style of walking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.detect import find_plants
from mocapella.arrays import freeze
from mocapella.checks import explained, finite_number
from mocapella.editing.stances import Course, Stance, course_of, find_stances, steady_stances
from mocapella.errors import MotionError, warn
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.kinematics import without_heading
from mocapella.motion.skeleton import Skeleton

_MOST_SAMPLES = 100_000  # of a stance

Rotations = Float[np.ndarray, "samples joints 4"]


@dataclass(frozen=True, eq=False)
class AveragedStance:
    """The mean of one foot's stances, sampled evenly from its landing to the next one's, both included.

    The root is seen from its course: its rotation from a heading that does not sway with steps, its path from the
    direction of travel, its height from the ground.
    """

    rotations_wxyz: Rotations
    ways: Float[np.ndarray, "samples 2"]  # metres ahead and left of where the foot landed
    heights: Float[np.ndarray, " samples"]  # of the root above the ground, metres
    seconds: float  # from landing to landing
    count: int = 1  # how many stances went into it

    def __post_init__(self) -> None:
        freeze(self, np.float64, "rotations_wxyz", "ways", "heights")
        n = len(self.heights)
        if not 2 <= n <= _MOST_SAMPLES or self.ways.shape != (n, 2) or len(self.rotations_wxyz) != n:
            raise MotionError(
                f"a stance has 2 to {_MOST_SAMPLES} samples, the same of rotations, ways and heights; "
                f"got {len(self.rotations_wxyz)}, {len(self.ways)} and {n}"
            )
        if not (np.isfinite(self.seconds) and self.seconds > 0.0):
            raise MotionError(f"a stance takes some time, got {self.seconds} s")
        if not all(np.isfinite(array).all() for array in (self.rotations_wxyz, self.ways, self.heights)):
            raise MotionError("rotations, ways and heights of a stance must be finite numbers")
        if np.abs(np.linalg.norm(self.rotations_wxyz, axis=-1) - 1.0).max(initial=0.0) > 1e-6:
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
        return _slerped(self.rotations_wxyz, at), _lerped(self.ways, at), _lerped(self.heights, at)

    def resampled(self, n_samples: int) -> AveragedStance:
        """The same stance in another number of samples."""
        if n_samples == len(self.heights):
            return self
        rotations, ways, heights = self.at(np.linspace(0.0, 1.0, n_samples))
        return replace(self, rotations_wxyz=rotations, ways=ways, heights=heights)


@dataclass(frozen=True, eq=False)
class AveragedMotion:
    """A style of walking or running: one averaged stance of the left foot, one of the right.

    ``average_stances`` makes it and ``blend_stances`` uses it; averaged motions can be blended among themselves.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> plain, sad = (average_stances(perform("walk", style=style, cycles=4.0)[0]) for style in ("normal", "sad"))
    >>> halfway = plain.blended(sad, 0.5)
    >>> plain.left.seconds < halfway.left.seconds < sad.left.seconds
    True
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
        """A style between two; poses, durations and lengths of stances are all blended.

        Raises ``MotionError`` where the skeletons differ, or the ratio is no number or leaves no time.

        Parameters
        ----------
        other
            Of the same skeleton.
        ratio
            0 for this one, 1 for the other, beyond that exaggerated.
        """
        check_mix(ratio, self.skeleton, self.name, other)
        if ratio in (0, 1):
            return other if ratio else self
        stances = {foot: _between(self.stances[foot], other.stances[foot], ratio) for foot in FEET}
        return AveragedMotion(self.skeleton, stances, f"{self.name} {other.name} {ratio:g}".strip())

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


def _slerped(rotations: Float[np.ndarray, "frames joints 4"], at: Float[np.ndarray, " places"]) -> np.ndarray:
    """Rotations at fractional frames, turned evenly between neighbours; exact at whole ones."""
    start = np.minimum(at.astype(np.int64), len(rotations) - 2)
    return quaternions.slerp(rotations[start], rotations[start + 1], (at - start)[:, None])


def _lerped(values: Float[np.ndarray, " frames *rest"], at: Float[np.ndarray, " places"]) -> np.ndarray:
    """Values at fractional frames, on straight lines between neighbours; exact at whole ones."""
    start = np.minimum(at.astype(np.int64), len(values) - 2)
    share = (at - start).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray((1.0 - share) * values[start] + share * values[start + 1])


def _between(a: AveragedStance, b: AveragedStance, ratio: float | int) -> AveragedStance:
    seconds = (1.0 - ratio) * a.seconds + ratio * b.seconds
    if not seconds > 0.0:
        raise MotionError(f"at a ratio of {ratio:g} a stance would take no time; try 0 to 1")
    n = max(len(a.heights), len(b.heights))
    first, second = a.resampled(n), b.resampled(n)
    return AveragedStance(
        quaternions.unroll(quaternions.slerp(first.rotations_wxyz, second.rotations_wxyz, float(ratio))),
        first.ways + ratio * (second.ways - first.ways),
        first.heights + ratio * (second.heights - first.heights),
        seconds,
        a.count + b.count,
    )


def check_mix(ratio: float | int, skeleton: Skeleton, name: str, other: AveragedMotion) -> None:
    """Raise ``MotionError`` for a ratio that is no number, and an averaged motion of another skeleton."""
    finite_number(ratio, "a ratio that is a number, 0 for none to 1 for all of it")
    if not skeleton.same_as(other.skeleton):
        raise MotionError(
            f"{other.name or 'the averaged motion'!r} is of another skeleton ({other.skeleton!r}) than "
            f"{name or 'the motion'!r} ({skeleton!r}); only motions of one skeleton mix",
            helps="average the stances of its clip once more, retargeted to this skeleton",
        )


@explained
def average_stances(clip: Clip | Examined, *, contacts: Contacts | None = None) -> AveragedMotion:
    """The averaged motion of a clip: all stances of a foot brought to one length and averaged.

    Pauses, odd steps and those next to a pause are left out, unless a foot has no others. An artificial rest pose in
    front is left out, too.

    Parameters
    ----------
    clip
        A walk or run of some steps, or what was examined of it before.
    contacts
        Its foot plants, where they are known better than ``find_plants`` would find them.

    Returns
    -------
    AveragedMotion
        One stance of each foot.

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
    gait, plants = gait_plants(clip, contacts)
    stances = find_stances(gait.clip, plants)
    course = course_of(gait, stances)
    means = {}
    for foot in FEET:
        chosen = steady_stances(stances, foot)
        if not chosen:
            raise MotionError(
                f"{gait.clip!r} has no whole stance of the {foot} foot, from its landing to that of the other; "
                "give a clip with more steps, or its plants where they were not found"
            )
        if len(chosen) == 1:
            warn(f"{gait.clip.name or 'the clip'} has one whole stance of the {foot} foot, which stands for all")
        n_samples = round(float(np.mean([stance.n_frames for stance in chosen]))) + 1
        means[foot] = averaged([_seen(gait.clip, course, stance, max(n_samples, 2)) for stance in chosen])
    return AveragedMotion(gait.clip.skeleton, means, gait.clip.name)


def gait_plants(clip: Clip | Examined, contacts: Contacts | None) -> tuple[Examined, Contacts]:
    """A clip without an artificial rest pose, and its plants.

    ``contacts`` may still count the rest pose; None finds them as those of a gait.
    """
    examined = examine(clip)
    captured, n_frames = examined.captured, examined.clip.n_frames
    if contacts is None:
        return captured, find_plants(captured, gait=True)
    if contacts.n_frames != n_frames:
        raise MotionError(f"expected plants over the {n_frames} frames of the clip, got {contacts.n_frames}")
    return captured, contacts[n_frames - captured.clip.n_frames :]


def _seen(clip: Clip, course: Course, stance: Stance, n_samples: int) -> AveragedStance:
    """One stance seen from its course, in so many samples, the next landing included."""
    frames = slice(stance.first, stance.last + 2)
    at = np.linspace(0.0, float(stance.n_frames), n_samples)
    ways = np.concatenate([[0.0], np.cumsum(course.travel[stance.first : stance.last + 1])])
    return AveragedStance(
        _slerped(without_heading(clip.rotations_wxyz[frames], course.headings[frames]), at),
        _lerped(np.stack([ways.real, ways.imag], axis=1), at),
        _lerped(course.heights[frames], at),
        stance.n_frames / clip.frame_rate,
    )
