"""Steady stretches: the period of a gait, where it begins and ends, and what is none."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.regression.signals import Signals
from mocapella.analysis.regression.stretch import find_windows, gait_share, grown
from mocapella.motion.clip import concatenate
from tests.analysis.regression.noisy_clips import shaken


def stretch_of(clip):
    signals = Signals(clip)
    return grown(signals, next(find_windows(signals)), np.ones(clip.n_frames, dtype=bool), slice(0, clip.n_frames))


@pytest.mark.parametrize("degrees", [0.0, 3.0, 6.0])
@pytest.mark.parametrize("period", [20.0, 33.3, 51.7])
def test_the_period_of_a_walk_is_found_whatever_the_noise(walk, period, degrees):
    stretch = stretch_of(shaken(walk(240, period=period, frame_rate=30.0), degrees=degrees))
    assert stretch.period == pytest.approx(period, rel=0.02)
    assert stretch.repetitions > 0.8 * 240 / period


@pytest.mark.parametrize("degrees", [2.0, 8.0])
def test_standing_before_and_after_is_no_part_of_a_walk(walk, degrees):
    steps = walk(150, period=33.0, frame_rate=30.0)
    stand = replace(
        steps[:60],
        root_positions=np.tile(steps.root_positions[0], (60, 1)),
        rotations_wxyz=np.tile(steps.rotations_wxyz[0], (60, 1, 1)),
    )
    clip = shaken(concatenate([stand, steps, stand], aligned=True), degrees=degrees)
    frames = stretch_of(clip).frames
    assert 50 < frames.start < 80
    assert 190 < frames.stop < 220


def test_one_step_is_never_taken_for_a_cycle_nor_two_cycles_for_one(walk):
    for seed in range(4):
        clip = shaken(walk(200, period=36.0, frame_rate=30.0, uneven=0.3), degrees=4.0, seed=seed)
        assert stretch_of(clip).period == pytest.approx(36.0, rel=0.04)


def test_legs_that_swing_together_are_no_gait(walk):
    steps = walk(240, period=33.0, frame_rate=30.0)
    rotations = np.array(steps.rotations_wxyz)
    for part in ("UpLeg", "Leg", "Foot"):
        left, right = (steps.skeleton.index(f"{side}{part}") for side in ("Left", "Right"))
        rotations[:, right] = rotations[:, left] * [1.0, 1.0, -1.0, -1.0]
    hops = Signals(replace(steps, rotations_wxyz=rotations))
    assert list(find_windows(hops)) == []
    walking = Signals(steps)
    assert gait_share(walking, stretch_of(steps)) > 0.95


def test_the_sign_of_a_quaternion_says_nothing_about_a_gait(walk):
    steps = walk(240, period=33.0, frame_rate=30.0)
    flipped = np.array(steps.rotations_wxyz)
    flipped[:, steps.skeleton.index("LeftUpLeg")] *= -1.0
    clip = replace(steps, rotations_wxyz=flipped)
    assert gait_share(Signals(clip), stretch_of(clip)) == pytest.approx(gait_share(Signals(steps), stretch_of(steps)))


def test_a_body_that_stands_has_no_gait():
    assert list(find_windows(Signals(perform("stand")[0]))) == []
