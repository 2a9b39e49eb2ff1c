"""Two-bone limbs: two rods joined by a hinge, bent until their end is where it should be.

``bend`` builds a limb between two places; ``bend_towards`` bends one that is posed already as little as it can,
``bend_one_towards`` does so for a single pose in plain floats.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions, scalar
from mocapella.geometry.curves import smoothstep
from mocapella.geometry.scalar import Quaternion, Vector

STRAIGHT, BENT = math.radians(5.0), math.radians(25.0)  # fold between which the pose comes to tell a knee's axis

Vectors = Float[np.ndarray, "*batch 3"]
Lengths = Float[np.ndarray, " frames"]
Places = Float[np.ndarray, "frames 3"]


def bend(start: Vectors, goal: Vectors, hinge: Vectors, upper: float, lower: float) -> tuple[Vectors, Vectors, Vectors]:
    """Directions of the upper and the lower rod, and the hinge's axis, of a limb that runs from start to goal.

    The lower rod folds by a positive turn about the hinge, never the other way. A sideways axis is asked for, not a
    place for the knee to point at, because a leg that swings to and fro never comes near its own sideways axis, so the
    plane of the knee cannot flip. A goal out of reach is pointed at with the limb straight, one too near with the limb
    folded up; a goal at the start itself has no direction, and takes that of a limb hanging down.

    ``start`` and ``goal`` are the place where the limb begins and the wanted place of its end, ``upper`` and ``lower``
    the lengths of the rods, all in metres.
    """
    gap = goal - start
    distance = np.linalg.norm(gap, axis=-1, keepdims=True)
    apart = distance > 1e-12
    away = np.where(apart, gap / np.where(apart, distance, 1.0), np.array([0.0, -1.0, 0.0]))
    axis = hinge - np.einsum("...i,...i->...", hinge, away)[..., None] * away
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    along = length < 1e-6 * np.maximum(np.linalg.norm(hinge, axis=-1, keepdims=True), 1e-6)
    aside = np.cross(away, np.eye(3)[np.argmin(np.abs(away), axis=-1)])  # for a limb that lies along its hinge
    aside = aside / np.linalg.norm(aside, axis=-1, keepdims=True)
    axis = np.where(along, aside, axis / np.where(along, 1.0, length))
    reach = np.clip(distance, max(abs(upper - lower), 1e-9), upper + lower)
    lean = np.arccos(np.clip((upper**2 + reach**2 - lower**2) / (2.0 * upper * reach), -1.0, 1.0))
    fold = np.pi - np.arccos(np.clip((upper**2 + lower**2 - reach**2) / (2.0 * upper * lower), -1.0, 1.0))
    ahead = np.cross(axis, away)  # where a positive turn about the axis moves the limb's direction
    first = np.cos(lean) * away - np.sin(lean) * ahead
    return first, np.cos(fold) * first + np.sin(fold) * np.cross(axis, first), axis


def bend_towards(
    start: Places,
    knee: Places,
    end: Places,
    axis: Places,
    goal: Places,
    *,
    gently: bool = False,
    same_side: bool = False,
) -> tuple[Float[np.ndarray, "frames 4"], Float[np.ndarray, "frames 4"], Lengths]:
    """Rotations of knee and hip that bring the end of posed limbs to their goals.

    A knee that is bent backwards stays so where nothing is asked of it, and otherwise comes through to the front.

    ``start``, ``knee`` and ``end`` are places of the limb's joints, metres; the knee folds forwards by a positive turn
    about the unit ``axis``. ``gently`` lets a limb grow longer by less and less, the straighter it is, so that no knee
    snaps. ``same_side`` leaves a knee that is bent backwards on that side, whatever is asked of it. Returns the fold,
    the swing, and how far the limb then reaches, metres.
    """
    thigh, shank = knee - start, end - knee
    beside = _dot(thigh, axis) + _dot(shank, axis)  # what runs along the axis, no fold changes
    upper, lower = (rod - _dot(rod, axis)[:, None] * axis for rod in (thigh, shank))
    fold = np.arctan2(_dot(np.cross(upper, lower), axis), _dot(upper, lower))
    upper_length, lower_length = np.linalg.norm(upper, axis=-1), np.linalg.norm(lower, axis=-1)
    reach = np.linalg.norm(goal - start, axis=-1)
    if gently:
        now = np.linalg.norm(thigh + shank, axis=-1)
        room = np.maximum(np.sqrt((upper_length + lower_length) ** 2 + beside**2) - now, 1e-9)
        longer = np.maximum(reach - now, 0.0)
        reach = np.where(longer > 0.0, now - room * np.expm1(-longer / room), reach)
    cosines = np.clip(
        (reach**2 - beside**2 - upper_length**2 - lower_length**2) / (2.0 * upper_length * lower_length), -1.0, 1.0
    )
    size = np.arccos(cosines)
    shorter = np.cos(fold) - cosines  # than the limb is now
    forward = np.clip(shorter / np.maximum(1.0 - np.cos(fold), 1e-12), 0.0, 1.0)
    new = np.where(fold < 0.0, -size if same_side else (2.0 * forward - 1.0) * size, size)
    folded = quaternions.from_rotvec((new - fold)[:, None] * axis)
    swing = quaternions.between(knee + quaternions.rotate(folded, shank) - start, goal - start)
    reached = np.sqrt(upper_length**2 + lower_length**2 + 2.0 * upper_length * lower_length * np.cos(new) + beside**2)
    return folded, swing, np.asarray(reached)


def bend_one_towards(
    start: Vector, knee: Vector, end: Vector, goal: Vector, hinge: Vector, straightest: float = 1.0
) -> tuple[Quaternion, Quaternion, float]:
    """The same as ``bend_towards`` for a single limb, about the axis its knee is bent about now.

    Rods that are nearly in line, or bent against the hinge, tell next to nothing about that axis, and what they tell
    may swing round within a frame: the straighter the knee, the more it bends about its hinge.

    ``start``, ``knee``, ``end`` and ``goal`` are places of the limb's joints and the wanted place of its end, metres. A
    positive turn about ``hinge``, the axis of a straight knee, folds the limb. It reaches at most the share
    ``straightest`` of its length.
    """
    # Sums are written out: calls would take as long, and a player does this for both legs at every step.
    (hx, hy, hz), (kx, ky, kz), (ex, ey, ez), (gx, gy, gz) = start, knee, end, goal
    tx, ty, tz = thigh = (kx - hx, ky - hy, kz - hz)
    sx, sy, sz = shank = (ex - kx, ey - ky, ez - kz)
    wx, wy, wz = wanted = (gx - hx, gy - hy, gz - hz)
    upper, lower = math.sqrt(tx * tx + ty * ty + tz * tz), math.sqrt(sx * sx + sy * sy + sz * sz)
    far = math.sqrt(wx * wx + wy * wy + wz * wz)
    reach = min(max(far, abs(upper - lower) + 1e-6), straightest * (upper + lower))
    ax, ay, az = axis = _knee_axis(thigh, shank, _square_to_rod(hinge, thigh))
    # Turned about an axis square to the thigh by an angle, thigh · shank is along · cos + across · sin.
    along = tx * sx + ty * sy + tz * sz
    across = tx * (ay * sz - az * sy) + ty * (az * sx - ax * sz) + tz * (ax * sy - ay * sx)
    cosine = (reach * reach - upper * upper - lower * lower) / (2.0 * max(math.hypot(along, across), 1e-12))
    folded = scalar.about(axis, math.atan2(across, along) + math.acos(min(max(cosine, -1.0), 1.0)))
    x, y, z = scalar.rotate(folded, shank)
    return folded, scalar.between((tx + x, ty + y, tz + z), wanted), reach


def _knee_axis(thigh: Vector, shank: Vector, hinge: Vector) -> Vector:
    """The axis that a knee bends about, square to the thigh: that of its pose where it is bent, else its hinge."""
    (tx, ty, tz), (sx, sy, sz) = thigh, shank
    x, y, z = ty * sz - tz * sy, tz * sx - tx * sz, tx * sy - ty * sx
    size = math.sqrt(x * x + y * y + z * z)
    fold = math.atan2(size, tx * sx + ty * sy + tz * sz)
    if fold <= STRAIGHT or hinge[0] * x + hinge[1] * y + hinge[2] * z <= 0.0:
        return hinge
    share = smoothstep(min((fold - STRAIGHT) / (BENT - STRAIGHT), 1.0))
    x, y, z = (share * part / size + (1.0 - share) * usual for part, usual in zip((x, y, z), hinge, strict=True))
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def rotation_to(
    along: Vectors, hinge: Vectors, rest_along: Float[np.ndarray, 3], rest_hinge: Float[np.ndarray, 3]
) -> Float[np.ndarray, "*batch 4"]:
    """The rotation that brings a rod and its hinge from rest to these directions, unit and square to each other."""
    rest = np.stack([rest_along, rest_hinge, np.cross(rest_along, rest_hinge)], axis=-1)
    goal = np.stack([along, hinge, np.cross(along, hinge)], axis=-1)
    return quaternions.from_matrix(goal @ rest.T)


def reach_at(fold: Float[np.ndarray, "*batch"], upper: float, lower: float) -> Float[np.ndarray, "*batch"]:
    """How far a folded limb reaches, metres.

    ``fold`` is in radians, 0 straight; ``upper`` and ``lower`` are the lengths of the rods, metres.
    """
    return np.asarray(np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(fold)))


def _square_to_rod(aside: Vector, along: Vector) -> Vector:
    """The part of ``aside`` that is square to a rod, brought to length one."""
    share = scalar.dot(aside, along) / scalar.dot(along, along)
    x, y, z = scalar.minus(aside, (share * along[0], share * along[1], share * along[2]))
    size = math.sqrt(x * x + y * y + z * z) or 1.0
    return x / size, y / size, z / size


def _dot(a: Places, b: Places) -> Lengths:
    return np.asarray(np.einsum("fi,fi->f", a, b))
