"""The root taken apart into heading, tilt and way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.analysis.root import resequenced, yaw_increments
from mocapella.errors import MotionError
from mocapella.geometry import euler, quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton


@pytest.mark.parametrize("order", ["ZXY", "ZYX", "XYZ", "YZX"])
def test_resequencing_keeps_every_rotation(order):
    angles = np.random.default_rng(2).uniform(-1.2, 1.2, size=(200, 3))
    before, after = euler.to_quaternion(angles, order), euler.to_quaternion(resequenced(angles, order), "YXZ")
    np.testing.assert_allclose(quaternions.angle_between(before, after), 0.0, atol=1e-9)


def test_adding_yaw_in_yxz_lifts_no_joint_and_in_zxy_it_does():
    chain = Skeleton.of(["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [0.1, 0.4, 0.2], [0.0, 0.3, 0.3]])
    angles = np.array([[0.3, 0.4, -0.2]])
    more = {"YXZ": np.array([[0.8, 0.0, 0.0]]), "ZXY": np.array([[0.0, 0.0, 0.8]])}
    lifted = {}
    for order, yaw in more.items():
        heights = []
        for root in (angles, angles + yaw):
            q = np.tile(quaternions.IDENTITY, (1, 3, 1))
            q[:, 0] = euler.to_quaternion(root, order)
            heights.append(kinematics.forward(chain, np.zeros((1, 3)), q)[0][..., 1])
        lifted[order] = float(np.abs(heights[1] - heights[0]).max())
    assert lifted["YXZ"] < 1e-12
    assert lifted["ZXY"] > 0.02


def test_heading_and_tilt_make_the_root_again(walk):
    clip = walk(100, turn=4.0)
    tilts = kinematics.without_heading(clip.rotations_wxyz)[:, 0]
    together = quaternions.multiply(quaternions.about_y(clip.headings), tilts)
    np.testing.assert_allclose(quaternions.angle_between(together, clip.rotations_wxyz[:, 0]), 0.0, atol=1e-9)
    np.testing.assert_allclose(quaternions.yaw(tilts), 0.0, atol=1e-12)


def test_headings_run_on_beyond_a_full_turn(walk):
    turned = walk(481, turn=4.0).headings
    np.testing.assert_allclose(turned[480] - turned[0], 16.0, atol=1e-9)


@given(turn=st.floats(-3.0, 3.0))
@settings(max_examples=20, deadline=None)
def test_yaw_increments_add_up_to_the_turn_and_to_the_curve(turn):
    u = np.arange(61) / 60
    yaws = 0.4 + turn * u + 0.1 * np.sin(2 * np.pi * u)
    increments = yaw_increments(yaws[:-1], closing=float(yaws[-1]))
    np.testing.assert_allclose(increments.sum(), turn, atol=1e-12)
    np.testing.assert_allclose(yaws[0] + np.cumsum(increments[1:]), yaws[1:-1], atol=1e-12)


def test_an_unknown_closing_yaw_is_estimated_as_published():
    u = np.arange(60) / 60
    yaws = u + 0.1 * np.sin(2 * np.pi * u)
    np.testing.assert_allclose(yaw_increments(yaws).sum(), 1.0, atol=1e-4)
    np.testing.assert_allclose(yaw_increments(yaws)[0], 0.5 * (yaws[-1] - yaws[-2] + yaws[1] - yaws[0]))


def test_one_frame_has_no_increments():
    with pytest.raises(MotionError, match="at least two frames"):
        yaw_increments(np.zeros(1))
