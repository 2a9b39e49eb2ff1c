"""Cycles found in a clip: one, or all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from jaxtyping import Float, Int

from mocapella.analysis.cycles.raw_cycle import RawCycle, described, frame_range, turns_and_speeds
from mocapella.analysis.cycles.search import Candidates, search
from mocapella.analysis.cycles.whole_loop import whole_loop
from mocapella.analysis.examined import Examined
from mocapella.analysis.treadmill import examine_travelling
from mocapella.checks import explained, real_or_nan, shown
from mocapella.cleaning.faults import CLEAN, LONGEST_BRIDGE
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.rig.legs import leg_length, leg_roles

_PerCycle = Float[np.ndarray, " candidates"]

Turning = bool | Literal["own"] | None
TURN_SCALE = np.radians(30.0)  # a turn missed by this much costs as much as ends that do not meet at all
PIVOT = 0.4  # of the median speed of a clip's cycles: a slower one that turns is a pivot on the spot


@dataclass(frozen=True)
class _CycleChoice:
    """Scales and limits by which cycles of a clip are compared."""

    sharpest: float = np.radians(100.0)  # radians per cycle: sharper turns count no more
    closes: float = 0.4  # unlikeness up to which a cycle is taken for its turn
    closer: float = 1.5  # or times the least in the clip
    speed_scale: float = 0.3  # leg lengths per second: a speed missed by this costs as much as ends that do not meet
    widest: float = 0.2  # leg lengths: the most that joints at both ends may be apart, in the mean
    apart: float = 0.25  # of a cycle: two candidates that start nearer than this are one
    jump_cost: float = 0.1  # of a cycle in which a joint jumps


_CHOICE = _CycleChoice()

_BRIDGE_COSTS = {"repaired-dropout": 1.0, "repaired-root-jump": 1.0, "repaired-jump": 0.5}  # of a cycle made of them


@explained
def find_cycle(
    clip: Clip | Examined,
    *,
    turning: Turning = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
) -> RawCycle:
    """The best full cycle of a clip.

    Parameters
    ----------
    clip
        The capture, or what was examined of it before.
    turning, speed, turn, within, contacts
        As in ``find_cycles``.

    Returns
    -------
    RawCycle
        The first of ``find_cycles``.

    Raises
    ------
    MotionError
        Where there is none: the message says what is missing and what to do.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> find_cycle(perform("walk", speed=1.3)[0]).n_steps
    2
    """
    return find_cycles(clip, turning=turning, speed=speed, turn=turn, within=within, contacts=contacts)[0]


@explained
def find_cycles(
    clip: Clip | Examined,
    *,
    turning: Turning = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
) -> list[RawCycle]:
    """Every plausible full cycle of a clip, best first.

    A cycle holds one footfall of each foot and ends in a pose and a movement like those it began with, as the character
    sees them. One that begins a little later counts as the same; of each the start that closes best is given. A clip
    whose last frame leads on to its first is a loop as animators store them, and a cycle as a whole where it holds no
    second one. Cycles of a clip that walks in place, as on a treadmill, have the travel of its feet.

    Parameters
    ----------
    clip
        The capture; or what was examined of it before, which is taken as it is, in place or not.
    turning
        True prefers the sharpest turn, False the straightest way; ``"own"`` prefers the sharpest that goes the clip's
        own way, among those that close and travel; None asks only that the ends meet.
    speed
        Wanted speed, m/s.
    turn
        Wanted turn per cycle, radians, left positive.
    within
        First and last frame of the clip that a cycle, its closing frame included, may use.
    contacts
        The clip's foot plants, where they are known better than ``find_plants`` would find them.

    Returns
    -------
    list of RawCycle
        At least one.

    Raises
    ------
    MotionError
        Where there is none: the message says what is missing and what to do.

    Warns
    -----
    MotionWarning
        Where the clip walks in place.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> cycles = find_cycles(perform("walk", speed=1.3, cycles=4.0)[0])
    >>> cycles[0].unlikeness <= cycles[-1].unlikeness
    True
    """
    for what, wanted in (("speed", speed), ("turn", turn)):
        if wanted is not None and not math.isfinite(real_or_nan(wanted)):
            raise MotionError(f"expected a finite number for the wanted {what}, got {shown(wanted)}")
    examined = examine_travelling(clip)
    whole = whole_loop(examined) if within is None and contacts is None else None
    if whole is not None and whole.n_cycles == 1 and whole.is_shut:
        return [whole.first]
    plants = examined.plants if contacts is None else contacts
    frames = (0, examined.clip.n_frames - 1) if within is None else frame_range(within, examined.clip, "within")
    try:
        candidates = _candidates(examined, plants, frames)
        cost = wish_costs(examined, candidates, turning=turning, speed=speed, turn=turn)
        distinct = _distinct(candidates, cost)
        order = distinct[np.argsort(cost[distinct], kind="stable")]
        cycles = _closing(described(examined, plants, candidates.where(order)))
    except MotionError:
        if whole is None:
            raise
        return [whole.first]
    if whole is not None and whole.n_cycles == 1 and 2 * cycles[0].n_frames > whole.first.n_frames:
        return [whole.first, *cycles]
    return cycles


def _closing(cycles: Sequence[RawCycle]) -> list[RawCycle]:
    """The cycles whose ends can be closed; an error where there are none."""
    clip = cycles[0].clip
    leg = leg_length(clip.skeleton, leg_roles(clip.skeleton))
    closing = [cycle for cycle in cycles if cycle.closing <= _CHOICE.widest * leg]
    if not closing:
        least = 100.0 * min(cycle.closing for cycle in cycles)
        raise MotionError(
            f"no cycle in {clip!r}: the ends of the best stretch are {least:.0f} cm apart in the mean of all "
            f"joints, and {100.0 * _CHOICE.widest * leg:.0f} cm are the most that can be closed; choose a clip, or "
            "frames, in which the motion repeats"
        )
    return closing


def with_chosen(cycles: Sequence[RawCycle], chosen: RawCycle) -> list[RawCycle]:
    """Cycles with the chosen one among them, in place of those that start near it and are all but the same."""
    if any(cycle.is_same(chosen) for cycle in cycles):
        return list(cycles)
    others = [cycle for cycle in cycles if abs(cycle.start - chosen.start) > _CHOICE.apart * chosen.n_frames]
    at = sum(cycle.unlikeness <= chosen.unlikeness for cycle in others)
    return [*others[:at], chosen, *others[at:]]


def _candidates(examined: Examined, contacts: Contacts, within: tuple[int, int]) -> Candidates:
    """Candidates in the sound stretches of a clip; an error that says why where there are none."""
    clip = examined.clip
    candidates: list[Candidates] = []
    reasons: dict[tuple[int, int], MotionError] = {}
    for stretch in examined.sound.stretches:
        first, after = max(stretch.start, within[0]), min(stretch.stop, within[1] + 1)
        if after - first < 2:
            continue
        try:
            candidates.append(_search_in(examined, contacts, stretch, (first, after)))
        except MotionError as reason:
            reasons[first, after - 1] = reason
    if candidates:
        return Candidates.joined(candidates)
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


def _search_in(examined: Examined, contacts: Contacts, stretch: slice, frames: tuple[int, int]) -> Candidates:
    """The cycles in some frames of a sound stretch: by what these tell, else by what the whole stretch does."""
    first, after = frames
    try:
        return search(examined.part(first, after), contacts[first:after]).later(first)
    except MotionError:
        if frames == (stretch.start, stretch.stop):
            raise
        within = first - stretch.start, after - 1 - stretch.start
        try:
            return search(examined.part(stretch.start, stretch.stop), contacts[stretch], within).later(stretch.start)
        except MotionError:
            pass
        raise


def wish_costs(
    examined: Examined, candidates: Candidates, *, turning: Turning, speed: float | None, turn: float | None
) -> _PerCycle:
    """Costs of the candidates: of ends that do not meet, of faults, and of missing what was asked for."""
    leg = leg_length(examined.clip.skeleton, leg_roles(examined.clip.skeleton))
    turns, speeds = turns_and_speeds(examined.clip, candidates)
    cost = candidates.unlikeness + _fault_costs(examined, candidates)
    if turning == "own":
        cost = cost + _own_turn_costs(examined.clip, candidates, turns, speeds)
    elif turning is not None:
        cost = cost + (-1.0 if turning else 1.0) * np.abs(turns) / TURN_SCALE
    if turn is not None:
        cost = cost + np.abs(turns - turn) / TURN_SCALE
    if speed is not None:
        cost = cost + np.abs(speeds - speed) / (_CHOICE.speed_scale * leg)
    return np.asarray(cost)


def _own_turn_costs(clip: Clip, candidates: Candidates, turns: _PerCycle, speeds: _PerCycle) -> _PerCycle:
    """Costs by which the sharpest turn is preferred, among cycles that close and go the clip's own way.

    A turn counts by how sharp it is in the direction in which the whole clip turns, where that is clear. A turn whose
    ends hardly meet does not count where those of another cycle of the clip do, nor does a pivot on the spot in a clip
    that travels.
    """
    turn_of_clip = float(clip.headings[-1] - clip.headings[0])
    sharpness = np.abs(turns) if abs(turn_of_clip) < TURN_SCALE else np.sign(turn_of_clip) * turns
    closes = candidates.unlikeness <= max(_CHOICE.closes, _CHOICE.closer * candidates.best)
    sharpness = np.where(closes, np.clip(sharpness, 0.0, _CHOICE.sharpest), 0.0)
    return np.asarray(-np.where(speeds >= PIVOT * np.median(speeds), sharpness, 0.0) / TURN_SCALE)


def _fault_costs(examined: Examined, cycles: Candidates) -> _PerCycle:
    """Costs of frames that are not as captured: a jump inside, and the share of them that was bridged."""

    def inside(frames: Int[np.ndarray, " frames"]) -> Int[np.ndarray, " candidates"]:
        first, after = np.searchsorted(np.unique(frames), [cycles.starts, cycles.starts + cycles.lengths + 1])
        return np.asarray(after - first)

    out = _CHOICE.jump_cost * (inside(examined.sound.jumps) > 0)
    for code, cost in _BRIDGE_COSTS.items():
        bridged = np.array(examined.clip.report.frames(code), dtype=np.int64) - examined.clip.first_row
        out = out + cost * inside(bridged) / cycles.lengths
    return np.asarray(out)


def _distinct(candidates: Candidates, cost: _PerCycle) -> Int[np.ndarray, " kept"]:
    """The candidates that are cheaper than all that start near them."""
    starts = candidates.starts
    by_frame = np.full(int(starts.max()) + 1, np.inf)
    by_frame[starts] = cost
    reach = 2 * int(_CHOICE.apart * float(np.median(candidates.lengths))) + 1
    least = scipy.ndimage.minimum_filter1d(by_frame, reach, mode="constant", cval=np.inf)
    cheapest = np.flatnonzero(cost <= least[starts])
    new = np.diff(starts[cheapest], prepend=-reach) > reach // 2  # equal neighbours: the first
    return np.asarray(cheapest[new])
