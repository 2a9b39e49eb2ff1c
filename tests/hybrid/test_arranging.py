"""Networks arranged by hand are never left broken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.actor import capture
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.building.build import build
from mocapella.errors import NetworkError
from mocapella.hybrid import arranging, rejoining
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.spectrum import Spectrum

SWING = Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)
PLACES = {"a": (0, 0), "b": (4, 0), "c": (4, 4), "d": (0, 4), "m": (2, 1.9)}
numbers = st.floats(-12.0, 12.0)


def square():
    return Network([Node(name, at, SWING) for name, at in PLACES.items()])


def covered(network):
    """The area of all triangles; equal to that of their union, for they may not lie over each other."""
    shapes = network.points[network.corners]
    a, b = shapes[:, 1] - shapes[:, 0], shapes[:, 2] - shapes[:, 0]
    return 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(PLACES)), numbers, numbers)
def test_wherever_a_node_is_dragged_no_triangle_folds(name, x, y):
    after, at = arranging.moved_soundly(square(), name, (x, y))
    assert (covered(after) > 0.0).all()
    np.testing.assert_allclose(after.node(name).at, at)
    start, way = np.array(PLACES[name], dtype=float), np.array([x, y]) - PLACES[name]
    along = np.array(at) - start
    assert abs(along[0] * way[1] - along[1] * way[0]) < 1e-6 * (1 + np.dot(way, way))  # on the straight way there
    assert np.linalg.norm(along) <= np.linalg.norm(way) + 1e-9


def test_a_sound_move_ends_where_it_was_sent():
    assert arranging.moved_soundly(square(), "m", (2.5, 2.0))[1] == (2.5, 2.0)


def test_a_node_that_is_taken_out_leaves_no_gap():
    after = rejoining.without_node(square(), "m")
    assert after.names == ("a", "b", "c", "d")
    np.testing.assert_allclose(covered(after).sum(), 16.0)


def _edges(network):
    return [
        (network.points[a], network.points[b])
        for row in network.corners
        for a, b in zip(row, np.roll(row, 1), strict=False)
    ]


def _distance(point, a, b):
    """From a point to the line through two others."""
    along = (b - a) / np.linalg.norm(b - a)
    off = np.array(point) - a
    return abs(along[0] * off[1] - along[1] * off[0])


@settings(max_examples=40, deadline=None)
@given(numbers, numbers)
def test_a_node_that_is_added_is_joined_to_what_it_sees_and_covers_more_or_the_same(x, y):
    before = square()
    try:
        after = rejoining.with_node(before, Node("new", (x, y), SWING))
    except NetworkError:  # on another node, or in line with an edge: nearly as bad as nothing in between
        assert min(_distance((x, y), *edge) for edge in _edges(before)) < 0.01
        return
    assert (covered(after) > 0.0).all()
    assert covered(after).sum() >= 16.0 - 1e-9
    if before.place((x, y)).inside:
        np.testing.assert_allclose(covered(after).sum(), 16.0)


def test_adding_a_node_and_taking_it_out_again_covers_the_same():
    after = rejoining.without_node(rejoining.with_node(square(), Node("new", (1.0, 1.4), SWING)), "new")
    np.testing.assert_allclose(covered(after).sum(), 16.0)


def test_triangles_are_taken_out_and_put_back():
    before = square()
    row = before.triangles[0]
    without = rejoining.without_triangle(before, row)
    assert len(without.triangles) == len(before.triangles) - 1
    again = rejoining.with_triangle(without, row)
    assert {frozenset(one) for one in again.triangles} == {frozenset(one) for one in before.triangles}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda n: rejoining.with_triangle(n, n.triangles[0]), "already"),
        (lambda n: rejoining.with_triangle(n, ("a", "b", "c")), "lie over each other|cross|overlap"),
        (lambda n: rejoining.without_triangle(n, ("a", "b", "c")), "no triangle"),
        (lambda n: rejoining.without_node(n, "x"), "no node 'x'"),
        (lambda n: arranging.renamed(n, "a", "b"), "already"),
        (lambda n: arranging.renamed(n, "a", " "), "name"),
        (lambda n: rejoining.flipped(n, "a", "b"), "a"),
        (lambda n: arranging.moved(n, "a", (2, 1.9)), "a"),
        (lambda n: arranging.network_in(n, "walking"), "no block"),
    ],
)
def test_what_would_break_a_network_is_refused(change, reason):
    with pytest.raises(NetworkError, match=reason):
        change(square())


def test_a_single_node_stays():
    with pytest.raises(NetworkError, match="only node"):
        rejoining.without_node(Network([Node("a", (0, 0), SWING)]), "a")


@pytest.fixture(scope="module")
def hybrid():
    names = [f"{pace} walk {way}" for pace in ("slow", "fast") for way in ("straight", "left", "right")]
    walks = build([capture(name)[0] for name in names]).network
    twirl = find_transition(capture("walk-twirl-walk")[0], name="twirl")
    return rejoining.with_change(walks, twirl, key="t")


def test_a_captured_change_makes_a_plain_network_hybrid_with_a_mode_of_its_own(hybrid):
    assert list(hybrid.blocks) == ["walking"]
    assert [mode.name for mode in hybrid.modes] == ["all", "twirl"]
    assert hybrid.keys["t"].name == "twirl"
    assert hybrid.keys["1"].name == "twirl"


def test_changes_of_a_block_keep_arcs_and_modes_sound(hybrid):
    x, y = arranging.network_in(hybrid, "walking").node("slow walk straight").at
    moved, _ = arranging.moved_soundly(hybrid, "slow walk straight", (x + 0.5, y), block="walking")
    called = arranging.renamed(moved, "slow walk straight", "stroll", block="walking")
    assert "stroll" in called.block("walking").network.names
    assert called.network("walking", "twirl").place((x + 0.5, y)).inside
    way_in = called.arc("twirl").source.node
    other = arranging.renamed(called, way_in, "way in", block="walking")
    assert other.arc("twirl").source.node == "way in"
    with pytest.raises(NetworkError, match="twirl"):
        rejoining.without_node(other, "way in", block="walking")
    assert arranging.with_zone(other, "twirl", 0.8).arc("twirl").zone == 0.8
    assert arranging.without_arc(other, "twirl").arcs == ()


def test_settings_go_to_all_blocks(hybrid):
    other = arranging.with_single_source(arranging.with_rule(hybrid, "phasor"), SingleSource(first=5))
    network = other.block("walking").network
    assert network.single_source.first == 5
    assert network.rule.__name__ == "phasor_blend"


def test_a_cycle_that_is_added_is_in_step_and_lies_at_its_turn_and_speed():
    walks = build([capture(f"{pace} walk straight")[0] for pace in ("slow", "fast")]).network
    cycle = prepare(capture("medium walk left")[0]).starting_at(2.0)
    after = rejoining.with_cycle(walks, cycle, name="left")
    node = after.node("left")
    assert node.at[1] == pytest.approx(cycle.speed)
    other = rejoining.with_cycle(walks, prepare(capture("medium walk left")[0]), name="left").node("left")
    np.testing.assert_allclose(node.spectrum.coefficients[1], other.spectrum.coefficients[1], atol=0.01)


def test_the_blend_at_a_place_as_a_node_of_its_own_changes_no_blend_there():
    walks = build(
        [capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ("straight", "left")]
    ).network
    x, y = walks.points[walks.corners[0]].mean(axis=0)
    after = rejoining.with_blend(walks, (x, y), name="middle")
    np.testing.assert_allclose(after.blend((x, y)).coefficients, walks.blend((x, y)).coefficients, atol=1e-9)


def test_turning_a_node_and_turning_it_back_changes_nothing():
    before = build([capture(f"{pace} walk straight")[0] for pace in ("slow", "fast")]).network
    after = arranging.turned(arranging.turned(before, "fast walk straight", 40.0), "fast walk straight", -40.0)
    np.testing.assert_allclose(after.nodes[1].spectrum.coefficients, before.nodes[1].spectrum.coefficients, atol=1e-12)
