"""Laws of a player's state: it is all there is, so what follows from it is the same at any time and anywhere."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mocapella.errors import MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.playback import blend
from mocapella.playback.player import Player
from mocapella.playback.state import VERSION, Snapshot
from mocapella.playback.step import step

LENGTHS = (1 / 60, 1 / 60, 1 / 60, 1 / 30, 0.005, 0.0, 0.11, 0.4)
SETTINGS = (
    {"feet": "held"},
    {"feet": "held", "join": 0.0, "ease": 0.0},
    {"feet": "anchored", "join": 0.5},
    {"feet": "velocity", "pace": 0.5, "heading": 0.7},
)


class Hands:
    """Hands at random: they move the point, take arcs, switch modes, and step by times of every length."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, player: Player) -> None:
        rng, network = self.rng, player.network
        hybrid = isinstance(network, HybridNetwork)
        points = (network.network(player.block, player.mode) if hybrid else network).points
        low, high = points.min(axis=0), points.max(axis=0)
        what, shares, number = rng.random(), rng.random(len(low)), int(rng.integers(100))
        try:
            if not hybrid or what < 0.3:
                player.point = tuple((low + (1.4 * shares - 0.2) * (high - low)).tolist())
            elif what < 0.8:
                arcs = network.arcs_from(player.block, player.mode) or network.arcs
                player.trigger(arcs[number % len(arcs)].name, anywhere=what > 0.65)
            else:
                player.mode = network.modes[number % len(network.modes)].name
        except MotionError:  # an arc that cannot be taken now: the player stays as it was
            pass

    def seconds(self) -> float:
        return LENGTHS[int(self.rng.integers(len(LENGTHS)))]


def seen(player, pose):
    """All that can be seen of a player after a step, to the bit."""
    return (
        pose.root_position.tobytes(),
        pose.rotations_wxyz.tobytes(),
        (player.time, player.phase, player.heading, player.position, player.centre, player.course, player.speed),
        (player.planted, player.point, player.goal, player.state, player.block, player.mode, player.states),
    )


@pytest.mark.parametrize("options", SETTINGS)
def test_a_state_written_down_at_any_moment_goes_on_with_the_same_frames(hybrid, options):
    hands, reached = Hands(len(options)), set()
    player = Player(hybrid, hybrid.network("walking", "change").points.mean(axis=0), block="walking", **options)
    again = player
    for _ in range(25):
        state = hands.rng.bit_generator.state
        hands.act(player)
        hands.rng.bit_generator.state = state
        hands.act(again)
        for _ in range(int(hands.rng.integers(1, 12))):
            again = Player.resumed(hybrid, Snapshot.from_json(again.snapshot().to_json()))
            dt = hands.seconds()
            assert seen(again, again.step(dt)) == seen(player, player.step(dt))
            reached.add(player.state)
    assert again.snapshot() == player.snapshot()
    assert reached == {"network", "waiting", "change"}


def test_a_step_is_a_function_of_its_arguments(hybrid):
    hands = Hands(5)
    start = hybrid.network("walking", "change").points.mean(axis=0)
    player = Player(hybrid, start, block="walking", engine="numpy")  # the step that is a function of Python
    calls = []
    for _ in range(12):
        hands.act(player)
        for _ in range(6):
            dt = hands.seconds()
            before = player.snapshot()
            pose = player.step(dt)
            calls.append((before, dt, player.snapshot(), pose))
    for number in hands.rng.permutation(len(calls)).tolist():
        before, dt, after, pose = calls[number]
        if number % 3 == 0:
            blend._blends.clear()
            blend._offset_motions.clear()
        for _ in range(2):
            state, other = step(hybrid, before.settings, before.state, dt)
            assert state == after.state
            assert other.root_position.tobytes() == pose.root_position.tobytes()
            assert other.rotations_wxyz.tobytes() == pose.rotations_wxyz.tobytes()


def test_what_is_remembered_is_bounded(network):
    player, other = Player(network, point=(0.0, 1.1)), Player(network, point=(0.1, 1.2))
    before = len(blend._blends)
    for i in range(50):
        player.point = (0.2 * np.sin(i), 1.2)
        player.step(1 / 60)
        other.step(1 / 60)
    assert len(blend._blends) <= before + 2


def test_snapshots_of_an_older_version_are_refused_by_name(network):
    stored = json.loads(Player(network, point=(0.0, 1.1)).snapshot().to_json())
    stored["version"] = VERSION - 1
    with pytest.raises(MotionError, match=f"expected a snapshot of version {VERSION}, got version {VERSION - 1}"):
        Snapshot.from_json(json.dumps(stored))
    with pytest.raises(MotionError, match="not a snapshot of a player"):
        Snapshot.from_json(b'{"version": "new"}')
