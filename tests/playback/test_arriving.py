"""Laws of straight ways, of arriving, and of what is refused at the door of everything that steers."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.errors import MotionError, MotionWarning
from mocapella.gait.root_motion import played_rates
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower, GoTo, Request
from mocapella.steering.path import Path
from mocapella.steering.point_script import Script
from mocapella.steering.turning import Turning


@pytest.fixture(scope="module")
def rates(network):
    return Calibration(network, measure=played_rates, steps=2)


@pytest.fixture(scope="module")
def with_standing(network):
    standing = Node("stand", (0.0, 0.0), analyse(prepare(capture("stand")[0]), harmonics=10), synchronised=False)
    return Network([*network.nodes, standing])


def arrived(network, rates, goal=(0.3, 2.5)):
    """Somebody who was sent somewhere and got there."""
    player, guide = Player(network, point=(0.0, 1.1)), GoTo(goal, rates, speed=1.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record(player, frame_rate=10, script=guide)
    assert guide.arrived
    return player, guide


def played_on(player, guide, seconds):
    """Where somebody is every tenth of a second who goes on being steered when he is done."""
    centres = []
    for frame in range(round(10 * seconds)):
        point = guide.steer(player, 100.0 + frame / 10)
        if point is not None:
            player.point = point
        player.step(0.1)
        centres.append(player.centre)
    return np.array(centres)


@pytest.mark.parametrize("speed", [0.0, 0.5, 5.0])
def test_straight_on_is_walked_straight_at_any_speed_asked_for(network, rates, speed):
    player = Player(network, point=(0.0, 1.1))
    with pytest.warns(MotionWarning, match="which the network has not"):
        record(player, seconds=1.5, frame_rate=20, script=Request(rates, lambda time: (0.0, speed)))
    start, course = player.centre, player.course
    player.step(4.0)
    x, z = np.subtract(player.centre, start)
    assert abs(math.remainder(player.course - course, math.tau)) < math.radians(1.0)
    assert abs(math.remainder(math.atan2(x, z) - course, math.tau)) < math.radians(2.0)


def test_who_has_arrived_stands_where_the_network_can_stand(with_standing):
    rates = Calibration(with_standing, measure=played_rates, steps=2)
    player, guide = arrived(with_standing, rates)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        centres = played_on(player, guide, 6.0)
    assert player.speed < 0.1
    assert np.ptp(centres[30:], axis=0).max() < 0.1


def test_who_cannot_stand_goes_round_near_where_he_arrived_and_says_so_once(network, rates):
    player, guide = arrived(network, rates)
    with pytest.warns(
        MotionWarning, match="no motion that stands, its slowest goes 0.9.* goes round on a circle"
    ) as said:
        centres = played_on(player, guide, 30.0)
    assert len(said) == 1
    _, bend = Turning.of(rates).tightest(left=True)
    assert np.linalg.norm(centres - guide.goal, axis=1).max() < 2.0 / bend + 2.0 * guide.near


def test_a_chain_of_straight_walks_walks_on_slowly(network):
    straight = Network([network.nodes[2], network.nodes[3]])
    player, guide = arrived(straight, Calibration(straight, measure=played_rates), goal=(0.0, 2.5))
    with pytest.warns(MotionWarning, match="walks on"):
        played_on(player, guide, 2.0)
    np.testing.assert_allclose(player.point, straight.nodes[1].at, atol=1e-3)


@pytest.mark.parametrize("left", [True, False])
def test_the_smallest_circle_is_to_the_side_asked_for_if_there_is_one(left):
    both = Turning(np.array([0.6, 1.0, 1.4]), np.array([-0.5, -0.9, -0.4]), np.array([1.2, 0.8, 0.3]))
    assert both.tightest(left=left) == ((0.6, 1.2) if left else (1.0, -0.9))
    one_sided = Turning(both.speeds, np.zeros(3), both.most)
    assert one_sided.tightest(left=left) == (0.6, 1.2)
    assert Turning(both.speeds, np.zeros(3), np.zeros(3)).tightest(left=left) == (0.6, 0.0)


@pytest.mark.parametrize("goal", [(math.nan, 1.0), (math.inf, 0.0), (1.0,), (1.0, 2.0, 3.0), ()])
def test_a_goal_that_is_no_place_is_refused(rates, goal):
    with pytest.raises(MotionError, match="a place on the ground is x and z"):
        GoTo(goal, rates)


@pytest.mark.parametrize("kind", [GoTo, Follower])
@pytest.mark.parametrize(
    "options", [{"speed": 0}, {"speed": -1.0}, {"speed": math.nan}, {"speed": math.inf}, {"every": -1}]
)
def test_speeds_and_times_of_no_sense_are_refused_before_a_step_is_made(rates, kind, options):
    where = (2.0, 2.0) if kind is GoTo else Path.of([(0, 0), (0, 1)])
    with pytest.raises(MotionError, match=f"expected a .*got {next(iter(options.values()))}"):
        kind(where, rates, **options)


@pytest.mark.parametrize("options", [{"near": 0.0}, {"near": math.nan}, {"patience": -1.0}, {"patience": math.inf}])
def test_a_goal_that_could_never_be_reached_or_given_up_is_refused(rates, options):
    with pytest.raises(MotionError, match="expected a"):
        GoTo((2.0, 2.0), rates, **options)


@pytest.mark.parametrize("wanted", [(math.nan, 1.0), (0.0, math.inf), (1.0,), (0.0, 1.0, 2.0)])
def test_a_request_for_no_rates_is_refused_with_its_time(network, rates, wanted):
    guide = Request(rates, lambda time: wanted)
    with pytest.raises(MotionError, match=r"at 2\.5 s, both finite; got"):
        guide.steer(Player(network, point=(0.0, 1.1)), 2.5)


@pytest.mark.parametrize("rows", [[(0, 0), (math.nan, 1)], [(0, 0), (1, math.inf)]])
def test_a_path_and_a_script_that_are_refused_speak_of_themselves(rows):
    with pytest.raises(MotionError, match="a path is rows of x and z"):
        Path.of(rows)
    with pytest.raises(MotionError, match="a path is rows of x and z"):
        Path.smooth(rows)
    with pytest.raises(MotionError, match="a script is rows of a time in seconds and coordinates"):
        Script.of(rows)
