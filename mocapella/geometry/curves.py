"""Ease functions from 0 to 1, curves through evenly spaced samples, and smoothing."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from jaxtyping import Float, Inexact

_HALVINGS = 30  # of the interval in which the parameter of a curve lies: a billionth is left


def catmull_rom(
    values: Float[np.ndarray, " samples *rest"], at: Float[np.ndarray, " points"]
) -> Float[np.ndarray, " points *rest"]:
    """Values of the Catmull–Rom cubic through evenly spaced samples; exact at whole indices.

    Each piece depends on the four nearest samples only, so a single bad one spreads no further than two. Beyond the
    ends the end values' differences go on.

    ``at`` is the fractional indices; those outside the samples are moved to the nearer end.
    """
    last = len(values) - 1
    at = np.clip(at, 0.0, last)
    start = at.astype(np.int64)
    u = (at - start).reshape(-1, *(1,) * (values.ndim - 1))
    p1, p2 = values[start], values[np.minimum(start + 1, last)]
    before = np.where((start > 0).reshape(u.shape), values[np.maximum(start - 1, 0)], 2.0 * p1 - p2)
    after = np.where((start < last - 1).reshape(u.shape), values[np.minimum(start + 2, last)], 2.0 * p2 - p1)
    m1, m2 = 0.5 * (p2 - before), 0.5 * (after - p1)
    rise = p2 - p1
    return np.asarray(p1 + u * (m1 + u * (3.0 * rise - 2.0 * m1 - m2 + u * (m1 + m2 - 2.0 * rise))))


Share = TypeVar("Share", float, np.ndarray)


def bezier(
    first: Float[np.ndarray, "*#shape"], second: Float[np.ndarray, "*#shape"], at: Float[np.ndarray, "*#shape"]
) -> Float[np.ndarray, "*out"]:
    """Cubic curves of Bézier from 0 to 1 with two handles between, at parameters from 0 to 1."""
    return np.asarray(3.0 * (1.0 - at) ** 2 * at * first + 3.0 * (1.0 - at) * at**2 * second + at**3)


def bezier_parameter(
    first: Float[np.ndarray, "*#shape"], second: Float[np.ndarray, "*#shape"], value: Float[np.ndarray, "*#shape"]
) -> Float[np.ndarray, "*out"]:
    """Where such curves, with handles from 0 to 1, have a value from 0 to 1."""
    shape = np.broadcast_shapes(first.shape, second.shape, value.shape)
    low, high = np.zeros(shape), np.ones(shape)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        early = bezier(first, second, middle) < value
        low, high = np.where(early, middle, low), np.where(early, high, middle)
    return high


def smoothstep(share: Share) -> Share:
    """The cubic ``3u² − 2u³`` from 0 at 0 to 1 at 1, level at both ends.

    ``share`` is a number or an array between 0 and 1; what lies beyond is for the caller to cut off.

    Examples
    --------
    >>> smoothstep(0.25), smoothstep(np.array([0.0, 0.5, 1.0])).tolist()
    (0.15625, [0.0, 0.5, 1.0])
    """
    eased: Share = share * share * (3.0 - 2.0 * share)
    return eased


def ease(values: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The quintic ``6u⁵ − 15u⁴ + 10u³``, with no velocity or acceleration at either end."""
    u = np.clip(values, 0.0, 1.0)
    return np.asarray(u * u * u * (u * (6.0 * u - 15.0) + 10.0))


def bump(values: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """A smooth bump: 0 outside 0 … 1, 1 in the middle, level at both ends."""
    u = np.clip(values, 0.0, 1.0)
    return np.asarray(64.0 * (u * (1.0 - u)) ** 3)


def bell_smooth(values: Float[np.ndarray, " frames *rest"], half_width: int) -> Float[np.ndarray, " frames *rest"]:
    """A running mean under a Hann window along the first axis; the ends are held.

    The window is ``2 half_width + 1`` samples wide; below 1 nothing is smoothed.
    """
    if half_width < 1:
        return values.copy()
    from scipy.ndimage import convolve1d  # SciPy takes long to import, and a player does not need it

    bell = np.hanning(2 * half_width + 3)[1:-1]
    return np.asarray(convolve1d(values, bell / bell.sum(), axis=0, mode="nearest"))


def smooth_above(values: Float[np.ndarray, " frames"], half_width: int) -> Float[np.ndarray, " frames"]:
    """A smooth curve that is nowhere below the values.

    ``half_width`` is that of the running maximum and of the window that smooths it, samples.
    """
    from scipy.ndimage import maximum_filter1d  # SciPy takes long to import, and a player does not need it

    return bell_smooth(maximum_filter1d(values, 2 * half_width + 1, mode="nearest"), half_width)


def smoothest(
    goals: Inexact[np.ndarray, " frames *rest"],
    weights: Float[np.ndarray, " frames"],
    stiffness: float,
    tension: float = 0.0,
) -> Inexact[np.ndarray, " frames *rest"]:
    """The smooth signals ``x`` that solve ``weights · x + stiffness · D₂ᵀD₂ x + tension · D₁ᵀD₁ x = goals``.

    With ``goals = weights · y`` that is the least squares fit to ``y`` whose first and second differences cost as much
    as ``tension`` and ``stiffness`` say.

    ``goals`` have one row a frame, at least three; ``weights`` are 0 or more, not all 0.
    """
    n = len(goals)
    bands = np.zeros((3, n))  # of a symmetric matrix: the diagonal last, as scipy wants it
    bands[2] = weights
    for i, value in enumerate((1.0, 4.0, 1.0)):
        bands[2, i : n - 2 + i] += stiffness * value
    bands[1, 1:-1] -= 2.0 * stiffness
    bands[1, 2:] -= 2.0 * stiffness
    bands[0, 2:] += stiffness
    bands[2, :-1] += tension
    bands[2, 1:] += tension
    bands[1, 1:] -= tension
    from scipy.linalg import solveh_banded  # takes long to import, and reading a file does not need it

    return np.asarray(solveh_banded(bands, goals))
