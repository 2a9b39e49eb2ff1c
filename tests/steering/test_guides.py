"""Laws of paths and of steering along them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from mocapella.errors import MotionError, MotionWarning
from mocapella.gait.root_motion import played_rates
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.steering.calibration import Answer, Calibration
from mocapella.steering.guides import Follower, GoTo, Request, turn_towards
from mocapella.steering.path import Path


@pytest.fixture(scope="module")
def rates(network):
    return Calibration(network, measure=played_rates, steps=2)


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
    path = Path.smooth([(0, 0), (1.2, 2.0), (0, 4.0), (-1.2, 6.0), (0, 8.0)])
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


ROUND = np.linspace(0.0, 2.0 * np.pi, 41)
CLOSED = {
    "square": [(0, 0), (0, 5), (5, 5), (5, 0), (0, 0)],
    "circle": np.stack([2.5 - 2.5 * np.cos(ROUND), 2.5 * np.sin(ROUND)], axis=1),
    "figure eight": np.stack([2.5 * np.sin(2.0 * ROUND), 5.0 * np.sin(ROUND)], axis=1),
}


class Box:
    """Rates of somebody who turns in 0.8 m at any speed from 0.6 to 1.6 m/s."""

    speeds = (0.6, 1.6)

    def turns_at(self, speed):
        return (-speed / 0.8, speed / 0.8) if 0.6 <= speed <= 1.6 else None

    def request(self, turn_rate, speed):
        held = min(max(speed, 0.6), 1.6)
        turn = min(max(turn_rate, -held / 0.8), held / 0.8)
        met = math.isclose(held, speed) and math.isclose(turn, turn_rate)
        return Answer((turn, held), turn, held, met)


class Puppet(Player):
    """A point that turns and goes as its blending point says, a quarter of a second later: a player without a body."""

    point, centre, course, speed, turn_rate = (0.0, 1.1), (0.0, 0.0), 0.0, 1.1, 0.0

    def __init__(self, position=(0.0, 0.0), heading=0.0):
        self.centre, self.course = position, heading

    def step(self, dt):
        share = 1.0 - math.exp(-dt / 0.12)
        self.turn_rate += share * (self.point[0] - self.turn_rate)
        self.speed += share * (self.point[1] - self.speed)
        self.course += dt * self.turn_rate
        x, z = self.centre
        self.centre = (x + dt * self.speed * math.sin(self.course), z + dt * self.speed * math.cos(self.course))


def walked(path, *, player=None, rates=None, rate=30, **options):
    """Follow a path from its start on; the guide, the places gone through, seconds."""
    player = player or Puppet(path.at(0.0), path.heading(0.0))
    guide, centres, frames = Follower(path, rates or Box(), speed=1.1, **options), [], 0
    while not guide.done and frames < rate * 4 * path.length:
        before = guide.reached
        point = guide.steer(player, frames / rate)
        assert guide.reached >= before
        if point is not None:
            player.point = point
        player.step(1 / rate)
        centres.append(player.centre)
        frames += 1
    return guide, np.array(centres), frames / rate


@pytest.mark.parametrize("shape", CLOSED)
def test_a_path_that_ends_where_it_began_is_walked_whole(shape):
    path = Path.of(CLOSED[shape])
    guide, centres, seconds = walked(path)
    assert guide.done
    np.testing.assert_allclose(seconds, path.length / 1.1, rtol=0.1)
    off = np.array([abs(path.nearest(tuple(place))[1]) for place in centres[::5].tolist()])
    assert off.mean() < 0.05
    every = np.linspace(0.0, path.length, 20)
    assert max(np.linalg.norm(centres - path.at(s), axis=1).min() for s in every) < 0.4  # no part is left out


def test_a_character_walks_round_a_square(network, rates):
    path = Path.of([(0, 0), (0, 4), (4, 4), (4, 0), (0, 0)])
    guide, centres, _ = walked(path, player=Player(network, point=(0.0, 1.1)), rates=rates, rate=10)
    assert guide.done
    assert math.dist(centres[-1], (0.0, 0.0)) < 0.4
    off = [abs(path.nearest(tuple(place))[1]) for place in centres.tolist()]
    assert np.mean(off) < 0.25


@pytest.mark.parametrize("seed", range(12))
def test_any_polyline_is_walked_to_its_end_in_bounded_time(seed):
    rng = np.random.default_rng(seed)
    turns = np.cumsum(rng.choice([rng.uniform(-np.pi, np.pi), np.pi, 0.5 * np.pi], size=6))
    hops = rng.uniform(0.3, 3.0, (6, 1)) * np.stack([np.sin(turns), np.cos(turns)], axis=1)
    path = Path.of(np.concatenate([np.zeros((1, 2)), np.cumsum(hops, axis=0)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        guide, centres, seconds = walked(path, rate=15)
    assert guide.done
    assert seconds < 2.0 * (guide.plan.way.length / 0.6 + 4.0)
    assert max(abs(path.nearest(tuple(place))[1]) for place in centres[::5].tolist()) < 2.5


def test_a_tip_with_a_short_way_back_is_not_walked_away_from():
    path = Path.of([(0, 0), (0, 1.7), (-2.2, 1.1), (-1.7, 1.2), (-1.1, 1.3)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        guide, _, seconds = walked(path)
    assert guide.done
    assert seconds < 20.0


def test_a_hairpin_is_walked_to_its_tip_and_back():
    path = Path.of([(0, 0), (0, 6), (0, 0)])
    guide, centres, seconds = walked(path)
    assert guide.done
    assert seconds < 1.6 * path.length / 1.1
    assert centres[:, 1].max() > 6.0
    assert np.abs(centres[:, 0]).max() < 1.0
    assert math.dist(centres[-1], (0.0, 0.0)) < 0.2


def test_a_start_beside_the_path_and_turned_away_is_made_good():
    path = Path.of([(0, 0), (0, 12)])
    guide, centres, _ = walked(path, player=Puppet((1.0, 0.0), math.pi))
    assert guide.done
    assert np.abs(centres[-30:, 0]).max() < 0.1


def test_a_given_radius_is_turned():
    path = Path.of([(0, 0), (0, 6), (6, 6)])
    _, centres, _ = walked(path, radius=3.0)
    arc = centres[(centres[:, 0] < 2.5) & (centres[:, 1] > 3.5)]
    np.testing.assert_allclose(np.linalg.norm(arc - np.array([3.0, 3.0]), axis=1), 3.0, atol=0.1)


def test_speeds_and_bends_that_a_network_has_not_are_said_once():
    path = Path.smooth([(0, 0, 9.0), (0, 3, 9.0), (0.4, 3.4, 9.0), (0.8, 3.0, 9.0), (0.8, 0, 9.0)])
    with pytest.warns(MotionWarning) as said:
        walked(path)
    texts = [str(one.message) for one in said]
    assert len(texts) == 2
    assert "asks for 9.00 m/s; the network goes 0.60 to 1.60 m/s" in texts[0]
    assert "asks for radii down to 0." in texts[1]
    assert "turns 0.80 m to the left and 0.80 m to the right" in texts[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walked(Path.of([(0, 0, 1.1), (0, 2, 1.2), (2, 2, 1.2)]))


def test_a_request_beyond_the_network_is_said_once(network, rates):
    player = Player(network, point=(0.0, 1.1))
    with pytest.warns(MotionWarning, match=r"asked for \+171.9 °/s at 1.00 m/s, which the network has not") as said:
        record(player, seconds=0.3, frame_rate=10, script=Request(rates, lambda time: (3.0, 1.0)))
    assert len(said) == 1


@pytest.mark.parametrize("goal", [(0.0, -5.0), (0.7, 0.3), (-0.6, -0.4)], ids=["behind", "beside", "close behind"])
def test_a_goal_behind_or_close_beside_is_reached(goal):
    guide, player, frames = GoTo(goal, Box(), speed=1.0), Puppet(), 0
    while not guide.done:
        player.point = guide.steer(player, frames / 30) or player.point
        player.step(1 / 30)
        frames += 1
    assert guide.arrived
    assert math.dist(player.centre, goal) < 0.45


def test_a_goal_that_cannot_be_reached_is_given_up():
    class Straight(Box):
        def turns_at(self, speed):
            return (0.0, 0.0)

    guide, player = GoTo((0.0, -1.0), Straight(), speed=1.0, patience=0.0), Puppet()
    for frame in range(100):
        player.point = guide.steer(player, frame / 10) or player.point
        player.step(0.1)
    with pytest.warns(MotionWarning, match="gave up after 10 s"):
        guide.steer(player, 10.0)
    assert guide.done
    assert not guide.arrived


@pytest.mark.parametrize("options", [{"speed": 0.0}, {"speed": math.nan}, {"radius": -1.0}])
def test_a_follower_of_no_sense_is_refused(rates, options):
    with pytest.raises(MotionError, match="expected a"):
        Follower(Path.of([(0, 0), (0, 1)]), rates, **options)
