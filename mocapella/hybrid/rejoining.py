"""Networks edited by hand: nodes, triangles and captured changes added and removed, edges flipped.

As in ``mocapella.hybrid.arranging``, every function gives a new network, or a hybrid one with one block changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronised_to
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.errors import NetworkError
from mocapella.geometry.simplices import area
from mocapella.hybrid.arranging import Playable, network_in, remade, with_network
from mocapella.hybrid.block import unwarned
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import ArcEnd, HybridNetwork, Mode
from mocapella.hybrid.transition import Transition
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import harmonic_ceiling
from mocapella.motion.travel import turn_and_speed

_BLOCK = "walking"  # what a plain network is called once a captured change makes it hybrid
_FRAMES = 32  # of a node synthesised to be compared
_TURN = 60.0  # degrees per second that count as much as 1 m/s when motions are compared


def with_node(playable: Playable, node: Node, *, block: str = "") -> Playable:
    """The ``playable`` with one more ``node``, which is in step, joined to what lies round its place in a ``block``.

    Inside it splits the triangle it lies in; outside it is joined to every edge of the outline that it sees.
    """
    network = network_in(playable, block)
    if node.name in network.names:
        raise NetworkError(f"there is a node {node.name!r} already; names tell nodes apart")
    rows = None if network.corners.shape[1] < 3 else _rows_with(network, node.at)
    return with_network(playable, block, remade(network, (*network.nodes, node), rows))


def _rows_with(network: Network, place: Sequence[float]) -> list[list[int]]:
    """The triangles of a network with one more node, the last, at a place."""
    new, at = len(network.nodes), np.array(network.checked_point(place))
    points = np.concatenate([network.points, at[None]])
    rows = network.corners.tolist()
    if not network.place(tuple(at.tolist())).inside:
        border = network.mesh.border.tolist()
        return [*rows, *([b, a, new] for a, b in border if area(points[a], points[b], at) < 0.0)]
    holding = [row for row in rows if _holds(points, row, at)]
    sides = [(row[i], row[(i + 1) % 3]) for row in holding for i in range(3)]
    outer = [(a, b) for a, b in sides if (b, a) not in sides and area(points[a], points[b], at) > 0.0]
    return [*(row for row in rows if row not in holding), *([a, b, new] for a, b in outer)]


def _holds(points: Float[np.ndarray, "points 2"], row: Sequence[int], at: Float[np.ndarray, " 2"]) -> bool:
    """Whether a place lies in a triangle or on its edge, but for rounding."""
    a, b, c = (points[i] for i in row)
    size = area(a, b, c)
    return all(area(p, q, at) >= -1e-9 * size for p, q in ((a, b), (b, c), (c, a)))


def without_node(playable: Playable, node: str, *, block: str = "") -> Playable:
    """The ``playable`` without a ``node`` of a ``block``, which is none of an arc; triangles close over the gap."""
    network = network_in(playable, block)
    index = network.index(node)
    _refuse_node_of_arc(playable, node, block)
    if len(network.nodes) == 1:
        raise NetworkError(f"{node!r} is the only node; a network needs at least one")
    nodes = [other for i, other in enumerate(network.nodes) if i != index]
    rows: list[list[int]] | None = None
    if network.corners.shape[1] == 3 and len(nodes) > 2:
        rows = [row for row in network.corners.tolist() if index not in row]
        rows += _closed_over(network, index)
        rows = [[corner - (corner > index) for corner in row] for row in rows] or None
    single = network.single_source
    if single is not None:
        winners = tuple(pair for pair in single.winners if node not in pair)
        single = replace(single, winners=winners, abstaining=tuple(name for name in single.abstaining if name != node))
    return with_network(playable, block, remade(network, nodes, rows, single_source=single))


def _refuse_node_of_arc(playable: Playable, node: str, block: str) -> None:
    if isinstance(playable, HybridNetwork):
        end = ArcEnd(block or next(iter(playable.blocks)), node)
        for arc in playable.arcs:
            if end in (arc.source, arc.target):
                raise NetworkError(f"node {node!r} is the way into or out of arc {arc.name!r}; take that arc out first")


def _closed_over(network: Network, index: int) -> list[list[int]]:
    """Triangles over the gap that a node leaves: ears are cut off the ring of its neighbours, the roundest first."""
    ring, is_closed = _ring_round(network, index)
    triangles = []
    while len(ring) >= 3:
        ears = _ears(network.points, ring, is_closed)
        if not ears:
            break
        _, ear = max(ears)
        triangles.append(ear)
        ring.remove(ear[1])
    return triangles


def _ring_round(network: Network, index: int) -> tuple[list[int], bool]:
    """The neighbours of a node, anticlockwise, and whether they go all the way round it."""
    follows = {}
    for row in network.corners.tolist():
        if index in row:
            i = row.index(index)
            follows[row[(i + 1) % 3]] = row[(i + 2) % 3]
    starts = [neighbour for neighbour in follows if neighbour not in follows.values()]
    ring = [starts[0] if starts else next(iter(follows))]
    while ring[-1] in follows and follows[ring[-1]] not in ring:
        ring.append(follows[ring[-1]])
    return ring, not starts


def _ears(points: Float[np.ndarray, "points 2"], ring: Sequence[int], is_closed: bool) -> list[tuple[float, list[int]]]:
    """Triangles of three that follow each other on a ring and hold no other of it, with how round they are."""
    ears = []
    for i in range(len(ring) if is_closed else len(ring) - 2):
        a, b, c = (ring[(i + k) % len(ring)] for k in range(3))
        size = area(points[a], points[b], points[c])
        others = [corner for corner in ring if corner not in (a, b, c)]
        if size > 0.0 and not any(_holds(points, (a, b, c), points[other]) for other in others):
            longest = max(math.dist(points[p], points[q]) for p, q in ((a, b), (b, c), (c, a)))
            ears.append((size / longest**2, [a, b, c]))
    return ears


def with_triangle(playable: Playable, nodes: Sequence[str], *, block: str = "") -> Playable:
    """The ``playable`` with three ``nodes`` of a ``block`` joined."""
    network = network_in(playable, block)
    if network.corners.shape[1] != 3:
        raise NetworkError("the nodes of this network lie on one line; move one off it first")
    corners = [network.index(name) for name in nodes]
    if any(set(corners) == set(row) for row in network.corners.tolist()):
        raise NetworkError(f"there is a triangle {'–'.join(nodes)} already")
    return with_network(playable, block, remade(network, network.nodes, [*network.corners.tolist(), corners]))


def without_triangle(playable: Playable, nodes: Sequence[str], *, block: str = "") -> Playable:
    """The ``playable`` without the triangle of three ``nodes`` of a ``block``.

    Nodes that are in no other triangle are out of reach.
    """
    network = network_in(playable, block)
    corners = {network.index(name) for name in nodes}
    rows = network.corners.tolist()
    others = [row for row in rows if set(row) != corners]
    if len(others) == len(rows):
        raise NetworkError(f"there is no triangle {'–'.join(nodes)}")
    if not others:
        raise NetworkError("this is the only triangle; a network needs one")
    return with_network(playable, block, remade(network, network.nodes, others))


def flipped(playable: Playable, first: str, second: str, *, block: str = "") -> Playable:
    """The ``playable`` with the other diagonal where the edge of ``first`` and ``second`` in a ``block`` is one."""
    with unwarned():
        return with_network(playable, block, network_in(playable, block).flipped(first, second))


def with_blend(playable: Playable, at: Sequence[float | int], *, name: str, block: str = "") -> Playable:
    """The ``playable`` with the blend at a place as a node called ``name``, which can then be moved.

    ``at`` is a blending point of a ``block``; outside, the nearest place of the outline. Blends everywhere are nearly
    what they were.
    """
    network = network_in(playable, block)
    place = network.place(at)
    return with_node(playable, Node(name, place.point, network.blend(place)), block=block)


def with_cycle(
    playable: Playable, cycle: Cycle, *, at: Sequence[float | int] | None = None, name: str = "", block: str = ""
) -> Playable:
    """The ``playable`` with one more ``cycle`` as a node of a ``block``, in step with the others.

    The cycle is as ``prepare`` gives it, of their skeleton and layout. ``at`` is where it lies; at its turn (degrees
    per second) and speed (m/s) if None. ``name`` is the node's; the cycle's own if empty.
    """
    network = network_in(playable, block)
    references = [synthesise(node.spectrum, _FRAMES) for node in network.nodes if node.synchronised]
    in_step = synchronised_to(cycle, references) if references else cycle
    motion = analyse(in_step, min(network.n_harmonics, harmonic_ceiling(in_step.n_frames)))
    place = turn_and_speed(cycle) if at is None else tuple(at)
    return with_node(playable, Node(name or cycle.name, place, motion), block=block)


def with_change(
    playable: Playable, transition: Transition, *, source: str = "", target: str = "", key: str = ""
) -> HybridNetwork:
    """The ``playable`` with a captured change as an arc, and a mode in which it is open.

    A plain network becomes a block called ``"walking"``. ``transition`` is as ``find_transition`` gives it. ``source``
    and ``target`` are the blocks it leads from and to; those with the motions most like its ends if empty. ``key``
    takes it on request. The new mode has the change's name, and the first free key of 1 to 9.
    """
    hybrid = playable if isinstance(playable, HybridNetwork) else HybridNetwork({_BLOCK: playable})
    begin = source or _nearest_block(hybrid, transition.before)
    end = target or _nearest_block(hybrid, transition.after)
    builder = HybridBuilder(hybrid.blocks, hybrid.arcs).with_transition(
        transition, begin, None if end == begin else end, mirrored=True, key=key
    )
    modes = [builder.mode(mode.name, sorted(mode.arcs), key=mode.key) for mode in hybrid.modes]
    taken = {mode.key for mode in hybrid.modes} | {arc.key for arc in builder.arcs}
    free = next((digit for digit in "123456789" if digit not in taken), "")
    return builder.finished([*modes, builder.mode(_free(transition.name, modes), [transition.name], key=free)])


def _free(name: str, modes: Sequence[Mode]) -> str:
    """The name itself, or with a number where a mode has it already."""
    taken = {mode.name for mode in modes}
    return next(free for free in (name, *(f"{name} {i}" for i in range(2, 1000))) if free not in taken)


def _nearest_block(hybrid: HybridNetwork, cycle: Cycle) -> str:
    """The block with the node whose turn and speed are most like a cycle's."""
    turn, speed = turn_and_speed(cycle)

    def apart(name: str) -> float:
        rates = [turn_and_speed(node.spectrum) for node in hybrid.block(name).network.nodes]
        return min(abs(node_turn - turn) / _TURN + abs(node_speed - speed) for node_turn, node_speed in rates)

    return min(hybrid.blocks, key=apart)
