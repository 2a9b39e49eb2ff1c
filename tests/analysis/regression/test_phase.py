"""Phases of frames: a pace that changes slowly is followed, odd frames have no say."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.analysis.regression.phase import slow, solved, track_phases, waves

TURN = 2.0 * np.pi


def motion(phases, seed=0, n_signals=12):
    """Signals of three harmonics at phases."""
    coefficients = np.random.default_rng(seed).normal(size=(6, n_signals)) / np.array([1, 2, 3, 1, 2, 3])[:, None]
    return waves(phases, 3) @ coefficients


@settings(max_examples=15, deadline=None)
@given(st.floats(-0.05, 0.05), st.integers(0, 5), st.floats(0.0, 0.3))
def test_a_pace_that_changes_slowly_is_followed(change, seed, noise):
    times = np.linspace(0.0, 1.0, 200)
    true = TURN * 4.0 * (times + change * np.sin(np.pi * times))
    rows = motion(true, seed) + noise * np.random.default_rng(seed).normal(size=(200, 12))
    found = track_phases(rows, TURN * 4.0 * times, np.ones(200))
    off = (found - true) - (found - true).mean()
    assert np.abs(off).max() < 0.1 + 0.2 * noise  # an even pace would be off by 1.2
    assert (np.diff(found) > 0.0).all()


def test_frames_of_no_weight_have_no_say():
    phases = TURN * np.arange(200) / 50.0
    rows, weights = motion(phases), np.ones(200)
    rows[90:100], weights[90:100] = 50.0, 0.0
    np.testing.assert_allclose(track_phases(rows, phases, weights), phases, atol=1e-3)
    assert np.abs(track_phases(rows, phases, np.ones(200)) - phases).max() > 0.01


def test_a_regression_finds_the_coefficients_it_was_made_of():
    phases = np.linspace(0.0, 20.0, 150)
    design = np.concatenate([slow(150, 2), waves(phases, 4)], axis=1)
    coefficients = np.random.default_rng(1).normal(size=(design.shape[1], 3))
    np.testing.assert_allclose(solved(design, design @ coefficients, np.full(150, 0.5)), coefficients, atol=1e-9)
