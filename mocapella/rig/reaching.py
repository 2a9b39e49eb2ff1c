"""Legs bent until their feet are where they should be, over many frames at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton

_NEVER_BENT = 1e-3  # sine of the fold, on average, below which a leg does not tell how its knee bends

Lengths = Float[np.ndarray, " frames"]
Places = Float[np.ndarray, "frames 3"]
Turns = Float[np.ndarray, "frames 4"]


class Leg(NamedTuple):
    """The joints of a leg."""

    hip: int
    knee: int
    ankle: int


def reach_for(
    skeleton: Skeleton,
    roots: Places,
    rotations: Float[np.ndarray, "frames joints 4"],
    leg: Leg,
    goals: Places,
    feet_wxyz: Turns | None = None,
    *,
    gently: bool = False,
) -> Lengths:
    """Turn hip, knee and ankle in ``rotations`` until the ankle is at its goals; how far it stays short, metres.

    The knee folds about one axis, fixed in the thigh: the one it folds about in these frames taken together. A knee
    that is straight for a moment has none of its own, and an axis that is looked up in every frame spins there. A knee
    that is bent backwards stays so where nothing is asked of it, and otherwise comes through to the front.

    Parameters
    ----------
    skeleton, roots, rotations
        The motion; ``rotations`` are changed in place.
    leg, goals
        Which leg is meant; where its ankle should be.
    feet_wxyz
        How the foot should be turned in the end; as it is now if None.
    gently
        Let a leg grow longer by less and less, the straighter it is, so that no knee snaps; else it goes all the way.
    """
    hip, knee, ankle = leg
    parents = skeleton.parents
    places, world = kinematics.forward(skeleton, roots, rotations)
    top, middle, end = places[:, hip], places[:, knee], places[:, ankle]
    thigh = world[:, parents[knee]]
    axis = _hinge(middle - top, end - middle, thigh)
    wanted = np.linalg.norm(goals - top, axis=-1)
    folding, reached = _folding(middle - top, end - middle, axis, wanted, gently)
    fold = quaternions.from_rotvec(folding[:, None] * axis)
    bent = middle + quaternions.rotate(fold, end - middle)
    swing = quaternions.between(bent - top, goals - top)
    folded = quaternions.multiply(swing, fold)
    rotations[:, hip] = _local(world[:, parents[hip]], quaternions.multiply(swing, world[:, hip]))
    rotations[:, knee] = _local(quaternions.multiply(swing, thigh), quaternions.multiply(folded, world[:, knee]))
    above_ankle = quaternions.multiply(folded, world[:, parents[ankle]])
    rotations[:, ankle] = _local(above_ankle, world[:, ankle] if feet_wxyz is None else feet_wxyz)
    return np.asarray(np.abs(wanted - reached))


def _folding(thigh: Places, shank: Places, axis: Places, wanted: Lengths, gently: bool) -> tuple[Lengths, Lengths]:
    """How much further a knee folds about its axis to reach as far as wanted, and how far the leg reaches then."""
    beside = _dot(thigh, axis) + _dot(shank, axis)  # what runs along the axis, no fold changes
    upper, lower = (rod - _dot(rod, axis)[:, None] * axis for rod in (thigh, shank))
    fold = np.arctan2(_dot(np.cross(upper, lower), axis), _dot(upper, lower))
    one, two = np.linalg.norm(upper, axis=-1), np.linalg.norm(lower, axis=-1)
    now = np.linalg.norm(thigh + shank, axis=-1)
    reached = wanted
    if gently:
        room = np.maximum(np.sqrt((one + two) ** 2 + beside**2) - now, 1e-9)
        longer = np.maximum(wanted - now, 0.0)
        reached = np.where(longer > 0.0, now - room * np.expm1(-longer / room), wanted)
    cosines = np.clip((reached**2 - beside**2 - one**2 - two**2) / (2.0 * one * two), -1.0, 1.0)
    size = np.arccos(cosines)
    shorter = np.cos(fold) - cosines  # than the leg is now
    forward = np.clip(shorter / np.maximum(1.0 - np.cos(fold), 1e-12), 0.0, 1.0)
    new = np.where(fold < 0.0, (2.0 * forward - 1.0) * size, size)
    reached = np.sqrt(one**2 + two**2 + 2.0 * one * two * np.cos(new) + beside**2)
    return np.asarray(new - fold), np.asarray(reached)


def _hinge(thighs: Places, shanks: Places, thighs_wxyz: Turns) -> Places:
    """The axis a knee folds about, in every frame: the thigh's own sideways one where the knee is never bent."""
    across = quaternions.rotate(quaternions.conjugate(thighs_wxyz), np.cross(thighs, shanks)).sum(axis=0)
    size = np.linalg.norm(across)
    enough = _NEVER_BENT * (np.linalg.norm(thighs, axis=-1) * np.linalg.norm(shanks, axis=-1)).sum()
    own = across / size if size > enough else np.array([1.0, 0.0, 0.0])
    return quaternions.rotate(thighs_wxyz, own)


def _dot(a: Places, b: Places) -> Lengths:
    return np.asarray(np.einsum("fi,fi->f", a, b))


def _local(above: Turns, world: Turns) -> Turns:
    return quaternions.multiply(quaternions.conjugate(above), world)
