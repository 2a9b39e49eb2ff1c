"""Changes of real people, played: nobody sees where the capture begins and ends."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.smoothness import join_figures, jolts
from mocapella.building.build import build
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.transition_search import find_transition
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.storage.values import load


@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
@pytest.mark.parametrize(
    "name",
    [
        "127/127_04",  # who stands begins to run
        "16/16_33",  # who walks stops
        "16/16_57",  # who runs stops: one foot is about to land where the capture takes over
    ],
)
def test_nobody_sees_the_joins_of_captured_changes(data_folder, name):
    change = find_transition(load(data_folder / "cmu-bvh" / f"{name}.bvh"), name="change")
    draft = HybridBuilder().with_transition(change, "before", "after")
    hybrid = draft.finished([draft.mode("all", ["change"])])
    arc = hybrid.arc("change")
    at = hybrid.network("before", "all").node(arc.source.node).at
    player = Player(hybrid, at, block="before", phase=arc.transition.leave_phase - 0.5)
    rate = change.clip.frame_rate
    clip, contacts = record_with_contacts(player, seconds=change.seconds + 1.0, frame_rate=rate)
    for entry in player.states[2:4]:
        figures = join_figures(clip, entry.time, change.clip)
        assert figures.step <= 1.5
        assert figures.kick <= 2.0
        assert figures.own_kick <= 2.0
        assert figures.push <= 1.0
        assert figures.twist <= 1.0
    assert footing(clip, contacts).slip_mm_max <= 1.0


@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_feet_that_a_capture_shakes_are_held_without_a_twitch_of_the_knees(data_folder):
    shaken = find_transition(
        load(data_folder / "cmu-asfamc" / "05" / "05_02.amc"), boundaries=(325, 860), name="change"
    )

    def twitch(change):
        draft = HybridBuilder().with_transition(change, "before", "after", at_once=True)
        hybrid = draft.finished([draft.mode("all", ["change"])])
        at = hybrid.network("before", "all").node(hybrid.arc("change").source.node).at
        player = Player(hybrid, at, block="before", phase=1.0)
        clip = record(player, seconds=0.3, frame_rate=change.clip.frame_rate)
        return join_figures(clip, player.states[2].time, change.clip).own_kick

    assert twitch(shaken) <= 1.0
    assert twitch(replace(shaken, tremor=math.inf)) > 2.0


@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_a_walk_of_the_same_dancer_goes_over_into_a_pirouette_that_has_no_cycle_of_its_own(data_folder):
    folder = data_folder / "cmu-asfamc" / "05"
    walk = build([folder / "05_01.amc"]).network
    change = find_transition(load(folder / "05_11.amc"), boundaries=(50, 450), before=walk, name="pirouette")
    draft = HybridBuilder({"walking": walk}).with_transition(change, "walking", "posing")
    hybrid = draft.finished([draft.mode("all", ["pirouette"])])
    arc = hybrid.arc("pirouette")
    at = hybrid.network("walking", "all").node(arc.source.node).at
    player = Player(hybrid, at, phase=arc.transition.leave_phase - 0.3)
    clip = record(player, seconds=1.2, frame_rate=change.clip.frame_rate)
    assert player.state == "change"
    leave = player.states[2].time
    figures = join_figures(clip, leave, change.clip)
    assert figures.own_kick <= 2.0
    assert figures.push <= 1.0
    arm = clip.skeleton.index("lhumerus")  # it has most of the way to go, over a hundred degrees
    speeds = jolts(clip).spins[int((leave + 0.02) * clip.frame_rate) :, arm]
    assert speeds.max() < jolts(change.clip).spins[:, arm].max()
