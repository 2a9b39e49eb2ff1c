"""Loops of a network: closed, in step, where the network has its motions, and covering it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.errors import NetworkError
from mocapella.geometry import quaternions
from mocapella.motion.pose import Pose
from mocapella.studio.page.loop_grid import loop_grid, played_loop


@pytest.fixture(scope="module")
def network() -> mo.Network:
    clips = [perform("walk", speed=1.0)[0], perform("walk", speed=1.5)[0], perform("walk", speed=1.2, turn=0.4)[0]]
    return mo.build_network(clips)


@pytest.fixture(scope="module")
def grid(network):
    return loop_grid(network, samples=32, parts=2)


def test_the_grid_begins_with_the_nodes_and_parts_every_edge(network, grid):
    np.testing.assert_allclose([loop.at for loop in grid.loops[: len(network.nodes)]], network.points)
    assert len(grid.corners) == 4 * len(network.corners)
    places = np.array([loop.at for loop in grid.loops])
    area = sum(abs(np.linalg.det(places[row][1:] - places[row][0])) for row in grid.corners)
    whole = sum(abs(np.linalg.det(network.points[row][1:] - network.points[row][0])) for row in network.corners)
    np.testing.assert_allclose(area, whole)  # no gap, nothing twice
    assert len({tuple(np.round(at, 9)) for at in places}) == len(places)  # neighbours share corners


def test_a_loop_is_what_a_player_plays(network):
    spectrum = network.nodes[0].spectrum
    loop = played_loop(spectrum, network.nodes[0].at, samples=32)
    player = mo.Player(spectrum)
    dt = spectrum.duration / 32
    for _ in range(2 * 32):
        player.step(dt)
    for sample in range(0, 32, 5):
        pose = player.step(0.0) if sample == 0 else [player.step(dt) for _ in range(5)][-1]
        rotations = loop.rotations_wxyz[sample].copy()
        rotations[0] = quaternions.multiply(quaternions.about_y(np.array(player.heading)), rotations[0])
        root = np.array([pose.root_position[0], loop.heights[sample], pose.root_position[2]])
        again = Pose(player.skeleton, root, rotations)
        np.testing.assert_allclose(again.positions, pose.positions, atol=1e-9)


def test_steps_of_a_loop_add_up_to_the_speed_and_turn_it_is_played_at(network, grid):
    for node, loop in zip(network.nodes, grid.loops, strict=False):
        assert loop.speed == pytest.approx(node.at[1], abs=0.03)
        assert loop.turn_rate == pytest.approx(node.at[0], abs=1.0)


def test_loops_close(grid):
    for loop in grid.loops:
        steps = np.abs(np.diff(loop.heights))
        assert abs(loop.heights[0] - loop.heights[-1]) <= 1.5 * steps.max()


def test_a_line_of_motions_and_a_single_one_have_grids_too():
    line = loop_grid(mo.build_network([perform("walk", speed=speed)[0] for speed in (1.0, 1.5)]), samples=16, parts=3)
    assert len(line.loops) == 4
    assert line.corners.shape == (3, 2)
    alone = loop_grid(mo.build_network([perform("walk", speed=1.2)[0]]), samples=16)
    assert len(alone.loops) == 1


def test_a_network_in_space_is_refused_with_what_helps(network):
    slower = network.with_spectra(
        {n.name: replace(n.spectrum, duration=1.2 * n.spectrum.duration) for n in network.nodes}
    )
    with pytest.raises(NetworkError, match="mocapella play"):
        loop_grid(mo.layered([network, slower], (0.0, 1.0)))
