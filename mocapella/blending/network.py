"""Networks: named nodes in a plane, joined by triangles; a blending point sets the weight of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.arrays import owned
from mocapella.blending.bank import NodeBank, with_like_signs
from mocapella.blending.interpolants import Interpolant, interpolant_of
from mocapella.blending.places import Node, Outside, Place, PlaceFinder, Point, listed, refuse_unlike_nodes
from mocapella.blending.rules import BlendRule, lively_blend, rule_of
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.blending.single_source.switching import Stack, Switch, Switching
from mocapella.checks import counted, explained, refuse_other
from mocapella.errors import NetworkError, warn
from mocapella.geometry import triangulation
from mocapella.geometry.mesh import Line, Mesh, line_through
from mocapella.inline import ShownInline
from mocapella.motion.layout import Layout
from mocapella.motion.spectrum import Spectrum


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Network(ShownInline):
    """Nodes joined by triangles; every point has a blend, by default clamped to the outline.

    One node is a point, two nodes or nodes on one line are a chain of segments, to which blending points are projected.

    Parameters
    ----------
    nodes
        At least one, with one skeleton and layout, no two on one place. Signs of quaternions are made to agree.
    triangles
        Names of nodes in threes, or their indices; Delaunay's triangles if None. A node that is in none is out of
        reach.
    rule
        How harmonics are mixed: a function, or its name in ``mocapella.blending.rules.RULES``.
    harmonics
        How many to use; all that all nodes have if None.
    outside
        ``"clamp"``: the nearest place on the outline. ``"extrapolate"``: the nearest triangle with weights below zero;
        a little of it exaggerates, more distorts.
    interpolant
        Other weights than those of the triangle a point lies in: a function of ``mocapella.blending.interpolants``, or
        its name there. A single node needs none.
    single_source
        Upper harmonics that are not blended but taken whole from one node; none if None. The attribute of the network
        has a winner for every edge.

    Raises
    ------
    NetworkError
        Where nodes share a name or a place, differ in skeleton or layout, or triangles are flat or cross; where
        single-source harmonics are beyond those of the nodes, or combined with an interpolant; where an interpolant
        does not support these places.

    Examples
    --------
    >>> swing = Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)
    >>> nodes = [Node("slow", (0, 0), swing), Node("fast", (1, 0), 3 * swing), Node("left", (0, 1), swing)]
    >>> Network(nodes).blend((0.5, 0.0)).duration
    2.0
    """

    nodes: tuple[Node, ...]
    triangles: tuple[tuple[str, ...], ...]  # names of nodes; in twos along a line, a single one for a single node
    rule: BlendRule
    harmonics: int | None
    outside: Outside
    interpolant: Interpolant | None
    single_source: SingleSource | None
    bank: NodeBank = field(init=False)  # the nodes' spectra, ready to be mixed
    mesh: Mesh = field(init=False)  # triangles in the plane, segments on a line

    n_axes: ClassVar[int] = 2

    def __init__(
        self,
        nodes: Iterable[Node],
        triangles: Sequence[Sequence[str | int]] | None = None,
        *,
        rule: BlendRule | str = lively_blend,
        harmonics: int | None = None,
        outside: Outside = "clamp",
        interpolant: Interpolant | str | None = None,
        single_source: SingleSource | None = None,
    ) -> None:
        if not isinstance(outside, str) or outside not in ("clamp", "extrapolate"):
            raise TypeError  # ``explained`` names the argument, as it does for other types that fail below
        interpolant = interpolant_of(interpolant)
        alike = self._alike(listed(nodes))
        vars(self).update(
            nodes=alike, rule=rule_of(rule), harmonics=harmonics, outside=outside, interpolant=interpolant
        )
        corners = self._corners(None if triangles is None else self._indices(triangles))
        object.__setattr__(self, "triangles", tuple(tuple(self.names[i] for i in row) for row in corners.tolist()))
        in_step = [node.synchronised for node in alike]
        object.__setattr__(self, "bank", NodeBank.of([node.spectrum for node in alike], harmonics, in_step))
        coordinates = self.points if self._line is None else owned(self._line.coordinates(self.points))
        object.__setattr__(self, "mesh", Mesh(coordinates, owned(corners)))
        self._settle(single_source)
        _ = self._finder.weighing  # raises for places that the interpolant does not support
        if harmonics is None:
            self._warn_of_harmonics()
        unused = sorted(set(range(len(alike))).difference(corners.ravel().tolist()))
        if unused and interpolant is None:
            warn(f"in no triangle and so out of reach: {', '.join(repr(self.names[i]) for i in unused)}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(node.name for node in self.nodes)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def points(self) -> Float[np.ndarray, "nodes axes"]:
        """Where the nodes lie."""
        return owned(np.array([node.at for node in self.nodes], dtype=np.float64))

    @property
    def corners(self) -> Int[np.ndarray, "triangles corners"]:
        """The triangles as indices of nodes, anticlockwise; segments on a line, one single node."""
        return self.mesh.corners

    @property
    def neighbours(self) -> Int[np.ndarray, "triangles corners"]:
        """For every triangle and corner the triangle across the opposite edge, −1 where there is none."""
        return self.mesh.neighbours

    @cached_property
    def outline(self) -> tuple[tuple[int, ...], ...]:
        """Where the network ends: loops of node indices, the inside on the left; a chain's two ends, a single node."""
        if self.corners.shape[1] < 3:
            ends = self.mesh.border.ravel().tolist() if len(self.nodes) > 1 else [0]
            return (tuple(ends),)
        return triangulation.outline(self.mesh.border)

    @property
    def layout(self) -> Layout | None:
        """The dof layout of all nodes."""
        return self.bank.layout

    @property
    def n_harmonics(self) -> int:
        """The highest harmonic that blends have."""
        return int(self.bank.coefficients.shape[1]) - 1

    def node(self, name: str) -> Node:
        """The node of this name."""
        return self.nodes[self.index(name)]

    def index(self, name: str) -> int:
        """The number of the node of this name."""
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise NetworkError(f"no node {name!r}; there are {', '.join(self.names)}") from None

    def place(self, point: Point, hint: Place | int | None = None) -> Place:
        """The triangle of a point and the weights of the nodes there.

        With ``hint``, the place before or its triangle, a point that has moved little is found in a time independent of
        the network's size; the result is the same without it.
        """
        return self._finder.place(point, hint)

    def holds(self, point: Sequence[float], hint: Place | None = None) -> bool:
        """Whether a point lies inside; faster than ``place``."""
        return self._finder.holds(point, hint)

    def blend(self, point: Point | Place, hint: Place | int | None = None) -> Spectrum:
        """The motion at a blending point, or at a place found before.

        Nodes that are not synchronised contribute their mean posture only, and no duration, unless no other node has
        weight: their swings run in a time of their own, see ``own_time_parts``.
        """
        place = point if isinstance(point, Place) else self.place(point, hint)
        return self.bank.blend(place, self.rule, self.switch(place))

    def stack(self, point: Point | Place) -> Stack:
        """For every harmonic from 0 on the number of the node it comes from, −1 where it is blended."""
        place = point if isinstance(point, Place) else self.place(point)
        if self._switching is None:
            return owned(np.full(self.n_harmonics + 1, -1, dtype=np.intp))
        return self._switching.stack(place)

    def places(self, points: Sequence[Point] | Float[np.ndarray, "points axes"]) -> list[Place]:
        """Where each of many points lies; quickest where each is near the one before."""
        out: list[Place] = []
        for point in points:
            out.append(self.place(point, out[-1] if out else None))
        return out

    def coefficients_at(
        self, points: Sequence[Point | Place] | Float[np.ndarray, "points axes"]
    ) -> Complex[np.ndarray, "points harmonics dofs"]:
        """The coefficients of the blends at many points, as ``blend`` gives them, much faster than one by one.

        Durations are ``shares_at(points) @ bank.durations``, foot plants ``bank.schedule.blended`` of each row.
        """
        places = self._as_places(points)
        switches = None if self._switching is None else [self._switching.at(place) for place in places]
        return self.bank.coefficients_at(places, self.rule, switches)

    def shares_at(
        self, points: Sequence[Point | Place] | Float[np.ndarray, "points axes"]
    ) -> Float[np.ndarray, "points nodes"]:
        """The weights of all nodes for the duration and the foot plants of the blends at many points."""
        return self.bank.shares_at(self._as_places(points))

    def own_time_parts(self, point: Point | Place, hint: Place | int | None = None) -> tuple[Spectrum, ...]:
        """The blend as motions with their own time: the dofs are their sum, each at its own cycle phase.

        All synchronised nodes together are the first, every other node that counts is one more; weights are already in
        them. A network of synchronised nodes has one part, its blend.
        """
        place = point if isinstance(point, Place) else self.place(point, hint)
        return self.bank.parts(place, self.rule, self.switch(place))

    def flipped(self, first: str, second: str) -> Network:
        """The same network with the edge between two nodes replaced by the other diagonal of its two triangles."""
        edge = (self.index(first), self.index(second))
        return self.remade(self.nodes, triangulation.flip_edge(self.points, self.corners, edge, self.names).tolist())

    def moved(self, places: Mapping[str, Sequence[float]]) -> Network:
        """The same network with some nodes, by name, at other places; triangles stay, a chain is joined anew."""
        refuse_other(places, Mapping, "places by the names of nodes, such as {'slow': (0.0, 0.8)}")
        points = {self.index(name): self.checked_point(at) for name, at in places.items()}
        nodes = tuple(replace(node, at=points.get(i, node.at)) for i, node in enumerate(self.nodes))
        return self.remade(nodes, self.triangles if self._line is None and len(nodes) > 1 else None)

    def rearranges(self, other: Network) -> bool:
        """Whether it blends the same motions as another network by the same rule, at any places."""
        alike = self.names == other.names and self.rule == other.rule
        alike = alike and (self.n_axes, self.n_harmonics) == (other.n_axes, other.n_harmonics)
        return alike and all(
            node.spectrum is theirs.spectrum and node.synchronised == theirs.synchronised
            for node, theirs in zip(self.nodes, other.nodes, strict=True)
        )

    def with_spectra(self, spectra: Mapping[str, Spectrum]) -> Network:
        """The same places and triangles with other motions for some nodes, by name."""
        refuse_other(spectra, Mapping, "spectra by the names of nodes, such as {'slow': spectrum}")
        changed = {self.index(name): spectrum for name, spectrum in spectra.items()}
        nodes = [replace(node, spectrum=changed[i]) if i in changed else node for i, node in enumerate(self.nodes)]
        alike = self._alike(nodes)
        bank = NodeBank.of([node.spectrum for node in alike], self.harmonics, self.bank.in_step.tolist())
        other = self._with_parts(nodes=alike, bank=bank)
        if self.harmonics is None:
            other._warn_of_harmonics()
        return other

    def starting_at(self, phase: float) -> Network:
        """The same network, its synchronised motions begun ``phase`` radians into their cycles."""
        in_step = [node for node in self.nodes if node.synchronised]
        return self.with_spectra({node.name: node.spectrum.starting_at(phase) for node in in_step})

    def with_nodes(self, nodes: Sequence[Node], triangles: Sequence[Sequence[str | int]] | None = None) -> Network:
        """The same network with more nodes; its triangles stay as they are unless others are given."""
        return self.remade((*self.nodes, *listed(nodes)), self.triangles if triangles is None else triangles)

    def remade(self, nodes: Iterable[Node], triangles: Sequence[Sequence[str | int]] | None, **others: Any) -> Network:
        """A network of other ``nodes`` and ``triangles`` with the same settings, but for ``others`` of them."""
        names = ("rule", "harmonics", "outside", "interpolant", "single_source")
        return type(self)(nodes, triangles, **{name: getattr(self, name) for name in names} | others)

    def limited_to(self, triangles: Sequence[Sequence[str | int]]) -> Network:
        """The same nodes with other triangles, without preparing them again: what an operating mode opens.

        Nodes that are in none of them are out of reach on purpose, so there is no warning.
        """
        corners = owned(self._corners(self._indices(triangles)))
        names = tuple(tuple(self.names[i] for i in row) for row in corners.tolist())
        return self._with_parts(triangles=names, mesh=Mesh(self.mesh.points, corners))

    def with_single_source(self, single_source: SingleSource | None) -> Network:
        """The same network with other single-source harmonics, or none."""
        return self._with_parts(single_source=single_source)

    def _with_parts(self, **others: object) -> Network:
        """The same network with some parts exchanged, and no values cached from the old ones."""
        network: Network = object.__new__(type(self))
        for part in fields(self):
            object.__setattr__(network, part.name, others.get(part.name, getattr(self, part.name)))
        network._settle(network.single_source)
        return network

    def _alike(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        refuse_unlike_nodes(nodes, self.n_axes)
        alike = with_like_signs([node.spectrum for node in nodes])
        return tuple(
            node if node.spectrum is spectrum else replace(node, spectrum=spectrum)
            for node, spectrum in zip(nodes, alike, strict=True)
        )

    def __repr__(self) -> str:
        shape = {2: ("segment",), 3: ("triangle",), 4: ("tetrahedron", "tetrahedra")}.get(self.corners.shape[1])
        shapes = "a point" if shape is None else counted(len(self.corners), *shape)
        nodes, harmonics = counted(len(self.nodes), "node"), counted(self.n_harmonics, "harmonic")
        return f"{type(self).__name__}({nodes}, {shapes}, {harmonics})"

    def _warn_of_harmonics(self) -> None:
        most = max(node.spectrum.n_harmonics for node in self.nodes)
        if most > self.n_harmonics:
            few = [node.name for node in self.nodes if node.spectrum.n_harmonics == self.n_harmonics]
            text = f"blends have the {self.n_harmonics} harmonics of {', '.join(few)}, though others have up to {most}"
            warn(f"{text}; harmonics={self.n_harmonics} says that this is meant")

    def _settle(self, single_source: SingleSource | None) -> None:
        """Check single-source harmonics and complete them for this network."""
        if single_source is not None:
            refuse_other(single_source, SingleSource, "single-source harmonics, such as SingleSource(first=6), or None")
            if self.interpolant is not None:
                raise NetworkError("single-source harmonics are shared out in triangles, which an interpolant has not")
            single_source = single_source.settled(self.names, self.corners, self.n_harmonics)
        object.__setattr__(self, "single_source", single_source)
        _ = self._switching  # raises where it does not fit

    @cached_property
    def _switching(self) -> Switching | None:
        """Where each harmonic comes from, over all of the network; worked out anew for other triangles."""
        settings, bank = self.single_source, self.bank
        if settings is None:
            return None
        if settings.override is not None and len(settings.override.low) != self.n_axes:
            raise NetworkError(f"a map of {len(settings.override.low)} axes does not fit a network of {self.n_axes}")
        return Switching(settings, self.names, self.corners, bank.coefficients, bank.in_step, bank.layout)

    def switch(self, place: Place) -> Switch | None:
        """The single-source harmonics at a place; None without any."""
        return None if self._switching is None else self._switching.at(place)

    def _as_places(self, points: Sequence[Point | Place] | Float[np.ndarray, "points axes"]) -> list[Place]:
        return [point if isinstance(point, Place) else self.place(point) for point in points]

    @cached_property
    def _line(self) -> Line | None:
        return line_through(self.points)

    def _corners(self, given: Int[np.ndarray, "triangles corners"] | None) -> Int[np.ndarray, "triangles corners"]:
        """The simplices of the mesh: given ones, checked, or Delaunay's."""
        return triangulation.join_nodes(self.points, self.names, self._line, given)

    def _indices(self, triangles: Sequence[Sequence[str | int]]) -> Int[np.ndarray, "triangles corners"]:
        corners = self.n_axes + 1 if self._line is None else 2
        return triangulation.number_corners(triangles, self.names, (min(corners, len(self.nodes)), self.n_axes + 1))

    def checked_point(self, point: Point) -> tuple[float, ...]:
        """A blending point as numbers; ``NetworkError`` where it is none, or has too few or too many of them."""
        return self._finder.checked(point)

    @cached_property
    def _finder(self) -> PlaceFinder:
        return PlaceFinder(self.points, self.mesh, self._line, self.outside, self.interpolant)
