"""Clips that are loops as a whole, as cycles: plants and travel found round the seam."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mocapella.analysis.cycles.loop import find_loop, laid_out, n_cycles
from mocapella.analysis.cycles.raw_cycle import RawCycle, mark_cycle
from mocapella.analysis.cycles.search import pose_features, spread
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.gait_figures import gait_figures, why_not_gait, why_not_idle
from mocapella.analysis.plants.round_loop import plants_round_loop
from mocapella.errors import MotionError


class _WholeLoop(NamedTuple):
    """A clip that is a loop as a whole."""

    first: RawCycle
    n_cycles: int  # in a round
    is_shut: bool  # its last frame shows the first again, or nearly so


def whole_loop(examined: Examined) -> _WholeLoop | None:
    """A clip as a loop that steps or stands; else None, as for gestures, which begin and end in one pose as well.

    Plants are found in three rounds, of which the middle one has no ends: a stance across the seam is one.
    """
    captured = examined.clip.captured
    if (found := find_loop(captured)) is None:
        return None
    n_frames, is_shut = found
    three = examine(laid_out(captured, n_frames, 3))
    count = n_cycles(captured, n_frames)
    begin, length = n_frames, round(n_frames / count)
    going_on = replace(three.clip[begin:], first_row=captured.first_row, report=captured.report)
    try:
        features, plants = pose_features(three), plants_round_loop(three, n_frames)
        cycle = mark_cycle(going_on, (0, length), contacts=plants[begin:])
    except MotionError:
        return None  # legs are not known, or the root is lost
    apart = float(np.linalg.norm(features[begin] - features[begin + length]))
    unlikeness = apart / float(spread(features, np.array([begin]), np.array([length]))[0])
    stands = is_shut and not why_not_idle(captured)
    if not stands and why_not_gait(gait_figures(cycle.cut, unlikeness)):
        return None
    return _WholeLoop(replace(cycle, unlikeness=unlikeness), count, is_shut)
