"""A limb of two rods: it reaches, folds one way only and keeps its plane."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.geometry import limbs, quaternions

UPPER, LOWER = 0.43, 0.40
DOWN, SIDEWAYS = np.array([0.0, -1.0, 0.0]), np.array([1.0, 0.0, 0.0])
vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)


def end_of(first, second, upper=UPPER, lower=LOWER):
    return upper * first + lower * second


@settings(max_examples=200, deadline=None)
@given(start=vectors, goal=vectors, hinge=vectors)
def test_a_limb_ends_at_any_goal_within_reach(start, goal, hinge):
    gap = np.linalg.norm(goal - start)
    if not 0.05 < gap < UPPER + LOWER or np.linalg.norm(np.cross(hinge, goal - start)) < 1e-6:
        return
    first, second, _ = limbs.bend(start, goal, hinge, UPPER, LOWER)
    np.testing.assert_allclose(start + end_of(first, second), goal, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(goal=vectors, hinge=vectors)
def test_directions_have_length_one_and_the_hinge_is_square_to_both(goal, hinge):
    first, second, axis = limbs.bend(np.zeros(3), goal, hinge, UPPER, LOWER)
    for direction in (first, second, axis):
        np.testing.assert_allclose(np.linalg.norm(direction), 1.0, atol=1e-9)
    np.testing.assert_allclose([first @ axis, second @ axis], 0.0, atol=1e-7)


def test_the_lower_rod_only_folds_the_positive_way():
    goals = np.stack([np.zeros(200), -0.7 * np.ones(200), np.linspace(-0.45, 0.45, 200)], axis=-1)
    hinges = np.tile(SIDEWAYS, (200, 1))
    first, second, axis = limbs.bend(np.zeros((200, 3)), goals, hinges, UPPER, LOWER)
    folds = np.einsum("ti,ti->t", np.cross(first, second), axis)
    assert (folds >= 0.0).all()


def test_a_knee_points_forward():
    first, _, _ = limbs.bend(np.zeros(3), np.array([0.0, -0.7, 0.0]), SIDEWAYS, UPPER, LOWER)
    assert first[2] > 0.1


def test_a_goal_out_of_reach_is_pointed_at_with_the_limb_straight():
    first, second, _ = limbs.bend(np.zeros(3), np.array([0.0, -2.0, 0.0]), SIDEWAYS, UPPER, LOWER)
    np.testing.assert_allclose(first, DOWN, atol=1e-7)
    np.testing.assert_allclose(second, DOWN, atol=1e-7)


def test_a_goal_at_the_start_folds_a_hanging_limb_up():
    first, second, axis = limbs.bend(np.zeros(3), np.zeros(3), SIDEWAYS, UPPER, LOWER)
    np.testing.assert_allclose(first @ second, -1.0, atol=1e-6)
    np.testing.assert_allclose(axis, SIDEWAYS, atol=1e-9)


def test_a_limb_along_its_own_hinge_still_has_a_plane():
    first, second, axis = limbs.bend(np.zeros(3), np.array([0.6, 0.0, 0.0]), SIDEWAYS, UPPER, LOWER)
    assert np.isfinite(axis).all()
    np.testing.assert_allclose(end_of(first, second), [0.6, 0.0, 0.0], atol=1e-9)


def test_the_knee_plane_does_not_jump_while_a_leg_swings_past_vertical():
    swing = np.linspace(-1.0, 1.0, 400)
    goals = 0.8 * np.stack([0.1 * np.ones_like(swing), -np.cos(swing), np.sin(swing)], axis=-1)
    _, _, axis = limbs.bend(np.zeros((400, 3)), goals, np.tile(SIDEWAYS, (400, 1)), UPPER, LOWER)
    assert np.linalg.norm(np.diff(axis, axis=0), axis=-1).max() < 0.01


@settings(max_examples=50, deadline=None)
@given(turn=vectors)
def test_turning_to_where_a_rod_already_turned_gives_that_turn(turn):
    q = quaternions.from_rotvec(turn)
    along, hinge = quaternions.rotate(q, DOWN), quaternions.rotate(q, SIDEWAYS)
    found = limbs.rotation_to(along, hinge, DOWN, SIDEWAYS)
    np.testing.assert_allclose(quaternions.angle_between(found, q), 0.0, atol=1e-7)


@pytest.mark.parametrize("fold", [0.0, 0.3, 1.5, np.pi])
def test_reach_and_fold_agree(fold):
    first = DOWN
    second = quaternions.rotate(quaternions.from_rotvec(fold * SIDEWAYS), DOWN)
    found = limbs.reach_at(np.asarray(fold), UPPER, LOWER)
    np.testing.assert_allclose(found, np.linalg.norm(end_of(first, second)), atol=1e-9)


@settings(max_examples=200, deadline=None)
@given(start=vectors, thigh=vectors, shank=vectors, share=st.floats(0.2, 0.95), way=vectors)
def test_one_limb_bends_as_many_do(start, thigh, shank, share, way):
    lengths = [np.linalg.norm(rod) for rod in (thigh, shank, way)]
    across = np.cross(thigh, shank)
    if min(lengths) < 0.1 or np.linalg.norm(across) < 1e-3:
        return
    near, far = abs(lengths[0] - lengths[1]) + 1e-3, lengths[0] + lengths[1]
    joints = start, start + thigh, start + thigh + shank
    goal = start + (near + share * (far - near)) / lengths[2] * way
    axis = across / np.linalg.norm(across)
    fold, swing, reached = limbs.bend_towards(*(place[None] for place in (*joints, axis, goal)))
    one = limbs.bend_one_towards(*(tuple(place.tolist()) for place in (*joints, goal, axis)))
    assert quaternions.angle_between(fold[0], np.array(one[0])) == pytest.approx(0.0, abs=1e-6)
    assert quaternions.angle_between(swing[0], np.array(one[1])) == pytest.approx(0.0, abs=1e-6)
    assert reached[0] == pytest.approx(one[2], abs=1e-9)
    ends = (
        quaternions.rotate(swing, thigh + quaternions.rotate(fold, shank))[0],
        quaternions.rotate(np.array(one[1]), thigh + quaternions.rotate(np.array(one[0]), shank)),
    )
    for end in ends:
        np.testing.assert_allclose(start + end, goal, atol=1e-6)


def test_a_knee_that_passes_straight_does_not_swing_its_axis_round():
    """Thighs and shanks within a degree of each other, to any side, bend about the hinge, and alike."""
    hinge, goal = (1.0, 0.0, 0.0), (0.0, -0.8, 0.1)
    folds = []
    for angle in np.linspace(0.0, 2.0 * np.pi, 13):
        end = (0.007 * float(np.cos(angle)), -0.9, 0.007 * float(np.sin(angle)))
        fold, swing, _ = limbs.bend_one_towards((0.0, 0.0, 0.0), (0.0, -0.45, 0.0), end, goal, hinge)
        folds.append(np.array(fold))
        shank = np.array(end) - [0.0, -0.45, 0.0]
        reach = quaternions.rotate(
            np.array(swing), np.array([0.0, -0.45, 0.0]) + quaternions.rotate(np.array(fold), shank)
        )
        np.testing.assert_allclose(reach, goal, atol=1e-6)
    assert max(float(quaternions.angle_between(fold, folds[0])) for fold in folds) < np.radians(3.0)
