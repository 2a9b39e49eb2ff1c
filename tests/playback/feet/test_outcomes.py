"""What each special case of held feet buys, seen in what is played: every test here fails without its own."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.steering.point_script import Script

SECONDS = 8.0


def steered(network, seed):
    """Recorded while the point is sent somewhere else every fifth to half of a second."""
    rng, low, high = np.random.default_rng(seed), network.points.min(axis=0), network.points.max(axis=0)
    rows, time = [], 0.0
    while time < SECONDS:
        point = low + rng.random(2) * (high - low)
        rows.append((time, *point))
        time += rng.uniform(0.2, 0.6)
        rows.append((time, *point))
    player = Player(network, point=tuple(network.points.mean(axis=0)))
    return record_with_contacts(player, seconds=SECONDS, frame_rate=60, script=Script.of(rows))


def test_a_heel_is_let_go_where_its_leg_is_too_short_for_a_flat_foot(walk, turning):
    """By ``still_down``: with both ends held, the foot would rise all the same and slide by 1.9 mm."""
    idle = analyse(prepare(capture("stand")[0]), harmonics=10)
    nodes = [Node("walk", (0.0, 1.0), walk), Node("turn", (1.0, 1.0), turning), Node("idle", (0.0, 0.0), idle, False)]
    assert footing(*steered(Network(nodes), 2)).slip_mm_max < 0.8


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_planted_feet_under_strain_hold_the_point_back_before_they_pull_the_root(data_folder):
    """By ``FootLocks.give``: without it a foot displaced too far jerks the root by 45 m/s²."""
    numbers = (15, 17, 19, 21, 24, 26, 27, 29, 31, 33, 47, 58)
    network = mo.build_network([data_folder / "cmu-bvh" / "16" / f"16_{number}.bvh" for number in numbers])
    clip, _ = steered(network, 1)
    accelerations = np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1) * clip.frame_rate**2
    assert accelerations.max() < 30.0


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_feet_that_stand_on_one_end_do_not_sink_in_at_the_other(data_folder):
    """By ``level_arcs``: plants of a heel that rises from its toe, held to the end, push it 0.6 mm into the ground."""
    takes = [mo.load(data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in (15, 27, 29)]
    assert footing(*steered(mo.build_network(takes), 1)).penetration_mm_max < 0.35
