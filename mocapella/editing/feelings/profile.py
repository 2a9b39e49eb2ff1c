"""Profiles of feelings: how an angry gesture differs from a neutral one in time, range of motion and posture.

The speed transform compares how far along its way the leading end is at each share of a period; the amplitude transform
how far joints swing from the straight way between the poses at both ends of it (Amaya, Bruderlin and Calvert). These
poses are further apart by the range of the leading end. All are ratios, and postures are turns, so that they apply to
another gesture.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.checks import explained, finite_number, refuse_other
from mocapella.editing.feelings.matching import Match, matched
from mocapella.editing.feelings.periods import BasicPeriods, basic_periods, end_path, end_speed
from mocapella.editing.feelings.posture import HELD, Posture, posture_between, with_posture
from mocapella.editing.feelings.reshaping import (
    CATEGORIES,
    SAMPLES,
    amplified,
    extended,
    levels_of,
    retimed,
    swings,
    timing_between,
    way,
)
from mocapella.editing.parameters import Domain, Strength
from mocapella.errors import MotionError, Option
from mocapella.geometry.curves import ease
from mocapella.motion.clip import Clip
from mocapella.stages import refuse_other_stage

_LEAST_SWING = math.radians(1.0)  # joints that swing less have no amplitude to compare
_MOST = 4.0  # a larger ratio is noise
_NUMBERS = ("durations", "timing", "amplitudes", "ranges", "seconds", "posture")  # of a profile, in its order
_QUICK = 0.3  # seconds: a shorter neutral period is a stroke, such as a knock, and says little of slow ones
_QUICKEST = 0.1  # seconds: a forearm goes there and back about five times a second, and no quicker
_MOST_RANGE = 2.5  # times as far: beyond, the arm is at its end
_SAME = 0.1  # share by which ways of the leading end differ by chance
_JITTER = 0.015  # seconds over which speeds are smoothed to tell the greatest
_DIRECT = 0.3  # of a way's length that its ends are apart: nearer ones have no range to compare


@dataclass(frozen=True, eq=False)
class Profile:
    """How a feeling changes each basic period of a gesture, and how the body is held.

    Examples
    --------
    >>> even = np.tile(np.linspace(0.0, 1.0, SAMPLES), (2, 1))
    >>> plain = Profile("calm", np.ones(2), even, np.ones((2, 4)), np.ones(2), np.ones(2), np.zeros((4, 3)))
    >>> plain.n_periods
    2
    """

    name: str
    durations: Float[np.ndarray, " periods"]  # how long a period lasts, in neutral ones
    timing: Float[np.ndarray, "periods samples"]  # share of the neutral period that is shown at each share of the new
    amplitudes: Float[np.ndarray, "periods categories"]  # how far joints swing, in neutral swings
    ranges: Float[np.ndarray, " periods"]  # how far the leading end goes, in neutral ways
    seconds: Float[np.ndarray, " periods"]  # of neutral periods
    posture: Posture  # how parts of ``HELD`` are turned, as if the right hand acted
    peak: float = 1.0  # how fast the leading end is where it is fastest, in the neutral gesture's greatest speed

    def __post_init__(self) -> None:
        freeze(self, np.float64, *_NUMBERS)
        n = len(self.durations)
        shapes = [np.shape(getattr(self, key)) for key in _NUMBERS]
        expected = [(n,), (n, SAMPLES), (n, len(CATEGORIES)), (n,), (n,), (len(HELD), 3)]
        if n == 0 or shapes != expected:
            raise MotionError(
                expected=f"for each period a duration, {SAMPLES} shares of time, {len(CATEGORIES)} amplitudes, a range "
                f"and seconds, and a posture of {len(HELD)} turns",
                got=", ".join(map(str, shapes)),
            )
        for key in ("durations", "amplitudes", "ranges", "seconds", "peak"):
            values = np.asarray(getattr(self, key))
            if not (np.isfinite(values).all() and values.min() > 0.0):
                raise MotionError(expected=f"{key} above 0", got=f"{float(np.min(values)):g}")
        if not np.isfinite(self.posture).all():
            raise MotionError("the turns of a posture must be finite")
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
        ratios = {key: getattr(self, key) ** much for key in ("durations", "amplitudes", "ranges")}
        return replace(
            self, timing=timing / timing[:, -1:], posture=much * self.posture, peak=self.peak**much, **ratios
        )

    def for_periods(self, seconds: Float[np.ndarray, " others"]) -> Profile:
        """The profile for a gesture whose periods last so long: its own, or means where these are not as many.

        Strokes have the mean of strokes, slower periods that of slower ones, where the profile has such.
        """
        if len(seconds) == self.n_periods:
            return self
        quick = self.seconds < _QUICK
        groups = [
            quick if quick.any() and is_quick else ~quick if not quick.all() else quick for is_quick in seconds < _QUICK
        ]

        def mean(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
            return np.array([np.exp(np.log(values[group]).mean(axis=0)) for group in groups])

        return replace(
            self,
            durations=mean(self.durations),
            timing=np.array([self.timing[group].mean(axis=0) for group in groups]),
            amplitudes=mean(self.amplitudes),
            ranges=mean(self.ranges),
            seconds=seconds,
        )

    @classmethod
    def joined(cls, name: str, profiles: Sequence[Profile]) -> Profile:
        """What several gestures tell of one feeling: the periods of all, and the mean of their postures."""
        periods = {key: np.concatenate([getattr(profile, key) for profile in profiles]) for key in _NUMBERS[:-1]}
        peak = math.exp(np.mean([math.log(profile.peak) for profile in profiles]))
        return cls(name, **periods, posture=np.mean([profile.posture for profile in profiles], axis=0), peak=peak)

    def plain(self) -> dict[str, Any]:
        """Numbers and words alone, as files hold them."""
        return {"name": self.name, **{key: getattr(self, key).tolist() for key in _NUMBERS}, "peak": self.peak}

    @classmethod
    def from_plain(cls, values: Any) -> Profile:
        """The profile that ``plain`` described; ``MotionError`` where something is missing or no number."""
        try:
            n = len(values["durations"])
            usual = {"ranges": np.ones(n), "seconds": np.ones(n), "posture": np.zeros((len(HELD), 3))}
            numbers = {**usual, **{key: values[key] for key in _NUMBERS if key in values or key not in usual}}
            arrays = {key: np.array(numbers[key], dtype=np.float64) for key in _NUMBERS}
            return cls(str(values.get("name", "")), **arrays, peak=float(values.get("peak", 1.0)))
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
        The same gesture of one skeleton; one may pause more often, or repeat a movement more often.
    end
        Role of the end that leads; told from the neutral one if None.
    neutral_periods, emotional_periods
        Rows of the sources between which the periods lie, where they are not to be found.
    name
        Of the feeling; the emotional clip's if empty.

    Returns
    -------
    Profile
        For each period that both have, ratios of duration, amplitude and range, and timing; and the posture.

    Raises
    ------
    MotionError
        Where the clips have different skeletons, no period in common, or different numbers of given ones.

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
    both = (neutral.captured, emotional.captured)
    pairs = _corresponding(*both, calm, felt, given=bool(len(neutral_periods) and len(emotional_periods)))
    levels = levels_of(neutral.skeleton)
    frames = np.array([[last - first for first, last in pair] for pair in pairs])
    seconds = frames / [clip.frame_rate for clip in both]
    swung = np.array([[swings(clip, span, levels) for clip, span in zip(both, pair, strict=True)] for pair in pairs])
    ratio = np.where(swung.min(axis=1) > _LEAST_SWING, swung[:, 1] / np.maximum(swung[:, 0], 1e-12), 1.0)
    ways = [[way(clip, calm.end, span) for clip, span in zip(both, pair, strict=True)] for pair in pairs]
    timing = np.array([timing_between(*pair) for pair in ways])
    return Profile(
        name or emotional.name,
        np.clip(seconds[:, 1] / seconds[:, 0], 1.0 / _MOST, _MOST),
        timing,
        np.clip(ratio, 1.0 / _MOST, _MOST),
        np.clip([_range(*both, pair, calm.end) for pair in pairs], 1.0 / _MOST_RANGE, _MOST_RANGE),
        seconds[:, 0],
        _learnt_posture(*both, pairs, timing, calm.end),
        float(np.clip(_greatest(both[1], calm.end) / _greatest(both[0], calm.end), 1.0 / _MOST, _MOST)),
    )


@explained
def apply_profile(
    clip: Clip, profile: Profile, strength: float | int = 1.0, *, end: str | None = None, periods: Sequence[int] = ()
) -> Clip:
    """A neutral gesture with the feeling of a profile.

    Time, the way of the leading hand and the posture of trunk, head and the other arm change within the basic periods
    of the gesture; before and after it the poses are what they were. A stroke that would be quicker than a forearm can
    be is made longer instead, up to the peak speed of the feeling. Legs and the root keep their poses throughout, so
    that feet stay where they stand.

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
    clip = clip.captured
    seconds = np.diff(basic.frames) / clip.frame_rate
    scaled = profile.for_periods(seconds).scaled(strength)
    lasting = np.maximum(scaled.durations * seconds, np.minimum(seconds, _QUICKEST))
    limited = lasting > scaled.durations * seconds
    ranges = np.where(limited, np.maximum(scaled.ranges, scaled.peak * lasting / seconds), scaled.ranges)
    ranges = np.clip(ranges, 1.0 / _MOST_RANGE, _MOST_RANGE)
    reached = extended(amplified(clip, basic, scaled.amplitudes), basic, ranges)
    held = with_posture(reached, scaled.posture, _shown(clip, basic), basic.end)
    return retimed(held, basic, lasting / seconds, scaled.timing)


def feel(
    clip: Clip,
    *,
    neutral: Clip | None = None,
    emotional: Annotated[Clip | None, Domain(on_body_of="neutral")] = None,
    profile: Mapping[str, Any] | None = None,
    feeling: Annotated[str, Domain(choices=("", "angry"))] = "",
    strength: Strength = 1.0,
    periods: Sequence[float] = (),
) -> Clip:
    """A gesture with a feeling, in the form that lists of edits use.

    Raises ``MotionError`` where neither two gestures nor a profile nor the name of a feeling are given.

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
    feeling
        A usual feeling, instead of these: as the embedded actor drinks and knocks with it.
    strength
        0 none, 1 as learnt, more exaggerates.
    periods
        Rows between which basic periods lie; found if left out.
    """
    if neutral is not None and emotional is not None:
        learnt = learn_profile(neutral, emotional)
    elif profile:
        learnt = Profile.from_plain(profile)
    elif feeling:
        from mocapella.editing.feelings.usual import usual_profile  # it is learnt with the functions of this module

        learnt = usual_profile(feeling)
    else:
        raise MotionError("a feeling needs a name, a profile, or a neutral and an emotional motion to learn it from")
    return apply_profile(clip, learnt, strength, periods=[int(frame) for frame in periods])


def _corresponding(
    neutral: Clip, emotional: Clip, calm: BasicPeriods, felt: BasicPeriods, *, given: bool
) -> list[Match]:
    """The periods of two performances that correspond, at least one; given ones do so one by one."""
    option = Option("emotional_periods", (0, 60, 120))
    if given and calm.count != felt.count:
        raise MotionError(
            f"the neutral gesture has {calm.count} basic periods, the emotional one {felt.count}",
            helps=f"say between which rows they lie: {option}",
            option=option,
        )
    if given:
        return [
            Match(*pair) for pair in zip(itertools.pairwise(calm.frames), itertools.pairwise(felt.frames), strict=True)
        ]
    pairs = matched(end_path(neutral, calm.end), calm.frames, end_path(emotional, calm.end), felt.frames)
    if not pairs:
        raise MotionError(
            f"{emotional!r} has no basic period that resembles one of {neutral!r}: they are different gestures",
            helps=f"or say between which rows periods lie in both: {option}",
            option=option,
        )
    return pairs


def _greatest(clip: Clip, end: str) -> float:
    """The greatest speed of an end, m/s."""
    return float(end_speed(clip, end, smoothing=_JITTER).max())


def _range(neutral: Clip, emotional: Clip, pair: Match, end: str) -> float:
    """How much further apart the ends of a period are in the emotional one; 1 where they are near each other."""
    chords = []
    for clip, (first, last) in zip((neutral, emotional), pair, strict=True):
        path = end_path(clip, end)[first : last + 1]
        chords.append(float(np.linalg.norm(path[-1] - path[0])))
        if chords[-1] <= _DIRECT * float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()):
            return 1.0
    ratio = chords[1] / chords[0]
    return ratio if abs(ratio - 1.0) > _SAME else 1.0


def _learnt_posture(
    neutral: Clip, emotional: Clip, pairs: Sequence[Match], timing: Float[np.ndarray, "periods samples"], end: str
) -> Posture:
    """How differently the body is held in corresponding frames, which are those with as much of the way behind them."""
    even = np.linspace(0.0, 1.0, SAMPLES)
    calm = [first + (last - first) * shares for ((first, last), _), shares in zip(pairs, timing, strict=True)]
    felt = [first + (last - first) * even for _, (first, last) in pairs]
    shown = np.ones((len(pairs), SAMPLES))
    shown[0] *= ease(even)
    shown[-1] *= ease(even[::-1])
    rows = [np.round(np.concatenate(frames)).astype(np.intp) for frames in (calm, felt)]
    return posture_between(neutral, emotional, (rows[0], rows[1]), shown.ravel(), end)


def _shown(clip: Clip, periods: BasicPeriods) -> Float[np.ndarray, " frames"]:
    """How much of a posture each frame of a gesture shows: it comes with the first period and goes with the last."""
    frames = np.arange(clip.n_frames, dtype=np.float64)
    first, last = periods.frames[:2], periods.frames[-2:]
    come = ease((frames - first[0]) / (first[1] - first[0]))
    return np.asarray(come * (1.0 - ease((frames - last[0]) / (last[1] - last[0]))))
