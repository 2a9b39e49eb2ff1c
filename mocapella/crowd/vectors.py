"""Vectors and rotations of many characters, component by component: arrays of shape (3, …) and (3, 3, …)."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def smooth(x: Array) -> Array:
    """The smooth step of numbers from 0 to 1."""
    return np.asarray(x * x * (3.0 - 2.0 * x))


def smooth_clipped(x: Array) -> Array:
    """The smooth step of any numbers."""
    return smooth(np.minimum(np.maximum(x, 0.0), 1.0))


def dot(a: Array, b: Array) -> Array:
    """Inner products."""
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cross(a: Array, b: Array) -> Array:
    """Outer products."""
    out = np.empty_like(a)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.subtract(a[j] * b[k], a[k] * b[j], out=out[i])
    return out


def length(vector: Array) -> Array:
    """Lengths of vectors of any number of components."""
    square = vector * vector
    return np.asarray(np.sqrt(square[0] + square[1] if len(square) == 2 else square[0] + square[1] + square[2]))


def power(x: Array, exponent: Array | np.float32) -> Array:
    """Powers of numbers from 0 on."""
    return np.asarray(np.exp(exponent * np.log(np.maximum(x, 1e-30))))


def turned(matrix: Array, vector: Array) -> Array:
    """Vectors turned by rotations."""
    return np.asarray(matrix[:, 0] * vector[0] + matrix[:, 1] * vector[1] + matrix[:, 2] * vector[2])


def product(a: Array, b: Array) -> Array:
    """The rotation ``b`` followed by ``a``."""
    return np.asarray(a[:, 0, None] * b[None, 0] + a[:, 1, None] * b[None, 1] + a[:, 2, None] * b[None, 2])


def matrix(w: Array, x: Array, y: Array, z: Array) -> Array:
    """Rotations of quaternions of any length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    xs, ys, zs = x * s, y * s, z * s
    wx, wy, wz, xx, xy, xz = w * xs, w * ys, w * zs, x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    out = np.empty((3, 3, *w.shape), dtype=w.dtype)
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - (yy + zz), xy - wz, xz + wy
    out[1, 0], out[1, 1], out[1, 2] = xy + wz, 1.0 - (xx + zz), yz - wx
    out[2, 0], out[2, 1], out[2, 2] = xz - wy, yz + wx, 1.0 - (xx + yy)
    return out


def between(a: Array, b: Array) -> Array:
    """The smallest rotations from one direction to another."""
    x, y, z = cross(a, b)
    w = np.sqrt(dot(a, a) * dot(b, b)) + dot(a, b)
    return matrix(np.maximum(w, 1e-12), x, y, z)


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
