"""Quaternions by products of matrices give what quaternions one by one do."""

import numpy as np
import pytest

from mocapella.geometry import quaternions
from mocapella.geometry import quaternions as planes


@pytest.fixture
def some(rng):
    return quaternions.normalise(rng.normal(size=(2, 5, 7, 4)))  # two sets of five joints in seven poses


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_planes_are_composed_as_quaternions_are_multiplied(some):
    a, b = some.transpose(0, 3, 1, 2)
    out = np.empty((4, 5, 7))
    planes.compose(a, b, out=out)
    np.testing.assert_allclose(out.transpose(1, 2, 0), quaternions.multiply(*some), atol=1e-15)


def test_squares_turn_a_vector_as_their_quaternions_do(some, rng):
    vector = rng.normal(size=3)
    squares = np.empty((2, 10, 5, 7))
    planes.squares(some.transpose(0, 3, 1, 2), out=squares)
    turned = np.einsum("ap,lpjs->ljsa", planes.turning(vector), squares)
    np.testing.assert_allclose(turned, quaternions.rotate(some, vector), atol=1e-14)


def test_a_pose_turned_on_is_its_product_with_the_exponential(some, rng):
    pose, half = some[0, :, 0], rng.normal(size=(5, 3))
    half[2] = 0.0  # a joint that does not turn
    expected = quaternions.multiply(pose, quaternions.exp(half))
    np.testing.assert_allclose(planes.turned_on(pose, half), expected, atol=1e-15)
    np.testing.assert_array_equal(planes.turned_on(pose, half)[2], pose[2])
