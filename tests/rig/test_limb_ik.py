"""Legs that reach: feet come where they should, and no knee snaps on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.limb_ik import LimbJoints, reach_for

SKELETON = Skeleton.of(
    ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"],
    [-1, 0, 1, 2],
    [(0.0, 0.95, 0.0), (0.1, -0.05, 0.0), (0.0, -0.42, 0.0), (0.0, -0.4, 0.0)],
)
LEG = LimbJoints(1, 2, 3)
ROOTS = np.tile([0.0, 0.95, 0.0], (61, 1))


def swinging(knee: np.ndarray) -> np.ndarray:
    """A leg that swings and turns in and out, with its knee bent like this, radians."""
    phases = np.linspace(0.0, 2.0 * np.pi, len(knee))
    rotvecs = np.zeros((len(knee), 4, 3))
    rotvecs[:, 1, 0], rotvecs[:, 1, 1] = -0.3 * np.cos(phases) - 0.2, 0.1 * np.sin(phases)
    rotvecs[:, 2, 0] = knee
    rotvecs[:, 3, 0] = -0.1
    return quaternions.from_rotvec(rotvecs)


def ends(rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    places, world = kinematics.forward(SKELETON, ROOTS, rotations)
    return places[:, 3], world[:, 3]


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.floats(-0.03, 0.03)] * 3), st.floats(-0.4, 0.4))
def test_a_foot_in_reach_comes_where_it_should_and_is_turned_as_asked(by, turn):
    rotations = swinging(0.9 + 0.3 * np.sin(np.linspace(0.0, 6.0, 61)))
    places, feet = ends(rotations)
    goals, turned = places + np.array(by), quaternions.multiply(quaternions.about_y(turn), feet)
    missed = reach_for(SKELETON, ROOTS, rotations, LEG, goals, turned)
    reached, standing = ends(rotations)
    np.testing.assert_allclose(reached, goals, atol=1e-9)
    np.testing.assert_allclose(quaternions.angle_between(standing, turned), 0.0, atol=1e-6)
    np.testing.assert_allclose(missed, 0.0, atol=1e-9)


@pytest.mark.parametrize("gently", [False, True])
def test_a_leg_that_is_asked_for_nothing_stays_even_where_its_knee_bends_backwards(gently):
    rotations = swinging(0.3 * np.sin(np.linspace(0.0, 6.0, 61)) + 0.2)
    before = rotations.copy()
    reach_for(SKELETON, ROOTS, rotations, LEG, ends(rotations)[0], gently=gently)
    np.testing.assert_allclose(quaternions.angle_between(rotations, before), 0.0, atol=1e-6)


def test_a_goal_out_of_reach_is_pointed_at_and_the_miss_is_told():
    rotations = swinging(np.full(61, 0.5))
    hips = kinematics.forward(SKELETON, ROOTS, rotations)[0][:, 1]
    goals = hips + 1.2 * (ends(rotations)[0] - hips) / np.linalg.norm(ends(rotations)[0] - hips, axis=1)[:, None]
    missed = reach_for(SKELETON, ROOTS, rotations, LEG, goals)
    np.testing.assert_allclose(missed, 1.2 - 0.82, atol=1e-6)
    np.testing.assert_allclose(ends(rotations)[0], hips + (goals - hips) * 0.82 / 1.2, atol=1e-6)


def test_a_knee_that_straightens_gently_never_snaps():
    knee = 0.15 + 0.1 * np.cos(np.linspace(0.0, 2.0 * np.pi, 61))
    hips = kinematics.forward(SKELETON, ROOTS, swinging(knee))[0][:, 1]
    pulled = ends(swinging(knee))[0] - np.array([0.0, 0.01, 0.0]) * np.sin(np.linspace(0.0, np.pi, 61))[:, None]
    steps = []
    for gently in (False, True):
        rotations = swinging(knee)
        reach_for(SKELETON, ROOTS, rotations, LEG, pulled, gently=gently)
        steps.append(quaternions.angle_between(rotations[1:, 2], rotations[:-1, 2]).max())
        assert np.linalg.norm(ends(rotations)[0] - hips, axis=1).max() <= 0.82 + 1e-9
    assert steps[1] < 0.5 * steps[0]


def test_a_leg_that_never_bends_folds_to_the_front():
    rotations = swinging(np.zeros(61))
    goals = ends(rotations)[0] + np.array([0.0, 0.05, 0.0])
    reach_for(SKELETON, ROOTS, rotations, LEG, goals)
    np.testing.assert_allclose(ends(rotations)[0], goals, atol=1e-9)
    assert np.all(quaternions.to_rotvec(rotations[:, 2])[:, 0] > 0.3)
