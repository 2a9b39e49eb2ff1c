"""Laying one cloud of points over another on the ground: a turn about the vertical and a level shift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions


@dataclass(frozen=True)
class Alignment:
    """A turn about the vertical through the origin, then a level shift."""

    yaw: float  # radians, left positive
    x: float
    z: float

    def applied(self, points: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch 3"]:
        """The points turned and shifted."""
        return np.asarray(quaternions.rotate(quaternions.about_y(self.yaw), points) + np.array([self.x, 0.0, self.z]))


def ground_alignment(
    still: Float[np.ndarray, "points 3"],
    moved: Float[np.ndarray, "points 3"],
    weights: Float[np.ndarray, " points"] | None = None,
) -> Alignment:
    """What brings ``moved`` as near to ``still`` as a turn and a level shift can, in the sense of least squares.

    Heights are not looked at. Points that all lie on one vertical say nothing about the turn, which is then 0.
    """
    w = np.ones(len(still)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(w.sum())
    x, z = still[:, 0], still[:, 2]
    x_, z_ = moved[:, 0], moved[:, 2]
    sx, sz, sx_, sz_ = (float(w @ part) for part in (x, z, x_, z_))
    across = float(w @ (x * z_ - x_ * z)) - (sx * sz_ - sx_ * sz) / total
    along = float(w @ (x * x_ + z * z_)) - (sx * sx_ + sz * sz_) / total
    yaw = float(np.arctan2(across, along))
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return Alignment(yaw, (sx - sx_ * cosine - sz_ * sine) / total, (sz + sx_ * sine - sz_ * cosine) / total)
