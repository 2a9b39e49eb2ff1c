"""The stage of one page: characters in time, what is measured of them, and what frames say."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mocapella.actor import capture
from mocapella.building.build import build
from mocapella.errors import MotionError
from mocapella.hybrid import arranging
from mocapella.measure.footskate import footing
from mocapella.studio.messages.frames import FIELDS, PLACES
from mocapella.studio.project import Character, Project
from mocapella.studio.stage import RATE, Stage


@pytest.fixture(scope="module")
def network():
    names = ("slow walk straight", "fast walk straight", "medium walk left")
    return build([capture(name)[0] for name in names]).network


def field(figure, name):
    return float(figure[PLACES[name]])


def test_ten_characters_are_on_the_stage_at_once(network):
    places = tuple(Character((2.0 * i, 0.0), 36.0 * i) for i in range(10))
    stage = Stage(network, Project(characters=places), 1)
    for _ in range(20):
        stage.advance(1 / RATE)
    figures = stage.figures()
    assert [field(one, "number") for one in figures] == list(range(10))
    headings = np.degrees([field(one, "heading") for one in figures])
    assert np.ptp(headings) > 300.0  # each goes its own way


def test_slip_shown_live_is_that_of_the_recording(network):
    stage = Stage(network, Project(), 1)
    stage.begin_recording()
    worst = 0.0
    for _ in range(150):
        stage.advance(1 / RATE)
        worst = max(worst, stage.characters[0].slips.figures[0])
    clip, contacts = stage.end_recording("walk")
    assert (clip.n_frames, clip.frame_rate) == (150, RATE)
    measured = footing(clip, contacts).slip_mm_max
    assert worst == pytest.approx(measured, abs=1e-6)
    assert worst > 0.0


def test_speed_and_turn_had_are_those_asked_for_after_a_while(network):
    stage = Stage(network, Project(), 1)
    stage.characters[0].player.point = network.node("fast walk straight").at
    for _ in range(240):
        stage.advance(1 / RATE)
    figure = stage.figures()[0]
    assert field(figure, "speed") == pytest.approx(field(figure, "asked_speed"), rel=0.06)
    assert field(figure, "turn") == pytest.approx(field(figure, "asked_turn"), abs=6.0)
    assert len(figure) == len(FIELDS) + 3 + 4 * stage.characters[0].player.skeleton.n_joints


def test_speed_had_stays_a_speed_when_another_network_is_taken(network):
    """A player on other motions begins its time anew."""
    stage = Stage(network, Project(), 1)
    for _ in range(90):
        stage.advance(1 / RATE)
    other = build([capture("medium walk straight")[0], capture("fast walk straight")[0]]).network
    stage.characters[0].adopt(other, feet="held", harmonics=None)
    for _ in range(5):
        stage.advance(1 / RATE)
        assert 0.0 <= field(stage.figures()[0], "speed") < 4.0


def test_frames_gone_back_and_on_again_show_the_same_pose(network):
    stage = Stage(network, Project(), 1)
    for _ in range(40):
        stage.advance(1 / RATE)
    pose = stage.characters[0].pose
    stage.step_frames(-15)
    assert np.abs(stage.characters[0].pose.positions - pose.positions).max() > 0.01
    stage.step_frames(15)
    np.testing.assert_allclose(stage.characters[0].pose.positions, pose.positions, atol=1e-9)
    with pytest.raises(MotionError, match="nothing further back"):
        stage.step_frames(-500)


def test_time_that_stands_still_moves_nothing_and_slow_motion_is_slower(network):
    stage = Stage(network, Project(), 1)
    stage.playing = False
    before = stage.characters[0].pose.positions
    stage.advance(1.0)
    np.testing.assert_array_equal(stage.characters[0].pose.positions, before)
    stage.playing, stage.rate = True, 0.25
    stage.advance(1.0)
    assert stage.characters[0].player.time == pytest.approx(0.25)


def test_a_network_that_changes_underfoot_makes_no_jump(network):
    stage = Stage(network, Project(), 1)
    for _ in range(60):
        stage.advance(1 / RATE)
    steps = []
    for i in range(30):
        x, y = network.node("medium walk left").at
        moved, _ = arranging.moved_soundly(network, "medium walk left", (x + 0.2 * i, y + 0.004 * i))
        stage.adopt(moved, Project(), 1)
        before = stage.characters[0].pose.positions
        stage.advance(1 / RATE)
        steps.append(np.abs(stage.characters[0].pose.positions - before).max())
    assert max(steps) < 0.12  # a foot that swings goes as far in a frame


def test_characters_come_and_go_and_the_others_walk_on(network):
    project = Project(characters=(Character(), Character((3.0, 0.0))))
    stage = Stage(network, project, 1)
    for _ in range(30):
        stage.advance(1 / RATE)
    first = stage.characters[0]
    stage.adopt(network, replace(project, characters=project.characters[:1]), 1)
    assert stage.characters == [first]
    stage.adopt(network, project, 1)
    assert stage.characters[0] is first
    with pytest.raises(MotionError, match="no character 7"):
        stage.character(7)


def test_steering_moves_the_point_until_it_is_let_go(network):
    stage = Stage(network, Project(), 1)
    character = stage.characters[0]
    character.steering = (0.0, 1.0)
    for _ in range(120):
        stage.advance(1 / RATE)
    fastest = character.player.goal[1]
    assert fastest == pytest.approx(network.points[:, 1].max(), abs=0.1)
    character.steering = (0.0, 0.0)
    stage.advance(1 / RATE)
    assert character.player.goal[1] == fastest
