"""Euler angles: every order means what SciPy says, and no rotation is lost at the singular angles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial.transform import Rotation

from mocapella.geometry import euler
from mocapella.geometry import quaternions as qs

N = 100_000
laws = settings(max_examples=40, deadline=None)
orders = st.sampled_from(euler.ORDERS)
every_order = pytest.mark.parametrize("order", euler.ORDERS)
angles_in = arrays.arrays(np.float64, 3, elements=st.floats(-10.0, 10.0))
# Angles at which something happens, mixed with any.
corners = st.sampled_from([0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi, -np.pi, 2 * np.pi]) | st.floats(-7.0, 7.0)


def scipy(angles, order):
    return Rotation.from_euler(order, angles).as_quat(scalar_first=True)  # upper case: about the body's own axes


def same_rotation(a, b, atol):
    np.testing.assert_allclose(qs.angle_between(a, b), 0.0, atol=atol)


def singular_middles(order):
    return (0.0, np.pi) if order[0] == order[2] else (0.5 * np.pi, -0.5 * np.pi)


def smooth_motion(n_frames=400, reach=1.2, seed=0):
    """Euler angles that swing smoothly through all of space."""
    at = np.linspace(0, 2 * np.pi, n_frames)[:, None]
    speeds, starts = np.random.default_rng(seed).uniform(0.5, 2.0, (2, 3))
    return np.array([3.0, reach, 3.0]) * np.sin(speeds * at + starts)


# Laws -----------------------------------------------------------------------------------------------------------------


@laws
@given(angles_in, orders)
def test_angles_are_rotations_multiplied_from_left_to_right(angles, order):
    factors = [np.eye(3)["XYZ".index(letter)] * angle for letter, angle in zip(order, angles, strict=True)]
    a, b, c = (qs.from_rotvec(factor) for factor in factors)
    np.testing.assert_allclose(euler.to_quaternion(angles, order), qs.multiply(qs.multiply(a, b), c), atol=1e-14)


@laws
@given(st.lists(corners, min_size=3, max_size=3), orders)
def test_no_rotation_is_lost_even_at_quarter_and_half_turns(angles, order):
    q = euler.to_quaternion(np.array(angles), order)
    same_rotation(euler.to_quaternion(euler.from_quaternion(q, order), order), q, atol=1e-9)


@laws
@given(angles_in, orders)
def test_angles_lie_in_their_ranges(angles, order):
    first, middle, third = euler.from_quaternion(euler.to_quaternion(angles, order), order)
    assert max(abs(first), abs(third)) <= np.pi
    assert (0 <= middle <= np.pi) if order[0] == order[2] else (abs(middle) <= 0.5 * np.pi)


@laws
@given(arrays.arrays(np.float64, (6, 2, 3), elements=corners), orders)
def test_unrolling_describes_the_same_rotations(angles, order):
    unrolled = euler.unroll(angles, order)
    same_rotation(euler.to_quaternion(unrolled, order), euler.to_quaternion(angles, order), atol=1e-9)
    np.testing.assert_array_equal(unrolled[0], angles[0])


@every_order
def test_unrolled_angles_run_on_through_turns_and_flips(order):
    smooth = smooth_motion(reach=4.0) + 0.3
    wrapped = euler.from_quaternion(euler.to_quaternion(smooth, order), order)
    assert np.abs(np.diff(wrapped, axis=0)).max() > 3.0  # there was something to mend
    unrolled = euler.unroll(wrapped, order)
    largest = np.abs(np.diff(smooth, axis=0)).max()
    np.testing.assert_allclose(np.abs(np.diff(unrolled, axis=0)).max(), largest, atol=1e-9)


def test_unrolling_single_frames_returns_an_array_of_its_own():
    for n_frames in (0, 1):
        angles = np.ones((n_frames, 3))
        np.testing.assert_array_equal(euler.unroll(angles, "ZXY"), angles)
        assert not np.shares_memory(euler.unroll(angles, "ZXY"), angles) or n_frames == 0


# The singular angles --------------------------------------------------------------------------------------------------


@every_order
def test_at_the_singular_angle_the_third_is_zero_and_the_rotation_the_same(order):
    for middle in singular_middles(order):
        outer = np.random.default_rng(0).uniform(-np.pi, np.pi, (50, 2))
        q = euler.to_quaternion(np.insert(outer, 1, middle, axis=1), order)
        angles = euler.from_quaternion(q, order)
        np.testing.assert_array_equal(angles[:, 2], 0.0)
        same_rotation(euler.to_quaternion(angles, order), q, atol=1e-9)


@every_order
@pytest.mark.parametrize("off", [1e-14, 1e-11, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4])
def test_near_the_singular_angle_the_rotation_stays_the_same(order, off):
    for middle in singular_middles(order):
        for side in (-off, off):
            q = euler.to_quaternion(np.array([[0.4, middle + side, -1.1], [-3.0, middle + side, 2.0]]), order)
            same_rotation(euler.to_quaternion(euler.from_quaternion(q, order), order), q, atol=1e-9)


# SciPy's word ---------------------------------------------------------------------------------------------------------


@every_order
def test_a_hundred_thousand_rotations_agree_with_scipy_both_ways(order):
    q = np.random.default_rng(7).normal(size=(N, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    angles = euler.from_quaternion(q, order)
    same_rotation(scipy(angles, order), q, atol=1e-9)
    same_rotation(euler.to_quaternion(angles, order), q, atol=1e-9)


@every_order
def test_the_angles_are_the_ones_scipy_gives(order):
    q = np.random.default_rng(8).normal(size=(1000, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    theirs = Rotation.from_quat(q, scalar_first=True).as_euler(order)
    np.testing.assert_allclose(np.exp(1j * euler.from_quaternion(q, order)), np.exp(1j * theirs), atol=1e-8)


@pytest.mark.parametrize("order", ["X", "Y", "Z", "XY", "ZX", "YX"])
def test_orders_of_fewer_axes_agree_with_scipy(order):
    angles = np.random.default_rng(9).uniform(-7, 7, (200, len(order)))
    same_rotation(euler.to_quaternion(angles, order), scipy(angles, order), atol=1e-12)


# Orders ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "whole"), [("X", "XYZ"), ("ZX", "ZXY"), ("YZ", "YZX"), ("ZXY", "ZXY"), ("ZXZ", "ZXZ"), ("", "XYZ")]
)
def test_missing_axes_come_last(order, whole):
    assert euler.complete(order) == whole


@pytest.mark.parametrize("order", ["", "XX", "XXY", "xyz", "XYZX", "AB"])
def test_what_is_no_order_is_refused(order):
    with pytest.raises(ValueError, match="expected a rotation order"):
        euler.check(order)


def test_a_wrong_number_of_angles_is_refused():
    with pytest.raises(ValueError, match="'ZXY' wants 3 angles, got 2"):
        euler.to_quaternion(np.zeros((4, 2)), "ZXY")


@pytest.mark.parametrize("order", ["ZX", "ZZX", "zxy"])
def test_only_full_orders_describe_every_rotation(order):
    with pytest.raises(ValueError, match="twelve orders"):
        euler.from_quaternion(qs.IDENTITY, order)


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (3, 8192)])
def test_leading_axes_come_free(shape):
    angles = np.full((*shape, 3), 0.1)
    q = euler.to_quaternion(angles, "ZXY")
    assert q.shape == (*shape, 4)
    np.testing.assert_allclose(euler.from_quaternion(q, "ZXY"), angles, atol=1e-12)
