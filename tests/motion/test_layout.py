"""Layouts: rotations as rows of numbers, and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.layout import HEIGHT, LEFT, YAW_RATE, EulerLayout, QuaternionLayout, layout_of
from mocapella.motion.skeleton import Skeleton

KINDS = ("quaternion", "euler")


def puppet() -> Skeleton:
    """A root, two legs and a joint whose file states its angles in a frame of its own."""
    axes = np.tile(quaternions.IDENTITY, (4, 1))
    axes[3] = quaternions.from_rotvec(np.array([0.3, -0.2, 0.9]))
    return Skeleton.of(
        ["hips", "LeftUpLeg", "RightUpLeg", "tail"],
        [-1, 0, 0, 0],
        [[0, 1, 0], [0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, -0.2]],
        rotation_orders=["ZXY", "ZYX", "ZYX", "X"],
        axes_wxyz=axes,
    )


def swings(seed: int, n_frames: int = 40, size: float = 0.8) -> np.ndarray:
    """Smooth rotations of the puppet's joints, the root's free of heading."""
    rng = np.random.default_rng(seed)
    phases = 2 * np.pi * np.arange(n_frames) / n_frames
    waves = np.stack([np.ones(n_frames), np.cos(phases), np.sin(phases), np.cos(2 * phases)])
    rotvecs = np.einsum("wjc,wf->fjc", rng.normal(scale=size / 2, size=(4, 4, 3)), waves)
    q = quaternions.from_rotvec(rotvecs)
    q[:, 0] = quaternions.multiply(quaternions.about_y(-quaternions.yaw(q[:, 0])), q[:, 0])
    return quaternions.unroll(q)


def rows(kind: str, seed: int, **options: float) -> tuple[QuaternionLayout | EulerLayout, np.ndarray, np.ndarray]:
    layout = layout_of(kind, puppet())
    rotations = swings(seed, **options)
    root = np.random.default_rng(seed + 1).normal(size=(len(rotations), 4))
    return layout, rotations, layout.dofs(rotations, root)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_reading_dofs_gives_back_the_rotations_they_were_written_from(kind, seed):
    layout, rotations, dofs = rows(kind, seed)
    np.testing.assert_allclose(quaternions.angle_between(layout.rotations(dofs), rotations), 0.0, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_every_dof_has_a_name_of_its_own_and_a_column(kind):
    layout, _, dofs = rows(kind, 3)
    assert len(set(layout.names)) == layout.n_dofs == dofs.shape[1]
    assert [layout.index(name) for name in layout.names] == list(range(layout.n_dofs))
    assert layout.names[YAW_RATE] == "yaw_rate"
    assert layout.names[HEIGHT] == "height"


def test_the_columns_of_joints_tile_the_rotation_dofs():
    for kind in KINDS:
        layout, _, _ = rows(kind, 3)
        columns = np.concatenate([np.arange(layout.n_dofs)[layout.columns(j)] for j in range(4)])
        np.testing.assert_array_equal(columns, np.arange(layout.n_dofs - 4))


def test_the_root_has_two_euler_dofs_since_its_heading_is_none():
    layout, _, _ = rows("euler", 1)
    assert layout.names[:2] == ("hips.x", "hips.z")


def test_a_joint_that_turns_about_one_axis_moves_only_that_dof():
    layout = layout_of("euler", puppet())
    rotations = np.tile(quaternions.IDENTITY, (5, 4, 1))
    axis = puppet().axes_wxyz[3]
    angles = np.linspace(0.0, 1.0, 5)
    about_x = quaternions.from_rotvec(angles[:, None] * [1.0, 0.0, 0.0])
    rotations[:, 3] = quaternions.multiply(axis, quaternions.multiply(about_x, quaternions.conjugate(axis)))
    dofs = layout.rotation_dofs(rotations)[:, layout.columns(3)]
    np.testing.assert_allclose(dofs, np.stack([angles, 0 * angles, 0 * angles], axis=-1), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), share=st.floats(0.0, 1.0))
@settings(max_examples=25, deadline=None)
def test_displacing_by_a_displacement_arrives(kind, seed, share):
    layout, _, dofs = rows(kind, seed, size=0.3)
    by = layout.displacement(dofs[0], dofs[20])
    there = layout.displaced(dofs[0], by)
    apart = quaternions.angle_between(layout.rotations(there), layout.rotations(dofs[20]))
    np.testing.assert_allclose(apart, 0.0, atol=1e-7)
    np.testing.assert_allclose(there[-4:], dofs[20, -4:], atol=1e-12)
    np.testing.assert_allclose(layout.displaced(dofs[0], 0.0 * by), dofs[0], atol=1e-12)
    half_way = layout.displaced(dofs[0], share * by)  # its tilt has no heading either
    np.testing.assert_allclose(quaternions.yaw(layout.rotations(half_way)[0]), 0.0, atol=1e-9)


def test_a_displacement_takes_the_shorter_way_round():
    layout = layout_of("euler", puppet())
    start, goal = np.zeros(layout.n_dofs), np.zeros(layout.n_dofs)
    start[4], goal[4] = np.radians(170.0), np.radians(-170.0)
    np.testing.assert_allclose(layout.displacement(start, goal)[4], np.radians(20.0))


@pytest.mark.parametrize("kind", KINDS)
def test_matching_changes_how_a_motion_is_written_and_not_the_motion(kind):
    layout, rotations, dofs = rows(kind, 5)
    other = dofs.mean(axis=0)
    other[:-4] *= -1.0
    other[:-4] += 0.0 if kind == "quaternion" else 7.0
    matched = layout.matched(dofs, other)
    np.testing.assert_allclose(quaternions.angle_between(layout.rotations(matched), rotations), 0.0, atol=1e-7)
    before, after = (np.linalg.norm(rows_.mean(axis=0)[:-4] - other[:-4]) for rows_ in (dofs, matched))
    assert after < before
    np.testing.assert_allclose(layout.matched(matched, dofs.mean(axis=0)), dofs, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirror_in_a_mirror_shows_the_motion_itself(kind):
    layout, rotations, dofs = rows(kind, 8, size=0.3)
    pairs = np.array([0, 2, 1, 3])
    seen = layout.reflected(dofs, pairs)
    np.testing.assert_allclose(seen[:, [LEFT, YAW_RATE]], -dofs[:, [LEFT, YAW_RATE]])
    np.testing.assert_allclose(layout.rotations(seen)[:, 2, 0], np.abs(rotations[:, 1, 0]), atol=1e-9)
    np.testing.assert_allclose(layout.reflected(seen, pairs), dofs, atol=1e-9)


def test_an_angle_through_a_right_angle_leaps_in_euler_and_runs_on_in_quaternions():
    turning = np.tile(quaternions.IDENTITY, (60, 4, 1))
    middle = np.linspace(np.radians(60.0), np.radians(120.0), 60)[:, None]
    beside = quaternions.from_rotvec(np.array([0.002, 0.0, 0.0]))  # past the singular angle, not through it
    turning[:, 1] = quaternions.multiply(beside, quaternions.from_rotvec(middle * [0.0, 1.0, 0.0]))
    steps = {kind: np.abs(np.diff(layout_of(kind, puppet()).rotation_dofs(turning), axis=0)).max() for kind in KINDS}
    assert steps["quaternion"] < 0.02
    assert steps["euler"] > 0.3


def test_numbers_of_no_length_are_read_as_no_rotation():
    layout = layout_of("quaternion", puppet())
    np.testing.assert_array_equal(layout.rotations(np.zeros(layout.n_dofs)), np.tile(quaternions.IDENTITY, (4, 1)))


def test_a_layout_that_does_not_exist_is_refused_by_name():
    with pytest.raises(MotionError, match=r"no dof layout 'matrix'; there are quaternion, euler"):
        layout_of("matrix", puppet())


def test_a_dof_that_does_not_exist_is_refused_by_name():
    with pytest.raises(MotionError, match=r"no dof 'knee.x'"):
        layout_of("quaternion", puppet()).index("knee.x")
