"""Laws of the player: time, place, steering and refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.player import Player
from mocapella.playback.record import record


class Counting:
    """A network that counts how often it is asked to blend."""

    def __init__(self, network):
        self.network, self.count = network, 0

    def blend(self, point):
        self.count += 1
        return self.network.blend(point)


def state(player):
    return player.point, player.goal, player.phase, player.position, player.heading


def same_pose(a, b, tolerance=1e-9):
    np.testing.assert_allclose(a.root_position, b.root_position, atol=tolerance)
    np.testing.assert_allclose(a.rotations_wxyz, b.rotations_wxyz, atol=tolerance)


@pytest.mark.parametrize("feet", ["held", "velocity"])
def test_many_small_steps_lead_where_one_large_one_does(turning, feet):
    fine, coarse = Player(turning, feet=feet), Player(turning, feet=feet)
    for _ in range(90):
        fine.step(1.7 / 90)
    coarse.step(1.7)
    np.testing.assert_allclose(fine.position, coarse.position, atol=1e-9)
    np.testing.assert_allclose((fine.heading, fine.phase), (coarse.heading, coarse.phase), atol=1e-9)


def test_equal_commands_give_equal_poses(network):
    poses = []
    for _ in range(2):
        player = Player(network, point=(0.0, 1.0))
        player.point = (0.4, 1.2)
        poses.append([player.step(1 / 30) for _ in range(20)])
    for a, b in zip(*poses, strict=True):
        assert np.array_equal(a.root_position, b.root_position)
        assert np.array_equal(a.rotations_wxyz, b.rotations_wxyz)


def test_beginning_elsewhere_moves_and_turns_the_whole_motion(turning):
    here = record(Player(turning), seconds=1.0, frame_rate=30)
    there = record(Player(turning, position=(2.0, -1.0), heading=0.7), seconds=1.0, frame_rate=30)
    moved = here.turned(0.7).moved(2.0, -1.0)
    np.testing.assert_allclose(there.positions, moved.positions, atol=1e-9)


def test_no_time_gives_the_present_pose_and_changes_nothing(walk):
    player = Player(walk, phase=1.0)
    first = player.step(0.0)
    before = state(player)
    same_pose(first, player.step(0.0))
    assert state(player) == before


@pytest.mark.parametrize("dt", [-0.01, math.nan, math.inf])
def test_time_that_does_not_go_forward_is_refused_and_the_player_stays(walk, dt):
    player = Player(walk)
    player.step(0.3)
    before = state(player)
    with pytest.raises(MotionError, match="time goes forward"):
        player.step(dt)
    assert state(player) == before


@pytest.mark.parametrize("point", [(math.nan, 1.0), (1.0,), (0.0, math.inf), (0.0, 1.0, 2.0)])
def test_a_point_that_is_no_place_is_refused_and_the_player_stays(network, point):
    player = Player(network, point=(0.0, 1.0))
    player.step(0.1)
    before = state(player)
    with pytest.raises(MotionError, match="blending point"):
        player.point = point
    assert state(player) == before
    player.step(0.1)


@pytest.mark.parametrize("duration", [1e308, 1e-300])
def test_a_motion_out_of_all_bounds_is_refused(walk, duration):
    with pytest.raises(MotionError, match=r"what is played lasts .* expected 1e-06 to"):
        Player(replace(walk, duration=duration))


def test_a_motion_without_a_layout_is_refused():
    with pytest.raises(MotionError, match="no layout"):
        Player(Spectrum(np.zeros((3, 5), dtype=complex), duration=1.0))


def test_nothing_is_blended_while_the_point_rests(network):
    counting = Counting(network)
    player = Player(counting, point=(0.1, 1.1))
    for _ in range(50):
        player.step(1 / 60)
    assert counting.count == 1
    player.point = (0.1, 1.1)  # where it is already
    player.step(1 / 60)
    assert counting.count == 1


def test_the_next_pose_answers_a_new_point(network):
    still, moved = (Player(network, point=(0.0, 1.1)) for _ in range(2))
    still.step(0.2)
    moved.step(0.2)
    moved.point = (0.4, 1.0)
    apart = still.step(1 / 60).rotations_wxyz - moved.step(1 / 60).rotations_wxyz
    assert np.abs(apart).max() > 1e-6


def test_progress_never_jumps_when_the_duration_changes(network):
    player = Player(network, point=(0.0, 0.95), ease=0.0)
    rng = np.random.default_rng(2)
    for _ in range(60):
        player.point = (rng.uniform(-0.5, 0.5), rng.uniform(0.9, 1.5))
        before = player.phase
        player.step(1 / 60)
        expected = 2.0 * np.pi / 60.0 / player.spectrum.duration
        np.testing.assert_allclose((player.phase - before) % (2.0 * np.pi), expected, atol=1e-9)


@pytest.mark.parametrize("feet", ["held", "anchored", "velocity"])
@pytest.mark.parametrize("phase", [0.0, 1.0, 4.0])
def test_it_goes_the_way_it_is_told_to_whatever_the_swing_of_its_hips(network, feet, phase):
    player = Player(network, point=(0.0, 1.1), heading=0.4, phase=phase, feet=feet)
    assert player.course == pytest.approx(0.4, abs=1e-9)
    start = player.centre
    player.point = (0.0, 1.1 + 1e-9)
    for _ in range(600):
        player.step(1 / 60)
    x, z = np.subtract(player.centre, start)
    assert np.degrees(np.arctan2(x, z) - 0.4) == pytest.approx(0.0, abs=0.5)


def test_a_walk_backwards_faces_the_way_it_is_told_to(walk):
    coefficients = np.array(walk.coefficients)
    coefficients[:, [-3, -2]] *= -1.0
    player = Player(replace(walk, coefficients=coefficients), feet="velocity", heading=0.4)
    faced = [(player.step(walk.duration / 60), player.heading)[1] for _ in range(60)]
    assert np.mean(faced) == pytest.approx(0.4, abs=0.01)
    assert player.position[1] < 0.0


def test_the_heading_is_the_integral_of_the_blended_turn_rate(network):
    player = Player(network, point=(0.0, 1.1))
    rng = np.random.default_rng(3)
    heading = player.heading
    for i in range(120):
        if i % 20 == 0:
            player.point = (rng.uniform(-0.6, 0.6), rng.uniform(0.9, 1.6))
        before = player.phase
        player.step(1 / 30)
        turn = player.spectrum.integral_at(np.array([before, before + 2.0 * np.pi / 30 / player.spectrum.duration]))
        heading += turn[1, -1] - turn[0, -1]
    np.testing.assert_allclose(player.heading, heading, atol=1e-9)


def test_tilt_does_not_add_up_over_ten_turning_cycles(turning):
    player = Player(turning)
    tilt = quaternions.about_y(-player.heading)
    first = quaternions.multiply(tilt, player.step(0.0).rotations_wxyz[0])
    pose = player.step(10.0 * turning.duration)
    last = quaternions.multiply(quaternions.about_y(-player.heading), pose.rotations_wxyz[0])
    assert np.degrees(quaternions.angle_between(first, last)) < 1e-6


def test_random_steering_stays_smooth(network, cycles):
    player = Player(network, point=(0.0, 1.1))
    rng = np.random.default_rng(4)
    rotations = []
    for i in range(300):
        if i % 25 == 0:
            player.point = (rng.uniform(-0.8, 0.8), rng.uniform(0.7, 1.8))  # outside the network too
        pose = player.step(1 / 60)
        assert np.isfinite(pose.root_position).all()
        rotations.append(pose.rotations_wxyz)
    played = np.array(rotations)
    step = quaternions.angle_between(played[1:], played[:-1]).max()
    captured = [cycle.to_clip(2).resampled(60.0).rotations_wxyz for cycle in cycles]
    most = max(quaternions.angle_between(each[1:], each[:-1]).max() for each in captured)
    assert step < 1.5 * most


def test_a_point_that_leaps_does_not_make_the_body_leap(network):
    player = Player(network, point=(-0.6, 0.9), ease=0.0)
    before = player.step(0.1)
    player.point = (0.0, 1.6)
    after = player.step(1e-3)
    assert np.degrees(quaternions.angle_between(before.rotations_wxyz, after.rotations_wxyz).max()) < 2.0
    for _ in range(120):
        player.step(1 / 60)
    assert player.point == player.goal
    np.testing.assert_allclose(player.goal, (0.0, 1.6), atol=0.02)


def test_a_body_without_legs_plays_by_its_root_alone():
    body = Skeleton.of(["root", "arm"], [-1, 0], [[0, 1, 0], [0, 0.3, 0]])
    layout = layout_of("quaternion", body)
    coefficients = np.zeros((2, layout.n_dofs), dtype=complex)
    coefficients[0, [0, 4]] = 1.0
    coefficients[0, -3] = 0.5
    spectrum = Spectrum(coefficients, 1.0, layout)
    with pytest.raises(MotionError, match="feet='velocity'"):
        Player(spectrum)
    player = Player(spectrum, feet="velocity")
    player.step(2.0)
    np.testing.assert_allclose(player.position, (0.0, 1.0), atol=1e-12)


def test_a_motion_without_known_plants_plays_with_a_warning(walk):
    from dataclasses import replace

    with pytest.warns(MotionWarning, match="no foot plants"):
        player = Player(replace(walk, contacts=None))
    player.step(0.5)


def test_course_and_centre_leave_out_the_sway_of_the_steps(walk):
    player = Player(walk)
    places, courses = [], []
    for _ in range(60):
        player.step(walk.duration / 60)
        places.append(player.centre)
        courses.append(player.course)
    steps = np.diff(places, axis=0)
    np.testing.assert_allclose(steps, np.tile(steps.mean(axis=0), (59, 1)), atol=1e-4)
    assert np.ptp(courses) < 1e-3
    np.testing.assert_allclose(np.arctan2(*steps.mean(axis=0)), np.mean(courses), atol=1e-3)


def test_a_slip_of_the_pen_is_no_new_attribute(turning):
    player = Player(turning)
    with pytest.raises(AttributeError, match="a player has no 'pont'; did you mean 'point'"):
        player.pont = (0.0, 1.0)
    assert repr(player).startswith("Player(Spectrum(")
