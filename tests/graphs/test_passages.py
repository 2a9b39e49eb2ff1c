"""Ways through a graph between sets of nodes: fewest joins, with what the clips show before and after."""

from __future__ import annotations

import pytest

import mocapella as mo
from mocapella.graphs.clusters import find_clusters, reachable_from
from mocapella.graphs.graph import build_graph
from mocapella.graphs.passages import passage
from mocapella.graphs.traversal import join_step, walk_clip


@pytest.fixture(scope="module")
def graph():
    asked = ((1.1, 0.0), (1.2, 0.7), (1.2, -0.7))
    return build_graph([mo.example("walk", speed=s, turn=t, frame_rate=60.0).renamed(f"{s} {t}") for s, t in asked])


def ends(graph, clip):
    return [i for i, (number, _) in enumerate(graph.nodes.tolist()) if number == clip]


def test_a_passage_leads_from_one_clip_to_another_without_a_gap(graph):
    walk = passage(graph, dict.fromkeys(ends(graph, 1), 0), dict.fromkeys(ends(graph, 2), 0))
    assert graph.nodes[walk.edges[0].source, 0] == 1
    assert graph.nodes[walk.edges[-1].target, 0] == 2
    for one, other in zip(walk.edges[:-1], walk.edges[1:], strict=True):
        assert one.target == other.source


def test_no_passage_has_fewer_joins(graph):
    """As the search over kinds of motion, another program, finds as well."""
    groups = find_clusters(graph, most=4)
    for start in ends(graph, 0)[::20]:
        for found in reachable_from(graph, groups, start, depth=20):
            targets = {i: 0 for i in range(len(graph.nodes)) if groups.of_node[i] == found.cluster and i != start}
            if groups.of_node[start] == found.cluster or not targets:
                continue
            walk = passage(graph, {start: 0}, targets)
            assert sum(edge.join is not None for edge in walk.edges) == found.joins
            assert walk.cost == pytest.approx(found.seconds)


def test_frames_before_and_after_are_played_as_captured(graph):
    sources = {i: 10 for i in ends(graph, 1) if graph.nodes[i, 1] >= 10}
    targets = {i: 15 for i in ends(graph, 2) if graph.nodes[i, 1] + 15 <= graph.clips[2].n_frames}
    walk = passage(graph, sources, targets)
    assert (walk.edges[0].frames, walk.edges[-1].frames) == (10, 15)
    clip, _ = walk_clip(graph, walk)
    assert clip.n_frames == sum(edge.frames for edge in walk.edges)
    assert clip.n_frames / clip.frame_rate == pytest.approx(walk.cost + 25 / 60.0)
    assert join_step(graph, walk, clip) <= 1.5


@pytest.mark.parametrize(
    ("sources", "targets", "message"),
    [
        ({0: 0}, {}, "no walk leads from any of 1 nodes to any of 0"),
        ({10_000: 0}, {0: 0}, "none numbered 10000"),
        ({0: 10_000}, {1: 0}, "frames before node 0, not 10000"),
        ({0: 0}, {1: -1}, "frames after node 1, not -1"),
    ],
)
def test_ways_that_there_are_not_are_refused(graph, sources, targets, message):
    with pytest.raises(mo.MotionError, match=message):
        passage(graph, sources, targets)
