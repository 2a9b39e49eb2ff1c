"""Triangles cut finer where it is asked for, by bisecting longest edges (Rivara 1984), so that all still meet in full.

Small angles stay at least half as large as those of the first triangles, however often they are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

Edge = tuple[int, int]  # of two points, the lower number first
Triangle = tuple[int, int, int]


def edge(first: int, second: int) -> Edge:
    """The edge between two points."""
    return (first, second) if first < second else (second, first)


def edges_of(triangle: Triangle) -> tuple[Edge, Edge, Edge]:
    """The edges of a triangle: from its first point to the second, the second to the third, the third to the first."""
    a, b, c = triangle
    return edge(a, b), edge(b, c), edge(c, a)


def with_longest(triangles: Sequence[Triangle], marked: Iterable[Edge], length: Callable[[Edge], float]) -> set[Edge]:
    """Edges to be bisected, and with them the longest edge of every triangle that has one of these.

    ``bisected`` can be called with them for all triangles.
    """
    beside: dict[Edge, list[int]] = {}
    for number, triangle in enumerate(triangles):
        for edge in edges_of(triangle):
            beside.setdefault(edge, []).append(number)
    out = set(marked)
    waiting = list(out)
    while waiting:
        for number in beside[waiting.pop()]:
            longest = _longest(edges_of(triangles[number]), length)
            if longest not in out:
                out.add(longest)
                waiting.append(longest)
    return out


def bisected(triangle: Triangle, middles: Mapping[Edge, int], length: Callable[[Edge], float]) -> list[Triangle]:
    """A triangle cut at points of some of its edges, from the longest of these on."""
    edges = edges_of(triangle)
    marked = [side for side in edges if side in middles]
    if not marked:
        return [triangle]
    longest = _longest(marked, length)
    k = edges.index(longest)
    a, b, c = triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3]
    middle = middles[longest]
    other = middles.get(edge(c, a))
    first = [(a, middle, c)] if other is None else [(a, middle, other), (other, middle, c)]
    other = middles.get(edge(b, c))
    return first + ([(middle, b, c)] if other is None else [(middle, b, other), (middle, other, c)])


def _longest(edges: Iterable[Edge], length: Callable[[Edge], float]) -> Edge:
    # Of two that are equally long but for rounding, the one of lower numbers.
    return max(edges, key=lambda edge: (round(length(edge), 9), edge))
