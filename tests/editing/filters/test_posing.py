"""Joints dragged to places: the body follows, pins stay."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.editing.filters.posing import pose
from mocapella.editing.filters.reaching import reach
from mocapella.geometry import quaternions
from mocapella.rig.roles import find_roles

FRAME = 60


@pytest.fixture(scope="module")
def walk():
    return perform("walk", cycles=2.0, frame_rate=60.0)[0]


@pytest.fixture(scope="module")
def roles(walk):
    return find_roles(walk.skeleton)


@pytest.mark.parametrize(
    ("joint", "by"), [("right_wrist", (0.1, 0.2, 0.25)), ("right_wrist", (0.0, -0.3, 0.2)), ("hips", (0.0, -0.2, 0.0))]
)
def test_the_joint_arrives_and_pinned_joints_stay_in_every_frame(walk, roles, joint, by):
    goal = walk.positions[FRAME, roles[joint]] + by
    made = pose(walk, joint=joint, frame=FRAME + walk.first_row, place=goal.tolist())
    np.testing.assert_allclose(made.positions[FRAME, roles[joint]], goal, atol=1e-4)
    pins = [roles["left_ankle"], roles["right_ankle"]]
    np.testing.assert_allclose(made.positions[:, pins], walk.positions[:, pins], atol=1e-4)
    turned = quaternions.angle_between(made.world[1][:, pins], walk.world[1][:, pins])
    np.testing.assert_allclose(turned, 0.0, atol=1e-6)  # feet lie as they did
    away = np.abs(np.arange(walk.n_frames) - FRAME) > 0.5 * walk.frame_rate
    np.testing.assert_array_equal(made.rotations_wxyz[away], walk.rotations_wxyz[away])


def test_a_joint_that_is_where_it_should_be_moves_nothing(walk, roles):
    goal = walk.positions[FRAME, roles["head"]]
    made = pose(walk, joint="head", frame=FRAME + walk.first_row, place=goal.tolist())
    np.testing.assert_allclose(made.positions, walk.positions, atol=1e-9)


def test_knees_do_not_fold_backwards_and_turn_about_their_hinge_alone(walk, roles):
    goal = walk.root_positions[FRAME] + [0.0, 0.3, 0.0]  # higher than the legs are long
    made = pose(walk, joint="hips", frame=FRAME + walk.first_row, place=goal.tolist())
    hip, knee, ankle = (made.positions[:, roles[f"left_{part}"]] for part in ("hip", "knee", "ankle"))
    ahead = np.stack([np.sin(made.headings), 0 * made.headings, np.cos(made.headings)], axis=1)
    beside = knee - 0.5 * (hip + ankle)
    assert np.einsum("fi,fi->f", beside, ahead).min() > -0.02
    assert "unreachable" in {one.code for one in made.report.findings}
    pins = [roles["left_ankle"], roles["right_ankle"]]
    np.testing.assert_allclose(made.positions[:, pins], walk.positions[:, pins], atol=1e-4)  # rather than the goal


def test_what_is_out_of_reach_is_named_by_frame_and_leads_to_no_shaking(walk, roles):
    goal = walk.positions[FRAME, roles["right_wrist"]] + [0.0, 2.0, 0.0]
    made = pose(walk, joint="right_wrist", frame=FRAME + walk.first_row, place=goal.tolist())
    (found,) = [one for one in made.report.findings if one.code == "unreachable"]
    assert FRAME + walk.first_row in found.frames
    assert "misses its place by up to" in found.message
    jerks = np.abs(np.diff(made.root_positions, n=2, axis=0)).max()
    assert jerks < 0.05  # without ever less far it shakes by more


@pytest.mark.parametrize("edit", [pose, reach])
def test_a_cycle_is_led_to_the_place_in_every_round(walk, edit):
    cycle = mo.prepare(walk)
    roles, at = find_roles(cycle.skeleton), cycle.n_frames // 3
    before = cycle.to_clip(rounds=3)
    goal = before.positions[at, roles["right_wrist"]] + [0.0, 0.05, 0.05]
    made = edit(cycle, joint="right_wrist", frame=at, place=goal.tolist(), span=0.2)
    clip = made.to_clip(rounds=3)
    np.testing.assert_allclose(clip.positions[at, roles["right_wrist"]], goal, atol=2e-3)
    lifted = clip.positions[:, roles["right_wrist"], 1] - before.positions[:, roles["right_wrist"], 1]
    n = cycle.n_frames
    np.testing.assert_allclose(lifted[[at, at + n, at + 2 * n]], 0.05, atol=2e-3)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"joint": "left_ankle", "frame": 60}, "cannot both stay and be moved"),
        ({"joint": "head", "frame": 99999}, "expected a frame from"),
        ({"joint": "head", "frame": 60, "pins": ["left_ancle"]}, "did you mean left_ankle"),
        ({"joint": "head", "frame": 60, "place": [0.0, np.nan, 0.0]}, "a place of three numbers"),
    ],
)
def test_what_cannot_be_posed_is_refused(walk, values, says):
    with pytest.raises(mo.MotionError, match=says):
        pose(walk, **({"place": [0.0, 1.0, 0.0]} | values))
