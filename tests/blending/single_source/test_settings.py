"""Single-source harmonics in networks: where each comes from, and what is refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.blending.interpolants import natural_neighbours
from mocapella.blending.network import Network
from mocapella.blending.places import Node, Place
from mocapella.blending.rules import phase_agreement, phasor_blend, streamlined_blend
from mocapella.blending.single_source.ssh import Override, SingleSource
from mocapella.blending.single_source.switching import BLENDED, single_source
from mocapella.blending.volume import Volume, layered
from mocapella.errors import MotionWarning, NetworkError
from mocapella.studies.published import literal_blend
from tests.blending.samples import spectrum
from tests.blending.test_network import scattered

SQUARE = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
units = st.floats(0.0, 1.0)


def net(places=SQUARE, settings=None, *, kind=Network, out_of_step=(), **options):
    nodes = [
        Node("abcdefghijklmnopqrstuvwxyz"[i], tuple(at), spectrum(i, harmonics=10), i not in out_of_step)
        for i, at in enumerate(places)
    ]
    return kind(nodes, single_source=SingleSource() if settings is None else settings, **options)


def random_winners(network, seed):
    """Every edge with a winner drawn by lot: most draws are cyclic somewhere."""
    rng = np.random.default_rng(seed)
    edges = sorted({tuple(sorted(pair)) for row in network.triangles for pair in itertools.combinations(row, 2)})
    return tuple(pair if rng.random() < 0.5 else pair[::-1] for pair in edges)


def inside(network, weights, triangle=0):
    corners = network.corners[triangle]
    shares = np.array(weights) / np.sum(weights)
    return Place(triangle, corners, shares, tuple((shares @ network.points[corners]).tolist()))


def test_a_band_of_single_source_harmonics_above_blended_ones():
    network = net(rule=streamlined_blend)
    place = network.place((0.3, 0.2))
    stack, plain = network.stack(place), network.with_single_source(None).blend(place)
    mixed = network.blend(place)
    assert stack[:6].tolist() == [BLENDED] * 6
    assert set(stack[6:].tolist()) <= set(place.nodes.tolist())
    np.testing.assert_array_equal(mixed.coefficients[:6], plain.coefficients[:6])
    for h in range(6, 11):
        np.testing.assert_array_equal(mixed.coefficients[h], network.nodes[stack[h]].spectrum.coefficients[h])
    assert (mixed.duration, mixed.contacts) == (plain.duration, plain.contacts)


def test_taking_harmonics_from_nodes_leaves_the_mix_elsewhere():
    coefficients = np.stack([spectrum(i).coefficients for i in range(2)])
    mixed = phasor_blend(coefficients, np.array([0.5, 0.5]))
    out = single_source(mixed, coefficients, np.array([-1, -1, 0, 1, -1]))
    np.testing.assert_array_equal(out[[0, 1, 4]], mixed[[0, 1, 4]])
    np.testing.assert_array_equal(out[2:4], coefficients[[0, 1], [2, 3]])


@given(scattered(4, 12), st.integers(0, 1000), units)
@settings(max_examples=30, deadline=None)
@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_stacks_are_the_same_from_both_sides_of_a_shared_edge(places, seed, along):
    network = net(places)
    network = network.with_single_source(SingleSource(winners=random_winners(network, seed)))
    for t, corner in itertools.product(range(len(network.corners)), range(3)):
        other = network.neighbours[t, corner]
        if other >= 0:
            row, across = network.corners[t].tolist(), network.corners[other].tolist()
            a, b = (row[i] for i in range(3) if i != corner)
            share = {a: along, b: 1.0 - along}
            here = inside(network, [share.get(node, 0.0) for node in row], t)
            there = inside(network, [share.get(node, 0.0) for node in across], int(other))
            np.testing.assert_array_equal(network.stack(here), network.stack(there))


@given(scattered(4, 12), st.integers(0, 1000), st.tuples(units, units, units))
@settings(max_examples=30, deadline=None)
@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_no_triangle_is_cyclic_and_every_stack_is_sorted_by_its_winners(places, seed, raw):
    network = net(places)
    network = network.with_single_source(SingleSource(winners=random_winners(network, seed)))
    won = {(network.index(a), network.index(b)) for a, b in network.single_source.winners}
    weights = np.array(raw) + 0.01
    for t, row in enumerate(network.corners.tolist()):
        wins = sorted(sum((a, b) in won for b in row) for a in row)
        assert wins == [0, 1, 2]
        band = network.stack(inside(network, weights, t))[6:].tolist()
        assert len(band) == 5
        assert all(low == high or (high, low) in won for low, high in itertools.pairwise(band))


def test_winners_that_go_round_in_a_circle_are_broken_at_the_last_named():
    circle = SingleSource(winners=(("a", "b"), ("b", "c"), ("c", "a")))
    with pytest.warns(MotionWarning, match="'a' over 'c'"):
        network = net(SQUARE[:3], circle)
    assert set(network.single_source.winners) == {("a", "b"), ("b", "c"), ("a", "c")}


def test_edges_nobody_named_give_way_without_a_word(recwarn):
    network = net(SQUARE[:3], SingleSource(winners=(("b", "a"), ("c", "b"))))
    assert set(network.single_source.winners) == {("b", "a"), ("c", "b"), ("c", "a")}
    assert not recwarn.list


def test_half_way_along_an_edge_its_winner_fills_the_band():
    for winner, loser in (("a", "b"), ("b", "a")):
        network = net(SQUARE[:3], SingleSource(winners=((winner, loser),)))
        assert network.stack((0.5, 0.0))[6:].tolist() == [network.index(winner)] * 5


def test_when_all_abstain_the_blend_is_the_ordinary_one():
    network = net(settings=SingleSource(abstaining=tuple("abcd")), rule=streamlined_blend)
    plain = network.with_single_source(None)
    for point in np.random.default_rng(1).uniform(0.0, 1.0, (20, 2)):
        np.testing.assert_allclose(network.blend(point).coefficients, plain.blend(point).coefficients, atol=1e-15)


def test_one_abstaining_node_leaves_two_kinds_and_blended_harmonics():
    network = net(SQUARE[:3], SingleSource(abstaining=("b",)), rule=streamlined_blend)
    plain = network.with_single_source(None)
    found = set()
    for point in np.random.default_rng(2).dirichlet((1, 1, 1), 60)[:, 1:]:
        stack, mixed = network.stack(point), network.blend(point).coefficients
        found |= set(stack[6:].tolist())
        blended = stack == BLENDED
        np.testing.assert_allclose(mixed[blended], plain.blend(point).coefficients[blended], atol=1e-15)
    assert found == {0, 2, BLENDED}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (SingleSource(first=11), "more than the 10 harmonics"),
        (SingleSource(first=6, last=12), "harmonics 6 to 12"),
        (SingleSource(winners=(("a", "z"),)), "no node 'z'"),
        (SingleSource(abstaining=("nobody",)), "no node 'nobody'"),
        (SingleSource(winners=(("a", "b"), ("b", "a"))), "both 'b' and 'a' were to win"),
        (SingleSource(joints=("Hips",)), "no layout"),
        (SingleSource(override=Override((0.0,), (1.0,), np.zeros(3))), "1 axes does not fit"),
    ],
)
def test_what_no_network_can_do_is_refused(settings, words):
    with pytest.raises(NetworkError, match=words):
        net(settings=settings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"first": 0}, "the mean is blended"),
        ({"first": 7, "last": 6}, "goes up from harmonic 7"),
        ({"winners": (("a", "a"),)}, "two different names"),
    ],
)
def test_settings_that_mean_nothing_are_refused(options, words):
    with pytest.raises(NetworkError, match=words):
        SingleSource(**options)


def test_an_interpolant_has_no_triangles_to_share_out_harmonics_in():
    with pytest.raises(NetworkError, match="interpolant"):
        net(interpolant=natural_neighbours)


def test_a_band_may_end_below_the_highest_harmonic():
    network = net(settings=SingleSource(first=3, last=7))
    stack = network.stack((0.2, 0.2))
    assert (stack[[0, 1, 2, 8, 9, 10]] == BLENDED).all()
    assert (stack[3:8] != BLENDED).all()


def test_tetrahedra_share_out_harmonics_as_their_faces_do():
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    space, plane = net(corners, kind=Volume, triangles=["abcd"]), net(SQUARE[:3])
    for x, y in np.random.default_rng(3).dirichlet((1, 1, 1), 30)[:, 1:]:
        np.testing.assert_array_equal(space.stack((x, y, 0.0)), plane.stack((x, y)))
    counts = np.bincount(space.stack((0.2, 0.25, 0.3))[6:], minlength=4)
    assert counts.sum() == 5


def test_lines_and_single_nodes_have_stacks_too():
    line = net([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
    assert [line.stack((x, 0.0))[6:].tolist() for x in (0.0, 0.8, 2.0)] == [[0] * 5, [1, 1, 1, 0, 0], [2] * 5]
    assert net([(0.0, 0.0)]).stack((3.0, 3.0))[6:].tolist() == [0] * 5


def test_beyond_the_outline_nodes_with_weights_below_zero_give_nothing():
    network = net(SQUARE[:3], outside="extrapolate")
    place = network.place((-0.4, 0.3))
    assert place.weights.min() < 0.0
    assert set(network.stack(place)[6:].tolist()) <= set(place.nodes[place.weights > 0.0].tolist())
    plain = network.with_single_source(None).blend(place)
    np.testing.assert_array_equal(network.blend(place).coefficients[:6], plain.coefficients[:6])


def test_a_node_that_keeps_its_own_time_gives_no_single_source_harmonics():
    network = net(SQUARE[:3], out_of_step=(2,), rule=streamlined_blend)
    place = network.place((0.2, 0.5))
    stack = network.stack(place)
    assert set(stack[6:].tolist()) <= {0, 1}
    share = 1.0 - place.weights[place.nodes.tolist().index(2)]
    first = network.own_time_parts(place)[0]
    expected = share * network.nodes[stack[8]].spectrum.coefficients[8]
    np.testing.assert_allclose(first.coefficients[8], expected, atol=1e-15)
    np.testing.assert_array_equal(network.stack((0.0, 1.0))[6:], [2] * 5)


@pytest.mark.parametrize("instead", ["blend", "clip"])
def test_an_override_fades_single_source_harmonics_out(instead):
    amounts = np.array([[0.0, 0.0], [1.0, 1.0]])  # from none at x = 0 to all at x = 1
    override = Override((0.0, 0.0), (1.0, 1.0), amounts, instead)
    network = net(settings=SingleSource(override=override), rule=streamlined_blend)
    plain, whole = network.with_single_source(None), network.with_single_source(SingleSource())
    for x in (0.0, 0.25, 1.0):
        point = (x, 0.4)
        goal = plain.blend(point).coefficients.copy()
        if instead == "clip":
            goal[6:] = 0.0
        expected = (1.0 - x) * whole.blend(point).coefficients + x * goal
        expected[:6] = plain.blend(point).coefficients[:6]
        np.testing.assert_allclose(network.blend(point).coefficients, expected, atol=1e-14)


def test_a_map_is_linear_between_its_crossings_and_goes_on_beyond():
    override = Override((0.0, 0.0), (2.0, 1.0), np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]))
    found = [override.amount(at) for at in ((0.0, 0.0), (1.0, 0.25), (2.0, 0.5), (1.5, 0.0), (-5.0, 9.0))]
    np.testing.assert_allclose(found, [0.0, 0.25, 1.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("low", "high", "amounts", "words"),
    [
        ((0.0, 0.0), (1.0, 1.0), np.full((2, 2), 1.5), "between 0"),
        ((0.0, 2.0), (1.0, 1.0), np.zeros((2, 2)), "lowest to its highest"),
        ((0.0, 0.0), (1.0, 1.0), np.zeros(3), "one axis of amounts"),
    ],
)
def test_maps_that_make_no_sense_are_refused(low, high, amounts, words):
    with pytest.raises(NetworkError, match=words):
        Override(low, high, amounts)


@pytest.mark.parametrize("rule", [phasor_blend, streamlined_blend])
@pytest.mark.parametrize("out_of_step", [(), (2,)])
def test_many_points_at_once_are_the_blends_one_by_one(rule, out_of_step):
    override = Override((0.0, 0.0), (1.0, 1.0), np.array([[0.0, 0.0], [0.0, 1.0]]))
    made = SingleSource(abstaining=("d",), override=override)
    network = net(settings=made, out_of_step=out_of_step, rule=rule)
    points = np.concatenate([np.random.default_rng(4).uniform(-0.2, 1.2, (40, 2)), SQUARE])
    coefficients = network.coefficients_at(points)
    durations = network.shares_at(points) @ network.bank.durations
    for point, found, duration in zip(points, coefficients, durations, strict=True):
        blend = network.blend(point)
        np.testing.assert_allclose(found, blend.coefficients, atol=1e-14)
        np.testing.assert_allclose(duration, blend.duration, atol=1e-14)


def test_networks_made_of_others_keep_their_single_source_harmonics():
    made = SingleSource(first=5, winners=(("d", "b"),), abstaining=("a",))
    network = net(settings=made)
    first, second = (name for name in "abcd" if sum(name in row for row in network.triangles) == 2)
    for other in (network.flipped(first, second), network.moved({"d": (1.2, 1.0)}), network.with_spectra({})):
        assert (other.single_source.first, other.single_source.abstaining) == (5, ("a",))
        assert ("d", "b") in other.single_source.winners
    part = network.limited_to([network.triangles[0]])
    inner = part.points[part.corners[0]].mean(axis=0)
    np.testing.assert_array_equal(part.stack(inner), network.stack(inner))


def test_without_single_source_harmonics_every_harmonic_is_blended():
    assert (net().with_single_source(None).stack((0.1, 0.1)) == BLENDED).all()


def test_harmonics_whose_phase_angles_agree_are_blended_after_all():
    network = net(SQUARE[:3], SingleSource(agreement=0.25), rule=streamlined_blend)
    place = network.place((0.3, 0.2))
    plain = network.with_single_source(None).blend(place).coefficients
    switched = network.with_single_source(SingleSource()).blend(place).coefficients
    agreement = phase_agreement(network.bank.coefficients[place.nodes], place.weights)[6:]
    share = np.clip((agreement - 0.25) / 0.75, 0.0, 1.0)
    assert share.min() == 0.0
    assert share.max() > 0.5
    expected = (1.0 - share) * switched[6:] + share * plain[6:]
    np.testing.assert_allclose(network.blend(place).coefficients[6:], expected, atol=1e-14)
    np.testing.assert_allclose(network.coefficients_at([place])[0], network.blend(place).coefficients, atol=1e-14)


def test_the_literal_blend_of_the_cost_tables_gives_the_same():
    network = net(SQUARE[:3], rule=streamlined_blend)
    place = network.place((0.3, 0.2))
    parts = network.bank.coefficients[place.nodes]
    order = place.nodes.tolist()
    stack = np.array([order.index(node) if node >= 0 else BLENDED for node in network.stack(place).tolist()])
    sizes, angles = literal_blend(np.abs(parts), np.angle(parts), place.weights, stack)
    np.testing.assert_allclose(sizes * np.exp(1j * angles), network.blend(place).coefficients, atol=1e-12)


def test_layers_with_single_source_harmonics_of_their_own_are_refused():
    layer = net()
    with pytest.raises(NetworkError, match="ask the volume"):
        layered([layer, layer], (0.0, 1.0))
    volume = layered([layer.with_single_source(None)] * 2, (0.0, 1.0)).with_single_source(SingleSource())
    assert (volume.stack((0.2, 0.3, 0.4))[6:] != BLENDED).all()
