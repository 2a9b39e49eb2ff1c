"""Networks edited by hand: nodes moved, renamed and shifted in time, rules and trigger zones set, arcs removed.

Every function takes a network, or a hybrid network and the name of one of its blocks, and returns a new one. An edit
that would make it invalid raises ``NetworkError``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import BlendRule
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.errors import NetworkError
from mocapella.geometry.simplices import area
from mocapella.hybrid.block import Block, unwarned
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import ArcEnd, HybridNetwork, Mode

Playable = Network | HybridNetwork

_FLAT = 0.02  # of a triangle's area: as much is left where a node is stopped before it would fold
_HALVINGS = 7  # bisections of the way to a place, where validity has to be tried


def network_in(playable: Playable, block: str = "") -> Network:
    """The network itself, or the network of a block: with transition nodes, and the plain triangles.

    ``block`` is a name in a hybrid network; its first block if empty.
    """
    if isinstance(playable, HybridNetwork):
        return playable.block(block or next(iter(playable.blocks))).network
    if block:
        raise NetworkError(f"this network has no block {block!r}; only a hybrid network has blocks")
    return playable


def moved(playable: Playable, node: str, at: Sequence[float | int], *, block: str = "") -> Playable:
    """The ``playable`` with a ``node`` of a ``block`` at another place, ``at``; triangles stay as they are."""
    with unwarned():
        return with_network(playable, block, network_in(playable, block).moved({node: tuple(map(float, at))}))


def moved_soundly(
    playable: Playable, node: str, at: Sequence[float | int], *, block: str = ""
) -> tuple[Playable, tuple[float, float]]:
    """The ``playable`` with a ``node`` of a ``block`` moved as far as no triangle folds or overlaps another.

    It goes straight towards ``at``. Returns the new network and where the node is: ``at`` itself where that is valid.
    """
    network = network_in(playable, block)
    index, goal = network.index(node), np.array(network.checked_point(at))
    start = network.points[index]
    rows = [list(row) for row in network.corners.tolist()]
    if isinstance(playable, HybridNetwork):
        in_hybrid = playable.block(block or next(iter(playable.blocks)))
        rows += [[network.index(name) for name in names] for names in in_hybrid.buffers]
    share = min((_unfolded(network, row, index, goal) for row in rows if len(row) == 3 and index in row), default=1.0)

    def place_at(part: float) -> tuple[float, float]:
        x, y = (goal if part == 1.0 else start + part * (goal - start)).tolist()
        return x, y

    def tried(part: float) -> Playable | None:
        try:
            return moved(playable, node, place_at(part), block=block)
        except NetworkError:
            return None

    result = tried(share)
    if result is not None:
        return result, place_at(share)
    low, high, result = 0.0, share, playable
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        valid = tried(middle)
        low, high, result = (low, middle, result) if valid is None else (middle, high, valid)
    return result, place_at(low)


def _unfolded(network: Network, row: Sequence[int], index: int, goal: Float[np.ndarray, " 2"]) -> float:
    """How much of its way a corner can go before a triangle is nearly flat: its area changes evenly on the way."""
    a, b = (network.points[i] for i in row if i != index)
    before, after = area(network.points[index], a, b), area(goal, a, b)
    if before == 0.0 or after / before >= _FLAT:
        return 1.0
    return max(0.0, (1.0 - _FLAT) / (1.0 - after / before))


def renamed(playable: Playable, node: str, name: str, *, block: str = "") -> Playable:
    """The ``playable`` with another ``name`` for a ``node`` of a ``block``; arcs and modes know the new name."""
    network = network_in(playable, block)
    index = network.index(node)
    if name in network.names and name != node:
        raise NetworkError(f"there is a node {name!r} already; names tell nodes apart")
    if not name.strip():
        raise NetworkError("a node needs a name that can be seen")

    def called(old: str) -> str:
        return name if old == node else old

    nodes = [replace(other, name=name) if i == index else other for i, other in enumerate(network.nodes)]
    single = network.single_source
    if single is not None:
        winners = tuple((called(winner), called(loser)) for winner, loser in single.winners)
        single = replace(single, winners=winners, abstaining=tuple(map(called, single.abstaining)))
    with_name = remade(network, nodes, network.corners.tolist(), single_source=single)
    return with_network(playable, block, with_name, called)


def turned(playable: Playable, node: str, degrees: float | int, *, block: str = "") -> Playable:
    """The ``playable`` with the motion of a ``node`` begun later: a synchronisation offset by hand.

    ``degrees`` are of its cycle. The node, in a ``block`` of a hybrid network, is none of an arc, which begins where
    its change does.
    """
    network = network_in(playable, block)
    spectrum = network.node(node).spectrum.starting_at(math.radians(degrees))
    with unwarned():
        return with_network(playable, block, network.with_spectra({node: spectrum}))


def with_rule(playable: Playable, rule: BlendRule | str) -> Playable:
    """The same, blended by another rule in all blocks: a function, or its name in ``RULES``."""
    return _everywhere(playable, lambda network: remade(network, network.nodes, network.corners.tolist(), rule=rule))


def with_single_source(playable: Playable, settings: SingleSource | None) -> Playable:
    """The same with other single-source harmonics in all blocks, or none."""
    return _everywhere(playable, lambda network: network.with_single_source(settings))


def with_zone(hybrid: HybridNetwork, arc: str, zone: float | int) -> HybridNetwork:
    """The ``hybrid`` network with another trigger ``zone`` of an ``arc``, by name.

    The zone is the weight from which on the arc is taken, above 0, at most 1.
    """
    changed = hybrid.arc(arc)
    arcs = [replace(other, zone=zone) if other is changed else other for other in hybrid.arcs]
    return HybridNetwork(hybrid.blocks, arcs, hybrid.modes)


def without_arc(hybrid: HybridNetwork, arc: str) -> HybridNetwork:
    """The same without an arc, by name; its node and buffer triangles stay, out of reach.

    Modes that opened nothing else open plain triangles.
    """
    removed = hybrid.arc(arc)
    builder = HybridBuilder(hybrid.blocks, [other for other in hybrid.arcs if other is not removed])
    modes = [builder.mode(mode.name, sorted(mode.arcs - {arc}), key=mode.key) for mode in hybrid.modes]
    return HybridNetwork(builder.blocks, builder.arcs, modes)


def _everywhere(playable: Playable, change: Callable[[Network], Network]) -> Playable:
    if not isinstance(playable, HybridNetwork):
        return change(playable)
    with unwarned():
        blocks = {name: replace(block, network=change(block.network)) for name, block in playable.blocks.items()}
    return HybridNetwork(blocks, playable.arcs, playable.modes)


def remade(network: Network, nodes: Sequence[Node], rows: Sequence[Sequence[int]] | None, **others: Any) -> Network:
    """A network of these ``nodes`` and triangles with the settings of another ``network``.

    ``rows`` are triangles as indices of nodes; laid by themselves if None. ``others`` are settings to have instead.
    Nodes in no triangle cause no warning.
    """
    with unwarned():
        return network.remade(nodes, rows, **others)


def with_network(playable: Playable, block: str, network: Network, called: Callable[[str], str] = str) -> Playable:
    """The ``network`` itself, or the hybrid ``playable`` with it in place of a block's; arcs and modes fit it.

    ``block`` is the name of that block, the first if empty; ``called`` gives the new name of a node by its old one.
    """
    if not isinstance(playable, HybridNetwork):
        return network
    name = block or next(iter(playable.blocks))
    old = playable.block(name)
    node_names = set(network.names)
    buffers = tuple(tuple(map(called, names)) for names in old.buffers)
    inside = tuple(names for names in buffers if node_names.issuperset(names))
    changed = Block(network, inside, frozenset(map(called, old.transition_nodes)) & node_names)
    blocks = {**playable.blocks, name: changed}

    def renamed_end(end: ArcEnd) -> ArcEnd:
        return replace(end, node=called(end.node)) if end.block == name else end

    arcs = [replace(arc, source=renamed_end(arc.source), target=renamed_end(arc.target)) for arc in playable.arcs]
    builder = HybridBuilder(blocks, arcs)
    return HybridNetwork(blocks, arcs, [_mode(builder, mode, name, called) for mode in playable.modes])


def _mode(builder: HybridBuilder, mode: Mode, block: str, called: Callable[[str], str]) -> Mode:
    """A mode of a hybrid network whose block has changed: its triangles as they are, or laid anew where some are gone.

    Triangles that are new and lie under no buffer triangle are open, too.
    """
    if block not in mode.triangles:
        return mode
    changed_block = builder.blocks[block]
    if mode.arcs:
        rows = builder.mode(mode.name, sorted(mode.arcs)).triangles.get(block, changed_block.plain)
    else:
        names_in_rows = (tuple(map(called, names)) for names in mode.triangles[block])
        rows = tuple(row for row in names_in_rows if frozenset(row) in changed_block.known) or changed_block.plain
    return replace(mode, triangles={**mode.triangles, block: rows})
