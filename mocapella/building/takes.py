"""The cycles of a take for a network: one of each kind of gait in it."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from mocapella.analysis.closing.cyclify import closing_method
from mocapella.analysis.cycles.averaged import averaged_cycles
from mocapella.analysis.cycles.find import PIVOT, Turning, find_cycles
from mocapella.analysis.cycles.raw_cycle import RawCycle, mark_cycle
from mocapella.analysis.cycles.search import MEETS, pose_features
from mocapella.analysis.examined import Examined
from mocapella.analysis.facing import sighting
from mocapella.analysis.gait_figures import gait_figures, why_not_gait, why_not_idle
from mocapella.analysis.prepare import Selection, cleaned, closed, figures_of, selected, turning_of
from mocapella.analysis.treadmill import examine_travelling
from mocapella.building.gaits import gait_of
from mocapella.building.level_ground import levelled
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.travel import ASIDE, STANDING, direction, stands, turn_and_speed
from mocapella.rig.legs import leg_length, leg_roles

Motion = Literal["gait", "idle", "action", "transition", "unusable"]
"""What a clip is to a network: gaits become nodes, of idles one; the others are named with the reason."""

_KINDS: tuple[Motion, ...] = get_args(Motion)


class _TakeSettings(NamedTuple):
    """Which cycles of a take go into a network."""

    long: float = 8.0  # cycles: a take that lasts longer may hold several kinds of motion
    briefest: float = 0.5  # seconds of a cycle
    closes: float = 0.35  # unlikeness of the ends of a cycle, up to which it is a kind of its own
    speeds: float = 1.35  # ratio of speeds by which kinds differ
    turns: float = math.radians(30.0)  # radians per second by which kinds differ
    most_kinds: int = 8  # of one take
    again: float = 0.8  # of a cycle between the starts of two: they show the motion twice
    pivots: float = math.radians(30.0)  # per second: a cycle that turns faster and hardly travels is a pivot
    travels: float = 0.3  # leg lengths per second: a take that is slower stays where it is
    stretch: float = 0.5  # seconds over which a take's speed is measured
    most_tried: int = 40  # cycles of a take that are looked at
    covered: float = 0.2  # of the time in which its feet move, that gaits have to cover for a take to be one
    moves: float = 0.1  # of its usual greatest speed, of one foot about the other: slower than that a take rests
    most_reasons: int = 3  # why a take is no gait
    usual: float = 0.6  # of the median speed of its gaits: a slower one is where a take begins or steps on the spot


_TAKE = _TakeSettings()


def cycles_in(clip: Clip, *, turning: bool | None, method: str, layout: str) -> list[Cycle]:
    """The cycles that a take gives to a network: one, or in a long take one of each kind of motion.

    Kinds differ in speed by more than a third, in turn rate by 30 degrees a second, or in the way they go by 60. Each
    has to close well, to be seen twice unless it turns or closes very well, and to be a gait. ``named_by_kind`` tells
    them apart. Cycles that were captured on slopes are brought to level ground, and say so. Every cycle has a decision
    that says what it is to a network, which ``motion_of`` reads, and one of what its clip tells about its source.

    Set ``turning`` to look for one turn (True) or one straight stretch (False); None goes by what is in the take.
    ``method`` and ``layout`` are as ``prepare`` takes them. The cycles are in the order of the take. Raises
    ``MotionError`` where there is none, or the best one pivots on the spot in a take that travels.
    """
    examined = examine_travelling(clip)
    seen = Decision("sighting", "what the clip tells about its source", sighting(examined.clip))
    words = (f"method {closing_method(method).name.replace(' ', '_')}", f"layout {layout}")

    def finished(selection: Selection, decision: Decision, words: Sequence[str]) -> Cycle:
        cycle = closed(levelled(selection), words, method=method, layout=layout)
        return replace(cycle, decisions=(*cycle.decisions, decision, seen))

    if not why_not_idle(examined.clip.captured):
        return [finished(Selection(*_stand(examined)), Decision("idle", ""), words)]
    if turning is None and len(kinds := _kinds(examined)) > 1:
        mended = cleaned(examined)[1]
        return [
            finished(Selection(kind, (*mended, _noted(kind, kinds))), Decision("gait", "", _numbers(kind)), words)
            for kind in kinds
        ]
    wanted = turning_of(examined, turning)
    words = (*(() if wanted is None else (f"turning {wanted}",)), *words)
    take, mended = cleaned(examined)
    chosen, decision = _best_gait(take, _all_cycles(take, turning=wanted))
    cycle = finished(selected(chosen, mended, steered=wanted is not None), decision, words)
    if turning is None:
        _refuse_pivot(cycle, examined.clip)
    return [cycle]


def _stand(examined: Examined) -> tuple[RawCycle, tuple[Decision, ...]]:
    """The cycle of a standing motion: a loop as it is, a take between the two frames that are most alike."""
    take, mended = cleaned(examined)
    with suppress(MotionError):
        cycle = find_cycles(take)[0]
        if cycle.unlikeness <= MEETS:
            return cycle, (*mended, _noted(cycle, [cycle]))
    clip = take.clip
    features = pose_features(take)
    stride = max(1, round(_STAND.looks * clip.frame_rate))
    looks = np.arange(clip.n_frames - clip.captured.n_frames, clip.n_frames, stride)[: _STAND.most_looks]
    apart = np.linalg.norm(features[looks, None] - features[looks], axis=-1)
    least = max(_STAND.shortest * clip.frame_rate / stride, 0.5 * len(looks))
    late = np.subtract.outer(looks, looks).T / stride >= min(least, len(looks) - 1)
    first, last = np.unravel_index(np.argmin(np.where(late, apart, np.inf)), apart.shape)
    cycle = mark_cycle(take, (int(looks[first]), int(looks[last])))
    return cycle, (*mended, _noted(cycle, [cycle]))


class _StandSettings(NamedTuple):
    """How a cycle is cut from a stand."""

    looks: float = 0.1  # seconds between the frames that are compared
    most_looks: int = 300  # of them, from the beginning of a take
    shortest: float = 1.0  # seconds


_STAND = _StandSettings()


def _best_gait(take: Examined, cycles: Sequence[RawCycle]) -> tuple[RawCycle, Decision]:
    """The first cycle that is a gait, where gaits cover enough of the take; else the first of all, and why it is none.

    ``cycles`` are those of the take, best first.
    """
    gaits: list[RawCycle] = []
    reasons: list[list[str]] = []
    for cycle in cycles[: _TAKE.most_tried]:
        if missed := _why_no_gait(cycle):
            reasons.append(missed)
        else:
            gaits.append(cycle)
    if not gaits:
        return cycles[0], Decision(
            "action", "; ".join(sorted(reasons, key=len)[0][: _TAKE.most_reasons]), _numbers(cycles[0])
        )
    covered = 1.0 if gaits[0].clip is not take.clip else _covered(take.clip, gaits)
    if covered < _TAKE.covered:
        return gaits[0], Decision("action", f"only {covered:.0%} of it steps like a gait", _numbers(gaits[0]))
    usual = _TAKE.usual * float(np.median([cycle.speed for cycle in gaits]))
    chosen = next(cycle for cycle in gaits if cycle.speed >= usual)
    return chosen, Decision("gait", "", _numbers(chosen))


def _why_no_gait(cycle: RawCycle) -> list[str]:
    """Why a cycle is no gait; one that turns on the spot is one if its feet step in turn."""
    rate = abs(cycle.turn) / cycle.seconds
    slow = cycle.speed < _TAKE.travels * leg_length(cycle.clip.skeleton, leg_roles(cycle.clip.skeleton))
    if slow and rate >= _TAKE.pivots and 0 < cycle.n_steps <= len(FEET):
        return []
    return why_not_gait(gait_figures(cycle.cut, cycle.unlikeness))


def _covered(clip: Clip, gaits: Sequence[RawCycle]) -> float:
    """The share of the time in which feet move that gaits cover."""
    roles = leg_roles(clip.skeleton)
    apart = clip.positions[:, roles["left_ankle"]] - clip.positions[:, roles["right_ankle"]]
    steps = np.linalg.norm(np.gradient(apart, axis=0), axis=1)
    moving = steps > _TAKE.moves * np.percentile(steps, 90)
    moving[: clip.n_frames - clip.captured.n_frames] = False
    inside = np.zeros(clip.n_frames, dtype=bool)
    for cycle in gaits:
        inside[cycle.start : cycle.start + cycle.n_frames] = True
    return float(inside[moving].mean()) if moving.any() else 0.0


def _numbers(cycle: RawCycle) -> dict[str, float]:
    return asdict(gait_figures(cycle.cut, cycle.unlikeness))


def motion_of(cycle: Cycle) -> tuple[Motion, str]:
    """What a cycle is to a network, and why if it is no gait; one without a record is taken for a gait, or stands."""
    for decision in cycle.decisions:
        if decision.step in _KINDS:
            return decision.step, decision.text
    return ("idle" if stands(cycle) else "gait"), ""


def named_by_kind(cycle: Cycle) -> Cycle:
    """A cycle of a take with several kinds of motion, with what it does in its name: ``"take, run left"``.

    The cycle of a take that holds one kind of motion stays as it is.
    """
    if n_kinds(cycle) == 1 or cycle.contacts is None:
        return cycle
    gait = gait_of(cycle)
    way = direction(cycle)
    if abs(way) > ASIDE:
        gait += " backwards" if abs(way) > math.pi - ASIDE else " to the left" if way > 0.0 else " to the right"
    turn = cycle.turn / cycle.duration
    side = "" if abs(turn) < 0.5 * _TAKE.turns else " left" if turn > 0.0 else " right"
    return replace(cycle, name=f"{cycle.name or 'motion'}, {gait}{side}")


def n_kinds(cycle: Cycle) -> int:
    """How many kinds of motion the take of a cycle holds; 1 where it was not searched for several."""
    return int(next((step.numbers["kinds"] for step in cycle.decisions if "kinds" in step.numbers), 1.0))


def _kinds(examined: Examined) -> list[RawCycle]:
    """One cycle of each kind of motion in a long take, in its order; empty for a short one."""
    take = examined.cleaned
    if take.clip.seconds < _TAKE.long * _TAKE.briefest:
        return []
    cycles = _all_cycles(take)
    if take.clip.n_frames < _TAKE.long * float(np.median([cycle.n_frames for cycle in cycles])):
        return []
    slowest = max(PIVOT * float(np.median([cycle.speed for cycle in cycles])), STANDING)
    sound = [  # those that close, step left and right in turn, and travel
        cycle
        for cycle in cycles
        if cycle.unlikeness <= _TAKE.closes and cycle.speed >= slowest and not _why_no_gait(cycle)
    ]
    kinds: list[RawCycle] = []
    for cycle in sorted(sound, key=lambda cycle: cycle.unlikeness):
        if len(kinds) < _TAKE.most_kinds and all(differ(cycle, kind) for kind in kinds) and _is_no_chance(cycle, sound):
            kinds.append(cycle)
    return sorted(kinds, key=lambda cycle: cycle.start)


def _all_cycles(take: Examined, turning: Turning = None) -> list[RawCycle]:
    """The cycles of a take; of a noisy one the means of its steady stretches."""
    means = averaged_cycles(take, turning=turning) if take.noise.is_high else []
    return means or find_cycles(take, turning=turning)


def _is_no_chance(cycle: RawCycle, cycles: Sequence[RawCycle]) -> bool:
    """Whether a cycle is seen twice, turns, or closes very well."""
    if cycle.unlikeness <= MEETS or abs(cycle.turn) / cycle.seconds >= 0.5 * _TAKE.turns:
        return True
    alike = [other for other in cycles if not differ(cycle, other)]
    return any(abs(cycle.start - other.start) >= _TAKE.again * cycle.n_frames for other in alike)


def differ(cycle: RawCycle, other: RawCycle) -> bool:
    """Whether two cycles are of different kinds: one is a third faster, turns 30°/s more, or goes 60° aside."""
    faster = abs(math.log(cycle.speed / other.speed)) / math.log(_TAKE.speeds)
    sharper = abs(cycle.turn / cycle.seconds - other.turn / other.seconds) / _TAKE.turns
    return math.hypot(faster, sharper) >= 1.0 or math.cos(_way(cycle) - _way(other)) < math.cos(ASIDE)


def _way(cycle: RawCycle) -> float:
    """The direction of travel of a cycle relative to the mean facing of the hips, radians, left positive."""
    path, yaws = cycle.cut.ground_path, cycle.cut.headings
    return cmath.phase(complex((np.diff(path) * np.exp(-1j * yaws[:-1])).sum()))


def _noted(cycle: RawCycle, kinds: Sequence[RawCycle]) -> Decision:
    text = f"one of {len(kinds)} kinds of motion in the take: {cycle.seconds:.3f} s, {cycle.n_steps} steps"
    return Decision("find", text, {**figures_of(cycle), "kinds": float(len(kinds))})


def _refuse_pivot(cycle: Cycle, clip: Clip) -> None:
    """Raise ``MotionError`` for a cycle that turns on the spot, unless its whole take does."""
    turn, speed = turn_and_speed(cycle)
    places = clip.captured.ground_path[:: max(int(_TAKE.stretch * clip.frame_rate), 1)]
    usual = float(np.median(np.abs(np.diff(places)))) / _TAKE.stretch if len(places) > 1 else 0.0
    travels = usual >= _TAKE.travels * leg_length(clip.skeleton, leg_roles(clip.skeleton))
    if travels and abs(turn) >= math.degrees(_TAKE.pivots) and speed < PIVOT * usual:
        raise MotionError(
            f"the only cycle pivots on the spot, at {speed:.2f} m/s and {turn:+.0f} degrees a second, and the take "
            f"goes {usual:.2f} m/s",
            helps="cut the pivot out as a clip of its own",
        )
