"""Which periods of two performances correspond, where one pauses or repeats."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mocapella.editing.feelings.matching import matched

LOW, TABLE, MOUTH = (0.0, 0.0, 0.0), (0.1, 0.2, 0.4), (0.0, 0.5, 0.2)
UP, DOOR = (0.0, 0.4, 0.3), (0.0, 0.4, 0.4)


def going(*places, frames=20):
    """A way from place to place, and the frames at which it is there."""
    points = np.array(places)
    way = np.concatenate([np.linspace(a, b, frames, endpoint=False) for a, b in itertools.pairwise(points)])
    return np.concatenate([way, points[-1:]]), list(range(0, len(way) + 1, frames))


@given(st.integers(5, 60), st.integers(5, 60))
def test_the_same_gesture_at_another_pace_has_the_same_periods(slow, fast):
    first, second = (going(LOW, TABLE, MOUTH, TABLE, LOW, frames=frames) for frames in (slow, fast))
    pairs = matched(*first, *second)
    assert [pair.neutral for pair in pairs] == [(i * slow, (i + 1) * slow) for i in range(4)]
    assert [pair.emotional for pair in pairs] == [(i * fast, (i + 1) * fast) for i in range(4)]


def test_a_pause_on_the_way_parts_no_period():
    halfway = tuple(np.mean([TABLE, MOUTH], axis=0))
    calm, felt = going(LOW, TABLE, MOUTH, LOW), going(LOW, TABLE, halfway, MOUTH, LOW)
    assert [pair.emotional for pair in matched(*calm, *felt)] == [(0, 20), (20, 60), (60, 80)]
    assert [pair.neutral for pair in matched(*felt, *calm)] == [(0, 20), (20, 60), (60, 80)]


def test_more_blows_than_before_are_left_out_and_the_others_correspond():
    calm = going(LOW, UP, DOOR, UP, LOW)
    felt = going(LOW, UP, DOOR, UP, DOOR, UP, DOOR, UP, LOW)
    pairs = matched(*calm, *felt)
    assert [pair.neutral for pair in pairs] == [(0, 20), (20, 40), (40, 60), (60, 80)]
    assert pairs[0].emotional == (0, 20)
    assert pairs[-1].emotional == (140, 160)
    assert all((pair.emotional[0] - pair.neutral[0]) % 40 == 0 for pair in pairs)  # a blow is a blow, not a return


def test_a_movement_the_other_way_corresponds_to_none():
    assert matched(*going(LOW, TABLE), *going(TABLE, LOW)) == []
