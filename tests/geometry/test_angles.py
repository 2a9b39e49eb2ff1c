"""Angles on the circle: turns do not count, the shorter way does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mocapella.geometry.angles import circular_mean, difference, wrap

ANGLES = arrays.arrays(np.float64, st.integers(0, 6), elements=st.floats(-1e6, 1e6))
PAIRS = arrays.arrays(np.float64, (2, 5), elements=st.floats(-100, 100))


def same_direction(a, b, atol):
    np.testing.assert_allclose(np.exp(1j * a), np.exp(1j * b), rtol=0, atol=atol)


@given(ANGLES)
def test_wrapping_keeps_the_direction(angles):
    same_direction(wrap(angles), angles, atol=1e-9)


@given(arrays.arrays(np.float64, 4, elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_wrapped_angles_lie_within_half_a_turn_however_large_they_were(angles):
    wrapped = wrap(angles)
    assert np.all(wrapped > -np.pi)
    assert np.all(wrapped <= np.pi)


@given(arrays.arrays(np.float64, 4, elements=st.floats(-np.pi, np.pi, exclude_min=True)))
def test_wrapping_leaves_angles_within_half_a_turn_alone(angles):
    np.testing.assert_array_equal(wrap(angles), angles)


def test_half_a_turn_is_positive():
    np.testing.assert_array_equal(wrap(np.array([np.pi, -np.pi])), [np.pi, np.pi])
    np.testing.assert_array_equal(difference(np.array([-np.pi]), np.array([0.0])), [np.pi])


@given(PAIRS)
def test_going_the_difference_arrives(pair):
    start, to = pair
    apart = difference(to, start)
    same_direction(start + apart, to, atol=1e-12)
    assert np.all(np.abs(apart) <= np.pi)


@given(arrays.arrays(np.float64, (3, 4), elements=st.floats(-1, 1)), st.floats(-10, 10))
def test_turning_all_angles_turns_their_mean(angles, turn):
    same_direction(circular_mean(angles + turn), circular_mean(angles) + turn, atol=1e-9)


@given(arrays.arrays(np.float64, 5, elements=st.floats(-np.pi, np.pi)), st.integers(1, 4))
def test_a_weight_counts_how_often_an_angle_is_there(angles, times):
    weights = np.ones(5)
    weights[0] = times
    repeated = np.concatenate([np.full(times - 1, angles[0]), angles])
    length = np.abs(np.exp(1j * repeated).sum())
    if length > 1e-6:
        same_direction(circular_mean(angles, weights), circular_mean(repeated), atol=1e-9)


def test_ten_and_three_hundred_and_fifty_degrees_have_mean_zero():
    np.testing.assert_allclose(circular_mean(np.radians([10.0, 350.0])), 0.0, atol=1e-15)


@pytest.mark.parametrize("degrees", [[0.0, 180.0], [10.0, 130.0, 250.0]])
def test_the_mean_of_angles_that_cancel_out_is_zero(degrees):
    assert circular_mean(np.radians(degrees)) == 0.0
