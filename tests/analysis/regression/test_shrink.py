"""Shrinkage: what stands above the noise stays, what is noise goes, and the error that is left is told."""

import numpy as np
import pytest

from mocapella.analysis.regression.shrink import between_harmonics, shrunk
from mocapella.analysis.regression.signals import Signals, groups_of, other_side
from mocapella.rig.symmetry import mirrored_clip

TURN = 2.0 * np.pi


@pytest.fixture
def skeleton(walk):
    return walk(30).skeleton


@pytest.fixture
def harmonics(skeleton):
    rng = np.random.default_rng(3)
    n_signals = len(groups_of(skeleton))
    return (rng.normal(size=(6, n_signals)) + 1j * rng.normal(size=(6, n_signals))) / np.arange(1, 7)[:, None] ** 2


@pytest.fixture
def mean(skeleton):
    upright = np.zeros(len(groups_of(skeleton)))
    upright[: 4 * skeleton.n_joints : 4] = 1.0
    return upright


def test_without_noise_everything_stays_and_nothing_is_left_of_it(harmonics, mean, skeleton):
    kept, error = shrunk(harmonics, np.zeros((6, skeleton.n_joints + 3)), mean, skeleton)
    np.testing.assert_allclose(kept, harmonics, atol=1e-12)
    assert error == pytest.approx(0.0, abs=1e-12)


def test_harmonics_below_the_noise_go_and_low_ones_above_it_stay(harmonics, mean, skeleton):
    noise = np.full((6, skeleton.n_joints + 3), 1e-3)
    kept, _ = shrunk(harmonics, noise, mean, skeleton)
    assert np.abs(kept[0] - harmonics[0]).max() < 0.01
    kept, _ = shrunk(harmonics, np.full((6, skeleton.n_joints + 3), 1e3), mean, skeleton)
    assert np.abs(kept).max() == 0.0


def test_the_mirror_image_half_a_cycle_later_of_that_image_is_the_motion_itself(harmonics, mean, skeleton):
    image, counterparts = other_side(harmonics, mean, skeleton)
    again, _ = other_side(image, mean, skeleton)
    np.testing.assert_allclose(again, harmonics, atol=1e-12)
    np.testing.assert_array_equal(counterparts[counterparts], np.arange(len(counterparts)))


def test_the_image_is_that_of_the_mirrored_clip(walk):
    clip = walk(120, period=60.0, uneven=0.4)
    rows = Signals(clip).rows, Signals(mirrored_clip(clip)).rows
    harmonic = [np.concatenate([np.fft.rfft(values, axis=0)[2:5:2], np.zeros((2, 3))], axis=1) for values in rows]
    mean = np.concatenate([rows[0].mean(axis=0), np.zeros(3)])
    image, _ = other_side(harmonic[0], mean, clip.skeleton)
    # Half a cycle later the first harmonic has the other sign; a quaternion may have the other sign as a whole.
    np.testing.assert_allclose(np.abs(image), np.abs(harmonic[1]), atol=1e-9)


def test_the_noise_between_harmonics_is_the_variance_of_their_error(skeleton):
    n = 600
    phases, weights = TURN * np.arange(n) / 60.0, np.full(n, 1.0 / n)
    powers = []
    for seed in range(10):
        residual = 0.01 * np.random.default_rng(seed).normal(size=(n, len(groups_of(skeleton))))
        powers.append(between_harmonics(residual, phases, weights, skeleton, 8))
    expected = 4.0 * 0.01**2 / n  # of one signal
    assert np.mean(powers, axis=0)[:, : skeleton.n_joints].mean() == pytest.approx(4 * expected, rel=0.1)
    assert np.mean(powers, axis=0)[:, -1].mean() == pytest.approx(2 * expected, rel=0.3)
