"""Clouds of points laid over each other on the ground."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.geometry.alignment import Alignment, ground_alignment

CLOUD = np.random.default_rng(4).normal(size=(12, 3))


@given(st.floats(-3.1, 3.1), st.floats(-50, 50), st.floats(-50, 50))
def test_a_planted_turn_and_shift_is_found_again(yaw, x, z):
    planted = Alignment(yaw, x, z)
    found = ground_alignment(planted.applied(CLOUD), CLOUD)
    assert found.yaw == pytest.approx(yaw, abs=1e-9)
    assert found.applied(np.zeros(3)) == pytest.approx((x, 0.0, z), abs=1e-9)


@given(st.floats(-1.0, 1.0), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_no_other_turn_or_shift_brings_weighted_clouds_nearer(turn, x, z):
    rng = np.random.default_rng(7)
    still, weights = CLOUD + 0.3 * rng.normal(size=CLOUD.shape), rng.uniform(0.1, 2.0, len(CLOUD))

    def cost(alignment):
        return weights @ ((still - alignment.applied(CLOUD))[:, [0, 2]] ** 2).sum(axis=1)

    best = ground_alignment(still, CLOUD, weights)
    other = replace(best, yaw=best.yaw + turn, x=best.x + x, z=best.z + z)
    assert cost(best) <= cost(other) + 1e-12


def test_points_on_one_vertical_say_nothing_about_the_turn():
    pole = np.array([[1.0, h, 2.0] for h in (0.0, 1.0, 2.0)])
    assert ground_alignment(pole, pole - [3.0, 0.0, 0.0]).yaw == 0.0
