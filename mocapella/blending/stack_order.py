"""Which of two joined nodes wins, so that no triangle asks for the impossible: X above Y above Z above X."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from mocapella.errors import NetworkError

Edge = tuple[int, int]  # of two nodes, the winner first
Simplices = Sequence[Sequence[int]]


def edges_of(simplices: Simplices) -> list[tuple[int, int]]:
    """Every pair of nodes that share a triangle, once, the lower number first."""
    found = {tuple(sorted(pair)) for corners in simplices for pair in itertools.combinations(corners, 2)}
    return sorted((a, b) for a, b in found)


def consistent_winners(
    simplices: Simplices, demands: Sequence[Edge], names: Sequence[str]
) -> tuple[list[Edge], list[Edge]]:
    """A winner for every edge, as demanded wherever no triangle becomes cyclic; and those not as demanded.

    Demands come in order of importance. Edges without one follow the nodes' order, the earlier wins, unless that
    makes a triangle cyclic. Where the demands themselves do, one is turned round, a later one sooner than an earlier.

    Raises
    ------
    NetworkError
        Where one edge is demanded both ways.
    """
    edges = edges_of(simplices)
    joined = set(edges)
    wanted: dict[tuple[int, int], Edge] = {}
    for winner, loser in demands:
        edge = (min(winner, loser), max(winner, loser))
        if wanted.get(edge, (winner, loser)) != (winner, loser):
            raise NetworkError(f"both {names[winner]!r} and {names[loser]!r} were to win the edge between them")
        if edge in joined:
            wanted[edge] = (winner, loser)
    by_hand = len(wanted)
    for edge in edges:
        wanted.setdefault(edge, edge)
    triangles = sorted({tuple(sorted(t)) for corners in simplices for t in itertools.combinations(corners, 3)})
    won = dict(wanted)
    if any(_cyclic(won, triangle) for triangle in triangles):
        won = _ranked(wanted.items(), len(names))
        _restore(won, wanted, triangles)
    turned = [won[edge] for edge in itertools.islice(wanted, by_hand) if won[edge] != wanted[edge]]
    return [won[edge] for edge in edges], turned


def ranks(corners: Sequence[int], won: set[Edge]) -> list[int]:
    """The rank of each corner of a triangle: how many of the others it wins against; the highest goes on top."""
    return [sum((corner, other) in won for other in corners) for corner in corners]


def _ranked(wanted: Iterable[tuple[tuple[int, int], Edge]], n_nodes: int) -> dict[tuple[int, int], Edge]:
    """All demands in turn, those turned round that would close a circle with the ones before."""
    beaten: list[set[int]] = [{i} for i in range(n_nodes)]  # by each node, directly or by way of others
    out: dict[tuple[int, int], Edge] = {}
    for edge, (winner, loser) in wanted:
        if winner in beaten[loser]:
            winner, loser = loser, winner
        out[edge] = (winner, loser)
        for above in beaten:
            if winner in above:
                above |= beaten[loser]
    return out


def _restore(
    won: dict[tuple[int, int], Edge], wanted: dict[tuple[int, int], Edge], triangles: Sequence[tuple[int, ...]]
) -> None:
    """Turn back what need not have been turned: a circle through several triangles hurts nobody."""
    for edge, demand in wanted.items():
        if won[edge] != demand:
            before, won[edge] = won[edge], demand
            if any(_cyclic(won, triangle) for triangle in triangles if set(edge) <= set(triangle)):
                won[edge] = before


def _cyclic(won: dict[tuple[int, int], Edge], triangle: Sequence[int]) -> bool:
    a, b, c = triangle
    return len({won[a, b][0], won[b, c][0], won[a, c][0]}) == 3
