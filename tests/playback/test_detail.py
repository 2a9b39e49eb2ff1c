"""Level of detail: fewer harmonics and fewer frames change neither the turn nor the way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mocapella.playback.player import Player

ROUNDS = 3


def walked(spectrum, rate, feet):
    """How far some rounds led from start to end, and how far they turned."""
    player = Player(spectrum, feet=feet)
    start, heading = player.centre, player.heading
    steps = round(ROUNDS * spectrum.duration * rate)
    for _ in range(steps):
        player.step(ROUNDS * spectrum.duration / steps)
    return math.dist(start, player.centre), player.heading - heading


@pytest.mark.parametrize("feet", ["held", "velocity"])
def test_way_and_turn_do_not_depend_on_the_frame_rate(turning, feet):
    way, turn = walked(turning, 100, feet)
    assert turn == pytest.approx(ROUNDS * turning.turn, rel=1e-6)
    for rate in (50, 25):
        np.testing.assert_allclose(walked(turning, rate, feet), (way, turn), rtol=0.005)


def test_turn_does_not_depend_on_the_number_of_harmonics(turning):
    way, turn = walked(turning, 50, "velocity")
    for harmonics in (5, 3, 1):
        found = walked(turning.truncated(harmonics), 50, "velocity")
        np.testing.assert_allclose(found[1], turn, rtol=1e-9)
        np.testing.assert_allclose(found[0], way, rtol=0.02)
