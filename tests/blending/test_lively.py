"""The lively rule: legs as phasors, everywhere else upper harmonics as lively as those they are blended from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import perform
from mocapella.blending.bank import blend
from mocapella.blending.paired_plants import Stances
from mocapella.blending.rules import FittedRule, LayoutRule, LivelyBlend, fitted, footless, lively_blend, phasor_blend
from mocapella.errors import MotionError
from mocapella.measure.distortion_maps import Survey
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import N_ROOT_DOFS, layout_of
from tests.blending.samples import spectrum


@pytest.fixture(scope="module")
def network():
    walks = [
        perform("walk", speed=v, turn=w, seed=i)[0] for i, (v, w) in enumerate(((0.9, 0.0), (1.6, 0.0), (1.2, 0.6)))
    ]
    return mo.build_network([walk.renamed(str(i)) for i, walk in enumerate(walks)], mirror=False)


@pytest.fixture(scope="module")
def noisy(network):
    """Harmonics of the network's dofs that have nothing to do with each other."""
    rng = np.random.default_rng(5)
    shape = network.bank.coefficients.shape
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def energy(coefficients, free):
    return (np.abs(coefficients[..., 6:, :]) ** 2 * free).sum(axis=-1)


weights_of_three = st.tuples(*(3 * [st.floats(0.0, 1.0)])).filter(lambda w: sum(w) > 1e-3)


@given(weights_of_three)
@settings(max_examples=40, deadline=None)
def test_upper_harmonics_have_the_mean_energy_of_the_nodes_outside_of_the_legs(network, noisy, w):
    weights = np.array(w) / sum(w)
    rule, free = fitted(lively_blend, network.layout), footless(network.layout)
    mixed, phasors = rule(noisy, weights), phasor_blend(noisy, weights)
    mean, left = weights @ energy(noisy, free), energy(phasors, free)
    whole = left > 0.12 * mean  # where nearly all cancels out, less than a tenth, harmonics are not made of noise
    np.testing.assert_allclose(energy(mixed, free)[whole], mean[whole], rtol=1e-9)
    assert (energy(mixed, free) <= mean * (1.0 + 1e-9)).all()
    np.testing.assert_array_equal(mixed[:6], phasors[:6])
    np.testing.assert_array_equal(mixed[:, free == 0.0], phasors[:, free == 0.0])


def test_all_dofs_of_a_harmonic_grow_by_one_factor(network, noisy):
    weights = np.array([0.5, 0.3, 0.2])
    free = footless(network.layout) == 1.0
    gains = fitted(lively_blend, network.layout)(noisy, weights)[6:, free] / phasor_blend(noisy, weights)[6:, free]
    np.testing.assert_allclose(gains, np.broadcast_to(gains[:, :1], gains.shape), rtol=1e-12)
    assert (gains.real > 1.0).all()


def test_at_a_node_the_blend_is_that_node(network, noisy):
    rule = fitted(lively_blend, network.layout)
    for i, weights in enumerate(np.eye(3)):
        np.testing.assert_allclose(rule(noisy, weights), noisy[i], rtol=1e-14)
    for node in network.nodes:
        np.testing.assert_allclose(network.blend(node.at).coefficients, node.spectrum.coefficients, atol=1e-14)


@pytest.mark.parametrize("first", [3, 6, 40])
def test_a_bank_mixes_by_each_rule_as_the_rule_does_itself(network, first):
    rule, bank, weights = LivelyBlend(first, by_feet=False), network.bank, np.array([0.5, 0.2])
    for rows in (None, 5):
        alone = fitted(rule, network.layout)(bank.coefficients[[2, 0], :rows], weights)
        np.testing.assert_allclose(bank.mixed(np.array([2, 0]), weights, rule, rows), alone, atol=1e-15)


def test_many_weights_at_once_are_the_blends_one_by_one(network):
    rule, coefficients = fitted(lively_blend, network.layout), network.bank.coefficients
    weights = np.random.default_rng(0).dirichlet((1, 1, 1), (2, 3))
    made = rule(coefficients, weights)
    assert made.shape == (2, 3, *coefficients.shape[1:])
    np.testing.assert_allclose(made[1, 2], rule(coefficients, weights[1, 2]), rtol=1e-12, atol=1e-15)


def test_harmonics_that_cancel_everywhere_are_not_made_of_noise(network, noisy):
    rule = fitted(lively_blend, network.layout)
    opposed = np.stack([noisy[0], -noisy[0]])
    np.testing.assert_allclose(rule(opposed, np.array([0.5, 0.5])), 0.0, atol=1e-15)
    nearly = rule(opposed, np.array([0.5 + 1e-6, 0.5 - 1e-6]))  # a tenth of the energy is the least that is made whole
    np.testing.assert_allclose(np.abs(nearly).max(), 0.0, atol=1e-4)


def test_weights_below_zero_make_nothing_smaller(network, noisy):
    weights = np.array([1.6, -0.4, -0.2])
    mixed, phasors = fitted(lively_blend, network.layout)(noisy, weights), phasor_blend(noisy, weights)
    np.testing.assert_array_equal(mixed, phasors)


def test_what_moves_an_ankle_is_left_to_phasors(network):
    layout, free = network.layout, footless(network.layout)
    roles = mo.find_roles(layout.skeleton)
    moved = {name: bool(free[layout.columns(joint)].all()) for name, joint in roles.items()}
    assert {name for name, own in moved.items() if not own} == {"hips", *_pairs("hip"), *_pairs("knee")}
    np.testing.assert_array_equal(free[-N_ROOT_DOFS:], 0.0)


def _pairs(part):
    return f"left_{part}", f"right_{part}"


def test_dofs_that_nobody_knows_and_bodies_without_legs_are_mixed_as_phasors(network):
    plain = [spectrum(i, harmonics=8, dofs=4) for i in range(2)]
    weights = np.array([0.25, 0.75])
    expected = phasor_blend(np.stack([each.coefficients for each in plain]), weights)
    np.testing.assert_array_equal(blend(plain, weights).coefficients, expected)
    trunk = mo.Skeleton.of(["base", "tip"], [-1, 0], np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    layout = layout_of("quaternion", trunk)
    noise = np.stack([spectrum(i, harmonics=8, dofs=layout.n_dofs).coefficients for i in range(2)])
    np.testing.assert_array_equal(fitted(lively_blend, layout)(noise, weights), phasor_blend(noise, weights))


@given(st.floats(-0.12, 0.12), st.floats(0.0, 1.0))
@settings(max_examples=25)
def test_of_a_motion_and_the_same_a_little_later_the_blend_is_the_same_in_between(network, late, w):
    motion = network.nodes[0].spectrum
    expected = motion.starting_at(-w * late)
    made = blend([motion, motion.starting_at(-late)], (1.0 - w, w))
    np.testing.assert_allclose(made.coefficients, expected.coefficients, atol=1e-12)
    # Mixed without regard to the feet, harmonic h of the legs is |1 − w + w e^(−ih late) − e^(−ihw late)| of its size
    # away from that: feet come down at two moments at once.
    by_hips = blend([motion, motion.starting_at(-late)], (1.0 - w, w), rule=LivelyBlend(by_feet=False))
    legs = footless(network.layout) == 0.0
    turns = late * np.arange(len(motion.coefficients))[:, None]
    blur = np.abs((1.0 - w + w * np.exp(-1j * turns) - np.exp(-1j * w * turns)) * motion.coefficients)
    np.testing.assert_allclose(np.abs(by_hips.coefficients - expected.coefficients)[:, legs], blur[:, legs], atol=1e-12)
    assert blur[:, legs].max() > 0.1 * w * (1.0 - w) * late**2 - 1e-12


def test_where_cycles_begin_changes_nothing(network):
    weights, spectra = (0.2, 0.5, 0.3), [node.spectrum for node in network.nodes]
    made = blend([one.starting_at(2.0) for one in spectra], weights)
    np.testing.assert_allclose(made.coefficients, blend(spectra, weights).starting_at(2.0).coefficients, atol=1e-12)


def test_feet_that_stand_all_the_time_or_never_are_neither_late_nor_early():
    walks = [CycleContacts(left_heel=((a, 3.5),), right_heel=((a + 3.1, 3.5),)) for a in (1.0, 1.1, 1.3)]
    stands = CycleContacts(left_heel=((0.0, 2.0 * np.pi),), right_heel=((0.0, 2.0 * np.pi),))
    late = Stances.of([*walks, stands, CycleContacts()]).lateness
    np.testing.assert_allclose(late, [-0.4 / 3, -0.1 / 3, 0.5 / 3, 0.0, 0.0], atol=1e-12)
    misread = Stances.of([walks[0], CycleContacts(left_heel=((2.0, 3.5),), right_heel=((5.1, 3.5),))]).lateness
    np.testing.assert_allclose(np.degrees(misread), [-15.0, 15.0])


def test_where_the_band_begins_can_be_said_but_not_at_the_mean(network, noisy):
    weights = np.array([0.5, 0.5, 0.0])
    early, phasors = fitted(LivelyBlend(3), network.layout)(noisy, weights), phasor_blend(noisy, weights)
    np.testing.assert_array_equal(early[:3], phasors[:3])
    assert not np.array_equal(early[3], phasors[3])
    with pytest.raises(MotionError, match="begins at harmonic 1"):
        LivelyBlend(0)


def test_it_is_the_default_and_has_a_name_in_files(network, tmp_path):
    assert network.rule is lively_blend
    mo.save(network, tmp_path / "net.moca")
    again = mo.load_network(tmp_path / "net.moca")
    assert again.rule is lively_blend
    point = network.points.mean(axis=0)
    np.testing.assert_array_equal(again.blend(point).coefficients, network.blend(point).coefficients)


def test_captured_walks_stay_lively_and_their_feet_wriggle_less_than_those_of_phasors(data_folder):
    takes = [data_folder / f"cmu-bvh/16/16_{i}.bvh" for i in (11, 13, 15, 21, 24, 26, 47)]
    network = mo.build_network(takes, mirror=False, thin=False)
    survey = Survey(network, columns=15, rows=9)
    lively, phasors = survey.map(), survey.map(mo.Network(network.nodes, network.triangles, rule=phasor_blend))
    by_hips = survey.map(mo.Network(network.nodes, network.triangles, rule=LivelyBlend(by_feet=False)))
    assert np.nanmean(lively.liveliness()) > 0.9 > 0.7 > np.nanmean(phasors.liveliness())
    assert lively.mean < 0.9 * phasors.mean
    assert lively.max < phasors.max
    np.testing.assert_allclose(by_hips.values, phasors.values, atol=1e-12)


class Quiet(FittedRule):
    """Phasors, each node's by its own share of a number that the rule asks for."""

    def __call__(self, coefficients, weights):
        return phasor_blend(coefficients, weights) * weights.dot(self.needed(coefficients))[..., None]

    def needed(self, coefficients):
        return 1.0 / (1.0 + np.abs(coefficients).max(axis=(1, 2), keepdims=True)[..., 0])

    def mix(self, nodes, weights, n_rows):
        late, shares, phasors = nodes.means(weights, n_rows)
        return phasors * shares[..., None], late


class Quietly(LayoutRule):
    def __call__(self, coefficients, weights):
        return phasor_blend(coefficients, weights)

    def for_layout(self, layout):
        return Quiet()


def test_a_rule_may_ask_a_bank_for_means_of_its_own(network):
    bank, rule, weights = network.bank, Quietly(), np.array([0.3, 0.7])
    expected = Quiet()(bank.coefficients[[0, 2]], weights)
    np.testing.assert_allclose(bank.mixed(np.array([0, 2]), weights, rule), expected, atol=1e-15)
    np.testing.assert_allclose(bank.mixed([0, 2], weights, rule, 3), expected[:3], atol=1e-15)
