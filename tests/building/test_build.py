"""Networks from captures: where motions lie, what is made where one is missing, and what is refused."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from benchmarks.strangers.doubles import one_leg_longer
from mocapella.actor import CLEAN, perform
from mocapella.building.build import build
from mocapella.building.layout.placement import drop_near_duplicates, ring, sound_triangles
from mocapella.building.layout.steps import missing_sides, missing_turns
from mocapella.errors import MotionError, MotionWarning, NetworkError
from mocapella.gait.root_motion import played_speed
from mocapella.motion.layout import layout_of
from mocapella.motion.travel import turn_and_speed


@functools.cache
def clip(action="walk", speed=1.2, turn=0.0, name=None, seed=0):
    made, _ = perform(action, speed=speed, turn=turn, imperfections=CLEAN, seed=seed)
    return made.renamed(name or f"{action} {speed:g} {turn:+g}")


@functools.cache
def idle(action):
    return perform(action, imperfections=CLEAN)[0].renamed(action)


@functools.cache
def three_clips():
    """What the six-node rectangle is made of: fast straight, fast left, slow straight."""
    return clip(speed=1.6, name="fast"), clip(speed=1.6, turn=0.6, name="fast left"), clip(speed=0.9, name="slow")


@functools.cache
def rectangle():
    return build(three_clips(), substitute=True)


def test_motions_lie_at_their_turn_rate_and_speed():
    network = build([clip(speed=0.9), clip(speed=1.5), clip(speed=1.2, turn=0.6)], mirror=False).network
    for name, turn, speed in (("walk 1.2 +0.6", 0.6, 1.2), ("walk 0.9 +0", 0.0, 0.9)):
        assert network.node(name).at[0] == pytest.approx(np.degrees(turn), abs=2.0)
        assert network.node(name).at[1] == pytest.approx(speed, abs=0.06)
    for node in network.nodes:
        assert node.at == turn_and_speed(node.spectrum)


def test_a_way_of_closing_that_there_is_not_is_refused_once():
    with pytest.raises(MotionError, match=r"expected a way to close a cycle, one of .*, got 'standing'"):
        build(three_clips(), method="standing")


def test_a_missing_side_is_the_mirror_image_of_the_other():
    network = build([clip(speed=0.9), clip(speed=1.5), clip(speed=1.2, turn=0.6)]).network
    left, right = network.node("walk 1.2 +0.6"), network.node("walk 1.2 +0.6 mirrored")
    np.testing.assert_allclose(right.at, (-left.at[0], left.at[1]), rtol=1e-9)
    assert right.spectrum.duration == left.spectrum.duration


def test_a_turn_with_a_counterpart_is_not_mirrored():
    network = build([clip(speed=1.5), clip(speed=1.2, turn=0.6), clip(speed=1.25, turn=-0.55)]).network
    assert len(network.nodes) == 3


def test_mirror_images_are_in_step():
    network = build([clip(speed=1.2, turn=0.6), clip(speed=1.2)]).network
    column = network.layout.columns(mo.find_roles(network.layout.skeleton)["left_hip"]).start + 1
    angles = np.array([np.angle(node.spectrum.coefficients[1, column]) for node in network.nodes])
    assert len(angles) == 3
    assert np.abs(np.angle(np.exp(1j * (angles - angles[0])))).max() < np.radians(15.0)


def test_a_mirror_image_turns_by_exactly_as_much_the_other_way():
    cycle = mo.prepare(clip(speed=1.2, turn=0.6))
    assert missing_sides([cycle])[0].turn == pytest.approx(-cycle.turn, rel=1e-12)


def made_as(recipe):
    return next(name for name, origin in rectangle().origins.items() if origin.source == recipe)


def test_the_six_node_rectangle_is_built_from_three_clips():
    network = rectangle().network
    assert len(network.nodes) == 6
    slow_left = network.node(made_as("slow + (fast left − fast)"))
    fast, left, slow = (network.node(name).spectrum for name in ("fast", "fast left", "slow"))
    assert slow_left.spectrum.duration == pytest.approx(slow.duration + left.duration - fast.duration)
    assert slow_left.at[0] == pytest.approx(left.turn / left.duration * 180 / np.pi, abs=2.0)
    assert slow_left.at[1] == pytest.approx(slow.speed + left.speed - fast.speed, abs=0.02)
    assert network.node(made_as("slow + (fast left mirrored − fast)")).at[0] < -20.0


def test_a_substitute_is_named_by_its_place_and_says_what_it_was_made_of():
    network, origins = rectangle().network, rectangle().origins
    for side, special in (("left", "fast left"), ("right", "fast left mirrored")):
        name = made_as(f"slow + ({special} − fast)")
        turn, speed = network.node(name).at
        assert name == f"walk {played_speed(network.node(name).spectrum):.1f} m/s, {side} {abs(turn):.0f}°"
        assert speed == pytest.approx(played_speed(network.node(name).spectrum), abs=0.1)
    assert any("exchanged" in step for step in origins["fast left mirrored"].steps)


def test_mirror_images_and_substitutes_are_no_captures():
    assert len(rectangle().origins) == 6
    assert rectangle().sources == {"fast", "fast left", "slow"}


def test_speed_rises_upward_and_turns_change_sign_across_the_middle():
    network = rectangle().network
    low, high = network.blend((0.0, 0.95)), network.blend((0.0, 1.55))
    left, right = network.blend((25.0, 1.3)), network.blend((-25.0, 1.3))
    assert low.speed < high.speed
    assert left.turn > 0.0 > right.turn
    assert np.degrees(left.turn / left.duration) == pytest.approx(25.0, abs=1.0)


def test_substitution_needs_two_straight_motions():
    motions = {"a": mo.analyse(mo.prepare(clip(speed=1.2)), 8), "b": mo.analyse(mo.prepare(clip(turn=0.6)), 8)}
    assert missing_turns(motions) == []


def test_of_two_takes_of_one_motion_one_is_kept_and_a_warning_names_the_other():
    takes = [clip(speed=1.2), clip(speed=1.21, seed=3), clip(speed=1.6), clip(speed=1.4, turn=0.6)]
    with pytest.warns(MotionWarning, match=r"left out.*walk 1\.2"):
        network = build(takes, mirror=False).network
    assert len(network.nodes) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotionWarning)
        assert len(build(takes, mirror=False, thin=False).network.nodes) == 4
        takes[1] = replace(takes[1], source="sad/walk.bvh")  # at the same speed, but no take of the same
        assert len(build(takes, mirror=False).network.nodes) == 4


def test_thinning_keeps_the_take_least_in_doubt():
    places = np.array([[0.0, 1.0], [1.0, 1.01], [0.0, 2.0], [100.0, 1.5]])
    assert drop_near_duplicates(places, [0.02, 0.01, 0.03, 0.5]) == [1, 2, 3]
    assert drop_near_duplicates(places, [0.02, 0.01, 0.03, 0.5], ["sad", "plain", "plain", "plain"]) == [0, 1, 2, 3]


def test_slivers_along_the_outline_are_no_triangles():
    row = np.array([[-50.0, 0.80], [0.0, 0.82], [50.0, 0.80], [0.0, 1.6]])
    assert sorted(map(sorted, sound_triangles(row).tolist())) == [[0, 1, 3], [1, 2, 3]]


def test_thin_triangles_inside_leave_no_hole():
    outer = [[-50.0, 0.8], [50.0, 0.8], [50.0, 1.6], [-50.0, 1.6]]
    points = np.array([*outer, [-2.0, 1.2], [2.0, 1.21]])
    corners = points[sound_triangles(points)]
    assert np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])).sum() / 2 == pytest.approx(100.0 * 0.8)


def test_a_node_never_loses_its_last_triangle():
    points = np.array([[0.0, 0.0], [60.0, 0.0], [30.0, 0.02]])
    assert len(sound_triangles(points)) == 1


def test_points_on_a_line_have_no_triangles():
    assert sound_triangles(np.array([[0.0, 0.8], [0.0, 1.2], [0.0, 1.6]])) is None


def test_straight_walks_alone_make_a_chain():
    network = build([clip(speed=0.9), clip(speed=1.5), clip(speed=1.2, seed=2)]).network
    assert network.corners.shape == (2, 2)
    np.testing.assert_array_equal(network.points[:, 0], 0.0)
    assert network.blend((0.0, 1.3)).speed == pytest.approx(1.3, abs=0.01)


def test_one_clip_makes_a_network_of_one_node():
    assert build([clip(speed=1.2)]).network.blend((5.0, 5.0)).speed == pytest.approx(1.2, abs=0.06)


def test_an_idle_network_lies_round_the_origin_and_stays_where_it_is():
    network = build([idle(name) for name in ("stand", "look-around", "twist", "dance")]).network
    np.testing.assert_allclose(np.hypot(*network.points.T), 1.0)
    middle = network.blend((0.0, 0.1))
    assert middle.speed * middle.duration < 0.05
    assert np.abs(middle.coefficients[1:]).max() > 0.01
    assert all(node.synchronised for node in network.nodes)  # with each other, for nobody goes


def test_standing_among_walks_keeps_its_own_time():
    network = build([idle("stand"), clip(speed=0.9), clip(speed=1.5)]).network
    assert [node.synchronised for node in network.nodes] == [False, True, True]
    assert network.blend((0.0, 0.5)).duration == pytest.approx(network.node("walk 0.9 +0").spectrum.duration, abs=0.02)


@pytest.mark.parametrize(("count", "first"), [(1, (0.0, 0.0)), (2, (-1.0, 0.0)), (4, (-0.70710678, -0.70710678))])
def test_a_ring_begins_below_on_one_side(count, first):
    places = ring(count)
    assert len(set(places)) == count
    np.testing.assert_allclose(np.abs(places[0]), np.abs(first), atol=1e-8)


def test_every_motion_without_a_cycle_is_named_with_its_reason(tmp_path):
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nRUUT hips\n")
    still = clip(speed=1.2)[:20].renamed("too short")
    with pytest.raises(NetworkError, match=r"2 of 3 motions") as caught:
        build([broken, still, clip(speed=1.2)], strict=True)
    assert "broken.bvh:2: expected ROOT" in str(caught.value)
    assert "too short: " in str(caught.value)
    with pytest.warns(mo.MotionWarning, match=r"2 of 3 motions are left out: .*broken.bvh:.*expected ROOT.*too short "):
        assert len(build([broken, still, clip(speed=1.2)]).network.nodes) == 1
    with pytest.raises(NetworkError, match=r"2 of 2 motions cannot be used"):
        build([broken, still])


def test_motions_of_different_bodies_are_retargeted_by_name_or_refused():
    tall, _ = perform("walk", height=2.0, speed=1.5, imperfections=CLEAN)
    with pytest.raises(mo.MotionError, match="another skeleton"):
        build([clip(speed=1.2), tall.renamed("tall")], strict=True)
    sources = [clip(speed=1.2), tall.renamed("tall"), clip(speed=1.6)]
    with pytest.warns(mo.MotionWarning, match=r"retargeted to the skeleton that most motions have: tall \(legs 0\.8"):
        built = build(sources, thin=False)
    assert len(built.network.nodes) == 3
    assert built.network.nodes[0].spectrum.layout.skeleton.same_as(sources[0].skeleton)
    assert any(step.startswith("retarget: ") for step in built.origins["tall"].steps)


def test_a_motion_whose_legs_are_not_known_is_left_out_among_those_of_another_body():
    cycle = mo.prepare(clip(speed=1.2))
    bare = cycle.skeleton.with_roles({f"{side}_knee": "" for side in ("left", "right")})
    nameless = replace(cycle, layout=layout_of("quaternion", replace(bare, names=(*bare.names[:-1], "other"))))
    others = [mo.prepare(clip(speed=1.4)), mo.prepare(clip(speed=1.6))]
    with pytest.warns(mo.MotionWarning, match=r"left out.*cannot be retargeted.*has no left_knee.*roles"):
        assert len(build([replace(nameless, name="nameless"), *others], thin=False).network.nodes) == 2


def test_two_files_of_one_name_become_nodes_of_two_names():
    network = build([clip(speed=1.2, name="walk"), clip(speed=1.6, name="walk")]).network
    assert network.names == ("walk", "walk 2")


def test_nothing_at_all_is_refused():
    with pytest.raises(NetworkError, match="at least one motion"):
        build([])


def test_stored_cycles_and_files_build_the_same_network(tmp_path):
    mo.save(clip(speed=1.2), tmp_path / "a.bvh")
    cycle = mo.prepare(mo.load(tmp_path / "a.bvh"))
    mo.save(cycle, tmp_path / "a.moca")
    one, two = build([tmp_path / "a.bvh"]).network, build([tmp_path / "a.moca"]).network
    np.testing.assert_array_equal(one.nodes[0].spectrum.coefficients, two.nodes[0].spectrum.coefficients)


@pytest.mark.data
def test_walks_of_subject_16_make_one_network(data_folder):
    files = [data_folder / f"cmu-bvh/16/16_{take}.bvh" for take in (11, 15, 21, 23, 25, 27, 29, 47, 58)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        network = build(files).network
    assert network.node("16_27").at[0] > 80.0
    assert network.node("16_29").at[0] < -80.0
    assert abs(network.node("16_21").at[0]) < 5.0
    assert ("16_47" in network.names) != ("16_58" in network.names)  # two takes of one walk
    for x, y in np.random.default_rng(1).uniform((-60, 1.0), (60, 1.6), (40, 2)):
        blend = network.blend((x, y))
        assert np.degrees(blend.turn / blend.duration) == pytest.approx(network.place((x, y)).point[0], abs=4.0)


def test_a_body_whose_sides_differ_is_not_mirrored():
    limping = [one_leg_longer(clip(speed=1.3, turn=turn, name=name), 1.3) for name, turn in (("a", 0.0), ("b", 0.6))]
    with pytest.warns(mo.MotionWarning, match="nothing was mirrored: left and right of the rest pose differ by more"):
        assert build(limping).network.names == ("a", "b")


def test_every_animation_of_a_file_is_a_motion_of_the_network_and_its_source_names_it(tmp_path):
    alone = build([clip(speed=0.9, name="slow"), clip(speed=1.6, name="fast")])
    mo.save([clip(speed=0.9, name="slow"), clip(speed=1.6, name="fast")], tmp_path / "pack.glb")
    built = build([tmp_path / "pack.glb"], cache=tmp_path / "cache")
    again = build([tmp_path / "pack.glb"], cache=tmp_path / "cache")
    assert {node.name for node in built.network.nodes} == {"pack#slow", "pack#fast"}
    for node in built.network.nodes:
        assert built.origins[node.name].source == f"{tmp_path / 'pack.glb'}#{node.name.partition('#')[2]}"
        np.testing.assert_allclose(node.at, alone.network.node(node.name.partition("#")[2]).at, atol=0.01)
    assert again.origins == built.origins
    assert [node.at for node in again.network.nodes] == [node.at for node in built.network.nodes]
    assert [node.name for node in build([f"{tmp_path / 'pack.glb'}#slow"]).network.nodes] == ["pack#slow"]
