"""The cycles of walks and runs that a library keeps of a capture: found once, prepared again without a search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mocapella.analysis.cycles.find import find_cycle, find_cycles
from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.cycles.slope import SLOPED, slope_of
from mocapella.analysis.examined import Examined
from mocapella.analysis.prepare import closed, prepare, select
from mocapella.analysis.treadmill import travelling
from mocapella.building.level_ground import levelled
from mocapella.building.takes import differ
from mocapella.errors import MotionError
from mocapella.library.descriptors import leg_length
from mocapella.library.entries import KeptCycle, Stretch
from mocapella.library.stretches import GAIT_RULES, GRAVITY
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle

_GAITS = ("walk", "run")
_TURNS = 20.0  # degrees: a stretch or a cycle that turns by more was captured for its turn
_MOST = 4  # cycles of a kind, of one capture
_MEETS = 0.6  # unlikeness of the ends of a cycle, up to which it is kept where none closes better or turns as much
_CLOSES = 0.35  # likewise, up to which it is kept beside others
_BRIEFEST = {"walk": 2.0, "run": 1.2}  # √(leg / g), 0.6 and 0.36 s for a leg of 0.9 m: quicker cycles are no gaits


def kept_cycles(examined: Examined, stretches: Sequence[Stretch]) -> tuple[KeptCycle, ...]:
    """The cycles of a capture that requests are made of: of walks and of runs the best of each speed and turn.

    They are up to four walks and four runs. Of a capture of a turn the sharpest cycle comes first, then those that
    close best.
    """
    return tuple(
        _stored(kind, cycle)
        for kind in _GAITS
        for cycle in _distinct(_sound(kind, examined, [stretch for stretch in stretches if stretch.kind == kind]))
    )


def prepared_again(clip: Clip, kept: KeptCycle, *, level: bool = True) -> Cycle:
    """A cycle that was kept, closed as ``prepare`` closes it.

    With ``level`` a gait on a slope is brought to level ground; otherwise it keeps its poses, which fit no ground but a
    slope. A gait in place gets the travel of its feet.
    """
    moved, last = travelling(clip, warns=False), kept.start + kept.frames
    is_loop = last >= clip.n_frames  # its last frame leads on to its first
    if not level or abs(math.radians(kept.slope)) <= SLOPED:
        return prepare(moved) if is_loop else prepare(moved, frames=(kept.start, last))
    return closed(levelled(select(moved) if is_loop else select(moved, frames=(kept.start, last))))


def _sound(kind: str, examined: Examined, stretches: Sequence[Stretch]) -> list[RawCycle]:
    """The cycles of some stretches that are gaits of their kind, those that close best first."""
    leg = leg_length(examined.clip)
    pace, swing = math.sqrt(GRAVITY * leg), math.sqrt(leg / GRAVITY)
    slowest = GAIT_RULES.stands * pace
    fastest = math.inf if kind == "run" else pace  # a faster body would leave the ground
    cycles = [
        cycle
        for stretch in stretches
        for cycle in _cycles_of(examined, stretch)
        if 0 < cycle.n_steps <= 2  # hops on one leg have one
        and cycle.unlikeness <= _MEETS
        and cycle.seconds >= _BRIEFEST[kind] * swing
        and slowest <= cycle.speed <= fastest
    ]
    return sorted(cycles, key=lambda cycle: cycle.unlikeness)


def _cycles_of(examined: Examined, stretch: Stretch) -> Iterator[RawCycle]:
    """The cycles of a stretch, and of one that was captured for a turn the sharpest."""
    last = stretch.start + stretch.frames - 1
    is_all = stretch.start == 0 and last == examined.clip.n_frames - 1
    within = None if is_all else (stretch.start, last)
    turns = abs(stretch.turn) * stretch.frames / examined.clip.frame_rate > _TURNS
    try:
        yield from find_cycles(examined.cleaned, within=within)
        if turns:
            yield find_cycle(examined.cleaned, turning="own", within=within)
    except MotionError:
        return  # too short to repeat


def _distinct(cycles: Sequence[RawCycle]) -> list[RawCycle]:
    """The best, and others that close well, or turn most, and differ from it and from each other in speed or turn.

    Of a capture that was made for its turn, the cycle that turns most comes first: gaits between it and straight steps
    can be blended, sharper ones cannot.
    """
    chosen: list[RawCycle] = []
    sharpest = max(cycles, key=lambda cycle: abs(cycle.turn) / cycle.seconds, default=None)
    turning = [sharpest] if sharpest is not None and abs(sharpest.turn) > math.radians(_TURNS) else []
    for cycle in [*turning, *cycles]:
        closes = not chosen or cycle.unlikeness <= _CLOSES or cycle is sharpest
        if closes and len(chosen) < _MOST and all(differ(cycle, other) for other in chosen):
            chosen.append(cycle)
    return chosen


def _stored(kind: str, cycle: RawCycle) -> KeptCycle:
    turn, slope = math.degrees(cycle.turn) / cycle.seconds, math.degrees(slope_of(cycle))
    return KeptCycle(kind, cycle.start, cycle.n_frames, cycle.speed, turn, slope, cycle.closing)
