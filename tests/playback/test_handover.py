"""Feet where one motion takes over from another: holds that go over without a jerk, toes that never flip."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.actor import perform
from mocapella.geometry import scalar
from mocapella.playback.feet.leg_ik import FootTarget, bent_toes
from mocapella.playback.feet.offset import MOMENT, foot_offset
from mocapella.playback.settings import DEFAULTS
from mocapella.rig.legs import legs_of

metres = st.floats(-0.05, 0.05)
places = st.builds(complex, metres, metres)
shares = st.floats(0.0, 1.0)
grip = st.builds(FootTarget, places, places, shares, shares, shares, metres)
grips = st.tuples(grip, grip)


def numbers(grips):
    return np.array([complex(value) for one in grips for value in one])


@given(old=grips, ahead=grips, new=grips)
def test_the_old_hold_goes_on_at_the_moment_of_taking_over_and_is_gone_in_time(old, ahead, new):
    later = tuple(
        FootTarget(*(a + 20.0 * MOMENT * (b - a) for a, b in zip(*pair, strict=True)))
        for pair in zip(old, ahead, strict=True)
    )
    left = foot_offset((old, later), (new, new), [0.25, DEFAULTS.foot_join, 0.25, 0.2])
    np.testing.assert_allclose(numbers(left.over(new)), numbers(old), atol=1e-12)
    np.testing.assert_allclose(numbers(left.after(MOMENT).over(new)), numbers(later), atol=1e-3)
    assert not left.after(0.24).done
    assert left.after(0.25).done
    np.testing.assert_allclose(numbers(left.after(0.3).over(new)), numbers(new), atol=1e-12)


@given(old=grips, new=grips)
def test_a_point_that_comes_to_rest_takes_what_is_left_along(old, new):
    left = foot_offset((old, old), (new, new), [0.25] * 4).after(0.1)
    for point in range(4):
        rest = left.without(point)
        assert rest.of(point) == 0
        assert all(rest.of(other) == left.of(other) for other in range(4) if other != point)


def test_feet_that_both_motions_hold_alike_rest_throughout():
    same = (FootTarget(0.01j, 0.02, 1.0, 1.0, 0.003, 0.002), FootTarget())
    left = foot_offset((same, same), (same, same), [0.25] * 4)
    assert all(left.settled(point) for point in range(4))
    moved = foot_offset((same, same), ((same[0]._replace(sink=0.02), FootTarget()),) * 2, [0.25] * 4)
    assert [moved.settled(point) for point in range(4)] == [False, False, True, True]


@pytest.fixture(scope="module")
def leg():
    return legs_of(perform("walk")[0].skeleton)[0]


def tip(leg, height, degrees, aside=0.0):
    """The tip of the toes, from the ball, with the foot pitched down about the ball so far above where it stands."""
    foot = scalar.multiply(scalar.about((0.0, 1.0, 0.0), aside), scalar.about((1.0, 0.0, 0.0), math.radians(degrees)))
    bent = bent_toes(leg, (0.0, leg.toe_height + height, 0.0), foot, scalar.NO_TURN)
    return scalar.rotate(foot if bent is None else scalar.multiply(foot, bent), leg.tip)


def test_toes_stay_above_the_ground_however_steep_the_foot(leg):
    for degrees in range(0, 110, 5):
        for height in (0.0, 0.01, 0.05, 0.2):
            assert tip(leg, height, degrees)[1] + leg.toe_height + height > -1e-3


def test_toes_follow_the_foot_without_a_leap_at_any_height(leg):
    for height in np.linspace(0.0, 0.4, 41):
        tips = np.array([tip(leg, float(height), degrees, 0.3) for degrees in np.arange(-30.0, 120.0, 0.5)])
        steps = np.linalg.norm(np.diff(tips, axis=0), axis=1) / scalar.length(leg.tip)
        assert np.degrees(steps.max()) < 2.0  # four times as fast as the foot itself


def test_toes_unbend_without_a_leap_as_the_foot_rises(leg):
    for degrees in range(0, 110, 10):
        tips = np.array([tip(leg, float(height), degrees) for height in np.arange(0.0, 0.5, 0.001)])
        steps = np.linalg.norm(np.diff(tips, axis=0), axis=1) / scalar.length(leg.tip)
        assert np.degrees(steps.max()) < 1.0  # for a millimetre
