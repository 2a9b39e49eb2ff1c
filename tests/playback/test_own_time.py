"""Laws of motions that keep their own time while others keep step."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.measure.footskate import footing
from mocapella.playback.own_time import own_time_nodes
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.playback.state import Snapshot

HALF = (0.0, 0.5)  # half walking, half standing about


@pytest.fixture(scope="module")
def idle():
    return analyse(prepare(capture("stand")[0]), harmonics=10)


@pytest.fixture(scope="module")
def mixed(walk, turning, idle):
    """Two walks in step and somebody who stands about in a time of his own."""
    nodes = [Node("walk", (0.0, 1.0), walk), Node("turn", (1.0, 1.0), turning), Node("idle", (0.0, 0.0), idle, False)]
    return Network(nodes)


def dofs_of(player, pose):
    """The rotations of a pose without the heading, as dofs."""
    rotations = pose.rotations_wxyz.copy()
    rotations[0] = quaternions.multiply(quaternions.about_y(-player.heading), rotations[0])
    return rotations


def test_a_pose_is_the_sum_of_all_voices_each_at_its_own_phase(mixed):
    player = Player(mixed, point=HALF, feet="velocity")
    steps, others = mixed.own_time_parts(HALF)
    for seconds in (0.3, 1.9, 7.1):
        pose = player.step(seconds - player.time)
        phases = [TURN * seconds / voice.duration for voice in (steps, others)]
        both = steps.at(np.array(phases[0])) + others.at(np.array(phases[1]))
        np.testing.assert_allclose(dofs_of(player, pose), mixed.layout.rotations(both), atol=1e-9)
        np.testing.assert_allclose(pose.root_position[1], both[-4], atol=1e-9)


def test_an_idle_at_half_weight_keeps_its_own_period_and_half_its_size(mixed, walk, idle):
    player = Player(mixed, point=HALF, feet="velocity")
    joint = mixed.layout.skeleton.names.index("Head")
    rate, seconds = 50.0, 40.0  # ten idle cycles
    rows = np.array([dofs_of(player, player.step(1.0 / rate))[joint] for _ in range(round(rate * seconds))])
    times = np.arange(1, len(rows) + 1) / rate
    own = idle.coefficients[1, mixed.layout.columns(joint)]
    found = np.exp(-1j * TURN / idle.duration * times) @ rows / len(rows)
    largest = int(np.argmax(np.abs(own)))
    np.testing.assert_allclose(abs(found[largest]), 0.5 * abs(own[largest]), rtol=0.03)
    hurried = np.exp(-1j * TURN / (0.5 * (walk.duration + idle.duration)) * times) @ rows / len(rows)
    assert abs(hurried[largest]) < 0.1 * abs(own[largest])


def test_idles_among_themselves_keep_their_own_time_too(idle):
    dance = analyse(prepare(capture("dance")[0]), harmonics=10)
    network = Network([Node("idle", (0.0, 0.0), idle, False), Node("dance", (1.0, 0.0), dance, False)])
    player = Player(network, point=(0.5, 0.0), feet="velocity")
    both = sum(voice.at(np.array(TURN * 1.7 / voice.duration)) for voice in network.own_time_parts((0.5, 0.0)))
    pose = player.step(1.7)
    np.testing.assert_allclose(dofs_of(player, pose), network.layout.rotations(both), atol=1e-9)


def test_it_begins_where_it_is_told_to(mixed):
    player = Player(mixed, point=(0.0, 0.2), position=(2.0, -1.0), heading=0.7, phase=1.0)
    np.testing.assert_allclose((*player.position, player.course), (2.0, -1.0, 0.7), atol=1e-12)
    pose = player.step(0.0)
    np.testing.assert_allclose(pose.root_position[::2], (2.0, -1.0), atol=1e-12)
    np.testing.assert_allclose(player.step(0.4).root_position[::2], player.position, atol=1e-12)


@pytest.mark.parametrize("point", [(0.0, 0.5), (0.0, 0.1), (0.0, 0.0)])
def test_feet_stand_under_two_clocks(mixed, point):
    clip, contacts = record_with_contacts(Player(mixed, point=point), seconds=6.0, frame_rate=60)
    feet = footing(clip, contacts)
    assert len(feet.slips) > 0
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 5.0


def test_nothing_leaps_where_the_last_step_ceases_to_count(mixed):
    player = Player(mixed, point=(0.0, 0.3))
    player.step(1.0)
    player.point = (0.0, 0.0)
    poses = [player.step(1 / 60).rotations_wxyz for _ in range(90)]
    assert player.point == (0.0, 0.0)
    turned = np.degrees(quaternions.angle_between(np.array(poses[1:]), np.array(poses[:-1]))).max(axis=1)
    assert turned[35:].max() < 1.0  # the point arrives somewhere there, with next to nothing left of the steps


def test_a_snapshot_keeps_all_clocks(mixed, network):
    player = Player(mixed, point=HALF)
    player.step(2.3)
    player.point = (0.2, 0.8)
    player.step(0.1)
    stored = player.snapshot().to_json()
    again = Player.resumed(mixed, Snapshot.from_json(stored))
    for _ in range(20):
        a, b = player.step(1 / 30), again.step(1 / 30)
        assert np.array_equal(a.rotations_wxyz, b.rotations_wxyz)
        assert np.array_equal(a.root_position, b.root_position)
    other = Player(network, point=(0.0, 1.1)).snapshot()
    state = msgspec.structs.replace(other.state, point=player.snapshot().state.point)
    strange = msgspec.structs.replace(other, state=state)
    with pytest.raises(MotionError, match="own time"):
        Player.resumed(mixed, strange)


def test_a_network_in_step_and_a_single_motion_have_no_nodes_with_their_own_time(network, idle):
    assert own_time_nodes(network) is None
    assert own_time_nodes(Network([Node("idle", (0.0, 0.0), idle, False)])) is None
