"""Networks: where a point lies, what counts there, and what makes no network."""

from __future__ import annotations

import itertools
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mocapella.blending.interpolants import NearestNeighbours
from mocapella.blending.network import Network
from mocapella.blending.places import Node, Place
from mocapella.blending.rules import RULES, streamlined_blend
from mocapella.errors import MotionWarning, NetworkError
from mocapella.geometry import triangulation
from mocapella.geometry.simplices import weight_maps
from mocapella.motion.layout import LAYOUTS
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from tests.blending.samples import network, spectrum, star

SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
units = st.floats(0.0, 1.0)
anywhere = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


@st.composite
def scattered(draw, least=3, most=25):
    """Nodes that are not all on one line, no two too close."""
    seed, count = draw(st.integers(0, 10_000)), draw(st.integers(least, most))
    places = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(count, 2))
    apart = np.linalg.norm(places[:, None] - places, axis=-1) + np.eye(count)
    assume(apart.min() > 1e-3 and np.linalg.svd(places - places.mean(axis=0))[1][1] > 1e-2)
    return places.tolist()


@given(scattered(), anywhere)
@settings(max_examples=25, deadline=None)
def test_weights_sum_to_one_and_reproduce_the_point(places, point):
    net = network(places)
    place = net.place(point)
    np.testing.assert_allclose(place.weights.sum(), 1.0, atol=1e-12)
    assert (place.weights >= 0.0).all()
    np.testing.assert_allclose(place.weights @ net.points[place.nodes], place.point, atol=1e-9)
    if place.inside:
        assert place.point == point


@given(scattered(), st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_a_node_is_met_with_its_whole_weight(places, number):
    net = network(places)
    node = number % len(net.nodes)
    place = net.place(net.nodes[node].at)
    assert place.inside
    np.testing.assert_allclose(place.weights[place.nodes.tolist().index(node)], 1.0, atol=1e-9)


@given(scattered(), anywhere, anywhere)
@settings(max_examples=25, deadline=None)
def test_a_hint_changes_nothing_but_the_time_it_takes(places, before, point):
    net = network(places)
    hinted, fresh = net.place(point, net.place(before)), net.place(point)
    np.testing.assert_allclose(hinted.point, fresh.point, atol=1e-12)
    np.testing.assert_allclose(net.blend(hinted).coefficients, net.blend(fresh).coefficients, atol=1e-9)


@given(scattered(), st.integers(0, 1000), units)
@settings(max_examples=25, deadline=None)
def test_a_blend_is_the_same_from_both_sides_of_a_shared_edge(places, number, share):
    net = network(places)
    shared = np.argwhere(net.neighbours >= 0)
    assume(len(shared))
    triangle, corner = shared[number % len(shared)]
    a, b = (net.corners[triangle, (corner + i) % 3] for i in (1, 2))
    point = share * net.points[a] + (1.0 - share) * net.points[b]
    sides = []
    for t in (int(triangle), int(net.neighbours[triangle, corner])):
        weights = np.array(net.mesh.weights(t, point.tolist()))
        sides.append(net.blend(Place(t, net.corners[t], weights, tuple(point))))
    np.testing.assert_allclose(sides[0].coefficients, sides[1].coefficients, atol=1e-8)
    np.testing.assert_allclose(sides[0].duration, sides[1].duration, atol=1e-8)


@given(scattered())
@settings(max_examples=25, deadline=None)
def test_neighbours_know_each_other_and_share_two_corners(places):
    net = network(places)
    for t, row in enumerate(net.neighbours.tolist()):
        for other in (n for n in row if n >= 0):
            assert t in net.neighbours[other]
            assert len(set(net.corners[t]) & set(net.corners[other])) == 2


@given(scattered(), anywhere)
@settings(max_examples=25, deadline=None)
def test_a_point_outside_goes_to_the_nearest_place_of_the_outline_as_axes_spread(places, point):
    net = network(places)
    place = net.place(point)
    assume(not place.inside)
    (loop,) = net.outline
    ring = net.points[[*loop, loop[0]]]
    shares = np.linspace(0.0, 1.0, 201)[:, None]
    edges = np.concatenate([a + shares * (b - a) for a, b in itertools.pairwise(ring)])
    spread = np.ptp(net.points, axis=0)
    nearest = np.linalg.norm((edges - np.array(point)) / spread, axis=1).min()
    found = np.linalg.norm((np.array(place.point) - np.array(point)) / spread)
    assert nearest - 0.01 <= found <= nearest + 1e-9


@given(scattered(), anywhere, st.floats(0.01, 100.0))
@settings(max_examples=25, deadline=None)
def test_the_unit_of_an_axis_does_not_change_where_a_point_outside_goes(places, point, unit):
    units = np.array([unit, 1.0])
    other = network([tuple(units * np.array(place)) for place in places])
    there = np.array(other.place(tuple(units * np.array(point))).point) / units
    np.testing.assert_allclose(there, network(places).place(point).point, atol=1e-6)


def test_in_a_rectangle_the_axes_clamp_on_their_own():
    net = network(SQUARE)
    np.testing.assert_allclose(net.place((0.3, 5.0)).point, (0.3, 1.0), atol=1e-12)
    np.testing.assert_allclose(net.place((-2.0, 0.6)).point, (0.0, 0.6), atol=1e-12)
    np.testing.assert_allclose(net.place((9.0, -9.0)).point, (1.0, 0.0), atol=1e-12)


@given(scattered(), anywhere)
@settings(max_examples=25, deadline=None)
def test_extrapolated_weights_sum_to_one_reproduce_the_point_and_some_are_negative(places, point):
    net = network(places)
    place = net.place(point)
    assume(not place.inside and np.linalg.norm(np.subtract(place.point, point)) > 1e-3)
    far = Network(net.nodes, net.triangles, outside="extrapolate").place(point)
    np.testing.assert_allclose(far.weights.sum(), 1.0, atol=1e-9)
    np.testing.assert_allclose(far.weights @ net.points[far.nodes], point, rtol=1e-6, atol=1e-6)
    assert 1 <= (far.weights < 0.0).sum() <= 2


@given(scattered(least=30, most=60), st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_a_walk_through_the_network_finds_what_a_search_of_all_triangles_finds(places, seed):
    net = network(places)
    rng = np.random.default_rng(seed)
    maps = weight_maps(net.points[net.corners])
    place = net.place((0.0, 0.0))
    point = np.array(place.point)
    for step in rng.normal(scale=0.1, size=(40, 2)):
        point = np.clip(point + step, -1.0, 1.0)
        place = net.place(point, place)
        everywhere = (maps @ [1.0, *point]).min(axis=1)
        assert place.inside == (everywhere.max() >= -1e-12)
        if place.inside:
            assert everywhere[place.triangle] >= -1e-12


def test_a_near_point_is_found_with_few_tests_however_large_the_network(monkeypatch):
    counts = []
    for size in (8, 20):
        grid = [(float(x), float(y)) for x in range(size) for y in range(size)]
        net = network(grid)
        place = net.place((3.3, 3.4))
        calls = []
        weights = type(net.mesh).weights
        monkeypatch.setattr(
            type(net.mesh), "weights", lambda mesh, t, p, w=weights, c=calls: c.append(t) or w(mesh, t, p)
        )
        for angle in np.linspace(0.0, 20.0, 200):
            place = net.place((3.4 + 2.0 * np.cos(angle), 3.4 + 2.0 * np.sin(angle)), place)
        monkeypatch.undo()
        counts.append(len(calls) / 200)
    assert max(counts) < 4.0
    np.testing.assert_allclose(counts[0], counts[1], rtol=0.1)


def test_one_node_is_a_point_where_everything_is_that_node():
    net = Network([Node("alone", (2.0, 3.0), spectrum(0))])
    place = net.place((7.0, -1.0))
    assert (place.nodes.tolist(), place.weights.tolist(), place.point) == ([0], [1.0], (2.0, 3.0))
    np.testing.assert_array_equal(net.blend((0, 0)).coefficients, spectrum(0).coefficients)
    assert net.outline == ((0,),)


@given(anywhere)
def test_two_nodes_are_a_segment_to_which_points_are_projected(point):
    net = network([(0.0, 0.0), (2.0, 0.0)])
    place = net.place(point)
    x = min(max(point[0], 0.0), 2.0)
    np.testing.assert_allclose(place.point, (x, 0.0), atol=1e-12)
    np.testing.assert_allclose(place.weights @ net.points[place.nodes], place.point, atol=1e-12)


def test_nodes_on_a_line_are_a_chain_in_order():
    net = network([(1.0, 1.0), (3.0, 3.0), (0.0, 0.0)])
    assert net.triangles == (("n2", "n0"), ("n0", "n1"))
    place = net.place((2.0, 2.0))
    assert place.inside
    np.testing.assert_allclose(sorted(place.weights), (0.5, 0.5))
    beyond = Network(net.nodes, outside="extrapolate").place((4.0, 4.0))
    np.testing.assert_allclose(beyond.point, (4.0, 4.0))
    np.testing.assert_allclose(dict(zip(beyond.nodes.tolist(), beyond.weights, strict=True))[0], -0.5)
    assert net.outline == ((2, 1),) or net.outline == ((1, 2),)


def test_a_non_convex_outline_is_kept_and_clamped_to():
    net = star()
    assert len(net.outline) == 1
    assert len(net.outline[0]) == 10
    notch = np.pi / 5
    place = net.place((0.8 * np.cos(notch), 0.8 * np.sin(notch)))  # between two points of the star
    assert not place.inside
    assert np.hypot(*place.point) < 0.8


def test_a_hole_is_an_outline_of_its_own():
    outer = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0)]
    inner = [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)]
    ring = [t for i in range(4) for t in ((i, (i + 1) % 4, 4 + i), ((i + 1) % 4, 4 + (i + 1) % 4, 4 + i))]
    net = network(outer + inner, ring)
    assert sorted(len(loop) for loop in net.outline) == [4, 4]
    place = net.place((1.5, 1.2))
    assert not place.inside
    np.testing.assert_allclose(place.point, (1.5, 1.0), atol=1e-12)


def test_the_other_diagonal_can_be_chosen_and_agrees_on_the_outline():
    net = network(SQUARE)
    (diagonal,) = {tuple(sorted(set(a) & set(b))) for a in net.triangles for b in net.triangles if a != b}
    other = net.flipped(*diagonal)
    assert not any(set(diagonal) <= set(triangle) for triangle in other.triangles)
    for point in ((0.3, 0.0), (1.0, 0.4), (0.0, 0.9)):
        np.testing.assert_allclose(net.blend(point).coefficients, other.blend(point).coefficients, atol=1e-12)
    assert np.abs(net.blend((0.5, 0.5)).coefficients - other.blend((0.5, 0.5)).coefficients).max() > 1e-3
    with pytest.raises(NetworkError, match="only a diagonal"):
        net.flipped("n0", "n1")


def test_a_diagonal_that_would_leave_its_quadrangle_is_refused():
    net = network([(0.0, 0.0), (1.0, 0.0), (0.2, 0.2), (0.0, 1.0)], [(0, 1, 2), (0, 2, 3)])
    with pytest.raises(NetworkError, match="pointing in"):
        net.flipped("n0", "n2")


def test_moving_a_node_changes_weights_and_keeps_triangles():
    net = network(SQUARE)
    moved = net.moved({"n1": (2.0, 0.0)})
    assert moved.triangles == net.triangles
    np.testing.assert_allclose(moved.place((2.0, 0.0)).weights.max(), 1.0)
    with pytest.raises(NetworkError, match="no node 'n9'"):
        net.moved({"n9": (0.0, 0.0)})


def test_the_blend_has_the_weighted_duration_and_the_harmonics_asked_for():
    nodes = [Node(f"n{i}", at, spectrum(i, duration=i + 1.0)) for i, at in enumerate(SQUARE)]
    net = Network(nodes, harmonics=2, rule=streamlined_blend)
    assert net.blend((0.0, 0.5)).duration == pytest.approx(2.5)
    assert net.blend((0.0, 0.5)).n_harmonics == 2
    with pytest.warns(MotionWarning, match="9 harmonics were asked for"):
        assert Network(nodes, harmonics=9).n_harmonics == 4


def test_points_that_are_no_points_are_refused():
    net = network(SQUARE)
    for point in ((np.nan, 0.0), (np.inf, 0.0), (1e308, -1e308), (1.0,), (1.0, 2.0, 3.0)):
        with pytest.raises(NetworkError, match="2 finite numbers up to 1e\\+09"):
            net.place(point)
    with pytest.raises(NetworkError, match=r"'far' lies at \(1e\+308, 0.0\); expected finite numbers up to"):
        Node("far", (1e308, 0.0), spectrum())


def test_harmonics_that_some_nodes_lack_are_not_dropped_in_silence():
    nodes = [Node(f"n{i}", at, spectrum(i, harmonics=4 - (i == 2))) for i, at in enumerate(SQUARE)]
    with pytest.warns(MotionWarning, match="blends have the 3 harmonics of n2, though others have up to 4"):
        assert Network(nodes).n_harmonics == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Network(nodes, harmonics=3)


def test_rules_and_interpolants_go_by_their_names():
    nodes = [Node(f"n{i}", at, spectrum(i)) for i, at in enumerate(SQUARE)]
    made = Network(nodes, rule="phasor", interpolant="nearest-3")
    assert (made.rule, made.interpolant) == (RULES["phasor"], NearestNeighbours(3))


def test_what_is_no_rule_and_what_is_no_network_is_refused():
    """In a process of its own, for here every call is checked against its signature before it begins."""
    code = """
import numpy as np, mocapella as mo
motion = mo.Spectrum(np.ones((2, 3), complex), 1.0)
for make in (lambda: mo.Network([mo.Node("a", (0, 0), motion)], rule="phasr"), lambda: mo.Player(None)):
    try:
        make()
    except mo.MotionError as error:
        print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert "got 'phasr'" in told[0]
    assert all(name in told[0] for name in RULES)
    assert told[1] == "expected a network or a spectrum or a hybrid network or a blender for network, got None"


@pytest.mark.parametrize(
    ("places", "triangles", "message"),
    [
        ([], None, "at least one node"),
        ([(0.0, 0.0), (1.0, 0.0), (0.0, 0.0)], None, "'n0' and 'n2' both lie at"),
        (SQUARE, [(0, 1, 2), (1, 2, 3)], "n0–n1–n2 and n1–n2–n3 cross"),
        (SQUARE, [(0, 1, 1)], "3 different corners"),
        (SQUARE, [(0, 1, 7)], "numbered from 0 to 3"),
        (SQUARE, [], "at least one triangle"),
        (SQUARE, [("n0", "n1", "nobody")], "no node 'nobody'"),
        ([*SQUARE, (0.5, 0.5)], [(0, 4, 2), (0, 1, 2)], "corners of triangle n0–n4–n2 lie on one line"),
        ([*SQUARE, (0.5, 0.5)], [(0, 1, 2), (0, 4, 3), (4, 2, 3)], "'n4' lies on the edge n0–n2"),
        ([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)], [(0, 1, 2)], "all nodes lie on one line"),
        ([(0.0, 0.0, 0.0)], None, "expected 2 numbers"),
    ],
)
def test_what_makes_no_network_is_refused_with_names(places, triangles, message):
    with pytest.raises(NetworkError, match=message):
        network(places, triangles)


def test_nodes_of_unlike_layouts_are_told_the_layout():
    skeleton = Skeleton.of(["hips"], [-1], [[0, 0, 0]])
    motions = [
        Spectrum(np.ones((2, lay.n_dofs), complex), 1.0, lay) for lay in (kind(skeleton) for kind in LAYOUTS.values())
    ]
    with pytest.raises(
        NetworkError, match="'b' has the euler layout, 'a' the quaternion; prepare its clip with layout="
    ):
        Network([Node(name, (i, 0.0), motion) for i, (name, motion) in enumerate(zip("ab", motions, strict=True))])
    with pytest.raises(NetworkError, match="'b' has no layout, 'a' has one"):
        Network([Node("a", (0.0, 0.0), motions[0]), Node("b", (1.0, 0.0), spectrum(0, dofs=8))])


def test_nodes_may_come_from_anything_that_gives_them():
    assert Network(node for node in network(SQUARE).nodes).names == ("n0", "n1", "n2", "n3")


def test_nodes_that_cannot_share_a_network_are_named():
    with pytest.raises(NetworkError, match="'b' has 2 dofs, 'a' has 3"):
        Network([Node("a", (0.0, 0.0), spectrum(0)), Node("b", (1.0, 0.0), spectrum(1, dofs=2))])
    with pytest.raises(NetworkError, match="two nodes are called 'a'"):
        Network([Node("a", (0.0, 0.0), spectrum(0)), Node("a", (1.0, 0.0), spectrum(1))])
    with pytest.raises(NetworkError, match="finite"):
        Node("a", (np.nan, 0.0), spectrum(0))
    with pytest.raises(NetworkError, match="lasts"):
        Node("a", (0.0, 0.0), Spectrum(np.zeros((2, 1), dtype=complex), duration=-1.0))


def test_a_node_in_no_triangle_is_out_of_reach_and_said_to_be():
    with pytest.warns(MotionWarning, match="out of reach: 'n3'"):
        net = network(SQUARE, [(0, 1, 2)])
    assert 3 not in net.place((0.0, 1.0)).nodes


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"duration": 1e308}, r"lasts 1e\+308 s; expected 1e-06 to 1e\+06 s"),
        ({"duration": 1e-300}, "lasts 1e-300 s"),
        ({"coefficients": np.full((3, 2), 1e300 + 0j)}, r"beyond 1e\+12"),
        ({"coefficients": np.full((3, 2), 1e13j)}, r"beyond 1e\+12"),
    ],
)
def test_numbers_out_of_all_bounds_make_no_node(change, reason):
    with pytest.raises(NetworkError, match=f"node 'a' .*{reason}"):
        Node("a", (0.0, 0.0), replace(spectrum(0), **change))


@pytest.mark.parametrize("duration", [1e-6, 1e6])
def test_durations_within_bounds_make_nodes(duration):
    assert Node("a", (0.0, 0.0), replace(spectrum(0), duration=duration)).spectrum.duration == duration


def test_extrapolating_to_a_blend_that_lasts_no_time_is_refused():
    nodes = [Node("a", (0.0, 0.0), spectrum(0, duration=1.0)), Node("b", (1.0, 0.0), spectrum(1, duration=2.0))]
    net = Network(nodes, outside="extrapolate")
    with pytest.raises(NetworkError, match="would last"):
        net.blend((-2.0, 0.0))


def test_among_many_triangles_one_that_crosses_others_is_found(monkeypatch):
    monkeypatch.setattr(triangulation, "_AT_ONCE", 50)  # many turns for few triangles
    places = [(x, y) for x in range(6) for y in range(6)]
    sound = network(places).corners.tolist()
    network(places, sound)
    for corners in ((0, 8, 13), (3, 4, 16), (20, 35, 28)):
        with pytest.raises(NetworkError, match="cross"):
            network(places, [*sound, corners])


def test_triangles_that_cross_are_refused_whatever_the_order_of_their_corners():
    for first, second in itertools.product(itertools.permutations((0, 1, 2)), itertools.permutations((0, 1, 3))):
        with pytest.raises(NetworkError, match="cross"):
            network([(0, 0), (2, 0), (0, 2), (2, 2)], [first, second])
