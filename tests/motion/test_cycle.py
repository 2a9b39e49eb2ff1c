"""Cycles: frames that repeat, begun anywhere, walked as far as one likes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import AHEAD, HEIGHT, YAW_RATE, layout_of
from mocapella.motion.skeleton import Skeleton


def strolling(n_frames: int = 50, turn: float = 0.4, frame_rate: float = 50.0) -> Cycle:
    """A two-joint puppet that bobs along at 1.5 m/s and turns."""
    layout = layout_of("quaternion", Skeleton.of(["hips", "leg"], [-1, 0], [[0, 0, 0], [0, -0.5, 0]]))
    phases = 2 * np.pi * np.arange(n_frames) / n_frames
    rotations = np.tile(quaternions.IDENTITY, (n_frames, 2, 1))
    rotations[:, 1] = quaternions.from_rotvec(0.4 * np.sin(phases)[:, None] * [1.0, 0.0, 0.0])
    root = np.zeros((n_frames, 4))
    root[:, HEIGHT] = 1.0 + 0.02 * np.cos(2 * phases)
    root[:, AHEAD] = 1.5 + 0.1 * np.cos(phases)
    root[:, YAW_RATE] = turn * frame_rate / n_frames + 0.3 * np.cos(phases)
    contacts = CycleContacts(left_heel=((1.0, 2.0),))
    return Cycle(layout, layout.dofs(rotations, root), frame_rate, contacts, "stroll")


@given(first=st.floats(-10.0, 10.0), second=st.floats(-10.0, 10.0))
@settings(max_examples=30, deadline=None)
def test_starting_later_twice_is_starting_later_once(first, second):
    cycle = strolling(51)
    twice, once = cycle.starting_at(first).starting_at(second), cycle.starting_at(first + second)
    np.testing.assert_allclose(twice.dofs, once.dofs, atol=1e-9)
    np.testing.assert_allclose(np.exp(2j * np.pi * twice.offset), np.exp(2j * np.pi * once.offset), atol=1e-9)


def test_whole_frames_are_moved_over_bit_by_bit_and_back():
    cycle = strolling()
    later = cycle.starting_at(2 * np.pi * 13 / 50)
    np.testing.assert_array_equal(later.dofs, np.roll(cycle.dofs, -13, axis=0))
    np.testing.assert_array_equal(later.starting_at(-2 * np.pi * 13 / 50).dofs, cycle.dofs)


def test_contacts_and_offset_move_with_the_start():
    later = strolling().starting_at(0.5)
    assert later.contacts == CycleContacts(left_heel=((0.5, 2.0),))
    np.testing.assert_allclose(later.offset, 0.5 / (2 * np.pi))


def test_turn_and_speed_are_those_of_the_rates():
    cycle = strolling(turn=0.4)
    np.testing.assert_allclose([cycle.turn, cycle.speed, cycle.duration], [0.4, 1.5, 1.0])


def test_a_walk_of_many_rounds_goes_on_where_each_round_ended():
    clip = strolling().to_clip(4)
    steps = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1)
    np.testing.assert_allclose(steps[50:100], steps[:50], atol=1e-9)
    headings = np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))
    np.testing.assert_allclose(headings[150] - headings[100], 0.4, atol=1e-9)
    np.testing.assert_allclose(np.diff(headings)[49], np.diff(headings)[99], atol=1e-9)


def test_a_walk_begins_where_and_whither_it_is_told():
    here, there = strolling().to_clip(2), strolling().to_clip(2, position=(3.0, -1.0), heading=1.2)
    expected = here.turned(1.2).moved(3.0, -1.0)
    np.testing.assert_allclose(there.root_positions, expected.root_positions, atol=1e-12)
    np.testing.assert_allclose(there.rotations_wxyz, expected.rotations_wxyz, atol=1e-12)


def test_decisions_are_kept_in_order():
    cycle = strolling().decided("one", "first", a=1.0).decided("two", "second")
    assert [(d.step, dict(d.numbers)) for d in cycle.decisions] == [("one", {"a": 1.0}), ("two", {})]


def test_dofs_of_another_layout_are_refused():
    cycle = strolling()
    with pytest.raises(MotionError, match="needs 12 columns, got 11"):
        Cycle(cycle.layout, cycle.dofs[:, 1:], 50.0)


def test_two_frames_are_no_cycle():
    cycle = strolling()
    with pytest.raises(MotionError, match="at least 3 frames"):
        Cycle(cycle.layout, cycle.dofs[:2], 50.0)


def test_no_round_is_no_walk():
    with pytest.raises(MotionError, match="at least one round"):
        strolling().to_clip(0)
