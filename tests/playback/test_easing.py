"""Laws of the point on its way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mocapella.errors import MotionError
from mocapella.playback.pointer import EasedPoint, checked_point


def follower(**options):
    return EasedPoint((0.0, 0.0), (1.0, 2.0), (0.0, 0.0), **options)


def test_one_step_leads_where_many_do():
    fine = follower()
    for _ in range(40):
        fine = fine.after(0.01)
    coarse = follower().after(0.4)
    np.testing.assert_allclose(fine.point, coarse.point, atol=1e-12)
    np.testing.assert_allclose(fine.velocity, coarse.velocity, atol=1e-12)


def test_nine_tenths_of_the_way_are_gone_after_the_time_of_easing():
    np.testing.assert_allclose(follower(ease=0.5).after(0.5).point, (0.9, 1.8), atol=2e-3)


def test_the_point_arrives_and_rests_and_never_overshoots():
    point = follower(ease=0.2)
    for _ in range(200):
        point = point.after(1 / 60)
        assert 0.0 < point.point[0] <= 1.0
    assert point.resting
    assert point.after(1.0) is point


def test_without_easing_it_jumps():
    assert follower(ease=0.0).after(1e-3).point == (1.0, 2.0)


def test_it_never_moves_faster_than_its_pace():
    point = follower(ease=0.05, pace=0.5)
    for _ in range(100):
        after = point.after(0.02)
        assert math.dist(after.point, point.point) <= 0.01 + 1e-12
        point = after
    for _ in range(300):
        point = point.after(0.02)
    assert point.resting


@pytest.mark.parametrize("point", [(math.nan, 0.0), (), (math.inf, 1.0)])
def test_what_is_no_place_is_refused(point):
    with pytest.raises(MotionError, match="blending point"):
        checked_point(point)
