"""Figures of a motion before and after it was edited."""

from __future__ import annotations

from typing import Any

import numpy as np

from mocapella.analysis.examined import examine
from mocapella.editing.edits import UNREACHABLE, Edited, Motion
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Interval, intervals_of
from mocapella.rig.names import LEG
from mocapella.rig.roles import find_roles

FIGURES = ("slip_mm_max", "slip_mm_mean", "penetration_mm_max", "root_acceleration_p99", "drift_m", "seconds")
_OF_FEET, _OF_PLANTS = FIGURES[:3], FIGURES[:2]
_ROUNDS = 2  # of a cycle that are measured


def edited_figures(done: Edited) -> dict[str, dict[str, Any]]:
    """Figures before and after edits.

    Where every frame still shows the moment of the original, feet are measured over the original's plants, so that what
    an edit did to them shows; otherwise over plants found anew. Returns ``before`` and ``after``: key of ``FIGURES`` →
    value; None for feet that are not known, for the slip of feet that are never planted, and for the drift of a motion
    with other frames than the original's.
    """
    first, last = _clip(done.original), _clip(done.result)
    plants = examine(first).plants if _has_legs(first) else None
    same = last.n_frames == first.n_frames and last.frame_rate == first.frame_rate
    same = same and all(edit.editor.in_time or edit.name == "mirror" for edit in done.edits)
    mirrored = sum(edit.name == "mirror" for edit in done.edits) % 2 == 1
    expected = plants.mirrored() if plants is not None and mirrored else plants
    return {
        "before": _figures(MeasuredMotion(first, plants, first)),
        "after": _figures(MeasuredMotion(last, expected, first) if same else MeasuredMotion(last)),
    }


def unreachable_frames(done: Edited) -> list[Interval]:
    """First and last frames of runs in which an edit could not do all it should, in rows of the source."""
    steps = [motion for motion in done.steps if isinstance(motion, Clip)]
    rows = sorted({row for motion in steps for row in motion.report.frames(UNREACHABLE)})
    return list(intervals_of(np.isin(np.arange(max(rows, default=-1) + 1), rows)))


def _figures(motion: MeasuredMotion) -> dict[str, Any]:
    unknown: tuple[str, ...] = ()
    if not _has_legs(motion.clip):
        unknown = _OF_FEET
    elif not motion.feet.slips:
        unknown = _OF_PLANTS  # a foot that is never planted slides all the time, not by 0 mm
    measured = figures(MOTION, motion, [key for key in FIGURES if key not in unknown])
    return {key: measured.get(key) for key in FIGURES}


def _has_legs(clip: Clip) -> bool:
    roles = find_roles(clip.skeleton)
    return all(f"{side}_{part}" in roles for side in ("left", "right") for part in LEG[:3])


def _clip(motion: Motion) -> Clip:
    return motion.captured if isinstance(motion, Clip) else motion.to_clip(rounds=_ROUNDS)
