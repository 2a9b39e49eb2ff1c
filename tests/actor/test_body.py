"""The actor's body: proportions, a T-pose on the ground, names that are understood."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform, skeleton_of
from mocapella.actor.body import ground_points, leg_length
from mocapella.motion.clip import Clip


@pytest.mark.parametrize("height", [1.2, 1.673, 1.75, 2.2])
def test_the_rest_pose_stands_on_the_ground_and_is_as_tall_as_asked(height):
    skeleton = skeleton_of(height)
    ys = np.concatenate([skeleton.rest_positions[:, 1], skeleton.rest_end_positions[:, 1]])
    np.testing.assert_allclose([ys.min(), ys.max()], [0.0, height], atol=1e-9)


def test_heels_and_toe_tips_lie_on_the_ground_at_rest():
    skeleton = skeleton_of()
    rest = Clip(
        skeleton, skeleton.offsets[:1], np.tile([1.0, 0.0, 0.0, 0.0], (1, skeleton.n_joints, 1)), frame_rate=1.0
    )
    for name, points in ground_points(rest).items():
        expected = skeleton.rest_positions[skeleton.index("LeftToeBase"), 1] if name.endswith("toe") else 0.0
        np.testing.assert_allclose(points[0, 1], expected, atol=1e-9)


def test_left_and_right_mirror_each_other():
    skeleton = skeleton_of()
    for name in skeleton.names:
        if name.startswith("Left"):
            left, right = skeleton.index(name), skeleton.index(name.replace("Left", "Right"))
            np.testing.assert_allclose(skeleton.offsets[left] * [-1, 1, 1], skeleton.offsets[right])
            np.testing.assert_allclose(skeleton.limits[left, 1], -skeleton.limits[right, 1][::-1])


def test_there_are_sixty_nine_degrees_of_freedom():
    assert 3 * skeleton_of().n_joints == 69


def test_arms_stretch_out_to_the_sides_as_wide_as_the_body_is_tall():
    skeleton = skeleton_of(1.8)
    xs = skeleton.rest_end_positions[:, 0]
    np.testing.assert_allclose(np.ptp(xs), 1.8, rtol=0.07)
    assert xs[1] > 0  # +x is the left


def test_a_leg_is_about_half_of_the_body():
    assert 0.45 < leg_length(skeleton_of(1.0 * 1.75)) / 1.75 < 0.53


def test_every_role_of_the_contract_is_found():
    sides = ("hip", "knee", "ankle", "toe", "clavicle", "shoulder", "elbow", "wrist")
    expected = {"hips", "spine", "chest", "neck", "head"} | {f"{s}_{r}" for s in ("left", "right") for r in sides}
    assert expected <= set(mo.find_roles(skeleton_of()))


def test_a_giant_and_a_dwarf_are_refused_with_the_range():
    for height in (0.4, 3.0):
        with pytest.raises(mo.MotionError, match=r"1\.2 to 2\.2 m"):
            perform("walk", height=height)


def test_a_performance_survives_being_written_and_read_back(tmp_path):
    clip, _ = perform("run", speed=3.0, cycles=2.0)
    mo.save(clip, tmp_path / "run.bvh")
    back = mo.load(tmp_path / "run.bvh")
    np.testing.assert_allclose(back.positions, clip.positions, atol=2e-4)
