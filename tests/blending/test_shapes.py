"""Networks of other kinds: smoother weights, calibrated, cascaded, in space; sliding along outlines."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.blending.cascade import Cascade
from mocapella.blending.interpolants import (
    bilinear,
    interpolant_name,
    interpolant_of,
    natural_neighbours,
    nearest_neighbours,
    radial_basis,
)
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.sliding import slide
from mocapella.blending.volume import Volume, layered
from mocapella.errors import NetworkError
from mocapella.geometry.triangulation import delaunay, without_slivers
from mocapella.hybrid.block import Block
from mocapella.motion.layout import AHEAD, YAW_RATE, QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.steering.calibration import Calibration, calibrated, rates
from tests.blending.samples import network, spectrum, star

GRID = [(float(x), float(y)) for y in range(3) for x in range(3)]
SMOOTH = [bilinear, nearest_neighbours(4), natural_neighbours, radial_basis]
REPRODUCING = [bilinear, natural_neighbours, radial_basis]
inside = st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 2.0))
units = st.floats(0.0, 1.0)


@pytest.mark.parametrize("interpolant", SMOOTH)
@given(point=inside)
@settings(max_examples=25, deadline=None)
def test_weights_of_every_kind_sum_to_one(interpolant, point):
    np.testing.assert_allclose(network(GRID, interpolant=interpolant).place(point).weights.sum(), 1.0, atol=1e-9)


@pytest.mark.parametrize("interpolant", REPRODUCING)
@given(point=inside)
@settings(max_examples=25, deadline=None)
def test_weights_that_claim_to_do_so_reproduce_the_point(interpolant, point):
    net = network(GRID, interpolant=interpolant)
    place = net.place(point)
    np.testing.assert_allclose(place.weights @ net.points[place.nodes], point, atol=1e-6)


@pytest.mark.parametrize("interpolant", SMOOTH)
def test_a_node_is_met_with_its_whole_weight_by_every_kind(interpolant):
    net = network(GRID, interpolant=interpolant)
    for i, at in enumerate(GRID):
        place = net.place(at)
        weights = dict(zip(place.nodes.tolist(), place.weights.tolist(), strict=True))
        np.testing.assert_allclose(weights[i], 1.0, atol=1e-9)


@pytest.mark.parametrize("interpolant", [nearest_neighbours(3), natural_neighbours, radial_basis])
@given(point=inside, angle=st.floats(0.0, 6.3))
@settings(max_examples=30, deadline=None)
def test_weights_change_smoothly_with_the_point(interpolant, point, angle):
    scattered = [(0.0, 0.0), (2.1, 0.1), (2.0, 2.2), (0.1, 1.9), (0.7, 1.1), (1.4, 0.6)]
    weigh = interpolant(np.array(scattered))
    near = (point[0] + 1e-6 * np.cos(angle), point[1] + 1e-6 * np.sin(angle))
    np.testing.assert_allclose(weigh(point), weigh(near), atol=1e-3)


@pytest.mark.parametrize("interpolant", [nearest_neighbours(2), nearest_neighbours(3), natural_neighbours])
def test_weights_do_not_leap_where_other_neighbours_come_in(interpolant):
    weigh = interpolant(np.array([(0.0, 0.0), (2.1, 0.1), (2.0, 2.2), (0.1, 1.9), (0.7, 1.1), (1.4, 0.6)]))
    sweep = np.array([weigh((x, 0.3 + 0.6 * x)) for x in np.linspace(0.2, 1.8, 1601).tolist()])
    assert np.abs(np.diff(sweep, axis=0)).max() < 0.02


@pytest.mark.parametrize("interpolant", [natural_neighbours, radial_basis])
def test_weights_that_take_long_for_many_nodes_are_refused_for_too_many(interpolant):
    with pytest.raises(NetworkError, match="at most 2,000 nodes, not for 2,001"):
        interpolant(np.random.default_rng(0).uniform(size=(2001, 2)))


@pytest.mark.parametrize("interpolant", [natural_neighbours, radial_basis])
def test_sweeping_over_a_border_bends_less_than_with_triangles(interpolant):
    sweep = [(x, 0.9) for x in np.linspace(0.5, 1.5, 81)]

    def worst_bend(net):
        values = np.array([net.blend(point).coefficients[0].real for point in sweep])
        return np.abs(np.diff(values, 2, axis=0)).max()

    assert worst_bend(network(GRID, interpolant=interpolant)) < 0.5 * worst_bend(network(GRID))


@given(dents=st.tuples(*[st.floats(1e-4, 0.1)] * 3), share=units, edge=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_along_an_outline_that_is_dented_a_little_natural_weights_are_those_of_its_edges(dents, share, edge):
    places = [(0.0, 0.0), *((k + 1.0, dent) for k, dent in enumerate(dents)), (4.0, 0.0), (0.0, 2.0), (4.0, 2.0)]
    # As networks are built: without the thin triangles between the dents and the straight line below them.
    triangles = without_slivers(np.array(places) / (4.0, 2.0), delaunay(np.array(places)))
    net = network(places, triangles.tolist(), interpolant=natural_neighbours)
    assert set(range(5)) <= set(net.outline[0])
    place = net.place((1.0 - share) * net.points[edge] + share * net.points[edge + 1])
    weights, expected = np.zeros((2, len(places)))
    weights[place.nodes] = place.weights
    expected[[edge, edge + 1]] = 1.0 - share, share
    np.testing.assert_allclose(weights, expected, atol=1e-5)


def test_bilinear_weights_are_products_and_need_a_grid():
    weights = bilinear(np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 1.0), (2.0, 1.0)]))((0.5, 0.25))
    np.testing.assert_allclose(weights, [0.75 * 0.75, 0.25 * 0.75, 0.75 * 0.25, 0.25 * 0.25])
    with pytest.raises(NetworkError, match="do not fill one of 2 × 2"):
        bilinear(np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 1.0)]))
    cube = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    np.testing.assert_allclose(bilinear(cube)((0.5, 0.5, 0.5)), np.full(8, 0.125))


def test_interpolants_that_cannot_be_are_refused():
    with pytest.raises(NetworkError, match="at least one neighbour"):
        nearest_neighbours(0)
    with pytest.raises(NetworkError, match="in the plane"):
        natural_neighbours(np.zeros((4, 3)))


@pytest.mark.parametrize(
    ("places", "interpolant", "reason"),
    [
        (GRID[:-1], bilinear, "do not fill one of 3 × 3"),
        ([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)], bilinear, "need a full grid"),
    ],
)
def test_a_network_that_an_interpolant_has_no_weights_for_is_not_built(places, interpolant, reason):
    with pytest.raises(NetworkError, match=reason):
        network(places, interpolant=interpolant)


@pytest.mark.parametrize("places", [[(0.0, 0.0), (2.0, 1.0)], [(4.0, 2.0), (0.0, 0.0), (1.0, 0.5)]])
@given(share=st.floats(-0.5, 1.5), off=st.floats(-1.0, 1.0))
@settings(max_examples=20, deadline=None)
def test_along_a_line_natural_neighbours_are_those_of_the_segment(places, share, off):
    low, high = np.array(min(places)), np.array(max(places))
    point = low + share * (high - low) + off * np.array([-1.0, 2.0])
    plain, natural = network(places).place(point), network(places, interpolant=natural_neighbours).place(point)
    weights = np.zeros((2, len(places)))
    for row, place in zip(weights, (plain, natural), strict=True):
        row[place.nodes] = place.weights
    np.testing.assert_allclose(weights[1], weights[0], atol=1e-9)


@pytest.mark.parametrize("interpolant", SMOOTH)
def test_a_single_node_needs_no_interpolant(interpolant):
    np.testing.assert_allclose(network([(1.0, 2.0)], interpolant=interpolant).place((0.0, 0.0)).weights, [1.0])


@pytest.mark.parametrize("name", ["triangles", "natural", "bilinear", "radial", "nearest-1", "nearest-12"])
def test_interpolants_go_by_their_names(name):
    assert interpolant_name(interpolant_of(name)) == name


@pytest.mark.parametrize("name", ["", "nearest", "nearest-0", "nearest-", "nearest--3", "Natural", "nearest-4x"])
def test_names_of_no_interpolant_are_refused_with_those_there_are(name):
    with pytest.raises(NetworkError, match=r"here are triangles, natural, bilinear, radial, nearest-4"):
        interpolant_of(name)


def test_blocks_and_layers_lose_no_interpolant_in_silence():
    smooth = network(GRID, interpolant=natural_neighbours)
    with pytest.raises(NetworkError, match="open and close"):
        Block(smooth)
    with pytest.raises(NetworkError, match="would be lost"):
        layered([smooth, smooth], [0.0, 1.0])


def test_all_nodes_equally_far_count_the_same_among_the_nearest():
    corners = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    np.testing.assert_allclose(nearest_neighbours(4)(corners)((0.0, 0.0)), np.full(4, 0.25))


# Sliding


@given(start=st.tuples(units, units), end=st.tuples(st.floats(-2, 3), st.floats(-2, 3)))
@settings(max_examples=40, deadline=None)
def test_in_a_convex_network_sliding_ends_at_the_nearest_place(start, end):
    net = network([(0.0, 0.0), (1.0, 0.0), (1.2, 1.1), (0.0, 1.0), (0.5, 0.5)])
    slid, nearest = slide(net, net.place(start), end), net.place(end)
    np.testing.assert_allclose(slid.point, nearest.point, atol=1e-6)
    assert slid.inside == nearest.inside


def test_between_the_points_of_a_star_sliding_stays_on_its_side_of_the_gap():
    net = star()
    tip, next_tip = net.points[1], net.points[3]
    start = net.place((0.95 * tip).tolist())
    across = (0.45 * tip + 0.55 * next_tip).tolist()  # in the gap, nearer to the other side
    assert np.linalg.norm(np.array(net.place(across).point) - next_tip) < np.linalg.norm(
        np.array(net.place(across).point) - tip
    )
    slid = slide(net, start, across)
    assert np.linalg.norm(np.array(slid.point) - tip) < np.linalg.norm(np.array(slid.point) - next_tip)
    assert np.linalg.norm(np.subtract(slid.point, across)) < np.linalg.norm(np.subtract(start.point, across))
    inner = slide(net, start, (0.9 * next_tip).tolist())
    assert inner.inside


# Calibration

BODY = Skeleton.of(["Hips"], [-1], [[0.0, 1.0, 0.0]])


def going(turn_rate, speed, duration=1.0):
    layout = QuaternionLayout(BODY)
    coefficients = np.zeros((3, layout.n_dofs), dtype=complex)
    coefficients[0, 0], coefficients[0, AHEAD], coefficients[0, YAW_RATE] = 1.0, speed, turn_rate
    return Spectrum(coefficients, duration, layout)


@functools.cache
def walks():
    net = calibrated({f"{r} {v}": going(r, v, 1.5 - 0.3 * v) for r in (-1.0, 0.0, 1.0) for v in (0.8, 2.0)})
    return net, Calibration(net)


@given(turn_rate=st.floats(-0.9, 0.9), speed=st.floats(0.85, 1.95))
@settings(max_examples=30, deadline=None)
def test_requested_rates_are_met_inside_a_calibrated_network(turn_rate, speed):
    net, calibration = walks()
    answer = calibration.request(turn_rate, speed)
    assert answer.feasible
    np.testing.assert_allclose((answer.turn_rate, answer.speed), (turn_rate, speed), atol=1e-5)
    np.testing.assert_allclose(rates(net.blend(answer.point)), (turn_rate, speed), atol=1e-5)


def test_a_network_laid_out_by_hand_is_inverted_all_the_same():
    nodes = [
        Node("slow right", (0.0, 0.0), going(-1.0, 0.7)),
        Node("slow left", (1.0, 0.0), going(1.2, 0.8)),
        Node("fast right", (0.1, 1.0), going(-0.5, 2.0)),
        Node("fast left", (0.9, 1.1), going(0.6, 2.1)),
    ]
    calibration = Calibration(Network(nodes), measure=lambda s: (s.turn / s.duration, s.speed**1.5))
    answer = calibration.request(0.2, 1.3**1.5)
    assert answer.feasible
    np.testing.assert_allclose((answer.turn_rate, answer.speed), (0.2, 1.3**1.5), atol=1e-5)


def test_what_no_blend_does_is_reported_and_the_nearest_given():
    net = calibrated({f"{r} {v}": going(r, v) for r in (-1.0, 1.0) for v in (0.8, 2.0)})
    answer = Calibration(net).request(0.0, 9.0)
    assert not answer.feasible
    np.testing.assert_allclose((answer.turn_rate, answer.speed), (0.0, 2.0), atol=1e-9)
    with pytest.raises(NetworkError, match="finite"):
        Calibration(net).request(np.nan, 1.0)


def test_a_network_that_does_one_thing_cannot_be_calibrated():
    same = Network([Node(f"n{i}", at, going(0.0, 1.0)) for i, at in enumerate(GRID)])
    with pytest.raises(NetworkError, match="nothing to ask for"):
        Calibration(same)


# Cascades


def test_moving_an_inner_point_changes_its_node_and_no_other():
    outer, moods = network(GRID), network([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
    cascade = Cascade(outer, {"n4": moods}, {"n4": (0.0, 0.0)})
    moved = cascade.moved("n4", (0.3, 0.3))
    np.testing.assert_allclose(cascade.network.blend((1.0, 1.0)).coefficients, moods.nodes[0].spectrum.coefficients)
    np.testing.assert_allclose(moved.network.blend((1.0, 1.0)).coefficients, moods.blend((0.3, 0.3)).coefficients)
    np.testing.assert_allclose(moved.network.blend((0.0, 0.0)).coefficients, outer.blend((0.0, 0.0)).coefficients)
    assert moved.at["n4"] == (0.3, 0.3)
    with pytest.raises(NetworkError, match="'n5' has no inner network"):
        cascade.moved("n5", (0.0, 0.0))
    with pytest.raises(NetworkError, match="one blending point for each"):
        Cascade(outer, {"n4": moods}, {})


# Volumes

CUBE = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]


def volume(places, tetrahedra=None, **options):
    return Volume([Node(f"n{i}", at, spectrum(i)) for i, at in enumerate(places)], tetrahedra, **options)


@given(st.tuples(*[st.floats(-0.5, 1.5)] * 3))
@settings(max_examples=40, deadline=None)
def test_weights_in_space_sum_to_one_and_reproduce_the_point(point):
    net = volume([*CUBE, (0.4, 0.5, 0.6)])
    place = net.place(point)
    np.testing.assert_allclose(place.weights.sum(), 1.0, atol=1e-12)
    np.testing.assert_allclose(place.weights @ net.points[place.nodes], place.point, atol=1e-9)
    np.testing.assert_allclose(place.point, np.clip(point, 0.0, 1.0), atol=1e-9)
    if min(np.abs([*point, *np.subtract(1.0, point)])) > 1e-9:
        assert place.inside == (max(point) <= 1.0 and min(point) >= 0.0)


@functools.cache
def moods():
    happy, sad = network(GRID), Network([Node(f"n{i}", at, spectrum(50 + i)) for i, at in enumerate(GRID)])
    both = layered([happy, sad], (0.0, 1.0), names=("happy", "sad"))
    return happy, sad, both


@given(st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 2.0)))
@settings(max_examples=30, deadline=None)
def test_a_layer_of_a_volume_is_the_network_it_was_made_of(point):
    happy, sad, both = moods()
    for layer, height in ((happy, 0.0), (sad, 1.0)):
        np.testing.assert_allclose(
            both.blend((*point, height)).coefficients, layer.blend(point).coefficients, atol=1e-9
        )
    assert both.nodes[0].name == "happy/n0"


def test_four_nodes_are_one_tetrahedron():
    four = volume([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert four.corners.tolist() == [[0, 1, 2, 3]]
    np.testing.assert_allclose(four.place((0.1, 0.2, 0.3)).weights, [0.4, 0.1, 0.2, 0.3])


def test_what_makes_no_volume_is_refused():
    with pytest.raises(NetworkError, match="in one plane span no volume"):
        volume([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)])
    with pytest.raises(NetworkError, match="n0–n1–n2–n4 and n0–n1–n2–n7 cross"):
        volume(CUBE, [(0, 1, 2, 4), (0, 1, 2, 7)])
    with pytest.raises(NetworkError, match="lie in one plane"):
        volume(CUBE, [(0, 1, 2, 3)])
    with pytest.raises(NetworkError, match="no other diagonal"):
        volume(CUBE).flipped("n0", "n1")
    with pytest.raises(NetworkError, match="same triangles"):
        layered([network(GRID), network(GRID[:4])], (0.0, 1.0))
    with pytest.raises(NetworkError, match="rise"):
        layered([network(GRID), network(GRID)], (1.0, 0.0))
