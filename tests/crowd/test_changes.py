from __future__ import annotations

import numpy as np
import pytest

from mocapella.crowd.blocks.handover import record_of
from mocapella.crowd.control import RandomChanges
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.played import CrowdSlips
from mocapella.crowd.state import PointMark, Word
from mocapella.errors import MotionError
from mocapella.motion import kinematics
from tests.crowd.samples import foot_points, walks
from tests.playback.samples import small_hybrid


def crowd_of(n, **options):
    return Crowd(small_hybrid(), n, seed=1, mode="change", **options)


def places(crowd, player):
    pose = player.step(0.0)
    return kinematics.forward(crowd.skeleton, pose.root_position, pose.rotations_wxyz)[0]


@pytest.mark.parametrize("block", ["walking", "running", "standing"])
def test_a_character_that_is_handed_over_stays_where_it_is(block):
    crowd = crowd_of(8, block=block)
    for _ in range(17):
        crowd.step(1 / 30)
    others = [number for number in range(8) if number not in crowd.players]
    before, planted = crowd.poses()[..., 3].copy(), crowd.planted
    arc = {"walking": "walk-run", "running": "run-walk", "standing": "stand-walk"}[block]
    crowd.trigger(others, arc)
    apart = np.array([np.linalg.norm(places(crowd, crowd.players[one]) - before[one], axis=-1) for one in others])
    assert apart.mean() < 2e-3
    assert apart.max() < 0.02
    same = [np.array(crowd.players[one].planted) == planted[one] for one in others]
    assert np.mean(same) > 0.95


def test_handed_over_and_back_a_character_is_the_same():
    crowd = crowd_of(12)
    for _ in range(23):
        crowd.step(1 / 30)
    records = crowd._records.copy()
    others = [number for number in range(12) if number not in crowd.players]
    assert len(others) > 6
    for one in others:
        crowd._hand_over(one)
        record, goal = record_of(crowd.players[one], crowd.tables)
        np.testing.assert_allclose(goal, crowd.points[one], atol=1e-6)
        # Point, speed, phase, place.
        np.testing.assert_allclose(record[: Word.X + 2], records[one][: Word.X + 2], atol=1e-5)
        marks = int(record.view(np.int32)[Word.MARKS])
        assert marks & 0xFFFF == records[one].view(np.int32)[Word.MARKS] & 0xFFFF
        for point in range(4):
            kept = slice(Word.FEET + 2 * point, Word.FEET + 2 * point + 2)
            if (marks >> (2 * point)) & 3 != PointMark.FREE:
                np.testing.assert_allclose(record[kept], records[one][kept], atol=2e-4)


def test_characters_change_their_motion_with_their_feet_on_the_ground_and_come_back():
    crowd = crowd_of(6, points=np.tile(small_hybrid().network("walking", "change").points.mean(axis=0), (6, 1)))
    slips, furthest = CrowdSlips(6), 0.0
    last = crowd.positions
    been = set()
    for frame in range(330):
        if frame == 30:
            crowd.trigger([0, 2, 4], "walk-run")
            crowd.trigger(1, "walk-stand")
        crowd.step(1 / 60)
        slips.see(foot_points(crowd), crowd.planted)
        furthest = max(furthest, float(np.linalg.norm(crowd.positions - last, axis=1).max()))
        last = crowd.positions
        been |= {player.state for player in crowd.players.values()}
    assert been == {"network", "waiting", "change"}
    assert not crowd.players
    assert crowd.blocks == ("running", "standing", "running", "walking", "running", "walking")
    assert furthest < 4.5 / 60
    assert slips.millimetres().max() < 2.0
    np.testing.assert_array_equal(crowd.faults, False)
    standing = crowd.positions[1]
    for _ in range(30):
        crowd.step(1 / 60)
    assert np.linalg.norm(crowd.positions[1] - standing) < 0.02


def test_a_point_in_the_trigger_zone_sets_a_change_off():
    network = small_hybrid().network("walking", "change")
    crowd = crowd_of(2, points=np.tile(network.points.mean(axis=0), (2, 1)))
    crowd.points[1] = network.node("walk-run before").at
    for _ in range(150):
        crowd.step(1 / 30)
    assert crowd.blocks[0] == "walking"
    assert crowd.blocks[1] == "running"


def test_what_no_character_can_take_changes_nothing():
    crowd = crowd_of(3)
    with pytest.raises(MotionError, match="begins in block 'running'"):
        crowd.trigger([0, 1], "run-walk")
    with pytest.raises(MotionError, match="no arc 'fly'"):
        crowd.trigger(0, "fly")
    with pytest.raises(MotionError, match="numbers of characters from 0 to 2"):
        crowd.trigger([0, 3], "walk-run")
    assert not crowd.players
    with pytest.raises(MotionError, match="only a hybrid network"):
        Crowd(walks(), 2).trigger(0, "walk-run")
    with pytest.raises(MotionError, match="only a hybrid network has blocks"):
        Crowd(walks(), 2, mode="change")
    with pytest.raises(MotionError, match="no block 'flying'"):
        crowd_of(2, block="flying")


def test_a_controller_may_let_characters_change_at_random():
    guide = RandomChanges(per_minute=30.0, seed=2)
    crowd = crowd_of(4, controller=guide)
    states = set()
    for _ in range(200):
        crowd.step(1 / 30)
        states |= {(player.block, player.state) for player in crowd.players.values()}
    assert ("walking", "change") in states
    assert len(set(crowd.blocks)) > 1
    with pytest.raises(MotionError, match="only a hybrid network"):
        Crowd(walks(), 2, controller=RandomChanges(per_minute=1e6)).step(0.1)
