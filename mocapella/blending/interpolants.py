"""Interpolants: weights other than barycentric ones, smoother across the borders of triangles.

Each is made once for the places of the nodes and then gives every point its weights, one per node: their sum is 1, and
at a node its weight is 1. Axes are scaled by the spread of the nodes along them, so units do not matter.
``INTERPOLANTS`` is the registry by name.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.checks import shown
from mocapella.errors import NetworkError
from mocapella.geometry.mesh import Line, Mesh, line_through
from mocapella.geometry.simplices import axis_spread, clip_polygon, overlap, polygon_area
from mocapella.geometry.triangulation import delaunay, without_slivers

Points = Float[np.ndarray, "nodes axes"]
Weighing = Callable[[Sequence[float]], Float[np.ndarray, " nodes"]]  # a point's weights for all nodes
Interpolant = Callable[[Points], Weighing]  # made once, for where the nodes lie

_MET = 1e-12  # of the network's extent: a point this near to a node lies on it


def bilinear(points: Points) -> Weighing:
    """Weights on a rectangular grid, linear along each axis; trilinear in space. Beyond the grid they extrapolate.

    Raises
    ------
    NetworkError
        Where the nodes are not all the crossings of a grid.
    """
    lines = [_grid_lines(column) for column in points.T]
    indices = tuple(np.searchsorted(line, x, side="right") - 1 for line, x in zip(lines, points.T, strict=True))
    numbers = np.full([len(line) for line in lines], -1, dtype=np.intp)
    numbers[indices] = np.arange(len(points))
    if numbers.size != len(points) or (numbers < 0).any():
        sizes = " × ".join(str(len(line)) for line in lines)
        raise NetworkError(
            f"bilinear weights need a full grid; {len(points)} nodes do not fill one of {sizes}; "
            "natural neighbours take any places"
        )

    def weigh(point: Sequence[float]) -> Float[np.ndarray, " nodes"]:
        weights = np.zeros(len(points))
        cells: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
        for own, x in zip(lines, point, strict=True):
            steps, shares = _between(own, x)
            cells = [((*cell, i), w * s) for cell, w in cells for i, s in zip(steps, shares, strict=True)]
        for cell, weight in cells:
            weights[numbers[cell]] += weight
        return weights

    return weigh


@dataclass(frozen=True)
class NearestNeighbours:
    """Weights of the ``k`` nearest nodes by distance (Shepard's, cut off where the next node comes in).

    Continuous everywhere; between three nodes the weights are not those that reproduce the point.
    """

    k: int = 4

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or self.k < 1:
            raise NetworkError(f"expected at least one neighbour, got {self.k!r}")

    def __call__(self, points: Points) -> Weighing:
        """The weights over nodes that lie at these places."""
        scale = axis_spread(points)
        scaled = points / scale
        count = min(self.k, len(points))

        def weigh(point: Sequence[float]) -> Float[np.ndarray, " nodes"]:
            apart = np.linalg.norm(scaled - np.asarray(point) / scale, axis=1)
            weights = np.zeros(len(points))
            order = np.argsort(apart, kind="stable")
            if apart[order[0]] <= _MET:
                weights[order[0]] = 1.0
                return weights
            chosen = order[:count]
            reach = float(apart[order[count]]) if count < len(points) else math.inf
            inverse = 1.0 / apart[chosen] - (1.0 / reach)
            if not inverse.max() > 0.0:  # all equally far: the cut-off would leave no weight
                inverse = np.ones(count)
            weights[chosen] = inverse**2 / (inverse**2).sum()
            return weights

        return weigh


nearest_neighbours = NearestNeighbours  # named like the other interpolants


def natural_neighbours(points: Points, triangles: Int[np.ndarray, "triangles 3"] | None = None) -> Weighing:
    """Sibson's weights: the shares of area that a new point's region would take from the regions of its neighbours.

    They reproduce the point, and bend smoothly everywhere but at the nodes, which lie in the plane. Outside the nodes'
    convex hull, which clamped points never are, those of the nearest place on it are given. Along a line they are
    linear.

    ``triangles`` are those of the network. Where its outline leaves out a sliver of the hull, neighbours across the
    sliver do not count: they would come in all at once, within a fraction of its height from the outline. Raises
    ``NetworkError`` for more than 2,000 nodes.
    """
    _refuse_many(points, "natural")
    if points.shape[1] != 2:
        raise NetworkError(f"natural neighbours are found in the plane, not with {points.shape[1]} axes")
    line = line_through(points)
    if line is not None:
        return _along(line, points)
    scale = axis_spread(points)
    scaled = points / scale
    mesh = Mesh(scaled, _inside(scaled, delaunay(scaled), triangles))
    centres, squares = _circles(scaled[mesh.corners])

    def weigh(point: Sequence[float]) -> Float[np.ndarray, " nodes"]:
        here = np.asarray(point, dtype=np.float64) / scale
        if mesh.find(here.tolist()) is None:
            here = np.array(mesh.nearest_border(here.tolist())[1])
        weights = np.zeros(len(points))
        apart = np.linalg.norm(scaled - here, axis=1)
        if apart.min() <= _MET:
            weights[np.argmin(apart)] = 1.0
            return weights
        holding = ((centres - here) ** 2).sum(axis=1) <= squares * (1.0 + 1e-12)
        near = np.unique(mesh.corners[holding])
        places = scaled[near]
        region = _FAR + here
        for other in places:
            region = clip_polygon(region, *_bisector(here, other))
        for i, node in enumerate(near):
            part = region
            for other in np.delete(places, i, axis=0):
                part = clip_polygon(part, *_bisector(places[i], other))
            weights[node] = polygon_area(part)
        return np.asarray(weights / weights.sum())

    return weigh


def radial_basis(points: Points) -> Weighing:
    """Weights of all nodes by thin-plate splines, the smoothest surfaces through the nodes; some are negative.

    They reproduce the point. Time grows with the cube of the number of nodes; raises ``NetworkError`` for more than
    2,000.
    """
    _refuse_many(points, "radial")
    scale = axis_spread(points)
    scaled = points / scale
    centred = scaled - scaled.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[sizes > 1e-7 * max(float(sizes.max(initial=0.0)), _MET)]  # nodes on a line have one axis

    def terms(offsets: Float[np.ndarray, "some axes"]) -> Float[np.ndarray, "some terms"]:
        apart = np.linalg.norm(offsets[:, None] - centred, axis=-1)
        plates = apart**2 * np.log(np.maximum(apart, 1e-300))
        return np.concatenate([plates, np.ones((len(offsets), 1)), offsets @ axes.T], axis=1)

    n, size = len(points), len(points) + 1 + len(axes)
    system = np.zeros((size, size))
    system[:n] = terms(centred)
    system[n:, :n] = system[:n, n:].T
    cardinal = np.linalg.solve(system, np.eye(size)[:, :n])

    def weigh(point: Sequence[float]) -> Float[np.ndarray, " nodes"]:
        offset = np.asarray(point, dtype=np.float64) / scale - scaled.mean(axis=0)
        return np.asarray((terms(offset[None]) @ cardinal)[0])

    return weigh


_MOST_WEIGHED = 2000  # nodes of natural and radial weights: some seconds and 200 MB


def _refuse_many(points: Points, kind: str) -> None:
    if len(points) > _MOST_WEIGHED:
        raise NetworkError(f"{kind} weights are found for at most {_MOST_WEIGHED:,} nodes, not for {len(points):,}")


# Where unbounded regions are cut off, in spreads of the nodes: weights near the outline are exact to its inverse, and
# to rounding errors of lengths of this size.
_FAR = 1e7 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def _grid_lines(values: Float[np.ndarray, " nodes"]) -> Float[np.ndarray, " lines"]:
    """The different values, those that differ by rounding taken as one."""
    ordered = np.sort(values)
    new = np.diff(ordered, prepend=-np.inf) > 1e-9 * (np.ptp(values) or 1.0)
    return np.asarray(ordered[new])


def _along(line: Line, points: Points) -> Weighing:
    """Weights of the two nodes on a line that a point lies between; beyond its ends those of the last two."""
    places = line.coordinates(points)[:, 0]
    order = np.argsort(places)

    def weigh(point: Sequence[float]) -> Float[np.ndarray, " nodes"]:
        (i, j), shares = _between(places[order], line.projected(point)[0][0])
        weights = np.zeros(len(points))
        weights[order[[i, j]]] = shares
        return weights

    return weigh


def _between(lines: Float[np.ndarray, " lines"], x: float) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The two grid lines a place lies between, and their shares."""
    if len(lines) == 1:
        return (0,), (1.0,)
    i = int(np.clip(np.searchsorted(lines, x, side="right") - 1, 0, len(lines) - 2))
    share = float((x - lines[i]) / (lines[i + 1] - lines[i]))
    return (i, i + 1), (1.0 - share, share)


def _bisector(
    point: Float[np.ndarray, 2], other: Float[np.ndarray, 2]
) -> tuple[Float[np.ndarray, 2], Float[np.ndarray, 2]]:
    """A point of the line half-way between two points, and the direction that leads away from the first."""
    return (point + other) / 2.0, other - point


def _inside(
    points: Points, corners: Int[np.ndarray, "hull 3"], triangles: Int[np.ndarray, "triangles 3"] | None
) -> Int[np.ndarray, "some 3"]:
    """Triangles of the convex hull without slivers along it that none of the network's triangles reaches into."""
    if triangles is None:
        return corners
    shapes, own = points[triangles], {*map(frozenset, triangles.tolist())}
    low, high = shapes.min(axis=1), shapes.max(axis=1)
    needed = []
    for row, hull_triangle in zip(corners.tolist(), points[corners], strict=True):
        near = ((low < hull_triangle.max(axis=0)) & (high > hull_triangle.min(axis=0))).all(axis=1)
        among = frozenset(row) in own
        needed.append(among or overlap(np.broadcast_to(hull_triangle, shapes[near].shape), shapes[near]).any())
    return without_slivers(points, corners, np.array(needed))


def _circles(corners: Float[np.ndarray, "triangles 3 2"]) -> tuple[Points, Float[np.ndarray, " triangles"]]:
    """Centres and squared radii of the circles round triangles."""
    sides = corners[:, 1:] - corners[:, :1]
    centres = np.linalg.solve(2.0 * sides, (sides**2).sum(axis=-1)[..., None])[..., 0]
    return centres + corners[:, 0], (centres**2).sum(axis=-1)


# Those with a name in files, specs and the command line; ``nearest-K`` stands for any K.
INTERPOLANTS: dict[str, Interpolant | None] = {
    "triangles": None,
    "natural": natural_neighbours,
    "bilinear": bilinear,
    "radial": radial_basis,
}

_NEAREST = re.compile(r"nearest-([1-9][0-9]{0,3})")


def interpolant_names() -> str:
    """All names of interpolants, for messages and ``--help``."""
    return f"{', '.join(INTERPOLANTS)}, nearest-4 (or another number of neighbours)"


def interpolant_of(choice: Interpolant | str | None) -> Interpolant | None:
    """The interpolant of a name, also of ``"nearest-K"``; a function stands for itself, None for triangles.

    Raises ``NetworkError`` where there is no such name, or the choice is no function.
    """
    if choice is None or callable(choice):
        return choice
    if not isinstance(choice, str):
        raise NetworkError(
            expected="a function that gives weights, such as mocapella.blending.interpolants.natural_neighbours",
            got=shown(choice),
            helps=f"there are {interpolant_names()}",
        )
    nearest = _NEAREST.fullmatch(choice)
    if nearest:
        return NearestNeighbours(int(nearest[1]))
    if choice not in INTERPOLANTS:
        near = difflib.get_close_matches(choice, (*INTERPOLANTS, "nearest-4"), n=1, cutoff=0.5)
        meant = f"did you mean {near[0]!r}? There are" if near else "there are"
        raise NetworkError(f"there is no interpolant {choice!r}; {meant} {interpolant_names()}")
    return INTERPOLANTS[choice]


def interpolant_name(interpolant: Interpolant | None) -> str:
    """The name of an interpolant in files, as ``interpolant_of`` knows it."""
    if isinstance(interpolant, NearestNeighbours):
        return f"nearest-{interpolant.k}"
    for name, member in INTERPOLANTS.items():
        if member is interpolant:
            return name
    raise NetworkError(f"an interpolant made by hand cannot be stored; those with a name are {interpolant_names()}")
