"""The cycles of walks and runs that a library keeps of a capture: found once, prepared again without a search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mocapella.analysis.cycles.find import RawCycle, Turning, find_cycle, find_cycles
from mocapella.analysis.cycles.slope import SLOPED, slope_of
from mocapella.analysis.examined import Examined
from mocapella.analysis.prepare import closed, prepare, select
from mocapella.analysis.treadmill import travelling
from mocapella.building.level_ground import levelled
from mocapella.building.takes import differ
from mocapella.errors import MotionError
from mocapella.library.descriptors import leg_length
from mocapella.library.entries import KeptCycle, Stretch
from mocapella.library.stretches import GRAVITY, STANDS
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle

_GAITS = ("walk", "run")
_TURNS = 20.0  # degrees: a stretch or a cycle that turns by more was captured for its turn
_MOST = 4  # of a kind, of one capture
_MEETS = 0.6  # unlikeness of the ends of a cycle, up to which it is kept where none closes better or turns as much
_CLOSES = 0.35  # likewise, up to which it is kept beside others
_STEPS = 2  # of a gait in a cycle; hops on one leg have one
_BRIEFEST = {"walk": 2.0, "run": 1.2}  # √(leg / g), 0.6 and 0.36 s for a leg of 0.9 m: quicker cycles are no gaits


def kept_cycles(known: Examined, stretches: Sequence[Stretch]) -> tuple[KeptCycle, ...]:
    """The cycles of a capture that requests are made of: of walks and of runs the best of each speed and turn.

    They are up to four walks and four runs. Of a capture of a turn the sharpest cycle comes first, then those that
    close best.
    """
    return tuple(
        _kept(kind, one)
        for kind in _GAITS
        for one in _distinct(_sound(kind, known, [one for one in stretches if one.kind == kind]))
    )


def prepared_again(clip: Clip, kept: KeptCycle, *, level: bool = True) -> Cycle:
    """A cycle that was kept, closed as ``prepare`` closes it.

    Set ``level`` to bring a gait on a slope to level ground. Otherwise it keeps its poses, which fit no ground but a
    slope. The result is of a gait in place with the travel of its feet.
    """
    moved, last = travelling(clip, warns=False), kept.start + kept.frames
    whole = last >= clip.n_frames  # a loop, whose last frame leads on to its first
    if not level or abs(math.radians(kept.slope)) <= SLOPED:
        return prepare(moved) if whole else prepare(moved, frames=(kept.start, last))
    return closed(levelled(select(moved) if whole else select(moved, frames=(kept.start, last))))


def _sound(kind: str, known: Examined, stretches: Sequence[Stretch]) -> list[RawCycle]:
    """The cycles of some stretches that are gaits of their kind, those that close best first."""
    leg = leg_length(known.clip)
    pace, swing = math.sqrt(GRAVITY * leg), math.sqrt(leg / GRAVITY)
    found = [
        one
        for stretch in stretches
        for one in _found(known, stretch)
        if 0 < one.n_steps <= _STEPS
        and one.unlikeness <= _MEETS
        and one.seconds >= _BRIEFEST[kind] * swing
        and STANDS * pace <= one.speed <= (math.inf if kind == "run" else pace)  # a faster body would leave the ground
    ]
    return sorted(found, key=lambda one: one.unlikeness)


def _found(known: Examined, stretch: Stretch) -> Iterator[RawCycle]:
    """The cycles of a stretch, and of one that was captured for a turn the sharpest."""
    last = stretch.start + stretch.frames - 1
    whole = stretch.start == 0 and last == known.clip.n_frames - 1
    within = None if whole else (stretch.start, last)
    turns = abs(stretch.turn) * stretch.frames / known.clip.frame_rate > _TURNS
    turning: Turning = "own"
    try:
        yield from find_cycles(known.cleaned, within=within)
        if turns:
            yield find_cycle(known.cleaned, turning=turning, within=within)
    except MotionError:
        return  # too short to repeat


def _distinct(found: Sequence[RawCycle]) -> list[RawCycle]:
    """The best, and others that close well, or turn most, and differ from it and from each other in speed or turn.

    Of a capture that was made for its turn, the cycle that turns most comes first: what lies between it and straight
    steps can be blended, what lies beyond cannot.
    """
    kept: list[RawCycle] = []
    sharpest = max(found, key=lambda one: abs(one.turn) / one.seconds, default=None)
    turning = [sharpest] if sharpest is not None and abs(sharpest.turn) > math.radians(_TURNS) else []
    for one in [*turning, *found]:
        closes = not kept or one.unlikeness <= _CLOSES or one is sharpest
        if closes and len(kept) < _MOST and all(differ(one, other) for other in kept):
            kept.append(one)
    return kept


def _kept(kind: str, found: RawCycle) -> KeptCycle:
    turn, slope = math.degrees(found.turn) / found.seconds, math.degrees(slope_of(found))
    return KeptCycle(kind, found.start, found.n_frames, found.speed, turn, slope, found.closing)
