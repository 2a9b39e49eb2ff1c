"""Motions that are placed as straight go straight, for as long as they are played."""

import functools
import warnings

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.building.build import build
from mocapella.building.layout.placement import STRIDE_AND_SPEED
from mocapella.gait.root_motion import played_rates
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

MINUTES = 0.15


@functools.cache
def strolls():
    """Walks that each turn a little to one side: by chance, as a capture does."""
    turns = ((0.9, 0.08), (1.2, -0.06), (1.6, 0.1))
    return [
        perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0].renamed(f"{speed}") for speed, turn in turns
    ]


def way(network, point):
    """How far a recording turned in whole cycles and which way it went, degrees, and its slip, mm."""
    player = Player(network, point=point)
    clip, contacts = record_with_contacts(player, seconds=60 * MINUTES, frame_rate=30)
    cycles = int(60 * MINUTES / player.spectrum.duration)
    turned = np.degrees(cycles * player.spectrum.turn)
    x, _, z = clip.root_positions[-1] - clip.root_positions[0]
    return turned, np.degrees(np.arctan2(x, z)), footing(clip, contacts).slip_mm_max


@pytest.mark.parametrize("axes", [None, STRIDE_AND_SPEED])
def test_straight_walks_that_turn_by_chance_do_not_turn_in_a_network(axes):
    options = {} if axes is None else {"axes": axes, "thin": False}
    network = build(strolls(), measure=played_rates, **options).network
    for node in network.nodes:
        turned, course, slip = way(network, node.at)
        assert turned == 0.0
        assert course == pytest.approx(0.0, abs=0.5)
        assert slip < 1.0


def test_among_turns_a_walk_keeps_the_little_that_it_turns_and_lies_there():
    sharp = perform("walk", speed=1.0, turn=0.7)[0].renamed("sharp")
    network = build([*strolls(), sharp]).network
    for node in network.nodes:
        assert node.at[0] == pytest.approx(np.degrees(node.spectrum.turn / node.spectrum.duration), abs=1e-9)
    assert network.node("1.6").at[0] > 2.0


@pytest.mark.parametrize("takes", [("16_15", "16_21", "16_31", "16_58"), ("16_35", "16_56")])
def test_captured_people_go_straight_too(data_folder, takes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = build(
            [data_folder / "cmu-bvh" / "16" / f"{take}.bvh" for take in takes], measure=played_rates
        ).network
    for point in (network.points[0], network.points.mean(axis=0)):
        turned, course, slip = way(network, tuple(point.tolist()))
        assert turned == pytest.approx(0.0, abs=1e-9)
        assert course == pytest.approx(0.0, abs=0.5)
        assert slip < 1.0
