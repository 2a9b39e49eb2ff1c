"""How points of the plane become those of a network's mesh: the same, or places along the line all nodes lie on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

_ON_LINE = 1e-7  # of a network's length: nodes nearer to a line than this lie on it


@dataclass(frozen=True, eq=False)
class Line:
    """The line that all nodes lie on, from its first node on."""

    first: Float[np.ndarray, " axes"]
    along: Float[np.ndarray, " axes"]  # unit
    length: float

    def coordinates(self, points: Float[np.ndarray, "points axes"]) -> Float[np.ndarray, "points 1"]:
        """How far along the line points lie."""
        return np.asarray(((points - self.first) @ self.along)[:, None])

    def projected(self, point: Sequence[float]) -> tuple[tuple[float, ...], bool]:
        """How far along the line the point's nearest place lies, and whether it is the point itself."""
        offset = np.asarray(point, dtype=np.float64) - self.first
        share = float(offset @ self.along)
        return (share,), float(np.linalg.norm(offset - share * self.along)) <= _ON_LINE * self.length

    def lifted(self, coordinates: Sequence[float]) -> tuple[float, ...]:
        """The point of the plane that lies so far along."""
        return tuple((self.first + coordinates[0] * self.along).tolist())


def line_through(points: Float[np.ndarray, "points axes"]) -> Line | None:
    """The line that all points lie on, from the first to the last in order of x, then y; None where there is none.

    A single point has none either.
    """
    order = np.lexsort(points.T[::-1])
    first, along = points[order[0]], points[order[-1]] - points[order[0]]
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return None
    line = Line(first, along / length, length)
    rest = points - first
    apart = np.linalg.norm(rest - line.coordinates(points) * line.along, axis=1)
    return line if apart.max() <= _ON_LINE * length else None
