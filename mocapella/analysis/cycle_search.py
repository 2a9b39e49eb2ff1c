"""Which stretches of a motion come back to their own beginning after one footfall of each foot."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.analysis.closing import postures, spread, unlikeness
from mocapella.analysis.feet import track_feet
from mocapella.analysis.period import LONGEST_IDLE, SHORTEST, Period, find_period
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

MOST_UNLIKE = 0.75  # of the ends of a cycle, where 1 is how far any two of its frames are apart
POOR = 0.4  # from here on a period that is certain may offer something better than the steps do
_SHORTER, _LONGER = 0.85, 1.18  # how far a cycle may be off the lengths that steps and period tell
_CERTAIN = 0.5  # the confidence it takes
_ROUNDS = 2.2  # how often such a period must be seen
_NEAR_PERIOD = 0.1  # and how far a cycle may be off it

Frames = Int[np.ndarray, " _"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """For frames that can start a cycle the length that closes best, and how well it closes."""

    starts: Int[np.ndarray, " candidates"]
    lengths: Int[np.ndarray, " candidates"]
    unlikeness: Float[np.ndarray, " candidates"]  # of the ends: 0 the same, 1 as far apart as any two frames
    rises: Float[np.ndarray, " candidates"]  # of the ground from start to end, metres

    def later(self, frames: int) -> Candidates:
        """The same, with frames counted from an earlier one."""
        return replace(self, starts=self.starts + frames)

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """Those of several stretches together."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def search(clip: Clip, contacts: Contacts) -> Candidates:
    """All cycles of a clip without lost frames.

    The period of the clip and the strides of its feet say how long a cycle can be; among those lengths the ends that
    are most alike are taken, with one footfall of each foot between. Where feet step otherwise, as in a dance, or not
    at all, a period that is certain will do.

    Raises
    ------
    MotionError
        Where the steps are too few, or the ends of every stretch too unlike.
    """
    n = clip.n_frames
    strikes = [np.array([first for first, _ in contacts.foot(foot) if first > 0], dtype=np.int64) for foot in FEET]
    lifts = [np.array([last for _, last in contacts.foot(foot) if last < n - 1], dtype=np.int64) for foot in FEET]
    expected = [*strides(*strikes), *strides(*lifts)]
    period = _period(clip, strikes, stepping=bool(expected))
    if period is not None:
        expected.append(period.frames)
    tracks = track_feet(clip)
    features = postures(clip, tracks)
    lags = _between(_SHORTER * min(expected), _LONGER * max(expected), clip)
    found = [_ends_that_meet(features, lags, one_footfall_each(strikes, n, lags))]
    if found[0][2].min(initial=np.inf) > POOR:
        period = _any_period(clip)
        if period is not None and period.confidence > _CERTAIN and n >= _ROUNDS * period.frames:
            lags = _between((1.0 - _NEAR_PERIOD) * period.frames, (1.0 + _NEAR_PERIOD) * period.frames, clip)
            found.append(_ends_that_meet(features, lags, np.True_))
    starts, lengths, unlike = min(found, key=lambda ends: ends[2].min(initial=np.inf))
    if len(starts) == 0:
        raise MotionError(_too_few_steps(clip, strikes, f"one cycle lasts about {min(expected):.0f} frames"))
    if unlike.min() > MOST_UNLIKE:
        best = int(np.argmin(unlike))
        first, last = starts[best] + clip.first_row, starts[best] + lengths[best] + clip.first_row
        raise MotionError(
            f"nothing repeats well enough: the best stretch, frames {first} to {last}, has ends {unlike[best]:.2f} "
            f"times as far apart as any two of its frames, and {MOST_UNLIKE} is the most; "
            "choose a clip, or frames, in which the motion is steady"
        )
    good = unlike <= MOST_UNLIKE
    starts, lengths = starts[good], lengths[good]
    levels = tracks.level(clip.root_positions)
    return Candidates(starts, lengths, unlike[good], levels[starts + lengths] - levels[starts])


def strides(left: Frames, right: Frames) -> list[float]:
    """Frames from an event of one foot to its next, where the other foot has exactly one between."""
    return [
        float(b - a)
        for own, other in ((left, right), (right, left))
        for a, b in itertools.pairwise(own)
        if np.count_nonzero((other > a) & (other < b)) == 1
    ]


def one_footfall_each(strikes: Sequence[Frames], n: int, lags: tuple[int, int]) -> Bool[np.ndarray, "starts lags"]:
    """For each start and length whether each foot comes down exactly once.

    A foot that never comes down in the whole clip is not asked; where neither does, nothing is a stride.
    """
    ends = np.minimum(np.arange(n)[:, None] + np.arange(lags[0], max(lags[1], lags[0]) + 1), n - 1)
    allowed = np.full(ends.shape, any(len(frames) for frames in strikes))
    for frames in strikes:
        if len(frames):
            falls = np.cumsum(np.bincount(frames, minlength=n))
            allowed &= falls[ends] - falls[:n, None] == 1
    return allowed


def _ends_that_meet(
    features: Float[np.ndarray, "frames features"],
    lags: tuple[int, int],
    allowed: Bool[np.ndarray, "starts lags"] | np.bool_,
) -> tuple[Frames, Frames, Float[np.ndarray, " _"]]:
    """For each frame that can start a cycle, the allowed length whose end is most like it, and how unlike it is."""
    if lags[1] < lags[0]:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    apart = np.where(allowed, unlikeness(features, lags), np.inf)
    starts = np.flatnonzero(np.isfinite(apart).any(axis=1))
    lengths = np.argmin(apart[starts], axis=1) + lags[0]
    return starts, lengths, apart[starts].min(axis=1, initial=np.inf) / spread(features, starts, lengths)


def _between(least: float, most: float, clip: Clip) -> tuple[int, int]:
    """Lengths from ``least`` to ``most`` that a cycle of this clip can have."""
    shortest = max(int(least), int(SHORTEST * clip.frame_rate), 2)
    return shortest, min(int(np.ceil(most)), int(LONGEST_IDLE * clip.frame_rate), clip.n_frames - 1)


def _period(clip: Clip, strikes: Sequence[Frames], *, stepping: bool) -> Period | None:
    """The period of the clip; None where it has none but steps that tell as much."""
    try:
        return find_period(clip, whole=stepping)
    except MotionError as reason:
        if stepping:
            return None
        raise MotionError(_too_few_steps(clip, strikes, str(reason))) from None


def _any_period(clip: Clip) -> Period | None:
    try:
        return find_period(clip)
    except MotionError:
        return None


def _too_few_steps(clip: Clip, strikes: Sequence[Frames], detail: str) -> str:
    counts = " and ".join(f"{len(frames)} of the {foot} foot" for foot, frames in zip(FEET, strikes, strict=True))
    return (
        f"{clip.n_frames} frames hold no full cycle, which is a footfall of each foot and the way back to the same "
        f"pose; there are {counts} ({detail}); choose a longer stretch of steady motion, or give the clip to cyclify "
        "as it is where it is one cycle already"
    )
