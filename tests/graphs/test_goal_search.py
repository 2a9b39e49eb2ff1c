"""Walks to a place: the shortest there is, from one end and from both."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.graphs.goal_search import walk_to
from mocapella.graphs.graph import Edge, MotionGraph, build_graph
from mocapella.graphs.traversal import walk_clip

WITHIN = 0.2
RADIUS = 0.75 * WITHIN
CLIP = mo.example("walk", frame_rate=30.0, cycles=1.0)  # of the made graphs, whose ways are not its own


@pytest.fixture(scope="module")
def graph():
    asked = ((1.1, 0.0), (1.2, 0.7), (1.2, -0.7), (1.3, 0.0))
    return build_graph([mo.example("walk", speed=s, turn=t, frame_rate=60.0).renamed(f"{s} {t}") for s, t in asked])


def made_graph(rng, n_nodes):
    """A ring of nodes, with as many edges across; ways are arcs of a third to half a metre."""
    edges = []
    for source, target in [(n, (n + 1) % n_nodes) for n in range(n_nodes)] + rng.integers(
        n_nodes, size=(n_nodes, 2)
    ).tolist():
        turn, length = rng.uniform(-1.5, 1.5), rng.uniform(0.3, 0.5)
        steps = np.exp(1j * turn * np.linspace(0.0, 1.0, 6)) * length / 6
        way = np.concatenate([[0.0], np.cumsum(steps)])
        edges.append(Edge(source, target, 0, 0, 6, way, float(turn), None))
    graph = MotionGraph((CLIP,), (), ())
    graph.__dict__["nodes"] = np.stack([np.zeros(n_nodes, dtype=np.int64), np.arange(n_nodes)], axis=-1)
    graph.__dict__["edges"] = tuple(edges)
    return graph


def cheapest(graph, target, node, arrive, most):
    """All walks up to a length, tried one by one."""
    best = math.inf
    waiting = [(node, 0j, 0.0, 0.0)]
    while waiting:
        node, place, heading, cost = waiting.pop()
        for edge in graph.edges:
            if edge.source != node:
                continue
            way = place + edge.way * np.exp(1j * heading)
            lengths = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(way)))])
            frame = int(np.argmin(np.abs(way - target))) if arrive is None else len(way) - 1
            ends = frame > 0 and arrive in (None, edge.target)
            if ends and abs(way[frame] - target) <= RADIUS:
                best = min(best, cost + lengths[frame])
            if cost + lengths[-1] < most:
                waiting.append((edge.target, complex(way[-1]), heading + edge.turn, cost + lengths[-1]))
    return best


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 4), st.booleans())
def test_both_searches_find_the_shortest_walk_of_all(seed, n_nodes, n_edges, arrives):
    """Against every walk of a small graph, one by one; the goal is where some walk ends."""
    rng = np.random.default_rng(seed)
    graph = made_graph(rng, n_nodes)
    node, place, heading, length = 0, 0j, 0.0, 0.0
    for _ in range(n_edges):
        edge = graph.leaving[node][rng.integers(len(graph.leaving[node]))]
        place, heading, node = place + edge.end * np.exp(1j * heading), heading + edge.turn, edge.target
        length += edge.length
    arrive = node if arrives else None
    goal = (place.imag, place.real)
    best = cheapest(graph, complex(place), 0, arrive, length + 0.01)
    for search in ("ahead", "both"):
        walk = walk_to(graph, goal, within=WITHIN, arrive=arrive, search=search, cell=0.0)
        np.testing.assert_allclose(walk.cost, best, rtol=1e-9)
        np.testing.assert_allclose(walk.bound, walk.cost)
        own = sum(edge.length for edge in walk.edges[:-1]) + walk.edges[-1].lengths[walk.last_frames]
        np.testing.assert_allclose(own, walk.cost, rtol=1e-9)
        assert all(one.target == two.source for one, two in zip(walk.edges, walk.edges[1:], strict=False))
        assert arrive is None or walk.edges[-1].target == arrive


@pytest.mark.parametrize("search", ["ahead", "both"])
def test_more_effort_never_gives_a_longer_walk(graph, search):
    costs, bounds = [], []
    for effort in (30, 300, 500, 2_000):
        try:
            walk = walk_to(graph, (2.0, 3.0), search=search, effort=effort)
        except mo.MotionError:
            costs.append(math.inf)
            continue
        assert walk.looked_at <= effort
        costs.append(walk.cost)
        bounds.append(walk.bound)
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] == costs[-1]


@pytest.mark.parametrize("arrive", ["1.2 0.7", 3])
def test_a_walk_arrives_in_the_motion_asked_for(graph, arrive):
    walk = walk_to(graph, (2.0, 3.0), arrive=arrive)
    clip, _ = walk_clip(graph, walk)
    assert np.hypot(*(clip.root_positions[-1, [0, 2]] - (2.0, 3.0))) <= 0.2
    node = walk.edges[-1].target
    assert walk.last_frames == walk.edges[-1].frames
    assert arrive in (node, graph.clips[graph.nodes[node, 0]].name)


def test_from_both_ends_takes_fewer_nodes_where_a_node_is_to_be_arrived_at(graph):
    looked = {search: walk_to(graph, (2.0, 3.0), arrive=3, search=search).looked_at for search in ("ahead", "both")}
    assert looked["both"] < 0.8 * looked["ahead"]


def test_what_is_out_of_reach_is_said_with_how_near_it_came(graph):
    with pytest.raises(mo.MotionError, match=r"no walk comes within 0.2 m .* the nearest came to"):
        walk_to(graph, (40.0, -40.0), effort=50)
    with pytest.raises(mo.MotionError, match=r"arrives in 1\.1 0\.0; the nearest came to"):
        walk_to(graph, (0.0, 40.0), arrive="1.1 0.0", effort=50)
    with pytest.raises(mo.MotionError, match="none numbered 9999"):
        walk_to(graph, (0.0, 1.0), arrive=9999)
    with pytest.raises(mo.MotionError, match="no clip 'x'"):
        walk_to(graph, (0.0, 1.0), arrive="x")
