"""Players through changes of motion: joins that nobody sees, feet that stand, repeats, snapshots, scripts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.smoothness import join_figures
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.splice import splice
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.playback.state import Snapshot
from mocapella.steering.point_script import Script

ARCS = dict.fromkeys(("walk-run", "run-walk", "walk-stand", "stand-walk"), "change") | {"walk-twirl-walk": "twirl"}


def on_node(hybrid, arc, **options):
    stop, mode = hybrid.arc(arc).source, ARCS[arc]
    at = hybrid.network(stop.block, mode).node(stop.node).at
    return Player(hybrid, at, block=stop.block, mode=mode, **options)


@pytest.mark.parametrize("sooner", [0.05, 2.9])
@pytest.mark.parametrize("arc", ARCS)
def test_nobody_sees_the_joins_and_no_foot_slides(hybrid, arc, sooner):
    change = hybrid.arc(arc).transition
    player = on_node(hybrid, arc, phase=change.leave_phase - sooner)
    seconds = change.seconds + sooner / TURN * player.spectrum.duration + 0.6
    clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=change.clip.frame_rate)
    assert_unseen(clip, contacts, player, change)


def assert_unseen(clip, contacts, player, change):
    leave, arrive = (entry.time for entry in player.states[2:4])
    for time in (leave, arrive):
        figures = join_figures(clip, time, change.clip)
        assert figures.step <= 1.5
        assert figures.own_kick <= 2.0  # every joint by itself
        assert figures.kick <= 2.0
        assert figures.push <= 1.0  # the root's velocity and heading change no more than in the capture itself
        assert figures.twist <= 1.0
    rate = clip.frame_rate
    near = [
        one.slid
        for one in footing(clip, contacts).slips
        if leave - 0.2 < one.last / rate and one.first / rate < arrive + 0.3
    ]
    assert max(near) <= 1e-3


def test_a_mirrored_change_is_left_for_as_quietly(hybrid):
    mirrored = hybrid.arc("walk-run").versions[1].transition
    player = on_node(hybrid, "walk-run", phase=mirrored.leave_phase - 0.4)
    clip, contacts = record_with_contacts(player, seconds=mirrored.seconds + 0.7, frame_rate=mirrored.clip.frame_rate)
    assert_unseen(clip, contacts, player, mirrored)


def test_two_changes_cut_together_are_played_as_one(hybrid):
    twirl, off = (hybrid.arc(name).transition for name in ("walk-twirl-walk", "walk-run"))
    change = splice(twirl, off, name="twirl off")
    draft = HybridBuilder({name: block.network for name, block in hybrid.blocks.items()})
    draft = draft.with_transition(change, "walking", "running")
    made = draft.finished([draft.mode("all", ["twirl off"])])
    arc = made.arc("twirl off")
    at = made.network("walking", "all").node(arc.source.node).at
    player = Player(made, at, block="walking", phase=arc.transition.leave_phase - 0.3)
    clip, contacts = record_with_contacts(player, seconds=change.seconds + 0.8, frame_rate=change.clip.frame_rate)
    assert [entry.state for entry in player.states] == ["network", "waiting", "change", "network"]
    assert player.block == "running"
    assert player.heading == pytest.approx(TURN, abs=0.6)  # it has turned right round
    assert player.speed > 2.0  # and runs
    assert_unseen(clip, contacts, player, change)


def test_without_joins_the_change_is_played_as_captured(hybrid):
    change = hybrid.arc("walk-twirl-walk").transition
    player = on_node(hybrid, "walk-twirl-walk", feet="velocity", join=0, phase=change.leave_phase)
    for frame in range(change.leave, change.arrive):
        pose = player.step(0.0 if frame == change.leave else 1.0 / change.clip.frame_rate)
        apart = quaternions.angle_between(pose.rotations_wxyz[1:], change.clip.rotations_wxyz[frame, 1:])
        assert apart.max() < 1e-6
    assert player.heading == pytest.approx(TURN, abs=0.5)


def test_a_join_takes_the_step_out_of_a_bare_one(hybrid):
    steps = {}
    for join in (0.0, 0.25):
        change = hybrid.arc("run-walk").transition
        player = on_node(hybrid, "run-walk", feet="velocity", join=join, phase=change.leave_phase - 0.5)
        clip = record(player, seconds=0.4, frame_rate=240)
        time = player.states[2].time
        frame = int(time * 240)
        steps[join] = np.abs(np.diff(clip.rotations_wxyz, n=2, axis=0))[frame - 2 : frame + 3].max()
    assert steps[0.25] < 0.7 * steps[0.0]


def test_a_twirl_can_be_made_three_times_over(hybrid):
    change = hybrid.arc("walk-twirl-walk").transition
    first, last = change.loop
    turned = {}
    for times in (1, 3):
        player = on_node(hybrid, "walk-twirl-walk", phase=change.leave_phase - 0.2)
        player.trigger("walk-twirl-walk", times=times)
        clip, contacts = record_with_contacts(player, seconds=10.5, frame_rate=30)
        turned[times] = player.heading
        seconds = player.states[3].time - player.states[2].time
        assert seconds == pytest.approx(change.seconds + (times - 1) * (last - first) / change.clip.frame_rate)
        assert footing(clip, contacts).slip_mm_max < 1.5
        assert np.abs(np.diff(clip.rotations_wxyz[:, 1:], axis=0)).max() < 0.4
    assert turned[3] - turned[1] == pytest.approx(2.0 * TURN, abs=0.7)


def test_a_change_can_be_launched_from_anywhere(hybrid):
    slow = hybrid.network("walking", "change").node("slow walk straight").at
    player = Player(hybrid, slow, block="walking", phase=1.0)
    player.trigger("walk-run", anywhere=True)
    assert player.state == "waiting"
    clip, contacts = record_with_contacts(player, seconds=4.0, frame_rate=120)
    assert player.block == "running"
    change = hybrid.arc("walk-run").transition
    figures = join_figures(clip, player.states[2].time, change.clip)
    assert max(figures.step / 1.5, figures.kick / 2.0) <= 1.0
    assert footing(clip, contacts).slip_mm_max < 1.5


@pytest.mark.parametrize("feet", ["held", "anchored", "velocity"])
def test_stored_in_the_middle_of_anything_a_player_goes_on_with_the_same_frames(hybrid, feet):
    player = on_node(hybrid, "walk-run", feet=feet)
    seen, others = set(), []
    for i in range(130):
        if i % 10 == 0:
            others = [*others[-1:], Player.resumed(hybrid, Snapshot.from_json(player.snapshot().to_json()))]
        if i == 115:
            for one in (player, *others):
                one.mode = "blend"
        seen.add(player.state)
        pose = player.step(1 / 30)
        for other in others:
            same = other.step(1 / 30)
            assert np.array_equal(same.rotations_wxyz, pose.rotations_wxyz)
            assert np.array_equal(same.root_position, pose.root_position)
    assert seen == {"network", "waiting", "change"}
    assert others[0].states == player.states


def test_a_player_of_a_plain_network_can_be_stored_too(network):
    player = Player(network, (0.2, 1.1))
    player.point = (-0.3, 1.3)
    for _ in range(7):
        player.step(1 / 60)
    again = Player.resumed(network, Snapshot.from_json(player.snapshot().to_json()))
    for _ in range(30):
        a, b = player.step(1 / 60), again.step(1 / 60)
        assert np.array_equal(a.rotations_wxyz, b.rotations_wxyz)
        assert np.array_equal(a.root_position, b.root_position)


@pytest.mark.parametrize(
    ("part", "value"),
    [("turns", 1e308), ("turns", 4.0), ("spins", -1e308), ("seconds", 0.0), ("height", 1e7), ("velocity", 1e300)],
)
def test_numbers_that_make_no_pose_are_refused_with_the_snapshot(hybrid, part, value):
    player = on_node(hybrid, "walk-run")
    while player.state != "change":
        player.step(1 / 60)
    state = json.loads(player.snapshot().to_json())
    Snapshot.from_json(json.dumps(state))  # as it is, it is fine
    join = state["state"]["root"]["offset"]
    rows = {"turns": [[value] * 3] * len(join["turns"]), "spins": [[value] * 3] * len(join["spins"])}
    join[part] = rows.get(part, [value, 0.0] if part == "velocity" else value)
    with pytest.raises(MotionError, match="this is not a snapshot of a player"):
        Snapshot.from_json(json.dumps(state))


def test_snapshots_of_something_else_are_refused(hybrid, network):
    plain = Player(network, (0.2, 1.1)).snapshot()
    with pytest.raises(MotionError, match="plain network's player"):
        Player.resumed(hybrid, plain)
    with pytest.raises(MotionError, match="hybrid network's player"):
        Player.resumed(network, on_node(hybrid, "walk-run").snapshot())
    with pytest.raises(MotionError, match="not a snapshot of a player"):
        Snapshot.from_json(b'{"time": "soon"}')


def test_a_script_presses_keys_and_the_log_tells_what_came_of_it(hybrid):
    start = hybrid.network("walking", "twirl").node("slow walk straight").at
    rows = [(0.0, *start, ""), (0.5, *start, "x"), (0.6, *start, "no such key"), (8.0, *start, "c"), (8.1, *start, "r")]
    player = Player(hybrid, start, block="walking", mode="twirl", feet="velocity")
    with pytest.warns(MotionWarning, match="does nothing here"):
        clip = record(player, seconds=14.0, frame_rate=30, script=Script.of(rows))
    arcs = [entry.arc for entry in player.states if entry.state == "change"]
    assert arcs == ["walk-twirl-walk", "walk-run"]
    assert (player.block, player.mode) == ("running", "change")
    assert clip.n_frames == 420
