"""Walks through a motion graph to a place: branch and bound, from the start or from both ends."""

from __future__ import annotations

import cmath
import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.graphs.graph import Edge, MotionGraph
from mocapella.graphs.traversal import CELL, Walk, may_use, place_cell

_ROOM = 0.75  # of the distance to come within: holding feet moves the root by some centimetres
_LEAST = 1e-9  # m: a sparse matrix keeps no zeros, and an edge on the spot has no length
EFFORT = 40_000  # nodes looked at in a search
_Search = Literal["ahead", "both"]


def walk_to(
    graph: MotionGraph,
    goal: tuple[float, float],
    *,
    start: int = 0,
    within: float = 0.2,
    clips: Sequence[str] = (),
    arrive: str | int | None = None,
    search: _Search | None = None,
    cell: float = CELL,
    effort: int = EFFORT,
) -> Walk:
    """The shortest walk that comes near a place, by branch and bound.

    A search ahead grows walks from the start. A search from both ends also grows last parts of walks back from where
    they arrive; where a last part begins at the node of a first part, and leads from there to the goal, the two are
    a walk. A last part is laid on the ground only then, so those that lead the same way from a node are one, however
    they head at the end.

    Parameters
    ----------
    graph
        The graph.
    goal
        x to the left and z ahead of the first frame, metres, as its heading sees them.
    start
        The node to begin at.
    within
        How near to come, metres.
    clips
        Names of clips that may be used; all if empty.
    arrive
        The motion to arrive in: a clip's name, for any of its nodes, or the number of a node. Anywhere on an edge if
        None.
    search
        ``"ahead"`` or ``"both"``, from both ends; if None from both where ``arrive`` is one node, which is where that
        saves work, and ahead otherwise.
    cell
        Metres: of walks to one node that lie nearer to each other, and head alike, the first one found is kept. With 0
        all are, and the bound is proved; that is for small graphs.
    effort
        Nodes to look at, at most. More never give a longer walk.

    Returns
    -------
    Walk
        ``gap`` says how far it may be from the best, where the search ended before that was proved.

    Raises
    ------
    MotionError
        Where no walk is found; the message has the least distance that was reached.
    """
    searching = _BranchAndBound.of(graph, complex(goal[1], goal[0]), start, _ROOM * within, clips, arrive, cell)
    bound = searching.run(effort, both=isinstance(arrive, int) if search is None else search == "both")
    if searching.best is None:
        raise MotionError(
            f"no walk comes within {within:g} m of ({goal[0]:g}, {goal[1]:g}){_arriving(arrive)}; the nearest came to "
            f"{searching.nearest():.2f} m, where {(1.0 - _ROOM) * within:.2g} m are kept for holding feet",
            helps="add clips that turn, ask for less, or let the search look at more nodes",
        )
    edges, last_frames, cost = searching.best
    return Walk(edges, last_frames, cost, bound=min(cost, bound), looked_at=searching.looked_at)


@dataclass(frozen=True, slots=True)
class _Link:
    """The edges of a part of a walk, from its open end."""

    edge: Edge
    rest: _Link | None


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A first part of a walk: where it has come to, and what it has cost."""

    node: int
    place: complex
    facing: complex  # unit
    cost: float
    link: _Link | None

    def to_goal(self, target: complex) -> complex:
        """The goal as seen from here."""
        return (target - self.place) / self.facing


@dataclass(frozen=True, slots=True)
class _Suffix:
    """A last part of a walk as seen from its first node: whole edges, and the edge on which it ends, if any."""

    node: int
    place: complex  # of the last edge's beginning
    facing: complex
    cost: float  # of the whole edges
    last: Edge | None
    middle: complex  # of the last edge
    link: _Link | None


@dataclass
class _Front:
    """Parts of walks that wait to be lengthened, the most promising first, and those that have been, by node."""

    order: Iterator[int] = field(default_factory=itertools.count)
    waiting: list[tuple[float, int, Any]] = field(default_factory=list)
    seen: set[tuple[int, ...]] = field(default_factory=set)
    at: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def bound(self) -> float:
        """The least cost of walks that contain a waiting part."""
        return self.waiting[0][0] if self.waiting else math.inf

    def push(self, bound: float, part: _Prefix | _Suffix) -> None:
        heapq.heappush(self.waiting, (bound, next(self.order), part))


@dataclass
class _BranchAndBound:
    """A search: its fronts, and the best walk so far."""

    graph: MotionGraph
    target: complex
    radius: float
    cell: float
    leaving: Sequence[Sequence[Edge]]
    entering: Sequence[Sequence[Edge]]
    from_start: Float[np.ndarray, " nodes"]  # metres of edges at least
    to_end: Float[np.ndarray, " nodes"]
    ahead: _Front = field(default_factory=_Front)
    back: _Front = field(default_factory=_Front)
    best: tuple[tuple[Edge, ...], int, float] | None = None
    looked_at: int = 0

    @classmethod
    def of(
        cls,
        graph: MotionGraph,
        target: complex,
        start: int,
        radius: float,
        clips: Sequence[str],
        arrive: str | int | None,
        cell: float,
    ) -> _BranchAndBound:
        """A search that has not begun."""
        allowed = may_use(graph, clips)
        n_nodes = len(graph.nodes)
        leaving = [[edge for edge in edges if allowed(edge)] for edges in graph.leaving]
        entering: list[list[Edge]] = [[] for _ in range(n_nodes)]
        used = [edge for edge in graph.edges if allowed(edge)]
        shortest: dict[tuple[int, int], float] = {}  # of edges between the same two nodes
        for edge in used:
            entering[edge.target].append(edge)
            pair = (edge.source, edge.target)
            shortest[pair] = min(shortest.get(pair, math.inf), max(edge.length, _LEAST))
        ends = _arrivals(graph, arrive)
        sources, targets = np.array([*shortest], dtype=np.int64).reshape(-1, 2).T
        ways = scipy.sparse.csr_matrix(([*shortest.values()], (sources, targets)), shape=(n_nodes, n_nodes))
        from_start = _metres(ways, [start])
        to_end = _metres(ways.T, ends) if ends else np.zeros(n_nodes)
        search = cls(graph, target, radius, cell, leaving, entering, from_start, to_end)
        first = _Prefix(start, 0j, 1 + 0j, 0.0, None)
        search.ahead.push(search.least_ahead(first), first)
        search.ahead.at[start] = [first]
        # The shortest last parts of walks: the nodes to arrive at, or any edge where there are none.
        lasts = [_Suffix(node, 0j, 1 + 0j, 0.0, None, 0j, None) for node in ends]
        lasts = lasts or [_Suffix(edge.source, 0j, 1 + 0j, 0.0, edge, edge.middle, None) for edge in used]
        for last in lasts:
            search.back.push(search.least_back(last), last)
            search.back.at.setdefault(last.node, []).append(last)  # so that either front alone finds every walk
        return search

    def run(self, effort: int, *, both: bool) -> float:
        """Search until the best walk is proved or ``effort`` nodes were expanded; the lower bound of its cost."""
        while self.looked_at < effort:
            bound = max(self.ahead.bound, self.back.bound) if both else self.ahead.bound
            if bound >= self.cost or bound == math.inf:
                return bound
            # The front with less to expand; each alone proves the lower bound.
            if both and len(self.back.waiting) < len(self.ahead.waiting):
                self.look_back()
            else:
                self.look_ahead()
        return max(self.ahead.bound, self.back.bound) if both else self.ahead.bound

    @property
    def cost(self) -> float:
        """The cost of the best walk so far."""
        return math.inf if self.best is None else self.best[2]

    def look_ahead(self) -> None:
        """Lengthen the most promising first part by the edges that leave its node."""
        bound, _, part = heapq.heappop(self.ahead.waiting)
        place = place_cell(part.node, part.place, cmath.phase(part.facing), self.cell)
        if bound >= self.cost or not self._is_new(self.ahead, place):
            return
        for suffix in self.back.at.get(part.node, ()):
            self._meet(part, suffix)
        if part.link is not None:  # the start is there already
            self.ahead.at.setdefault(part.node, []).append(part)
        if part.cost + self.rest_ahead(part) >= self.cost:
            return
        for edge in self.leaving[part.node]:
            place, facing = part.place + edge.end * part.facing, part.facing * edge.turned
            longer = _Prefix(edge.target, place, facing, part.cost + edge.length, _Link(edge, part.link))
            least = max(bound, self.least_ahead(longer))
            if least < self.cost:
                self.ahead.push(least, longer)

    def look_back(self) -> None:
        """Lengthen the most promising last part by the edges that enter its node."""
        bound, _, part = heapq.heappop(self.back.waiting)
        place: tuple[int, ...] = place_cell(part.node, part.middle, 0.0, self.cell)
        if self.cell <= 0.0 and part.last is not None:  # edges of one middle may still differ
            place = (*place, part.last.source, part.last.target)
        if bound >= self.cost or not self._is_new(self.back, place):
            return
        for prefix in self.ahead.at.get(part.node, ()):
            self._meet(prefix, part)
        if part.link is not None:
            self.back.at.setdefault(part.node, []).append(part)
        if part.cost + self.rest_back(part) >= self.cost:
            return
        for edge in self.entering[part.node]:
            begin, middle = (edge.end + point * edge.turned for point in (part.place, part.middle))
            cost, facing = part.cost + edge.length, part.facing * edge.turned
            longer = _Suffix(edge.source, begin, facing, cost, part.last, middle, _Link(edge, part.link))
            least = max(bound, self.least_back(longer))
            if least < self.cost:
                self.back.push(least, longer)

    def least_ahead(self, part: _Prefix) -> float:
        """The least cost of a walk with this first part."""
        straight = max(abs(self.target - part.place) - self.radius, 0.0)
        return part.cost + max(straight, float(self.to_end[part.node]))

    def least_back(self, part: _Suffix) -> float:
        """The least cost of a walk with this last part; its direction on the ground is not known."""
        straight = max(abs(self.target) - self.radius - abs(part.place), 0.0)
        return part.cost + max(straight, float(self.from_start[part.node]))

    def rest_ahead(self, part: _Prefix) -> float:
        """The least cost of the rest of a walk with this first part, where it was not found yet (Pijls and Post 2009).

        The last part that would complete it still waits to be found from behind, so with the way to its first node,
        which is estimated, it costs no less than what waits there.
        """
        straight = abs(self.target) - abs(part.to_goal(self.target))
        return self.back.bound - max(straight, float(self.from_start[part.node]), 0.0)

    def rest_back(self, part: _Suffix) -> float:
        """The same for what comes before a last part."""
        reach = 0.0 if part.last is None else part.last.length  # how far from its beginning a last part may end
        return self.ahead.bound - max(abs(part.place) + reach, float(self.to_end[part.node]))

    def nearest(self) -> float:
        """The least distance to the goal of walks that arrive as requested."""
        parts = [part for cell in self.ahead.at.values() for part in cell]
        if self.to_end.any():
            parts = [part for part in parts if self.to_end[part.node] == 0.0]
        seen = sorted((abs(part.to_goal(self.target)), number) for number, part in enumerate(parts))
        least = seen[0][0] if seen else abs(self.target)
        for _, number in seen[:8] if not self.to_end.any() else ():
            to_goal, leaving = parts[number].to_goal(self.target), self.leaving[parts[number].node]
            least = min([least, *(float(np.abs(edge.way - to_goal).min()) for edge in leaving)])
        return least

    def _meet(self, prefix: _Prefix, suffix: _Suffix) -> None:
        """Keep the walk of a first and a last part, where it ends at the goal and is the best so far."""
        goal, cost = prefix.to_goal(self.target), prefix.cost + suffix.cost
        reach = self.radius + (suffix.last.reach if suffix.last is not None else 0.0)
        if cost >= self.cost or abs(goal - suffix.middle) > reach:
            return
        edges = (*_edges(prefix.link)[::-1], *_edges(suffix.link))
        if suffix.last is None:
            if edges:
                self.best = (edges, edges[-1].frames, cost)
            return
        apart = np.abs(suffix.last.way - (goal - suffix.place) / suffix.facing)
        frame = int(apart.argmin())
        cost += float(suffix.last.lengths[frame])
        if frame > 0 and apart[frame] <= self.radius and cost < self.cost:
            self.best = ((*edges, suffix.last), frame, cost)

    def _is_new(self, front: _Front, place: tuple[int, ...]) -> bool:
        """Whether no part has come to a place yet; it counts as looked at from now on."""
        if place in front.seen:
            return False
        front.seen.add(place)
        self.looked_at += 1
        return True


def _metres(ways: Any, nodes: Sequence[int]) -> Float[np.ndarray, " nodes"]:
    """From the nearest of some nodes to every node."""
    return np.asarray(scipy.sparse.csgraph.dijkstra(ways, indices=list(nodes)).min(axis=0))


def _arrivals(graph: MotionGraph, arrive: str | int | None) -> list[int]:
    """The nodes to arrive at; none for anywhere."""
    if arrive is None:
        return []
    if isinstance(arrive, int):
        graph.refuse_unknown(arrive)
        return [arrive]
    may_use(graph, [arrive])  # raises for unknown names
    arrivals = [number for number, (clip, _) in enumerate(graph.nodes.tolist()) if graph.clips[clip].name == arrive]
    if not arrivals:
        raise MotionError(f"no walk arrives in {arrive}: the graph has no node in it", helps="arrive in another clip")
    return arrivals


def _arriving(arrive: str | int | None) -> str:
    return "" if arrive is None else f" and arrives {f'in {arrive}' if isinstance(arrive, str) else f'at {arrive}'}"


def _edges(link: _Link | None) -> list[Edge]:
    """The edges of a part, from its open end on."""
    out = []
    while link is not None:
        out.append(link.edge)
        link = link.rest
    return out
