"""Laws of steps as long as a slow frame, or longer than a cycle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mocapella.motion.contacts import FOOT_POINTS
from mocapella.playback.player import Player
from mocapella.playback.settings import DEFAULTS

LENGTHS = [0.2, 0.35, 0.5, 0.77, 1.0, 2.0, 7.3]


@pytest.mark.parametrize("dt", LENGTHS)
def test_a_point_arrives_in_good_time_however_long_the_steps(network, dt):
    rng = np.random.default_rng(0)
    player = Player(network, point=(0.0, 1.1))
    for _ in range(20):
        shares = rng.dirichlet(np.ones(len(network.nodes)))
        goal = tuple((shares @ network.points).tolist())
        player.point, waited = goal, 0
        while math.dist(player.point, goal) > 0.05:
            player.step(dt)
            waited += 1
            assert (waited - 1) * dt < 2.0


@pytest.mark.parametrize("share", [0.5, 0.97, 1.0, 1.03, 2.0, 3.4])
def test_after_a_step_of_about_a_cycle_no_foot_is_held_back_where_it_stood_a_round_ago(walk, share):
    player = Player(walk)
    player.step(0.0)
    for _ in range(12):
        player.step(share * walk.duration)
        assert player.snapshot().state.locks.strain < DEFAULTS.strain_from


@pytest.mark.parametrize("seconds", [0.15, 0.25])
def test_a_foot_that_stands_all_the_time_of_a_longer_step_stays_where_it_is(walk, seconds):
    checked = 0
    for start in np.linspace(0.0, walk.duration, 8, endpoint=False).tolist():
        player, witness = Player(walk), Player(walk)
        for _ in range(15):
            player.step(start / 15)
            witness.step(start / 15)
        before = [lock.place for lock in player.snapshot().state.locks.points]
        down = np.array(player.planted)
        player.step(seconds)
        for _ in range(5):
            witness.step(seconds / 5)
            down &= np.array(witness.planted)
        after = [lock.place for lock in player.snapshot().state.locks.points]
        for point in range(len(FOOT_POINTS)):
            if down[point]:
                assert after[point] == before[point]
                checked += 1
    assert checked > 5


def test_steps_of_every_length_lead_to_the_same_place_while_the_point_rests(walk):
    there = Player(walk)
    there.step(6.0)
    for dt in (0.1, 0.5, 1.5):
        player = Player(walk)
        for _ in range(round(6.0 / dt)):
            player.step(dt)
        np.testing.assert_allclose(player.position, there.position, atol=1e-9)
