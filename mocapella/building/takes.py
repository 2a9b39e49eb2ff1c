"""The cycles of a take for a network: one of each kind of gait in it."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mocapella.analysis.closing.cyclify import closing_method
from mocapella.analysis.cycles.find import PIVOT, RawCycle, find_cycles
from mocapella.analysis.cycles.search import MEETS
from mocapella.analysis.cycles.slope import slope_of
from mocapella.analysis.examined import Examined
from mocapella.analysis.prepare import Selection, cleaned, closed, select, turning_of
from mocapella.analysis.treadmill import examine_travelling
from mocapella.building.level_ground import levelled
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.layout import HEIGHT
from mocapella.motion.travel import ASIDE, STANDING, direction, stands, turn_and_speed
from mocapella.rig.legs import leg_length, leg_roles

_LONG = 8.0  # cycles: a take that lasts longer may hold several kinds of motion
_BRIEFEST = 0.5  # seconds of a cycle
_CLOSES = 0.35  # unlikeness of the ends of a cycle, up to which it is a kind of its own
_SPEEDS, _TURNS = 1.35, math.radians(30.0)  # ratio, and radians per second, by which kinds differ
_MOST_KINDS = 8  # of one take
_PIVOTS = math.radians(30.0)  # per second: what turns faster and hardly travels is a pivot
FLIGHT = 0.15  # of a cycle without a foot on the ground, from which on it is a run
_TRAVELS = 0.3  # leg lengths per second: a take that is slower stays where it is
_STRETCH = 0.5  # seconds over which a take's speed is measured
_STEPS = 2  # of a gait, in a cycle; hops on one leg have one
_UPRIGHT = 0.7  # leg lengths from the ground to the hips of a standing body


def cycles_in(clip: Clip, *, turning: bool | None, method: str, layout: str) -> list[Cycle]:
    """The cycles that a take gives to a network: one, or in a long take one of each kind of motion.

    Kinds differ in speed by more than a third, in turn rate by 30 degrees a second, or in the way they go by 60. Each
    has to close well, to be seen twice unless it turns or closes very well, and to step left and right in turn.
    ``named_by_kind`` tells them apart. Cycles that were captured on slopes are brought to level ground, and say so.

    Set ``turning`` to look for one turn (True) or one straight stretch (False); None goes by what is in the take.
    ``method`` and ``layout`` are how cycles are closed and rotations written, as ``prepare`` takes them. The result is
    at least one, in the order of the take. Raises ``MotionError`` where there is none, or the best one pivots on the
    spot in a take that travels.
    """
    known = examine_travelling(clip)
    words = (f"method {closing_method(method).name.replace(' ', '_')}", f"layout {layout}")
    if turning is None and len(found := _kinds(known)) > 1:
        mended = cleaned(known)[1]
        return [
            closed(levelled(Selection(one, (*mended, _noted(one, found)))), words, method=method, layout=layout)
            for one in found
        ]
    wanted = turning_of(known, turning)
    words = (*(() if wanted is None else (f"turning {wanted}",)), *words)
    cycle = closed(levelled(select(known, turning=wanted)), words, method=method, layout=layout)
    if turning is None:
        _refuse_pivot(cycle, known.clip)
    return [cycle]


def named_by_kind(cycle: Cycle) -> Cycle:
    """A cycle of a take with several kinds of motion, with what it does in its name: ``"take, run left"``.

    ``cycle`` is as ``cycles_in`` gives it, named after its take. Returns the cycle itself where its take holds one kind
    of motion.
    """
    if n_kinds(cycle) == 1 or cycle.contacts is None:
        return cycle
    gait = "run" if flight_of(cycle) > FLIGHT else "walk"
    way = direction(cycle)
    if abs(way) > ASIDE:
        gait += " backwards" if abs(way) > math.pi - ASIDE else " to the left" if way > 0.0 else " to the right"
    turn = cycle.turn / cycle.duration
    side = "" if abs(turn) < 0.5 * _TURNS else " left" if turn > 0.0 else " right"
    return replace(cycle, name=f"{cycle.name or 'motion'}, {gait}{side}")


def flight_of(cycle: Cycle) -> float:
    """The share of a cycle without a foot on the ground. Returns 0 … 1; 0 where contacts are not known."""
    if cycle.contacts is None:
        return 0.0
    down = np.any([cycle.contacts.planted(point, cycle.phases) for point in FOOT_POINTS], axis=0)
    return float(np.mean(~down))


def n_kinds(cycle: Cycle) -> int:
    """How many kinds of motion the take of a cycle holds.

    ``cycle`` is as ``cycles_in`` gives it. Returns 1 where the take was not searched for several.
    """
    return int(next((one.numbers["kinds"] for one in cycle.decisions if "kinds" in one.numbers), 1.0))


def why_no_gait(cycle: Cycle) -> str:
    """Why a cycle cannot be blended with walks and runs, as the end of a sentence; empty if it can.

    ``cycle`` is as ``prepare`` made it; one without a record of how it was found is taken for a gait. The result is
    such as ``"takes 6 steps in a cycle"``.
    """
    numbers = next((one.numbers for one in cycle.decisions if one.step == "find"), {})
    steps = int(numbers.get("steps", _STEPS))
    if steps > _STEPS:
        return f"takes {steps} steps in a cycle, and not left and right in turn"
    if not stands(cycle):
        return "" if steps else "goes without a step"
    unlikeness = numbers.get("unlikeness", 0.0)
    if unlikeness > MEETS:
        return f"stands, and its ends are {unlikeness:.2f} times as far apart as any two of its frames"
    high = float(cycle.dofs[:, HEIGHT].mean()) / leg_length(cycle.skeleton, leg_roles(cycle.skeleton))
    return "" if high >= _UPRIGHT else f"neither steps nor stands: the hips are {high:.2f} leg lengths high"


def _kinds(known: Examined) -> list[RawCycle]:
    """One cycle of each kind of motion in a long take, in its order; empty for a short one."""
    whole = known.cleaned
    if whole.clip.seconds < _LONG * _BRIEFEST:
        return []
    found = find_cycles(whole)
    if whole.clip.n_frames < _LONG * float(np.median([one.n_frames for one in found])):
        return []
    typical = float(np.median([one.speed for one in found]))
    sound = [
        one
        for one in found
        if one.unlikeness <= _CLOSES and 0 < one.n_steps <= _STEPS and one.speed >= max(PIVOT * typical, STANDING)
    ]
    kinds: list[RawCycle] = []
    for one in sorted(sound, key=lambda one: one.unlikeness):
        alike = [other for other in sound if not differ(one, other)]
        twice = any(abs(one.start - other.start) >= 0.8 * one.n_frames for other in alike)
        turns = abs(one.turn) / one.seconds >= 0.5 * _TURNS
        if (
            (twice or turns or one.unlikeness <= MEETS)
            and all(differ(one, kind) for kind in kinds)
            and len(kinds) < _MOST_KINDS
        ):
            kinds.append(one)
    return sorted(kinds, key=lambda one: one.start)


def differ(one: RawCycle, other: RawCycle) -> bool:
    """Whether two cycles are of different kinds: in speed, turn rate or the way they go.

    Returns True where one is a third faster, turns by 30 degrees a second more, or goes 60 degrees aside of the other.
    """
    faster = abs(math.log(one.speed / other.speed)) / math.log(_SPEEDS)
    sharper = abs(one.turn / one.seconds - other.turn / other.seconds) / _TURNS
    return math.hypot(faster, sharper) >= 1.0 or math.cos(_way(one) - _way(other)) < math.cos(ASIDE)


def _way(found: RawCycle) -> float:
    """The direction of travel of a cycle relative to the mean facing of the hips, radians, left positive."""
    path, yaws = found.cut.ground_path, found.cut.headings
    return cmath.phase(complex((np.diff(path) * np.exp(-1j * yaws[:-1])).sum()))


def _noted(found: RawCycle, kinds: Sequence[RawCycle]) -> Decision:
    numbers = {"speed_m_s": found.speed, "turn_rad": found.turn, "closing_m": found.closing,
               "steps": float(found.n_steps), "unlikeness": found.unlikeness, "slope_rad": slope_of(found),
               "kinds": float(len(kinds))}  # fmt: skip
    text = f"one of {len(kinds)} kinds of motion in the take: {found.seconds:.3f} s, {found.n_steps} steps"
    return Decision("find", text, numbers)


def _refuse_pivot(cycle: Cycle, clip: Clip) -> None:
    """Raise ``MotionError`` for a cycle that turns on the spot, unless its whole take does."""
    turn, speed = turn_and_speed(cycle)
    places = clip.captured.ground_path[:: max(int(_STRETCH * clip.frame_rate), 1)]
    usual = float(np.median(np.abs(np.diff(places)))) / _STRETCH if len(places) > 1 else 0.0
    travels = usual >= _TRAVELS * leg_length(clip.skeleton, leg_roles(clip.skeleton))
    if travels and abs(turn) >= math.degrees(_PIVOTS) and speed < PIVOT * usual:
        raise MotionError(
            f"the only cycle pivots on the spot, at {speed:.2f} m/s and {turn:+.0f} degrees a second, and the take "
            f"goes {usual:.2f} m/s",
            helps="cut the pivot out as a clip of its own",
        )
