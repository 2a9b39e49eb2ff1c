"""Profiles of feelings: how an angry gesture differs from a neutral one in speed and amplitude, period by period.

The speed transform compares how far along its way the leading end is at each share of a period; the amplitude transform
how far joints swing from the straight way between the poses at both ends of it (Amaya, Bruderlin and Calvert). Both are
ratios, so that they apply to another gesture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import freeze
from mocapella.checks import explained, finite_number, refuse_other
from mocapella.editing.clip_blend import sampled
from mocapella.editing.feelings.periods import BasicPeriods, basic_periods, end_speed
from mocapella.editing.parameters import Domain, Strength
from mocapella.errors import MotionError, Option
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.parts import joints_of
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_other_stage

SAMPLES = 65  # of a timing curve
CATEGORIES = ("trunk", "shoulder", "elbow", "hand")
"""Four levels of the hierarchy above the hips, whose amplitudes are compared apart."""

_EVEN = 0.02  # share of linear time in a timing curve, so that a rest keeps some length
_LEAST_SWING = math.radians(1.0)  # joints that swing less have no amplitude to compare
_MOST = 4.0  # a larger ratio is noise
_LEVELS = {"clavicle": 1, "shoulder": 1, "neck": 1, "elbow": 2, "head": 2, "wrist": 3}


@dataclass(frozen=True, eq=False)
class Profile:
    """How a feeling changes each basic period of a gesture.

    Examples
    --------
    >>> plain = Profile("calm", np.ones(2), np.tile(np.linspace(0.0, 1.0, SAMPLES), (2, 1)), np.ones((2, 4)))
    >>> plain.n_periods
    2
    """

    name: str
    durations: Float[np.ndarray, " periods"]  # how long a period lasts, in neutral ones
    timing: Float[np.ndarray, "periods samples"]  # share of the neutral period that is shown at each share of the new
    amplitudes: Float[np.ndarray, "periods categories"]  # how far joints swing, in neutral swings

    def __post_init__(self) -> None:
        freeze(self, np.float64, "durations", "timing", "amplitudes")
        n = len(self.durations)
        shapes = self.timing.shape == (n, SAMPLES) and self.amplitudes.shape == (n, len(CATEGORIES))
        if n == 0 or not shapes:
            raise MotionError(
                expected=f"for each period a duration, {SAMPLES} shares of time and {len(CATEGORIES)} amplitudes",
                got=f"{self.durations.shape}, {self.timing.shape} and {self.amplitudes.shape}",
            )
        for values, what in ((self.durations, "durations"), (self.amplitudes, "amplitudes")):
            if not (np.isfinite(values).all() and values.min() > 0.0):
                raise MotionError(expected=f"{what} above 0", got=f"{float(np.min(values)):g}")
        ends = np.abs(self.timing[:, [0, -1]] - [0.0, 1.0]).max()
        if not (np.isfinite(self.timing).all() and ends < 1e-9 and np.diff(self.timing, axis=1).min() > 0.0):
            raise MotionError("the timing of a period must rise from 0 to 1 without a stop")

    @property
    def n_periods(self) -> int:
        """How many basic periods the profile was learnt from."""
        return len(self.durations)

    def scaled(self, strength: float | int) -> Profile:
        """The same feeling, stronger or weaker: 0 changes nothing, 1 is the profile itself, −1 its opposite."""
        much = finite_number(strength, "a strength that is a number")
        even = np.linspace(0.0, 1.0, SAMPLES)
        steps = np.diff(even) * (np.diff(self.timing, axis=1) / np.diff(even)) ** much
        timing = np.concatenate([np.zeros((self.n_periods, 1)), np.cumsum(steps, axis=1)], axis=1)
        return replace(
            self, durations=self.durations**much, timing=timing / timing[:, -1:], amplitudes=self.amplitudes**much
        )

    def for_periods(self, count: int) -> Profile:
        """The profile for a gesture of ``count`` periods: its own, or for all the mean where these are not as many."""
        if count == self.n_periods:
            return self
        return replace(
            self,
            durations=np.full(count, np.exp(np.log(self.durations).mean())),
            timing=np.tile(self.timing.mean(axis=0), (count, 1)),
            amplitudes=np.tile(np.exp(np.log(self.amplitudes).mean(axis=0)), (count, 1)),
        )

    def plain(self) -> dict[str, Any]:
        """Numbers and words alone, as files hold them."""
        arrays = {key: getattr(self, key).tolist() for key in ("durations", "timing", "amplitudes")}
        return {"name": self.name, **arrays}

    @classmethod
    def from_plain(cls, values: Any) -> Profile:
        """The profile that ``plain`` described; ``MotionError`` where something is missing or no number."""
        try:
            arrays = [np.array(values[key], dtype=np.float64) for key in ("durations", "timing", "amplitudes")]
            return cls(str(values.get("name", "")), *arrays)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise MotionError(
                expected="a profile with durations, timing and amplitudes of its periods", got=repr(values)[:80]
            ) from None


@explained
def learn_profile(
    neutral: Clip,
    emotional: Clip,
    *,
    end: str | None = None,
    neutral_periods: Sequence[int] = (),
    emotional_periods: Sequence[int] = (),
    name: str = "",
) -> Profile:
    """How an emotional performance of a gesture differs from a neutral one.

    Parameters
    ----------
    neutral, emotional
        The same gesture of one skeleton, with as many basic periods.
    end
        Role of the end that leads; told from the neutral one if None.
    neutral_periods, emotional_periods
        Rows of the sources between which the periods lie, where they are not to be found.
    name
        Of the feeling; the emotional clip's if empty.

    Returns
    -------
    Profile
        Ratios of duration and amplitude, and timing, for each period.

    Raises
    ------
    MotionError
        Where the clips have another skeleton or another number of periods.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import CLEAN, perform
    >>> calm, angry = (perform("drink", style=style, imperfections=CLEAN)[0] for style in ("normal", "angry"))
    >>> profile = mo.learn_profile(calm, angry)
    >>> profile.n_periods, bool(profile.durations.max() < 1.0)
    (4, True)
    """
    for clip in (neutral, emotional):
        refuse_other_stage(clip, "Clip")
    if not neutral.skeleton.same_as(emotional.skeleton):
        raise MotionError(
            f"{emotional!r} has another skeleton than {neutral!r}", helps="retarget(emotional, neutral.skeleton)"
        )
    calm = basic_periods(neutral, end=end, frames=neutral_periods)
    felt = basic_periods(emotional, end=calm.end, frames=emotional_periods)
    # The gesture is one: where one performance pauses more often than the other, its deepest pauses count.
    if felt.count > calm.count and not len(emotional_periods):
        felt = basic_periods(emotional, end=calm.end, at_most=calm.count)
    elif calm.count > felt.count and not len(neutral_periods):
        calm = basic_periods(neutral, end=calm.end, at_most=felt.count)
    if calm.count != felt.count:
        given = Option("emotional_periods", (0, 60, 120))
        raise MotionError(
            f"the neutral gesture has {calm.count} basic periods, the emotional one {felt.count}",
            helps=f"say between which rows they lie: {given}",
            option=given,
        )
    neutral, emotional = neutral.captured, emotional.captured
    levels = _levels(neutral.skeleton)
    shapes = zip(_stretches(neutral, calm), _stretches(emotional, felt), strict=True)
    spans = [np.diff(periods.frames) / clip.frame_rate for clip, periods in ((neutral, calm), (emotional, felt))]
    swings = np.array([[_swings(part, levels) for part in pair] for pair in shapes])
    ratio = np.where(swings.min(axis=1) > _LEAST_SWING, swings[:, 1] / np.maximum(swings[:, 0], 1e-12), 1.0)
    timing = [_timing(_way(neutral, calm, i), _way(emotional, felt, i)) for i in range(calm.count)]
    return Profile(
        name or emotional.name,
        np.clip(spans[1] / spans[0], 1.0 / _MOST, _MOST),
        np.array(timing),
        np.clip(ratio, 1.0 / _MOST, _MOST),
    )


@explained
def apply_profile(
    clip: Clip, profile: Profile, strength: float | int = 1.0, *, end: str | None = None, periods: Sequence[int] = ()
) -> Clip:
    """A neutral gesture with the feeling of a profile.

    Time and amplitude change within the basic periods of the gesture; before, after and at the ends of periods the
    poses are what they were. Legs and the root keep theirs throughout, so that feet stay where they stand.

    Parameters
    ----------
    clip
        A neutral gesture, of any skeleton; an artificial rest pose is left out.
    profile
        What ``learn_profile`` found. Where the gesture has another number of periods, its mean applies to each.
    strength
        0 leaves the gesture as it is, 1 takes on the feeling, more exaggerates it.
    end, periods
        The end that leads, and rows of the source between which periods lie, where they are not to be found.

    Returns
    -------
    Clip
        At the same frame rate, with another number of frames.

    Raises
    ------
    MotionError
        Where the clip shows no gesture, or the strength is no number.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import CLEAN, perform
    >>> calm, angry = (perform("drink", style=style, imperfections=CLEAN)[0] for style in ("normal", "angry"))
    >>> knock = perform("knock", imperfections=CLEAN)[0]
    >>> mo.apply_profile(knock, mo.learn_profile(calm, angry)).seconds < knock.seconds
    True
    """
    refuse_other(profile, Profile, "a profile, such as learn_profile(neutral, emotional) makes one")
    basic = basic_periods(clip, end=end, frames=periods)
    scaled = profile.for_periods(basic.count).scaled(strength)
    return _retimed(_amplified(clip.captured, basic, scaled), basic, scaled)


def feel(
    clip: Clip,
    *,
    neutral: Clip | None = None,
    emotional: Annotated[Clip | None, Domain(on_body_of="neutral")] = None,
    profile: Mapping[str, Any] | None = None,
    strength: Strength = 1.0,
    periods: Sequence[float] = (),
) -> Clip:
    """A gesture with a feeling, in the form that lists of edits use.

    Raises ``MotionError`` where neither two gestures nor a profile are given.

    Parameters
    ----------
    clip
        The gesture that gets the feeling.
    neutral
        A gesture performed neutrally.
    emotional
        The same gesture with a feeling.
    profile
        What was learnt from two such motions, instead of these. As ``Profile.plain`` writes it.
    strength
        0 none, 1 as learnt, more exaggerates.
    periods
        Rows between which basic periods lie; found if left out.
    """
    if neutral is not None and emotional is not None:
        learnt = learn_profile(neutral, emotional)
    elif profile:
        learnt = Profile.from_plain(profile)
    else:
        raise MotionError("a feeling needs a profile, or a neutral and an emotional motion to learn it from")
    return apply_profile(clip, learnt, strength, periods=[int(frame) for frame in periods])


def _way(clip: Clip, periods: BasicPeriods, which: int) -> Float[np.ndarray, " samples"]:
    """How far along its way the leading end is at each share of a period, 0 … 1, rising throughout."""
    speed = end_speed(clip, periods.end)
    first, last = periods.frames[which], periods.frames[which + 1]
    pace = np.interp(np.linspace(first, last, SAMPLES), np.arange(len(speed)), speed)
    gone = np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]))])
    shares = np.linspace(0.0, 1.0, SAMPLES)
    return np.asarray((1.0 - _EVEN) * gone / gone[-1] + _EVEN * shares if gone[-1] > 0.0 else shares)


def _timing(neutral: Float[np.ndarray, " samples"], emotional: Float[np.ndarray, " samples"]) -> np.ndarray:
    """The share of the neutral period at which as much of the way is gone as at each share of the emotional one."""
    shares = np.interp(emotional, neutral, np.linspace(0.0, 1.0, SAMPLES))
    shares[[0, -1]] = 0.0, 1.0
    rising = np.concatenate([[0.0], np.cumsum(np.maximum(np.diff(shares), 1e-6))])
    return np.asarray(rising / rising[-1])


def _levels(skeleton: Skeleton) -> list[Bool[np.ndarray, " joints"]]:
    """The joints above the hips in four categories, by the nearest role that carries them."""
    upper = joints_of(skeleton, "upper")
    roles = {joint: role for role, joint in find_roles(skeleton).items()}
    level = np.full(skeleton.n_joints, -1)
    for joint in np.flatnonzero(upper):
        role = next((roles[above] for above in skeleton.path(int(joint)) if above in roles), "spine")
        level[joint] = _LEVELS.get(role.rpartition("_")[2], 0)
    return [level == i for i in range(len(CATEGORIES))]


def _stretches(clip: Clip, periods: BasicPeriods) -> list[Float[np.ndarray, "_ joints 4"]]:
    pairs = zip(periods.frames, periods.frames[1:], strict=False)
    return [clip.rotations_wxyz[first : last + 1] for first, last in pairs]


def _beside(part: Float[np.ndarray, "frames joints 4"]) -> tuple[np.ndarray, np.ndarray]:
    """The straight way between the first and the last pose, and how poses leave it, half rotation vectors."""
    shares = np.linspace(0.0, 1.0, len(part))[:, None]
    chord = quaternions.slerp(
        np.broadcast_to(part[:1], part.shape),
        np.broadcast_to(part[-1:], part.shape),
        np.broadcast_to(shares, part.shape[:2]),
    )
    return chord, quaternions.log(quaternions.shortest(quaternions.seen_from(chord, part)))


def _swings(part: Float[np.ndarray, "frames joints 4"], levels: list[Bool[np.ndarray, " joints"]]) -> list[float]:
    """For each category the furthest that its joints together are from the straight way, radians."""
    _, off = _beside(part)
    return [
        float(2.0 * np.sqrt(np.sum(off[:, level] ** 2, axis=(1, 2))).max(initial=0.0)) if level.any() else 0.0
        for level in levels
    ]


def _amplified(clip: Clip, periods: BasicPeriods, profile: Profile) -> Clip:
    """The clip with swings from the straight way scaled in every period; its ends stay."""
    rotations = np.array(clip.rotations_wxyz)
    levels = _levels(clip.skeleton)
    for i, (first, last) in enumerate(zip(periods.frames, periods.frames[1:], strict=False)):
        part = clip.rotations_wxyz[first : last + 1]
        chord, off = _beside(part)
        for level, ratio in zip(levels, profile.amplitudes[i], strict=True):
            if ratio != 1.0:
                moved = quaternions.multiply(chord[:, level], quaternions.exp(ratio * off[:, level]))
                rotations[first : last + 1, level] = moved
                rotations[first, level], rotations[last, level] = part[0, level], part[-1, level]
    return replace(clip, rotations_wxyz=rotations)


def _retimed(clip: Clip, periods: BasicPeriods, profile: Profile) -> Clip:
    """The clip with each period as long as it should be, and time running in it as it should."""
    shares = np.linspace(0.0, 1.0, SAMPLES)
    times, frames = [np.arange(periods.frames[0], dtype=np.float64)], [np.arange(periods.frames[0], dtype=np.float64)]
    now = float(periods.frames[0])
    for i, (first, last) in enumerate(zip(periods.frames, periods.frames[1:], strict=False)):
        lasting = (last - first) * profile.durations[i]
        times.append(now + lasting * shares[:-1])
        frames.append(first + (last - first) * profile.timing[i, :-1])
        now += lasting
    rest = np.arange(periods.frames[-1], clip.n_frames, dtype=np.float64)
    times.append(now + rest - rest[0])
    frames.append(rest)
    when, where = np.concatenate(times), np.concatenate(frames)
    return sampled(clip, np.interp(np.arange(int(np.floor(when[-1] + 1e-9)) + 1), when, where))
