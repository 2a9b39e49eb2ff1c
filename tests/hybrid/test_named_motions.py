"""Ends of a change are where a clip shows the motion that a block has; changes of pace alone are found."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.building.build import build
from mocapella.errors import MotionError
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.splice import splice
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.travel import stands
from mocapella.playback.player import Player
from mocapella.playback.record import record
from tests.hybrid.hybrids import RUNS, WALKS, block, transition

pytestmark = pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")


class Ease:
    """Sends the point from one place to another in two seconds, from the fourth on."""

    def __init__(self, start, end):
        self.start, self.end = np.array(start), np.array(end)

    def steer(self, player, time):
        share = np.clip((time - 4.0) / 2.0, 0.0, 1.0)
        return tuple(self.start + share**2 * (3.0 - 2.0 * share) * (self.end - self.start))


def played(start, end):
    player = Player(block(WALKS), point=start, ease=0.0)
    return record(player, seconds=10, frame_rate=60, script=Ease(start, end))


@pytest.fixture(scope="module")
def standing():
    return build([capture("stand")[0]]).network


def test_a_walk_is_left_where_it_is_and_not_at_the_stand_before_it():
    clip = splice(transition("stand-walk"), transition("walk-run")).clip
    alone = find_transition(clip)
    assert stands(alone.before)  # nobody said otherwise
    found = find_transition(clip, before=block(WALKS), after=block(RUNS, "euler"))
    assert not stands(found.before)
    assert alone.leave + 0.8 * clip.frame_rate < found.leave < found.arrive
    assert found.arrive == alone.arrive


def test_a_walk_is_arrived_at_where_it_is_and_not_at_the_stand_after_it():
    clip = splice(transition("run-walk"), transition("walk-stand")).clip
    alone = find_transition(clip)
    assert stands(alone.after)
    found = find_transition(clip, before=block(RUNS, "euler"), after=block(WALKS))
    assert found.after.speed == pytest.approx(1.25, abs=0.25)
    assert found.leave == alone.leave
    assert found.arrive < alone.arrive - 0.8 * clip.frame_rate


@pytest.mark.parametrize("ends", [((0, 0.8), (0, 1.66)), ((0, 1.66), (0, 0.8)), ((0, 1.2), (20, 1.2))])
def test_a_change_of_speed_or_heading_alone_is_a_change(ends):
    clip = played(*ends)
    found = find_transition(clip)
    leave, arrive = found.leave / clip.frame_rate, found.arrive / clip.frame_rate
    assert 3.5 < leave < arrive < 6.5
    for cycle, (turn, speed) in zip((found.before, found.after), ends, strict=True):
        assert cycle.speed == pytest.approx(speed, rel=0.12)
        assert np.degrees(cycle.turn / cycle.duration) == pytest.approx(turn, abs=5.0)


def test_a_walk_that_only_goes_on_is_no_change():
    with pytest.raises(MotionError, match="nothing changes"):
        find_transition(played((0, 1.2), (0, 1.2)))


def test_steps_do_not_lead_into_a_block_that_stands(standing):
    with pytest.raises(MotionError, match="ends with steps, and after is a motion that stands"):
        find_transition(capture("walk-run")[0], after=standing)


def test_a_stand_in_the_middle_of_a_clip_is_where_a_standing_block_is_joined(standing):
    stop, start = capture("walk-stand")[0], transition("stand-walk")
    clip = splice(transition("walk-stand"), start).clip  # walks, stands, walks
    found = find_transition(clip, before=standing, after=block(WALKS))
    assert stands(found.before)
    assert found.leave > 0.4 * stop.n_frames
    assert found.after.speed == pytest.approx(1.25, abs=0.25)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_arcs_lead_into_blocks_that_stand_and_out_again(n):
    idle = build([capture(name)[0] for name in ("stand", "look-around", "twist")[:n]]).network
    made = HybridBuilder({"walking": block(WALKS), "standing": idle})
    stop = find_transition(capture("walk-stand")[0], before=block(WALKS), after=idle)
    start = find_transition(capture("stand-walk")[0], before=idle, after=block(WALKS))
    made = made.with_transition(stop, "walking", "standing")
    hybrid = made.with_transition(start, "standing", "walking", at_once=True).finished()
    player = Player(hybrid, point=(0.0, 1.2), block="walking", mode="armed")
    blocks, steps, before = [], [], player.step(0.0).positions
    for wanted, goal in (("walk-stand", "standing"), ("stand-walk", "walking")):
        player.trigger(wanted)
        for _ in range(600):
            now = player.step(1.0 / 60.0).positions
            steps.append(np.linalg.norm(now - before, axis=-1).max())
            before = now
            if player.block == goal and player.state == "network":
                break
        blocks.append(player.block)
    assert blocks == ["standing", "walking"]
    assert max(steps) < 0.12  # a foot in swing at 60 Hz
