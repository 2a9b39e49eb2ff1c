"""Convex polygons in the plane: cut by lines, measured."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Polygon = Float[np.ndarray, "corners 2"]


def clipped(polygon: Polygon, point: Float[np.ndarray, 2], outward: Float[np.ndarray, 2]) -> Float[np.ndarray, "_ 2"]:
    """What is left of a convex polygon on this side of the line through ``point`` that ``outward`` is square to.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> area(clipped(square, np.array([0.25, 0.0]), np.array([1.0, 0.0])))
    0.25
    """
    beyond = ((polygon - point) @ outward).tolist()
    places = polygon.tolist()
    out: list[list[float]] = []
    for i, (place, depth) in enumerate(zip(places, beyond, strict=True)):
        before, depth_before = places[i - 1], beyond[i - 1]
        if (depth < 0.0 < depth_before) or (depth_before < 0.0 < depth):
            share = depth_before / (depth_before - depth)
            out.append([a + share * (b - a) for a, b in zip(before, place, strict=True)])
        if depth <= 0.0:
            out.append(place)
    return np.array(out, dtype=np.float64).reshape(-1, 2)


def area(polygon: Polygon) -> float:
    """The area of an anticlockwise polygon; nothing for fewer than three corners."""
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
