"""Turning on the spot: round one place, foot after foot, with feet that stand where they stand."""

import numpy as np
import pytest

from mocapella.actor import CAPTURED, CLEAN, capture, ground_points, perform
from mocapella.geometry import quaternions
from tests.actor.laws import STYLES, assert_feet_obey, assert_joints_obey

RATES = (-1.6, -0.7, 0.2, 1.0, 1.6)


def headings(clip):
    return np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))


@pytest.mark.parametrize("turn", RATES)
def test_the_body_turns_as_asked_and_stays_in_its_place(turn):
    clip, truth = perform("turn", turn=turn, cycles=6.0)
    later = truth.period * clip.frame_rate
    frames = np.arange(len(clip) - int(np.ceil(later)))
    turned = np.interp(frames + later, np.arange(len(clip)), headings(clip)) - headings(clip)[frames]
    np.testing.assert_allclose(turned, turn * truth.period, atol=1e-3)
    np.testing.assert_allclose([truth.turn, truth.speed], [turn, 0.0], atol=1e-9)
    assert np.linalg.norm(clip.root_positions[:, ::2], axis=-1).max() < 0.06  # it sways from foot to foot


@pytest.mark.parametrize("turn", RATES)
@pytest.mark.parametrize("style", STYLES)
def test_every_style_obeys_at_every_rate(style, turn):
    clip, truth = perform("turn", turn=turn, style=style, cycles=2.0)
    assert_feet_obey(clip, truth)
    assert_joints_obey(clip)


@pytest.mark.parametrize("height", [1.2, 2.2])
def test_short_and_tall_actors_obey(height):
    clip, truth = perform("turn", turn=1.6, height=height)
    assert_feet_obey(clip, truth)
    assert_joints_obey(clip)


@pytest.mark.parametrize("turn", RATES)
@pytest.mark.parametrize("style", STYLES)
def test_feet_and_knees_stay_clear_of_each_other(style, turn):
    clip, _ = perform("turn", turn=turn, style=style, cycles=2.0)
    points = ground_points(clip)
    along = np.linspace(0.0, 1.0, 8)[:, None, None]
    left, right = ((1.0 - along) * points[f"{s}_heel"] + along * points[f"{s}_tip"] for s in ("left", "right"))
    assert np.linalg.norm(left[:, None] - right[None], axis=-1).min() > 0.07
    knees = [clip.positions[:, clip.skeleton.index(f"{s}Leg")] for s in ("Left", "Right")]
    assert np.linalg.norm(knees[0] - knees[1], axis=-1).min() > 0.12
    # The left one is always on the left, as the body sees it.
    to_the_left = quaternions.rotate(quaternions.about_y(headings(clip)), np.array([1.0, 0.0, 0.0]))
    assert np.einsum("ti,ti->t", knees[0] - knees[1], to_the_left).min() > 0.12


@pytest.mark.parametrize("turn", RATES)
def test_one_foot_is_lifted_after_the_other_and_one_always_stands(turn):
    clip, truth = perform("turn", turn=turn, cycles=4.0)
    left, right = (truth.planted(f"{s}_heel") | truth.planted(f"{s}_toe") for s in ("left", "right"))
    assert (left | right).all()
    for own, heel in ((left, "left_heel"), (right, "right_heel")):
        lifts = np.flatnonzero(own[:-1] & ~own[1:])
        assert abs(len(lifts) - 4) <= 1
        assert ground_points(clip)[heel][~own, 1].max() > 0.04


def test_feet_land_further_round_each_time_and_on_one_circle():
    clip, truth = perform("turn", turn=1.2, cycles=6.0)
    toes = ground_points(clip)["left_toe"]
    landings = np.array([toes[last] for _, last in truth.contacts["left_toe"][1:-1]])[:, ::2]
    angles = np.unwrap(np.arctan2(*landings.T))
    np.testing.assert_allclose(np.diff(angles), 1.2 * truth.period, atol=0.01)
    np.testing.assert_allclose(np.linalg.norm(landings, axis=-1), np.linalg.norm(landings[0]), rtol=0.01)


def test_left_and_right_turns_mirror_each_other():
    left, right = (perform("turn", turn=turn, cycles=2.0) for turn in (1.0, -1.0))
    half = 0.5 * left[1].period * left[0].frame_rate
    frames = np.arange(60)
    hips = left[0].positions[frames, 0] * [-1.0, 1.0, 1.0]
    other = np.stack(
        [np.interp(frames + half, np.arange(len(right[0])), c) for c in right[0].positions[:, 0].T], axis=-1
    )
    back = quaternions.rotate(quaternions.about_y(0.5 * left[1].period * 1.0), other)
    np.testing.assert_allclose(back, hips, atol=2e-3)


def test_who_turns_faster_steps_quicker_and_further():
    slow, fast = (perform("turn", turn=turn)[1] for turn in (0.4, 1.5))
    assert fast.period < slow.period
    assert fast.turn * fast.period > slow.turn * slow.period


def test_a_captured_turn_has_the_flaws_of_a_capture():
    clean, flawed = (capture("turn left", imperfections=flaws) for flaws in (CLEAN, CAPTURED))
    assert len(clean[0]) != len(flawed[0])
    assert abs(flawed[1].turn - 1.6) < 0.1
    assert np.ptp(np.diff(headings(flawed[0]))) > np.ptp(np.diff(headings(clean[0])))


def test_nothing_said_is_a_turn_to_the_left():
    assert perform("turn", cycles=1.0)[1].turn == pytest.approx(1.0)
