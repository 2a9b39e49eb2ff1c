"""Spectra: harmonics, what is done with them, and what they mean."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.analysis.fourier import synthesise
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling, waves

PHASES = 2 * np.pi * np.arange(48) / 48


def some(seed: int = 0, harmonics: int = 5, dofs: int = 3, duration: float = 1.2) -> Spectrum:
    rng = np.random.default_rng(seed)
    coefficients = rng.normal(size=(harmonics + 1, dofs)) + 1j * rng.normal(size=(harmonics + 1, dofs))
    coefficients[0] = coefficients[0].real
    return Spectrum(coefficients, duration)


def posed(seed: int = 0) -> Spectrum:
    """The spectrum of a one-joint puppet that travels and turns."""
    layout = layout_of("quaternion", Skeleton.of(["hips"], [-1], [[0, 0, 0]]))
    spectrum = some(seed, dofs=8)
    return Spectrum(spectrum.coefficients, 2.0, layout, CycleContacts(left_toe=((1.0, 2.0),)), "puppet")


def test_a_cosine_of_known_magnitude_and_phase_angle_is_found():
    spectrum = Spectrum(np.array([[-0.7], [0.0], [0.2 * np.exp(0.5j)]]), 1.0)
    np.testing.assert_allclose(spectrum.at(PHASES)[:, 0], -0.7 + 0.4 * np.cos(2 * PHASES + 0.5), atol=1e-15)
    np.testing.assert_allclose(spectrum.magnitudes[:, 0], [0.7, 0.0, 0.2])
    np.testing.assert_allclose(spectrum.phase_angles[:, 0], [np.pi, 0.0, 0.5])


def test_the_phase_angle_of_a_zero_magnitude_is_zero():
    spectrum = Spectrum(np.array([[0.0], [-1e-17 + 1e-18j]]), 1.0)
    np.testing.assert_array_equal(spectrum.phase_angles, 0.0)


@given(seed=st.integers(0, 1000), phase=st.floats(-20.0, 20.0))
@settings(max_examples=30, deadline=None)
def test_starting_later_shows_later_what_was_there_before(seed, phase):
    spectrum = some(seed)
    np.testing.assert_allclose(spectrum.starting_at(phase).at(PHASES), spectrum.at(PHASES + phase), atol=1e-9)
    np.testing.assert_allclose(spectrum.starting_at(phase).magnitudes, spectrum.magnitudes, atol=1e-12)
    there_and_back = spectrum.starting_at(phase).starting_at(-phase)
    np.testing.assert_allclose(there_and_back.coefficients, spectrum.coefficients, atol=1e-12)


def test_thirteen_frames_of_one_hundred_and_twenty_five_turn_the_fundamental_as_published():
    spectrum = Spectrum(np.array([[0.0], [np.exp(2.6j)]]), 1.25)
    turned = spectrum.starting_at(2 * np.pi * 13 / 125).phase_angles[1, 0]
    np.testing.assert_allclose(turned, 2.6 + 2 * np.pi * 13 / 125 - 2 * np.pi)
    np.testing.assert_allclose(turned, -3.1, atol=0.1)


def test_contacts_move_with_the_start():
    assert posed().starting_at(0.25).contacts == CycleContacts(left_toe=((0.75, 2.0),))


def test_contributions_of_all_harmonics_add_up_to_the_motion():
    spectrum = some(4)
    total = sum(spectrum.contribution(h, PHASES) for h in range(spectrum.n_harmonics + 1))
    np.testing.assert_allclose(total, spectrum.at(PHASES), atol=1e-12)


def test_truncation_keeps_the_low_harmonics_and_asking_for_more_changes_nothing():
    spectrum = some()
    np.testing.assert_array_equal(spectrum.truncated(2).coefficients, spectrum.coefficients[:3])
    np.testing.assert_array_equal(spectrum.truncated(99).coefficients, spectrum.coefficients)


def test_the_derivative_agrees_with_small_differences():
    spectrum, small = some(7), 1e-6
    slope = (spectrum.at(PHASES + small) - spectrum.at(PHASES - small)) / (2 * small)
    per_second = slope * 2 * np.pi / spectrum.duration
    np.testing.assert_allclose(spectrum.derivative().at(PHASES), per_second, rtol=1e-6, atol=1e-6)


def test_a_derivative_makes_no_pose():
    spectrum = replace(posed(3), contacts=CycleContacts(left_toe=((0.5, 1.0),)))
    for other in (spectrum.derivative(), spectrum.only("height")):
        assert (other.layout, other.contacts) == (None, None)
        with pytest.raises(MotionError, match="have no layout"):
            synthesise(other, 30)


def test_the_integral_undoes_the_derivative_and_adds_up_over_cycles():
    spectrum = some(7)
    swing = spectrum.derivative().integral_at(PHASES)
    np.testing.assert_allclose(swing, spectrum.at(PHASES) - spectrum.at(np.array(0.0)), atol=1e-12)
    np.testing.assert_allclose(
        spectrum.integral_at(np.array(6 * np.pi)), 3 * spectrum.duration * spectrum.coefficients[0].real, atol=1e-12
    )


def test_the_heading_after_a_cycle_is_its_turn():
    spectrum = posed(3)
    np.testing.assert_allclose(spectrum.integral_at(np.array(2 * np.pi))[-1], spectrum.turn)


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_adding_spectra_adds_motions(seed):
    a, b = some(seed), some(seed + 1)
    np.testing.assert_allclose((a + b).at(PHASES), a.at(PHASES) + b.at(PHASES), atol=1e-12)
    np.testing.assert_allclose((a - b).at(PHASES), a.at(PHASES) - b.at(PHASES), atol=1e-12)
    np.testing.assert_allclose((0.3 * a).at(PHASES), 0.3 * a.at(PHASES), atol=1e-12)


def test_adding_the_difference_of_a_motion_with_itself_changes_nothing():
    a, c = some(1, duration=1.1), some(2, duration=0.9)
    d = c + (a - a)
    np.testing.assert_array_equal(d.coefficients, c.coefficients)
    np.testing.assert_allclose(d.duration, 0.9)


def test_spectra_of_unlike_length_share_the_shorter_ones_harmonics():
    assert (some(harmonics=5) + some(harmonics=3)).n_harmonics == 3


def test_the_harmonic_ceiling_leaves_out_what_turns_every_other_frame():
    assert [harmonic_ceiling(n) for n in (3, 4, 30, 34, 42)] == [1, 1, 14, 16, 20]


def test_one_matrix_product_is_the_sum_written_out():
    spectrum = some(9)
    by_hand = spectrum.coefficients[0].real + 2 * sum(
        (spectrum.coefficients[h] * np.exp(1j * h * 0.8)).real for h in range(1, 6)
    )
    np.testing.assert_allclose(spectrum.at(np.array(0.8)), by_hand, atol=1e-12)
    np.testing.assert_allclose(waves(np.array(0.8), 2), [1.0, 2 * np.exp(0.8j), 2 * np.exp(1.6j)])


def test_dofs_are_found_by_name():
    spectrum = posed()
    np.testing.assert_array_equal(spectrum.dof("hips.y"), spectrum.coefficients[:, 2])
    np.testing.assert_array_equal(spectrum.only("yaw_rate", "hips.w").coefficients, spectrum.coefficients[:, [7, 0]])
    assert spectrum.layout is not None
    assert quaternions.IDENTITY.shape == spectrum.layout.rotations(spectrum.at(np.array(0.0)))[0].shape


def test_motions_of_unlike_dofs_do_not_mix():
    with pytest.raises(MotionError, match="only motions of one skeleton and layout mix"):
        some(dofs=3) + some(dofs=4)


def test_a_difference_of_motions_cannot_be_played():
    difference = some(duration=1.0) - some(duration=1.0)
    with pytest.raises(MotionError, match="longer than 0 s"):
        difference.derivative()


def test_harmonics_without_a_layout_have_no_names():
    with pytest.raises(MotionError, match="no layout"):
        some().dof("hips.x")


def test_numbers_that_are_none_are_refused():
    for number in (np.nan, np.inf, 1j * np.inf):
        with pytest.raises(MotionError, match="finite"):
            Spectrum(np.array([[0.3, number + 0j]]), 1.0)


def test_numbers_whose_squares_are_too_large_are_numbers_all_the_same():
    assert Spectrum(np.array([[1e200 - 1e250j]]), 1.0).coefficients[0, 0] == 1e200 - 1e250j


def test_a_spectrum_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        some().coefficients[0] = 0.0


def test_coefficients_without_dofs_are_refused():
    lone = object.__new__(Spectrum)  # past the checks that only tests have
    lone.__dict__.update(coefficients=np.zeros(3, dtype=complex), duration=1.0, layout=None, contacts=None, name="")
    with pytest.raises(MotionError, match=r"expected coefficients of shape \(harmonics, dofs\), got shape \(3,\)"):
        lone.__post_init__()
