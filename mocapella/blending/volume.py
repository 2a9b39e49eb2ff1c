"""Networks in space: a third axis for style above the plane of turn and speed, filled with tetrahedra."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int

from mocapella.analysis.synchronise import phase_in_step
from mocapella.blending.network import Network
from mocapella.checks import NETWORK, explained, real_or_nan, refuse_other, shown
from mocapella.errors import NetworkError
from mocapella.geometry import triangulation
from mocapella.geometry.mesh import Line, Mesh
from mocapella.geometry.simplices import axis_spread, flatness

_Tetrahedra = Int[np.ndarray, "tetrahedra 4"]

_EDGES = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])  # of a tetrahedron, by its corners
_FACES = np.array([(0, 1), (0, 2), (1, 2), (3, 4)])  # each by two of its edges
_LOOKING = np.array([(0.34, 0.33, 0.33), (0.8, 0.11, 0.09), (0.09, 0.8, 0.11), (0.11, 0.09, 0.8)])  # where, in a face


class _VolumeSettings(NamedTuple):
    """Numbers of tetrahedra that are made and checked."""

    golden: float = 0.6180339887498949  # of the unit interval: steps round it that never meet
    jog: float = 1e-7  # of the volume's size: most by which a node is lifted to decide between equal cuts
    at_once: int = 256  # tetrahedra looked at together
    beyond: float = 1e-6  # of a tetrahedron's size: as far behind a face others are looked for


_VOLUME = _VolumeSettings()


@explained
class Volume(Network):
    """A network in space: nodes at three coordinates joined by tetrahedra.

    Nodes that all lie in one plane make no volume.

    Parameters
    ----------
    nodes
        At three coordinates each.
    triangles
        Names of nodes in fours, or their indices; Delaunay's tetrahedra if None.
    rule, harmonics, outside, interpolant, single_source
        As those of ``Network``.

    Examples
    --------
    >>> from mocapella import Node, Spectrum
    >>> swing = Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)
    >>> places = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> Volume([Node(f"n{i}", at, swing) for i, at in enumerate(places)])
    Volume(4 nodes, 1 tetrahedron, 1 harmonic)
    """

    n_axes = 3

    @property
    def outline(self) -> tuple[tuple[int, ...], ...]:
        """The triangles that the volume ends at."""
        return tuple(tuple(face) for face in self.mesh.border.tolist())

    def flipped(self, first: str, second: str) -> Volume:
        """Raises ``NetworkError``: in space an edge has no other diagonal."""
        raise NetworkError(f"edge {first}–{second} of a volume has no other diagonal; give the tetrahedra by hand")

    @property
    def _line(self) -> Line | None:
        return None

    def _corners(self, given: Int[np.ndarray, "tetrahedra corners"] | None) -> Int[np.ndarray, "tetrahedra corners"]:
        triangulation.refuse_duplicates(self.points, self.names)
        if len(self.nodes) == 1:
            return np.zeros((1, 1), dtype=np.intp)
        if given is None:
            return _tetrahedra(self.points)
        _refuse_crossings(self.points, given, self.names)
        return given


@explained
def layered(
    networks: Sequence[Network], heights: Sequence[float | int], *, names: Sequence[str] | None = None
) -> Volume:
    """Networks of the same triangles, one above the other: between two the blend changes from one to the next.

    At the height of a layer the volume is that network.

    Parameters
    ----------
    networks
        Two or more with the same triangles, rule and harmonics, in step (see ``in_step_with``), without interpolant and
        single-source harmonics.
    heights
        One per network, rising.
    names
        Of the layers; their heights if None. Nodes are called ``layer/node``.

    Returns
    -------
    Volume
        All nodes, joined by tetrahedra.

    Raises
    ------
    NetworkError
        Where the networks do not fit on each other, or the heights do not rise.

    Examples
    --------
    >>> from mocapella import Node, Spectrum
    >>> swing = Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)
    >>> nodes = [Node(name, at, swing) for name, at in (("a", (0, 0)), ("b", (1, 0)), ("c", (0, 1)))]
    >>> layered([Network(nodes), Network(nodes)], [0.0, 1.0], names=["sad", "happy"])
    Volume(6 nodes, 3 tetrahedra, 1 harmonic)
    """
    _refuse_odd_layers(networks, heights)
    _refuse_unlike_layers(networks)
    titles = [f"{height:g}" for height in heights] if names is None else list(names)
    if len(titles) != len(networks):
        raise NetworkError(f"expected {len(networks)} names, one per layer, got {titles}")
    nodes = [
        replace(node, name=f"{title}/{node.name}", at=(*node.at, float(height)))
        for network, height, title in zip(networks, heights, titles, strict=True)
        for node in network.nodes
    ]
    first = networks[0]
    corners, n_nodes = first.corners, len(first.nodes)
    tetrahedra = []
    for layer in range(len(networks) - 1):
        low = np.sort(corners, axis=1) + layer * n_nodes
        high = low + n_nodes
        # Every upright face is cut from the lower-numbered node above to the higher-numbered below, for both its sides.
        for i in range(3):
            tetrahedra.append(np.concatenate([low[:, i:], high[:, : i + 1]], axis=1))
    return Volume(
        nodes, np.concatenate(tetrahedra).tolist(), rule=first.rule, harmonics=first.harmonics, outside=first.outside
    )


def _refuse_odd_layers(networks: Sequence[Network], heights: Sequence[float | int]) -> None:
    """Raise ``NetworkError`` unless there are two networks or more, each with a height above the one before."""
    refuse_other(networks, Sequence, "a list of networks, one per layer")
    refuse_other(heights, (Sequence, np.ndarray), "a list of heights, one per layer")
    for network in networks:
        refuse_other(network, Network, "networks, such as Network(nodes), for layers")
    if len(networks) < 2 or len(networks) != len(heights):
        raise NetworkError(f"expected two layers or more, each with a height; got {len(networks)} and {len(heights)}")
    if not all(map(math.isfinite, map(real_or_nan, heights))):
        raise NetworkError(f"expected finite numbers for the heights of layers, got {shown(heights)}")
    if any(not low < high for low, high in itertools.pairwise(heights)):
        raise NetworkError(f"heights of layers rise from one to the next, got {list(heights)}")


def _refuse_unlike_layers(networks: Sequence[Network]) -> None:
    """Raise ``NetworkError`` for networks that do not fit on each other."""
    first = networks[0]
    shape, settings = (_rows(first), len(first.nodes)), (first.rule, first.harmonics, first.outside)
    if first.corners.shape[1] != 3 or any((_rows(other), len(other.nodes)) != shape for other in networks):
        raise NetworkError("layers need the same triangles over the same number of nodes, in the same order")
    if any((other.rule, other.harmonics, other.outside) != settings for other in networks):
        raise NetworkError("layers need the same rule, harmonics and outside; build them alike")
    if any(network.interpolant is not None for network in networks):
        raise NetworkError("layers are joined by tetrahedra, an interpolant would be lost; build them without one")
    if any(network.single_source is not None for network in networks):
        raise NetworkError("layers are joined without single-source harmonics; ask the volume for some afterwards")


def _rows(network: Network) -> set[tuple[int, ...]]:
    """The triangles, each with its corners in one order."""
    return {tuple(sorted(row)) for row in network.corners.tolist()}


@explained
def in_step_with(network: Network, other: Network) -> Network:
    """The network synchronised with another: begun where its nodes match those of the other, pair by pair.

    Networks that were built separately begin their cycles anywhere; they have to be in step before they are
    ``layered``.

    Parameters
    ----------
    network
        The one to be begun later; nodes that keep their own time stay as they are.
    other
        A network of as many nodes.

    Returns
    -------
    Network
        The same motions, the synchronised ones begun later by one phase.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> walk = mo.analyse(mo.prepare(perform("walk")[0]))
    >>> early, late = (Network([mo.Node("walk", (0, 0), walk.starting_at(phase))]) for phase in (0.0, 0.5))
    >>> bool(np.allclose(in_step_with(late, early).nodes[0].spectrum.coefficients, walk.coefficients, atol=1e-3))
    True
    """
    refuse_other(network, Network, NETWORK)
    refuse_other(other, Network, NETWORK)
    if len(network.nodes) != len(other.nodes):
        raise NetworkError(f"expected two networks of as many nodes, got {len(network.nodes)} and {len(other.nodes)}")
    pairs = [(a.spectrum, b.spectrum) for a, b in zip(network.nodes, other.nodes, strict=True) if a.synchronised]
    if not pairs:
        return network
    phase = phase_in_step([motion for motion, _ in pairs], [reference for _, reference in pairs])
    return network.starting_at(phase)


def _tetrahedra(points: Float[np.ndarray, "points 3"]) -> _Tetrahedra:
    """Delaunay's tetrahedra, by the lower side of the hull of points lifted to a paraboloid."""
    scaled = (points - points.min(axis=0)) / axis_spread(points)
    # Nodes on a grid lie on common spheres and may be cut in many ways. A little more lift here and there decides for
    # one, the same on both sides of every face; were the nodes themselves jogged, flat tetrahedra would come between.
    jogs = np.modf(_VOLUME.golden * np.arange(len(points)) ** 2)[0]  # squared, or steps of a grid would cancel out
    lifted = np.column_stack([scaled, (scaled**2).sum(axis=1) + _VOLUME.jog * jogs])
    try:
        if len(points) == 4:  # one tetrahedron; a hull asks for one more
            corners = np.arange(4)[None]
        else:
            hull = scipy.spatial.ConvexHull(lifted)
            corners = hull.simplices[hull.equations[:, 3] < 0.0].astype(np.intp)
    except (scipy.spatial.QhullError, ValueError):
        corners = np.zeros((0, 4), dtype=np.intp)
    corners = corners[flatness(scaled[corners]) >= triangulation.FLAT]
    if not len(corners):
        raise NetworkError(f"{len(points)} nodes in one plane span no volume; a network in the plane holds them")
    return np.asarray(np.sort(corners, axis=1)[np.lexsort(np.sort(corners, axis=1).T[::-1])])


def _refuse_crossings(points: Float[np.ndarray, "points 3"], corners: _Tetrahedra, names: Sequence[str]) -> None:
    def title(t: int) -> str:
        return "–".join(names[i] for i in corners[t].tolist())

    shapes = points[corners]
    flat = np.flatnonzero(flatness(shapes) < triangulation.FLAT)
    if flat.size:
        raise NetworkError(f"the corners of {title(int(flat[0]))} lie in one plane")
    low, high = shapes.min(axis=1), shapes.max(axis=1)
    for t in range(len(corners) - 1):
        rest = np.arange(t + 1, len(corners))
        near = rest[((low[rest] < high[t]) & (high[rest] > low[t])).all(axis=1)]
        for some in np.split(near, range(_VOLUME.at_once, len(near), _VOLUME.at_once)) if near.size else ():
            crossing = some[_overlap(shapes[t], shapes[some])]
            if crossing.size:
                other = title(int(crossing[0]))
                raise NetworkError(f"{title(t)} and {other} cross; a point in both would have two blends")
    _refuse_odd_faces(Mesh(points, corners), title)


def _refuse_odd_faces(mesh: Mesh, title: Callable[[int], str]) -> None:
    """Raise ``NetworkError`` where tetrahedra touch without sharing a face: the blend would jump there."""
    inner = mesh.points[mesh.corners].mean(axis=1)[mesh.border_simplices]
    faces = mesh.points[mesh.border]
    middles = faces.mean(axis=1)
    for shares in _LOOKING:
        spots = np.einsum("c,fca->fa", shares, faces)
        beyond = spots + _VOLUME.beyond * (middles - inner)
        for face, spot in enumerate(beyond.tolist()):
            behind = mesh.find(spot)
            if behind is not None:
                first, second = title(int(mesh.border_simplices[face])), title(behind[0])
                raise NetworkError(
                    f"{first} and {second} touch without sharing a face, and the blend would leap there; cut both alike"
                )


def _overlap(shape: Float[np.ndarray, "4 3"], others: Float[np.ndarray, "others 4 3"]) -> Bool[np.ndarray, " others"]:
    """Whether insides meet: no direction along a face's normal or square to two edges tells the two apart."""
    shape_edges, edges = shape[_EDGES[:, 1]] - shape[_EDGES[:, 0]], others[:, _EDGES[:, 1]] - others[:, _EDGES[:, 0]]
    shape_normals = np.cross(shape_edges[_FACES[:, 0]], shape_edges[_FACES[:, 1]])[None]
    normals = np.cross(edges[:, _FACES[:, 0]], edges[:, _FACES[:, 1]])
    faces = np.concatenate([np.broadcast_to(shape_normals, normals.shape), normals], axis=1)
    meeting = ~_told_apart(faces, shape, others)  # by their faces most are told apart
    if not meeting.any():
        return meeting
    crossed = np.cross(shape_edges[None, :, None], edges[meeting, None]).reshape(int(meeting.sum()), -1, 3)
    meeting[meeting] = ~_told_apart(crossed, shape, others[meeting])
    return np.asarray(meeting)


def _told_apart(
    axes: Float[np.ndarray, "others axes 3"], shape: Float[np.ndarray, "4 3"], others: Float[np.ndarray, "others 4 3"]
) -> Bool[np.ndarray, " others"]:
    """Whether along one of their axes a shape ends where another begins; axes of no length tell nothing."""
    sizes = np.linalg.norm(axes, axis=-1, keepdims=True)
    units = np.divide(axes, sizes, out=np.zeros_like(axes), where=sizes > 1e-12)
    first, second = units @ shape.T, np.einsum("oda,oca->odc", units, others)
    slack = 1e-9 * float(np.ptp(shape, axis=0).max())
    gap = (first.max(axis=-1) <= second.min(axis=-1) + slack) | (second.max(axis=-1) <= first.min(axis=-1) + slack)
    return np.asarray((gap & (sizes[..., 0] > 1e-12)).any(axis=1))
