"""How the root gives way to feet that stand while the motion changes under them."""

import numpy as np
import pytest
from msgspec.structs import replace

import mocapella as mo
from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.building.build import build
from mocapella.playback.player import Player
from mocapella.playback.state import Snapshot
from mocapella.storage.values import load

WALKS = ("slow walk straight", "fast walk straight", "medium walk sharp left", "medium walk sharp right")


@pytest.fixture(scope="module")
def walks():
    return build([capture(name)[0] for name in WALKS]).network


def kicks(network, start, goal, *, steps=40, beginnings=8, **settings):
    """How much the root's velocity over the ground changes within a frame, at most, in m/s, by where it begins."""
    out = []
    for phase in np.linspace(0.0, 2.0 * np.pi, beginnings, endpoint=False).tolist():
        player = Player(network, point=start, phase=phase)
        there = player.snapshot()
        player = Player.resumed(network, replace(there, settings=replace(there.settings, **settings)))
        player.step(0.5)
        player.point = goal
        places = np.array([player.step(1 / 60).root_position[::2] for _ in range(steps)])
        out.append(np.linalg.norm(np.diff(places, 2, axis=0), axis=1).max() * 60.0)
    return np.array(out)


def test_all_of_the_way_is_made_however_time_is_cut(walks):
    ends = []
    for step in (1 / 240, 1 / 30):
        player = Player(walks, point=(0.0, 1.2))
        player.step(0.4)
        there = player.snapshot()
        owing = replace(there.state, root=replace(there.state.root, owed=0.03 - 0.01j))
        player = Player.resumed(walks, replace(there, state=owing))
        for _ in range(round(0.6 / step)):
            player.step(step)
        assert player.snapshot().state.root.owed == pytest.approx(0.0, abs=1e-9)
        ends.append(player.position)
    straight = Player(walks, point=(0.0, 1.2))
    straight.step(1.0)
    np.testing.assert_allclose(ends, np.array(straight.position) + [[-0.01, 0.03]] * 2, atol=1e-9)


def test_a_snapshot_keeps_the_way_that_is_owed(walks):
    player = Player(walks, point=walks.nodes[2].at)
    player.point = walks.nodes[1].at
    for _ in range(5):
        player.step(1 / 60)
    assert abs(player.snapshot().state.root.owed) > 1e-5
    again = Player.resumed(walks, Snapshot.from_json(player.snapshot().to_json()))
    for _ in range(20):
        assert np.array_equal(again.step(1 / 60).root_position, player.step(1 / 60).root_position)


@pytest.mark.data
def test_the_root_makes_way_without_a_jerk_where_a_sharp_turn_is_left(data_folder):
    takes = [load(data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in (13, 15, 17, 19, 21, 58)]
    network = mo.build_network(takes)
    start, goal = network.node("16_19").at, network.node("16_21").at
    soft = kicks(network, start, goal)
    sudden = kicks(network, start, goal, root_shift_time=1e-6)
    assert soft.max() < 0.75 * sudden.max()
    assert soft.max() < 0.5


def test_blends_of_people_who_stay_where_they_are_stay_there():
    idle = build([capture(name)[0] for name in ("stand", "look-around", "twist", "dance")]).network
    for point in ((0.0, 0.0), (0.35, 0.0), (-0.35, 0.2)):
        player = Player(idle, point=point)
        cycle = player.spectrum.duration / 30
        rounds = np.array([[player.step(cycle).root_position[::2] for _ in range(30)] for _ in range(10)])
        middles = rounds.mean(axis=1)
        assert np.linalg.norm(middles[-1] - middles[0]) < 0.01
        assert np.ptp(rounds[0], axis=0).max() > 1e-3  # it sways all the same


def test_who_turns_on_the_spot_still_goes_round():
    turn = analyse(prepare(capture("turn left")[0], turning=True), harmonics=10)
    player = Player(turn)
    places = np.array([player.step(1 / 30).root_position[::2] for _ in range(240)])
    assert np.ptp(places, axis=0).min() > 0.005
