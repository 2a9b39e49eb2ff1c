"""Closed surfaces stretched over a row of rings: the one shape that limbs, heads and feet are made of."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int


def circle(n_corners: int) -> Float[np.ndarray, "corners 2"]:
    """Corners of a regular polygon on the unit circle, anticlockwise."""
    angles = 2 * np.pi * np.arange(n_corners) / n_corners
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def loft(
    centres: Float[np.ndarray, "rings 3"],
    across: Float[np.ndarray, "rings 3"],
    deep: Float[np.ndarray, "rings 3"],
    tips: Float[np.ndarray, "2 3"],
    profile: Float[np.ndarray, "corners 2"],
) -> tuple[Float[np.ndarray, "vertices 3"], Int[np.ndarray, "faces 3"]]:
    """The closed surface through rings, from the first tip to the last.

    A ring is the profile spanned by its two half axes, ``centre + profile · (across, deep)``. Vertices come ring by
    ring, then the two tips; faces are triangles, anticlockwise when seen from outside.
    """
    n_rings, n_corners = len(centres), len(profile)
    spanned = np.einsum("cd,drk->rck", profile, np.stack([across, deep]))
    vertices = np.concatenate([(centres[:, None] + spanned).reshape(-1, 3), tips])
    ring = np.arange(n_corners)
    beside = (ring + 1) % n_corners
    low = n_corners * np.arange(n_rings - 1)[:, None]
    sides = [
        (low + ring, low + beside, low + n_corners + beside),
        (low + ring, low + n_corners + beside, low + n_corners + ring),
    ]
    first, last = n_rings * n_corners, n_rings * n_corners + 1
    top = n_corners * (n_rings - 1)
    caps = [
        (np.full(n_corners, first), beside, ring),
        (np.full(n_corners, last), top + ring, top + beside),
    ]
    faces = np.concatenate([np.stack([np.ravel(corner) for corner in three], axis=-1) for three in (*sides, *caps)])
    return vertices, faces if volume(vertices, faces) >= 0.0 else faces[:, ::-1].copy()


def volume(vertices: Float[np.ndarray, "vertices 3"], faces: Int[np.ndarray, "faces 3"]) -> float:
    """What a closed surface holds, negative where its faces look inwards."""
    a, b, c = np.moveaxis(vertices[faces] - vertices.mean(axis=0), 1, 0)
    return float(np.einsum("fk,fk->", a, np.cross(b, c)) / 6.0)


def smooth_normals(
    vertices: Float[np.ndarray, "vertices 3"], faces: Int[np.ndarray, "faces 3"]
) -> Float[np.ndarray, "vertices 3"]:
    """Unit normals at the vertices, each the mean of its faces' by area; straight up where they cancel out."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    twice_areas = np.cross(b - a, c - a)
    sums = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(sums, faces[:, corner], twice_areas)
    lengths = np.linalg.norm(sums, axis=-1, keepdims=True)
    flat = lengths <= 1e-12 * max(1e-300, float(lengths.max(initial=0.0)))
    return np.where(flat, [0.0, 1.0, 0.0], sums / np.where(flat, 1.0, lengths))
