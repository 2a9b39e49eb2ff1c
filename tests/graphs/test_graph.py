"""Motion graphs: joins where feet agree, every node reaches every node, walks that arrive."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.graphs.goal_search import walk_to
from mocapella.graphs.graph import build_graph
from mocapella.graphs.traversal import join_step, random_walk, walk_along, walk_clip
from mocapella.measure.measures import MOTION, MeasuredMotion, figures


@pytest.fixture(scope="session")
def graph():
    asked = ((1.1, 0.0), (1.2, 0.7), (1.2, -0.7), (1.3, 0.0))
    return build_graph([mo.example("walk", speed=s, turn=t, frame_rate=60.0).renamed(f"{s} {t}") for s, t in asked])


def test_every_node_reaches_every_node(graph):
    assert graph.is_strongly_connected
    assert all(graph.leaving)
    assert len({join.source for join in graph.joins}) == 4


def test_the_same_feet_are_down_where_clips_join(graph):
    """So no step is made twice with one foot."""

    def down(clip, side, frame):
        contacts = graph.contacts[clip]
        return bool(contacts.planted(f"{side}_heel")[frame] or contacts.planted(f"{side}_toe")[frame])

    for join in graph.joins:
        for at in (0, graph.n_blend // 2, graph.n_blend):
            for side in ("left", "right"):
                assert down(join.source, side, join.leave + at) == down(join.target, side, join.enter + at)


def test_joins_of_one_clip_with_itself_lie_whole_cycles_apart():
    clip = mo.example("walk", speed=1.2, frame_rate=60.0, cycles=6.0)
    joins = build_graph([clip], threshold=0.05).joins
    period = mo.find_period(clip).frames
    away = [abs(join.leave - join.enter) / period for join in joins]
    np.testing.assert_allclose(away, np.round(away), atol=0.12)
    assert min(away) > 0.5


def test_a_graph_by_angles_joins_the_same_phases_of_steps():
    clips = [mo.example("walk", speed=s, turn=t, frame_rate=30.0, cycles=4.0) for s, t in ((1.1, 0.0), (1.2, 0.5))]
    graph = build_graph(clips, distance="angles")
    assert graph.is_strongly_connected
    assert max(join.distance for join in graph.joins) < 0.13
    walk = random_walk(graph, 4.0, rng=np.random.default_rng(0))
    clip, contacts = walk_clip(graph, walk)
    assert figures(MOTION, MeasuredMotion(clip, contacts), ("slip_mm_max",))["slip_mm_max"] <= 1.0
    assert join_step(graph, walk, clip) <= 1.5


def test_a_random_walk_lasts_as_long_as_asked_and_holds_its_feet(graph):
    walk = random_walk(graph, 6.0, rng=np.random.default_rng(3))
    clip, contacts = walk_clip(graph, walk)
    assert clip.n_frames == 360
    assert repr(walk).startswith(f"Walk({len(walk.edges)} edges, 360 frames, cost ")
    np.testing.assert_allclose(clip.ground_path[0], 0.0, atol=0.05)
    measured = figures(MOTION, MeasuredMotion(clip, contacts), ("slip_mm_max",))
    assert measured["slip_mm_max"] <= 1.0
    assert 0.0 < join_step(graph, walk, clip) <= 1.5


def test_the_clip_of_a_walk_goes_where_the_walk_says(graph):
    """Edges know where they lead without a frame being made."""
    walk = random_walk(graph, 5.0, rng=np.random.default_rng(1))
    clip, _ = walk_clip(graph, walk, feet=False)
    place, heading = 0j, 0.0
    for edge in walk.edges[:-1]:
        place, heading = place + edge.way[-1] * np.exp(1j * heading), heading + edge.turn
    frame = sum(edge.frames for edge in walk.edges[:-1])
    np.testing.assert_allclose(clip.ground_path[frame], place, atol=1e-9)
    np.testing.assert_allclose(np.exp(1j * clip.headings[frame]), np.exp(1j * heading), atol=1e-9)


@pytest.mark.parametrize("goal", [(0.0, 3.0), (2.0, 3.0), (-2.0, 3.5), (1.0, -3.0)])
def test_a_walk_to_a_place_ends_there(graph, goal):
    walk = walk_to(graph, goal)
    clip, _ = walk_clip(graph, walk)
    assert np.hypot(*(clip.root_positions[-1, [0, 2]] - goal)) <= 0.2
    assert walk.cost >= walk.bound > 0.0
    assert walk.cost >= np.hypot(*goal) - 0.2


def test_only_the_clips_that_are_named_are_used(graph):
    walk = walk_to(graph, (0.0, 4.0), clips=["1.1 0.0", "1.3 0.0"], within=0.6)
    assert {graph.clips[edge.clip].name for edge in walk.edges} <= {"1.1 0.0", "1.3 0.0"}
    with pytest.raises(mo.MotionError, match="no clip 'x'"):
        walk_to(graph, (0.0, 4.0), clips=["x"])


def test_a_walk_along_a_path_stays_near_it(graph):
    path = np.array([[0.0, 0.0], [0.0, 3.0], [2.0, 5.0]])
    walk = walk_along(graph, path)
    clip, _ = walk_clip(graph, walk)
    assert walk.cost < 0.4
    assert np.hypot(*(clip.root_positions[-1, [0, 2]] - path[-1])) < 0.8
    with pytest.raises(mo.MotionError, match="two places that differ"):
        walk_along(graph, np.zeros((2, 2)))


def test_a_graph_comes_back_from_its_file(graph, tmp_path):
    mo.save(graph, tmp_path / "walks.moca")
    again = mo.load(tmp_path / "walks.moca")
    assert again.joins == graph.joins
    for one, other in zip(again.clips, graph.clips, strict=True):
        np.testing.assert_array_equal(one.rotations_wxyz, other.rotations_wxyz)
    walks = [random_walk(one, 2.0, rng=np.random.default_rng(0)) for one in (graph, again)]
    np.testing.assert_array_equal(*(walk_clip(g, w)[0].positions for g, w in zip((graph, again), walks, strict=True)))


@pytest.mark.parametrize(
    ("clips", "message"),
    [
        ([], "no clips"),
        (["walk", "other body"], "another skeleton"),
        (["walk", "other rate"], "another frame rate"),
        (["walk"], "never alike enough"),
    ],
)
def test_what_makes_no_graph_is_refused(clips, message):
    made = {
        "walk": mo.example("walk", frame_rate=30.0, cycles=2.0)[:40],
        "other body": mo.example("walk", frame_rate=30.0, cycles=2.0, height=1.5),
        "other rate": mo.example("walk", frame_rate=60.0, cycles=2.0),
    }
    with pytest.raises(mo.MotionError, match=message):
        build_graph([made[name] for name in clips])


def test_no_walk_goes_through_a_jump():
    clip = mo.example("walk", frame_rate=60.0, cycles=6.0)
    rotations = np.array(clip.rotations_wxyz)
    knee = mo.find_roles(clip.skeleton)["left_knee"]
    rotations[150, knee] = [0.5, 0.5, 0.5, 0.5]
    broken = mo.Clip(clip.skeleton, clip.root_positions, rotations, clip.frame_rate)
    graph = build_graph([broken])
    assert all(part.first_row > 150 or part.first_row + part.n_frames <= 150 for part in graph.clips)


@pytest.mark.data
def test_a_graph_of_captures_leads_everywhere(data_folder):
    names = ("16_15", "16_17", "16_19", "16_21", "16_27")
    clips = [mo.load(data_folder / "cmu-bvh" / "16" / f"{name}.bvh") for name in names]
    graph = build_graph(clips)
    assert graph.is_strongly_connected
    rng = np.random.default_rng(0)
    for _ in range(3):
        goal = tuple(rng.uniform(-3.0, 3.0, 2))
        walk = walk_to(graph, goal, start=int(rng.integers(len(graph.nodes))))
        clip, contacts = walk_clip(graph, walk)
        assert np.hypot(*(clip.root_positions[-1, [0, 2]] - goal)) <= 0.2
        assert figures(MOTION, MeasuredMotion(clip, contacts), ("slip_mm_max",))["slip_mm_max"] <= 1.0
        assert join_step(graph, walk, clip) <= 1.5


def test_stretches_of_a_path_are_walked_by_the_clips_asked_for(graph):
    path = np.array([[0.0, 0.0], [0.0, 10.0]])
    asked = [(0.0, "1.1 0.0"), (5.0, "1.3 0.0")]
    walk = walk_along(graph, path, stretches=asked)
    walked, right = 0.0, [[], []]
    for edge in walk.edges:
        half = int(walked + 0.5 * edge.length >= 5.0)
        right[half].append((edge.length, graph.clips[edge.clip].name == asked[half][1]))
        walked += edge.length
    for part in right:
        assert sum(length for length, fits in part if fits) > 0.6 * sum(length for length, _ in part)
    with pytest.raises(mo.MotionError, match="in order"):
        walk_along(graph, path, stretches=[(3.0, "1.1 0.0"), (1.0, "1.3 0.0")])
    with pytest.raises(mo.MotionError, match="no clip 'sneak'"):
        walk_along(graph, path, stretches=[(0.0, "sneak")])


def test_stretches_of_a_path_go_by_labels_of_frames(graph):
    """Labels lie within clips: here the turning ones are called so, and half of a straight one."""
    labels = [[(0, clip.n_frames - 1, "straight" if " 0.0" in clip.name else "turning")] for clip in graph.clips]
    path = np.array([[0.0, 0.0], [0.0, 4.0]])
    walk = walk_along(graph, path, stretches=[(0.0, "straight")], labels=labels)
    lengths = [(edge.length, " 0.0" in graph.clips[edge.clip].name) for edge in walk.edges]
    assert sum(length for length, fits in lengths if fits) > 0.7 * sum(length for length, _ in lengths)
    with pytest.raises(mo.MotionError, match="no clip 'skip'; there are"):
        walk_along(graph, path, stretches=[(0.0, "skip")], labels=labels)
    with pytest.raises(mo.MotionError, match="labels of 4 clips"):
        walk_along(graph, path, stretches=[(0.0, "straight")], labels=labels[:2])


def test_who_sways_on_the_spot_is_not_taken_to_go_along_a_path():
    """Standing costs few metres: a walk that sways for minutes would come along a short path as well."""
    names = ("stand", "walk", "walk-stand", "stand-walk")
    graph = build_graph([mo.example(name, frame_rate=30.0).renamed(name) for name in names], threshold=0.1)
    walk = walk_along(graph, np.array([[0.0, 0.0], [0.0, 3.0]]))
    assert sum(edge.frames for edge in walk.edges) / 30.0 < 20.0
