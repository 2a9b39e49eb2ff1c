"""Nodes, and the place of a blending point among them, inside their triangles or outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.blending.interpolants import Interpolant, Weighing, natural_neighbours
from mocapella.checks import explained, reals, shown
from mocapella.errors import NetworkError
from mocapella.geometry.mesh import Line, Mesh
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, unlike
from mocapella.motion.spectrum import Spectrum, why_unplayable

FURTHEST = 1e9  # in any unit; areas of such numbers are still exact enough for triangulation


@explained
@dataclass(frozen=True, eq=False)
class Node:
    """A named spectrum at a place in the plane, or in space.

    Parameters
    ----------
    name
        A name that is unique in its network.
    at
        Its coordinates, two or three numbers within 1e9, kept as floats.
    spectrum
        Its motion, of a microsecond to eleven days, with harmonics within 1e12.
    synchronised
        False for a motion that keeps its own time, such as an idle: its duration does not slow down the steps of the
        others, see ``Network.own_time_parts``.

    Raises
    ------
    NetworkError
        For values out of range, or a motion without rotation for some joint.

    Examples
    --------
    >>> Node("slow", (0, 1), Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)).at
    (0.0, 1.0)
    """

    name: str
    at: tuple[float | int, ...]
    spectrum: Spectrum
    synchronised: bool = True

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and isinstance(self.synchronised, bool | np.bool_)):
            raise TypeError  # ``explained`` names the argument, as it does for other types that fail below
        if not isinstance(self.spectrum, Spectrum):
            raise NetworkError(f"node {self.name!r} needs a spectrum, got {self.spectrum!r}; analyse(cycle) makes one")
        try:
            at = reals(self.at)
        except OverflowError:
            reason = f"node {self.name!r} lies at a point such as (0.5, 1.0), not at {shown(self.at)}"
            raise NetworkError(reason) from None
        if not all(abs(x) <= FURTHEST for x in at):
            raise NetworkError(f"node {self.name!r} lies at {at}; expected finite numbers up to {FURTHEST:g}")
        if unplayable := why_unplayable(self.spectrum):
            raise NetworkError(f"node {self.name!r} {unplayable}")
        layout = self.spectrum.layout
        if layout is not None:
            squares = np.abs(self.spectrum.coefficients) ** 2
            unturned = layout.unturned(np.sqrt(2.0 * squares.sum(axis=0) - squares[0]))  # quadratic means of the dofs
            if unturned.size:
                joint = layout.skeleton.names[int(unturned[0])]
                raise NetworkError(
                    f"node {self.name!r} has no rotation for joint {joint!r}, only zeros; that is not a motion"
                )
        object.__setattr__(self, "at", at)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a blending point lies in a network: its triangle (segment, node), and the nodes with their weights."""

    triangle: int
    nodes: Int[np.ndarray, " some"]
    weights: Float[np.ndarray, " some"]
    point: tuple[float, ...]  # the one asked for, or the nearest that the network has
    inside: bool = True  # whether the one asked for lies in the network


def listed(nodes: Iterable[Node]) -> list[Node]:
    """Any iterable of nodes as a list; ``NetworkError`` for anything else."""
    try:
        return list(nodes)
    except TypeError:
        raise NetworkError(f"expected a list of nodes, got {nodes!r}; a single one is Network([node])") from None


def refuse_unlike_nodes(nodes: Sequence[Node], n_axes: int) -> None:
    """Raise ``NetworkError`` for nodes that cannot share a network because of their places or dofs."""
    if not nodes:
        raise NetworkError("a network needs at least one node")
    for node in nodes:
        if not isinstance(node, Node):
            raise NetworkError(f"expected nodes, such as Node('slow', (0.0, 0.8), spectrum), found {node!r} among them")
        for fault in _faults(node, nodes[0], n_axes):
            raise NetworkError(f"node {fault}")


def _faults(node: Node, first: Node, n_axes: int) -> Iterator[str]:
    """Why a node cannot share a network with the first."""
    if len(node.at) != n_axes:
        yield f"{node.name!r} lies at {node.at}; expected {n_axes} numbers"
    layout, first_layout = node.spectrum.layout, first.spectrum.layout
    if layout is not None and first_layout is not None:
        if layout.kind != first_layout.kind:
            kinds = f"{node.name!r} has the {layout.kind} layout, {first.name!r} the {first_layout.kind}"
            yield f"{kinds}; prepare its clip with layout={first_layout.kind!r}"
        if not layout.same_as(first_layout):
            differing = unlike(layout.skeleton, first_layout.skeleton)
            text = f"node {node.name!r} has another skeleton than {first.name!r}: {differing}"
            raise NetworkError(text, helps=REMEDY, option=ANOTHER_UNIT)
    elif layout is not first_layout:
        with_one, without = (node, first) if first_layout is None else (first, node)
        yield f"{without.name!r} has no layout, {with_one.name!r} has one; analyse cycles of one kind for both"
    if node.spectrum.n_dofs != first.spectrum.n_dofs:
        counts = f"{node.name!r} has {node.spectrum.n_dofs} dofs, {first.name!r} has {first.spectrum.n_dofs}"
        yield f"{counts}; nodes of one network have as many"


Point = Sequence[float | int] | Float[np.ndarray, " axes"]
Outside = Literal["clamp", "extrapolate"]

_ALONE = owned(np.zeros(1, dtype=np.intp)), owned(np.ones(1))  # the index and the weight of a single node


@dataclass(frozen=True, eq=False)
class PlaceFinder:
    """Finds the place of a point: nodes, the mesh that joins them, and the rule for points outside."""

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
            return Place(0, *_ALONE, alone, goal == alone)
        start = hint.triangle if isinstance(hint, Place) else hint
        line = self.line
        here, near = (goal, True) if line is None else line.projected(goal)
        inside = self.mesh.find(here, start)
        if inside is None:
            triangle, border = self.mesh.nearest_border(here)
            here, near = (here if self.outside == "extrapolate" else border), False
            weights = self.mesh.weights(triangle, here)
        else:
            triangle, weights = inside
        shares = weights if self.outside == "extrapolate" else _convex(weights)
        there = here if line is None else line.lifted(here)
        if self.weighing is None:
            return Place(triangle, self.mesh.corners[triangle], np.array(shares), there, near)
        node_weights = self.weighing(there)
        nodes = np.flatnonzero(node_weights)
        return Place(triangle, nodes, node_weights[nodes], there, near)

    def holds(self, point: Sequence[float], hint: Place | None = None) -> bool:
        """Whether a point lies inside; faster than ``place``."""
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
        """The interpolant made for these places, or None; it raises for places that it does not support."""
        if self.interpolant is None or len(self.points) == 1:
            return None
        if self.interpolant is natural_neighbours and self.line is None:
            return natural_neighbours(self.points, self.mesh.corners)
        return self.interpolant(self.points)


def _convex(weights: Sequence[float]) -> list[float]:
    """Weights with negative rounding errors set to zero."""
    if min(weights) >= 0.0:
        return list(weights)
    positive = [max(weight, 0.0) for weight in weights]
    total = sum(positive)
    return [weight / total for weight in positive]
