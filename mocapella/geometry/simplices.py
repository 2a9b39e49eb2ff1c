"""Segments, triangles and tetrahedra: sides, weights, overlaps, nearest places; convex polygons clipped.

The tests for sides are exact: where rounding could decide, they compute in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

Point = Sequence[float]

_EPSILON = 2.0**-53  # the largest relative error of one rounding
_SIDE_ERROR = (3.0 + 16.0 * _EPSILON) * _EPSILON  # bounds of what rounding can do to the two determinants
_CIRCLE_ERROR = (10.0 + 96.0 * _EPSILON) * _EPSILON


def axis_spread(points: Float[np.ndarray, "points axes"]) -> Float[np.ndarray, " axes"]:
    """The range of points along each axis, to divide by where axes have different units.

    All positive: 1 along axes on which all points agree.
    """
    spread = np.ptp(points, axis=0)
    return np.where(spread > 0.0, spread, 1.0)


def orientation(a: Point, b: Point, c: Point) -> int:
    """1 if ``c`` lies to the left of the line from ``a`` to ``b``, −1 if to the right, 0 if exactly on it.

    Examples
    --------
    >>> orientation((0.0, 0.0), (1.0, 0.0), (0.5, 1.0))
    1
    """
    left = (a[0] - c[0]) * (b[1] - c[1])
    right = (a[1] - c[1]) * (b[0] - c[0])
    value = left - right
    if abs(value) > _SIDE_ERROR * (abs(left) + abs(right)):
        return 1 if value > 0.0 else -1
    ax, ay, bx, by, cx, cy = _whole(a, b, c)
    return _sign((ax - cx) * (by - cy) - (ay - cy) * (bx - cx))


def in_circle(a: Point, b: Point, c: Point, d: Point) -> int:
    """1 if ``d`` lies inside the circle through ``a``, ``b``, ``c`` (given anticlockwise), −1 outside, 0 on it."""
    dx, dy = d
    ax, ay, bx, by, cx, cy = a[0] - dx, a[1] - dy, b[0] - dx, b[1] - dy, c[0] - dx, c[1] - dy
    bc, cb, ca, ac, ab, ba = bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay
    far, mid, near = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    value = far * (bc - cb) + mid * (ca - ac) + near * (ab - ba)
    # The same with nothing cancelling is what rounding errors are a share of.
    bound = far * (abs(bc) + abs(cb)) + mid * (abs(ca) + abs(ac)) + near * (abs(ab) + abs(ba))
    if abs(value) > _CIRCLE_ERROR * bound:
        return 1 if value > 0.0 else -1
    return _in_circle_exactly(a, b, c, d)


def weight_maps(corners: Float[np.ndarray, "*batch corners axes"]) -> Float[np.ndarray, "*batch corners terms"]:
    """For every simplex the matrix that turns (1, x, y, …) into barycentric weights; corners are one more than axes.

    The weights sum to 1 and reproduce the point. Flat simplices have no weights: they raise
    ``numpy.linalg.LinAlgError`` or give numbers without meaning.
    """
    ones = np.ones((*corners.shape[:-1], 1))
    return np.asarray(np.swapaxes(np.linalg.inv(np.concatenate([ones, corners], axis=-1)), -1, -2))


def flatness(corners: Float[np.ndarray, "*batch corners axes"]) -> Float[np.ndarray, "*batch"]:
    """How far from flat simplices are: volume against that of the box spanned by the longest edge."""
    edges = corners[..., 1:, :] - corners[..., :1, :]
    longest = np.linalg.norm(corners[..., :, None, :] - corners[..., None, :, :], axis=-1).max(axis=(-1, -2))
    volume = np.abs(np.linalg.det(edges))
    size = longest ** edges.shape[-1]
    return np.asarray(np.divide(volume, size, out=np.zeros_like(volume), where=size > 0.0))


def nearest_on_segments(
    point: Float[np.ndarray, " axes"],
    starts: Float[np.ndarray, "segments axes"],
    ends: Float[np.ndarray, "segments axes"],
) -> Float[np.ndarray, "segments axes"]:
    """The place on each segment that is nearest to a point; exactly an end where that is nearest."""
    along = ends - starts
    lengths = np.einsum("sa,sa->s", along, along)
    shares = np.einsum("sa,sa->s", point - starts, along)
    shares = np.clip(np.divide(shares, lengths, out=np.zeros_like(shares), where=lengths > 0.0), 0.0, 1.0)
    # From the nearer end, so that both ends are met exactly.
    back = ends - (1.0 - shares)[:, None] * along
    return np.asarray(np.where(shares[:, None] > 0.5, back, starts + shares[:, None] * along))


def nearest_on_triangles(
    point: Float[np.ndarray, " axes"], corners: Float[np.ndarray, "triangles 3 axes"]
) -> Float[np.ndarray, "triangles axes"]:
    """The place on each triangle in space that is nearest to the point."""
    edges = np.stack([nearest_on_segments(point, corners[:, i], corners[:, (i + 1) % 3]) for i in range(3)])
    best = edges[np.argmin(np.linalg.norm(edges - point, axis=-1), axis=0), np.arange(len(corners))]
    sides = corners[:, 1:] - corners[:, :1]
    gram = sides @ np.swapaxes(sides, 1, 2)
    offsets = np.einsum("tsa,ta->ts", sides, point - corners[:, 0])
    shares = np.linalg.solve(gram, offsets[..., None])[..., 0]
    inside = (shares >= 0.0).all(axis=1) & (shares.sum(axis=1) <= 1.0)
    feet = corners[:, 0] + np.einsum("ts,tsa->ta", shares, sides)
    return np.asarray(np.where(inside[:, None], feet, best))


def random_points(
    corners: Float[np.ndarray, "triangles 3 2"], count: int, rng: np.random.Generator
) -> Float[np.ndarray, "count 2"]:
    """Random points in triangles, evenly over their area; along them, if all are flat."""
    sides = corners[:, 1:] - corners[:, :1]
    areas = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])
    sizes = areas if areas.sum() > 0.0 else np.linalg.norm(sides[:, 0], axis=-1) + 1e-12
    chosen = rng.choice(len(corners), count, p=sizes / sizes.sum())
    return np.asarray(np.einsum("nk,nka->na", rng.dirichlet(np.ones(3), count), corners[chosen]))


def overlap(
    first: Float[np.ndarray, "*batch 3 2"], second: Float[np.ndarray, "*batch 3 2"], *, margin: float = 1e-9
) -> Bool[np.ndarray, "*batch"]:
    """Whether the insides of two triangles meet; touching along edges or corners is no overlap.

    Corners are anticlockwise. Up to ``margin``, relative to the square of the longest edge, triangles only touch.
    """
    apart = np.zeros(first.shape[:-2], dtype=bool)
    for simplex, other in ((first, second), (second, first)):
        edges = np.roll(simplex, -1, axis=-2) - simplex
        slack = margin * np.einsum("...ea,...ea->...e", edges, edges).max(axis=-1)[..., None]
        offsets = other[..., None, :, :] - simplex[..., :, None, :]
        sides = edges[..., :, None, 0] * offsets[..., 1] - edges[..., :, None, 1] * offsets[..., 0]
        apart |= (sides.max(axis=-1) <= slack).any(axis=-1)
    return np.asarray(~apart)


def _in_circle_exactly(a: Point, b: Point, c: Point, d: Point) -> int:
    *three, dx, dy = _whole(a, b, c, d)
    ax, ay, bx, by, cx, cy = (x - y for x, y in zip(three, (dx, dy) * 3, strict=True))
    return _sign(
        (ax * ax + ay * ay) * (bx * cy - cx * by)
        + (bx * bx + by * by) * (cx * ay - ax * cy)
        + (cx * cx + cy * cy) * (ax * by - bx * ay)
    )


def _whole(*points: Point) -> list[int]:
    """The coordinates of points in whole numbers of a unit so small that nothing is rounded."""
    ratios = [x.as_integer_ratio() for point in points for x in point]
    unit = max(below for _, below in ratios)  # all are powers of two
    return [above * (unit // below) for above, below in ratios]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


_Polygon = Float[np.ndarray, "corners 2"]


def clip_polygon(
    polygon: _Polygon, point: Float[np.ndarray, 2], outward: Float[np.ndarray, 2]
) -> Float[np.ndarray, "_ 2"]:
    """The part of a convex polygon on one side of a line.

    ``outward`` is square to the line, towards the side that is cut off. The result is empty where all is cut off.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> polygon_area(clip_polygon(square, np.array([0.25, 0.0]), np.array([1.0, 0.0])))
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


def polygon_area(polygon: _Polygon) -> float:
    """The area of an anticlockwise polygon."""
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def area(a: Point | Float[np.ndarray, 2], b: Point | Float[np.ndarray, 2], c: Point | Float[np.ndarray, 2]) -> float:
    """Twice the area of a triangle in the plane, negative where its corners go clockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
