"""Arms and legs: two rods joined by a hinge, bent until their end is where it should be."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions

Vectors = Float[np.ndarray, "*batch 3"]


def bend(
    start: Float[np.ndarray, "*batch 3"],
    goal: Float[np.ndarray, "*batch 3"],
    hinge: Float[np.ndarray, "*batch 3"],
    upper: float,
    lower: float,
) -> tuple[Float[np.ndarray, "*batch 3"], Float[np.ndarray, "*batch 3"], Float[np.ndarray, "*batch 3"]]:
    """Directions of the upper and the lower rod, and the hinge's axis, so that the limb runs from start to goal.

    The lower rod folds by a positive turn about the hinge, never the other way. ``hinge`` says which way the axis would
    like to point; what is returned is square to the limb. It is a sideways axis that is asked for, not a place for the
    knee to point at, because a leg that swings to and fro never comes near its own sideways axis, so the plane of the
    knee cannot flip. A goal out of reach is pointed at with the limb straight, one too near with the limb folded up; a
    goal at the start itself, or straight along the hinge, has no direction, and takes that of a limb hanging down.
    """
    gap = goal - start
    distance = np.linalg.norm(gap, axis=-1, keepdims=True)
    apart = distance > 1e-12
    away = np.where(apart, gap / np.where(apart, distance, 1.0), np.array([0.0, -1.0, 0.0]))
    axis = hinge - np.einsum("...i,...i->...", hinge, away)[..., None] * away
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    along = length < 1e-6 * np.maximum(np.linalg.norm(hinge, axis=-1, keepdims=True), 1e-6)
    axis = np.where(along, _square_to(away), axis / np.where(along, 1.0, length))
    reach = np.clip(distance, max(abs(upper - lower), 1e-9), upper + lower)
    lean = np.arccos(np.clip((upper**2 + reach**2 - lower**2) / (2.0 * upper * reach), -1.0, 1.0))
    fold = np.pi - np.arccos(np.clip((upper**2 + lower**2 - reach**2) / (2.0 * upper * lower), -1.0, 1.0))
    ahead = np.cross(axis, away)  # where a positive turn about the axis moves the limb's direction
    first = np.cos(lean) * away - np.sin(lean) * ahead
    second = np.cos(fold) * first + np.sin(fold) * np.cross(axis, first)
    return first, second, axis


def turned_to(
    along: Float[np.ndarray, "*batch 3"],
    hinge: Float[np.ndarray, "*batch 3"],
    rest_along: Float[np.ndarray, 3],
    rest_hinge: Float[np.ndarray, 3],
) -> Float[np.ndarray, "*batch 4"]:
    """The rotation that brings a rod and its hinge from rest to these directions; both pairs square, of length one."""
    rest = np.stack([rest_along, rest_hinge, np.cross(rest_along, rest_hinge)], axis=-1)
    goal = np.stack([along, hinge, np.cross(along, hinge)], axis=-1)
    return quaternions.from_matrix(goal @ rest.T)


def reach_at(fold: Float[np.ndarray, "*batch"], upper: float, lower: float) -> Float[np.ndarray, "*batch"]:
    """How far a limb folded by ``fold`` radians reaches; 0 is straight."""
    return np.asarray(np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(fold)))


def _square_to(away: Vectors) -> Vectors:
    """Some axis square to these directions, for a limb that lies along its hinge."""
    least = np.eye(3)[np.argmin(np.abs(away), axis=-1)]
    axis = np.cross(away, least)
    return np.asarray(axis / np.linalg.norm(axis, axis=-1, keepdims=True))
