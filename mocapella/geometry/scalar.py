"""Quaternions ``(w, x, y, z)`` and vectors of a single pose in plain floats, as ``geometry.quaternions`` for many.

A player multiplies a dozen quaternions per step; each product costs half a microsecond here and fifteen in numpy.
"""

from __future__ import annotations

import math

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)  # wxyz


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation ``b`` followed by ``a``."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """The opposite rotation."""
    return q[0], -q[1], -q[2], -q[3]


def seen_from(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation ``b`` in the frame of ``a``: ``b`` followed by the opposite of ``a``."""
    return multiply(conjugate(a), b)


def rotate(q: Quaternion, v: Vector) -> Vector:
    """A vector turned by a unit quaternion."""
    w, x, y, z = q
    a, b, c = v
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx


def about(axis: Vector, angle: float) -> Quaternion:
    """The rotation by ``angle`` radians about an axis of length one."""
    s = math.sin(0.5 * angle)
    return math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]


def between(u: Vector, v: Vector) -> Quaternion:
    """The smallest rotation from the direction of ``u`` to that of ``v``; none where one has no length."""
    a, b, c = u
    i, j, k = v
    w = math.sqrt((a * a + b * b + c * c) * (i * i + j * j + k * k)) + a * i + b * j + c * k
    x, y, z = b * k - c * j, c * i - a * k, a * j - b * i
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if length < 1e-12:
        return NO_TURN
    return w / length, x / length, y / length, z / length


def add(u: Vector, v: Vector) -> Vector:
    """The sum of two vectors."""
    return u[0] + v[0], u[1] + v[1], u[2] + v[2]


def minus(u: Vector, v: Vector) -> Vector:
    """The difference ``u − v``."""
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


def dot(u: Vector, v: Vector) -> float:
    """The inner product."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def length(v: Vector) -> float:
    """The length of a vector."""
    return math.hypot(*v)
