"""Rules for upper harmonics: what they agree on, where they differ, and where they are continuous."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from benchmarks.candidate_rules import (
    ALL as CANDIDATES,
)
from benchmarks.candidate_rules import (
    Registered,
    aligned_blend,
    arc_blend,
    in_bands,
    revived_blend,
    sharpened_blend,
)
from mocapella.blending.bank import blend
from mocapella.blending.rules import RULES, between_blend, phase_agreement, phasor_blend, streamlined_blend
from mocapella.errors import MotionError
from tests.blending.samples import spectrum

ALL = {
    "arc": arc_blend,
    "aligned": aligned_blend,
    "sharpened": sharpened_blend(4.0),
    "revived": revived_blend(1.0),
    "in bands": in_bands(phasor_blend, streamlined_blend),
}
rules = pytest.mark.parametrize("rule", list(ALL.values()), ids=list(ALL))


def stacked(seed=0, nodes=3):
    return np.stack([spectrum(100 * seed + i, harmonics=8, dofs=4).coefficients for i in range(nodes)])


def pair(one, other):
    """Two nodes with a mean and the same harmonic 1 to 8 in all four dofs."""
    return np.stack([np.concatenate([np.zeros((1, 4)), np.full((8, 4), c)]) for c in (one, other)]).astype(complex)


@rules
@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_a_node_that_alone_counts_is_what_comes_out(rule, seed):
    coefficients = stacked(seed)
    for i in range(3):
        np.testing.assert_allclose(rule(coefficients, np.eye(3)[i]), coefficients[i], atol=1e-12)


@rules
@given(st.integers(0, 1000), st.floats(0.0, 1.0))
@settings(max_examples=20, deadline=None)
def test_a_node_that_does_not_count_changes_nothing(rule, seed, w):
    coefficients = stacked(seed)
    alone = rule(coefficients[:2], np.array([1.0 - w, w]))
    np.testing.assert_allclose(rule(coefficients, np.array([1.0 - w, w, 0.0])), alone, atol=1e-12)


@rules
def test_many_weights_at_once_are_the_blends_one_by_one(rule):
    coefficients, weights = stacked(), np.random.default_rng(0).dirichlet((1, 1, 1), (2, 3))
    many = rule(coefficients, weights)
    assert many.shape == (2, 3, 9, 4)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(many[index], rule(coefficients, weights[index]), atol=1e-14)


@rules
def test_the_mean_is_the_weighted_mean(rule):
    coefficients, weights = stacked(), np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(rule(coefficients, weights)[0], weights @ coefficients[:, 0], atol=1e-14)


@rules
def test_equal_motions_stay_as_they_are(rule):
    coefficients = np.repeat(stacked(nodes=1), 3, axis=0)
    np.testing.assert_allclose(rule(coefficients, np.array([0.2, 0.3, 0.5])), coefficients[0], atol=1e-12)


def test_phase_angles_go_evenly_along_the_shorter_arc():
    start, stop = np.radians(170.0), np.radians(-100.0)  # 90° apart, across 180°
    coefficients = pair(np.exp(1j * start), 3.0 * np.exp(1j * stop))
    for w in (0.0, 0.25, 0.5, 1.0):
        mixed = arc_blend(coefficients, np.array([1.0 - w, w]))[1:]
        np.testing.assert_allclose(np.abs(mixed), 1.0 + 2.0 * w, atol=1e-12)
        turned = np.angle(mixed * np.exp(-1j * start))
        np.testing.assert_allclose(turned, w * np.pi / 2.0, atol=1e-12)


def test_a_harmonic_that_one_motion_lacks_has_the_other_ones_phase_angle():
    mixed = arc_blend(pair(0.0, 2j), np.array([0.75, 0.25]))[1:]
    np.testing.assert_allclose(mixed, 0.5j, atol=1e-12)


def test_upper_harmonics_that_only_start_elsewhere_keep_their_size_when_aligned():
    own = stacked(nodes=1)[0]
    turned = own * np.exp(1j * np.linspace(0.0, 2.0, 9))[:, None]
    turned[0] = own[0]
    mixed = aligned_blend(np.stack([own, turned]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(np.abs(mixed[6:]), np.abs(own[6:]), atol=1e-12)
    assert (np.abs(mixed[4:6]) < np.abs(own[4:6])).all()  # the lower ones are plain phasors


def test_agreement_is_one_for_like_directions_and_none_where_phasors_cancel():
    half = np.array([0.5, 0.5])
    np.testing.assert_allclose(phase_agreement(pair(1j, 3j), half), 1.0)
    np.testing.assert_allclose(phase_agreement(pair(1j, -1j), half)[1:], 0.0, atol=1e-15)
    np.testing.assert_allclose(phase_agreement(pair(0.0, 0.0), half), 1.0)
    np.testing.assert_allclose(phase_agreement(pair(1.0, 1j), half)[1:], np.sqrt(0.5))


@given(st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_the_sharpened_rule_moves_little_with_the_weights_and_is_phasor_where_all_agree(seed):
    rule = sharpened_blend(4.0)
    path = np.linspace(0.0, 1.0, 401)
    coefficients = stacked(seed, nodes=2)
    mixed = rule(coefficients, np.stack([1.0 - path, path], axis=-1))
    reach = np.abs(coefficients).max()
    assert np.abs(np.diff(mixed, axis=0)).max() < 0.1 * reach
    np.testing.assert_allclose(rule(pair(1j, 3j), np.array([0.4, 0.6]))[1:], 2.2j, atol=1e-12)


def test_where_phase_angles_oppose_the_nearer_motion_has_more_of_its_own():
    coefficients, weights = pair(1.0, -1.0), np.array([0.7, 0.3])
    sharp = sharpened_blend(4.0)(coefficients, weights)[1:].real
    assert (sharp > phasor_blend(coefficients, weights)[1:].real + 0.2).all()
    np.testing.assert_allclose(sharpened_blend(1.0)(coefficients, weights), phasor_blend(coefficients, weights))


def test_what_is_revived_keeps_its_shape_and_regains_its_size():
    coefficients, weights = stacked(), np.array([0.3, 0.3, 0.4])
    phasors, revived = phasor_blend(coefficients, weights), revived_blend(1.0)(coefficients, weights)
    np.testing.assert_array_equal(revived[:6], phasors[:6])
    gains = revived[6:] / phasors[6:]
    np.testing.assert_allclose(gains, gains[:, :1] + 0.0 * gains, atol=1e-12)  # one gain for all dofs
    assert (gains.real > 1.0).all()
    opposite = pair(1.0, np.exp(2.0j))
    np.testing.assert_allclose(np.abs(revived_blend(1.0)(opposite, np.array([0.5, 0.5]))[6:]), 1.0, atol=1e-12)
    np.testing.assert_allclose(revived_blend(0.0)(coefficients, weights), phasors)


def test_two_bands_have_two_rules():
    coefficients, weights = stacked(), np.array([0.2, 0.3, 0.5])
    mixed = in_bands(phasor_blend, streamlined_blend, 4)(coefficients, weights)
    np.testing.assert_allclose(mixed[:4], phasor_blend(coefficients, weights)[:4], atol=1e-14)
    np.testing.assert_allclose(mixed[4:], streamlined_blend(coefficients, weights)[4:], atol=1e-14)


@pytest.mark.parametrize(
    "make", [lambda: sharpened_blend(0.5), lambda: revived_blend(2.0), lambda: in_bands(phasor_blend, phasor_blend, 0)]
)
def test_rules_that_make_no_sense_are_refused(make):
    with pytest.raises(MotionError, match=r"expected a (power|share)|begins at harmonic 1"):
        make()


def test_rules_with_a_name_are_what_they_are_called():
    coefficients, weights = stacked(), np.array([0.2, 0.3, 0.5])
    for name, rule in {"between": between_blend(0.5), "phasor": phasor_blend, "streamlined": streamlined_blend}.items():
        np.testing.assert_array_equal(RULES[name](coefficients, weights), rule(coefficients, weights))


def test_every_candidate_gives_the_nodes_back_and_blends_all_over(network):
    corners = [node.at for node in network.nodes]
    for candidate in CANDIDATES:
        made = candidate.blends(network, corners)
        np.testing.assert_allclose(made, network.bank.coefficients, atol=1e-9, err_msg=candidate.name)
    assert len({candidate.name for candidate in CANDIDATES}) == len(CANDIDATES)


def test_registered_motions_that_differ_in_time_alone_blend_to_one_in_between(network):
    motion = network.nodes[0].spectrum
    nodes = [mo.Node("early", (0, 0), motion), mo.Node("late", (1, 0), motion.starting_at(-0.2))]
    made = Registered(mo.Network(nodes)).blends(np.array([[0.75, 0.25]]))[0]
    expected = motion.starting_at(-0.05).coefficients[: len(made)]
    np.testing.assert_allclose(made, expected, atol=1e-9)
    blurred = blend([node.spectrum for node in nodes], (0.75, 0.25), rule=phasor_blend).coefficients
    assert np.abs(blurred - expected).max() > 1e-3


def test_without_steps_there_is_nothing_to_register(network):
    bare = [replace(node, spectrum=replace(node.spectrum, contacts=None)) for node in network.nodes]
    with pytest.raises(MotionError, match="no foot takes a step"):
        Registered(mo.Network(bare))
