"""Curves of few points near a given one: Lowe's (1987) recursive division at the farthest point."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int
from scipy.interpolate import PchipInterpolator

from mocapella.checks import finite_number
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip


def simplified(curve: Float[np.ndarray, "points axes"], within: float | int) -> Int[np.ndarray, " kept"]:
    """Which points of a curve to keep, so that straight lines between them pass every other one ``within`` a distance.

    Returns rising numbers of points, the first and the last among them.

    Examples
    --------
    >>> simplified(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 0.0]]), 0.1).tolist()
    [0, 2, 3]
    """
    most = finite_number(within, "a distance from 0 on", least=0.0)
    points = np.asarray(curve, dtype=np.float64)
    if points.ndim != 2 or not len(points):
        raise MotionError(expected="a curve of shape (points, axes)", got=f"shape {points.shape}")
    chosen, open_ = {0, len(points) - 1}, [(0, len(points) - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        off = _off_line(points[first + 1 : last], points[first], points[last])
        worst = int(off.argmax())
        if off[worst] > most:
            at = first + 1 + worst
            chosen.add(at)
            open_ += [(first, at), (at, last)]
    return np.array(sorted(chosen))


def _off_line(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distances of points from a segment."""
    along = end - start
    square = float(along @ along)
    share = np.clip((points - start) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.asarray(np.linalg.norm(points - start - share[:, None] * along, axis=1))


def key_postures(clip: Clip, within: float | int = 0.02) -> Int[np.ndarray, " kept"]:
    """The frames from which a clip can be interpolated (Lim and Thalmann 2001), the first and the last among them.

    No joint of ``rebuilt`` is off by more than ``within`` metres, above 0, at any frame.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> clip = perform("reach", target=(0.1, 0.2, 0.4))[0]
    >>> len(key_postures(clip, 0.02)) < clip.n_frames / 8
    True
    """
    most = finite_number(within, "a distance in metres above 0", above=0.0)
    curve = clip.positions.reshape(clip.n_frames, -1)
    times = np.arange(clip.n_frames, dtype=np.float64)[:, None] * 1e-9  # keeps a rest from being one point
    frames = set(simplified(np.concatenate([curve, times], axis=1), 8.0 * most).tolist())
    while len(frames) < clip.n_frames:  # where the spline strays the worst frame is kept as well
        chosen = np.array(sorted(frames))
        off = np.linalg.norm(rebuilt(clip, chosen).positions - clip.positions, axis=-1).max(axis=1)
        if off.max() <= most:
            break
        for first, last in itertools.pairwise(chosen):
            between = off[first : last + 1]
            if between.max() > most:
                frames.add(int(first + between.argmax()))
    return np.array(sorted(frames))


def rebuilt(clip: Clip, frames: Int[np.ndarray, " kept"]) -> Clip:
    """A clip made again from some of its frames, rising and with both ends, by splines that do not overshoot."""
    at = np.asarray(frames)
    if len(at) < 2 or at[0] != 0 or at[-1] != clip.n_frames - 1 or (np.diff(at) <= 0).any():
        raise MotionError(expected=f"rising frames from 0 to {clip.n_frames - 1}", got=f"{at[:3].tolist()} …")
    all_frames = np.arange(clip.n_frames, dtype=np.float64)
    roots, rotations = (PchipInterpolator(at, x[at])(all_frames) for x in (clip.root_positions, clip.rotations_wxyz))
    return replace(clip, root_positions=roots, rotations_wxyz=quaternions.normalise(rotations))
