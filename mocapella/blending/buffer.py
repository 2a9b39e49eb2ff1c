"""Where a transition's node goes in a block, and by which buffer triangles it is reached.

Left to itself, a node goes inside the plain triangle whose corners are most like it, and splits it in three. A mode
that opens these three closes the one below, so no place is lost, and every edge round it is a way in. Where all
triangles are taken it goes outside, beyond an edge of the outline.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.blending.block import Block, Triangle
from mocapella.blending.likeness import unlikeness_of
from mocapella.blending.network import Network
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum

_LEAST, _MOST = 0.2, 0.5  # a corner's share in the place of a node among three: never so near that triangles are thin
_OUT = 0.5  # of an edge's length: as far beyond it a node lies
_THIRD = 0.5  # what the least similar corner of a triangle counts when triangles are compared


@dataclass(frozen=True)
class Berth:
    """A place for a node, and the triangles that lead there; the node's own name stands last in each."""

    at: tuple[float, float]
    buffers: tuple[Triangle, ...]
    opened: tuple[Triangle, ...] | None = None  # of a block too small for buffers: all its triangles from then on


def berth(
    block: Block,
    name: str,
    motion: Spectrum,
    *,
    at: tuple[float, float] | None = None,
    beside: Sequence[tuple[str, str]] = (),
) -> Berth:
    """Find a place for a node of this name and motion, which is in step with the block.

    Parameters
    ----------
    at
        Where it is to lie; found if None.
    beside
        Pairs of nodes that make buffer triangles with it; chosen by similarity if empty.

    Raises
    ------
    NetworkError
        Where ``at`` lies in no triangle, or no place can be found.
    """
    network = block.network
    if len(network.corners[0]) < 3:
        return _off_the_line(network, name, at)
    unlike = {node.name: unlikeness_of(motion, node.spectrum) for node in network.nodes}
    if beside:
        for pair in beside:
            if len({network.index(corner) for corner in pair}) != 2:
                raise NetworkError(f"a buffer triangle stands on two different nodes, got {' and '.join(pair)}")
        return Berth(at or _beyond(network, beside), tuple((*pair, name) for pair in beside))
    corners = _around(network, at) if at is not None else _most_alike(block, unlike)
    if corners is None:
        return _outside(block, name, unlike)
    place = at or _among(network, corners, unlike)
    return Berth(place, tuple((a, b, name) for a, b in itertools.combinations(corners, 2)))


def _most_alike(block: Block, unlike: Mapping[str, float]) -> Triangle | None:
    """The plain triangle most like a motion, of those that no transition's node lies in yet, if there is one left."""
    corners = {name for names in block.plain for name in names}
    places = [block.network.place(block.network.node(name).at) for name in sorted(block.transition_nodes - corners)]
    occupied = {place.triangle for place in places if place.inside}
    free = [names for i, names in enumerate(block.plain) if i not in occupied]

    def cost(names: Triangle) -> float:
        near = sorted(unlike[name] for name in names)
        return near[0] + near[1] + _THIRD * near[2]

    return min(free, key=cost, default=None)


def _outside(block: Block, name: str, unlike: Mapping[str, float]) -> Berth:
    """A place beyond the edge of the outline whose ends are most alike, where no other node's triangle is."""
    network = block.network
    names = network.names
    edges = [(names[a], names[b]) for a, b in network.mesh.border.tolist()]
    for pair in sorted(edges, key=lambda ends: unlike[ends[0]] + unlike[ends[1]]):
        at = _beyond(network, [pair])
        shape = network.points[[network.index(end) for end in pair]].tolist()
        if not block.covers([*shape, list(at)]):
            return Berth(at, ((*pair, name),))
    raise NetworkError("no room is left inside the block or round it; say where this one goes")


def _among(network: Network, corners: Triangle, unlike: Mapping[str, float]) -> tuple[float, float]:
    """A place inside a triangle, nearer to the corners that are more alike."""
    shares = np.array([1.0 / max(unlike[name], 1e-6) for name in corners])
    shares /= shares.sum()
    shares = np.clip(shares, _LEAST, _MOST)
    x, y = (shares / shares.sum()) @ network.points[[network.index(name) for name in corners]]
    return float(x), float(y)


def _around(network: Network, at: tuple[float, float]) -> Triangle:
    """The triangle that a place lies in."""
    place = network.place(at)
    if not place.inside:
        raise NetworkError(f"{at} lies outside of the block; name the nodes it is to stand beside as well")
    return network.triangles[place.triangle]


def _beyond(network: Network, beside: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """A place beyond an edge of the outline; for several edges between them, beyond their middle."""
    spread = np.ptp(network.points, axis=0)
    spots = network.points / spread  # a plane of its own for each axis' unit
    ends = spots[[network.index(name) for name in sorted({name for pair in beside for name in pair})]]
    foot = ends.mean(axis=0)
    reach = float(np.linalg.norm(ends - foot, axis=1).max())
    x, y = (foot + 2.0 * _OUT * reach * _outward(ends, foot, spots.mean(axis=0))) * spread
    return float(x), float(y)


def _outward(
    ends: Float[np.ndarray, "nodes 2"], foot: Float[np.ndarray, 2], middle: Float[np.ndarray, 2]
) -> Float[np.ndarray, 2]:
    """Square to the longest way between the nodes, away from the middle of the block."""
    along = ends[np.argmax(np.linalg.norm(ends - ends[0], axis=1))] - ends[0]
    square = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    return square if square @ (foot - middle) >= 0.0 else -square


def _off_the_line(network: Network, name: str, at: tuple[float, float] | None) -> Berth:
    """A place for a node in a block of one node or of nodes on a line; all triangles are then with it."""
    points = network.points
    if len(points) == 1:
        x, y = points[0] + [1.0, 0.0]
        place = at or (float(x), float(y))
        return Berth(place, (), ((network.names[0], name),))
    order = [network.names[i] for i in np.argsort(points @ (points[-1] - points[0]))]
    low, high = points[network.index(order[0])], points[network.index(order[-1])]
    along = high - low
    x, y = 0.5 * (low + high) + _OUT * np.array([along[1], -along[0]])
    return Berth(at or (float(x), float(y)), (), tuple((a, b, name) for a, b in itertools.pairwise(order)))
