"""Signals shaped by value and by time: waveshaping, displacement through key values, and motion warping.

Angles are given in degrees, heights and places in metres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.checks import real_or_nan, shown
from mocapella.editing.filters.dof_columns import Motion, Signals, signals_of
from mocapella.editing.parameters import Domain, EditError, JointNames, Seconds
from mocapella.editing.trajectory import in_new_frames
from mocapella.motion.clip import Clip

Signal = Float[np.ndarray, " frames"]

_MOST_KEYS = 10_000  # of a signal: more are a mistake
_LARGEST = 1e4  # degrees or metres


def waveshape(
    motion: Motion,
    *,
    dofs: JointNames,
    low: float | int | None = None,
    high: float | int | None = None,
    soft: Annotated[float | int, Domain(0.0, 1000.0)] = 0.0,
    shape: Sequence[Sequence[float | int]] = (),
) -> Motion:
    """Signals passed through a function of their value: limits, hard or soft, or any curve.

    Raises ``EditError`` where limits cross, or the shape has fewer than two values or the same twice.

    Parameters
    ----------
    motion
        A clip or a cycle.
    dofs
        Angles such as left_knee.x, or height.
    low
        Lower limit, degrees or metres.
    high
        Upper limit, degrees or metres.
    soft
        How far within a limit it begins to bend. 0 cuts the signal off; otherwise it comes to rest at the limit
        on a parabola, without a corner.
    shape
        Instead of limits: rows of a value and what becomes of it. Between them is a smooth curve that rises
        where they do, and straight on beyond.
    """
    signals = signals_of(motion, _angles_only(dofs))
    scale = np.array([_scale_of(name, signals) for name in signals.names])
    values = signals.values * scale
    shaped = _curve(shape)(values) if len(shape) else _limited(values, low, high, soft)
    return signals.with_values(np.where(shaped == values, signals.values, shaped / scale))


def displace(
    motion: Motion, *, keys: Annotated[Mapping[str, Any], Domain(names_joints=True)], span: Seconds = 0.0
) -> Motion:
    """Signals that pass through key values: a smooth displacement is added, and detail stays.

    The displacement is a cubic spline, 0 beyond the span. Raises ``EditError`` where a dof or a frame does not exist,
    or a frame is named twice.

    Parameters
    ----------
    motion
        A clip, or a cycle, whose keys come again in every round.
    keys
        Dof → rows of frame and value. A frame is a row of the source or a frame of the cycle; values are
        degrees or metres.
    span
        Before and after the keys; 0 for all of the motion (s). Over it the displacement grows and goes.
    """
    signals = signals_of(motion, _angles_only(list(keys)))
    values = np.array(signals.values)
    for name, rows in _by_column(signals, keys, motion).items():
        column = signals.names.index(name)
        frames = np.array([row[0] for row in rows])
        wanted = np.array([row[1] for row in rows]) / _scale_of(name, signals)
        shifts = wanted - values[frames, column]
        n = motion.n_frames
        if isinstance(motion, Clip):
            values[:, column] += _displacement(frames, shifts, n, span * motion.frame_rate)
        elif span > 0.0:  # what grows before one round begins and goes after it ends belongs to its neighbours
            rounds = _displacement(frames + n, shifts, 3 * n, min(span * motion.frame_rate, float(n)))
            values[:, column] += rounds.reshape(3, n).sum(axis=0)
        else:
            round_ = scipy.interpolate.CubicSpline([*frames, frames[0] + n], [*shifts, shifts[0]], bc_type="periodic")
            values[:, column] += round_(frames[0] + (np.arange(n) - frames[0]) % n)
    return signals.with_values(values)


def warp(
    motion: Clip,
    *,
    keys: Annotated[Mapping[str, Any] | None, Domain(names_joints=True)] = None,
    times: Sequence[Sequence[float | int]] = (),
    tension: Annotated[float | int, Domain(0.0, 1.0)] = 0.0,
) -> Clip:
    """Motion warping: signals scaled and shifted through keys, time warped through pairs.

    Each signal becomes ``a(t) θ(t) + b(t)``, and time ``t = g(t′)``; ``a``, ``b`` and ``g`` are cardinal splines
    through their keys. The ends of the clip act as keys where nothing changes.

    Raises ``EditError`` where time would run backwards, or a dof or a frame does not exist.

    Parameters
    ----------
    motion
        A clip.
    keys
        Dof → rows of frame, value and, if given, factor. A frame is a row of the source; values are degrees or
        metres; the factor ``a`` is 1 if left out.
    times
        Rows of a frame and the frame at which it is shown.
    tension
        Of the splines. 0 is Catmull and Rom's, 1 has no slope at keys.
    """
    warped: Motion = motion
    if keys:
        signals = signals_of(motion, _angles_only(list(keys)))
        values = np.array(signals.values)
        at = np.arange(motion.n_frames, dtype=np.float64)
        for name, rows in _by_column(signals, keys, motion, factors=True).items():
            column = signals.names.index(name)
            frames = [int(row[0]) for row in rows]
            factors = [row[2] if len(row) > 2 else 1.0 for row in rows]
            wanted = np.array([row[1] / _scale_of(name, signals) for row in rows])
            shifts = (wanted - np.array(factors) * values[frames, column]).tolist()
            a = _cardinal(*_with_ends(frames, factors, 1.0, motion.n_frames), at, tension)
            b = _cardinal(*_with_ends(frames, shifts, 0.0, motion.n_frames), at, tension)
            values[:, column] = a * values[:, column] + b
        warped = signals.with_values(values)
    assert isinstance(warped, Clip)
    return _in_time(warped, times, tension) if len(times) else warped


def _in_time(clip: Clip, times: Sequence[Sequence[float | int]], tension: float | int) -> Clip:
    """The clip shown in another time, whose ends stay."""
    rows = sorted(tuple(float(value) - clip.first_row for value in row) for row in times)
    last = clip.n_frames - 1
    if any(len(row) != 2 or not np.isfinite(row).all() or not 0.0 <= min(row) <= max(row) <= last for row in rows):
        raise EditError(expected="pairs of a frame and the frame it is shown at, within the clip", got=shown(times))
    pairs = [(0.0, 0.0), *(row for row in rows if 0.0 < row[0] < last), (float(last), float(last))]
    old, new = np.array(pairs).T
    if np.any(np.diff(new) <= 0.0) or np.any(np.diff(old) <= 0.0):
        raise EditError("time would run backwards", helps="frames that are shown later must come later")
    at = np.clip(_cardinal(new, old, np.arange(clip.n_frames, dtype=np.float64), tension), 0.0, float(last))
    if np.any(np.diff(at) < 0.0):
        raise EditError("time would run backwards between two keys", helps="use more tension, or keys less far apart")
    shown_clip = in_new_frames(clip, at)
    return replace(shown_clip, first_row=clip.first_row, report=clip.report.without_rows())


def _limited(values: np.ndarray, low: float | int | None, high: float | int | None, soft: float | int) -> np.ndarray:
    if low is not None and high is not None and low + 2.0 * soft > high:
        raise EditError(
            expected="a lower limit below the upper one, with room for the soft parts", got=(low, high, soft)
        )
    if low is None and high is None:
        raise EditError("a limit or a shape is needed")
    if high is not None:
        values = -_from_below(-values, -high, soft)
    return values if low is None else _from_below(values, low, soft)


def _from_below(values: np.ndarray, low: float, soft: float | int) -> np.ndarray:
    """Values that come to rest at a lower limit: as they are above ``low + soft``, then a parabola with that slope."""
    if soft <= 0.0:
        return np.asarray(np.maximum(values, low))
    near = np.clip((values - (low - soft)) / (2.0 * soft), 0.0, 1.0)  # 1 where the bend begins, 0 where it ends
    return np.where(values >= low + soft, values, low + soft * near * near)


def _curve(shape: Sequence[Sequence[float | int]]) -> Any:
    """The smooth function through rows of a value and what becomes of it."""
    rows = sorted(tuple(float(value) for value in row) for row in shape)
    xs = [row[0] for row in rows]
    if len(rows) < 2 or any(len(row) != 2 or not np.isfinite(row).all() for row in rows) or len(set(xs)) < len(xs):
        raise EditError(expected="two or more rows of a value and what becomes of it, no value twice", got=shown(shape))
    x, y = np.array(rows).T
    inside = scipy.interpolate.PchipInterpolator(x, y)
    slopes = inside.derivative()(x[[0, -1]])

    def function(values: np.ndarray) -> np.ndarray:
        within = np.clip(values, x[0], x[-1])
        beyond = values - within
        return np.asarray(inside(within) + beyond * np.where(beyond < 0.0, slopes[0], slopes[1]))

    return function


def _displacement(frames: np.ndarray, shifts: np.ndarray, n_frames: int, span: float) -> Signal:
    """The cubic spline through shifts at keys, level and 0 where it begins and ends; ``span`` in frames."""
    last = n_frames - 1
    away = max(round(span), 1) if span > 0.0 else last + 1
    first, end = max(int(frames[0]) - away, 0), min(int(frames[-1]) + away, last)
    xs, ys = list(frames.astype(np.float64)), list(shifts)
    if first < frames[0]:
        xs, ys = [float(first), *xs], [0.0, *ys]
    if end > frames[-1]:
        xs, ys = [*xs, float(end)], [*ys, 0.0]
    if len(xs) == 1:
        return np.where(np.arange(last + 1) == int(xs[0]), ys[0], 0.0)
    at = np.arange(last + 1, dtype=np.float64)
    curve = scipy.interpolate.CubicSpline(xs, ys, bc_type="clamped")(np.clip(at, xs[0], xs[-1]))
    return np.asarray(np.where((at >= xs[0]) & (at <= xs[-1]), curve, 0.0))


def _with_ends(frames: list[int], values: list[float], rest: float, n_frames: int) -> tuple[Signal, Signal]:
    """Keys with the ends of the clip added, where nothing changes."""
    all_keys = {0: rest, n_frames - 1: rest, **dict(zip(frames, values, strict=True))}
    order = sorted(all_keys)
    return np.array(order, dtype=np.float64), np.array([all_keys[frame] for frame in order])


def _cardinal(
    keys: Float[np.ndarray, " keys"], values: Float[np.ndarray, " keys"], at: Signal, tension: float | int
) -> Signal:
    """The cardinal spline through keys; each piece depends on the four nearest keys alone."""
    if len(keys) == 1:
        return np.full(len(at), values[0])
    slopes = np.zeros(len(keys))
    slopes[1:-1] = (1.0 - tension) * (values[2:] - values[:-2]) / (keys[2:] - keys[:-2])
    slopes[[0, -1]] = (1.0 - tension) * (np.diff(values)[[0, -1]] / np.diff(keys)[[0, -1]])
    i = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, len(keys) - 2)
    h = keys[i + 1] - keys[i]
    u = (at - keys[i]) / h
    p, q, m, n = values[i], values[i + 1], h * slopes[i], h * slopes[i + 1]
    rise = q - p
    return np.asarray(p + u * (m + u * (3.0 * rise - 2.0 * m - n + u * (m + n - 2.0 * rise))))


def _by_column(
    signals: Signals, keys: Mapping[str, Any], motion: Motion, *, factors: bool = False
) -> dict[str, list[tuple[float | int, ...]]]:
    """Keys by the name of their column, in order of frames of the clip, checked."""
    out: dict[str, list[tuple[float | int, ...]]] = {}
    for name, rows in keys.items():
        column = signals_of(motion, _angles_only([name])).names[0]
        listed = rows if isinstance(rows, list | tuple) else [rows]
        read = sorted(_read_key(name, row, motion, factors=factors) for row in listed)
        if not 1 <= len(read) <= _MOST_KEYS or len({row[0] for row in read}) < len(read) or column in out:
            raise EditError(f"expected keys of {name} at frames that differ, at least one")
        out[column] = [(int(row[0]), *row[1:]) for row in read]
    return out


def _read_key(name: str, row: object, motion: Motion, *, factors: bool) -> tuple[float, ...]:
    """One key: a frame of the motion, a value and, where they are allowed, a factor."""
    numbers = tuple(real_or_nan(value) for value in row) if isinstance(row, list | tuple) else ()
    if not 2 <= len(numbers) <= 2 + int(factors) or not all(abs(value) <= _LARGEST * 1e3 for value in numbers):
        raise EditError(expected=f"[frame, value] for each key of {name}", got=shown(row))
    first_row = motion.first_row if isinstance(motion, Clip) else 0
    frame = round(numbers[0]) - first_row
    if not 0 <= frame < motion.n_frames or abs(numbers[1]) > _LARGEST:
        rows_there = f"{first_row} to {first_row + motion.n_frames - 1}"
        raise EditError(expected=f"a key of {name} at a frame from {rows_there}", got=shown(row))
    return (float(frame), *numbers[1:])


def _angles_only(dofs: Sequence[str]) -> list[str]:
    """Names that stand for one signal each."""
    if not dofs:
        raise EditError("name the dofs to change, left_knee.x or height say")
    joints = [name for name in dofs if "." not in name and name not in ("height", "heading", "x", "z")]
    if joints:
        raise EditError(f"{joints[0]!r} stands for a whole joint", helps=f"name an axis, {joints[0]}.x say")
    return list(dofs)


def _scale_of(name: str, signals: Signals) -> float:
    """The factor from a signal to the unit of its parameters: degrees, or metres."""
    return 1.0 if name in signals.root and name not in ("heading", "yaw_rate") else 180.0 / np.pi
