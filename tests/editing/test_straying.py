"""Headings of blends that would stray from those of their clips."""

import numpy as np
import pytest

from mocapella.editing.stance_blend import heading_correction
from mocapella.editing.stances import pace_of

STEP = 60  # frames of a usual step, as in ``gait``


def sway(stances, degrees):
    """Off to one side in the steps of one foot, to the other in those of the other, fading where someone stands."""
    pace = pace_of(stances)
    return np.radians(degrees) * np.sin(np.pi * (pace.stances + pace.shares)) * pace.stepping


def strayed(off, stances):
    """Mean of two steps that begin in any frame, degrees; a stand counts as steps of that time."""
    steps = np.concatenate([np.arange(s.n_frames) / (STEP if s.pause else s.n_frames) for s in stances])
    wholes = np.cumsum([0.0, *(s.n_frames / STEP if s.pause else 1.0 for s in stances)])
    steps += np.repeat(wholes[:-1], [s.n_frames for s in stances])
    spans = [(a, np.searchsorted(steps, at + 2.0)) for a, at in enumerate(steps) if at + 2.0 <= wholes[-1]]
    return np.degrees([off[a:b].mean() for a, b in spans])


def test_sway_that_the_next_step_takes_back_is_left_alone(gait):
    stances = gait(*[STEP] * 9)
    np.testing.assert_array_equal(heading_correction(sway(stances, 15.0), stances, pace_of(stances)), 0.0)


@pytest.mark.parametrize("degrees", [6.0, 12.0, -20.0])
def test_beside_stands_no_two_steps_together_stray_by_a_degree(gait, degrees):
    stances = gait(200, 75, 60, 64, 58, 66, 60, 53, 150, 70, 60, 160, stands=(0, 8, 11))
    pace, off = pace_of(stances), sway(stances, degrees)
    back = heading_correction(off, stances, pace)
    assert np.abs(strayed(off, stances)).max() > 1.0
    assert np.abs(strayed(off - back, stances)).max() < 1.0
    np.testing.assert_array_equal(back[pace.stepping == 0.0], 0.0)


def test_what_is_heading_correction_comes_and_goes_smoothly(gait):
    stances = gait(200, *[STEP] * 10, 200, stands=(0, 11))
    off = sway(stances, 6.0)
    back = heading_correction(off, stances, pace_of(stances))
    assert np.abs(np.diff(back)).max() < 1.5 * np.abs(np.diff(off)).max()
    assert np.abs(np.diff(back, 2)).max() < 3.0 * np.abs(np.diff(off, 2)).max()
    middle = slice(stances[5].first, stances[6].last)
    assert np.abs(back[middle]).max() < 0.2 * np.abs(back).max()


def test_a_little_sway_is_left_alone_beside_stands_too(gait):
    stances = gait(200, *[STEP] * 4, 200, stands=(0, 5))
    np.testing.assert_array_equal(heading_correction(sway(stances, 1.0), stances, pace_of(stances)), 0.0)


def test_a_clip_of_less_than_two_steps_is_left_alone(gait):
    stances = gait(50, 50)[:1]
    np.testing.assert_array_equal(heading_correction(np.full(50, 0.3), stances, pace_of(stances)), 0.0)
