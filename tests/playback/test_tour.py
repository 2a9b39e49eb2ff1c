"""Tours: arcs taken one after the other, unattended."""

from __future__ import annotations

import pytest

from mocapella.errors import MotionError
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.tour import Tour

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
        (2, "nothing in arc 'run-walk' can be repeated"),
        ((1, 2, 3), "expected 2 numbers of times, one for each arc, or one for all; got 3"),
    ],
)
def test_times_that_no_arc_can_be_taken_are_refused_before_anything_is_played(hybrid, times, reason):
    with pytest.raises(MotionError, match=reason):
        Tour(hybrid, ("run-walk", "walk-twirl-walk"), times=times)
