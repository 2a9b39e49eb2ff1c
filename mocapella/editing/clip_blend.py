"""Blends of two clips that do not repeat, aligned in time, and clips with the timing of others.

Time is blended as poses are, by its increments: where the weight changes in the course of a blend, the frame times of
the two motions at that moment count, never the times since their starts, so that time cannot run backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from jaxtyping import Float

from mocapella.checks import explained, finite_number
from mocapella.editing.matched_frames import ALIGNMENTS, TimeMap, align_clips
from mocapella.editing.parameters import Domain, SecondMotion
from mocapella.editing.trajectory import blend_frames, in_new_frames
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip

WAYS = (*ALIGNMENTS, "frames")
_FEWEST = 2  # frames of a blend
_MOST_WEIGHT = 10.0  # either way: a blend gets longer with its weight

Weight = float | int | Sequence[float] | np.ndarray


@explained
def blend_clips(
    first: Clip,
    second: SecondMotion,
    weight: Weight = 0.5,
    *,
    align: Annotated[str | TimeMap, Domain(choices=WAYS)] = "warp",
    keys: Sequence[Sequence[float | int]] = (),
) -> Clip:
    """Blend two clips of one skeleton, aligned in time.

    Joints are blended along the shortest turn, path and heading by the length and turn of every step, time by its
    increments. With a weight of 0 the first comes out as it was where it corresponds to the second, with 1 the second
    at the frame rate of the first.

    Parameters
    ----------
    first
        The motion. Artificial rest poses at the starts of both are left out.
    second
        The motion to blend with.
    weight
        Of the other motion; several are spread over the blend. Weights beyond 0 … 1 exaggerate, as long as any
        time is left.
    align
        How frames correspond. As ``align_clips`` has it; ``"frames"``, where both have as many, frame by frame;
        or a ``TimeMap``.
    keys
        For align=keys: pairs of rows of the two motions.

    Returns
    -------
    Clip
        At the frame rate of the first; with ``"frames"`` at the mean frame time.

    Raises
    ------
    MotionError
        Where skeletons differ, a weight is no number or leaves no time, or the clips cannot be aligned.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> slow, fast = (perform("walk", speed=speed, cycles=3.0)[0] for speed in (0.9, 1.5))
    >>> half = mo.blend_clips(slow, fast, 0.5, align="stances")
    >>> bool(fast.seconds < half.seconds < slow.seconds)
    True
    """
    for clip in (first, second):
        if not isinstance(clip, Clip):
            raise MotionError(f"expected two clips to blend, got {clip!r}; load(path) reads one")
    if not first.skeleton.same_as(second.skeleton):
        raise MotionError(
            f"{second!r} has another skeleton than {first!r}; only motions of one skeleton mix",
            helps="call retarget(second, first.skeleton) first",
        )
    weights = _weights(weight)
    first, second = first.captured, second.captured
    if align == "frames":
        shares = 1.0 - np.interp(np.linspace(0.0, 1.0, first.n_frames), *_spread(weights))
        return blend_frames(first, second, shares if len(weights) > 1 else float(shares[0]))
    if not isinstance(align, TimeMap):
        align = align_clips(first, second, align, keys=keys)
    return _blended(first, second, weights, align)


@explained
def retime(
    clip: Clip,
    other: Clip,
    *,
    align: Annotated[str | TimeMap, Domain(choices=tuple(ALIGNMENTS))] = "warp",
    keys: Sequence[Sequence[float | int]] = (),
) -> Clip:
    """A clip with the timing of another: its own poses and path, each when the other shows the corresponding pose.

    Parameters
    ----------
    clip
        What is to be shown.
    other
        The motion whose timing is used. It may be of any skeleton.
    align
        How frames correspond. As ``align_clips`` has it, or a ``TimeMap``.
    keys
        For align=keys: pairs of rows of the two motions.

    Returns
    -------
    Clip
        As long as the part of ``other`` that corresponds, at the frame rate of ``clip``.

    Raises
    ------
    MotionError
        Where the clips cannot be aligned.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> slow, fast = (perform("walk", speed=speed, cycles=3.0)[0] for speed in (0.9, 1.5))
    >>> mo.retime(slow, fast).n_frames == fast.n_frames
    True
    """
    clip, other = clip.captured, other.captured
    if not isinstance(align, TimeMap):
        align = align_clips(clip, other, align, keys=keys)
    begin, end = float(align.second[0]), float(align.second[-1])
    count = int(np.floor((end - begin) / other.frame_rate * clip.frame_rate + 1e-9)) + 1
    at = begin + np.arange(count) * other.frame_rate / clip.frame_rate
    return sampled(clip, np.interp(at, align.second, align.first))


def _blended(first: Clip, second: Clip, weights: Float[np.ndarray, " weights"], align: TimeMap) -> Clip:
    """The blend at the frame rate of the first clip."""
    progress = _progress(align)
    if len(weights) > 1:  # pieces short enough for a weight that changes within them
        fine = np.unique(np.concatenate([progress, np.linspace(0.0, 1.0, 20 * len(weights) + 1)]).round(9))
        align = TimeMap(np.interp(fine, progress, align.first), np.interp(fine, progress, align.second))
        progress = fine
    shares = np.interp(progress, *_spread(weights))
    # Per piece of the map: how long it lasts in each clip, and the share in its middle.
    pieces = [np.diff(align.first) / first.frame_rate, np.diff(align.second) / second.frame_rate]
    middle = 0.5 * (shares[1:] + shares[:-1])
    lasting = (1.0 - middle) * pieces[0] + middle * pieces[1]
    if lasting.min() <= 0.0:
        raise MotionError(
            f"with a weight of {float(middle[int(np.argmin(lasting))]):g} a part of the blend would last no time",
            helps="weights nearer to 0 … 1 leave some",
            option=Option("weight", 0.5),
        )
    times = np.concatenate([[0.0], np.cumsum(lasting)])
    count = int(np.floor(times[-1] * first.frame_rate + 1e-9)) + 1
    if count < _FEWEST:
        raise MotionError(f"the blend would last {times[-1]:.3f} s, less than two frames")
    at = np.arange(count) / first.frame_rate
    first = sampled(first, np.interp(at, times, align.first))
    second = replace(sampled(second, np.interp(at, times, align.second)), frame_rate=first.frame_rate)
    now = 1.0 - np.interp(at, times, shares)
    return blend_frames(first, second, now if len(weights) > 1 else float(now[0]))


def sampled(clip: Clip, at: Float[np.ndarray, " points"]) -> Clip:
    """The clip at these frames, fractions included, one after the other at its own frame rate.

    Frames ``at`` count from 0; fractions are interpolated. Findings that name rows are left out of the report.
    """
    nearest = np.round(at)
    return in_new_frames(clip, np.where(np.abs(at - nearest) < 1e-9, nearest, at))  # frames that coincide stay exact


def _progress(align: TimeMap) -> Float[np.ndarray, " pairs"]:
    """How far along each pair is, 0 … 1: the mean of both clips."""
    ends = [(frames - frames[0]) / (frames[-1] - frames[0]) for frames in (align.first, align.second)]
    return np.asarray(0.5 * (ends[0] + ends[1]))


def _spread(weights: Float[np.ndarray, " weights"]) -> tuple[np.ndarray, np.ndarray]:
    """Where weights lie, 0 … 1, and the weights."""
    return np.linspace(0.0, 1.0, len(weights)), weights


def _weights(weight: Weight) -> Float[np.ndarray, " weights"]:
    if isinstance(weight, Sequence | np.ndarray) and not isinstance(weight, str):
        values = np.asarray(weight, dtype=np.float64)
        if values.ndim != 1 or len(values) == 0:
            raise MotionError(expected="a weight, or several in a row", got=f"{values.shape}")
    else:
        values = np.array([finite_number(weight, "a weight that is a number")])
    beyond = values[~(np.abs(values) <= _MOST_WEIGHT)]
    if len(beyond):
        raise MotionError(expected=f"weights up to {_MOST_WEIGHT:g} either way", got=f"{beyond[0]:g}")
    return values
