"""Cycles fitted to all repetitions: exact where nothing is wrong, near the truth where noise is."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.examined import Examined
from mocapella.analysis.likeness import joint_error
from mocapella.analysis.prepare import prepare
from mocapella.analysis.regression.fit import fits_of
from mocapella.motion.clip import concatenate
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import LEFT
from mocapella.motion.report import Finding
from tests.analysis.regression.noisy_clips import shaken


@pytest.fixture(scope="module")
def clean():
    clip, _ = perform("walk", speed=1.3, cycles=5.0)
    return clip.resampled(30.0)


def only_fit(clip, usable=None):
    fits = fits_of(clip, np.ones(clip.n_frames, dtype=bool) if usable is None else usable)
    assert len(fits) == 1
    return fits[0]


def test_a_motion_that_repeats_exactly_is_its_own_mean(walk):
    clip = walk(241, period=40.0, frame_rate=30.0, turn=0.4)
    fit = only_fit(clip)
    cycle = fit.cycle()
    assert cycle.duration == pytest.approx(40.0 / 30.0, rel=1e-3)
    assert cycle.turn == pytest.approx(0.4, abs=0.005)
    assert cycle.speed == pytest.approx(1.3, rel=0.005)
    np.testing.assert_allclose(fit.model().positions, clip[fit.frames].positions, atol=0.01)
    cut = prepare(clip, repetitions="best")
    # The body sways to both sides of its course, and travels along the course: to the left and right of the body.
    assert np.ptp(cycle.dofs[:, LEFT]) == pytest.approx(np.ptp(cut.dofs[:, LEFT]), rel=0.1)
    assert fit.left < 0.005
    assert fit.explained > 0.999


@pytest.mark.parametrize("seed", range(3))
def test_at_three_degrees_the_error_is_below_half_of_that_of_a_cut(clean, seed):
    true, noisy = prepare(clean), shaken(clean, degrees=3.0, centimetres=2.0, seed=seed)
    cut, mean = prepare(noisy, repetitions="best"), prepare(noisy)
    assert joint_error(true, mean) < 0.5 * joint_error(true, cut)
    assert mean.duration == pytest.approx(true.duration, rel=0.01)
    assert mean.speed == pytest.approx(true.speed, rel=0.02)
    assert [len(mean.contacts.foot(side)) for side in FEET] == [1, 1]


def test_the_error_that_is_told_is_the_error_that_is_left(clean):
    true, told, had = prepare(clean), [], []
    for seed in range(6):
        noisy = shaken(clean, degrees=3.0, centimetres=2.0, seed=seed)
        fit = only_fit(noisy)
        told.append(fit.left)
        had.append(joint_error(true, replace(fit.cycle(), contacts=fit.plants)))
    # What is told is of the ends of all limbs and of the root's place; what was had, of joints but for hands.
    assert 0.4 < np.mean(had) / np.mean(told) < 1.0


def test_more_noise_leaves_fewer_harmonics_and_a_larger_error(clean):
    fits = [only_fit(shaken(clean, degrees=degrees, centimetres=degrees / 2)) for degrees in (0.5, 2.0, 6.0)]
    assert fits[0].n_above > fits[1].n_above > fits[2].n_above
    assert fits[0].left < fits[1].left < fits[2].left


def test_frames_that_are_not_usable_have_no_say(clean):
    broken, usable = np.array(clean.rotations_wxyz), np.ones(clean.n_frames, dtype=bool)
    broken[60:66, 3:9] = [0.5, 0.5, 0.5, 0.5]
    usable[60:66] = False
    spoiled = replace(clean, rotations_wxyz=broken)
    whole, ignored = only_fit(clean).cycle(), only_fit(spoiled, usable).cycle()
    assert joint_error(whole, ignored) < 0.003


def test_a_stretch_with_few_usable_frames_is_fitted_with_few_harmonics(clean):
    usable = np.zeros(clean.n_frames, dtype=bool)
    usable[::3] = True
    fit = only_fit(clean, usable)
    assert np.isfinite(fit.cycle().dofs).all()
    assert len(fit.harmonics) <= 0.3 * usable[fit.frames].sum()
    assert fits_of(clean, np.zeros(clean.n_frames, dtype=bool)) == []


def test_interpolated_frames_have_weight_zero(clean):
    rows = (60, 61, 62)
    report = replace(clean.report, findings=(Finding("repaired-dropout", "bridged", rows),))
    fit = Examined(replace(clean, report=report)).fits[0]
    weights = fit.weights[np.array(rows) - fit.frames.start]
    assert (weights == 0.0).all()
    assert fit.weights.sum() == pytest.approx(1.0)


def test_a_long_take_is_divided_where_its_gait_changes():
    walk, run = perform("walk", speed=1.0, cycles=5.0)[0], perform("run", speed=3.0, cycles=7.0)[0]
    clip = shaken(concatenate([walk, run], aligned=True).resampled(30.0), degrees=2.0, centimetres=1.0)
    fits = fits_of(clip, np.ones(clip.n_frames, dtype=bool))
    speeds = sorted(fit.cycle().speed for fit in fits)
    assert speeds[0] == pytest.approx(1.0, rel=0.1)
    assert speeds[-1] == pytest.approx(3.0, rel=0.1)
    taken = np.zeros(clip.n_frames, dtype=int)
    for fit in fits:
        taken[fit.frames] += 1
    assert taken.max() == 1
