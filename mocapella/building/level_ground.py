"""Captures on slopes: brought to level ground, on which networks are played, and told apart from level ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from mocapella.analysis.cycles.raw_cycle import mark_cycle
from mocapella.analysis.cycles.slope import SLOPED, slope_of
from mocapella.analysis.prepare import Selection
from mocapella.editing.feet.incline import on_slope
from mocapella.errors import warn
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.travel import stands

_BESIDE = 1.0  # cycles before and after one that are levelled with it: at its ends, feet pull at the root


def levelled(selection: Selection) -> Selection:
    """A cycle brought to level ground, feet held where they rest.

    Closing alone would take the climb out of the root only: feet would rise or sink while they stand, and a cycle that
    was led downhill would fly between its steps.

    The result has a decision ``"level"``; it is the selection itself where the ground is level.
    """
    cycle = selection.cycle
    slope = slope_of(cycle)
    if abs(slope) <= SLOPED:
        return selection
    beside = round(_BESIDE * cycle.n_frames)
    first = max(cycle.start - beside, cycle.clip.n_frames - cycle.clip.captured.n_frames)
    last = min(cycle.start + cycle.n_frames + 1 + beside, cycle.clip.n_frames)
    plants = cycle.examined.plants[first:last]
    level = on_slope(cycle.clip[first:last], -math.degrees(slope), plants)
    start = cycle.start - first
    marked = mark_cycle(level, (start, start + cycle.n_frames), contacts=plants)
    kept = {name: getattr(cycle, name) for name in ("unlikeness", "contacts", "n_steps", "averaged")}
    marked = replace(marked, **kept)
    text = f"captured on a slope of {math.degrees(slope):+.1f}°, brought to level ground, feet held"
    return Selection(marked, (*selection.decisions, Decision("level", text, {"slope_rad": slope})))


def _slope_on_record(cycle: Cycle) -> float:
    """The slope of the ground that a cycle was captured on: radians, up positive; 0 where it is not on record."""
    return next((step.numbers["slope_rad"] for step in cycle.decisions if "slope_rad" in step.numbers), 0.0)


def side_of(cycle: Cycle) -> str:
    """``"uphill"`` or ``"downhill"`` for a cycle that was captured on a slope, else nothing."""
    slope = _slope_on_record(cycle)
    return "" if abs(slope) <= SLOPED else "uphill" if slope > 0.0 else "downhill"


def why_not_level(cycles: Sequence[Cycle]) -> list[str]:
    """For each cycle, why it is not for a network of level ground, as the end of a sentence; empty if it is.

    All are empty where no level gait is among them.
    """
    if not any(not side_of(cycle) and not stands(cycle) for cycle in cycles):
        return [""] * len(cycles)
    return [_why(cycle) for cycle in cycles]


def warn_of_slopes(cycles: Sequence[Cycle], given: Sequence[Cycle] = ()) -> None:
    """Warn of cycles that were brought to level ground, with their slopes, except prepared cycles as ``given``."""
    prepared = {id(cycle) for cycle in given}
    steep = [cycle for cycle in cycles if side_of(cycle) and id(cycle) not in prepared]
    if steep:
        names = ", ".join(f"{cycle.name} ({math.degrees(_slope_on_record(cycle)):+.1f}°)" for cycle in steep)
        warn(f"captured on slopes and brought to level ground, since none is level: {names}")


def _why(cycle: Cycle) -> str:
    if not side_of(cycle):
        return ""
    slope = math.degrees(_slope_on_record(cycle))
    levels = f"`mocapella edit --incline {-slope:.1f}` levels it"
    return f"was captured on a slope of {slope:+.1f}°, the others on level ground; {levels}"
