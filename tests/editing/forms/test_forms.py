"""Motions as vectors of curves and as states of key poses."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.analysis.fourier import smoothed
from mocapella.editing.forms.curve_vectors import CurveVectors, curve_vectors, from_curve_vectors
from mocapella.editing.forms.key_poses import key_poses
from mocapella.geometry import euler, quaternions


@pytest.fixture(scope="module")
def walk():
    return perform("walk", speed=1.2, imperfections=CLEAN)[0]


def test_a_motion_written_as_curves_comes_back(walk):
    vectors = curve_vectors(walk)
    back = from_curve_vectors(vectors, walk.skeleton)
    np.testing.assert_allclose(back.positions, walk.positions, atol=1e-9)
    assert len(vectors.shape) == len(vectors.times) == walk.n_frames * (3 + 3 * walk.skeleton.n_joints)


def test_fewer_keys_keep_the_ends_and_come_near_between(walk):
    back = from_curve_vectors(curve_vectors(walk, keys=walk.n_frames // 3), walk.skeleton)
    np.testing.assert_allclose(back.root_positions[0], walk.root_positions[0], atol=1e-12)
    n = min(back.n_frames, walk.n_frames)
    assert n >= walk.n_frames - 1
    assert quaternions.angle_between(back.rotations_wxyz[:n], walk.rotations_wxyz[:n]).max() < 0.1


def test_the_mean_of_two_vectors_is_a_motion_between_them(walk):
    other = perform("walk", speed=1.2, imperfections=CLEAN, style="happy")[0][: walk.n_frames]
    n = min(walk.n_frames, other.n_frames)
    one, two = curve_vectors(walk[:n]), curve_vectors(other[:n])
    mean = CurveVectors(one.dofs, 0.5 * (one.shape + two.shape), one.times, one.frame_rate)
    made = from_curve_vectors(mean, walk.skeleton)
    np.testing.assert_allclose(
        made.root_positions, 0.5 * (walk.root_positions[:n] + other.root_positions[:n]), atol=1e-9
    )


def test_curves_of_another_body_or_without_order_are_refused(walk):
    vectors = curve_vectors(walk, keys=4)
    chain = mo.Skeleton.of(["a"], [-1], [[0, 0, 0]])
    with pytest.raises(mo.MotionError, match="not those of"):
        from_curve_vectors(vectors, chain)
    with pytest.raises(mo.MotionError, match="increase"):
        CurveVectors(vectors.dofs, vectors.shape, vectors.times[::-1].copy(), 120.0)
    with pytest.raises(mo.MotionError, match="as many values and times"):
        CurveVectors(vectors.dofs, vectors.shape[:-1], vectors.times[:-1], 120.0)
    with pytest.raises(mo.MotionError, match="keys"):
        curve_vectors(walk, keys=1)


def test_states_last_as_long_as_the_period_that_is_found(walk):
    found = key_poses(walk)
    period = mo.find_period(walk).seconds
    assert found.period == period
    assert sum(state.duration for state in found.states) == pytest.approx(period)


def test_target_angles_are_those_of_the_poses_at_the_extremes_of_the_knees(walk):
    cycle = mo.prepare(walk)
    found = key_poses(cycle)
    smooth = smoothed(cycle, 0.1)
    knee = mo.find_roles(cycle.skeleton)["left_knee"]
    angles = np.degrees(euler.from_quaternion(smooth.rotations_wxyz[:, knee], "XYZ"))
    bent = next(state for state in found.states if "left knee bent" in state.name)
    np.testing.assert_allclose(bent.angles["left_knee"], angles[bent.frame])
    assert abs(bent.angles["left_knee"][0]) == pytest.approx(np.abs(angles[:, 0]).max(), abs=1e-6)


def test_a_walk_has_each_extreme_of_each_knee_once_and_a_foot_down_at_all(walk):
    found = key_poses(walk)
    names = ", ".join(state.name for state in found.states)
    for side in ("left", "right"):
        assert names.count(f"{side} knee bent") == names.count(f"{side} knee straight") == 1
    assert all(state.planted for state in found.states)
    assert [state["next"] for state in found.plain()["states"]] == [*range(1, len(found.states)), 0]


def test_knees_that_never_bend_have_no_key_poses(walk):
    cycle = mo.prepare(walk)
    dofs = np.array(cycle.dofs)
    for side in ("left", "right"):
        at = cycle.layout.columns(mo.find_roles(cycle.skeleton)[f"{side}_knee"])
        dofs[:, at] = dofs[:1, at]
    with pytest.raises(mo.MotionError, match="do not bend"):
        key_poses(mo.Cycle(cycle.layout, dofs, cycle.frame_rate))
