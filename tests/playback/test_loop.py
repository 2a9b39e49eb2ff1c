"""Cycles of a player, closed."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import capture
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.loops import is_closed
from mocapella.playback.record import record_loop


@pytest.fixture(scope="module")
def network():
    return mo.build_network(
        [mo.example("walk", speed=speed, turn=turn) for speed, turn in ((0.9, 0.0), (1.3, 0.7), (1.6, 0.0))]
    )


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_loop_is_closed_and_lasts_whole_cycles(network, rounds):
    player = mo.Player(network, point=(10.0, 1.25))
    clip, contacts = record_loop(player, rounds=rounds, frame_rate=60.0)
    assert is_closed(clip, within=1e-9)
    np.testing.assert_allclose((clip.n_frames - 1) / clip.frame_rate, rounds * network.blend((10.0, 1.25)).duration)
    assert abs(clip.frame_rate - 60.0) < 0.5
    assert figures(MOTION, MeasuredMotion(clip, contacts), ("slip_mm_max",))["slip_mm_max"] < 1.0


def test_loops_of_captures_with_flaws_are_closed_and_begin_where_the_character_stands():
    """Feet are held as in the round before, so that the first round of such a walk differs from the others."""
    takes = ("slow walk left", "medium walk straight", "fast walk left")
    network = mo.build_network([capture(name)[0] for name in takes])
    for node in network.nodes:
        clip, _ = record_loop(mo.Player(network, point=node.at), frame_rate=30.0)
        assert is_closed(clip, within=1e-6)
        start = mo.Player(network, point=node.at).step(0.0)
        np.testing.assert_allclose(clip.root_positions[0], start.root_position, atol=5e-3)


def test_loops_of_one_network_are_in_step(network):
    """The same foot is down at the same share of every loop."""
    shares = []
    for point in ((0.0, 1.0), (15.0, 1.3), (0.0, 1.5)):
        _, contacts = record_loop(mo.Player(network, point=point))
        down = contacts.planted("left_heel")[:-1]
        shares.append(np.angle(np.mean(np.exp(2j * np.pi * np.flatnonzero(down) / len(down)))))
    assert np.ptp(np.unwrap(shares)) < 0.35


def test_what_does_not_repeat_is_refused(network):
    player = mo.Player(network, point=(0.0, 1.0), pace=0.2)
    player.point = (0.0, 1.5)
    with pytest.raises(mo.MotionError, match="does not repeat"):
        record_loop(player)
    for rounds in (0, -1):
        with pytest.raises(mo.MotionError, match="number of cycles"):
            record_loop(mo.Player(network, point=(0.0, 1.0)), rounds=rounds)
