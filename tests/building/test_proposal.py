"""Hybrid networks proposed from motion graphs: kinds fall apart, changes lead both ways, feet stay planted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from benchmarks.smoothness import join_figures
from mocapella.actor import capture
from mocapella.building.kinds import kinds_of, stretches_of
from mocapella.building.proposal import propose_hybrid
from mocapella.building.takes import cycles_in
from mocapella.graphs.graph import MotionGraph, build_graph
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts


def captured(*names):
    return [capture(name, frame_rate=60.0)[0] for name in names]


@pytest.fixture(scope="module")
def takes():
    names = (
        "medium walk straight",
        "medium walk left",
        "medium run straight",
        "walk-run",
        "run-walk",
        "walk-twirl-walk",
    )
    return dict(zip(names, captured(*names), strict=True))


@pytest.fixture(scope="module")
def proposal(takes):
    return propose_hybrid(build_graph(list(takes.values())))


@pytest.fixture(scope="module")
def in_halves(takes):
    """The walk that becomes a run is in two clips, neither of which shows enough of both."""
    change = takes["walk-run"]
    halves = [change[:245].renamed("setting off"), change[201:].renamed("off")]
    steady = [takes[name] for name in ("medium walk straight", "medium run straight", "run-walk")]
    return propose_hybrid(build_graph([*steady, *halves], threshold=0.1))


def played(hybrid, name):
    """A player that takes an arc on request, its motion, and its feet."""
    arc = hybrid.arc(name)
    at = hybrid.network(arc.source.block, "armed").node(arc.source.node).at
    player = Player(hybrid, at, block=arc.source.block, mode="armed")
    player.trigger(name)
    change = arc.transition
    clip, contacts = record_with_contacts(player, seconds=change.seconds + 2.0, frame_rate=change.clip.frame_rate)
    return player, clip, contacts


def assert_changes_unseen(hybrid, arc):
    player, clip, contacts = played(hybrid, arc.name)
    assert [entry.state for entry in player.states] == ["network", "waiting", "change", "network"]
    assert player.block == arc.target
    assert max(one.slid for one in footing(clip, contacts).slips) <= 1e-3
    for entry in player.states[2:4]:
        figures = join_figures(clip, entry.time, hybrid.arc(arc.name).transition.clip)
        assert figures.step <= 1.5
        assert figures.kick <= 2.0
    return player


def test_walks_and_runs_fall_apart(proposal):
    walking, running = proposal.kinds
    assert (walking.name, running.name) == ("walking", "running")
    assert {cycle.name for cycle in walking.cycles} >= {"medium walk straight", "medium walk left"}
    assert {cycle.name for cycle in running.cycles} >= {"medium run straight"}
    assert walking.speed < 2.0 < running.speed


def test_kinds_do_not_depend_on_the_order_of_cycles(proposal):
    cycles = [cycle for kind in proposal.kinds for cycle in kind.cycles]
    again = kinds_of(cycles[::-1])
    assert [{one.name for one in kind.cycles} for kind in again] == [
        {one.name for one in kind.cycles} for kind in proposal.kinds
    ]


def test_every_frame_of_a_clip_lies_in_one_stretch(proposal, takes):
    for name, expected in (("walk-run", [0, 1]), ("run-walk", [1, 0]), ("medium walk left", [0])):
        found = stretches_of(takes[name], proposal.kinds)
        assert [one.kind for one in found] == expected
        edges = [0, *(one.last for one in found)]
        assert [one.first for one in found] == edges[:-1]
        assert edges[-1] == takes[name].n_frames


@pytest.mark.parametrize("name", ["walking to running", "running to walking", "walk-twirl-walk"])
def test_a_player_takes_the_proposed_arcs_with_planted_feet(proposal, name):
    arc = next(one for one in proposal.arcs if one.name == name)
    assert arc.joins == 0
    player = assert_changes_unseen(proposal.network, arc)
    assert (player.speed > 2.0) is (arc.target == "running")


def test_a_capture_of_the_change_is_what_is_played(proposal):
    assert {arc.name: arc.clips for arc in proposal.arcs} == {
        "walking to running": ("walk-run",),
        "running to walking": ("run-walk",),
        "walk-twirl-walk": ("walk-twirl-walk",),
    }


def test_two_clips_are_played_in_succession_on_a_command(in_halves):
    arc = next(one for one in in_halves.arcs if one.name == "walking to running")
    assert arc.joins >= 1
    assert len(arc.clips) >= 2
    assert arc.clips[-1] == "off"
    player = assert_changes_unseen(in_halves.network, arc)
    assert player.speed > 2.0


def test_a_change_that_nothing_shows_is_named_with_its_reason(takes):
    graph = build_graph([takes[name] for name in ("medium walk straight", "medium run straight", "walk-run")])
    made = propose_hybrid(graph)
    assert [arc.name for arc in made.arcs] == ["walking to running"]
    reason = next(one.reason for one in made.left_out if one.name == "running to walking")
    assert "no walk through the graph leads" in reason or "no node of the graph shows" in reason


def test_a_proposed_network_comes_back_from_its_file(proposal, tmp_path):
    mo.save(proposal.network, tmp_path / "net.moca")
    again = mo.load_network(tmp_path / "net.moca")
    _, clip, _ = played(proposal.network, "walking to running")
    np.testing.assert_array_equal(played(again, "walking to running")[1].positions, clip.positions)


def test_what_gives_no_hybrid_network_is_refused(takes):
    walks = build_graph([takes[name] for name in ("medium walk straight", "medium walk left")])
    with pytest.raises(mo.MotionError, match=r"2 cycles of the graph are all walking"):
        propose_hybrid(walks)
    apart = build_graph([takes[name] for name in ("medium walk straight", "medium run straight")])
    with pytest.raises(mo.MotionError, match=r"nothing leads from one kind of motion to another: walking to running: "):
        propose_hybrid(apart)
    still = replace(walks, clips=tuple(clip[:25] for clip in walks.clips), joins=())
    with pytest.raises(mo.MotionError, match="no capture of the graph has a cycle: medium walk straight: "):
        propose_hybrid(still)


def test_one_cycle_is_one_kind(takes):
    (cycle,) = cycles_in(takes["medium run straight"], turning=None, method="symmetric", layout="quaternion")
    assert [(kind.name, kind.longest) for kind in kinds_of([cycle])] == [("running", cycle.duration)]


@pytest.mark.data
def test_walks_and_runs_of_a_person_are_joined_by_his_own_changes(data_folder):
    names = ("16_15", "16_21", "16_25", "16_26", "16_35", "16_36", "16_45", "16_46", "16_56", "16_57")
    made = propose_hybrid(build_graph([mo.load(data_folder / "cmu-bvh" / "16" / f"{name}.bvh") for name in names]))
    assert [kind.name for kind in made.kinds] == ["walking", "running"]
    ways = {arc.name: arc for arc in made.arcs}
    assert {name: ways[name].clips for name in ("walking to running", "running to walking")} == {
        "walking to running": ("16_56",),
        "running to walking": ("16_57",),
    }
    for name in ("walking to running", "running to walking"):
        assert_changes_unseen(made.network, ways[name])


def test_a_graph_without_joins_still_has_captured_changes(takes):
    """Captures are looked at whole, not only where the graph leads."""
    graph = build_graph([takes[name] for name in ("medium walk straight", "walk-run", "run-walk")])
    bare = MotionGraph(graph.clips, graph.contacts, (), graph.window)
    assert {arc.name for arc in propose_hybrid(bare).arcs} >= {"walking to running", "running to walking"}
