"""Rotations that need fewer than three angles: joints that bend about one axis or two."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.geometry import euler


def fit(q: Float[np.ndarray, "frames 4"], order: str, *, within: float) -> Float[np.ndarray, "frames axes"] | None:
    """Angles about the axes of ``order``, none to three, that run on from frame to frame.

    None where they cannot make the rotations, leaving out ``within`` radians.

    Examples
    --------
    >>> bent = euler.to_quaternion(np.radians([[10.0], [200.0]]), "X")
    >>> np.round(np.degrees(fit(bent, "X", within=1e-9)), 6).tolist(), fit(bent, "Y", within=1e-9)
    ([[10.0], [-160.0]], None)
    """
    if len(order) == 3:
        return euler.unroll(euler.from_quaternion(q, order), order)
    if order == "":
        return np.zeros((len(q), 0)) if _is_small(q[:, 1:], within) else None
    i = "XYZ".index(order[0])
    j = "XYZ".index(order[1]) if len(order) == 2 else (i + 1) % 3
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    # Half the first angle is where both of these point; half the second is how the length is shared among them.
    even = np.stack([q[:, 0], q[:, 1 + i]], axis=-1)
    odd = np.stack([q[:, 1 + j], sign * q[:, 1 + k]], axis=-1)
    longer = np.where((np.hypot(*even.T) >= np.hypot(*odd.T))[:, None], even, odd)
    pointer = longer / np.hypot(*longer.T)[:, None]
    square = pointer[:, ::-1] * [-1.0, 1.0]
    off = np.stack([(even * square).sum(axis=-1), (odd * square).sum(axis=-1)])
    first = 2.0 * np.arctan2(pointer[:, 1], pointer[:, 0])
    second = 2.0 * np.arctan2((odd * pointer).sum(axis=-1), (even * pointer).sum(axis=-1))
    if len(order) == 1:
        return np.unwrap(first, axis=0)[:, None] if _is_small(odd, within) else None
    return np.unwrap(np.stack([first, second], axis=-1), axis=0) if _is_small(off, within) else None


def _is_small(halves: Float[np.ndarray, "*shape"], within: float) -> bool:
    """Whether sines of half angles amount to no rotation worth keeping."""
    return bool(2.0 * np.abs(halves).max() <= within)
