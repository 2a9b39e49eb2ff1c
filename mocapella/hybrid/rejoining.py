"""What joins the nodes of a network, changed by hand: nodes and triangles added and taken out, edges flipped.

As in ``mocapella.hybrid.arranging``, every function gives a new network, or a hybrid one with one block changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.errors import NetworkError
from mocapella.geometry.simplices import area
from mocapella.hybrid.arranging import Playable, network_in, remade, with_network
from mocapella.hybrid.network import HybridNetwork, unwarned


def with_node(playable: Playable, node: Node, *, block: str = "") -> Playable:
    """The same with one more node, joined to what lies round its place.

    Inside it splits the triangle it lies in; outside it is joined to every edge of the outline that it sees.

    Parameters
    ----------
    playable
        A network or a hybrid one.
    node
        In step with the others.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        With the node.
    """
    network = network_in(playable, block)
    if node.name in network.names:
        raise NetworkError(f"there is a node {node.name!r} already; names tell nodes apart")
    nodes = (*network.nodes, node)
    if network.corners.shape[1] < 3:
        return with_network(playable, block, remade(network, nodes, None))
    new, at = len(network.nodes), np.array(network.checked_point(node.at))
    points = np.concatenate([network.points, at[None]])
    place = network.place(tuple(at.tolist()))
    kept, ends = network.corners.tolist(), network.mesh.border.tolist()
    if place.inside:
        holding = [row for row in kept if _holds(points, row, at)]
        kept = [row for row in kept if row not in holding]
        sides = [(row[i], row[(i + 1) % 3]) for row in holding for i in range(3)]
        ends = [side for side in sides if side[::-1] not in sides]
        rows = [[a, b, new] for a, b in ends if area(points[a], points[b], at) > 0.0]
    else:
        rows = [[b, a, new] for a, b in ends if area(points[a], points[b], at) < 0.0]
    return with_network(playable, block, remade(network, nodes, [*kept, *rows]))


def _holds(points: np.ndarray[Any, Any], row: Sequence[int], at: np.ndarray[Any, Any]) -> bool:
    """Whether a place lies in a triangle or on its edge, but for rounding."""
    a, b, c = (points[i] for i in row)
    whole = area(a, b, c)
    return all(area(p, q, at) >= -1e-9 * whole for p, q in ((a, b), (b, c), (c, a)))


def without_node(playable: Playable, node: str, *, block: str = "") -> Playable:
    """The same without a node; triangles close over the gap.

    Parameters
    ----------
    playable
        A network or a hybrid one.
    node
        Its name; no node of an arc.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        Without the node.
    """
    network = network_in(playable, block)
    index = network.index(node)
    if isinstance(playable, HybridNetwork):
        name = block or next(iter(playable.blocks))
        for arc in playable.arcs:
            if any((end.block, end.node) == (name, node) for end in (arc.source, arc.target)):
                raise NetworkError(f"node {node!r} is the way into or out of arc {arc.name!r}; take that arc out first")
    if len(network.nodes) == 1:
        raise NetworkError(f"{node!r} is the only node; a network needs at least one")
    nodes = [one for i, one in enumerate(network.nodes) if i != index]
    rows: list[list[int]] | None = None
    if network.corners.shape[1] == 3 and len(nodes) > 2:
        rows = [row for row in network.corners.tolist() if index not in row]
        rows += _closed_over(network, index)
        rows = [[corner - (corner > index) for corner in row] for row in rows] or None
    single = network.single_source
    if single is not None:
        single = replace(
            single,
            winners=tuple(pair for pair in single.winners if node not in pair),
            abstaining=tuple(one for one in single.abstaining if one != node),
        )
    return with_network(playable, block, remade(network, nodes, rows, single_source=single))


def _closed_over(network: Network, index: int) -> list[list[int]]:
    """Triangles over the gap that a node leaves: ears are cut off the ring of its neighbours, the roundest first."""
    follows = {}
    for row in network.corners.tolist():
        if index in row:
            i = row.index(index)
            follows[row[(i + 1) % 3]] = row[(i + 2) % 3]
    starts = [one for one in follows if one not in follows.values()]
    ring = [starts[0] if starts else next(iter(follows))]
    while ring[-1] in follows and follows[ring[-1]] not in ring:
        ring.append(follows[ring[-1]])
    closed, points, made = not starts, network.points, []
    while len(ring) >= 3:
        ears = []
        for i in range(len(ring) if closed else len(ring) - 2):
            a, b, c = (ring[(i + k) % len(ring)] for k in range(3))
            size = area(points[a], points[b], points[c])
            others = [one for one in ring if one not in (a, b, c)]
            if size > 0.0 and not any(_holds(points, (a, b, c), points[one]) for one in others):
                longest = max(math.dist(points[p], points[q]) for p, q in ((a, b), (b, c), (c, a)))
                ears.append((size / longest**2, [a, b, c]))
        if not ears:
            break
        _, ear = max(ears)
        made.append(ear)
        ring.remove(ear[1])
        if len(ring) == 2:
            break
    return made


def with_triangle(playable: Playable, nodes: Sequence[str], *, block: str = "") -> Playable:
    """The same with three nodes joined.

    Parameters
    ----------
    playable
        A network or a hybrid one.
    nodes
        Three names.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        With the triangle.
    """
    network = network_in(playable, block)
    if network.corners.shape[1] != 3:
        raise NetworkError("the nodes of this network lie on one line; move one off it first")
    corners = [network.index(name) for name in nodes]
    if any(set(corners) == set(row) for row in network.corners.tolist()):
        raise NetworkError(f"there is a triangle {'–'.join(nodes)} already")
    return with_network(playable, block, remade(network, network.nodes, [*network.corners.tolist(), corners]))


def without_triangle(playable: Playable, nodes: Sequence[str], *, block: str = "") -> Playable:
    """The same without a triangle.

    Parameters
    ----------
    playable
        A network or a hybrid one.
    nodes
        Names of its corners.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        Nodes that are in no other triangle are out of reach.
    """
    network = network_in(playable, block)
    corners = {network.index(name) for name in nodes}
    rows = network.corners.tolist()
    kept = [row for row in rows if set(row) != corners]
    if len(kept) == len(rows):
        raise NetworkError(f"there is no triangle {'–'.join(nodes)}")
    if not kept:
        raise NetworkError("this is the only triangle; a network needs one")
    return with_network(playable, block, remade(network, network.nodes, kept))


def flipped(playable: Playable, first: str, second: str, *, block: str = "") -> Playable:
    """The same with the other diagonal where the edge between two nodes is one.

    Parameters
    ----------
    playable
        A network or a hybrid one.
    first, second
        The ends of the edge.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        With the two other triangles.
    """
    with unwarned():
        return with_network(playable, block, network_in(playable, block).flipped(first, second))
