"""Clips that are loops as a whole."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.analysis.cycles.loop import find_loop


def loop(*, closed, turn=0.0):
    """One round of a walk or run that repeats to the bit, with its closing frame or without."""
    cycle = mo.prepare(perform("run", speed=3.0, turn=turn, imperfections=CLEAN)[0])
    whole = cycle.to_clip(2).resampled(30.0 * round(30 * cycle.duration) / (30 * cycle.duration))
    n = round(whole.frame_rate * cycle.duration)
    return whole[: n + 1] if closed else whole[:n], n, cycle


@pytest.mark.parametrize("closed", [True, False])
def test_a_loop_is_one_cycle_with_its_closing_frame_or_without(closed):
    clip, n, cycle = loop(closed=closed, turn=0.4)
    found = mo.find_cycle(clip)
    assert (found.start, found.n_frames) == (0, n)
    np.testing.assert_allclose(found.turn, cycle.turn, atol=0.02)
    np.testing.assert_allclose(found.speed, cycle.speed, rtol=0.02)
    assert found.closing < 0.002


def test_what_leads_elsewhere_is_no_loop():
    clip, n, _ = loop(closed=True)
    assert find_loop(clip[: n - 8]) is None
    assert find_loop(clip[:4]) is None
    assert find_loop(mo.example("walk")) is None


def test_no_capture_of_walks_is_a_loop_by_chance(data_folder):
    files = sorted((data_folder / "cmu-bvh/35").glob("*.bvh"))
    assert all(find_loop(mo.load(path)) is None for path in files[:4])
