"""Tours: arcs taken one after the other, unattended."""

from __future__ import annotations

import math

import pytest

from mocapella.errors import MotionError
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.steering.tour import Tour

ARCS = ("run-walk", "walk-twirl-walk", "walk-stand", "stand-walk")


@pytest.fixture(scope="module")
def toured(hybrid):
    tour = Tour(hybrid, ARCS, pause=0.5)
    player = Player(hybrid, hybrid.network("running", "blend").nodes[0].at, block=tour.start, mode="blend")
    return tour, player, record(player, frame_rate=30, script=tour)


def test_every_arc_is_taken_in_turn_and_the_tour_says_when_it_is_done(toured):
    tour, player, clip = toured
    assert tour.done
    assert [entry.state for entry in player.states] == ["network", *["waiting", "change", "network"] * len(ARCS)]
    assert [entry.arc for entry in player.states if entry.state == "change"] == list(ARCS)
    assert clip.seconds - player.states[-1].time == pytest.approx(0.5, abs=3 / 30)


def test_the_log_names_the_block_and_a_mode_that_opens_the_arc(hybrid, toured):
    _, player, _ = toured
    for entry in player.states[1:]:
        arc = hybrid.arc(entry.arc)
        assert entry.block == (arc.target if entry.state == "network" else arc.source).block
        assert entry.arc in hybrid.mode(entry.mode).arcs
    assert player.states[0][3:] == ("running", "blend")


def test_nothing_is_taken_before_its_pause_is_over(hybrid):
    player = Player(hybrid, (0.0, 1.2), block="walking", mode="blend", feet="velocity")
    record(player, seconds=1.9, frame_rate=30, script=Tour(hybrid, ["walk-twirl-walk"], pause=2))
    assert player.mode == "blend"


def taken(player):
    return [entry.arc for entry in player.states if entry.state == "change"]


def on_node(hybrid, name, mode):
    arc = hybrid.arc(name)
    at = hybrid.network(arc.source.block, mode).node(arc.source.node).at
    return Player(hybrid, at, block=arc.source.block, mode=mode, feet="velocity")


@pytest.mark.parametrize("arcs", [["walk-stand"], ["walk-stand", "stand-walk", "walk-stand"], ["walk-run", "run-walk"]])
def test_who_begins_on_the_node_of_an_open_arc_takes_it_once(hybrid, arcs):
    player = on_node(hybrid, arcs[0], "change")
    record(player, frame_rate=30, script=Tour(hybrid, arcs, pause=0.5))
    assert taken(player) == arcs


def test_who_begins_on_a_node_takes_its_arc_as_often_as_asked_or_the_one_that_is_asked_for(hybrid):
    once, thrice = on_node(hybrid, "walk-twirl-walk", "twirl"), on_node(hybrid, "walk-twirl-walk", "twirl")
    lengths = [
        record(player, frame_rate=30, script=Tour(hybrid, ["walk-twirl-walk"], pause=0.5, times=times)).seconds
        for player, times in ((once, 1), (thrice, 3))
    ]
    assert lengths[1] > lengths[0] + 1.0
    other = on_node(hybrid, "walk-stand", "change")
    record(other, frame_rate=30, script=Tour(hybrid, ["walk-run"], pause=0.5))
    assert taken(other) == ["walk-run"]


def test_an_arc_that_goes_off_while_the_tour_pauses_counts_as_taken(hybrid):
    at = hybrid.network("walking", "change").node("walk-stand before").at
    tour = Tour(hybrid, ["walk-stand", "stand-walk"], pause=1.0)
    player = Player(hybrid, (0.0, 1.2), block="walking", mode="change", feet="velocity", ease=0.05)
    tour.steer(player, 0.0)
    player.point = at  # somebody else's hand
    record(player, frame_rate=30, script=tour)
    assert taken(player) == ["walk-stand", "stand-walk"]


def test_an_arc_that_is_under_way_when_the_tour_begins_counts_as_taken(hybrid):
    player = on_node(hybrid, "walk-stand", "change")
    while player.state != "change":
        player.step(1 / 30)
    stored = Player.resumed(hybrid, player.snapshot())
    record(stored, frame_rate=30, script=Tour(hybrid, ["walk-stand", "stand-walk"], pause=0.2))
    assert taken(stored) == ["walk-stand", "stand-walk"]


@pytest.mark.parametrize(
    ("arcs", "pause", "reason"),
    [
        (("run-walk", "run-walk"), 1, "leads to block 'walking', and 'run-walk' begins in 'running'"),
        (("leap",), 1, "no arc 'leap'"),
        ((), 1, "at least one arc"),
        (("run-walk",), -1, "0 seconds or more"),
    ],
)
def test_a_tour_that_leads_nowhere_is_refused(hybrid, arcs, pause, reason):
    with pytest.raises(MotionError, match=reason):
        Tour(hybrid, arcs, pause)


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        (0, "once or more often, got 0"),
        (1.5, "a whole number of times, got 1.5"),
        ((1, math.inf), "a whole number of times, got inf"),
        (2, "nothing in arc 'run-walk' can be repeated"),
        ((1, 2, 3), "expected 2 numbers of times, one for each arc, or one for all; got 3"),
    ],
)
def test_times_that_no_arc_can_be_taken_are_refused_before_anything_is_played(hybrid, times, reason):
    with pytest.raises(MotionError, match=reason):
        Tour(hybrid, ("run-walk", "walk-twirl-walk"), times=times)
