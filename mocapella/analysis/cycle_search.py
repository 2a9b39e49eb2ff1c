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
_SHORTER, _LONGER = 0.85, 1.18  # how far a cycle may be off the lengths that steps and period tell
_CERTAIN = 0.5  # confidence of a period that makes a cycle without the usual steps
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
    period = _period(clip, strikes, bool(expected))
    if period is not None:
        expected.append(period.frames)
    shortest = max(int(_SHORTER * min(expected)), int(SHORTEST * clip.frame_rate), 2)
    longest = min(int(np.ceil(_LONGER * max(expected))), int(LONGEST_IDLE * clip.frame_rate), n - 1)
    if longest < shortest:
        raise MotionError(_too_few_steps(clip, strikes, f"one cycle lasts about {min(expected):.0f} frames"))
    tracks = track_feet(clip)
    features = postures(clip, tracks)
    apart = unlikeness(features, (shortest, longest))
    allowed = one_footfall_each(strikes, n, (shortest, longest))
    if period is not None and not np.isfinite(apart[allowed]).any() and _is_certain(period, n):
        lags = np.arange(shortest, longest + 1)
        allowed = np.broadcast_to(np.abs(lags - period.frames) <= _NEAR_PERIOD * period.frames, apart.shape)
    apart = np.where(allowed, apart, np.inf)
    starts = np.flatnonzero(np.isfinite(apart).any(axis=1))
    if len(starts) == 0:
        raise MotionError(_too_few_steps(clip, strikes, f"one cycle lasts about {min(expected):.0f} frames"))
    lengths = np.argmin(apart[starts], axis=1) + shortest
    unlike = apart[starts].min(axis=1) / spread(features, starts, lengths)
    if unlike.min() > MOST_UNLIKE:
        best = int(np.argmin(unlike))
        first, last = starts[best] + clip.first_row, starts[best] + lengths[best] + clip.first_row
        raise MotionError(
            f"nothing repeats well enough: the best stretch, frames {first} to {last}, has ends {unlike[best]:.2f} "
            f"times as far apart as any two of its frames, and {MOST_UNLIKE} is the most; "
            "choose a clip, or frames, in which the motion is steady"
        )
    good = unlike <= MOST_UNLIKE
    levels = tracks.level(clip.root_positions)
    starts, lengths = starts[good], lengths[good]
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
    ends = np.minimum(np.arange(n)[:, None] + np.arange(lags[0], lags[1] + 1), n - 1)
    allowed = np.full(ends.shape, any(len(frames) for frames in strikes))
    for frames in strikes:
        if len(frames):
            falls = np.cumsum(np.bincount(frames, minlength=n))
            allowed &= falls[ends] - falls[:n, None] == 1
    return allowed


def _period(clip: Clip, strikes: Sequence[Frames], stepping: bool) -> Period | None:
    """The period of the clip; None where it has none but steps that tell as much."""
    try:
        return find_period(clip, whole=stepping)
    except MotionError as reason:
        if stepping:
            return None
        raise MotionError(_too_few_steps(clip, strikes, str(reason))) from None


def _is_certain(period: Period, n_frames: int) -> bool:
    return period.confidence > _CERTAIN and n_frames >= _ROUNDS * period.frames


def _too_few_steps(clip: Clip, strikes: Sequence[Frames], detail: str) -> str:
    counts = " and ".join(f"{len(frames)} of the {foot} foot" for foot, frames in zip(FEET, strikes, strict=True))
    return (
        f"{clip.n_frames} frames hold no full cycle, which is a footfall of each foot and the way back to the same "
        f"pose; there are {counts} ({detail}); choose a longer stretch of steady motion"
    )
