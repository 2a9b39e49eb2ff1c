"""The way through a motion graph from one kind of motion to another, with some of both at its ends."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping

from mocapella.errors import MotionError
from mocapella.graphs.graph import Edge, MotionGraph
from mocapella.graphs.traversal import Walk


def passage(graph: MotionGraph, sources: Mapping[int, int], targets: Mapping[int, int]) -> Walk:
    """The walk from some nodes to others that has the fewest joins, and of those the shortest.

    ``sources`` are nodes to begin at, each with the frames of its clip that are played before it. ``targets`` are nodes
    to end at, each with the frames of its clip that are played after it. The result has the frames before and after;
    its cost is the seconds from node to node. Raises ``MotionError`` for unknown nodes, frames that their clips do not
    have, and where no way leads to a target.
    """
    for ends, after in ((sources, False), (targets, True)):
        for node, frames in ends.items():
            _refuse_beyond(graph, node, frames, after=after)
    rate = graph.clips[0].frame_rate
    order = itertools.count()
    open_ = [(0, 0.0, next(order), node) for node in sources]
    best = dict.fromkeys(sources, (0, 0.0))
    behind: dict[int, Edge] = {}
    while open_:
        joins, seconds, _, here = heapq.heappop(open_)
        if here in targets and here in behind:
            return _with_ends(graph, _edges_to(here, behind), sources, targets[here], seconds)
        if (joins, seconds) > best[here]:
            continue
        for edge in graph.leaving[here]:
            cost = (joins + (edge.join is not None), seconds + edge.frames / rate)
            if edge.target not in best or cost < best[edge.target]:
                best[edge.target] = cost
                behind[edge.target] = edge
                heapq.heappush(open_, (*cost, next(order), edge.target))
    raise MotionError(f"no walk leads from any of {len(sources)} nodes to any of {len(targets)}")


def _edges_to(node: int, behind: Mapping[int, Edge]) -> list[Edge]:
    out: list[Edge] = []
    while node in behind:
        out.append(behind[node])
        node = behind[node].source
    return out[::-1]


def _with_ends(graph: MotionGraph, edges: list[Edge], sources: Mapping[int, int], after: int, cost: float) -> Walk:
    """The walk with what its first clip shows before, and its last one after."""
    first, last = edges[0].source, edges[-1].target
    with_ends = (*_stretch(graph, first, -sources[first]), *edges, *_stretch(graph, last, after))
    return Walk(with_ends, with_ends[-1].frames, cost, cost)


def _stretch(graph: MotionGraph, node: int, frames: int) -> list[Edge]:
    """So many frames of a node's clip, before it where they are negative; none for 0."""
    clip, frame = graph.nodes[node].tolist()
    first, last = sorted((frame, frame + frames))
    if first == last:
        return []
    return [graph.along(node, node, clip, first, last)]


def _refuse_beyond(graph: MotionGraph, node: int, frames: int, *, after: bool) -> None:
    graph.refuse_unknown(node)
    clip, frame = graph.nodes[node].tolist()
    there = graph.clips[clip].n_frames - frame if after else frame
    if not 0 <= frames <= there:
        where = "after" if after else "before"
        raise MotionError(f"{graph.clips[clip]!r} has {there} frames {where} node {node}, not {frames}")
