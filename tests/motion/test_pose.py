"""Poses: one instant of a clip, frozen."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from mocapella.errors import MotionError
from mocapella.geometry import quaternions as qs
from mocapella.motion.clip import Clip
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton

ARM = Skeleton.of(["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]], ends={"elbow": [0.25, 0, 0]})


def a_pose(root=(0.0, 1.0, 0.0), bend=0.5 * np.pi):
    return Pose(ARM, np.array(root), qs.from_rotvec(np.array([[0.0, 0.0, bend], [0.0, 0.0, 0.0]])))


def test_a_pose_knows_where_its_joints_are():
    np.testing.assert_allclose(a_pose().positions, [[0, 1, 0], [0, 1.3, 0]], atol=1e-15)
    np.testing.assert_allclose(a_pose().world[1], a_pose().rotations_wxyz[[0, 0]], atol=1e-15)


def test_a_pose_of_a_clip_is_its_frame():
    rng = np.random.default_rng(0)
    clip = Clip(ARM, rng.normal(size=(5, 3)), rng.normal(size=(5, 2, 4)), 30.0)
    for frame in (0, 3, -1):
        np.testing.assert_allclose(clip.pose(frame).positions, clip.positions[frame], atol=1e-14)
        np.testing.assert_allclose(clip.pose(frame).end_positions, clip.end_positions[frame], atol=1e-14)


def test_a_pose_cannot_be_written_to():
    pose = a_pose()
    for array in (pose.root_position, pose.rotations_wxyz, pose.positions):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0
    with pytest.raises(FrozenInstanceError):
        pose.root_position = np.zeros(3)


def test_later_writes_by_the_caller_do_not_leak_in():
    root, rotations = np.zeros(3), np.tile(qs.IDENTITY, (2, 1))
    pose = Pose(ARM, root, rotations)
    root[:], rotations[:] = 7.0, 7.0
    np.testing.assert_array_equal(pose.root_position, 0.0)
    np.testing.assert_array_equal(pose.rotations_wxyz, [qs.IDENTITY] * 2)


def test_a_pose_of_another_skeleton_is_refused():
    with pytest.raises(MotionError, match=r"needs a rotation for each joint, got \(3, 4\)"):
        Pose(ARM, np.zeros(3), np.tile(qs.IDENTITY, (3, 1)))


def test_a_pose_shows_where_it_stands():
    assert repr(a_pose(root=(0.25, 1.0, -2.0))) == "Pose(2 joints, root at 0.250, 1.000, -2.000)"
