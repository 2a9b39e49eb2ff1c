"""Positions made clips: joints are where they were measured, bones keep their lengths, and what is off is said."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.rig.names import ROLES
from tests.files.points.doubles import NAMES, joints


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", frame_rate=60.0)[:90]


def apart(fitted, points):
    """How far joints are from points of the same names, metres."""
    known = [name for name in points if name in fitted.skeleton.names]
    found = fitted.positions[:, [fitted.skeleton.index(name) for name in known]]
    return np.linalg.norm(found - np.stack([points[name] for name in known], axis=1), axis=2)


def codes(clip):
    return {finding.code: finding for finding in clip.report.findings}


def test_joints_that_are_rigid_come_back_exactly_by_names_by_parents_and_on_their_skeleton(walk):
    own = dict(zip(walk.skeleton.names, np.moveaxis(walk.positions, 1, 0), strict=True))
    for options in ({}, {"parents": walk.skeleton.parents.tolist()}, {"skeleton": walk.skeleton}):
        fitted = mo.fit_positions(walk.positions, walk.skeleton.names, frame_rate=60.0, **options)
        assert apart(fitted, own).max() < 1e-4
        assert len(mo.find_roles(fitted.skeleton)) == len(ROLES)
        assert not fitted.report.warnings


def test_the_rest_pose_stands_facing_ahead(walk):
    skeleton = mo.fit_positions(walk.positions, walk.skeleton.names, frame_rate=60.0).skeleton
    roles, rest = mo.find_roles(skeleton), skeleton.rest_positions
    assert rest[:, 1].min() == pytest.approx(0.0, abs=1e-9)
    assert rest[roles["left_wrist"], 0] > 0.5 > -0.5 > rest[roles["right_wrist"], 0]
    assert rest[roles["head"], 1] > rest[roles["hips"], 1] > rest[roles["left_knee"], 1]
    assert rest[roles["left_toe"], 2] > rest[roles["left_ankle"], 2] + 0.05


@settings(max_examples=5, deadline=None)
@given(yaw=st.floats(-3.1, 3.1), size=st.floats(0.3, 3.0), shift=st.floats(-50.0, 50.0))
def test_a_body_turned_scaled_and_moved_is_fitted_alike(yaw, size, shift):
    clip = mo.example("walk", frame_rate=30.0)[:20]
    turned = size * quaternions.rotate(quaternions.about_y(yaw), clip.positions) + [shift, 0.0, 1.0]
    plain = mo.fit_positions(clip.positions, clip.skeleton.names, frame_rate=30.0)
    fitted = mo.fit_positions(turned, clip.skeleton.names, frame_rate=30.0)
    np.testing.assert_allclose(
        fitted.positions, turned[:, [clip.skeleton.index(n) for n in fitted.skeleton.names]], atol=1e-4
    )
    np.testing.assert_allclose(
        np.abs(np.einsum("tjq,tjq->tj", fitted.rotations_wxyz[:, 1:], plain.rotations_wxyz[:, 1:])), 1.0, atol=1e-6
    )


def test_few_joints_by_other_names_make_a_body_with_hips_and_chest_between(walk):
    points = joints(walk)
    del points["CHip"]
    fitted = mo.fit_positions(np.stack(list(points.values()), axis=1), list(points), frame_rate=60.0)
    assert apart(fitted, points).max() < 0.005  # shoulders move against a chest that nobody measured
    assert apart(fitted, {name: points[name] for name in ("LHip", "LKnee", "LAnkle", "RBigToe")}).max() < 0.001
    assert {"hips", "chest", "left_shoulder", "right_wrist"} <= set(mo.find_roles(fitted.skeleton))


def test_knees_bend_about_their_hinge(walk):
    fitted = mo.fit_positions(walk.positions, walk.skeleton.names, frame_rate=60.0)
    knee = mo.find_roles(fitted.skeleton)["left_knee"]
    turns = quaternions.to_rotvec(quaternions.shortest(fitted.rotations_wxyz[:, knee]))
    bent = np.linalg.norm(turns, axis=1) > np.radians(30.0)
    assert bent.any()
    assert (turns[bent, 0] > 0.95 * np.linalg.norm(turns[bent], axis=1)).all()


def test_noise_is_spread_and_said_and_bones_keep_their_lengths(walk):
    rng = np.random.default_rng(4)
    noisy = walk.positions + rng.normal(scale=0.01, size=walk.positions.shape)
    fitted = mo.fit_positions(noisy, walk.skeleton.names, frame_rate=60.0)
    lengths = np.linalg.norm(
        np.diff(fitted.positions[:, fitted.skeleton.path(fitted.skeleton.index("LeftFoot"))], axis=1), axis=2
    )
    assert np.ptp(lengths, axis=0).max() < 1e-9
    own = dict(zip(walk.skeleton.names, np.moveaxis(walk.positions, 1, 0), strict=True))
    assert apart(fitted, own).mean() < 0.018  # no worse than the noise itself, which is 16 mm long in the mean
    said = codes(fitted)["fit"].message
    assert 3.0 < float(said.split("are ")[1].split(" mm")[0]) < 18.0


def test_a_bone_that_stretches_and_feet_that_slide_are_told(walk):
    stretched = np.array(walk.positions)
    knee, below = walk.skeleton.index("LeftLeg"), walk.skeleton.index("LeftFoot")
    stretched[:, below] += 0.3 * np.sin(np.arange(90))[:, None] * (stretched[:, below] - stretched[:, knee])
    with pytest.warns(mo.MotionWarning, match="bones change their length, which is held at the median: LeftFoot by"):
        fitted = mo.fit_positions(stretched, walk.skeleton.names, frame_rate=60.0)
    assert codes(fitted)["bone-length"].doubtful
    assert "feet" in codes(fitted)


def test_gaps_are_bridged_and_told(walk):
    holed = np.array(walk.positions)
    wrist = walk.skeleton.index("LeftHand")
    holed[10:14, wrist] = np.nan
    fitted = mo.fit_positions(holed, walk.skeleton.names, frame_rate=60.0)
    assert codes(fitted)["gaps"].frames == (10, 11, 12, 13)
    assert not codes(fitted)["gaps"].doubtful
    np.testing.assert_allclose(
        fitted.positions[12, fitted.skeleton.index("LeftHand")], walk.positions[12, wrist], atol=0.01
    )
    holed[10:60, wrist] = np.nan
    with pytest.warns(mo.MotionWarning, match="not seen in 50 frames, for 0.83 s at most"):
        mo.fit_positions(holed, walk.skeleton.names, frame_rate=60.0)


@pytest.mark.parametrize(
    ("positions", "names", "options", "reason"),
    [
        (np.zeros((4, 2)), ["a", "b"], {}, r"positions of shape \(frames, joints, 3\)"),
        (np.zeros((4, 2, 3)), ["a"], {}, "2 names that differ"),
        (np.zeros((4, 2, 3)), ["a", "a"], {}, "2 names that differ"),
        (np.full((4, 2, 3), np.inf), ["a", "b"], {}, "finite numbers"),
        (np.full((4, 2, 3), np.nan), ["a", "b"], {"parents": [-1, 0]}, "no joint was seen"),
        (np.zeros((4, 2, 3)), ["a", "b"], {}, "no body is known by these points: a, b"),
        (np.zeros((4, 2, 3)), ["a", "b"], {"parents": [-1, 1]}, "make one tree"),
        (np.zeros((4, 2, 3)), None, {}, "names of joints, or a skeleton"),
        ("abc", ["a"], {}, "array of numbers"),
    ],
)
def test_what_is_no_motion_is_refused(positions, names, options, reason):
    with pytest.raises(MotionError, match=reason):
        mo.fit_positions(positions, names, frame_rate=30.0, **options)


def test_points_that_all_lie_in_one_place_give_finite_numbers():
    names = list(NAMES.values())
    fitted = mo.fit_positions(np.zeros((3, len(names), 3)), names, frame_rate=30.0)
    assert np.isfinite(fitted.positions).all()


@pytest.mark.data
@pytest.mark.parametrize("trial", ["cmu-bvh/35/35_01.bvh", "cmu-bvh/16/16_15.bvh"])
def test_real_captures_come_back_from_their_positions(data_folder, trial):
    clip = mo.load(data_folder / trial).captured.resampled(60.0)
    fitted = mo.fit_positions(
        clip.positions, clip.skeleton.names, frame_rate=60.0, parents=clip.skeleton.parents.tolist()
    )
    own = dict(zip(clip.skeleton.names, np.moveaxis(clip.positions, 1, 0), strict=True))
    assert apart(fitted, own).max() < 1e-4
