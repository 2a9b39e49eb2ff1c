"""A captured motion on its way: as captured at its frames, smooth between them, on feet that stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.analysis.plants.detect import find_plants
from mocapella.gait.root_motion import cycle_by_root
from mocapella.geometry import quaternions
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.playback.capture import clip_on_ground
from mocapella.playback.handover import OffsetMotion, PoseOffset, pose_offset
from mocapella.playback.playhead import Playhead
from mocapella.rig.legs import legs_of


@pytest.fixture(scope="module")
def twirl():
    clip = capture("walk-twirl-walk")[0]
    return clip, find_plants(clip)


@pytest.fixture(scope="module")
def passage(twirl):
    return clip_on_ground(*twirl)


def test_at_its_frames_the_capture_comes_out_as_it_is(twirl):
    clip, contacts = twirl
    passage = clip_on_ground(clip, contacts, False)
    for frame in (0, 1, 300, clip.n_frames - 2):
        rotations, height = passage.posture(float(frame))
        yaw, path = passage.way(float(frame))
        assert np.array_equal(rotations[1:], clip.rotations_wxyz[frame, 1:])
        root = quaternions.multiply(quaternions.about_y(yaw), rotations[0])
        np.testing.assert_allclose(quaternions.angle_between(root, clip.rotations_wxyz[frame, 0]), 0.0, atol=1e-7)
        np.testing.assert_allclose([path.imag, height, path.real], clip.root_positions[frame], atol=1e-12)


def test_a_twirl_turns_its_heading_right_round(twirl, passage):
    clip, _ = twirl
    turned = passage.way(float(clip.n_frames - 1))[0] - passage.way(0.0)[0]
    assert turned == pytest.approx(2.0 * np.pi, abs=0.3)


@pytest.mark.parametrize("phase", [200.3, 411.77, 640.5])
def test_between_frames_it_is_smooth(passage, phase):
    rotations, _ = passage.posture(phase)
    np.testing.assert_allclose(np.linalg.norm(rotations, axis=-1), 1.0, atol=1e-12)
    edge = np.floor(phase)
    before, after = passage.way(edge - 1e-4), passage.way(edge + 1e-4)
    ahead, behind = passage.way(edge + 2e-4), passage.way(edge - 2e-4)
    for i in (0, 1):
        assert abs((ahead[i] - after[i]) - (before[i] - behind[i])) < 1e-6  # no corner at a frame


@pytest.mark.parametrize("point", range(4))
def test_the_speed_of_a_foot_point_is_how_fast_its_place_changes(passage, point):
    at = 333.4
    before, after = passage.touch(point, at - 1e-5), passage.touch(point, at + 1e-5)
    touch = passage.touch(point, at)
    assert touch.speed == pytest.approx((after.place - before.place) / 2e-5, abs=1e-5)


def _slides(passage, feet):
    """How far points drift over the middle halves of their plants, the root going as a passage says, metres."""
    out = []
    for i, own in enumerate(feet.plants):
        for plant in own:
            places = []
            for phase in (plant.start + 0.25 * plant.length, plant.start + 0.75 * plant.length):
                (yaw, path), (foot_yaw, foot_path) = passage.way(phase), feet.way(phase)
                seen = (feet.touch(i, phase).place - foot_path) * np.exp(-1j * foot_yaw)
                places.append(path + seen * np.exp(1j * yaw))
            out.append(abs(places[1] - places[0]))
    return float(np.mean(out))


def test_a_root_that_was_captured_too_fast_goes_as_planted_feet_ask(twirl):
    clip, contacts = twirl
    hasty = replace(clip, root_positions=clip.root_positions * [1.06, 1.0, 1.06])
    asked, captured = clip_on_ground(hasty, contacts), clip_on_ground(hasty, contacts, False)
    assert _slides(captured, asked) > 0.008
    assert _slides(asked, asked) < 0.4 * _slides(captured, asked)


def test_feet_that_stand_are_at_the_height_of_their_soles(twirl, passage):
    soles = [height for leg in legs_of(twirl[0].skeleton) for height in (leg.heel_height, leg.toe_height)]
    heights = [
        passage.touch(i, plant.start + 0.5 * plant.length).height - soles[i]
        for i, own in enumerate(passage.plants)
        for plant in own
    ]
    assert np.abs(np.median(heights)) < 2e-3


def test_plants_come_once(passage):
    for own in passage.plants:
        for plant in own:
            assert plant.hold(plant.since(plant.start - plant.approach - 5.0)) == 0.0
            assert plant.hold(plant.since(plant.start + 0.5 * plant.length)) == plant.firmness
            assert plant.hold(plant.since(plant.start + plant.length + plant.release + 5.0)) == 0.0


def test_without_foot_plants_the_root_goes_as_captured(twirl):
    clip, _ = twirl
    passage = clip_on_ground(clip, Contacts(clip.n_frames))
    yaw, path = passage.way(400.0)
    np.testing.assert_allclose([path.imag, path.real], clip.root_positions[400, ::2], atol=1e-12)
    assert not any(passage.bearing(400.5))
    assert all(len(own) == 0 for own in passage.plants)
    assert len(passage.plants) == len(FOOT_POINTS)
    assert np.isfinite(yaw)


def test_a_join_begins_with_the_old_motion_and_ends_with_the_new(passage, walk):
    gait = cycle_by_root(walk)
    join: PoseOffset = pose_offset(gait, 1.0, passage, 300.0, 0.3)
    joined = OffsetMotion(passage, join, 300.0, 0.0, None)
    old, new = gait.posture(1.0), joined.posture(300.0)
    np.testing.assert_allclose(quaternions.angle_between(old[0], new[0]), 0.0, atol=1e-7)
    assert new[1] == pytest.approx(old[1], abs=1e-12)
    late = 300.0 + 0.31 * passage.rate
    assert np.array_equal(joined.posture(late)[0], passage.posture(late)[0])
    # and as fast as the old one: over a hundredth of a second the poses part by second order only
    for dt in (0.002, 0.004):
        apart = quaternions.angle_between(
            gait.posture(1.0 + dt * gait.rate)[0], joined.posture(300.0 + dt * passage.rate)[0]
        )
        assert apart.max() < 400.0 * dt * dt


def test_a_join_carries_the_old_velocity_on_and_lets_it_run_out(passage, walk):
    join = pose_offset(cycle_by_root(walk), 1.0, passage, 300.0, 0.3)
    head = Playhead(0.0, (0.0, 0.0), 0.0)
    soon, late = join.carried(head, 0.0, 1e-4), join.carried(head, 0.0, 5.0)
    assert soon.place / 1e-4 == pytest.approx(join.velocity, rel=1e-2)
    assert late.place == pytest.approx(join.velocity * 0.1)  # a third of the time
    assert join.carried(late, 5.0, 6.0) == late
