"""Rounds of a clip brought to one pace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.arrays import owned
from mocapella.hybrid.ends import remove_drift
from mocapella.motion.clip import Clip


@pytest.fixture(scope="module")
def hastening() -> Clip:
    """A walk on a bend whose root is carried on faster and faster."""
    clip = perform("walk", speed=1.3, turn=0.4)[0]
    along = np.arange(clip.n_frames) / clip.frame_rate
    yaws = clip.headings
    gained = np.cumsum(0.5 * along * np.exp(1j * yaws)) / clip.frame_rate
    places = np.array(clip.root_positions)
    places[:, 2] += gained.real
    places[:, 0] += gained.imag
    return replace(clip, root_positions=owned(places))


def velocities(clip):
    path = clip.ground_path
    return np.gradient(path) * clip.frame_rate * np.exp(-1j * clip.headings)


@pytest.mark.parametrize("at_end", [False, True])
def test_what_is_gained_in_a_round_is_taken_off_and_one_end_keeps_its_pace(hastening, at_end):
    first, last = 60, 60 + round(1.1 * hastening.frame_rate)
    steady = remove_drift(hastening, (first, last), at_end=at_end)
    before, after = velocities(hastening)[first : last + 1], velocities(steady)
    off = before - after
    assert abs(off[-2 if at_end else 1]) < 0.02
    gained = off[-2] - off[1]
    assert abs(gained) > 0.3
    np.testing.assert_allclose(np.diff(off[1:-1]), gained / (len(off) - 3), atol=0.01)  # evenly
    np.testing.assert_array_equal(steady.rotations_wxyz, hastening.rotations_wxyz[first : last + 1])
    np.testing.assert_array_equal(steady.root_positions[:, 1], hastening.root_positions[first : last + 1, 1])
    assert steady.first_row == hastening.first_row + first
