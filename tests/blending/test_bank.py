"""Blends of spectra: signs, durations, foot plants, sums of motions, and what is computed when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mocapella.blending.arithmetic import with_quality
from mocapella.blending.bank import blend, with_like_signs
from mocapella.blending.network import Network
from mocapella.blending.paired_plants import blend_contacts
from mocapella.blending.places import Node
from mocapella.errors import MotionError, NetworkError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts
from mocapella.motion.layout import EulerLayout, QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, whole_cycle
from tests.blending.samples import spectrum

BODY = Skeleton.of(["Hips", "Leg"], [-1, 0], [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
weights_of_two = st.floats(0.0, 1.0).map(lambda w: np.array([w, 1.0 - w]))


def swinging(layout_type, size=0.5, *, sign=1.0, duration=1.0):
    """A leg that swings about x, with signs of its quaternions as given."""
    layout = layout_type(BODY)
    phases = TURN * np.arange(16) / 16
    half = np.zeros((16, 2, 3))
    half[:, 1, 0] = 0.3 + size * np.sin(phases)
    dofs = layout.dofs(quaternions.exp(half), np.tile([1.0, 1.2, 0.0, 0.1], (16, 1)))
    if layout_type is QuaternionLayout:
        dofs[:, 4:8] *= sign
    return Spectrum(np.fft.rfft(dofs, axis=0, norm="forward")[:8], duration, layout)


@given(weights_of_two)
@settings(max_examples=25)
def test_a_motion_written_with_other_signs_blends_as_if_it_had_the_same(weights):
    one, two = swinging(QuaternionLayout), swinging(QuaternionLayout, 0.2)
    turned = swinging(QuaternionLayout, 0.2, sign=-1.0)
    straight, crossed = blend([one, two], weights), blend([one, turned], weights)
    np.testing.assert_allclose(crossed.coefficients, straight.coefficients, atol=1e-12)


def test_angles_a_whole_turn_apart_blend_as_if_they_were_not():
    one = swinging(EulerLayout)
    coefficients = np.array(one.coefficients)
    column = one.layout.columns(1).start
    coefficients[0, column] += TURN
    far = replace(one, coefficients=coefficients)
    np.testing.assert_allclose(blend([one, far], (0.5, 0.5)).coefficients, one.coefficients, atol=1e-12)


def test_the_nodes_of_a_network_are_written_with_like_signs():
    nodes = [
        Node("a", (0.0, 0.0), swinging(QuaternionLayout)),
        Node("b", (1.0, 0.0), swinging(QuaternionLayout, 0.2, sign=-1.0)),
    ]
    net = Network(nodes)
    assert net.nodes[0].spectrum is nodes[0].spectrum
    assert net.node("b").spectrum.dof("Leg.w")[0].real > 0.0
    mixed = net.layout.rotations(net.blend((0.5, 0.0)).at(np.array([0.0])))
    np.testing.assert_allclose(quaternions.to_rotvec(mixed)[0, 1], [0.6, 0.0, 0.0], atol=0.02)


def test_spectra_that_already_agree_are_left_as_they_are():
    pair = [swinging(QuaternionLayout), swinging(QuaternionLayout, 0.2)]
    assert all(a is b for a, b in zip(with_like_signs(pair), pair, strict=True))


def test_lengths_of_thirty_thirty_four_and_forty_two_frames_keep_the_amplitude_they_share():
    cycles = [0.4 * np.cos(TURN * np.arange(n) / n)[:, None] for n in (30, 34, 42)]
    spectra = [Spectrum(np.fft.rfft(c, axis=0, norm="forward")[:6], len(c) / 30) for c in cycles]
    for weights in (np.eye(3)[2], np.full(3, 1 / 3), np.array([0.1, 0.2, 0.7])):
        mixed = blend(spectra, weights)
        np.testing.assert_allclose(mixed.magnitudes[1], 0.2, atol=1e-12)
        np.testing.assert_allclose(mixed.duration, weights @ [1.0, 34 / 30, 1.4])


def test_only_harmonics_that_all_have_are_mixed():
    assert blend([spectrum(0, harmonics=3), spectrum(1, harmonics=6)], (0.5, 0.5)).n_harmonics == 3


def test_weights_and_spectra_that_do_not_fit_are_refused():
    pair = [spectrum(0), spectrum(1)]
    with pytest.raises(NetworkError, match=r"sum to 1, these to 0\.9"):
        blend(pair, (0.5, 0.4))
    with pytest.raises(NetworkError, match="expected 2 weights"):
        blend(pair, (1.0,))
    with pytest.raises(NetworkError, match="nothing to blend"):
        blend([], ())
    with pytest.raises(NetworkError, match="other dofs"):
        blend([spectrum(0), swinging(QuaternionLayout)], (0.5, 0.5))


plants = st.tuples(st.floats(0.0, TURN), st.floats(0.1, 4.0))


@given(plants, st.floats(-0.8, 0.8), st.floats(0.1, 4.0), weights_of_two)
def test_a_plant_begins_and_lasts_in_between_even_over_the_seam(plant, later, length, weights):
    one = CycleContacts(left_heel=(plant,))
    start = plant[0] + plant[1] / 2 + later - length / 2
    two = CycleContacts(left_heel=((start, length),))
    ((begun, lasted),) = blend_contacts([one, two], weights).left_heel
    np.testing.assert_allclose(lasted, weights @ [plant[1], length], atol=1e-9)
    expected = plant[0] + weights[1] * (start - plant[0])
    np.testing.assert_allclose(np.exp(1j * begun), np.exp(1j * expected), atol=1e-9)


@given(weights_of_two)
def test_a_plant_that_one_motion_lacks_shrinks_to_nothing_where_it_was(weights):
    one, none = CycleContacts(right_toe=((5.0, 2.0),)), CycleContacts()
    mixed = blend_contacts([one, none], weights).right_toe
    if weights[0] > 1e-6:
        ((start, length),) = mixed
        np.testing.assert_allclose(length, 2.0 * weights[0], atol=1e-9)
        np.testing.assert_allclose(np.exp(1j * (start + length / 2)), np.exp(6.0j), atol=1e-9)
    assert blend_contacts([one, none], np.array([0.0, 1.0])).right_toe == ()


@given(st.integers(0, 10_000), st.floats(-0.5, 1.5))
def test_blended_contacts_are_in_order_and_begin_within_the_cycle(seed, share):
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(0.0, 3.0, (2, 4, 2, 2))
    motions = [CycleContacts(*(tuple((2.3 * a, n) for a, n in own) for own in each.tolist())) for each in drawn]
    made = blend_contacts(motions, np.array([share, 1.0 - share]))
    assert CycleContacts(**{name: made.point(name) for name in FOOT_POINTS}) == made


def test_a_foot_that_always_stands_blends_with_one_that_steps():
    always, stepping = CycleContacts(left_toe=((1.0, TURN),)), CycleContacts(left_toe=((2.0, 3.0),))
    ((start, length),) = blend_contacts([always, stepping], np.array([0.5, 0.5])).left_toe
    np.testing.assert_allclose((start + length / 2, length), (3.5, (3.0 + TURN) / 2))


def test_two_plants_meet_their_counterparts_in_any_order():
    one = CycleContacts(left_heel=((0.2, 0.5), (3.2, 0.6)))
    two = CycleContacts(left_heel=((3.4, 0.6), (6.2, 0.5)))
    mixed = blend_contacts([one, two], np.array([0.5, 0.5])).left_heel
    middle = (0.2 + 6.2 - TURN) / 2
    np.testing.assert_allclose(mixed, ((middle, 0.5), (3.3, 0.6)), atol=1e-9)


@given(weights_of_two)
def test_a_heel_that_swivels_in_a_turn_swivels_less_in_a_wider_one_and_never_for_an_instant(weights):
    turn = CycleContacts(right_heel=((1.0, 1.8), (3.3, 0.8)))
    straight = CycleContacts(right_heel=((0.9, 3.2),))
    mixed = blend_contacts([turn, straight], weights).right_heel
    assume(abs(weights[0] - 0.5) > 1e-6)
    if weights[0] > 0.5:
        (first, rests), (again, _) = mixed
        np.testing.assert_allclose(again - first - rests, 0.5 * weights[0], atol=1e-9)
    else:
        ((first, rests),) = mixed
    np.testing.assert_allclose(first, weights @ [1.0, 0.9], atol=1e-9)
    np.testing.assert_allclose(sum(mixed[-1]), weights @ [4.1, 4.1], atol=1e-9)


@given(st.floats(0.0, 1.0))
@settings(max_examples=20)
def test_foot_plants_change_smoothly_over_an_edge_of_a_network(share):
    arcs = [((6.0, 2.0),), ((0.1, 2.5), (3.0, 0.4)), (), ((5.5, 3.0),)]
    places = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    motions = [replace(spectrum(i), contacts=CycleContacts(left_heel=own)) for i, own in enumerate(arcs)]
    nodes = [Node(f"n{i}", at, motion) for i, (at, motion) in enumerate(zip(places, motions, strict=True))]
    net = Network(nodes)
    shares = [
        net.blend((share + dx, share - dx)).contacts.share("left_heel") for dx in (-1e-9, 1e-9) if 0 <= share + dx <= 1
    ]
    np.testing.assert_allclose(shares, shares[0], atol=1e-6)


def test_without_the_foot_plants_of_all_a_blend_has_none():
    known = replace(spectrum(0), contacts=CycleContacts())
    assert blend([known, spectrum(1)], (0.5, 0.5)).contacts is None
    assert blend([known, known], (0.5, 0.5)).contacts == CycleContacts()


def test_a_motion_plus_nothing_is_the_motion_and_a_slow_turn_turns_slowly():
    slow, walk = swinging(QuaternionLayout, 0.3, duration=1.4), swinging(QuaternionLayout, duration=1.0)
    assert np.allclose(with_quality(slow, walk, walk).coefficients, slow.coefficients, atol=1e-15)
    turning = replace(walk, coefficients=np.array(walk.coefficients), duration=34 / 30)
    shifted = np.array(turning.coefficients)
    shifted[0, -1] += 0.5
    turning = replace(turning, coefficients=shifted)
    made = with_quality(slow, walk, turning, name="slow left")
    np.testing.assert_allclose(made.coefficients[0, -1].real, 0.6)
    np.testing.assert_allclose(made.duration, 1.4 + 34 / 30 - 1.0)
    assert made.name == "slow left"
    np.testing.assert_allclose(with_quality(slow, walk, turning, 0.5).coefficients[0, -1].real, 0.35)
    with pytest.raises(NetworkError, match="a smaller scale"):
        with_quality(slow, walk, turning, -20.0)


@given(st.integers(1, 60), st.integers(0, 8))
@settings(max_examples=30)
def test_a_whole_cycle_is_all_its_instants(frames, harmonics):
    own = spectrum(3, harmonics=harmonics)
    expected = own.at(TURN * np.arange(frames) / frames)
    np.testing.assert_allclose(whole_cycle(own.coefficients, frames), expected, atol=1e-12)


def test_a_cycle_of_no_frames_is_refused():
    with pytest.raises(MotionError, match="whole number of frames, at least one, got 0"):
        whole_cycle(spectrum(0).coefficients, 0)


def test_an_idle_that_keeps_its_own_time_does_not_slow_the_steps_down():
    walk, idle = spectrum(0, duration=1.0), spectrum(1, duration=5.0)
    net = Network([Node("walk", (0.0, 0.0), walk), Node("idle", (1.0, 0.0), idle, synchronised=False)])
    together, alone = net.own_time_parts((0.5, 0.0))
    assert (together.duration, alone.duration) == (1.0, 5.0)
    np.testing.assert_allclose(together.coefficients, 0.5 * walk.coefficients)
    np.testing.assert_allclose(alone.coefficients, 0.5 * idle.coefficients)
    mixed = net.blend((0.5, 0.0))
    assert mixed.duration == 1.0
    np.testing.assert_allclose(mixed.coefficients[0], (walk.coefficients[0] + idle.coefficients[0]) / 2)
    np.testing.assert_allclose(mixed.coefficients[1:], walk.coefficients[1:] / 2)
    assert net.blend((1.0, 0.0)).duration == 5.0
    assert [voice.duration for voice in net.own_time_parts((0.0, 0.0))] == [1.0]
