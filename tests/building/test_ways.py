"""Walks ahead, backwards and to the sides: placed by velocity, in step by their feet, and played the way they lie."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.building.build import build
from mocapella.building.layout.placement import LEFT_AND_AHEAD, TURN_AND_SPEED, axes_for
from mocapella.errors import MotionWarning
from mocapella.gait.root_motion import played_rates
from mocapella.measure.footskate import try_out
from mocapella.motion import kinematics
from mocapella.motion.travel import direction, go_one_way
from mocapella.pictures.canvas import axis_titles
from mocapella.rig.limb_ik import LimbJoints, reach_for
from mocapella.steering.calibration import Calibration


@functools.cache
def walk(speed=1.2, turn=0.0):
    return perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0].renamed(f"ahead {speed:g} {turn:g}")


def backwards(clip):
    """Time reversed: a foot that was put down is lifted, and the body goes the other way."""
    frames = {"root_positions": clip.root_positions[::-1], "rotations_wxyz": clip.rotations_wxyz[::-1]}
    return replace(clip, **frames).renamed("backwards")


def aside(clip, share, name="left"):
    """Steps to the left: what went ahead goes aside, by a share of it, below hips that face ahead as before."""
    roles = mo.find_roles(clip.skeleton)
    places, world = kinematics.forward(clip.skeleton, clip.root_positions, clip.rotations_wxyz)
    to_the_left = np.array([[1.0, 0.0, share], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    roots, rotations = clip.root_positions @ to_the_left.T, np.array(clip.rotations_wxyz)
    for side in ("left", "right"):
        leg = LimbJoints(*(roles[f"{side}_{joint}"] for joint in ("hip", "knee", "ankle")))
        goals = places[:, leg.ankle] @ to_the_left.T
        reach_for(clip.skeleton, roots, rotations, leg, goals, world[:, leg.ankle], gently=True)
    return replace(clip, root_positions=roots, rotations_wxyz=rotations).renamed(name)


@functools.cache
def all_ways():
    return mo.build_network([walk(), backwards(walk(0.9)), aside(walk(), 0.3)])


def test_a_direction_is_seen_from_where_the_hips_face():
    ahead = mo.prepare(walk())
    for clip, degrees in ((backwards(walk()), 180.0), (aside(walk(), -0.3), -90.0)):
        cycle = mo.prepare(clip)
        np.testing.assert_allclose(np.exp(1j * direction(cycle)), np.exp(1j * np.radians(degrees)), atol=0.12)
        assert not go_one_way(ahead, cycle)
        np.testing.assert_allclose(np.hypot(*mo.analyse(cycle).velocity), cycle.speed, rtol=1e-9)


def test_straight_walks_of_different_ways_lie_at_their_velocities():
    network = all_ways()
    assert set(network.names) == {"ahead 1.2 0", "backwards", "left", "left mirrored"}
    np.testing.assert_allclose(network.node("ahead 1.2 0").at, (0.0, 1.2), atol=0.06)
    np.testing.assert_allclose(network.node("backwards").at, (0.0, -0.9), atol=0.06)
    np.testing.assert_allclose(network.node("left").at, (0.36, 0.0), atol=0.06)
    np.testing.assert_allclose(network.node("left mirrored").at, (-0.36, 0.0), atol=0.06)
    assert axis_titles(network.nodes) == (*LEFT_AND_AHEAD.titles, True)


@pytest.mark.parametrize("point", [(0.0, 1.1), (0.2, 0.4), (-0.2, -0.2), (0.0, -0.8)])
def test_a_point_is_walked_that_way_at_that_speed_with_feet_that_stay(point):
    player = mo.Player(all_ways(), point=point)
    cycle = player.spectrum.duration
    clip = mo.record(player, seconds=4 * cycle, frame_rate=60)
    steps = clip.root_positions[-1] - clip.root_positions[0]
    heading = float(np.mean(np.unwrap(clip.headings)))
    gone = (steps[2] + 1j * steps[0]) * np.exp(-1j * heading) / clip.seconds
    np.testing.assert_allclose([gone.imag, gone.real], point, atol=0.08)
    assert try_out(all_ways(), [point]).slip_mm[0] < 1.0


def test_plants_of_a_walk_and_of_one_backwards_coincide():
    one, other = mo.synchronise([mo.prepare(walk()), mo.prepare(backwards(walk(0.9)))])
    phases = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    for foot in ("left", "right"):
        first, second = (cycle.contacts.planted(foot, phases) for cycle in (one, other))
        assert (first & second).sum() / (first | second).sum() > 0.85


def test_among_turns_those_that_go_another_way_are_left_out_by_name():
    with pytest.warns(MotionWarning, match="go another way than the others: backwards; straight motions of all ways"):
        built = build([walk(), walk(1.1, 0.6), backwards(walk())])
    assert "backwards" not in built.network.names


def test_walks_that_all_go_one_way_are_placed_by_turn_and_speed():
    cycles = [mo.prepare(backwards(walk(speed))) for speed in (0.9, 1.2)]
    assert axes_for(cycles) is TURN_AND_SPEED
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network = build(cycles).network
    assert (network.points[:, 1] > 0.0).all()


def test_a_speed_is_asked_for_ahead():
    answer = Calibration(all_ways(), measure=played_rates).request(0.0, 0.8)
    assert answer.feasible
    np.testing.assert_allclose(answer.point, (0.0, 0.8), atol=0.06)


def test_a_capture_and_itself_played_backwards_make_a_network(data_folder):
    clip = mo.load(data_folder / "cmu-bvh/16/16_15.bvh").captured
    network = mo.build_network([clip, backwards(clip)])
    np.testing.assert_allclose(sorted(network.points[:, 1]), (-1.1, 1.1), atol=0.05)


def test_a_take_that_goes_ahead_and_then_backwards_gives_both():
    ahead = perform("walk", speed=1.2, cycles=5.0, imperfections=CLEAN)[0]
    take = mo.concatenate([ahead, backwards(ahead)]).renamed("take")
    network = mo.build_network([take])
    assert set(network.names) == {"take, walk", "take, walk backwards"}
    np.testing.assert_allclose(sorted(network.points[:, 1]), (-1.2, 1.2), atol=0.06)
