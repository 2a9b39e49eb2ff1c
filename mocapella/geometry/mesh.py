"""Meshes of segments, triangles or tetrahedra that share faces: which holds a point, and with which weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul

import numpy as np
from jaxtyping import Float, Int

from mocapella.geometry.simplices import axis_spread, nearest_on_segments, nearest_on_triangles, weight_maps

_NO_NEIGHBOUR = -1  # the neighbour across a face that belongs to one simplex alone
_INSIDE = -1e-12  # a weight this far below zero is rounding
_LONGEST_WALK = 8  # steps from neighbour to neighbour before the whole mesh is asked

Coordinates = Sequence[float]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Points and the simplices they are corners of; a simplex has one corner more than there are axes."""

    points: Float[np.ndarray, "points axes"]
    corners: Int[np.ndarray, "simplices corners"]

    @cached_property
    def neighbours(self) -> Int[np.ndarray, "simplices corners"]:
        """For every simplex and corner the simplex across the opposite face, −1 where there is none."""
        out = np.full(self.corners.shape, _NO_NEIGHBOUR, dtype=np.intp)
        open_faces: dict[tuple[int, ...], tuple[int, int]] = {}
        for simplex, corners in enumerate(self.corners.tolist()):
            for i in range(len(corners)):
                face = tuple(sorted(corners[:i] + corners[i + 1 :]))
                other = open_faces.pop(face, None)
                if other is None:
                    open_faces[face] = (simplex, i)
                else:
                    out[simplex, i] = other[0]
                    out[other] = simplex
        out.flags.writeable = False
        return out

    @cached_property
    def border(self) -> Int[np.ndarray, "faces corners"]:
        """Faces that belong to one simplex alone, their corners in the order in which the simplex names them."""
        simplex, corner = np.nonzero(self.neighbours == _NO_NEIGHBOUR)
        size = self.corners.shape[1]
        after = (corner[:, None] + np.arange(1, size)) % size
        return np.asarray(self.corners[simplex[:, None], after])

    @cached_property
    def border_simplices(self) -> Int[np.ndarray, " faces"]:
        """The simplex each border face belongs to."""
        return np.nonzero(self.neighbours == _NO_NEIGHBOUR)[0]

    def weights(self, simplex: int, point: Coordinates) -> list[float]:
        """The barycentric weights of a point in a simplex, below zero beyond the opposite face."""
        maps = self._maps[simplex]
        if len(point) == 2:  # written out: a point that moves is looked up several times in each step
            x, y = point
            return [a + (b * x + c * y) for a, b, c in maps]
        return [row[0] + sum(map(mul, row[1:], point)) for row in maps]

    def find(self, point: Coordinates, hint: int | None = None) -> tuple[int, list[float]] | None:
        """The simplex that holds a point, and the point's weights there; None outside.

        From ``hint`` on neighbours are asked first, so a point that moves little is found in a step or two, however
        many simplices there are. Then, or without a hint, those that reach into the point's cell of a grid.
        """
        if hint is None or not 0 <= hint < len(self.corners):
            return self._found_by_cell(point)
        simplex = hint
        neighbours = self._neighbour_lists
        for _ in range(_LONGEST_WALK):
            weights = self.weights(simplex, point)
            least = min(weights)
            if least >= _INSIDE:
                return simplex, weights
            simplex = neighbours[simplex][weights.index(least)]
            if simplex == _NO_NEIGHBOUR:
                break
        return self._found_by_cell(point)

    def _found_by_cell(self, point: Coordinates) -> tuple[int, list[float]] | None:
        for simplex in self._cells.get(self._cell(point), ()):
            weights = self.weights(simplex, point)
            if min(weights) >= _INSIDE:
                return simplex, weights
        return None

    @cached_property
    def scale(self) -> Float[np.ndarray, " axes"]:
        """Factors that bring all axes to one spread, for lengths across axes of different units."""
        return np.asarray(1.0 / axis_spread(self.points))

    def nearest_border(self, point: Coordinates) -> tuple[int, tuple[float, ...]]:
        """The simplex with the nearest place on the border, and that place; axes count by their spread."""
        goal = self.scale * np.asarray(point, dtype=np.float64)
        faces = self.scale * self.points[self.border]
        if faces.shape[1] == 1:
            places = faces[:, 0]
        elif faces.shape[1] == 2:
            places = nearest_on_segments(goal, faces[:, 0], faces[:, 1])
        else:
            places = nearest_on_triangles(goal, faces)
        best = int(np.argmin(((places - goal) ** 2).sum(axis=-1)))
        return int(self.border_simplices[best]), tuple((places[best] / self.scale).tolist())

    @cached_property
    def convex(self) -> bool:
        """Whether all of a plane mesh lies on one side of every edge of its border, so that it has no gaps."""
        starts, ends = (self.points[self.border[:, i]] for i in range(2))
        ways = (ends - starts) * self.scale
        for start, (x, y) in zip(starts, ways.tolist(), strict=True):
            off = (self.points - start) * self.scale
            sides = x * off[:, 1] - y * off[:, 0]
            if sides.min() < -1e-9 and sides.max() > 1e-9:
                return False
        return True

    @cached_property
    def _maps(self) -> list[list[tuple[float, ...]]]:
        return [[tuple(row) for row in simplex] for simplex in weight_maps(self.points[self.corners]).tolist()]

    @cached_property
    def _neighbour_lists(self) -> list[list[int]]:
        return list(self.neighbours.tolist())

    @cached_property
    def _grid(self) -> tuple[list[float], list[float]]:
        """Where the grid of cells begins and how many cells go into one unit of length, per axis."""
        per_axis = max(1.0, round(len(self.corners) ** (1.0 / self.points.shape[1])))
        return self.points.min(axis=0).tolist(), (per_axis / axis_spread(self.points)).tolist()

    def _cell(self, point: Coordinates) -> tuple[int, ...]:
        lows, scales = self._grid
        return tuple(math.floor((x - low) * scale) for x, low, scale in zip(point, lows, scales, strict=True))

    @cached_property
    def _cells(self) -> dict[tuple[int, ...], list[int]]:
        lows, scales = (np.array(part) for part in self._grid)
        corners = (self.points[self.corners] - lows) * scales
        slack = 1e-6  # of a cell, for points that rounding puts on the other side of a cell's border
        firsts = np.floor(corners.min(axis=1) - slack).astype(int).tolist()
        lasts = np.floor(corners.max(axis=1) + slack).astype(int).tolist()
        cells: dict[tuple[int, ...], list[int]] = {}
        for simplex, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
            for cell in itertools.product(*(range(a, b + 1) for a, b in zip(first, last, strict=True))):
                cells.setdefault(cell, []).append(simplex)
        return cells


_ON_LINE = 1e-7  # of the line's length: points nearer to it than this lie on it


@dataclass(frozen=True, eq=False)
class Line:
    """The line that all points lie on, from the first of them."""

    first: Float[np.ndarray, " axes"]
    along: Float[np.ndarray, " axes"]  # unit
    length: float

    def coordinates(self, points: Float[np.ndarray, "points axes"]) -> Float[np.ndarray, "points 1"]:
        """How far along the line points lie."""
        return np.asarray(((points - self.first) @ self.along)[:, None])

    def projected(self, point: Sequence[float]) -> tuple[tuple[float, ...], bool]:
        """How far along the line the nearest place to a point lies, and whether that is the point itself."""
        offset = np.asarray(point, dtype=np.float64) - self.first
        share = float(offset @ self.along)
        return (share,), float(np.linalg.norm(offset - share * self.along)) <= _ON_LINE * self.length

    def lifted(self, coordinates: Sequence[float]) -> tuple[float, ...]:
        """The point of the plane that lies so far along the line."""
        return tuple((self.first + coordinates[0] * self.along).tolist())


def line_through(points: Float[np.ndarray, "points axes"]) -> Line | None:
    """The line that all points lie on, from the first in order of x, then y; None for no line or a single point."""
    order = np.lexsort(points.T[::-1])
    first, along = points[order[0]], points[order[-1]] - points[order[0]]
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return None
    line = Line(first, along / length, length)
    apart = np.linalg.norm(points - first - line.coordinates(points) * line.along, axis=1)
    return line if apart.max() <= _ON_LINE * length else None
