"""Loops: the next round begins where the last one ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.geometry import quaternions
from mocapella.motion import loops
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

N = 40
SKELETON = Skeleton.of(["hips", "leg"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]])


def stride(n_frames=N, *, speed=1.4, turn=0.0, sway=0.02, yaw=0.3):
    """A cycle of ``N`` frames that swaying walks on at a steady speed and turn; its frame ``N`` is known."""
    at = np.arange(n_frames) / N
    course = yaw + turn * at
    phase = 2 * np.pi * at
    # Sideways sway and a fore and aft one twice as fast, both in the frame that moves steadily along.
    swayed = sway * np.sin(phase) * 1j + 0.5 * sway * np.cos(2 * phase)
    steady = speed * at if turn == 0.0 else speed * (np.exp(1j * turn * at) - 1.0) / (1j * turn)
    place = 0.7 - 0.2j + np.exp(1j * yaw) * steady + np.exp(1j * course) * swayed
    rotations = np.empty((n_frames, 2, 4))
    rotations[:, 0] = quaternions.about_y(course + 0.1 * np.sin(phase))
    rotations[:, 1] = quaternions.from_rotvec(np.stack([0.4 * np.sin(phase), 0 * at, 0 * at], axis=-1))
    roots = np.stack([place.imag, 1.0 + 0.02 * np.cos(2 * phase), place.real], axis=-1)
    return Clip(SKELETON, roots, rotations, frame_rate=30.0, name="stride")


@pytest.mark.parametrize("turn", [0.0, 0.4, -1.2, 2 * np.pi])
def test_the_closing_frame_is_the_one_that_would_have_come(turn):
    whole, expected = loops.close_loop(stride(turn=turn)), stride(N + 1, turn=turn)
    np.testing.assert_allclose(whole.root_positions[-1], expected.root_positions[-1], atol=1e-3)
    apart = quaternions.angle_between(whole.rotations_wxyz[-1], expected.rotations_wxyz[-1])
    np.testing.assert_allclose(apart, 0.0, atol=2e-3)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 50), st.floats(-2, 2), st.sampled_from([0.0, 0.3, -2.0, 7.0]), st.floats(0, 0.1), st.floats(-3, 3)
)
def test_on_the_spot_the_last_frame_equals_the_first(n_frames, speed, turn, sway, yaw):
    clip = stride(n_frames, speed=speed, turn=turn, sway=sway, yaw=yaw)
    whole = loops.close_loop_in_place(clip)
    assert whole.n_frames == n_frames + (not loops.is_closed(clip))  # some end where they began
    np.testing.assert_array_equal(whole.root_positions[-1], whole.root_positions[0])
    np.testing.assert_array_equal(np.abs(whole.rotations_wxyz[-1]), np.abs(whole.rotations_wxyz[0]))
    np.testing.assert_allclose(whole.root_positions[:-1, [0, 2]].mean(axis=0), 0.0, atol=1e-12)


def test_on_the_spot_the_sway_stays():
    whole = loops.close_loop_in_place(stride(yaw=0.0))
    np.testing.assert_allclose(np.ptp(whole.root_positions[:, 0]), 0.04, atol=1e-3)
    np.testing.assert_allclose(np.ptp(whole.root_positions[:, 2]), 0.02, atol=2e-3)


def test_carried_along_steadily_the_motion_on_the_spot_is_the_motion_captured():
    clip = stride(yaw=0.0)
    still = loops.close_loop_in_place(clip)
    way = loops.close_loop(clip).root_positions
    along = (way[-1] - way[0]) * (np.arange(N + 1) / N)[:, None] * [1.0, 0.0, 1.0]
    apart = still.root_positions + along - way
    np.testing.assert_allclose(apart - apart[0], 0.0, atol=1e-4)


def test_still_keeps_height_and_heading_only():
    clip = stride()
    held = loops.in_place(clip)
    np.testing.assert_array_equal(held.root_positions[:, [0, 2]], 0.0)
    np.testing.assert_array_equal(held.root_positions[:, 1], clip.root_positions[:, 1])
    np.testing.assert_array_equal(held.rotations_wxyz, clip.rotations_wxyz)


def test_a_single_frame_closes_on_itself():
    whole = loops.close_loop(stride(1))
    np.testing.assert_allclose(whole.root_positions[1], whole.root_positions[0])
    np.testing.assert_allclose(whole.rotations_wxyz[1], whole.rotations_wxyz[0])


def test_a_closed_loop_is_known_wherever_it_ends_and_heads():
    whole = stride(N + 1, turn=0.7)
    assert loops.is_closed(whole)
    assert loops.close_loop(whole) is whole
    assert loops.open_loop(whole).n_frames == N
    assert not loops.is_closed(stride(N))
    assert loops.open_loop(stride(N)).n_frames == N


def test_a_pose_that_is_held_is_no_closed_loop():
    still = Clip(SKELETON, np.zeros((5, 3)), np.tile([1.0, 0, 0, 0], (5, 2, 1)), 30.0)
    assert not loops.is_closed(still)
    assert not loops.is_closed(still[:1])


@pytest.mark.parametrize("turn", [0.0, 1e-7, 0.4, -5.0])
def test_a_course_put_back_under_its_loop_is_the_loop(turn):
    whole = stride(N + 1, turn=turn)
    course = loops.steady_course(whole)
    left = course.taken_out_of(whole)
    places = course.places + left.ground_path * np.exp(1j * course.headings)
    np.testing.assert_allclose(places, whole.ground_path, atol=1e-9)
    np.testing.assert_allclose(left.root_positions[-1], left.root_positions[0], atol=1e-8)
    np.testing.assert_allclose(np.ptp(np.abs(np.diff(course.places))), 0.0, atol=1e-9)


def test_a_smooth_course_of_a_straight_line_is_the_line():
    """Ends included: beyond them the motion goes on as it does there."""
    line = Clip(SKELETON, np.outer(np.arange(90) / 30.0, [0.3, 0.0, 1.0]), np.tile([1.0, 0, 0, 0], (90, 2, 1)), 30.0)
    np.testing.assert_allclose(loops.smooth_course(line).places, line.ground_path, atol=1e-12)
    np.testing.assert_allclose(loops.mean_rates(loops.smooth_course(line), 89 / 30), (np.hypot(0.3, 1.0), 0.0))
