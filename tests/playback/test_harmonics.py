"""The number of harmonics, and other settings, changed while a character plays."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.state import Snapshot
from tests.playback.test_rearranging import RATE, largest_turn, played


def steps(player, seconds):
    return [player.step(1 / RATE) for _ in range(round(seconds * RATE))]


@pytest.mark.parametrize("feet", ["held", "anchored", "velocity"])
@pytest.mark.parametrize("count", [0, 1, 3, 10, 25])
def test_a_number_given_at_the_start_plays_the_truncated_motion(walk, feet, count):
    mine, other = Player(walk, feet=feet, harmonics=count), Player(walk.truncated(count), feet=feet)
    for ours, theirs in zip(steps(mine, 1.2), steps(other, 1.2), strict=True):
        np.testing.assert_array_equal(ours.rotations_wxyz, theirs.rotations_wxyz)
        np.testing.assert_array_equal(ours.root_position, theirs.root_position)


def test_all_that_there_are_is_the_same_as_no_limit(network):
    mine, other = Player(network, (0.1, 1.2), harmonics=10), Player(network, (0.1, 1.2))
    for ours, theirs in zip(steps(mine, 0.6), steps(other, 0.6), strict=True):
        np.testing.assert_array_equal(ours.rotations_wxyz, theirs.rotations_wxyz)


def test_a_change_fades_only_the_affected_harmonics_and_keeps_the_cycle_phase(network):
    player, free = Player(network, (0.1, 1.2)), Player(network, (0.1, 1.2))
    steps(player, 0.5), steps(free, 0.5)
    full = player.spectrum.coefficients
    player.harmonics = 4
    seen = []
    for _ in range(60):
        player.step(1 / RATE), free.step(1 / RATE)
        assert player.phase == free.phase
        np.testing.assert_array_equal(player.spectrum.coefficients[:5], full[:5])
        seen.append(np.abs(player.spectrum.coefficients[5:]).sum())
    assert np.all(np.diff(seen) <= 0.0)
    assert 0 < np.count_nonzero(seen) < len(seen)  # faded, not cut
    assert player.spectrum.n_harmonics == 4
    player.harmonics = None
    steps(player, 1.0)
    np.testing.assert_array_equal(player.spectrum.coefficients, full)
    assert player.harmonics is None


@pytest.mark.parametrize("feet", ["held", "anchored", "velocity"])
def test_the_body_does_not_leap_and_no_foot_slides_while_the_number_changes(network, feet):
    usual = largest_turn(played(Player(network, (0.1, 1.2), feet=feet), 2.0)[0])
    player = Player(network, (0.1, 1.2), feet=feet)

    def change(frame):
        if frame % 30 == 0:
            player.harmonics = (1, None, 3, 10, 2)[frame // 30 % 5]

    clip, contacts = played(player, 5.0, change)
    assert largest_turn(clip) < 1.4 * usual
    if feet == "held":
        assert footing(clip, contacts).slip_mm_max < 1.5


def test_a_character_stored_in_the_middle_of_a_change_goes_on_with_the_same_frames(network):
    player = Player(network, (0.1, 1.2), harmonics=9)
    steps(player, 0.3)
    player.harmonics = 2
    steps(player, 0.1)
    again = Player.resumed(network, Snapshot.from_json(player.snapshot().to_json()))
    assert again.harmonics == 2
    for ours, theirs in zip(steps(player, 0.5), steps(again, 0.5), strict=True):
        np.testing.assert_array_equal(ours.rotations_wxyz, theirs.rotations_wxyz)


def test_a_hybrid_player_keeps_its_number_through_a_captured_change(hybrid):
    player = Player(hybrid, hybrid.block("walking").network.nodes[0].at, block="walking", mode="change")
    steps(player, 0.2)
    player.harmonics = 3
    player.trigger("walk-run")
    usual = largest_turn(played(Player(hybrid, hybrid.block("running").network.nodes[0].at, block="running"), 1.0)[0])
    clip, _ = played(player, 8.0)
    assert player.block == "running"
    assert player.state == "network"
    assert player.spectrum.n_harmonics == 3
    assert largest_turn(clip) < 1.5 * usual


def test_own_time_and_common_time_lose_the_same_harmonics(network):
    nodes = [replace(network.nodes[0], synchronised=False), *network.nodes[1:]]
    own = Network(nodes, outside="clamp")
    player = Player(own, nodes[0].at, harmonics=0, feet="velocity")
    one, other = (pose.rotations_wxyz[1:] for pose in (player.step(0.1), player.step(0.2)))
    np.testing.assert_allclose(one, other, atol=1e-12)  # only the mean posture is left


def test_easing_and_pace_and_joins_can_be_changed_while_it_plays(network):
    player = Player(network, (0.1, 1.2), pace=0.5)
    player.ease, player.pace, player.join = 0.0, np.inf, 0.5
    player.point = (0.0, 1.3)
    steps(player, 0.2)
    assert player.point == pytest.approx((0.0, 1.3))
    assert (player.ease, player.pace, player.join) == (0.0, np.inf, 0.5)


@pytest.mark.parametrize(("name", "value"), [("harmonics", -1), ("ease", -1), ("pace", 0), ("join", -1)])
def test_what_is_no_setting_is_refused_and_changes_nothing(walk, name, value):
    player = Player(walk)
    before = player.snapshot()
    with pytest.raises(MotionError, match=r"expected|joins"):
        setattr(player, name, value)
    assert player.snapshot() == before
