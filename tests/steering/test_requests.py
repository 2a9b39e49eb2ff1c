"""Laws of what is played for a request that a network cannot meet: the turn first, then the nearest speed."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.motion.layout import AHEAD, YAW_RATE, QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.steering.calibration import Calibration

BODY = Skeleton.of(["Hips"], [-1], [[0.0, 1.0, 0.0]])

# Straight walks from 0.8 to 1.6 m/s, turns to the left only slow, to the right only fast, and a notch above the middle:
# neither the network nor what it does is convex.
NOTCHED = {
    "slow": (0.0, 0.8),
    "slow left": (1.0, 0.6),
    "fast left": (0.8, 1.1),
    "quick left": (0.5, 1.9),
    "fast": (0.0, 1.6),
    "fast right": (-0.9, 1.4),
    "quick right": (-0.5, 2.0),
}
TRIANGLES = [
    ("slow", "slow left", "fast left"),
    ("slow", "fast left", "fast"),
    ("fast", "fast left", "quick left"),
    ("slow", "fast", "fast right"),
    ("fast right", "fast", "quick right"),
]


def going(turn_rate, speed):
    layout = QuaternionLayout(BODY)
    coefficients = np.zeros((2, layout.n_dofs), dtype=complex)
    coefficients[0, 0], coefficients[0, AHEAD], coefficients[0, YAW_RATE] = 1.0, speed, turn_rate
    return Spectrum(coefficients, 1.0, layout)


@functools.cache
def notched():
    return Calibration(Network([Node(name, at, going(*at)) for name, at in NOTCHED.items()], TRIANGLES))


def speeds_had(turn_rate):
    """All speeds at which the notched network turns so: both ends of each triangle's stretch."""
    stretches = []
    for names in TRIANGLES:
        corners = np.array([NOTCHED[name] for name in names])
        met = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            (t0, v0), (t1, v1) = corners[a], corners[b]
            if t0 != t1 and 0.0 <= (share := (turn_rate - t0) / (t1 - t0)) <= 1.0:
                met.append(v0 + share * (v1 - v0))
        if met:
            stretches.append((min(met), max(met)))
    return stretches


@given(turn_rate=st.floats(-0.89, 0.99), speed=st.floats(-20.0, 20.0))
@settings(max_examples=80, deadline=None)
def test_an_unreachable_speed_keeps_the_turn_and_takes_the_nearest_speed_there_is(turn_rate, speed):
    answer = notched().request(turn_rate, speed)
    np.testing.assert_allclose(answer.turn_rate, turn_rate, atol=1e-6)
    nearest = min((min(max(speed, low), high) for low, high in speeds_had(turn_rate)), key=lambda v: abs(v - speed))
    np.testing.assert_allclose(abs(answer.speed - speed), abs(nearest - speed), atol=1e-5)
    assert answer.feasible or abs(nearest - speed) > 0.0


@given(turn_rate=st.floats(1.01, 50.0), speed=st.floats(-20.0, 20.0))
@settings(max_examples=20, deadline=None)
def test_a_turn_that_no_blend_has_becomes_the_sharpest_to_that_side(turn_rate, speed):
    assert not notched().request(turn_rate, speed).feasible
    np.testing.assert_allclose(notched().request(turn_rate, speed).point, NOTCHED["slow left"], atol=1e-6)
    np.testing.assert_allclose(notched().request(-turn_rate, speed).point, NOTCHED["fast right"], atol=1e-6)


@pytest.mark.parametrize("speed", [0.0, 0.5, 5.0])
def test_straight_on_stays_straight_in_a_network_that_was_folded_by_what_is_measured(speed):
    def folded(spectrum):  # faster and faster, then slower again: no outline of the network is the fastest
        turn, speed = spectrum.turn / spectrum.duration, spectrum.speed
        return turn, 2.0 - (speed - 1.2) ** 2

    answer = Calibration(notched().network, measure=folded, steps=8).request(0.0, speed)
    np.testing.assert_allclose(answer.turn_rate, 0.0, atol=1e-3)
    np.testing.assert_allclose(answer.speed, np.clip(speed, 2.0 - 0.4**2, 2.0), atol=0.01)


def chain(*rates):
    return Calibration(Network([Node(f"n{i}", (float(i), 0.0), going(*one)) for i, one in enumerate(rates)]))


@given(turn_rate=st.floats(-0.8, 0.8), speed=st.floats(-20.0, 20.0))
@settings(max_examples=30, deadline=None)
def test_a_chain_from_left_to_right_keeps_the_turn_whatever_the_speed(turn_rate, speed):
    found = chain((0.8, 1.25), (0.0, 1.2), (-0.8, 1.3)).request(turn_rate, speed)
    np.testing.assert_allclose(found.turn_rate, turn_rate, atol=1e-6)


@given(turn_rate=st.floats(-20.0, 20.0), speed=st.floats(0.8, 1.6))
@settings(max_examples=30, deadline=None)
def test_a_chain_of_straight_walks_keeps_the_speed_whatever_the_turn(turn_rate, speed):
    found = chain((0.04, 0.8), (-0.05, 1.1), (0.02, 1.6)).request(turn_rate, speed)
    np.testing.assert_allclose(found.speed, speed, atol=1e-6)


def test_of_two_blends_of_a_chain_that_turn_alike_the_one_of_the_nearest_speed_is_taken():
    bow = chain((0.0, 0.8), (1.2, 1.2), (0.0, 1.8))
    assert bow.request(0.0, 9.0).point == pytest.approx((2.0, 0.0))
    assert bow.request(0.0, -9.0).point == pytest.approx((0.0, 0.0))
    assert math.isclose(bow.request(9.0, 1.0).turn_rate, 1.2)
