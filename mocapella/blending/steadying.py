"""A round of a clip at one pace: who still gains speed in it would be pushed back each time it repeats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.analysis.root import headings
from mocapella.arrays import owned
from mocapella.motion.clip import Clip

_BESIDE = 3  # frames to either side over which a velocity is measured


def steadied(clip: Clip, frames: tuple[int, int], *, at_end: bool) -> Clip:
    """The frames of a clip from the first to the last, both included, with the velocity at one end that of the other.

    What the root gains in its own heading is taken off evenly over the round. ``at_end`` says that the last frame keeps
    the velocity it was captured with, otherwise the first does. Poses stay as they are.
    """
    first, last = frames
    path = clip.root_positions[:, 2] + 1j * clip.root_positions[:, 0]
    yaws = headings(clip)

    def velocity(frame: int) -> complex:
        start, end = max(frame - _BESIDE, 0), min(frame + _BESIDE, clip.n_frames - 1)
        return complex((path[end] - path[start]) / (end - start) * np.exp(-1j * yaws[frame]))

    gained = velocity(last) - velocity(first)
    between = np.exp(0.5j * (yaws[first:last] + yaws[first + 1 : last + 1]))
    progress = (np.arange(last - first) + 0.5) / (last - first) - float(at_end)
    steps = np.diff(path[first : last + 1]) - gained * progress * between
    steady = np.concatenate([[0.0], np.cumsum(steps)]) + path[first]
    cut = clip[first : last + 1]
    places = np.stack([steady.imag, cut.root_positions[:, 1], steady.real], axis=1)
    return replace(cut, root_positions=owned(places))
