"""Euler angles in all twelve orders, read as BVH writes them, and joints with fewer than three of them.

An order names the factors of the matrix product from left to right: ``"ZXY"`` is ``Rz · Rx · Ry``, rotations about
the body's own, moving axes. Orders with one or two letters turn about those axes only.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from jaxtyping import Float

from mocapella.geometry.angles import TURN

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")
_BLOCK = 4096  # rotations multiplied out together: what lies between stays in the cache
_SINGULAR = 1e-10  # radians from the singular middle angle at which only the sum of the outer two is defined


def complete(order: str) -> str:
    """The order with its missing axes appended, so that it describes every rotation.

    Examples
    --------
    >>> complete("ZX")
    'ZXY'
    """
    return order + "".join(letter for letter in "XYZ" if letter not in order) if len(order) < 3 else order


def check(order: str) -> str:
    """The order itself; ``ValueError`` unless it is one to three of XYZ with no letter twice in a row."""
    doubled = any(a == b for a, b in pairwise(order))
    if not 1 <= len(order) <= 3 or set(order) - set("XYZ") or doubled:
        raise ValueError(f"expected a rotation order such as 'ZXY', 'ZXZ' or 'X', got {order!r}")
    return order


def to_quaternion(
    angles: Float[np.ndarray, "*batch axes"],
    order: str,
    *,
    degrees: bool = False,
    out: Float[np.ndarray, "*batch 4"] | None = None,
) -> Float[np.ndarray, "*batch 4"]:
    """Unit quaternions of Euler ``angles`` in radians, or ``degrees``, one for each letter of ``order``.

    They are written to ``out`` if it is given.
    """
    check(order)
    if angles.shape[-1] != len(order):
        raise ValueError(f"order {order!r} wants {len(order)} angles, got {angles.shape[-1]}")
    if out is not None and not out.flags.c_contiguous:
        out[...] = to_quaternion(angles, order, degrees=degrees)
        return out
    quaternions = np.empty((*angles.shape[:-1], 4)) if out is None else out
    half = np.pi / 360.0 if degrees else 0.5
    # Blocks of whole rows: what lies between stays in the cache, and columns cut from a table are copied bit by bit.
    group = angles.shape[-2] if angles.ndim > 2 else 1
    table, flat = angles.reshape(-1, group, len(order)), quaternions.reshape(-1, 4)
    step = max(1, _BLOCK // max(group, 1))
    for start in range(0, len(table), step):
        block = table[start : start + step].reshape(-1, len(order))
        if block.size:
            _fill(np.multiply(block.T, half, order="C"), order, flat[start * group : start * group + len(block)])
    return quaternions


def _fill(halves: Float[np.ndarray, "axes count"], order: str, out: Float[np.ndarray, "count 4"]) -> None:
    """Write the quaternions of half angles, one row per axis, into ``out``."""
    if len(order) < 3:
        out[:] = 0.0
    _multiply_out(np.tan(halves), order, out)
    if max(float(halves.max()), -float(halves.min())) > 0.5 * np.pi:
        turns = np.rint(halves / np.pi).sum(axis=0)  # the tangent forgets them, but they change a quaternion's sign
        out[np.flatnonzero(turns.astype(np.int64) & 1)] *= -1.0


def _multiply_out(tangents: Float[np.ndarray, "axes count"], order: str, out: Float[np.ndarray, "count 4"]) -> None:
    """Write the product of rotations, given by the tangents of their half angles, into ``out``; zeros there stay.

    A rotation about one axis is (1, tan) brought to length one. Lengths multiply, so those of all factors are taken out
    at the end. numpy finds tangents faster than sines, and half a turn has a large one, not an infinite one.
    """
    squares = tangents * tangents
    squares += 1.0
    shares = 1.0 / np.sqrt(np.multiply.reduce(squares, axis=0))
    a = tangents[0]
    i = "XYZ".index(order[0])
    if len(order) == 1:
        parts = {0: np.ones_like(a), 1 + i: a}
    else:
        # The first two factors leave one product in each component, the third axis with the sign of i × j = ±k.
        b = tangents[1]
        j = "XYZ".index(order[1])
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        both = sign * a * b
        if len(order) == 2:
            parts = {0: np.ones_like(a), 1 + i: a, 1 + j: b, 4 - i - j: both}
        elif order[2] == order[0]:
            c = tangents[2]
            parts = {0: 1.0 - a * c, 1 + i: a + c, 1 + j: b + sign * both * c, 4 - i - j: both - sign * b * c}
        else:
            c = tangents[2]
            signed = sign * c
            parts = {0: 1.0 - both * c, 1 + i: a + b * signed, 1 + j: b - a * signed, 4 - i - j: both + c}
    for component, part in parts.items():
        np.multiply(part, shares, out=out[:, component])


def from_quaternion(q: Float[np.ndarray, "*batch 4"], order: str) -> Float[np.ndarray, "*batch 3"]:
    """Euler angles in radians of unit quaternions, for one of the twelve full orders.

    The outer angles lie in −π … π; the middle one in −π/2 … π/2 for orders of three different axes, in 0 … π for
    those that repeat their first. At the singular middle angle the third angle is 0, and the first carries the turn.
    """
    if order not in ORDERS:
        raise ValueError(f"expected one of the twelve orders {', '.join(ORDERS)}, got {order!r}")
    i, j, k = ("XYZ".index(letter) for letter in order)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    w, a, b, c = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    # In the frame (i, j, k) the quaternion splits into a pair that shrinks to nothing as the (shifted) middle angle
    # nears π and one that does so near 0; the pairs' own angles are half the sum and half the difference of the outer
    # two. Three different axes become the other case after a quarter turn about j.
    even, odd = ((w, a), (b, c)) if proper else ((w - b, a - c), (w + b, a + c))
    middle = 2.0 * np.arctan2(np.hypot(*odd), np.hypot(*even))
    even_angle, odd_angle = np.arctan2(even[1], even[0]), np.arctan2(odd[1], odd[0])
    first, third = even_angle + odd_angle, even_angle - odd_angle
    low, high = middle < _SINGULAR, middle > np.pi - _SINGULAR
    first = np.where(low, 2.0 * even_angle, np.where(high, 2.0 * odd_angle, first))
    third = np.where(low | high, 0.0, third)
    if not proper:
        middle = middle - 0.5 * np.pi
        third = -sign * third
    out = np.stack([first, middle, third], axis=-1)
    out[..., ::2] -= TURN * np.round(out[..., ::2] / TURN)
    return np.asarray(out)


def unroll(angles: Float[np.ndarray, "frames *batch 3"], order: str) -> Float[np.ndarray, "frames *batch 3"]:
    """The same rotations with angles that run on from frame to frame instead of jumping by a turn or flipping over.

    Every rotation has two sets of Euler angles (and whole turns besides). Going over to the other set keeps distances,
    so whether to change sets between two frames does not depend on the frames before: one pass without a loop.
    """
    if len(angles) < 2:
        return angles.copy()
    other = other_set(angles, order)
    stay = np.abs(_wrapped(angles[1:] - angles[:-1])).sum(axis=-1)
    change = np.abs(_wrapped(other[1:] - angles[:-1])).sum(axis=-1)
    flipped = np.zeros(angles.shape[:-1], dtype=bool)
    flipped[1:] = np.logical_xor.accumulate(change < stay, axis=0)
    return np.asarray(np.unwrap(np.where(flipped[..., None], other, angles), axis=0))


def other_set(angles: Float[np.ndarray, "*batch 3"], order: str) -> Float[np.ndarray, "*batch 3"]:
    """The other set of angles that every rotation has, whole turns aside."""
    mirrored = -angles[..., 1] if order[0] == order[2] else np.pi - angles[..., 1]
    return np.stack([angles[..., 0] + np.pi, mirrored, angles[..., 2] + np.pi], axis=-1)


def _wrapped(angles: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    return np.asarray(angles - TURN * np.round(angles / TURN))


# Rotations that need fewer than three angles: joints that bend about one axis or two.


def fit(q: Float[np.ndarray, "frames 4"], order: str, *, within: float) -> Float[np.ndarray, "frames axes"] | None:
    """Angles about none to three axes that make given rotations, continuous from frame to frame.

    Parameters
    ----------
    q
        Unit quaternions over time.
    order
        The axes, such as ``"X"`` or ``"ZX"``; empty for a joint that does not turn.
    within
        Rotation that may be left out, radians.

    Returns
    -------
    array of shape (frames, axes) or None
        Radians; None where these axes cannot make the rotations.

    Examples
    --------
    >>> bent = to_quaternion(np.radians([[10.0], [200.0]]), "X")
    >>> np.round(np.degrees(fit(bent, "X", within=1e-9)), 6).tolist(), fit(bent, "Y", within=1e-9)
    ([[10.0], [-160.0]], None)
    """
    if len(order) == 3:
        return unroll(from_quaternion(q, order), order)
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
    """Whether sines of half angles amount to at most ``within`` radians."""
    return bool(2.0 * np.abs(halves).max() <= within)
