"""Soft steps from 0 to 1 and gentle smoothing: what makes planned curves run on without corners."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.ndimage import convolve1d, maximum_filter1d

Values = Float[np.ndarray, "*shape"]


def ease(values: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """From 0 at or below 0 to 1 at or above 1, with no velocity or acceleration at either end."""
    u = np.clip(values, 0.0, 1.0)
    return np.asarray(u * u * u * (u * (6.0 * u - 15.0) + 10.0))


def bump(values: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """0 outside 0 … 1, rising softly to 1 in the middle."""
    u = np.clip(values, 0.0, 1.0)
    return np.asarray(64.0 * (u * (1.0 - u)) ** 3)


def smooth(values: Float[np.ndarray, " frames *rest"], half_width: int) -> Float[np.ndarray, " frames *rest"]:
    """A running mean under a bell ``2 half_width + 1`` samples wide; the ends are held."""
    if half_width < 1:
        return values.copy()
    bell = np.hanning(2 * half_width + 3)[1:-1]
    return np.asarray(convolve1d(values, bell / bell.sum(), axis=0, mode="nearest"))


def smooth_above(values: Float[np.ndarray, " frames"], half_width: int) -> Float[np.ndarray, " frames"]:
    """A smooth curve that is nowhere below the values."""
    return smooth(maximum_filter1d(values, 2 * half_width + 1, mode="nearest"), half_width)
