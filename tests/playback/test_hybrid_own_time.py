"""Laws of motions that keep their own time in the blocks of a hybrid network, through changes there and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.geometry.angles import TURN
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition_search import find_transition
from mocapella.measure.footskate import footing
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.pose import Pose
from mocapella.playback.modes import Entry
from mocapella.playback.player import Player
from mocapella.playback.state import Snapshot
from mocapella.steering.tour import Tour

RATE = 60.0
BACK = ("walk-stand", "stand-walk")


@pytest.fixture(scope="module")
def mixed(walk, turning):
    """Two walks in step and somebody who stands about in a time of his own."""
    idle = analyse(prepare(capture("stand")[0]), harmonics=10)
    nodes = [Node("walk", (0.0, 1.0), walk), Node("turn", (1.0, 1.0), turning), Node("idle", (0.0, 0.0), idle, False)]
    return Network(nodes)


@pytest.fixture(scope="module")
def moody(mixed, walk, turning):
    """Walks, and a block of idles that all keep their own time; a way there and back."""
    dance = analyse(prepare(capture("look-around")[0]), harmonics=10)
    idles = [Node("stand", (0.0, 0.0), mixed.node("idle").spectrum, False), Node("look", (1.0, 0.0), dance, False)]
    walks = Network([Node("walk", (0.0, 1.0), walk), Node("turn", (1.0, 1.0), turning), Node("a", (0.0, 2.0), walk)])
    draft = HybridBuilder({"walking": walks, "standing": Network(idles)})
    for name, source, target in ((BACK[0], "walking", "standing"), (BACK[1], "standing", "walking")):
        draft = draft.with_transition(find_transition(capture(name)[0], name=name), source, target)
    return draft.finished()


@dataclass
class Toured:
    """There and back at 60 frames a second: poses, what the player went through, snapshots before some frames."""

    poses: list[Pose]
    planted: list[tuple[bool, ...]]
    states: list[str]  # before each frame
    log: tuple[Entry, ...]
    stored: dict[int, bytes]

    @property
    def rotations(self):
        return np.array([pose.rotations_wxyz for pose in self.poses])

    @property
    def roots(self):
        return np.array([pose.root_position for pose in self.poses])


@pytest.fixture(scope="module")
def toured(moody) -> Toured:
    at = moody.block("walking").network.node(moody.arc(BACK[0]).source.node).at
    player, tour = Player(moody, at, block="walking"), Tour(moody, BACK)
    out = Toured([], [], [], (), {})
    while not tour.done:
        frame = len(out.poses)
        point = tour.steer(player, frame / RATE)
        if point is not None:
            player.point = point
        if frame % 37 == 36:
            out.stored[frame] = player.snapshot().to_json()
        out.states.append(player.state)
        out.poses.append(player.step(1 / RATE))
        out.planted.append(player.planted)
    out.log = player.states
    return out


def test_a_block_plays_as_its_network_does_alone(mixed):
    for point in ((0.0, 0.5), (0.2, 0.3), (0.0, 0.0)):
        alone = Player(mixed, point, position=(1.0, 2.0), heading=0.4)
        block = Player(HybridNetwork({"all": mixed}), point, position=(1.0, 2.0), heading=0.4)
        for seconds in (0.0, 0.4, 0.1, 2.3):
            one, two = alone.step(seconds), block.step(seconds)
            np.testing.assert_allclose(one.rotations_wxyz, two.rotations_wxyz, atol=1e-12)
            np.testing.assert_allclose(one.root_position, two.root_position, atol=1e-12)


def test_a_change_begins_when_the_own_time_of_its_node_has_come(moody, toured):
    arrived = next(one.time for one in toured.log if (one.state, one.arc) == ("network", BACK[0]))
    left = next(one.time for one in toured.log if (one.state, one.arc) == ("change", BACK[1]))
    there, back = (moody.arc(name) for name in BACK)
    node = moody.block("standing").network.node(back.source.node)
    assert not node.synchronised
    reached = there.transition.arrive_phase + TURN * (left - arrived) / node.spectrum.duration
    assert abs((reached - back.transition.leave_phase + np.pi) % TURN - np.pi) < 1e-6


def test_a_change_waits_for_its_node_not_for_what_was_played_before(moody):
    armed = next(mode.name for mode in moody.modes if BACK[1] in mode.arcs)
    standing = moody.block("standing").network
    player = Player(moody, standing.node("look").at, block="standing", mode=armed)
    player.step(2.7)  # of a longer cycle than that of the change's node
    player.trigger(BACK[1])
    while player.state != "change":
        player.step(1 / RATE)
    left, back = player.states[-1].time, moody.arc(BACK[1])
    reached = TURN * left / standing.node(back.source.node).spectrum.duration
    assert abs((reached - back.transition.leave_phase + np.pi) % TURN - np.pi) < 1e-6


def test_nothing_leaps_where_a_change_takes_over_from_idles_or_they_from_it(moody, toured):
    for entry in [one for one in toured.log[1:] if one.state != "waiting"]:  # changes begin and end there
        last = max(frame for frame in toured.stored if frame / RATE < entry.time)
        assert toured.states[last] != "network"  # what is waited for or played goes on by itself
        player = Player.resumed(moody, Snapshot.from_json(toured.stored[last]))
        state = player.state
        before = player.step(entry.time - player.time - 1e-5)
        assert player.state == state
        after = player.step(2e-5)
        assert player.state == entry.state
        np.testing.assert_allclose(after.rotations_wxyz, before.rotations_wxyz, atol=2e-4)
        np.testing.assert_allclose(after.root_position, before.root_position, atol=1e-4)


def test_feet_stand_there_and_back(moody, toured):
    clip = Clip(moody.skeleton, toured.roots, toured.rotations, frame_rate=RATE)
    down = np.array(toured.planted)
    feet = footing(clip, Contacts.from_masks({point: down[:, i] for i, point in enumerate(FOOT_POINTS)}))
    assert len(feet.slips) > 6
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 5.0


def test_every_snapshot_on_the_way_goes_on_bit_for_bit(moody, toured):
    assert {toured.states[frame] for frame in toured.stored} == {"network", "waiting", "change"}
    standing = [Snapshot.from_json(one) for one in toured.stored.values()]
    assert any(one.state.clocks and one.state.hybrid.block == "standing" for one in standing)
    for first, state in toured.stored.items():
        again = Player.resumed(moody, Snapshot.from_json(state))
        for frame in range(first, min(first + 20, len(toured.poses))):
            pose = again.step(1 / RATE)
            assert np.array_equal(pose.rotations_wxyz, toured.poses[frame].rotations_wxyz)
            assert np.array_equal(pose.root_position, toured.poses[frame].root_position)
            if toured.states[frame] == "network":
                break  # the next frame may have been steered


def test_idles_go_on_in_their_own_time_after_a_switch_of_modes(moody):
    still, switched = (Player(moody, (0.5, 0.0), block="standing", mode=moody.modes[0].name) for _ in range(2))
    still.step(1.3)
    switched.step(1.3)
    switched.mode = moody.modes[-1].name
    switched.mode = moody.modes[0].name
    for _ in range(80):
        still.step(1 / RATE)
        pose = switched.step(1 / RATE)
    np.testing.assert_allclose(pose.rotations_wxyz, still.step(0.0).rotations_wxyz, atol=1e-6)
