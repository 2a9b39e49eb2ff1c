"""Vectors and rotations of many characters, component by component: arrays of shape (3, …) and (3, 3, …).

Sums of products are ``einsum``: one pass over memory for each product, where operators take two and more calls. What is
added to or multiplied by something is so in place: a pass over two arrays takes little more than half as long as one
over three.
"""

from __future__ import annotations

import math

import numpy as np

from mocapella.geometry.quaternions import turning

Array = np.ndarray
_ARCTANGENT = np.array(
    [0.0028662257, -0.0161657367, 0.0429096138, -0.07528964, 0.1065626393, -0.1420889944, 0.1999355085, -0.3333314528],
    dtype=np.float32,
)  # of x², highest power first: the arctangent of x from 0 to 1 is x + x · x² · …

# What makes a rotation, row by row, of the squares of a quaternion.
_OF_SQUARES = np.stack([turning(axis) for axis in np.eye(3)], axis=1).reshape(9, 10).astype(np.float32)


def smooth(x: Array) -> Array:
    """The smooth step of numbers from 0 to 1."""
    out = np.float32(-2.0) * x
    out += np.float32(3.0)
    out *= x
    out *= x
    return np.asarray(out)


def smooth_clipped(x: Array) -> Array:
    """The smooth step of any numbers."""
    return smooth(np.clip(x, np.float32(0.0), np.float32(1.0)))


def chosen(mask: Array, one: Array | np.int32, other: Array | np.int32) -> Array:
    """``one`` where a mask holds, else ``other``, to rounding; ``np.where`` takes thrice as long for mixed masks."""
    out = one - other
    out *= mask
    out += other
    return np.asarray(out)


def dot(a: Array, b: Array) -> Array:
    """Inner products."""
    return np.asarray(np.einsum("i...,i...->...", a, b))


def cross(a: Array, b: Array, out: Array | None = None) -> Array:
    """Outer products."""
    if out is None:
        out = np.empty_like(a)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[j], b[k], out=out[i])
        out[i] -= a[k] * b[j]
    return out


def length(vector: Array) -> Array:
    """Lengths of vectors of any number of components."""
    return np.asarray(np.sqrt(dot(vector, vector)))


def power(x: Array, exponent: Array | np.float32) -> Array:
    """Powers of numbers from 0 on."""
    out = np.maximum(x, np.float32(1e-30))
    np.log(out, out=out)
    out *= exponent
    return np.asarray(np.exp(out, out=out))


def arctan2(y: Array, x: Array) -> Array:
    """Angles of points, to 1e-7 radians (Abramowitz and Stegun 4.4.49); NumPy's takes five times as long."""
    along, across = np.abs(x), np.abs(y)
    steep = across > along
    part = np.minimum(along, across) / np.maximum(np.maximum(along, across), np.float32(1e-37))
    square = part * part
    angle = square * _ARCTANGENT[0]
    for coefficient in _ARCTANGENT[1:]:
        angle += coefficient
        angle *= square
    angle += np.float32(1.0)
    angle *= part
    angle += steep * (np.float32(0.5 * math.pi) - 2.0 * angle)
    angle += (x < 0.0) * (np.float32(math.pi) - 2.0 * angle)
    return np.asarray(np.copysign(angle, y, out=angle))


def turned(matrix: Array, vector: Array) -> Array:
    """Vectors turned by rotations."""
    return np.asarray(np.einsum("im...,m...->i...", matrix, vector))


def product(a: Array, b: Array, out: Array | None = None) -> Array:
    """The rotation ``b`` followed by ``a``; ``b`` may have more columns."""
    return np.asarray(np.einsum("im...,mk...->ik...", a, b, out=out))


def rotations(quaternions: Array) -> Array:
    """Rotations (…, 3, 3, lanes) of quaternions (…, 4, lanes), w, x, y, z; those are brought to length one in place.

    A rotation is linear in the quaternion's squares (``quaternions.squares``). A product of matrices takes a fifth of
    the time of sums, each of which is a pass over memory.
    """
    norms = np.einsum("...in,...in->...n", quaternions, quaternions)
    quaternions /= np.sqrt(norms, out=norms)[..., None, :]
    *some, _, n = quaternions.shape
    squares = np.empty((*some, 10, n), dtype=np.float32)
    begin = 0
    for first in range(4):
        end = begin + 4 - first
        one, others = quaternions[..., first : first + 1, :], quaternions[..., first:, :]
        np.multiply(one, others, out=squares[..., begin:end, :])
        begin = end
    return np.asarray(np.matmul(_OF_SQUARES, squares).reshape(*some, 3, 3, n))


def between(a: Array, b: Array) -> Array:
    """The smallest rotations from one direction to another, of two feet (3, 2, lanes)."""
    _, feet, n = a.shape
    quaternions = np.empty((feet, 4, n), dtype=np.float32)
    both = dot(a, a)
    both *= dot(b, b)
    np.sqrt(both, out=both)
    both += dot(a, b)
    np.maximum(both, np.float32(1e-12), out=quaternions[:, 0])
    cross(a, b, out=quaternions[:, 1:].swapaxes(0, 1))
    return rotations(quaternions).transpose(1, 2, 0, 3)


def about(axis: Array, cosine: Array, sine: Array) -> Array:
    """Rotations about axes of length one."""
    rest = 1.0 - cosine
    out = (rest * axis)[:, None] * axis[None]
    for i in range(3):
        out[i, i] += cosine
    x, y, z = sine * axis
    out[0, 1] -= z
    out[0, 2] += y
    out[1, 0] += z
    out[1, 2] -= x
    out[2, 0] -= y
    out[2, 1] += x
    return np.asarray(out)


def unit(vector: Array) -> Array:
    """Vectors brought to length one; those of no length stay as they are."""
    return np.asarray(vector / np.maximum(length(vector), 1e-12))
