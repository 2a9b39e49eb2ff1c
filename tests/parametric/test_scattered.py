from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.parametric.gridded import Grid
from mocapella.parametric.scattered import KERNELS, Scattered, cardinal

PLACES = np.random.default_rng(0).uniform(-2.0, 2.0, (9, 2))


@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_values_at_the_examples_are_met(kernel):
    values = np.random.default_rng(1).normal(size=(9, 5))
    found = Scattered.through(PLACES, values, kernel=kernel)
    for place, value in zip(PLACES, values, strict=True):
        np.testing.assert_allclose(found.at(place), value, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0))
def test_what_depends_on_labels_linearly_is_that_line_everywhere(x, y):
    slope = np.array([[1.0, -2.0], [0.5, 3.0]])
    found = Scattered.through(PLACES, PLACES @ slope + 1.0)
    np.testing.assert_allclose(found.at(np.array([x, y])), np.array([x, y]) @ slope + 1.0, atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0))
def test_weights_sum_to_one_and_keep_labels(x, y):
    weights = cardinal(PLACES).at(np.array([x, y]))
    assert abs(weights.sum() - 1.0) < 1e-9
    np.testing.assert_allclose(weights @ PLACES, (x, y), atol=1e-8)


def test_weights_at_an_example_are_its_own():
    np.testing.assert_allclose([cardinal(PLACES).at(place) for place in PLACES], np.eye(9), atol=1e-9)


def test_the_function_is_smooth_between_examples():
    found = Scattered.through(PLACES, np.random.default_rng(1).normal(size=(9, 1)))
    line = np.array([found.at(np.array([x, 0.3]))[0] for x in np.linspace(-1.5, 1.5, 601)])
    assert np.abs(np.diff(line, 2)).max() < 2e-3


def test_two_examples_at_one_place_are_refused():
    with pytest.raises(MotionError, match="examples 1 and 3 have the same labels"):
        cardinal(np.array([[0.0], [1.0], [0.0]]))


def test_a_grid_is_met_at_its_crossings_and_needs_all_of_them():
    places = np.array([(x, y, z) for x in (0.0, 1.0, 2.5) for y in (-1.0, 1.0) for z in (0.0, 4.0)])
    grid = Grid.of(places[::-1])
    for number, place in enumerate(places[::-1]):
        np.testing.assert_allclose(grid.weights(place), np.eye(12)[number])
    weights = grid.weights((1.3, 0.2, 3.0))
    np.testing.assert_allclose(weights @ places[::-1], (1.3, 0.2, 3.0))
    assert (weights > 0.0).sum() == 8
    with pytest.raises(MotionError, match="takes 12 examples, there are 11"):
        Grid.of(places[1:])
