"""Laws of scripts and of recording."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mocapella.errors import MotionError, MotionWarning
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.steering.point_script import Script


def test_a_script_goes_evenly_from_row_to_row():
    script = Script.of([(1.0, 0.0, 0.0), (3.0, 1.0, 4.0), (3.0, 5.0, 5.0)])
    assert script.at(0.0) == (0.0, 0.0)
    assert script.at(2.0) == (0.5, 2.0)
    assert script.at(3.0) == (5.0, 5.0)
    assert script.at(9.0) == (5.0, 5.0)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "at least one row"),
        ([(1.0, 0.0, 0.0), (0.5, 0.0, 0.0)], "row 1"),
        ([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], "begins at 0 s"),
        ([(0.0, math.nan, 0.0)], "finite"),
        ([(0.0, 1.0), (1.0, 1.0, 2.0)], "same number"),
    ],
)
def test_a_script_that_makes_no_sense_is_refused(rows, reason):
    with pytest.raises(MotionError, match=reason):
        Script.of(rows)


def test_a_recording_is_what_stepping_gives(walk):
    clip = record(Player(walk), seconds=0.5, frame_rate=30)
    player = Player(walk)
    for frame in range(15):
        pose = player.step(1 / 30 if frame else 0.0)
        np.testing.assert_allclose(clip.root_positions[frame], pose.root_position, atol=1e-12)
    assert clip.n_frames == 15
    assert clip.frame_rate == 30.0


def test_a_second_recording_carries_on(walk):
    whole = record(Player(walk), seconds=0.6, frame_rate=30)
    player = Player(walk)
    record(player, seconds=0.3, frame_rate=30)
    np.testing.assert_allclose(player.time, 0.3, rtol=1e-12)
    again = record(player, seconds=0.3, frame_rate=30)
    np.testing.assert_allclose(again.root_positions, whole.root_positions[9:], atol=1e-9)


def test_the_recorded_contacts_are_those_of_the_motion(walk):
    clip, contacts = record_with_contacts(Player(walk), seconds=2.0 * walk.duration, frame_rate=60)
    assert contacts.n_frames == clip.n_frames
    share = contacts.planted("left").mean()
    assert abs(share - walk.contacts.share("left")) < 0.1


def test_a_script_moves_the_point(network):
    player = Player(network, point=(0.0, 1.0))
    record(player, seconds=1.0, frame_rate=30, script=Script.of([(0.0, 0.3, 1.2)]))
    np.testing.assert_allclose(player.point, (0.3, 1.2), atol=1e-2)
    assert player.goal == (0.3, 1.2)


@pytest.mark.parametrize("options", [{"seconds": 0.0}, {"seconds": 1.0, "frame_rate": 0.0}, {"seconds": math.nan}, {}])
def test_a_recording_of_no_length_is_refused(walk, options):
    with pytest.raises(MotionError, match=r"expected|seconds"):
        record(Player(walk), **options)


@pytest.mark.parametrize("options", [{"seconds": 1e12}, {"seconds": 1e300}, {"seconds": 60.0, "frame_rate": 1e5}])
def test_a_recording_of_more_frames_than_fit_is_refused_at_once(walk, options):
    with pytest.raises(MotionError, match="at most 1,000,000 are recorded"):
        record(Player(walk), **options)


def test_a_recording_that_is_never_done_says_so(walk, monkeypatch):
    class Endless:
        done = False

        def steer(self, player, time):
            return None

    monkeypatch.setattr("mocapella.playback.record.LONGEST", 0.5)
    with pytest.warns(MotionWarning, match=r"stopped after 0.5 s"):
        assert record(Player(walk), frame_rate=20, script=Endless()).n_frames == 10


def test_a_row_with_nothing_but_a_key_leaves_the_point_alone():
    script = Script.of([(0.0, 1.0, 2.0), (1.0, "k"), (3.0, 5.0, 6.0), (5.0, 7.0, 6.0)])
    assert script.at(0.5) == (1.0, 2.0)
    assert script.at(1.0) is None
    assert script.at(2.9) is None
    assert script.at(4.0) == (6.0, 6.0)
    assert script.keys == ("", "k", "", "")


def test_a_script_taken_up_later_presses_no_key_twice():
    class Keys(list):
        press = list.append

    script, pressed = Script.of([(0.0, 0.0, 0.0, "a"), (1.0, "b"), (2.0, "c")]), Keys()
    script.since(1.0).steer(pressed, 1.0)
    assert pressed == []
    later = script.since(1.0)
    later.steer(pressed, 1.0)
    later.steer(pressed, 2.5)
    assert pressed == ["c"]
