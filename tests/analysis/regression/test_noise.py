"""The noise of a capture: told from frame to frame, at any frame rate, and from quick motion."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import perform
from mocapella.analysis.regression.noise import noise_of
from mocapella.geometry import quaternions
from tests.analysis.regression.noisy_clips import shaken


def test_the_change_from_frame_to_frame_of_white_noise_is_told(walk):
    clip = shaken(walk(600, frame_rate=30.0, period=33.0), degrees=2.0, centimetres=1.0, correlation=0.0)
    noise = noise_of(clip)
    assert noise.degrees == pytest.approx(2.0 * np.sqrt(6.0), rel=0.1)
    assert noise.millimetres == pytest.approx(10.0 * np.sqrt(6.0), rel=0.1)
    assert noise.is_high


@pytest.mark.parametrize("frame_rate", [30.0, 60.0, 120.0])
def test_the_figure_is_the_same_at_all_frame_rates(frame_rate):
    clip = perform("walk", speed=1.2, cycles=6.0)[0].resampled(frame_rate)
    # Noise of 3° whose correlation is 0.5 after a thirtieth of a second changes by 3 √3 degrees in that time.
    assert noise_of(shaken(clip, degrees=3.0, centimetres=2.0)).degrees == pytest.approx(4.7, rel=0.1)


@settings(max_examples=10)
@given(st.floats(-3.0, 3.0), st.floats(-5.0, 5.0))
def test_turning_and_moving_a_clip_changes_no_noise(yaw, x):
    clip = shaken(perform("walk", speed=1.2)[0].resampled(30.0), degrees=1.0, centimetres=0.5)
    here, there = noise_of(clip), noise_of(clip.turned(yaw).moved(x))
    np.testing.assert_allclose([there.degrees, there.millimetres], [here.degrees, here.millimetres], rtol=1e-6)


def test_smooth_motion_is_no_noise_and_too_few_frames_tell_none(walk):
    for rate, period in ((24.0, 26.0), (60.0, 65.0), (15.0, 16.0)):
        assert not noise_of(walk(8 * int(period), frame_rate=rate, period=period)).is_high
    assert noise_of(walk(9, frame_rate=30.0, period=33.0)).degrees == 0.0


def test_a_body_that_never_moves_has_no_noise(walk):
    clip = walk(60)
    still = replace(
        clip, root_positions=clip.root_positions * 0.0, rotations_wxyz=clip.rotations_wxyz * 0.0 + quaternions.IDENTITY
    )
    assert noise_of(still).degrees == 0.0
    assert noise_of(still).millimetres == 0.0


@pytest.mark.data
def test_captures_as_they_are_are_not_noisy(data_folder):
    quick = ("16/16_55", "16/16_51", "104/104_37", "49/49_04", "35/35_29", "60/60_10")
    noise = {name: noise_of(mo.load(data_folder / f"cmu-bvh/{name}.bvh").captured) for name in quick}
    assert not [name for name, figure in noise.items() if figure.is_high], noise
