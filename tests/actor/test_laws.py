"""Laws that every noise-free performance obeys: of the ground, of the joints, of smoothness."""

import numpy as np
import pytest

from mocapella.actor import perform, repertoire
from mocapella.geometry import quaternions
from tests.actor.laws import STYLES, assert_feet_obey, assert_joints_obey


@pytest.mark.parametrize("name", repertoire())
def test_planted_feet_neither_slip_nor_sink(clean, name):
    assert_feet_obey(*clean[name])


@pytest.mark.parametrize("name", repertoire())
def test_joint_limits_hold_and_knees_never_bend_backwards(clean, name):
    assert_joints_obey(clean[name][0])


@pytest.mark.parametrize("name", repertoire())
def test_bones_keep_their_length(clean, name):
    clip = clean[name][0]
    parents = clip.skeleton.parents[1:]
    lengths = np.linalg.norm(clip.positions[:, 1:] - clip.positions[:, parents], axis=-1)
    expected = np.linalg.norm(clip.skeleton.offsets[1:], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(expected, lengths.shape), atol=1e-9)


@pytest.mark.parametrize("name", repertoire())
def test_nothing_jerks(clean, name):
    clip = clean[name][0]
    q = clip.rotations_wxyz
    spins = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(q[:-1]), q[1:])) * clip.frame_rate
    jolts = np.linalg.norm(np.diff(spins, axis=0), axis=-1) * clip.frame_rate
    at = np.unravel_index(jolts.argmax(), jolts.shape)
    limit = 2400.0 if "run" in name else 1700.0  # rad/s²; real captures of these gaits reach twice as much
    assert jolts.max() < limit, f"{clip.skeleton.names[at[1]]} jerks at frame {at[0]}"
    assert np.linalg.norm(spins, axis=-1).max() < 30.0


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("action", "speed"), [("walk", 0.5), ("walk", 1.9), ("run", 2.0), ("run", 4.4)])
def test_every_style_obeys_at_every_speed(action, speed, style):
    style = "normal" if (action, style) == ("run", "marching") else style  # one marches at a walk
    clip, truth = perform(action, speed=speed, style=style, cycles=2.0)
    assert_feet_obey(clip, truth)
    assert_joints_obey(clip)


@pytest.mark.parametrize("height", [1.2, 1.5, 2.2])
@pytest.mark.parametrize("action", ["walk", "run", "walk-twirl-walk", "dance", "drink", "stand-walk"])
def test_short_and_tall_actors_obey_too(action, height):
    clip, truth = perform(action, height=height)
    assert_feet_obey(clip, truth)
    assert_joints_obey(clip)


@pytest.mark.parametrize("frame_rate", [30.0, 100.0, 120.0])
def test_frame_rates_show_the_same_motion(frame_rate):
    fine, _ = perform("walk", seconds=3.0, frame_rate=600.0)
    coarse, truth = perform("walk", seconds=3.0, frame_rate=frame_rate)
    assert_feet_obey(coarse, truth)
    every = int(600 / frame_rate)
    np.testing.assert_allclose(coarse.positions, fine.positions[::every][: len(coarse)], atol=4e-3)


@pytest.mark.parametrize("slope", [-0.17, 0.17])
def test_steep_slopes_are_walked_without_slipping(slope):
    clip, truth = perform("walk", slope=slope, speed=1.0)
    assert_feet_obey(clip, truth)
    assert_joints_obey(clip)
    rise = clip.root_positions[-1, 1] - clip.root_positions[0, 1]
    ahead = clip.root_positions[-1, 2] - clip.root_positions[0, 2]
    np.testing.assert_allclose(rise / ahead, np.tan(slope), rtol=0.02)


@pytest.mark.parametrize(("action", "speed"), [("walk", 1.2), ("run", 3.2)])
def test_a_steady_gait_repeats_itself(action, speed):
    clip, truth = perform(action, speed=speed, cycles=3.0, frame_rate=120.0)
    later = truth.period * 120.0
    whole = round(later)
    shown = clip.resampled(120.0 * whole / later)  # a frame rate at which a cycle is a whole number of frames
    apart = quaternions.angle_between(shown.rotations_wxyz[:whole], shown.rotations_wxyz[whole : 2 * whole])
    assert np.degrees(apart.max()) < 1.0


@pytest.mark.parametrize(("action", "speed"), [("walk", 1.2), ("run", 3.2)])
def test_the_second_half_of_a_cycle_mirrors_the_first(action, speed):
    clip, truth = perform(action, speed=speed, cycles=2.0)
    half = 0.5 * truth.period * clip.frame_rate
    frames = np.arange(int(half))
    knees = [
        quaternions.to_rotvec(clip.rotations_wxyz[:, clip.skeleton.index(f"{s}Leg")])[:, 0] for s in ("Left", "Right")
    ]
    later = np.interp(frames + half, np.arange(len(clip)), knees[1])
    np.testing.assert_allclose(knees[0][frames], later, atol=np.radians(2.0))
