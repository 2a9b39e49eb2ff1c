"""The state machine of a hybrid network: what sets a change off, how long it waits, where it leads, what is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mocapella.blending.single_source.ssh import SingleSource
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid import arranging
from mocapella.playback.modes import network_of, soonest, version_of
from mocapella.playback.player import Player


def on_node(hybrid, arc, *, mode="change", **options):
    """A player with its point on the node that an arc leaves from."""
    stop = hybrid.arc(arc).source
    at = hybrid.network(stop.block, mode).node(stop.node).at
    return Player(hybrid, at, block=stop.block, mode=mode, **options)


def weighing(hybrid, arc, weight, mode="change"):
    """A point at which the node of an arc counts so much."""
    stop = hybrid.arc(arc).source
    network = hybrid.network(stop.block, mode)
    names = next(names for names in network.triangles if stop.node in names)
    others = [network.node(name).at for name in names if name != stop.node]
    far = np.mean(others, axis=0)
    return tuple((weight * np.array(network.node(stop.node).at) + (1.0 - weight) * far).tolist())


def play(player, seconds, rate=30):
    for _ in range(round(seconds * rate)):
        player.step(1.0 / rate)
    return player


@pytest.mark.parametrize(("weight", "state"), [(0.949, "network"), (0.95, "waiting"), (1.0, "waiting")])
def test_a_change_is_set_off_where_its_node_counts_nearly_alone(hybrid, weight, state):
    player = Player(hybrid, weighing(hybrid, "walk-run", weight), block="walking", feet="velocity")
    player.step(0.0)
    assert player.state == state
    assert not player.hidden


@pytest.mark.parametrize("arc", ["walk-run", "run-walk", "walk-stand", "stand-walk"])
def test_states_follow_in_order_and_no_time_is_lost(hybrid, arc):
    logs = []
    for rate in (24, 60, 1000 / 7):
        player = play(on_node(hybrid, arc, feet="velocity", phase=0.4), 6.0, rate)
        logs.append(player.states[:4])
    waiting, change, network = logs[0][1:]
    assert [entry.state for entry in logs[0]] == ["network", "waiting", "change", "network"]
    assert all(entry.arc == arc for entry in logs[0][1:])
    assert network.time - change.time == pytest.approx(hybrid.arc(arc).transition.seconds, abs=1e-9)
    for log in logs[1:]:  # moments are crossed, not hit: how finely time is cut changes nothing
        np.testing.assert_allclose([entry.time for entry in log], [entry.time for entry in logs[0]], atol=1e-9)
    assert waiting.time == 0.0


def test_the_change_begins_when_the_cycle_comes_by_its_frame(hybrid):
    player = on_node(hybrid, "run-walk", feet="velocity", phase=0.4)
    rate = TURN / player.spectrum.duration
    play(player, 2.0)
    apart = (hybrid.arc("run-walk").transition.leave_phase - 0.4) % TURN
    assert player.states[2].time == pytest.approx(apart / rate, rel=1e-6)


@pytest.mark.parametrize("arc", ["walk-run", "run-walk", "walk-stand", "stand-walk"])
def test_the_mean_wait_is_half_a_cycle_and_half_of_that_with_a_mirrored_change(hybrid, arc):
    link = hybrid.arc(arc)
    duration = hybrid.network(link.source.block, "change").node(link.source.node).spectrum.duration
    waits = [soonest(link, phase)[1] / TURN * duration for phase in np.random.default_rng(4).uniform(0, TURN, 1000)]
    expected = 0.25 * duration if link.mirrored is not None else 0.5 * duration
    assert np.mean(waits) == pytest.approx(expected, rel=0.10 if link.mirrored is not None else 0.05)


def test_of_a_change_and_its_mirror_image_the_earlier_is_played(hybrid):
    link = hybrid.arc("walk-run")
    for version in link.versions:
        player = on_node(hybrid, "walk-run", feet="velocity", phase=version.transition.leave_phase - 0.3)
        before = player.states
        play(player, 0.5)
        assert len(before) == 1
        assert version_of(hybrid, player.snapshot().state.hybrid.arc).transition is version.transition


def test_the_point_is_deaf_from_the_zone_on_and_hidden_from_the_change_on_until_it_reappears_on_the_node(hybrid):
    player = on_node(hybrid, "walk-run", feet="velocity")
    node = player.point
    player.step(0.0)
    seen = []
    while player.state != "network":
        player.point = (0.0, 0.0)
        assert player.goal == node
        seen.append((player.state, player.hidden))
        player.step(1 / 30)
    assert set(seen) == {("waiting", False), ("change", True)}  # §6.4.5: blending ceases when phase 2 begins
    assert not player.hidden
    assert player.block == "running"
    network = network_of(hybrid, "running", "change", player.snapshot().state.hybrid.taken)
    place = network.place(player.point)
    assert dict(zip(place.nodes.tolist(), place.weights.tolist(), strict=True))[
        network.index(hybrid.arc("walk-run").target.node)
    ] == pytest.approx(1.0)


def test_twenty_twirls_leave_the_network_as_it_was(hybrid):
    before = hybrid.network("walking", "twirl")
    spectra = [node.spectrum.coefficients.copy() for node in before.nodes]
    player = Player(hybrid, (0.0, 1.0), block="walking", mode="twirl", feet="velocity")
    for i in range(20):
        player.trigger("walk-twirl-walk")
        for _ in range(160):
            player.step(1 / 20)
            if len(player.states) == 3 * (i + 1) + 1:
                break
    assert [entry.state for entry in player.states] == ["network", *["waiting", "change", "network"] * 20]
    assert player.heading == pytest.approx(20 * TURN, rel=0.05)
    after = hybrid.network("walking", "twirl")
    assert after is before
    for node, stored in zip(after.nodes, spectra, strict=True):
        assert np.array_equal(node.spectrum.coefficients, stored)


def test_a_node_has_its_own_motion_back_once_the_point_has_left_it(hybrid):
    player = on_node(hybrid, "walk-twirl-walk", mode="twirl", feet="velocity")
    play(player, 6.0)
    assert player.state == "network"  # it stands on the node that a twirl begins at, and is not set off again
    assert player.snapshot().state.hybrid.taken is not None
    slow = hybrid.network("walking", "twirl").node("slow walk straight").at
    player.point = slow
    poses = [player.step(1 / 60) for _ in range(120)]
    assert player.snapshot().state.hybrid.taken is None
    steps = [np.abs(b.rotations_wxyz - a.rotations_wxyz).max() for a, b in pairwise(poses)]
    assert max(steps) < 0.12  # nothing pops when the motion is given back
    player.point = hybrid.network("walking", "twirl").node(hybrid.arc("walk-twirl-walk").source.node).at
    play(player, 3.0)
    assert len(player.states) > 4  # primed again


def test_a_key_calls_the_point_to_the_node_at_a_capped_speed_and_the_change_fires(hybrid):
    start = hybrid.network("walking", "change").node("slow walk straight").at
    player = Player(hybrid, start, block="walking", feet="velocity", ease=0.0)
    player.press("r")
    size = np.linalg.norm(np.ptp(hybrid.network("walking", "change").points, axis=0))
    places = [player.point]
    for _ in range(300):
        if player.state != "network":
            break
        player.step(1 / 60)
        player.point = start  # whoever is called listens to nobody else
        places.append(player.point)
    assert len(places) > 10
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() <= size / 60 + 1e-9
    play(player, 4.0)
    assert player.block == "running"


def test_a_point_that_is_sent_about_stays_in_what_is_open(hybrid):
    rng = np.random.default_rng(1)
    for mode in ("blend", "twirl"):
        network = hybrid.network("walking", mode)
        player = Player(hybrid, (0.0, 1.2), block="walking", mode=mode, feet="velocity")
        low, high = network.points.min(axis=0) - 1.0, network.points.max(axis=0) + 1.0
        for i in range(150):
            if i % 5 == 0 and player.state == "network":
                player.point = rng.uniform(low, high)
            player.step(1 / 20)
            if player.state == "network" and player.snapshot().state.hybrid.taken is None:
                here = network.place(player.point)
                np.testing.assert_allclose(here.point, player.point, atol=1e-9)


@pytest.mark.parametrize("modes", [("change", "blend"), ("twirl", "change"), ("change", "twirl")])
def test_switching_modes_makes_no_hitch(hybrid, modes):
    first, second = modes
    arc = {"change": "walk-run", "twirl": "walk-twirl-walk"}[first]
    player = Player(hybrid, weighing(hybrid, arc, 0.9, first), block="walking", mode=first)
    key = {"blend": "b", "change": "c", "twirl": "t"}[second]
    poses = [player.step(1 / 60) for _ in range(20)]
    player.press(key)
    assert player.mode == second
    poses += [player.step(1 / 60) for _ in range(60)]
    roots = np.array([pose.root_position for pose in poses])
    steps = [np.abs(b.rotations_wxyz - a.rotations_wxyz).max() for a, b in pairwise(poses)]
    assert max(steps[19:]) < max(2.0 * max(steps[:19]), 0.08)
    assert np.linalg.norm(np.diff(roots, axis=0), axis=1).max() < 0.06
    network = hybrid.network("walking", second)
    np.testing.assert_allclose(network.place(player.point).point, player.point, atol=1e-6)


def test_in_a_mode_that_has_closed_the_node_a_change_still_ends_well(hybrid):
    player = on_node(hybrid, "walk-run", feet="velocity")
    play(player, 1.3)
    assert player.state == "change"
    player.mode = "blend"
    play(player, 4.0)
    assert (player.block, player.state) == ("running", "network")
    np.testing.assert_allclose(hybrid.network("running", "blend").place(player.point).point, player.point, atol=1e-6)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda p: p.press("q"), "key 'q' does nothing here; there are"),
        (lambda p: p.trigger("walk-twirl-walk"), "closed in mode 'change'; it is open in twirl"),
        (lambda p: p.trigger("run-walk"), "begins in block 'running'"),
        (lambda p: p.trigger("somersault"), "no arc 'somersault'"),
        (lambda p: p.trigger("walk-run", times=2), "nothing in arc 'walk-run' can be repeated"),
        (lambda p: p.trigger("walk-run", times=0), "once or more often"),
        (lambda p: p.trigger("walk-run", times=1.5), "a whole number of times, got 1.5"),
        (lambda p: p.trigger("walk-run", times=np.nan), "a whole number of times, got nan"),
        (lambda p: setattr(p, "mode", "fly"), "no mode 'fly'"),
        (lambda p: setattr(p, "point", (np.nan, 0.0)), "finite"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(hybrid, act, reason):
    player = Player(hybrid, (0.0, 1.2), block="walking", feet="velocity")
    player.step(0.1)
    before = player.snapshot()
    with pytest.raises(MotionError, match=reason):
        act(player)
    assert player.snapshot() == before
    player.step(0.1)


def test_a_change_that_is_under_way_takes_no_other_one(hybrid):
    player = on_node(hybrid, "walk-run", feet="velocity")
    player.step(0.0)
    with pytest.raises(MotionError, match="'walk-run' is being waited for"):
        player.trigger("walk-stand")


def test_a_plain_network_has_no_keys_modes_and_blocks(network):
    player = Player(network, (0.0, 1.2), feet="velocity")
    assert (player.block, player.mode, player.state, player.hidden) == ("", "", "network", False)
    for act in (lambda: player.press("c"), lambda: player.trigger("x"), lambda: setattr(player, "mode", "x")):
        with pytest.raises(MotionError, match="only a hybrid network"):
            act()
    with pytest.raises(MotionError, match="only a hybrid network"):
        Player(network, (0.0, 1.2), block="walking")


def test_modes_change_while_the_point_is_on_its_way_with_single_source_harmonics(hybrid):
    single = arranging.with_single_source(hybrid, SingleSource(first=4))
    player, rng = Player(single, block="walking", mode="blend", feet="velocity"), np.random.default_rng(0)
    points = single.block("walking").network.points
    crossed = 0
    for step in range(60):
        if step % 6 == 0:
            player.mode = ("blend", "twirl")[step % 4 // 2]
            player.point = tuple(rng.uniform(points.min(axis=0), points.max(axis=0)))
        pose = player.step(0.05)
        at = player.snapshot().state.point
        crossed += at.fade is not None and len({*at.fade.nodes, *at.aim.nodes}) > 3
        assert np.isfinite(pose.rotations_wxyz).all()
    assert crossed > 0  # weights of two triangles
