"""Angles on the circle, in radians."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

TURN = 2.0 * np.pi  # radians in a full turn


def wrap(angles: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The same angles, radians, between −π (excluded) and π (included); angles already there stay as they are."""
    rest = np.fmod(angles, TURN)  # exact however many turns there are
    rest = np.where(rest > np.pi, rest - TURN, rest)
    return np.asarray(np.where(rest <= -np.pi, rest + TURN, rest))


def difference(to: Float[np.ndarray, "*shape"], start: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The shorter way round the circle from one angle to another; half a turn counts as positive.

    All in radians; the result lies between −π (excluded) and π.
    """
    return wrap(np.asarray(to - start))


def circular_mean(
    angles: Float[np.ndarray, "*batch count"], weights: Float[np.ndarray, "*batch count"] | None = None
) -> Float[np.ndarray, "*batch"]:
    """The direction of the weighted sum of unit vectors.

    ``angles`` are averaged over their last axis by ``weights``, all the same if None. Returns radians, −π … π; 0 where
    the vectors cancel out.

    Examples
    --------
    >>> degrees = circular_mean(np.radians([10.0, 350.0])) * 180 / np.pi
    >>> abs(round(float(degrees), 9))
    0.0
    """
    shares = np.ones_like(angles) if weights is None else weights
    total = np.sum(shares * np.exp(1j * angles), axis=-1)
    cancelled = np.abs(total) <= 1e-12 * np.sum(np.abs(shares), axis=-1)
    return np.asarray(np.where(cancelled, 0.0, np.angle(total)))
