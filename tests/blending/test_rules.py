"""Blend rules: what each makes of magnitudes and phase angles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from benchmarks.baselines import slerp_chain, time_domain_blend
from mocapella.blending.rules import (
    approximate_arctan2,
    approximate_blend,
    between_blend,
    naive_blend,
    phasor_blend,
    series_blend,
    streamlined_blend,
    unit_blend,
)
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.spectrum import whole_cycle
from mocapella.studies.published import literal_series_synthesis, literal_synthesis

RULES = [phasor_blend, streamlined_blend, unit_blend, naive_blend, series_blend, approximate_blend, between_blend(0.5)]
EXACT = [rule for rule in RULES if rule is not approximate_blend]
rows = hnp.arrays(
    np.complex128, (3, 4, 2), elements=st.complex_numbers(max_magnitude=10.0, allow_nan=False, allow_subnormal=False)
)
shares = (
    hnp.arrays(np.float64, 3, elements=st.floats(0.0, 1.0)).filter(lambda w: w.sum() > 0.1).map(lambda w: w / w.sum())
)


def stacked(*phasors):
    """Nodes of one dof with no mean and a first harmonic given as (magnitude, degrees)."""
    return np.array([[[0.0], [m * np.exp(1j * np.radians(p))]] for m, p in phasors])


def first(rule, *phasors):
    """Magnitude and degrees of the even blend's first harmonic."""
    n = len(phasors)
    mixed = rule(stacked(*phasors), np.full(n, 1.0 / n))[1, 0]
    return abs(mixed), np.degrees(np.angle(mixed))


@pytest.mark.parametrize("rule", EXACT)
@settings(max_examples=30)
@given(coefficients=rows)
def test_the_whole_weight_on_a_node_gives_that_node(rule, coefficients):
    coefficients[:, 0].imag = 0.0
    for node in range(3):
        mixed = rule(coefficients, np.eye(3)[node])
        np.testing.assert_allclose(mixed, coefficients[node], atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=30)
@given(coefficients=rows, weights=shares)
def test_the_mean_is_averaged_with_its_sign_by_every_rule(rule, coefficients, weights):
    coefficients[:, 0].imag = 0.0
    np.testing.assert_allclose(rule(coefficients, weights)[0], weights @ coefficients[:, 0], atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=30)
@given(coefficients=rows, weights=shares)
def test_a_rule_takes_many_weights_at_once(rule, coefficients, weights):
    batch = np.stack([weights, np.eye(3)[0]])
    mixed = rule(coefficients, batch)
    assert mixed.shape == (2, 4, 2)
    np.testing.assert_allclose(mixed[0], rule(coefficients, weights), atol=1e-12)


@given(coefficients=rows, weights=shares, gamma=st.floats(0.0, 1.0))
def test_phasor_is_never_larger_than_what_lies_between_it_and_streamlined(coefficients, weights, gamma):
    low, mid, high = (
        np.abs(rule(coefficients, weights)) for rule in (phasor_blend, between_blend(gamma), streamlined_blend)
    )
    assert (low[1:] <= mid[1:] + 1e-9).all()
    assert (mid[1:] <= high[1:] + 1e-9).all()


@given(coefficients=rows, weights=shares)
def test_gamma_one_is_phasor_and_gamma_zero_is_streamlined(coefficients, weights):
    np.testing.assert_allclose(between_blend(1)(coefficients, weights), phasor_blend(coefficients, weights), atol=1e-12)
    np.testing.assert_allclose(
        between_blend(0)(coefficients, weights), streamlined_blend(coefficients, weights), atol=1e-12
    )


@given(coefficients=rows, weights=shares)
def test_cosine_and_sine_coefficients_blend_to_the_phasor_blend(coefficients, weights):
    coefficients[:, 0].imag = 0.0
    np.testing.assert_allclose(series_blend(coefficients, weights), phasor_blend(coefficients, weights), atol=1e-12)


@pytest.mark.parametrize("rule", [phasor_blend, streamlined_blend, unit_blend, between_blend(0.3)])
def test_ten_and_three_hundred_and_fifty_degrees_blend_to_zero(rule):
    _, degrees = first(rule, (1.0, 10.0), (1.0, 350.0))
    np.testing.assert_allclose(degrees, 0.0, atol=1e-12)


def test_the_naive_rule_makes_half_a_turn_of_ten_and_three_hundred_and_fifty_degrees():
    _, degrees = first(naive_blend, (1.0, 10.0), (1.0, 350.0))
    np.testing.assert_allclose(abs(degrees), 180.0)


@pytest.mark.parametrize(
    ("rule", "magnitude", "degrees"),
    [
        (phasor_blend, np.hypot(5.0, 0.5), 5.7105931),
        (streamlined_blend, 5.5, 5.7105931),
        (unit_blend, 5.5, 45.0),
        (naive_blend, 5.5, 45.0),
    ],
)
def test_ten_at_zero_and_one_at_ninety_degrees_blend_as_published(rule, magnitude, degrees):
    np.testing.assert_allclose(first(rule, (10.0, 0.0), (1.0, 90.0)), (magnitude, degrees), rtol=1e-8)


def test_equal_and_opposite_harmonics_have_phase_angle_zero():
    for rule in (streamlined_blend, unit_blend):
        np.testing.assert_allclose(first(rule, (1.0, 90.0), (1.0, 270.0)), (1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(first(phasor_blend, (1.0, 90.0), (1.0, 270.0))[0], 0.0, atol=1e-12)


@pytest.mark.parametrize(("rule", "leap"), [(phasor_blend, 0.002), (between_blend(0.5), 0.1), (streamlined_blend, 1.9)])
def test_through_opposite_phases_only_streamlined_leaps(rule, leap):
    opposite = stacked((1.0, 0.0), (1.0, 180.0))
    before, after = (rule(opposite, np.array([w, 1.0 - w]))[1, 0] for w in (0.4995, 0.5005))
    step = abs(after - before)
    assert step > leap if rule is streamlined_blend else step <= leap


@given(weights=shares, seed=st.integers(0, 100))
def test_the_phasor_blend_is_the_time_domain_blend(weights, seed):
    rng = np.random.default_rng(seed)
    motions = [rng.normal(size=(frames, 2)) for frames in (9, 11, 15)]
    coefficients = np.zeros((3, 8, 2), dtype=complex)
    for i, motion in enumerate(motions):
        own = np.fft.rfft(motion, axis=0, norm="forward")
        coefficients[i, : len(own)] = own
    averaged, frames = time_domain_blend(motions, weights)
    np.testing.assert_allclose(whole_cycle(phasor_blend(coefficients, weights), frames), averaged, atol=1e-12)


def test_resampling_an_even_number_of_frames_keeps_the_frames_it_had():
    motion = np.random.default_rng(0).normal(size=(8, 1))
    averaged, frames = time_domain_blend([motion, np.zeros((16, 1))], np.array([1.0, 0.0]))
    assert frames == 16
    np.testing.assert_allclose(averaged[::2], motion, atol=1e-12)


@given(st.floats(-np.pi, np.pi), st.floats(1e-3, 1e3))
def test_the_approximate_arctangent_is_less_than_a_degree_off(angle, size):
    y, x = np.array(size * np.sin(angle)), np.array(size * np.cos(angle))
    off = np.angle(np.exp(1j * (approximate_arctan2(y, x) - np.arctan2(y, x))))
    assert abs(np.degrees(off)) <= 0.9183


def test_the_worst_error_of_the_approximate_arctangent_is_the_published_one():
    angles = np.linspace(-np.pi, np.pi, 400_001)
    off = np.angle(np.exp(1j * (approximate_arctan2(np.sin(angles), np.cos(angles)) - angles)))
    np.testing.assert_allclose(np.degrees(np.abs(off)).max(), 0.9182, atol=1e-4)
    assert approximate_arctan2(np.zeros(1), np.zeros(1)) == 0.0


def test_an_extrapolated_magnitude_is_never_below_nothing():
    mixed = streamlined_blend(stacked((1.0, 0.0), (3.0, 0.0)), np.array([2.0, -1.0]))
    np.testing.assert_allclose(mixed[1, 0], 0.0)


def test_gamma_beyond_its_range_is_refused():
    with pytest.raises(MotionError, match=r"gamma from 0 .* to 1"):
        between_blend(1.5)


def test_a_chain_of_slerps_gives_equal_rotations_back_and_halves_right_angles():
    quarter = quaternions.from_rotvec(np.array([[0.0, np.pi / 2, 0.0], [0.0, 0.0, 0.0]]))
    mixed = slerp_chain(quarter, np.array([0.5, 0.5]))
    np.testing.assert_allclose(quaternions.to_rotvec(mixed), [0.0, np.pi / 4, 0.0], atol=1e-12)
    same = slerp_chain(np.repeat(quarter[:1], 3, axis=0), np.array([0.2, 0.3, 0.5]))
    np.testing.assert_allclose(same, quarter[0], atol=1e-12)
    with pytest.raises(MotionError, match="weights from 0 on"):
        slerp_chain(quarter, np.array([1.5, -0.5]))


@given(seed=st.integers(0, 50), frames=st.integers(9, 40))
def test_both_literal_formulas_give_what_the_matrix_product_gives(seed, frames):
    rng = np.random.default_rng(seed)
    coefficients = rng.normal(size=(5, 3)) + 1j * rng.normal(size=(5, 3))
    coefficients[0].imag = 0.0
    product = whole_cycle(coefficients, frames)
    literal = literal_synthesis(np.abs(coefficients), np.angle(coefficients), frames)
    np.testing.assert_allclose(literal, product, atol=1e-12)
    cosines, sines = 2.0 * coefficients.real, -2.0 * coefficients.imag
    cosines[0] /= 2.0
    np.testing.assert_allclose(literal_series_synthesis(cosines, sines, frames), product, atol=1e-12)
