"""Where a blending point lies among nodes: in which triangle, and how much each corner counts there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.blending.embedding import Line
from mocapella.blending.interpolants import Interpolant, Weighing
from mocapella.blending.mesh import Mesh
from mocapella.blending.node import FURTHEST, Place
from mocapella.errors import NetworkError
from mocapella.reals import reals, shown

Point = Sequence[float | int] | Float[np.ndarray, " axes"]
Outside = Literal["clamp", "extrapolate"]

_ZERO, _ONE = owned(np.zeros(1, dtype=np.intp)), owned(np.ones(1))


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """The places of nodes, what joins them, and what points outside of it are given."""

    points: Float[np.ndarray, "nodes axes"]
    mesh: Mesh  # in the coordinates of the line, where there is one
    line: Line | None  # that all nodes lie on
    outside: Outside
    interpolant: Interpolant | None

    def place(self, point: Point, hint: Place | int | None = None) -> Place:
        """Where a point lies; ``hint`` is the place before, or its triangle."""
        goal = self.checked(point)
        if len(self.points) == 1:
            alone = tuple(self.points[0].tolist())
            return Place(0, _ZERO, _ONE, alone, goal == alone)
        start = hint.triangle if isinstance(hint, Place) else hint
        line = self.line
        here, near = (goal, True) if line is None else line.projected(goal)
        found = self.mesh.find(here, start)
        if found is None:
            triangle, border = self.mesh.nearest_border(here)
            here, near = (here if self.outside == "extrapolate" else border), False
            found = triangle, self.mesh.weights(triangle, here)
        triangle, weights = found
        shares = weights if self.outside == "extrapolate" else _convex(weights)
        there = here if line is None else line.lifted(here)
        if self.weighing is None:
            return Place(triangle, self.mesh.corners[triangle], np.array(shares), there, near)
        own = self.weighing(there)
        nodes = np.flatnonzero(own)
        return Place(triangle, nodes, own[nodes], there, near)

    def holds(self, point: Sequence[float], hint: Place | None = None) -> bool:
        """Whether a point lies inside; told sooner than where and with which weights."""
        if self.line is not None or len(self.points) == 1:
            return self.place(point, hint).inside
        return self.mesh.find(self.checked(point), None if hint is None else hint.triangle) is not None

    def checked(self, point: Point) -> tuple[float, ...]:
        """A blending point as numbers; ``NetworkError`` where it is none, or has too few or too many of them."""
        n_axes = self.points.shape[1]
        try:
            goal = reals(point)
        except (TypeError, OverflowError):
            goal = ()
        if len(goal) != n_axes or not all(abs(x) <= FURTHEST for x in goal):
            raise NetworkError(
                f"expected a blending point of {n_axes} finite numbers up to {FURTHEST:g}, got {shown(point)}"
            )
        return goal

    @cached_property
    def weighing(self) -> Weighing | None:
        """The interpolant made for these places, which it refuses if it has no weights for them; None without one."""
        return None if self.interpolant is None or len(self.points) == 1 else self.interpolant(self.points)


def _convex(weights: Sequence[float]) -> list[float]:
    """Weights without what rounding put below zero."""
    if min(weights) >= 0.0:
        return list(weights)
    kept = [max(weight, 0.0) for weight in weights]
    total = sum(kept)
    return [weight / total for weight in kept]
