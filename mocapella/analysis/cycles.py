"""Find the full cycles in a captured clip: where they start, how long they last, how well they close."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.ndimage import minimum_filter1d

from mocapella.analysis.closing import closing_distance, postures, spread, unlikeness
from mocapella.analysis.feet import leg_length, leg_roles
from mocapella.analysis.period import LONGEST, SHORTEST, Period, find_period
from mocapella.analysis.plants import find_plants
from mocapella.analysis.soundness import sound_stretches
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.faults import find_faults

MOST_UNLIKE = 0.75  # of the ends of a cycle, where 1 is how far any two of its frames are apart
TURN_SCALE = np.radians(30.0)  # a turn missed by this much weighs as much as ends that do not meet at all
SPEED_SCALE = 0.3  # leg lengths per second, likewise
_SHORTER, _LONGER = 0.85, 1.18  # how far a cycle may be off the lengths that steps and period tell
_APART = 0.25  # of a cycle: two candidates that start nearer than this are one
_JUMP_COST = 0.1  # of a frame inside the cycle in which a joint jumps


@dataclass(frozen=True, eq=False)
class RawCycle:
    """One full cycle as it lies in a clip, its ends not yet met: what ``cyclify`` closes."""

    clip: Clip  # the whole source
    start: int  # frame of the clip
    n_frames: int  # the cycle's own count; with the frame that closes it, the cut holds one more
    speed: float  # m/s along the way
    turn: float  # radians per cycle, left positive
    closing: float  # metres between the joints of both ends, laid over each other on the ground; mean
    unlikeness: float  # of pose and movement at both ends: 0 the same, 1 as far apart as any two frames of the cycle
    n_steps: int  # footfalls, of both feet together
    contacts: Contacts  # of the cut

    @property
    def seconds(self) -> float:
        """How long the cycle lasts."""
        return self.n_frames / self.clip.frame_rate

    @property
    def cut(self) -> Clip:
        """The frames of the cycle and the one that closes it, ``n_frames + 1`` in all."""
        return self.clip[self.start : self.start + self.n_frames + 1]

    def __repr__(self) -> str:
        return (
            f"RawCycle({self.clip.name!r}, {self.n_frames} frames from {self.start}, {self.seconds:.2f} s, "
            f"{self.speed:.2f} m/s, turn {np.degrees(self.turn):+.0f}°, closes to {100 * self.closing:.1f} cm)"
        )


def find_cycle(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
) -> RawCycle:
    """The best full cycle of a clip; what is asked for means the same as in ``find_cycles``.

    Raises
    ------
    MotionError
        Where there is none: the message says what is missing and what to do.
    """
    return find_cycles(clip, turning=turning, speed=speed, turn=turn, within=within)[0]


def find_cycles(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
) -> list[RawCycle]:
    """Every plausible full cycle of a clip, best first.

    A cycle holds one footfall of each foot and ends in a pose and a movement like those it began with, as the character
    sees them. One that begins a little later counts as the same; of each the start that closes best is given.

    Parameters
    ----------
    turning
        True prefers the sharpest turn, False the straightest way; None asks only that the ends meet.
    speed
        Wanted speed, m/s.
    turn
        Wanted turn per cycle, radians, left positive.
    within
        First and last frame of the clip that a cycle, its closing frame included, may use.

    Raises
    ------
    MotionError
        Where there is none: the message says what is missing and what to do.
    """
    roles = leg_roles(clip.skeleton)
    leg = leg_length(clip.skeleton, roles)
    contacts = find_plants(clip)
    first, last = _checked(within, clip)
    found: list[_Candidates] = []
    reasons: list[str] = []
    for stretch in sound_stretches(clip):
        begin, end = max(stretch.start, first), min(stretch.stop, last + 1)
        if end - begin < 2:
            continue
        try:
            found.append(_search(clip[begin:end], contacts[begin:end], leg, begin))
        except MotionError as reason:
            reasons.append(str(reason))
    if not found:
        raise MotionError(_why_none(clip, reasons))
    starts, lengths, likes = (np.concatenate([getattr(part, name) for part in found]) for name in _Candidates.FIELDS)
    jumps = _jumping(clip)
    headings = np.unwrap(np.asarray(quaternions.yaw(clip.rotations_wxyz[:, 0])))
    turns = headings[starts + lengths] - headings[starts]
    speeds = _speeds(clip, starts, lengths, turns)
    cost = likes + _JUMP_COST * np.minimum(jumps[starts + lengths + 1] - jumps[starts], 1)
    if turning is not None:
        cost = cost + (-1.0 if turning else 1.0) * np.abs(turns) / TURN_SCALE
    if turn is not None:
        cost = cost + np.abs(turns - turn) / TURN_SCALE
    if speed is not None:
        cost = cost + np.abs(speeds - speed) / (SPEED_SCALE * leg)
    kept = _distinct(starts, lengths, cost)
    out = []
    for i in kept[np.argsort(cost[kept], kind="stable")]:
        start, n_frames = int(starts[i]), int(lengths[i])
        out.append(
            RawCycle(
                clip=clip,
                start=start,
                n_frames=n_frames,
                speed=float(speeds[i]),
                turn=float(turns[i]),
                closing=closing_distance(clip, start, start + n_frames),
                unlikeness=float(likes[i]),
                n_steps=sum(int(start < f <= start + n_frames) for foot in FEET for f, _ in contacts.foot(foot)),
                contacts=contacts[start : start + n_frames + 1],
            )
        )
    return out


@dataclass(frozen=True, eq=False)
class _Candidates:
    """For some starting frames of a clip, the length of cycle that closes best, and how well."""

    FIELDS = ("starts", "lengths", "likes")
    starts: Int[np.ndarray, " candidates"]
    lengths: Int[np.ndarray, " candidates"]
    likes: Float[np.ndarray, " candidates"]


def _search(clip: Clip, contacts: Contacts, leg: float, offset: int) -> _Candidates:
    """All cycles of one sound stretch that close well enough; starts count from ``offset``."""
    n = clip.n_frames
    strikes = [np.array([f for f, _ in contacts.foot(foot) if f > 0], dtype=np.int64) for foot in FEET]
    lifts = [np.array([f for _, f in contacts.foot(foot) if f < n - 1], dtype=np.int64) for foot in FEET]
    hints = [*_strides(*strikes), *_strides(*lifts)]
    period: Period | None = None
    try:
        period = find_period(clip, whole=bool(hints))
        hints.append(period.frames)
    except MotionError as reason:
        if not hints:
            raise MotionError(_too_few_steps(clip, strikes, str(reason))) from None
    shortest = max(int(_SHORTER * min(hints)), int(SHORTEST * clip.frame_rate), 2)
    longest = min(int(np.ceil(_LONGER * max(hints))), int(LONGEST * clip.frame_rate), n - 1)
    if longest < shortest:
        raise MotionError(_too_few_steps(clip, strikes, f"one cycle lasts about {min(hints):.0f} frames"))
    features = postures(clip, leg)
    apart = unlikeness(features, (shortest, longest))
    allowed = _one_footfall_each(strikes, n, shortest, longest)
    if not np.isfinite(apart[allowed]).any() and period is not None and period.confidence > 0.5:
        # Steps may come otherwise, as in a dance, or not at all; what repeats for certain is a cycle all the same.
        lags = np.arange(shortest, longest + 1)
        allowed = np.broadcast_to(np.abs(lags - period.frames) <= 0.1 * period.frames, apart.shape)
    apart = np.where(allowed, apart, np.inf)
    starts = np.flatnonzero(np.isfinite(apart).any(axis=1))
    if len(starts) == 0:
        raise MotionError(_too_few_steps(clip, strikes, f"one cycle lasts about {min(hints):.0f} frames"))
    lengths = np.argmin(apart[starts], axis=1) + shortest
    likes = apart[starts].min(axis=1) / spread(features, starts, lengths)
    good = likes <= MOST_UNLIKE
    if not good.any():
        best = int(np.argmin(likes))
        raise MotionError(
            f"nothing repeats well enough: the best stretch, frames {starts[best] + offset} to "
            f"{starts[best] + lengths[best] + offset}, has ends {likes[best]:.2f} times as far apart as any two of its "
            f"frames, and {MOST_UNLIKE} is the most; choose a clip, or frames, in which the motion is steady"
        )
    return _Candidates(starts[good] + offset, lengths[good], likes[good])


def _strides(left: Int[np.ndarray, " left"], right: Int[np.ndarray, " right"]) -> list[float]:
    """Frames from an event of one foot to its next, where the other foot has exactly one between."""
    return [
        float(b - a)
        for own, other in ((left, right), (right, left))
        for a, b in itertools.pairwise(own)
        if np.sum((other > a) & (other < b)) == 1
    ]


def _one_footfall_each(
    strikes: list[Int[np.ndarray, " strikes"]], n: int, shortest: int, longest: int
) -> Bool[np.ndarray, "starts lags"]:
    """For each start and length whether each foot comes down exactly once; a foot that never does is not asked."""
    ends = np.minimum(np.arange(n)[:, None] + np.arange(shortest, longest + 1), n - 1)
    allowed = np.ones(ends.shape, dtype=bool)
    for frames in strikes:
        if len(frames):
            falls = np.cumsum(np.bincount(frames, minlength=n))
            allowed &= falls[ends] - falls[:n, None] == 1
    return allowed if any(len(frames) for frames in strikes) else np.zeros_like(allowed)


def _distinct(
    starts: Int[np.ndarray, " candidates"],
    lengths: Int[np.ndarray, " candidates"],
    cost: Float[np.ndarray, " candidates"],
) -> Int[np.ndarray, " kept"]:
    """The candidates that are cheaper than all that start near them."""
    by_frame = np.full(int(starts.max()) + 1, np.inf)
    by_frame[starts] = cost
    reach = 2 * int(_APART * float(np.median(lengths))) + 1
    least = minimum_filter1d(by_frame, reach, mode="constant", cval=np.inf)
    kept = np.flatnonzero(cost <= least[starts])
    new = np.diff(starts[kept], prepend=-reach) > reach // 2  # equal neighbours: the first
    return np.asarray(kept[new])


def _speeds(
    clip: Clip,
    starts: Int[np.ndarray, " candidates"],
    lengths: Int[np.ndarray, " candidates"],
    turns: Float[np.ndarray, " candidates"],
) -> Float[np.ndarray, " candidates"]:
    """Metres per second along the way: along the arc that leads from one end to the other and turns as much.

    The root sways to and fro at every step, so its own path is longer than the way.
    """
    chords = np.linalg.norm((clip.root_positions[starts + lengths] - clip.root_positions[starts])[:, [0, 2]], axis=-1)
    half = np.clip(0.5 * np.abs(turns), 0.0, 0.75 * np.pi)  # past that, an arc says nothing about the way
    return np.asarray(chords / np.sinc(half / np.pi) * clip.frame_rate / lengths)


def _jumping(clip: Clip) -> Int[np.ndarray, " edges"]:
    """How many frames before each frame have a joint jump."""
    rows = [row - clip.first_row for fault in find_faults(clip) if fault.code == "jump" for row in fault.frames]
    return np.concatenate([[0], np.cumsum(np.bincount(np.array(rows, dtype=np.int64), minlength=clip.n_frames))])


def _checked(within: tuple[int, int] | None, clip: Clip) -> tuple[int, int]:
    if within is None:
        return 0, clip.n_frames - 1
    first, last = within
    if not 0 <= first < last < clip.n_frames:
        raise MotionError(
            f"within=({first}, {last}) is no range of frames of {clip!r}, which has 0 to {clip.n_frames - 1}"
        )
    return first, last


def _too_few_steps(clip: Clip, strikes: list[Int[np.ndarray, " strikes"]], detail: str) -> str:
    counts = " and ".join(f"{len(frames)} of the {foot} foot" for foot, frames in zip(FEET, strikes, strict=True))
    return (
        f"{clip.n_frames} frames hold no full cycle, which is a footfall of each foot and the way back to the same "
        f"pose; there are {counts} ({detail}); choose a longer stretch of steady motion"
    )


def _why_none(clip: Clip, reasons: list[str]) -> str:
    lost = any(fault.code in ("root-dropout", "root-jump") for fault in find_faults(clip))
    why = "; ".join(reasons) or "no frames can be used"
    help_ = (
        "; frames in which the root is lost or leaps are left out: load(path, clean=True) bridges them" if lost else ""
    )
    return f"no cycle in {clip!r}: {why}{help_}"
