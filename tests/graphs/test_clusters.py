"""Kinds of motion in a graph."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import MotionError
from mocapella.graphs.clusters import find_clusters, reachable_from
from mocapella.graphs.graph import build_graph


@pytest.fixture(scope="module")
def graph():
    asked = (("walk", 1.2, 0.0), ("walk", 1.2, 0.9), ("walk", 1.7, 0.0))
    clips = [mo.example(kind, speed=s, turn=t, frame_rate=60.0).renamed(f"{s} {t}") for kind, s, t in asked]
    return build_graph(clips, threshold=0.15)


def test_every_node_has_a_kind_and_kinds_differ_in_speed(graph):
    clusters = find_clusters(graph)
    assert len(clusters.of_node) == len(graph.nodes)
    assert set(clusters.of_node.tolist()) == set(range(clusters.n_clusters))
    assert clusters.n_clusters > 1
    assert np.ptp(clusters.speeds) > 0.2 or np.ptp(clusters.turns) > 0.4


def test_groups_are_found_again(graph):
    np.testing.assert_array_equal(find_clusters(graph).of_node, find_clusters(graph).of_node)


def test_more_joins_reach_no_less_and_every_kind_is_reached_in_the_end(graph):
    clusters = find_clusters(graph)
    counts = [len(reachable_from(graph, clusters, 0, depth=depth)) for depth in (0, 1, 2, 6, 50)]
    assert counts == sorted(counts)
    assert counts[-1] == clusters.n_clusters


def test_joins_are_counted_as_walks_need_them(graph):
    clusters = find_clusters(graph)
    found = reachable_from(graph, clusters, 0, depth=50)
    assert found[0].cluster == clusters.of_node[0]
    assert (found[0].joins, found[0].seconds) == (0, 0.0)
    along = {0}  # nodes that frames of the clip itself lead to
    while more := {edge.target for node in along for edge in graph.leaving[node] if edge.join is None} - along:
        along |= more
    assert {one.cluster for one in found if one.joins == 0} == {int(clusters.of_node[node]) for node in along}


def test_nodes_that_there_are_not_are_refused(graph):
    with pytest.raises(MotionError, match="none numbered 100000"):
        reachable_from(graph, find_clusters(graph), 100_000)
    with pytest.raises(MotionError, match="number of groups"):
        find_clusters(graph, most=0)
