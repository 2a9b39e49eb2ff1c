"""The truth is the motion's: speed, turn, period, phase, contacts and boundaries as measured from the clip."""

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.geometry import quaternions

GRAVITY = 9.81


def measured(clip, period):
    """Speed and turn rate from whole cycles of the root: its place and heading one cycle later."""
    later = period * clip.frame_rate
    frames = np.arange(len(clip))
    starts = frames[frames + later <= len(clip) - 1]
    yaw = np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))
    turn = np.mean(np.interp(starts + later, frames, yaw) - yaw[starts])
    places = clip.root_positions[:, [0, 2]]
    ahead = np.stack([np.interp(starts + later, frames, places[:, i]) for i in (0, 1)], axis=-1)
    chord = np.linalg.norm(ahead - places[starts], axis=-1).mean()
    return chord / np.sinc(turn / (2 * np.pi)) / period, turn / period  # the arc over the chord


@pytest.mark.parametrize(
    ("action", "speed", "turn"),
    [
        ("walk", 0.6, 0.0),
        ("walk", 1.3, 0.5),
        ("walk", 1.0, -1.1),
        ("walk", 2.0, 0.0),
        ("run", 2.2, 0.9),
        ("run", 4.0, -0.4),
    ],
)
def test_speed_and_turn_are_those_of_the_root(action, speed, turn):
    clip, truth = perform(action, speed=speed, turn=turn)
    np.testing.assert_allclose([truth.speed, truth.turn], [speed, turn], rtol=1e-3, atol=1e-6)
    found_speed, found_turn = measured(clip, truth.period)
    np.testing.assert_allclose(found_speed, truth.speed, rtol=0.01)
    np.testing.assert_allclose(found_turn, truth.turn, rtol=0.01, atol=1e-3)


def test_a_left_turn_goes_left():
    clip, truth = perform("walk", turn=0.5)
    assert truth.turn > 0
    assert clip.root_positions[-1, 0] > 0.5


@pytest.mark.parametrize("action", ["walk", "run"])
def test_phase_is_zero_when_the_left_foot_strikes(action):
    clip, truth = perform(action)
    per_frame = 2 * np.pi / (truth.period * clip.frame_rate)
    strikes = truth.contacts["left_heel"][1:, 0]
    assert (truth.phases[strikes] < per_frame + 1e-9).all()
    right = truth.contacts["right_heel"][1:, 0]
    assert (np.abs(truth.phases[right] - np.pi) < per_frame + 1e-9).all()


def test_phase_runs_evenly_through_every_cycle():
    clip, truth = perform("walk")
    steps = np.diff(np.unwrap(truth.phases))
    np.testing.assert_allclose(steps, 2 * np.pi / (truth.period * clip.frame_rate), rtol=1e-6)


def test_inmans_law_gives_the_period_of_a_walk():
    _, truth = perform("walk", speed=1.3)
    leg = 0.491 * 1.75
    np.testing.assert_allclose(1 / truth.period, 0.743 * np.sqrt(1.3 / leg), rtol=1e-3)


def strides(truth, side, frames_per_cycle):
    """Strike, toe strike, heel off and toe off of each whole stance, as fractions of the cycle after the first."""
    heel, toe = truth.contacts[f"{side}_heel"], truth.contacts[f"{side}_toe"]
    rows = []
    for strike, heel_off in heel[1:-1]:
        toe_strike, toe_off = toe[np.argmin(np.abs(toe[:, 0] - strike))]
        rows.append([0, toe_strike - strike, heel_off - strike, toe_off - strike])
    return np.array(rows) / frames_per_cycle


@pytest.mark.parametrize(
    ("style", "toe_strike", "toe_off"),
    [
        ("normal", (0.03, 0.11), (0.50, 0.62)),
        ("relaxed", (0.05, 0.12), (0.55, 0.64)),
        ("marching", (-0.08, -0.02), (0.43, 0.57)),
    ],
)
def test_contacts_come_in_the_order_and_at_the_times_of_the_plant_tables(style, toe_strike, toe_off):
    clip, truth = perform("walk", style=style, cycles=5.0)
    for side in ("left", "right"):
        rows = strides(truth, side, truth.period * clip.frame_rate)
        assert (toe_strike[0] <= rows[:, 1]).all()
        assert (rows[:, 1] <= toe_strike[1]).all()
        assert (toe_off[0] <= rows[:, 3]).all()
        assert (rows[:, 3] <= toe_off[1]).all()
        assert (rows[:, 2] < rows[:, 3]).all()


def test_walking_never_leaves_the_ground_and_running_never_has_both_feet_on_it():
    for action, most in (("walk", 2), ("run", 1)):
        _, truth = perform(action)
        left, right = (truth.planted(f"{side}_heel") | truth.planted(f"{side}_toe") for side in ("left", "right"))
        feet = left.astype(int) + right.astype(int)
        assert feet.max() == most
        assert feet.min() == most - 1


@pytest.mark.parametrize("speed", [2.2, 3.0, 4.0])
def test_a_runner_in_flight_falls_freely(speed):
    clip, truth = perform("run", speed=speed)
    air = ~(
        truth.planted("left_heel")
        | truth.planted("left_toe")
        | truth.planted("right_heel")
        | truth.planted("right_toe")
    )
    inner = air[:-4] & air[1:-3] & air[2:-2] & air[3:-1] & air[4:]
    falls = np.diff(clip.root_positions[:, 1], n=2) * clip.frame_rate**2
    np.testing.assert_allclose(falls[1:-1][inner], -GRAVITY, rtol=0.02)


def test_faster_walkers_take_longer_and_quicker_steps():
    slow, fast = (perform("walk", speed=speed)[1] for speed in (0.8, 1.8))
    assert fast.period < slow.period
    assert fast.period * fast.speed > slow.period * slow.speed


@pytest.mark.parametrize(
    "action", ["walk-run", "run-walk", "walk-twirl-walk", "run-twirl-run", "stand-walk", "walk-stand"]
)
def test_a_transition_has_a_cycle_before_and_after_its_change(action):
    clip, truth = perform(action)
    (before, change, after) = truth.boundaries
    assert before[0] >= 0
    assert after[1] < len(clip)
    assert before[1] + 1 == change[0]
    assert change[1] + 1 == after[0]
    for (first, last), period in ((before, truth.period), (after, truth.period_after)):
        np.testing.assert_allclose((last - first + 1) / clip.frame_rate, period, atol=1.5 / clip.frame_rate)


def test_a_twirl_turns_once_round_within_its_change():
    clip, truth = perform("walk-twirl-walk")
    _, (first, last), _ = truth.boundaries
    yaw = np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))
    np.testing.assert_allclose(yaw[last] - yaw[first], 2 * np.pi, atol=0.25)


def test_someone_who_stands_before_walking_stands_still_and_then_goes_at_his_speed():
    clip, truth = perform("stand-walk", speed=1.2)
    (first, last), _, (begin, end) = truth.boundaries
    assert np.linalg.norm(np.ptp(clip.root_positions[first : last + 1], axis=0)) < 0.02
    gone = np.linalg.norm(clip.root_positions[end] - clip.root_positions[begin]) / ((end - begin) / clip.frame_rate)
    np.testing.assert_allclose(gone, 1.2, rtol=0.02)


@pytest.mark.parametrize("target", [(-0.2, 0.1, 0.45), (0.05, 0.25, 0.35)])
def test_a_reaching_hand_gets_there(target):
    clip, _ = perform("reach", target=target)
    positions, world = clip.world
    chest, wrist = clip.skeleton.index("Chest"), clip.skeleton.index("RightHand")
    seen = quaternions.rotate(quaternions.conjugate(world[:, chest]), positions[:, wrist] - positions[:, chest])
    assert np.linalg.norm(seen - np.array(target), axis=-1).min() < 1e-3


def test_anger_is_faster():
    for action in ("drink", "knock"):
        calm, angry = (perform(action, style=style)[0] for style in ("normal", "angry"))
        speeds = [
            np.linalg.norm(np.diff(c.positions[:, c.skeleton.index("RightHand")], axis=0), axis=-1).max()
            for c in (calm, angry)
        ]
        assert speeds[1] > 1.5 * speeds[0]
