"""How nodes share a band of single-source harmonics: how many each fills, in which order, and which wins an edge."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mocapella.errors import NetworkError

# How many harmonics of the SSH band each node fills at a place (the thesis, eqs 7.1 to 7.11, corrected).
#
# Corners of a triangle have ranks. Of two nodes the one of higher rank wins their edge: half-way between them it fills
# the whole band.

HALF_RAMP, FULL_RAMP = 0.5, 1.0  # the winner's weight from which on it fills the whole band

_TIE = 1e-9  # cardinalities this near to each other are equal: the two triangles of an edge must round alike

_Rounding = Callable[[Sequence[float], Sequence[int]], list[int]]  # totals and ranks to whole numbers of the same sum


def face_weights(weights: Sequence[float]) -> list[float]:
    """How much each edge of a triangle counts, by the corner it lies opposite to (eqs 7.6 to 7.8); the sum is 1.

    The edge opposite to the corner that counts least has 1 − 2 w, the two others share the rest, each by the weight of
    the end that it has in common with the first. A tetrahedron's faces have 1 − 3 w and shares by the same rule: on a
    face only this face counts, in the middle all count alike.
    """
    n, total, least = len(weights), sum(weights), min(weights)
    rest = total - least
    given_away = (n - 1) * least / ((n - 2) * rest * total)
    shares = [given_away * (rest - weight) for weight in weights]
    shares[weights.index(least)] = 1.0 - (n - 1) * least / total
    return shares


def totals(weights: Sequence[float], ranks: Sequence[int], width: int, stop: float = HALF_RAMP) -> list[float]:
    """How much of a band each corner fills (eqs 7.9 to 7.11), not rounded; the sum is ``width``.

    Every edge has its own answer for the place projected on to it from the opposite corner (eq. 7.5); what counts is
    their mean by ``face_weights``, and for a tetrahedron that of its faces. No weight is negative, some are positive.
    """
    # Where two corners share the least weight, ranks decide, so that the order of corners does not.
    corners = sorted(range(len(weights)), key=ranks.__getitem__)
    out = [0.0] * len(weights)
    _share_out(out, corners, weights, float(width), stop)
    return out


def _share_out(out: list[float], corners: list[int], weights: Sequence[float], amount: float, stop: float) -> None:
    """Give corners, the lowest rank first, so much between them."""
    if len(corners) == 1:
        out[corners[0]] += amount
    elif len(corners) == 2:
        loser, winner = corners
        upper = amount * min(weights[winner] / ((weights[loser] + weights[winner]) * stop), 1.0)
        out[winner] += upper
        out[loser] += amount - upper
    else:
        for i, share in enumerate(face_weights([weights[corner] for corner in corners])):
            if share > 0.0:  # a face whose corners have no weight does not count
                _share_out(out, corners[:i] + corners[i + 1 :], weights, amount * share, stop)


def largest_remainder(amounts: Sequence[float], ranks: Sequence[int]) -> list[int]:
    """Whole numbers of the same sum: all rounded down, then one more for those that lost most; ties go to high ranks.

    On an edge this is what eq. 7.1 gives.
    """
    counts = [math.floor(amount + _TIE) for amount in amounts]
    missing = round(sum(amounts)) - sum(counts)
    if missing:
        # Whole ties, with ranks to break them: equal remainders must not be told apart by rounding errors.
        lost = [
            (round((a - n) / _TIE), rank, i) for i, (a, n, rank) in enumerate(zip(amounts, counts, ranks, strict=True))
        ]
        for _, _, i in sorted(lost, reverse=True)[:missing]:
            counts[i] += 1
    return counts


def thesis_rounding(amounts: Sequence[float], ranks: Sequence[int]) -> list[int]:
    """Each rounded by itself; the smallest that is not zero gives what is too much, the largest takes what is missing.

    As printed the smallest gives, which makes some counts negative.
    """
    counts = [math.floor(amount + 0.5 + _TIE) for amount in amounts]
    width = round(sum(amounts))
    while sum(counts) > width:
        counts[min((i for i, n in enumerate(counts) if n > 0), key=lambda i: (counts[i], ranks[i]))] -= 1
    while sum(counts) < width:
        counts[max(range(len(counts)), key=lambda i: (counts[i], ranks[i]))] += 1
    return counts


ROUNDINGS: Mapping[str, _Rounding] = MappingProxyType(
    {"largest remainder": largest_remainder, "thesis": thesis_rounding}
)


# Stacks: how the counts of an SSH band are laid over its harmonics, from the lowest to the highest.

_Pattern = Callable[[Sequence[int], Sequence[int], Sequence[int]], list[int]]  # nodes, their counts and ranks


@dataclass(frozen=True)
class _Structure:
    """How a band changes from one node's harmonics to another's along an edge."""

    stop: float  # the winner's weight from which on it fills the whole band
    pattern: _Pattern


def _winner_on_top(nodes: Sequence[int], counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Nodes of higher rank higher up (eqs 7.3, 7.4 and 7.12): near a node the harmonics that matter are its own."""
    return [nodes[i] for i in sorted(range(len(nodes)), key=ranks.__getitem__) for _ in range(counts[i])]


def _winner_below(nodes: Sequence[int], counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """The other way round, as in the upper half of figure 7.13: low harmonics switch last."""
    return _winner_on_top(nodes, counts, ranks)[::-1]


def interleaved(nodes: Sequence[int], counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """All nodes spread evenly over the band: b, a, b, a, b."""
    width, used = sum(counts), [0] * len(counts)
    out = []
    for slot in range(1, width + 1):
        due = max(range(len(counts)), key=lambda i: (counts[i] * slot - used[i] * width, ranks[i]))
        used[due] += 1
        out.append(nodes[due])
    return out


# The first is the thesis's; it names the others as those it rejected.
STRUCTURES: Mapping[str, _Structure] = MappingProxyType(
    {
        "half ramp": _Structure(HALF_RAMP, _winner_on_top),
        "low last": _Structure(HALF_RAMP, _winner_below),
        "full ramp": _Structure(FULL_RAMP, _winner_on_top),
        "interleaved": _Structure(FULL_RAMP, interleaved),
    }
)


# Which of two joined nodes wins, so that no triangle is cyclic: X above Y above Z above X.

Edge = tuple[int, int]  # of two nodes, the winner first
_Simplices = Sequence[Sequence[int]]


def edges_of(simplices: _Simplices) -> list[tuple[int, int]]:
    """Every pair of nodes that share a triangle, once, the lower number first."""
    edges = {tuple(sorted(pair)) for corners in simplices for pair in itertools.combinations(corners, 2)}
    return sorted((a, b) for a, b in edges)


def consistent_winners(
    simplices: _Simplices, demands: Sequence[Edge], names: Sequence[str]
) -> tuple[list[Edge], list[Edge]]:
    """A winner for every edge, as demanded wherever no triangle becomes cyclic; and those not as demanded.

    Demands come in order of importance. Edges without one follow the nodes' order, the earlier wins, unless that
    makes a triangle cyclic. Where the demands themselves do, one is turned round, a later one sooner than an earlier.

    Raises ``NetworkError`` where one edge is demanded both ways.
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
    """The rank of each corner of a triangle by how many of the others it wins against; the highest goes on top.

    Nodes that share no edge and win as often have the ranks of their numbers.
    """
    wins = [(sum((corner, other) in won for other in corners), corner) for corner in corners]
    order = sorted(wins)
    return [order.index(win) for win in wins]


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
    """Restore edges that need not have been reversed: a cycle through several triangles does no harm."""
    for edge, demand in wanted.items():
        if won[edge] != demand:
            before, won[edge] = won[edge], demand
            if any(_cyclic(won, triangle) for triangle in triangles if set(edge) <= set(triangle)):
                won[edge] = before


def _cyclic(won: dict[tuple[int, int], Edge], triangle: Sequence[int]) -> bool:
    a, b, c = triangle
    return len({won[a, b][0], won[b, c][0], won[a, c][0]}) == 3
