"""Hybrid networks go through pickle, and players of them are copied: a copy goes its own way."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from tests.hybrid.hybrids import draft, hybrid

COPIES = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "deep": copy.deepcopy, "shallow": copy.copy}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_of_a_hybrid_network_plays_the_same(how):
    players = [mo.Player(one, (0.0, 1.2), mode="change") for one in (hybrid(), COPIES[how](hybrid()))]
    for player in players:
        player.trigger("walk-run")
    for _ in range(30):
        first, second = (player.step(0.1).positions for player in players)
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_player_goes_its_own_way_from_there(how):
    player = mo.Player(hybrid(), (0.0, 1.2), mode="change")
    player.trigger("walk-run")
    player.step(0.3)
    other = COPIES[how](player)
    before = player.position
    poses = [other.step(0.1).positions for _ in range(20)]
    assert player.position == before
    for pose in poses:
        np.testing.assert_array_equal(player.step(0.1).positions, pose)


def test_drafts_modes_and_truth_go_through_pickle():
    made, mode, truth = (COPIES["pickle"](one) for one in (draft(), hybrid().modes[1], perform("walk")[1]))
    assert [arc.name for arc in made.arcs] == [arc.name for arc in draft().arcs]
    assert made.measure is draft().measure
    assert mode == hybrid().modes[1]
    assert truth.contacts.keys() == perform("walk")[1].contacts.keys()
