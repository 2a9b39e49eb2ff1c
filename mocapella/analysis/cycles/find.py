"""Cycles found in a clip: one, or all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.ndimage import minimum_filter1d

from mocapella.analysis.cycles.likeness import closing_distance, postures, spread
from mocapella.analysis.cycles.search import Candidates, search
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.ground import track_feet
from mocapella.checks import real_or_nan, shown
from mocapella.cleaning.faults import CLEAN, Soundness, find_faults, look_through, stretch_of
from mocapella.cleaning.repair import LONGEST_BRIDGE
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.rig.legs import leg_length, leg_roles

# One full cycle as it lies in a clip, its ends not yet met.

_BESIDE = 0.1  # seconds beside a cycle that tell how the body moves at its ends
_UNUSABLE = ("root-dropout", "root-jump")  # faults that no choice of frames makes good


@dataclass(frozen=True, eq=False)
class RawCycle:
    """One full cycle as it lies in a clip, its ends not yet met: what ``cyclify`` closes."""

    clip: Clip  # the whole source
    start: int  # frame of the clip
    n_frames: int  # the cycle's own count; with the frame that closes it, the cut holds one more
    speed: float  # m/s, the mean velocity in the character's heading
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

    @property
    def start_row(self) -> int:
        """The source's own row that the cycle starts with."""
        return self.clip.first_row + self.start

    def is_same(self, other: RawCycle) -> bool:
        """Whether both are the same rows of their sources."""
        return (self.start_row, self.n_frames) == (other.start_row, other.n_frames)

    def __repr__(self) -> str:
        return (
            f"RawCycle({self.clip.name!r}, {self.n_frames} frames from row {self.start_row}, {self.seconds:.2f} s, "
            f"{self.speed:.2f} m/s, turn {np.degrees(self.turn):+.0f}°, closes to {100 * self.closing:.1f} cm)"
        )


def mark_cycle(clip: Clip, frames: tuple[int, int], *, contacts: Contacts | None = None) -> RawCycle:
    """The cycle that somebody knows of: its first frame, and the one that shows the same pose a cycle later.

    Raises
    ------
    MotionError
        Where the frames do not lie in the clip, are too few, or the root is lost in them.
    """
    first, last = frame_range(frames, clip, "frames")
    if last - first < 3:
        raise MotionError(f"a cycle needs at least 3 frames and the one that closes it, got {first} to {last}")
    for fault in find_faults(clip[first : last + 1]):
        if fault.code in _UNUSABLE:
            raise MotionError(f"frames {first} to {last} make no cycle: {fault.message}")
    contacts = find_plants(clip) if contacts is None else contacts
    beside = int(_BESIDE * clip.frame_rate)
    begin = max(first - beside, clip.n_frames - clip.captured.n_frames, 0)
    part = clip[begin : last + 1 + beside]
    tracks = track_feet(part)
    features = postures(part, tracks)
    ends = first - begin, last - begin
    apart = float(np.linalg.norm(features[ends[0]] - features[ends[1]]))
    levels = tracks.level(part.root_positions[list(ends)])
    start, length = np.array([ends[0]]), np.array([last - first])
    turns, speeds = turns_and_speeds(clip, np.array([first]), length)
    return describe(
        clip,
        (first, last),
        contacts,
        turn=float(turns[0]),
        speed=float(speeds[0]),
        unlikeness=apart / float(spread(features, start, length)[0]),
        rise=float(levels[1] - levels[0]),
    )


def describe(
    clip: Clip,
    frames: tuple[int, int],
    contacts: Contacts,
    *,
    turn: float,
    speed: float,
    unlikeness: float,
    rise: float,
) -> RawCycle:
    """A cycle with all that is counted and measured in it; ``rise`` is how much higher the ground is at its end."""
    first, last = frames
    plants = contacts[first : last + 1]
    return RawCycle(
        clip=clip,
        start=first,
        n_frames=last - first,
        speed=speed,
        turn=turn,
        closing=closing_distance(clip.positions[first], clip.positions[last], rise=rise),
        unlikeness=unlikeness,
        n_steps=sum(fall > 0 for foot in FEET for fall, _ in plants.foot(foot)),
        contacts=plants,
    )


def turns_and_speeds(
    clip: Clip, starts: Int[np.ndarray, " cycles"], lengths: Int[np.ndarray, " cycles"]
) -> tuple[Float[np.ndarray, " cycles"], Float[np.ndarray, " cycles"]]:
    """Radians per cycle, and metres per second: the mean velocity as the character sees it, as ``Cycle.speed`` is.

    To and fro at every step cancels out, a turn does not. It is never more than the root's own way in that time.
    """
    yaws, places = clip.headings, clip.ground_path
    seen = np.diff(places) * np.exp(-0.5j * (yaws[:-1] + yaws[1:]))
    way = np.concatenate([[0.0], np.cumsum(seen)])
    ends = starts + lengths
    return np.asarray(yaws[ends] - yaws[starts]), np.abs(way[ends] - way[starts]) * clip.frame_rate / lengths


def frame_range(frames: object, clip: Clip, option: str) -> tuple[int, int]:
    """Two frames of a clip in order, first and last; ``MotionError`` where that is not what was given."""
    given = [*frames] if isinstance(frames, Iterable) else []
    try:
        first, last = map(int, given)
    except (TypeError, ValueError):
        wanted = Option(option, ("first", "last"))
        raise MotionError(expected=f"{wanted}, two frames of the clip", got=repr(frames), option=wanted) from None
    if not 0 <= first < last < clip.n_frames:
        found = Option(option, (first, last))
        text = f"{found} is no range of frames of {clip!r}, which has 0 to {clip.n_frames - 1}"
        raise MotionError(text, option=found)
    return first, last


# Find the full cycles in a captured clip: where they start, how long they last, how well they close.

TURN_SCALE = np.radians(30.0)  # a turn missed by this much weighs as much as ends that do not meet at all
SPEED_SCALE = 0.3  # leg lengths per second, likewise
_APART = 0.25  # of a cycle: two candidates that start nearer than this are one
_JUMP_COST = 0.1  # of a frame inside the cycle in which a joint jumps
_BRIDGE_COSTS = {"repaired-dropout": 1.0, "repaired-root-jump": 1.0, "repaired-jump": 0.5}  # of a cycle made of them


def find_cycle(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
) -> RawCycle:
    """The best full cycle of a clip; what is asked for means the same as in ``find_cycles``.

    Raises
    ------
    MotionError
        Where there is none: the message says what is missing and what to do.
    """
    return find_cycles(clip, turning=turning, speed=speed, turn=turn, within=within, contacts=contacts)[0]


def find_cycles(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
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
    contacts
        The clip's foot plants, where they are known better than ``find_plants`` would find them.

    Raises
    ------
    MotionError
        Where there is none: the message says what is missing and what to do.
    """
    for what, wanted in (("speed", speed), ("turn", turn)):
        if wanted is not None and not math.isfinite(real_or_nan(wanted)):
            raise MotionError(f"expected a finite number for the wanted {what}, got {shown(wanted)}")
    leg = leg_length(clip.skeleton, leg_roles(clip.skeleton))
    contacts = find_plants(clip) if contacts is None else contacts
    soundness = look_through(clip)
    candidates = _candidates(clip, contacts, soundness, _asked(within, clip))
    starts, lengths = candidates.starts, candidates.lengths
    turns, speeds = turns_and_speeds(clip, starts, lengths)
    cost = candidates.unlikeness + _faultiness(clip, soundness.jumps, starts, lengths)
    if turning is not None:
        cost = cost + (-1.0 if turning else 1.0) * np.abs(turns) / TURN_SCALE
    if turn is not None:
        cost = cost + np.abs(turns - turn) / TURN_SCALE
    if speed is not None:
        cost = cost + np.abs(speeds - speed) / (SPEED_SCALE * leg)
    kept = _distinct(starts, lengths, cost)
    return [
        describe(
            clip,
            (int(starts[i]), int(starts[i] + lengths[i])),
            contacts,
            turn=float(turns[i]),
            speed=float(speeds[i]),
            unlikeness=float(candidates.unlikeness[i]),
            rise=float(candidates.rises[i]),
        )
        for i in kept[np.argsort(cost[kept], kind="stable")]
    ]


def with_chosen(found: Sequence[RawCycle], chosen: RawCycle) -> list[RawCycle]:
    """The cycles with the chosen one among them, in place of those that start near it and are all but the same."""
    if any(cycle.is_same(chosen) for cycle in found):
        return list(found)
    others = [cycle for cycle in found if abs(cycle.start - chosen.start) > _APART * chosen.n_frames]
    at = sum(cycle.unlikeness <= chosen.unlikeness for cycle in others)
    return [*others[:at], chosen, *others[at:]]


def _candidates(clip: Clip, contacts: Contacts, soundness: Soundness, within: tuple[int, int]) -> Candidates:
    """What the search finds in the sound stretches of a clip, or an error that says why it finds nothing."""
    found: list[Candidates] = []
    reasons: dict[tuple[int, int], MotionError] = {}
    for stretch in soundness.stretches:
        first, after = max(stretch.start, within[0]), min(stretch.stop, within[1] + 1)
        if after - first < 2:
            continue
        try:
            found.append(_search_in(clip, contacts, stretch, (first, after - 1)))
        except MotionError as reason:
            reasons[first, after - 1] = reason
    if found:
        return Candidates.joined(found)
    if not reasons:
        raise MotionError(f"no cycle in {clip!r}: no two frames in a row can be used")
    longest = max(reasons, key=lambda frames: frames[1] - frames[0])
    text = f"no cycle in {clip!r}: {reasons[longest]}"
    if len(reasons) > 1:
        first, last = (frame + clip.first_row for frame in longest)
        text += (
            f"; the clip is in {len(reasons)} pieces, between frames in which the root is lost, leaps or nothing "
            f"moves, and this is the longest, frames {first} to {last}; {CLEAN} bridges gaps of up to "
            f"{LONGEST_BRIDGE} s"
        )
    raise MotionError(text, option=(*reasons[longest].option, CLEAN))


def _search_in(clip: Clip, contacts: Contacts, stretch: slice, frames: tuple[int, int]) -> Candidates:
    """The cycles in some frames of a sound stretch: by what these tell, else by what the whole stretch does."""
    first, last = frames
    try:
        return search(stretch_of(clip, slice(first, last + 1)), contacts[first : last + 1]).later(first)
    except MotionError:
        if (first, last + 1) == (stretch.start, stretch.stop):
            raise
        within = first - stretch.start, last - stretch.start
        try:
            return search(stretch_of(clip, stretch), contacts[stretch], within).later(stretch.start)
        except MotionError:
            pass
        raise


def _faultiness(
    clip: Clip,
    jumps: Int[np.ndarray, " jumps"],
    starts: Int[np.ndarray, " candidates"],
    lengths: Int[np.ndarray, " candidates"],
) -> Float[np.ndarray, " candidates"]:
    """What frames cost that are not as captured: a jump inside, and the share of them that was bridged."""

    def inside(frames: Int[np.ndarray, " frames"]) -> Int[np.ndarray, " candidates"]:
        first, after = np.searchsorted(np.unique(frames), np.stack([starts, starts + lengths + 1]))
        return np.asarray(after - first)

    out = _JUMP_COST * (inside(jumps) > 0)
    for code, cost in _BRIDGE_COSTS.items():
        rows = np.array(clip.report.frames(code), dtype=np.int64)
        out = out + cost * inside(rows - clip.first_row) / lengths
    return np.asarray(out)


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


def _asked(within: tuple[int, int] | None, clip: Clip) -> tuple[int, int]:
    return (0, clip.n_frames - 1) if within is None else frame_range(within, clip, "within")
