"""Ground alignment: one cloud of points laid over another by a turn about the vertical and a level shift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions


@dataclass(frozen=True)
class Alignment:
    """A turn about the vertical through ``pivot``, then a level shift of the pivot to (x, z)."""

    yaw: float  # radians, left positive
    x: float  # metres
    z: float
    pivot: tuple[float, float] = (0.0, 0.0)  # (x, z), metres

    def applied(self, points: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch 3"]:
        """The points turned and shifted; heights stay."""
        x, z = self.pivot
        turned = quaternions.rotate(quaternions.about_y(self.yaw), points - np.array([x, 0.0, z]))
        return np.asarray(turned + np.array([self.x, 0.0, self.z]))


def ground_alignment(
    still: Float[np.ndarray, "points 3"],
    moved: Float[np.ndarray, "points 3"],
    weights: Float[np.ndarray, " points"] | None = None,
) -> Alignment:
    """The turn and level shift that bring one cloud nearest to another, by least squares (KGP02).

    Heights are not looked at. Points that all lie on one vertical say nothing about the turn, which is then 0.

    ``moved`` is laid over ``still``, point by point, metres. Pairs count by their ``weights``, all the same if None.
    Returns the alignment to apply to ``moved``.
    """
    centre, pivot = (np.average(points, axis=0, weights=weights) for points in (still, moved))
    a, b = still - centre, moved - pivot
    w = 1.0 if weights is None else weights
    across = (w * (b[:, 2] * a[:, 0] - b[:, 0] * a[:, 2])).sum()
    along = (w * (b[:, 0] * a[:, 0] + b[:, 2] * a[:, 2])).sum()
    yaw = float(np.arctan2(across, along))
    return Alignment(yaw, float(centre[0]), float(centre[2]), (float(pivot[0]), float(pivot[2])))
