"""Limbs of two parts, legs and arms, bent until their ends are at their goals, in all frames at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.geometry.limbs import bend_towards
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton

_NEVER_BENT = 1e-3  # sine of the fold, on average, below which a leg does not tell how its knee bends


_Track = Float[np.ndarray, "frames 3"]


class LimbJoints(NamedTuple):
    """The joints that bend a limb: hip, knee and ankle of a leg, or shoulder, elbow and wrist of an arm."""

    hip: int
    knee: int
    ankle: int


def reach_for(
    skeleton: Skeleton,
    roots: _Track,
    rotations: Float[np.ndarray, "frames joints 4"],
    leg: LimbJoints,
    goals: _Track,
    feet_wxyz: Float[np.ndarray, "frames 4"] | None = None,
    *,
    gently: bool = False,
    same_side: bool = False,
    offsets: Float[np.ndarray, "frames joints 3"] | None = None,
) -> Float[np.ndarray, " frames"]:
    """Turn hip, knee and ankle in ``rotations`` until the ankle is at its goals.

    The knee folds about one axis, fixed in the thigh: the one it folds about in these frames taken together. A knee
    that is straight for a moment has none of its own, and an axis that is looked up in every frame spins there.

    ``rotations`` are changed in place; ``roots`` and ``goals``, where the ankle should be, are in metres. ``feet_wxyz``
    are the orientations of the foot in the end, its present ones if None. ``gently`` lets a leg grow longer by less and
    less, the straighter it is, so that no knee snaps. ``same_side`` leaves a knee that is bent backwards on that side;
    else it comes through to the front. ``offsets`` are those of all joints in every frame, metres, where some slide.
    Returns how far the ankle stays short of its goals, metres.
    """
    hip, knee, ankle = leg
    parents = skeleton.parents
    places, world = kinematics.forward(skeleton, roots, rotations, offsets)
    top, middle, end = (places[:, joint] for joint in leg)
    thigh = world[:, parents[knee]]
    axis = quaternions.rotate(thigh, hinge_axis(middle - top, end - middle, thigh))
    fold, swing, reached = bend_towards(top, middle, end, axis, goals, gently=gently, same_side=same_side)
    folded = quaternions.multiply(swing, fold)
    rotations[:, hip] = quaternions.seen_from(world[:, parents[hip]], quaternions.multiply(swing, world[:, hip]))
    above_knee, above_ankle = quaternions.multiply(swing, thigh), quaternions.multiply(folded, world[:, parents[ankle]])
    rotations[:, knee] = quaternions.seen_from(above_knee, quaternions.multiply(folded, world[:, knee]))
    rotations[:, ankle] = quaternions.seen_from(above_ankle, world[:, ankle] if feet_wxyz is None else feet_wxyz)
    return np.asarray(np.abs(np.linalg.norm(goals - top, axis=-1) - reached))


def hinge_axis(upper: _Track, lower: _Track, frames_wxyz: Float[np.ndarray, "frames 4"]) -> Float[np.ndarray, "3"]:
    """The axis that a knee or an elbow folds about, from all frames together.

    ``upper`` and ``lower`` are the two parts of the limb, from joint to joint, metres in the world. The result has
    length 1 and is in the frame of the upper part; that frame's sideways axis where the limb is never bent.
    """
    across = quaternions.rotate(quaternions.conjugate(frames_wxyz), np.cross(upper, lower)).sum(axis=0)
    size = float(np.linalg.norm(across))
    enough = _NEVER_BENT * float((np.linalg.norm(upper, axis=-1) * np.linalg.norm(lower, axis=-1)).sum())
    return np.asarray(across / size if size > enough else np.array([1.0, 0.0, 0.0]))
