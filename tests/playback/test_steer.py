"""Laws of paths and of steering along them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mocapella.blending.calibrated import Calibration
from mocapella.errors import MotionError
from mocapella.playback.path import Path
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.steer import Follower, GoTo, Request, played_rates, turn_towards


@pytest.fixture(scope="module")
def rates(network):
    return Calibration(network, measure=played_rates, steps=2)


def test_a_polyline_is_as_long_as_its_pieces_and_passes_its_corners():
    path = Path.of([(0, 0), (0, 4), (3, 4)], smooth=False)
    np.testing.assert_allclose(path.length, 7.0, atol=1e-9)
    np.testing.assert_allclose(path.at(4.0), (0.0, 4.0), atol=0.02)
    np.testing.assert_allclose((path.heading(1.0), path.heading(6.0)), (0.0, np.pi / 2), atol=1e-9)


def test_a_spline_through_a_circle_is_a_circle():
    angles = np.linspace(0.0, np.pi, 9)
    path = Path.of(np.stack([3.0 - 3.0 * np.cos(angles), 3.0 * np.sin(angles)], axis=1))
    np.testing.assert_allclose(path.length, 3.0 * np.pi, rtol=1e-3)
    radii = np.linalg.norm(path.places - np.array([3.0, 0.0]), axis=1)
    np.testing.assert_allclose(radii, 3.0, atol=0.02)


def test_places_to_the_left_of_a_path_are_on_its_left():
    path = Path.of([(0, 0), (0, 10)])
    reached, side = path.nearest((0.5, 4.0))
    np.testing.assert_allclose((reached, side), (4.0, 0.5), atol=1e-9)
    assert path.nearest((-0.5, 4.0))[1] < 0.0


def test_a_path_that_crosses_itself_is_followed_round():
    path = Path.of([(0, 0), (0, 6), (3, 6), (3, 3), (-3, 3)], smooth=False)
    assert path.nearest((0.0, 3.0), near=2.8)[0] < 4.0
    assert path.nearest((0.0, 3.0), near=14.8)[0] > 14.0


def test_speeds_go_gently_from_row_to_row():
    path = Path.of([(0, 0, 1.0), (0, 5, 1.0), (0, 10, 2.0)])
    assert path.speed(2.0) == pytest.approx(1.0)
    assert 1.0 < path.speed(7.5) < 2.0
    assert Path.of([(0, 0), (0, 5)]).speed(1.0) is None


@pytest.mark.parametrize("rows", [[(0, 0), (0, 1e7)], [(0, 0), (0, 1e300)], [(1e308, 0), (-1e308, 0), (0, 0)]])
def test_a_path_too_long_to_walk_is_refused_at_once(rows):
    with pytest.raises(MotionError, match="at most 10,000 m long"):
        Path.of(rows)


def test_a_path_of_very_many_rows_is_made():
    angles = np.linspace(0.0, 40.0, 100_000)
    path = Path.of(np.stack([10.0 * np.cos(angles), 10.0 * np.sin(angles)], axis=1))
    np.testing.assert_allclose(path.length, 400.0, rtol=1e-4)


def test_beyond_its_end_a_path_runs_straight_on():
    np.testing.assert_allclose(Path.of([(0, 0), (0, 2)]).at(3.5), (0.0, 3.5), atol=1e-9)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "rows of x and z"),
        ([(0, 0)], "from one place to another"),
        ([(0, 0), (0, 0)], "from one place to another"),
        ([(0, 0), (0, math.nan)], "finite"),
        ([(0, 0, -1.0), (0, 1, 1.0)], "above 0"),
        ([(0, 0), (0, 1, 1.0)], "rows of x and z"),
    ],
)
def test_what_is_no_path_is_refused(rows, reason):
    with pytest.raises(MotionError, match=reason):
        Path.of(rows)


def test_a_place_straight_ahead_needs_no_turn_and_one_to_the_left_a_left_turn(walk):
    player = Player(walk)
    x, z = player.centre
    course = player.course
    ahead = (x + 3.0 * math.sin(course), z + 3.0 * math.cos(course))
    left = (x + 3.0 * math.sin(course + 0.4), z + 3.0 * math.cos(course + 0.4))
    assert abs(turn_towards(player, ahead, 1.0)) < 1e-9
    np.testing.assert_allclose(turn_towards(player, left, 1.0), 2.0 * math.sin(0.4) / 3.0, atol=1e-9)


def test_a_request_is_met(network, rates):
    player = Player(network, point=(0.0, 1.1))
    record(player, seconds=1.5, frame_rate=20, script=Request(rates, lambda time: (0.3, 1.05)))
    start, heading = player.centre, player.heading
    seconds = 2.0 * player.spectrum.duration
    clip = record(player, seconds=seconds, frame_rate=20)
    turned = (player.heading - heading) / (seconds - 0.05)
    np.testing.assert_allclose(turned, 0.3, atol=0.03)
    np.testing.assert_allclose(player.speed, 1.05, rtol=0.02)
    assert math.dist(start, player.centre) > 1.0
    assert clip.n_frames == round(seconds * 20)


def test_an_s_shaped_path_is_followed(network, rates):
    path = Path.of([(0, 0), (1.2, 2.0), (0, 4.0), (-1.2, 6.0), (0, 8.0)])
    player = Player(network, point=(0.0, 1.1), heading=path.heading(0.0))
    guide = Follower(path, rates, speed=1.1)
    sides, frames = [], 0
    while not guide.done and frames < 400:
        point = guide.steer(player, frames / 20)
        if point is not None:
            player.point = point
        player.step(1 / 20)
        sides.append(guide.side)
        frames += 1
    assert np.abs(sides).mean() < 0.15
    np.testing.assert_allclose(path.length / (frames / 20), 1.1, rtol=0.1)


def test_a_recording_along_a_path_ends_with_it(network, rates):
    path = Path.of([(0, 0, 1.1), (0, 3, 1.1)])
    clip = record(Player(network, point=(0.0, 1.1)), frame_rate=20, script=Follower(path, rates))
    assert abs(clip.root_positions[-1, 2] - 3.0) < 0.3


def test_a_goal_to_the_side_is_reached(network, rates):
    player = Player(network, point=(0.0, 1.1))
    guide = GoTo((2.5, 3.0), rates, speed=1.1)
    record(player, frame_rate=20, script=guide)
    assert guide.done
    assert math.dist(player.centre, (2.5, 3.0)) <= 0.4
