"""Which frames of a clip can be trusted: the stretches between lost frames, leaps of the root and frozen frames."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Interval, intervals_of
from mocapella.motion.faults import find_faults

IN_PIECES = "the clip is in pieces where the root is lost or leaps, and load(path, clean=True), --clean, bridges them"


@dataclass(frozen=True, eq=False)
class Soundness:
    """What can be learned from in a clip, and what is in the way."""

    stretches: tuple[slice, ...]  # in which the body moves as captured, in order
    frozen: tuple[Interval, ...]  # first and last frames of runs in which nothing moves at all
    jumps: Int[np.ndarray, " jumps"]  # frames to which a joint jumps

    @property
    def longest(self) -> slice:
        """The longest stretch; an empty one where there is none."""
        return max(self.stretches, key=lambda stretch: stretch.stop - stretch.start, default=slice(0, 0))


def look_through(clip: Clip) -> Soundness:
    """The sound stretches of a clip.

    Left out are a rest pose in front, frames in which the root is lost at 0, 0, 0, and all but one of frames that are
    exactly equal; a leap of the root further than a body can ends a stretch too. Nothing that is learned from a clip
    may reach over such a place.
    """
    faults = {fault.code: np.array(fault.frames, dtype=np.int64) - clip.first_row for fault in find_faults(clip)}
    lost, leaps, still, jumps = (
        faults.get(code, np.zeros(0, dtype=np.int64)) for code in ("root-dropout", "root-jump", "frozen", "jump")
    )
    frozen = intervals_of(np.isin(np.arange(clip.n_frames), still))
    bad = np.isin(np.arange(clip.n_frames), lost)
    bad[: clip.n_frames - clip.captured.n_frames] = True
    for first, last in frozen:
        bad[first + (first > 0) : last + (first > 0)] = True
    stretches = []
    for first, last in intervals_of(~bad):
        edges = [first, *(int(leap) for leap in leaps if first < leap <= last), last + 1]
        stretches += [slice(begin, end) for begin, end in itertools.pairwise(edges)]
    return Soundness(tuple(stretches), frozen, jumps)


def stretch_of(clip: Clip, stretch: slice) -> Clip:
    """A stretch of a clip; the clip itself where it is all of it, so that nothing is worked out twice."""
    return clip if (stretch.start, stretch.stop) == (0, clip.n_frames) else clip[stretch]
