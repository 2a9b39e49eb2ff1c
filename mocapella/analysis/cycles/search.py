"""Candidates for cycles: stretches of a clip that end in a pose and a movement like those they began with."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int
from numpy.lib.stride_tricks import sliding_window_view

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.period import LONGEST_IDLE, SHORTEST, Period, find_period
from mocapella.cleaning.faults import CLEAN
from mocapella.errors import MotionError, Option
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import ground_alignment
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

Features = Float[np.ndarray, "frames features"]
Frames = Int[np.ndarray, " _"]

# Pose features, and distances between frames.

_MOVEMENT = 0.1  # seconds of movement that count as much as the pose they lead away from
_SMOOTHING = 0.02  # seconds, the width of the Gaussian over places before they are differentiated


def pose_features(clip: Clip | Examined) -> Features:
    """Pose and movement of each frame as seen by the character; distances between rows compare frames.

    Positions of the joints that play a role, in leg lengths from the point of the ground under the root, in the
    character's own heading; what they move by in a tenth of a second; and, with the weight of them all, what the body
    travels by. The distance between two rows is then the root mean square over the joints.

    Raises ``MotionError`` where the skeleton's legs are not known.
    """
    examined = examine(clip)
    motion, tracks = examined.clip, examined.feet
    joints = np.array(sorted(set(examined.roles.values())))
    back = quaternions.about_y(-np.asarray(quaternions.yaw(motion.rotations_wxyz[:, 0])))
    shadow = np.array(motion.root_positions)
    shadow[:, 1] = tracks.level(shadow)
    places = quaternions.rotate(back[:, None], motion.positions[:, joints] - shadow[:, None])
    width = _SMOOTHING * motion.frame_rate
    steady, steady_shadow = (
        scipy.ndimage.gaussian_filter1d(track, width, axis=0, mode="nearest") for track in (places, shadow)
    )
    travel = quaternions.rotate(back, np.gradient(steady_shadow, axis=0))
    per_frame, n = _MOVEMENT * motion.frame_rate, len(motion)
    parts = [
        places.reshape(n, -1) / np.sqrt(len(joints)),
        np.gradient(steady, axis=0).reshape(n, -1) * per_frame / np.sqrt(len(joints)),
        travel[:, [0, 2]] * per_frame,
    ]
    return np.concatenate(parts, axis=1) / tracks.leg


def lagged_distances(features: Features, lags: tuple[int, int]) -> Float[np.ndarray, "starts lags"]:
    """Distance of each frame to those some frames later, in leg lengths; infinite where the clip has ended."""
    first, last = lags
    n = len(features)
    squares = np.einsum("fd,fd->f", features, features)
    out = np.full((n, last - first + 1), np.inf)
    padded = np.concatenate([features, np.zeros((last, features.shape[1]))])
    later = sliding_window_view(padded[first:], last - first + 1, axis=0)[:n]  # (starts, features, lags)
    products = np.matmul(features[:, None, :], later)[:, 0]
    ends = np.arange(n)[:, None] + np.arange(first, last + 1)
    inside = ends < n
    out[inside] = (squares[:, None] + squares[np.minimum(ends, n - 1)] - 2.0 * products)[inside]
    return np.asarray(np.sqrt(np.maximum(out, 0.0)))


def spread(
    features: Features, starts: Int[np.ndarray, " stretches"], lengths: Int[np.ndarray, " stretches"]
) -> Float[np.ndarray, " stretches"]:
    """Root mean square distance between any two frames of a stretch, in leg lengths; never quite 0.

    A distance divided by it is an unlikeness.
    """
    sums = np.concatenate([np.zeros((1, features.shape[1])), np.cumsum(features, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum(np.einsum("fd,fd->f", features, features))])
    means = (sums[starts + lengths] - sums[starts]) / lengths[:, None]
    variances = (squares[starts + lengths] - squares[starts]) / lengths - np.einsum("sd,sd->s", means, means)
    return np.asarray(np.sqrt(2.0 * np.maximum(variances, 1e-12)))


def pose_distance(
    first: Float[np.ndarray, "joints 3"], last: Float[np.ndarray, "joints 3"], rise: float = 0.0
) -> float:
    """Mean distance of joints between two poses, one laid over the other on the ground (KGP02).

    Positions are in the world, and all lengths in metres; ``rise`` is how much higher the ground is under the last.
    The poses are compared after the turn about the vertical and the level shift that bring them nearest.
    """
    lowered = last - np.array([0.0, rise, 0.0])
    return float(np.linalg.norm(first - ground_alignment(first, lowered).applied(lowered), axis=-1).mean())


# The search.

MOST_UNLIKE = 0.75  # unlikeness of the ends of a cycle
POOR = 0.4  # from here on a cycle that a certain period does not confirm is chance
MEETS = 0.25  # ends as alike as this need no confirmation: a twentieth of a walk less, and they are further apart


@dataclass(frozen=True)
class _CycleSearch:
    """How long a cycle may be, and when a period overrules the steps."""

    shorter: float = 0.85  # times the shortest length that steps and period tell
    longer: float = 1.18  # times the longest length that they tell
    certain: float = 0.5  # the confidence of a period that overrules steps
    rounds: float = 2.2  # periods of a clip: how often such a period must be seen
    near_period: float = 0.1  # of the period: how far a cycle may be off it
    steady: float = 1.7  # ratio of speeds at both ends above which a stretch of steps is a start or a stop
    laps: int = 4  # strides, at least, from which on steps make a gait
    even: float = 0.06  # of their length: the scatter of such strides
    few_steps: float = 2.8  # in a period, of both feet: more of them do not alternate, as in a dance


_SEARCH = _CycleSearch()


@dataclass(frozen=True, eq=False)
class Candidates:
    """For frames that can start a cycle the length that closes best, and how well it closes."""

    starts: Int[np.ndarray, " candidates"]
    lengths: Int[np.ndarray, " candidates"]
    unlikeness: Float[np.ndarray, " candidates"]  # of the ends: 0 the same, 1 as far apart as any two frames
    rises: Float[np.ndarray, " candidates"]  # of the ground from start to end, metres

    @property
    def best(self) -> float:
        """The least unlikeness; infinite where there are no candidates."""
        return float(self.unlikeness.min(initial=np.inf))

    def where(self, chosen: Bool[np.ndarray, " candidates"] | Int[np.ndarray, " chosen"]) -> Candidates:
        """The candidates that a mask or a list of places selects, in its order."""
        return Candidates(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def later(self, frames: int) -> Candidates:
        """The same, with frames counted from an earlier one."""
        return replace(self, starts=self.starts + frames)

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """The candidates of several stretches together."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def search(clip: Clip | Examined, contacts: Contacts, within: tuple[int, int] | None = None) -> Candidates:
    """All cycles of a clip without lost frames.

    The period of the clip and the strides of its feet say how long a cycle can be; among those lengths the ends that
    are most alike are taken, with one footfall of each foot between. Where feet step otherwise, as in a dance, or not
    at all, a period that is certain will do. Where the clip is too short to have a period, ends that meet well will.

    ``within`` is the first and last frame that a cycle may use. There is at most one candidate for each frame. Raises
    ``MotionError`` where the steps are too few, or the ends of every stretch too unlike.
    """
    examined = examine(clip)
    motion, n = examined.clip, examined.clip.n_frames
    strikes = footfalls(contacts)
    expected = [*_strides(*strikes), *_strides(*_liftoffs(contacts))]
    period, reason = _period(examined, whole=bool(expected))
    if period is not None:
        expected.append(period.frames)
    features, levels = pose_features(examined), examined.feet.level(motion.root_positions)
    least, longest = (_SEARCH.shorter * min(expected), _SEARCH.longer * max(expected)) if expected else (0.0, float(n))
    lags = _lengths(least, longest, motion)
    most = MOST_UNLIKE if expected else MEETS
    ends = _closing(features, levels, lags, one_footfall_each(strikes, n, lags) & _inside(n, lags, within))
    ends = ends.where(_steady(motion, ends, examined.feet.leg))
    if expected and ends.best > MEETS:
        certain = period if period is not None else _period(examined)[0]
        if certain is not None and _overrules(certain, ends, strikes, n):
            least, longest = 1.0 - _SEARCH.near_period, 1.0 + _SEARCH.near_period
            lags = _lengths(least * certain.frames, longest * certain.frames, motion)
            ends = _closing(features, levels, lags, _inside(n, lags, within))
            ends = ends.where((ends.lengths > lags[0]) & (ends.lengths < lags[1]))  # the next might have met better
    if len(ends.starts) == 0 or (not expected and ends.best > most):
        raise _too_few_steps(motion, strikes, reason or f"one cycle lasts about {min(expected):.0f} frames")
    if ends.best > most:
        best = int(np.argmin(ends.unlikeness))
        first = int(ends.starts[best]) + motion.first_row
        raise MotionError(
            f"nothing repeats well enough: the best stretch, frames {first} to {first + int(ends.lengths[best])}, has "
            f"ends {ends.best:.2f} times as far apart as any two of its frames, and {most} is the most; "
            "choose a clip, or frames, in which the motion is steady"
        )
    return ends.where(ends.unlikeness <= most)


def footfalls(contacts: Contacts) -> list[Frames]:
    """The frames in which each foot comes down, left and right; one that is down from the start has not come down."""
    return [np.array([first for first, _ in contacts.foot(foot) if first > 0], dtype=np.int64) for foot in FEET]


def _liftoffs(contacts: Contacts) -> list[Frames]:
    """The last frames of each foot's plants, left and right; one that lasts to the end has not lifted."""
    end = contacts.n_frames - 1
    return [np.array([last for _, last in contacts.foot(foot) if last < end], dtype=np.int64) for foot in FEET]


def one_footfall_each(strikes: Sequence[Frames], n: int, lags: tuple[int, int]) -> Bool[np.ndarray, "starts lags"]:
    """For each start and length whether each foot comes down exactly once.

    A foot that never comes down in the whole clip does not count; where neither does, nothing is a stride.
    """
    ends = np.minimum(np.arange(n)[:, None] + np.arange(lags[0], max(lags[1], lags[0]) + 1), n - 1)
    allowed = np.full(ends.shape, any(len(frames) for frames in strikes))
    for frames in strikes:
        if len(frames):
            falls = np.cumsum(np.bincount(frames, minlength=n))
            allowed &= falls[ends] - falls[:n, None] == 1
    return allowed


def _strides(left: Frames, right: Frames) -> list[float]:
    """Frames from an event of one foot to its next, where the other foot has exactly one between."""
    return [
        float(b - a)
        for events, other in ((left, right), (right, left))
        for a, b in itertools.pairwise(events)
        if np.count_nonzero((other > a) & (other < b)) == 1
    ]


def _closing(
    features: Features,
    levels: Float[np.ndarray, " frames"],
    lags: tuple[int, int],
    allowed: Bool[np.ndarray, "starts lags"],
) -> Candidates:
    """For each start the allowed length whose end is nearest to it; none where there is no length at all."""
    if lags[1] < lags[0]:
        nothing = np.zeros(0, dtype=np.int64)
        return Candidates(nothing, nothing, np.zeros(0), np.zeros(0))
    apart = np.where(allowed, lagged_distances(features, lags), np.inf)
    starts = np.flatnonzero(np.isfinite(apart).any(axis=1))
    lengths = np.argmin(apart[starts], axis=1) + lags[0]
    unlikeness = apart[starts].min(axis=1, initial=np.inf) / spread(features, starts, lengths)
    return Candidates(starts, lengths, unlikeness, levels[starts + lengths] - levels[starts])


def _steady(clip: Clip, ends: Candidates, leg: float) -> Bool[np.ndarray, " _"]:
    """Whether the body is about as fast in the last quarter as in the first; one that hardly travels is."""
    places, quarters = clip.root_positions[:, [0, 2]], np.maximum(ends.lengths // 4, 1)
    after = ends.starts + ends.lengths
    moves = places[ends.starts + quarters] - places[ends.starts], places[after] - places[after - quarters]
    first, last = (np.linalg.norm(move, axis=-1) * clip.frame_rate / quarters for move in moves)
    return np.asarray(np.maximum(first, last) <= _SEARCH.steady * np.maximum(np.minimum(first, last), 0.2 * leg))


def _inside(n: int, lags: tuple[int, int], within: tuple[int, int] | None) -> Bool[np.ndarray, "starts lags"]:
    """For each start and length whether the cycle, its closing frame included, lies in a range of frames."""
    first, last = within or (0, n - 1)
    starts = np.arange(n)[:, None]
    return np.asarray((starts >= first) & (starts + np.arange(lags[0], max(lags[1], lags[0]) + 1) <= last))


def _overrules(period: Period, ends: Candidates, strikes: Sequence[Frames], n: int) -> bool:
    """Whether a period is certain and tells more than the steps do.

    It does where there are no cycles by steps, where more steps are taken in it than a gait has, and where the ends of
    those cycles hardly meet and are neither one nor two periods apart.
    """
    if period.confidence <= _SEARCH.certain or n < _SEARCH.rounds * period.frames:
        return False
    steps = sum(len(frames) for frames in strikes) * period.frames / n
    if len(ends.starts) == 0 or (steps > _SEARCH.few_steps and not _even_strides(strikes, period.frames)):
        return True
    rounds = float(ends.lengths[np.argmin(ends.unlikeness)]) / period.frames
    return ends.best > POOR and min(abs(rounds - 1.0), abs(rounds - 2.0)) > 2.0 * _SEARCH.near_period


def _even_strides(strikes: Sequence[Frames], period: float) -> bool:
    """Whether feet alternate in strides of one length, of which the period holds several, as in laps of a jog."""
    strides = np.array(_strides(*strikes))
    if len(strides) < _SEARCH.laps or len(strides) < 0.8 * sum(len(frames) - 1 for frames in strikes):
        return False
    stride = float(np.median(strides))
    rounds = period / stride
    even = float(np.median(np.abs(strides - stride))) < _SEARCH.even * stride
    return even and rounds > 1.5 and abs(rounds - round(rounds)) < 2.0 * _SEARCH.near_period


def _lengths(least: float, most: float, clip: Clip) -> tuple[int, int]:
    """The shortest and the longest length from ``least`` to ``most`` that a cycle of this clip can have."""
    shortest = max(int(least), int(SHORTEST * clip.frame_rate), 2)
    return shortest, min(int(np.ceil(most)), int(LONGEST_IDLE * clip.frame_rate), clip.n_frames - 1)


def _period(clip: Examined, *, whole: bool = False) -> tuple[Period | None, str]:
    """The period of the clip, or why it has none."""
    try:
        return find_period(clip, whole=whole), ""
    except MotionError as reason:
        return None, str(reason).replace(f" of {clip.clip!r}", "")


def _too_few_steps(clip: Clip, strikes: Sequence[Frames], detail: str) -> MotionError:
    counts = " and ".join(f"{len(frames)} of the {foot} foot" for foot, frames in zip(FEET, strikes, strict=True))
    given = Option("frames", ("first", "last"))
    return MotionError(
        f"{clip.n_frames} frames hold no full cycle, which is a footfall of each foot and the way back to the same "
        f"pose; there are {counts} ({detail})",
        helps=f"choose a longer stretch of steady motion, or say {given} where you know of a cycle",
        option=(given, CLEAN),
    )
