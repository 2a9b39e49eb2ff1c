"""Captures on slopes: brought to level ground, on which networks are played, and told apart from level ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from mocapella.analysis.cycles.find import mark_cycle
from mocapella.analysis.cycles.slope import SLOPED, slope_of
from mocapella.analysis.prepare import Selection
from mocapella.editing.feet.incline import on_slope
from mocapella.errors import warn
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.travel import stands

_BESIDE = 1.0  # cycles before and after one that are levelled with it: at its ends, feet pull at the root


def levelled(selection: Selection) -> Selection:
    """A cycle brought to level ground, feet held where they rest.

    A cycle that was closed as it is would have its climb taken out of its root alone: its feet would rise or sink while
    they stand, and where it was led down, it would fly between its steps.

    The result has a decision ``"level"``; the same where the ground is level already.
    """
    found = selection.cycle
    slope = slope_of(found)
    if abs(slope) <= SLOPED:
        return selection
    beside = round(_BESIDE * found.n_frames)
    first = max(found.start - beside, found.clip.n_frames - found.clip.captured.n_frames)
    last = min(found.start + found.n_frames + 1 + beside, found.clip.n_frames)
    plants = found.examined.plants[first:last]
    level = on_slope(found.clip[first:last], -math.degrees(slope), plants)
    start = found.start - first
    made = mark_cycle(level, (start, start + found.n_frames), contacts=plants)
    made = replace(made, unlikeness=found.unlikeness, contacts=found.contacts, n_steps=found.n_steps)
    text = f"captured on a slope of {math.degrees(slope):+.1f}°, brought to level ground, feet held"
    return Selection(made, (*selection.decisions, Decision("level", text, {"slope_rad": slope})))


def _slope_on_record(cycle: Cycle) -> float:
    """The slope of the ground that a cycle was captured on.

    The result is in radians, up positive; 0 where it is not on record.
    """
    return next((one.numbers["slope_rad"] for one in cycle.decisions if "slope_rad" in one.numbers), 0.0)


def side_of(cycle: Cycle) -> str:
    """``"uphill"`` or ``"downhill"`` for a cycle that was captured on a slope, else nothing."""
    slope = _slope_on_record(cycle)
    return "" if abs(slope) <= SLOPED else "uphill" if slope > 0.0 else "downhill"


def why_not_level(cycles: Sequence[Cycle]) -> list[str]:
    """Why some cycles are not for a network of level ground, each as the end of a sentence; empty for those that are.

    ``cycles`` are of gaits, some of which may have been captured on slopes. Returns one for each cycle. All empty where
    no level gait is among them: then those on slopes are all there is.
    """
    if not any(not side_of(cycle) and not stands(cycle) for cycle in cycles):
        return [""] * len(cycles)
    return [_why(cycle) for cycle in cycles]


def warn_of_slopes(cycles: Sequence[Cycle], given: Sequence[Cycle] = ()) -> None:
    """Name the cycles that were brought to level ground, since no level ones were among them.

    ``given`` is those among them that were prepared before, which nobody has to be told of. Warns with
    ``MotionWarning`` with the slope of each.
    """
    known = {id(cycle) for cycle in given}
    steep = [cycle for cycle in cycles if side_of(cycle) and id(cycle) not in known]
    if steep:
        names = ", ".join(f"{cycle.name} ({math.degrees(_slope_on_record(cycle)):+.1f}°)" for cycle in steep)
        warn(f"captured on slopes and brought to level ground, since none is level: {names}")


def _why(cycle: Cycle) -> str:
    if not side_of(cycle):
        return ""
    slope = math.degrees(_slope_on_record(cycle))
    levels = f"`mocapella edit --incline {-slope:.1f}` levels it"
    return f"was captured on a slope of {slope:+.1f}°, the others on level ground; {levels}"
