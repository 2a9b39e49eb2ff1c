"""Which stretches of a motion come back to their own beginning after one footfall of each foot."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.analysis.cycles.likeness import postures, spread, unlikeness
from mocapella.analysis.period import LONGEST_IDLE, SHORTEST, Period, find_period
from mocapella.analysis.plants.ground import track_feet
from mocapella.cleaning.faults import CLEAN
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

MOST_UNLIKE = 0.75  # of the ends of a cycle, where 1 is how far any two of its frames are apart
POOR = 0.4  # from here on a cycle that a certain period does not know is chance
MEETS = 0.25  # ends as alike as this need no witness: a twentieth of a walk less, and they are further apart
_SHORTER, _LONGER = 0.85, 1.18  # how far a cycle may be off the lengths that steps and period tell
_CERTAIN = 0.5  # the confidence it takes
_ROUNDS = 2.2  # how often such a period must be seen
_NEAR_PERIOD = 0.1  # and how far a cycle may be off it
_STEADY = 1.7  # times as fast at one end as at the other, a stretch of steps is a start or a stop, not a cycle
_FEW_STEPS = 2.8  # in a period, of both feet: where there are more they do not come in turn, as in a dance

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


def search(clip: Clip, contacts: Contacts, within: tuple[int, int] | None = None) -> Candidates:
    """All cycles of a clip without lost frames, or those that lie between the first and last frame of ``within``.

    The period of the clip and the strides of its feet say how long a cycle can be; among those lengths the ends that
    are most alike are taken, with one footfall of each foot between. Where feet step otherwise, as in a dance, or not
    at all, a period that is certain will do. Where the clip is too short to tell a period, ends that meet well will.

    Raises
    ------
    MotionError
        Where the steps are too few, or the ends of every stretch too unlike.
    """
    n = clip.n_frames
    strikes = [np.array([first for first, _ in contacts.foot(foot) if first > 0], dtype=np.int64) for foot in FEET]
    lifts = [np.array([last for _, last in contacts.foot(foot) if last < n - 1], dtype=np.int64) for foot in FEET]
    expected = [*strides(*strikes), *strides(*lifts)]
    period, reason = _period(clip, whole=bool(expected))
    if period is not None:
        expected.append(period.frames)
    tracks = track_feet(clip)
    features = postures(clip, tracks)
    known = (_SHORTER * min(expected), _LONGER * max(expected)) if expected else (0.0, float(n))
    lags = _between(*known, clip)
    most = MOST_UNLIKE if expected else MEETS
    ends = _ends_that_meet(features, lags, one_footfall_each(strikes, n, lags) & _inside(n, lags, within))
    ends = ends.where(_steady(clip, ends, tracks.leg))
    if expected and ends.best > MEETS:
        certain = period if period is not None else _period(clip)[0]
        if certain is not None and _overrules(certain, ends, strikes, n):
            lags = _between((1.0 - _NEAR_PERIOD) * certain.frames, (1.0 + _NEAR_PERIOD) * certain.frames, clip)
            ends = _ends_that_meet(features, lags, _inside(n, lags, within))
            ends = ends.where((ends.lengths > lags[0]) & (ends.lengths < lags[1]))  # the next might have met better
    if len(ends.starts) == 0 or (not expected and ends.best > most):
        detail = reason or f"one cycle lasts about {min(expected):.0f} frames"
        raise _too_few_steps(clip, strikes, detail)
    if ends.best > most:
        best = int(np.argmin(ends.unlikeness))
        first = int(ends.starts[best]) + clip.first_row
        raise MotionError(
            f"nothing repeats well enough: the best stretch, frames {first} to {first + int(ends.lengths[best])}, has "
            f"ends {ends.best:.2f} times as far apart as any two of its frames, and {most} is the most; "
            "choose a clip, or frames, in which the motion is steady"
        )
    good = ends.unlikeness <= most
    starts, lengths = ends.starts[good], ends.lengths[good]
    levels = tracks.level(clip.root_positions)
    return Candidates(starts, lengths, ends.unlikeness[good], levels[starts + lengths] - levels[starts])


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


@dataclass(frozen=True, eq=False)
class _Ends:
    """For each frame that can start a cycle, the length whose end is most like it, and how unlike it is."""

    starts: Frames
    lengths: Frames
    unlikeness: Float[np.ndarray, " _"]

    @property
    def best(self) -> float:
        """How unlike the ends are that meet best; infinite where there are none."""
        return float(self.unlikeness.min(initial=np.inf))

    @property
    def best_length(self) -> float:
        """How many frames lie between these."""
        return float(self.lengths[np.argmin(self.unlikeness)])

    def where(self, kept: Bool[np.ndarray, " _"]) -> _Ends:
        """Some of them."""
        return _Ends(self.starts[kept], self.lengths[kept], self.unlikeness[kept])


def _ends_that_meet(
    features: Float[np.ndarray, "frames features"], lags: tuple[int, int], allowed: Bool[np.ndarray, "starts lags"]
) -> _Ends:
    if lags[1] < lags[0]:
        return _Ends(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    apart = np.where(allowed, unlikeness(features, lags), np.inf)
    starts = np.flatnonzero(np.isfinite(apart).any(axis=1))
    lengths = np.argmin(apart[starts], axis=1) + lags[0]
    return _Ends(starts, lengths, apart[starts].min(axis=1, initial=np.inf) / spread(features, starts, lengths))


def _steady(clip: Clip, ends: _Ends, leg: float) -> Bool[np.ndarray, " _"]:
    """Whether the body is about as fast in the last quarter as in the first; who hardly moves on is."""
    places, quarters = clip.root_positions[:, [0, 2]], np.maximum(ends.lengths // 4, 1)
    after = ends.starts + ends.lengths
    moves = places[ends.starts + quarters] - places[ends.starts], places[after] - places[after - quarters]
    first, last = (np.linalg.norm(move, axis=-1) * clip.frame_rate / quarters for move in moves)
    return np.asarray(np.maximum(first, last) <= _STEADY * np.maximum(np.minimum(first, last), 0.2 * leg))


def _inside(n: int, lags: tuple[int, int], within: tuple[int, int] | None) -> Bool[np.ndarray, "starts lags"]:
    """For each start and length whether the cycle, its closing frame included, lies in a range of frames."""
    first, last = within or (0, n - 1)
    starts = np.arange(n)[:, None]
    return np.asarray((starts >= first) & (starts + np.arange(lags[0], max(lags[1], lags[0]) + 1) <= last))


def _overrules(period: Period, ends: _Ends, strikes: Sequence[Frames], n: int) -> bool:
    """Whether a period is certain and tells more than the steps do.

    It does where there are no cycles by steps, where more steps are taken in it than a gait has, and where the ends of
    those cycles hardly meet and are neither one nor two periods apart.
    """
    if period.confidence <= _CERTAIN or n < _ROUNDS * period.frames:
        return False
    steps = sum(len(frames) for frames in strikes) * period.frames / n
    if len(ends.starts) == 0 or steps > _FEW_STEPS:
        return True
    rounds = ends.best_length / period.frames
    return ends.best > POOR and min(abs(rounds - 1.0), abs(rounds - 2.0)) > 2.0 * _NEAR_PERIOD


def _between(least: float, most: float, clip: Clip) -> tuple[int, int]:
    """Lengths from ``least`` to ``most`` that a cycle of this clip can have."""
    shortest = max(int(least), int(SHORTEST * clip.frame_rate), 2)
    return shortest, min(int(np.ceil(most)), int(LONGEST_IDLE * clip.frame_rate), clip.n_frames - 1)


def _period(clip: Clip, *, whole: bool = False) -> tuple[Period | None, str]:
    """The period of the clip, or why it has none."""
    try:
        return find_period(clip, whole=whole), ""
    except MotionError as reason:
        return None, str(reason)


def _too_few_steps(clip: Clip, strikes: Sequence[Frames], detail: str) -> MotionError:
    counts = " and ".join(f"{len(frames)} of the {foot} foot" for foot, frames in zip(FEET, strikes, strict=True))
    given = Option("frames", ("first", "last"))
    return MotionError(
        f"{clip.n_frames} frames hold no full cycle, which is a footfall of each foot and the way back to the same "
        f"pose; there are {counts} ({detail})",
        helps=f"choose a longer stretch of steady motion, or say {given} where you know of a cycle",
        option=(given, CLEAN),
    )
