"""Where a captured change of motion begins and ends: the last of the old motion, the first of the new.

One end is looked for at a time, always as the beginning of a clip is; for the other end the frames are taken backwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import scipy
from jaxtyping import Float, Int

from mocapella.analysis.cycles.search import (
    MOST_UNLIKE,
    POOR,
    footfalls,
    lagged_distances,
    one_footfall_each,
    pose_features,
    search,
    spread,
)
from mocapella.analysis.examined import Examined
from mocapella.analysis.period import LONGEST, SHORTEST
from mocapella.errors import MotionError
from mocapella.motion.contacts import Contacts, intervals_of

MOST_BENT_AWAY = 0.6  # where 1 is how far any two frames of a cycle are apart: poses less alike are another motion


class _BoundarySettings(NamedTuple):
    """How the ends of a change are told from the change. Unlikeness of 1 is how far any two frames of a cycle are."""

    # Standing.
    longest_stand: float = 2.4  # seconds of standing that are kept: a breath
    shortest_stand: float = 0.15  # seconds: less is no standing
    still: float = 0.03  # legs that a body at rest moves by in a tenth of a second
    calm: float = 2.0  # times as fast as at its most quiet moment a body may be to count as standing
    least_calm: float = 0.25  # of ``still``: a body this slow counts as standing in any case

    # The cycle that a clip begins with.
    edge: float = 0.034  # seconds at the ends of a clip in which movement is not known well
    first: float = 0.35  # seconds; where no cycle starts that soon, the clip does not begin with one
    near: float = 0.35  # of a cycle: as far before the last frame of the old motion its last cycle may end
    haste: float = 0.3  # unlikeness that a whole cycle more of waiting costs
    settled: float = 0.1  # unlikeness by which a cycle may be worse than the best to count as the steady motion

    # Where the old motion ends.
    gone: float = 2.5  # times the usual distance within the old motion: further frames no longer belong to it,
    least_far: float = 0.2  # but unlikeness of at least this much,
    most_far: float = 0.4  # and at most this much
    leaving: float = 1.3  # times the usual distance, at which the way off the old motion begins,
    least_leaving: float = 0.07  # but unlikeness of at least this much
    outliers: float = 0.025  # seconds that a frame off the old motion may last
    least_spread: float = 0.1  # legs: least scale for distances of poses, since standing hardly moves
    other_pace: float = 0.15  # share of its speed by which a motion that is faster or slower has changed
    other_turn: float = math.radians(15.0)  # radians a cycle more or less with which it has, too


_SET = _BoundarySettings()

_Kind = Literal["cycle", "still", "borrowed"]
Features = Float[np.ndarray, "frames features"]


@dataclass(frozen=True)
class Boundary:
    """One end of a change: the frame it lies at, and the stretch of the clip that repeats beside it."""

    kind: _Kind  # a cycle of the clip, a stretch of standing, or nothing: another motion's cycle goes there
    frame: int  # of the clip
    length: int  # frames of the stretch that ends, or begins, there; 0 where it is borrowed
    unlikeness: float  # of what is joined, where 1 is how far any two frames of a cycle are apart


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The facts about a clip by which a change in it is found."""

    features: Features  # pose and movement, in legs
    speeds: Float[np.ndarray, " frames"]  # of the whole body, legs in a tenth of a second
    headings: Float[np.ndarray, " frames"]  # radians, running on beyond a full turn
    starts: Int[np.ndarray, " cycles"]  # where cycles that close begin
    lengths: Int[np.ndarray, " cycles"]
    unlike: Float[np.ndarray, " cycles"]
    strikes: Sequence[Int[np.ndarray, " _"]]  # of both feet
    frame_rate: float

    @property
    def n_frames(self) -> int:
        """How many frames there are."""
        return len(self.features)

    def backwards(self) -> Surroundings:
        """The same, taken from the end to the beginning."""
        last = self.n_frames - 1
        return replace(
            self,
            features=self.features[::-1],
            speeds=self.speeds[::-1],
            headings=-self.headings[::-1],
            starts=last - self.starts - self.lengths,
            strikes=[np.sort(last - frames) for frames in self.strikes],
        )

    def since(self, frame: int) -> Surroundings:
        """The same from a frame on, which becomes the first."""
        later = self.starts >= frame
        return replace(
            self,
            features=self.features[frame:],
            speeds=self.speeds[frame:],
            headings=self.headings[frame:],
            starts=self.starts[later] - frame,
            lengths=self.lengths[later],
            unlike=self.unlike[later],
            strikes=[frames[frames > frame] - frame for frames in self.strikes],
        )


def surroundings(clip: Examined, contacts: Contacts) -> Surroundings:
    """Collect these facts of a clip, which may have no cycle at all."""
    features = pose_features(clip)
    n_places = (features.shape[1] - 2) // 2
    try:
        closing = search(clip, contacts)
        cycles = closing.starts, closing.lengths, closing.unlikeness
    except MotionError:
        cycles = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    speeds = np.linalg.norm(features[:, n_places:], axis=1)
    headings = np.asarray(clip.clip.headings)
    return Surroundings(features, speeds, headings, *cycles, footfalls(contacts), clip.clip.frame_rate)


def first_of(around: Surroundings, motions: Sequence[Float[np.ndarray, "_ features"]], standing: Sequence[bool]) -> int:
    """The frame from which on a clip shows one of some motions; 0 where it does from its start, or nowhere.

    ``motions`` has a cycle of each as features, at least one. Frames before the result show another motion, such as the
    stand that a capture of a walk begins with.
    """
    still = _still(around)
    if all(standing):
        return 0 if still is not None else _first_stand(around)
    if still is not None and any(standing):
        return 0
    near = np.min([apart_from(around.features, motion) for motion in motions], axis=0)
    begin = 0 if still is None else _first_move(around)
    if still is None and near[slice(*_early(around, min(map(len, motions))))].min() <= MOST_BENT_AWAY:
        return 0
    sums = np.concatenate([[0.0], np.cumsum(near)])
    apart = (sums[around.starts + around.lengths] - sums[around.starts]) / around.lengths
    alike = np.flatnonzero((around.starts >= begin) & (apart <= MOST_BENT_AWAY))
    if alike.size == 0:
        return begin
    ordered = alike[np.argsort(around.starts[alike])]
    breaks = np.flatnonzero(np.diff(around.starts[ordered]) > _SET.first * around.frame_rate)
    first = ordered[: breaks[0] + 1] if breaks.size else ordered
    cost = around.unlike[first] + apart[first]
    return int(around.starts[first[cost <= cost.min() + _SET.settled][0]])


def last_of_the_old(
    around: Surroundings, reference: Features | None = None, *, by_travel: bool = False
) -> Boundary | None:
    """The last frame of the motion with which a clip begins; None where nothing repeats and no motion is given.

    ``reference`` is a cycle of the old motion from elsewhere. It is used where the clip has no full cycle, or one that
    closes so poorly that the reference is far nearer to the clip. With ``by_travel`` a change of speed or heading ends
    the old motion even where its poses go on.
    """
    still = _still(around)
    return still if still is not None else _better(_cycle(around, by_travel), around, reference)


def ending_at(around: Surroundings, frame: int, reference: Features | None = None) -> Boundary | None:
    """The cycle or stand that ends at a chosen frame; None where there is none."""
    if around.speeds[frame] < _SET.still:
        moving = np.flatnonzero(around.speeds[: frame + 1] >= _SET.still)
        run = frame - int(moving[-1]) - 1 if moving.size else frame
        if run >= _SET.shortest_stand * around.frame_rate:
            return Boundary("still", frame, min(run, round(_SET.longest_stand * around.frame_rate)), 0.0)
    return _better(_closing(around, frame), around, reference, frame)


def _better(
    boundary: Boundary | None, around: Surroundings, reference: Features | None, frame: int | None = None
) -> Boundary | None:
    """The clip's own cycle, unless it has none, or a poor one and the reference is twice as near, or too unlike."""
    if reference is None or (boundary is not None and boundary.unlikeness <= POOR):
        return boundary
    borrowed = borrowed_from(around, reference, frame)
    if boundary is None:
        return borrowed
    if borrowed.unlikeness > MOST_BENT_AWAY:  # refused, where boundaries are to be found, unless the cycle is like it
        cycle = around.features[boundary.frame - boundary.length : boundary.frame]
        return boundary if apart_from(cycle, reference).mean() <= MOST_BENT_AWAY else borrowed
    return borrowed if 2.0 * borrowed.unlikeness < boundary.unlikeness else boundary


def _first_move(around: Surroundings) -> int:
    """The first frame in which the body moves; the number of frames where it never does."""
    edge = round(_SET.edge * around.frame_rate)
    moving = np.flatnonzero(around.speeds[edge:] >= _SET.still) + edge
    return int(moving[0]) if moving.size else around.n_frames


def _still(around: Surroundings) -> Boundary | None:
    edge, run = round(_SET.edge * around.frame_rate), _first_move(around)
    if run < _SET.shortest_stand * around.frame_rate + edge or run == around.n_frames:
        return None
    # Coming to rest and setting off are slow for a while: that belongs to the change, not to standing.
    calm = _SET.calm * float(around.speeds[edge:run].min())
    frame = int(np.flatnonzero(around.speeds[:run] <= max(calm, _SET.least_calm * _SET.still))[-1])
    return Boundary("still", frame, min(frame, round(_SET.longest_stand * around.frame_rate)), 0.0)


def _first_stand(around: Surroundings) -> int:
    """The first frame of the first stretch of standing; 0 where there is none."""
    shortest = (_SET.shortest_stand + 2.0 * _SET.edge) * around.frame_rate
    stands = intervals_of(around.speeds < _SET.still)
    return next((first for first, last in stands if last + 1 - first >= shortest), 0)


def _cycle(around: Surroundings, by_travel: bool = False) -> Boundary | None:
    starts, ends = around.starts, around.starts + around.lengths
    if starts.size == 0 or starts.min() > _SET.first * around.frame_rate:
        return None
    early = np.flatnonzero(starts <= starts.min() + _SET.first * around.frame_rate)
    best = early[np.argmin(around.unlike[early])]
    start, length = int(starts[best]), int(around.lengths[best])
    limit = _steady_until(around, start, length, float(around.unlike[best]))
    if by_travel:
        limit = min(limit, _travels_alike_until(around, start, length))
    limit = max(limit, start + length)
    within = np.flatnonzero(ends <= limit)
    near = within[ends[within] >= limit - _SET.near * length]
    late = near if near.size else within  # poses may go on alike for longer than cycles close
    cost = around.unlike[late] + _SET.haste * (limit - ends[late]) / length
    chosen = late[np.argmin(cost)]
    return Boundary("cycle", int(ends[chosen]), int(around.lengths[chosen]), float(around.unlike[chosen]))


def _steady_until(around: Surroundings, start: int, length: int, unlike: float) -> int:
    """The last frame, from the beginning on, that is no further from a cycle than cycles are from each other."""
    apart = apart_from(around.features, around.features[start : start + length])
    edge, later = round(_SET.edge * around.frame_rate), start + length
    beside = np.r_[edge : max(edge, start - 1), later : min(later + length // 2, around.n_frames - edge)]
    usual = max(float(np.median(apart[beside])) if len(beside) > length // 4 else unlike, unlike)
    far = float(np.clip(_SET.gone * usual, _SET.least_far, _SET.most_far))
    patience = max(1, round(_SET.outliers * around.frame_rate))
    off = np.convolve(apart[later:] > far, np.ones(patience), "valid") > patience - 0.5
    gone = np.flatnonzero(off)
    if gone.size == 0:
        return around.n_frames - 1
    limit = later + int(gone[0])
    while limit > later and apart[limit] > max(
        _SET.leaving * usual, _SET.least_leaving
    ):  # back to where the way off began
        limit -= 1
    return limit


def _travels_alike_until(around: Surroundings, start: int, length: int) -> int:
    """The last frame, from the beginning on, up to which the body goes and turns as it did in a cycle.

    Both are means over a cycle, so that sway does not count, taken half a cycle to either side of a frame.
    """
    along = np.concatenate([np.zeros((1, 2)), np.cumsum(around.features[:, -2:], axis=0)])
    rates = np.linalg.norm(along[length:] - along[:-length], axis=1) / length
    turns = np.append(around.headings[length:] - around.headings[:-length], np.nan)
    turns[-1] = turns[-2] if len(turns) > 1 else 0.0
    first = min(start, len(rates) - 1)
    off = np.maximum(
        np.abs(rates - rates[first]) / max(_SET.other_pace * float(rates[first]), 1e-9),
        np.abs(turns - turns[first]) / _SET.other_turn,
    )
    gone = np.flatnonzero(off[first:] > 1.0)
    if gone.size == 0:
        return around.n_frames - 1
    frame = first + int(gone[0])
    while frame > first and off[frame] > 0.5:  # back to where the way off began
        frame -= 1
    return frame + length // 2


def _closing(around: Surroundings, frame: int) -> Boundary | None:
    """The length of a cycle that ends at a frame and closes best."""
    shortest, longest = (round(seconds * around.frame_rate) for seconds in (SHORTEST, LONGEST))
    behind = around.features[frame::-1]
    lags = shortest, min(longest, frame)
    if lags[1] <= lags[0]:
        return None
    apart = lagged_distances(behind, lags)[0]
    falls = [np.sort(frame - strikes[strikes <= frame]) for strikes in around.strikes]
    allowed = one_footfall_each(falls, len(behind), lags)[0]
    apart = np.where(allowed, apart, np.inf)
    best = int(np.argmin(apart))
    if not np.isfinite(apart[best]):
        return None
    length = best + lags[0]
    scale = spread(around.features, np.array([frame - length]), np.array([length]))[0]
    unlike = float(apart[best] / scale)
    return Boundary("cycle", frame, length, unlike) if unlike <= MOST_UNLIKE else None


def borrowed_from(around: Surroundings, reference: Features, frame: int | None = None) -> Boundary:
    """The early frame that is nearest to a motion from elsewhere, or the frame that was chosen."""
    apart = apart_from(around.features, reference)
    if frame is None:
        edge, end = _early(around, len(reference))
        early = np.arange(edge, end)
        frame = int(early[np.argmin(apart[early] + _SET.haste * (early - edge) / len(reference))])
    return Boundary("borrowed", frame, 0, float(apart[frame]))


def _early(around: Surroundings, length: int) -> tuple[int, int]:
    """The frames near the beginning at which another motion's cycle may be joined, the last one excluded."""
    edge = min(round(_SET.edge * around.frame_rate), around.n_frames - 1)
    return edge, max(edge + 1, min(length, around.n_frames // 3))


def apart_from(features: Features, cycle: Float[np.ndarray, "round features"]) -> Float[np.ndarray, " frames"]:
    """How far each frame is from the nearest of a cycle, where 1 is how far any two frames of the cycle are apart."""
    scale = max(spread(cycle, np.array([0]), np.array([len(cycle)]))[0], _SET.least_spread)
    return np.asarray(scipy.spatial.distance.cdist(features, cycle).min(axis=1) / scale)
