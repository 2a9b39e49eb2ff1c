"""Curves through samples: exact where the samples are, smooth in between, and no further-reaching than they must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mocapella.geometry.curves import bezier, bezier_parameter, catmull_rom, smoothest

laws = settings(max_examples=60, deadline=None)
samples = arrays.arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(0, 3)), elements=st.floats(-100, 100))


@laws
@given(samples)
def test_the_curve_is_exact_at_the_samples(values):
    np.testing.assert_array_equal(catmull_rom(values, np.arange(len(values), dtype=float)), values)


@laws
@given(st.floats(-9, 9), st.floats(-9, 9), st.integers(2, 8), st.lists(st.floats(0, 1), max_size=5))
def test_a_straight_line_stays_one_to_its_ends(start, slope, n, shares):
    at = np.array(shares) * (n - 1)
    line = start + slope * np.arange(n)
    np.testing.assert_allclose(catmull_rom(line, at), start + slope * at, atol=1e-12)


def test_a_parabola_is_met_exactly_inside():
    at = np.linspace(1, 6, 41)
    np.testing.assert_allclose(catmull_rom(np.arange(8.0) ** 2, at), at**2, atol=1e-12)


@laws
@given(samples)
def test_the_slope_does_not_jump_at_a_sample(values):
    inner = np.arange(1, len(values) - 1, dtype=float)
    step = 1e-6
    before = (catmull_rom(values, inner) - catmull_rom(values, inner - step)) / step
    after = (catmull_rom(values, inner + step) - catmull_rom(values, inner)) / step
    np.testing.assert_allclose(before, after, atol=1e-2)


def test_a_bad_sample_spreads_no_further_than_two():
    good = np.sin(np.arange(12.0))
    bad = good.copy()
    bad[5] += 1.0
    at = np.linspace(0, 11, 111)
    changed = np.abs(catmull_rom(bad, at) - catmull_rom(good, at)) > 0
    assert at[changed].min() > 3
    assert at[changed].max() < 7


def test_beyond_the_ends_the_end_is_held():
    values = np.array([[1.0, 5.0], [2.0, 7.0], [4.0, 6.0]])
    np.testing.assert_array_equal(catmull_rom(values, np.array([-3.0, 2.5, 9.0])), values[[0, 2, 2]])


@pytest.mark.parametrize("shape", [(1,), (1, 2), (1, 3, 4)])
def test_a_single_sample_is_held_everywhere(shape):
    values = np.ones(shape)
    np.testing.assert_array_equal(catmull_rom(values, np.array([0.0, 0.4, 3.0])), np.ones((3, *shape[1:])))


def test_the_smoothest_signal_solves_its_equations_and_keeps_a_straight_line():
    rng = np.random.default_rng(1)
    goals, weights = rng.normal(size=(20, 2)), rng.uniform(0.1, 1.0, 20)
    bent, rising = np.diff(np.eye(20), 2, axis=0), np.diff(np.eye(20), axis=0)
    matrix = np.diag(weights) + 7.0 * bent.T @ bent + 0.3 * rising.T @ rising
    np.testing.assert_allclose(matrix @ smoothest(goals, weights, 7.0, 0.3), goals, atol=1e-10)
    line = np.linspace(-1.0, 2.0, 20)
    np.testing.assert_allclose(smoothest(weights * line, weights, 1e3), line, atol=1e-9)


@laws
@given(arrays.arrays(np.float64, (2, 7), elements=st.floats(0, 1)), st.floats(0, 1))
def test_a_curve_of_bezier_has_its_value_where_the_parameter_says(handles, value):
    at = bezier_parameter(*handles, np.full(7, value))
    np.testing.assert_allclose(bezier(*handles, at), value, atol=1e-8)


def test_handles_at_thirds_make_a_curve_of_bezier_a_line():
    at = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(bezier(np.full(11, 1 / 3), np.full(11, 2 / 3), at), at, atol=1e-15)
