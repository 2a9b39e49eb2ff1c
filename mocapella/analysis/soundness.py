"""Which frames of a clip can be trusted: the stretches between lost frames, leaps of the root and frozen frames."""

from __future__ import annotations

import itertools

import numpy as np
from jaxtyping import Int

from mocapella.motion.clip import Clip
from mocapella.motion.contacts import intervals_of
from mocapella.motion.faults import find_faults


def sound_stretches(clip: Clip) -> list[slice]:
    """The stretches of a clip in which the body moves as captured, in order.

    Left out are a rest pose in front, frames in which the root is lost at 0, 0, 0, and all but one of frames that are
    exactly equal; a leap of the root further than a body can ends a stretch too. Nothing that is learned from a clip
    may reach over such a place.
    """
    bad = np.zeros(clip.n_frames, dtype=bool)
    bad[: clip.n_frames - clip.captured.n_frames] = True
    faults = {fault.code: np.array(fault.frames) - clip.first_row for fault in find_faults(clip)}
    bad[faults.get("root-dropout", [])] = True
    for first, last in frozen_runs(clip):
        bad[first + (first > 0) : last + (first > 0)] = True
    leaps = faults.get("root-jump", np.zeros(0, dtype=np.int64))
    out = []
    for first, last in intervals_of(~bad):
        edges = [first, *(int(leap) for leap in leaps if first < leap <= last), last + 1]
        out += [slice(begin, end) for begin, end in itertools.pairwise(edges)]
    return out


def longest_sound(clip: Clip) -> slice:
    """The longest stretch of a clip that can be trusted; the whole clip where there is none."""
    stretches = sound_stretches(clip)
    return max(stretches, key=lambda stretch: stretch.stop - stretch.start, default=slice(0, clip.n_frames))


def frozen_runs(clip: Clip) -> tuple[tuple[int, int], ...]:
    """First and last frames of runs in which nothing moves at all."""
    rows: Int[np.ndarray, " rows"] = np.array(
        [row - clip.first_row for fault in find_faults(clip) if fault.code == "frozen" for row in fault.frames],
        dtype=np.int64,
    )
    return intervals_of(np.isin(np.arange(clip.n_frames), rows))
