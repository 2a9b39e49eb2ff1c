"""Laws of edited flights: as long and as high as asked, stance as it was."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.arithmetic import with_flight
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import HEIGHT


@pytest.fixture(scope="module")
def run():
    return analyse(prepare(perform("run", speed=3.0)[0]), harmonics=15)


def flying(spectrum):
    """Seconds in the air per cycle, the most the root rises above where it takes off, seconds of each foot's rest."""
    phases = np.linspace(0.0, 2.0 * np.pi, 3000, endpoint=False)
    down = spectrum.contacts.planted("left", phases) | spectrum.contacts.planted("right", phases)
    heights = spectrum.at(phases)[:, HEIGHT]
    edges = np.flatnonzero(down & ~np.roll(down, -1))
    apex = float(np.mean([max(np.roll(heights, -edge)[: np.argmax(np.roll(down, -edge - 1))]) - heights[edge]
                          for edge in edges]))  # fmt: skip
    rests = [spectrum.contacts.share(side) * spectrum.duration for side in FEET]
    return float((~down).mean()) * spectrum.duration, apex, rests


@pytest.mark.parametrize(("time", "height"), [(1.5, 1.0), (1.0, 2.0), (0.7, 0.5), (1.4, 1.8)])
def test_flights_last_and_rise_as_asked_and_stance_lasts_as_before(run, time, height):
    before, after = flying(run), flying(with_flight(run, time=time, height=height))
    np.testing.assert_allclose(after[0], time * before[0], rtol=0.01)
    np.testing.assert_allclose(after[1], height * before[1], rtol=0.035, atol=0.0005)
    np.testing.assert_allclose(after[2], before[2], rtol=0.005)


def test_legs_stand_as_they_stood(run):
    edited = with_flight(run, time=1.4, height=1.5)
    for side in FEET:
        (start, length), (start_after, length_after) = run.contacts.foot(side)[0], edited.contacts.foot(side)[0]
        shares = np.linspace(0.1, 0.9, 15)
        before, after = run.at(start + shares * length), edited.at(start_after + shares * length_after)
        np.testing.assert_allclose(after, before, atol=0.03)


def test_a_flight_as_it_was_changes_nothing(run):
    same = with_flight(run)
    np.testing.assert_allclose(same.coefficients, run.coefficients, atol=1e-9)
    np.testing.assert_allclose(same.duration, run.duration)


def test_a_walk_has_no_flight_to_edit():
    walk = analyse(prepare(perform("walk", speed=1.3)[0]), harmonics=10)
    with pytest.raises(MotionError, match="no flight"):
        with_flight(walk, time=1.2)


def test_impossible_flights_are_refused(run):
    with pytest.raises(MotionError, match="times their time"):
        with_flight(run, time=0.0)
