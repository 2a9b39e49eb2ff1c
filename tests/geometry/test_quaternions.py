"""Quaternions: the laws of rotations, and SciPy's word for each of them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial.transform import Rotation

from mocapella.geometry import quaternions as qs

N = 100_000
laws = settings(max_examples=60, deadline=None)
finite = st.floats(-1.0, 1.0)
vectors = arrays.arrays(np.float64, 3, elements=finite)
turns = st.floats(-4 * np.pi, 4 * np.pi)


@st.composite
def units(draw):
    """Any unit quaternion; round components make identities, half turns and zeros likely."""
    q = draw(arrays.arrays(np.float64, 4, elements=finite | st.sampled_from([-1.0, 0.0, 1.0])))
    assume(np.linalg.norm(q) > 1e-3)
    return q / np.linalg.norm(q)


def random_units(shape=N, seed=0):
    q = np.random.default_rng(seed).normal(size=(*np.atleast_1d(shape), 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def scipy(q):
    return Rotation.from_quat(q, scalar_first=True)


def same_rotation(a, b, atol=1e-9):
    a, b = np.broadcast_arrays(a, b)
    np.testing.assert_allclose(qs.angle_between(a, b), 0.0, atol=atol)


# Laws -----------------------------------------------------------------------------------------------------------------


@laws
@given(units(), units(), vectors)
def test_a_product_turns_by_its_right_factor_first(a, b, v):
    np.testing.assert_allclose(qs.rotate(qs.multiply(a, b), v), qs.rotate(a, qs.rotate(b, v)), atol=1e-14)


@laws
@given(units(), units(), units())
def test_products_can_be_bracketed_either_way(a, b, c):
    np.testing.assert_allclose(qs.multiply(qs.multiply(a, b), c), qs.multiply(a, qs.multiply(b, c)), atol=1e-15)


@laws
@given(units())
def test_the_conjugate_turns_back(q):
    np.testing.assert_allclose(qs.multiply(q, qs.conjugate(q)), qs.IDENTITY, atol=1e-15)


@laws
@given(units(), vectors)
def test_turning_keeps_lengths(q, v):
    np.testing.assert_allclose(np.linalg.norm(qs.rotate(q, v)), np.linalg.norm(v), atol=1e-15)


@laws
@given(units())
def test_exp_undoes_log_sign_included(q):
    np.testing.assert_allclose(qs.exp(qs.log(q)), q, atol=1e-12)


@laws
@given(vectors)
def test_log_undoes_exp_up_to_a_half_angle_of_pi(half):
    np.testing.assert_allclose(qs.log(qs.exp(half)), half, atol=1e-12)


@laws
@given(st.floats(1e-300, 1e-3), vectors)
def test_log_and_exp_keep_tiny_rotations(size, direction):
    half = size * direction
    np.testing.assert_allclose(qs.log(qs.exp(half)), half, rtol=1e-9, atol=0)


def test_the_logarithm_of_a_full_turn_points_along_x():
    np.testing.assert_array_equal(qs.log(-qs.IDENTITY), [np.pi, 0, 0])
    np.testing.assert_array_equal(qs.log(np.stack([qs.IDENTITY, -qs.IDENTITY])), [[0, 0, 0], [np.pi, 0, 0]])


@laws
@given(units(), units())
def test_slerp_is_exact_at_both_ends(a, b):
    np.testing.assert_array_equal(qs.slerp(a, b, 0.0), a)
    end = qs.slerp(a, b, 1.0)
    np.testing.assert_array_equal(end, b if end @ b > 0 else -b)
    assert end @ a >= -1e-15


@laws
@given(units(), units(), st.floats(-1.0, 2.0))
def test_slerp_turns_evenly_the_shorter_way(a, b, t):
    assume(abs(a @ b) > 1e-6)  # at half a turn apart there is no shorter way
    whole = qs.to_rotvec(qs.multiply(qs.conjugate(a), b))
    same_rotation(qs.slerp(a, b, t), qs.multiply(a, qs.from_rotvec(t * whole)), atol=1e-9)


@laws
@given(units(), units(), st.floats(0.0, 1.0))
def test_slerp_from_the_other_end_passes_the_same_places(a, b, t):
    same_rotation(qs.slerp(a, qs.multiply(a, b), t), qs.slerp(qs.multiply(a, b), a, 1.0 - t), atol=1e-7)


@laws
@given(units(), st.floats(0.0, 1e-7), vectors, st.floats(0.0, 1.0))
def test_slerp_between_neighbours_stays_of_unit_length_and_between_them(a, size, direction, t):
    b = qs.multiply(a, qs.from_rotvec(size * direction))
    middle = qs.slerp(a, b, t)
    np.testing.assert_allclose(np.linalg.norm(middle), 1.0, atol=1e-15)
    np.testing.assert_allclose(qs.angle_between(a, middle), t * qs.angle_between(a, b), atol=1e-15)


@laws
@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 8), st.just(2), st.just(3)), elements=st.floats(-4, 4)))
def test_unrolling_keeps_rotations_and_shortens_steps(rotvecs):
    q = qs.from_rotvec(rotvecs)
    q[::2] *= -1
    unrolled = qs.unroll(q)
    np.testing.assert_array_equal(np.abs(unrolled), np.abs(q))
    np.testing.assert_array_equal(qs.to_matrix(unrolled), qs.to_matrix(q))
    np.testing.assert_array_equal(unrolled[0], q[0])
    assert np.all(np.sum(unrolled[1:] * unrolled[:-1], axis=-1) >= 0)


def test_unrolling_returns_an_array_of_its_own():
    for n_frames in (0, 1, 2):
        q = np.tile(qs.IDENTITY, (n_frames, 1))
        assert not np.shares_memory(qs.unroll(q), q)


@laws
@given(units())
def test_of_the_two_signs_the_shortest_has_a_positive_first_component(q):
    assert qs.shortest(q)[0] >= 0
    np.testing.assert_array_equal(np.abs(qs.shortest(q)), np.abs(q))


@laws
@given(vectors, vectors, st.floats(0.01, 100.0))
def test_the_rotation_between_two_directions_brings_one_to_the_other(u, v, scale):
    assume(np.linalg.norm(u) > 1e-3 and np.linalg.norm(v) > 1e-3)
    q = qs.between(scale * u, v)
    np.testing.assert_allclose(np.linalg.norm(q), 1.0, atol=1e-14)
    there = qs.rotate(q, u / np.linalg.norm(u))
    np.testing.assert_allclose(there, v / np.linalg.norm(v), atol=1e-9)


@pytest.mark.parametrize("apart", [0.0, 1e-16, 1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-2])
def test_nearly_opposite_directions_are_brought_together_too(apart):
    u = np.eye(3)[:, None] * np.ones((3, 3, 1))
    v = -u + apart * np.roll(u, 1, axis=-1)
    v /= np.linalg.norm(v, axis=-1, keepdims=True)
    q = qs.between(u, v)
    np.testing.assert_allclose(qs.rotate(q, u), v, atol=1e-9)
    np.testing.assert_allclose(np.abs(q[..., 0]), 0.5 * apart, atol=1e-6)  # half a turn, less what they are short of it


def test_no_direction_needs_no_rotation():
    np.testing.assert_array_equal(qs.between(np.zeros(3), np.array([0.0, 1.0, 0.0])), qs.IDENTITY)
    np.testing.assert_array_equal(qs.between(np.zeros(3), np.zeros(3)), qs.IDENTITY)


def test_a_quaternion_of_no_length_becomes_the_identity():
    np.testing.assert_array_equal(
        qs.normalise(np.array([[0.0] * 4, [0.0, 0.0, 3.0, 0.0]])), [[1, 0, 0, 0], [0, 0, 1, 0]]
    )


# Yaw ------------------------------------------------------------------------------------------------------------------


@laws
@given(turns, st.floats(-1.5, 1.5), st.floats(-np.pi, np.pi))
def test_yaw_is_the_first_angle_of_the_yxz_decomposition(yaw, pitch, roll):
    q = qs.multiply(qs.about_y(yaw), qs.from_rotvec(np.array([pitch, 0.0, 0.0])))
    q = qs.multiply(q, qs.from_rotvec(np.array([0.0, 0.0, roll])))
    np.testing.assert_allclose(np.exp(1j * qs.yaw(q)), np.exp(1j * yaw), atol=1e-9)


@laws
@given(units(), turns)
def test_turning_further_adds_to_the_yaw(q, turn):
    heading = qs.rotate(q, np.array([0.0, 0.0, 1.0]))
    assume(np.hypot(heading[0], heading[2]) > 1e-6)
    after = qs.yaw(qs.multiply(qs.about_y(turn), q))
    np.testing.assert_allclose(np.exp(1j * after), np.exp(1j * (qs.yaw(q) + turn)), atol=1e-8)


@laws
@given(units())
def test_what_the_yaw_leaves_over_only_tilts(q):
    rest = qs.multiply(qs.about_y(-qs.yaw(q)), q)
    ahead = qs.rotate(rest, np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(ahead[0], 0.0, atol=1e-8)
    assert ahead[2] >= -1e-8


@pytest.mark.parametrize(
    ("degrees", "ahead"), [(45, (1, 1)), (135, (1, -1)), (-45, (-1, 1)), (-135, (-1, -1)), (90, (1, 0)), (180, (0, -1))]
)
def test_positive_yaw_turns_left_in_all_four_quadrants(degrees, ahead):
    yaw = np.radians(degrees)
    direction = qs.rotate(qs.about_y(yaw), np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(direction[[0, 2]], np.array(ahead) / np.hypot(*ahead), atol=1e-15)
    np.testing.assert_allclose(np.exp(1j * qs.yaw(qs.about_y(yaw))), np.exp(1j * yaw), atol=1e-15)


@pytest.mark.parametrize("pitch", [0.5 * np.pi, -0.5 * np.pi])
@pytest.mark.parametrize("yaw", [-2.5, -0.4, 0.0, 1.0, 3.0])
def test_looking_straight_up_or_down_the_yaw_leaves_no_roll(pitch, yaw):
    q = qs.multiply(qs.about_y(yaw), qs.from_rotvec(np.array([pitch, 0.0, 0.0])))
    np.testing.assert_allclose(qs.yaw(q), yaw, atol=1e-9)
    np.testing.assert_allclose(qs.yaw(np.stack([q, qs.about_y(0.3)])), [yaw, 0.3], atol=1e-9)


# SciPy's word ---------------------------------------------------------------------------------------------------------


def test_products_agree_with_scipy():
    a, b = random_units(), random_units(seed=1)
    same_rotation(qs.multiply(a, b), (scipy(a) * scipy(b)).as_quat(scalar_first=True))


def test_turned_vectors_agree_with_scipy():
    q, v = random_units(), np.random.default_rng(2).normal(size=(N, 3))
    np.testing.assert_allclose(qs.rotate(q, v), scipy(q).apply(v), atol=1e-12)


def test_matrices_agree_with_scipy_both_ways():
    q = random_units()
    matrices = scipy(q).as_matrix()
    np.testing.assert_allclose(qs.to_matrix(q), matrices, atol=1e-14)
    np.testing.assert_allclose(qs.from_matrix(matrices), qs.shortest(q), atol=1e-12)


def test_rotation_vectors_agree_with_scipy_both_ways():
    q = random_units()
    rotvecs = scipy(q).as_rotvec()
    np.testing.assert_allclose(qs.to_rotvec(q), rotvecs, atol=1e-9)
    same_rotation(qs.from_rotvec(rotvecs), q)


def test_angles_between_agree_with_scipy():
    a, b = random_units(), random_units(seed=1)
    np.testing.assert_allclose(qs.angle_between(a, b), (scipy(a).inv() * scipy(b)).magnitude(), atol=1e-12)


@pytest.mark.parametrize("axis", [*np.eye(3).tolist(), [0.6, 0.0, 0.8], [3**-0.5] * 3])
def test_half_turns_survive_the_way_through_matrices_and_rotation_vectors(axis):
    q = np.array([0.0, *axis])
    same_rotation(qs.from_matrix(qs.to_matrix(q)), q)
    same_rotation(qs.from_rotvec(qs.to_rotvec(q)), q)


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0, 5)])
def test_leading_axes_come_free(shape):
    q, v = random_units((*shape, 1))[..., 0, :], np.ones((*shape, 3))
    assert qs.multiply(q, q).shape == qs.slerp(q, q, 0.5).shape == qs.exp(v).shape == (*shape, 4)
    assert qs.log(q).shape == qs.rotate(q, v).shape == qs.to_rotvec(q).shape == (*shape, 3)
    assert qs.yaw(q).shape == qs.angle_between(q, q).shape == shape
    assert qs.from_matrix(qs.to_matrix(q)).shape == qs.between(v, v).shape == (*shape, 4)


def test_one_rotation_turns_many_vectors():
    q, v = random_units(1)[0], np.random.default_rng(3).normal(size=(4, 5, 3))
    np.testing.assert_allclose(qs.rotate(q, v), [[scipy(q).apply(x) for x in row] for row in v], atol=1e-14)


def test_means_agree_with_scipy_whatever_signs_and_order():
    q = random_units((7, 5)) + np.array([2.0, 0.0, 0.0, 0.0])  # within a hemisphere, where a mean is meant
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    weights = np.array([0.5, 1.0, 0.1, 2.0, 1.0])
    same_rotation(qs.mean(q, weights), [scipy(row).mean(weights).as_quat(scalar_first=True) for row in q])
    signs = np.where(np.arange(5) % 2, -1.0, 1.0)[:, None]
    same_rotation(qs.mean((signs * q)[:, ::-1]), qs.mean(q))


@laws
@given(units(), units())
def test_the_mean_of_two_lies_halfway_and_that_of_equals_is_one_of_them(a, b):
    assume(qs.angle_between(a, b) < 3.0)
    same_rotation(qs.mean(np.stack([a, b])), qs.slerp(a, b, 0.5), atol=1e-6)
    same_rotation(qs.mean(np.stack([a, -a, a])), a, atol=1e-7)
