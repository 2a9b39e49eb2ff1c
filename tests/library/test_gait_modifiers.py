"""Gaits made of two or more: what is asked is what is measured."""

import math

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis.period import find_period
from mocapella.editing.feet.incline import incline
from mocapella.library.gait_modifiers import gait, gait_figures, to_curvature, to_slope, to_speed


def example(**wishes):
    return mo.example("walk", frame_rate=60.0, cycles=3.0, **wishes)


def figures(clip):
    return gait_figures(clip, find_period(clip).seconds)


def test_figures_of_a_circle_are_those_of_the_circle():
    """A point that goes round at 1.2 m/s and 0.5 1/m and climbs, with a sway that repeats every second."""
    rate, speed, curvature, slope = 50.0, 1.2, 0.5, 3.0
    times = np.arange(251) / rate
    angle = curvature * speed * times
    sway = 0.03 * np.exp(2j * np.pi * times)
    # ahead is real, left imaginary: the centre lies to the left
    places = (np.exp(1j * angle) - 1) / (1j * curvature) + sway * np.exp(1j * angle)
    heights = 1.0 + math.tan(math.radians(slope)) * speed * times + 0.02 * np.cos(2 * np.pi * times)
    roots = np.stack([places.imag, heights, places.real], axis=1)
    turned = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1)
    clip = mo.Clip.from_arrays(["hips"], [-1], [[0, 1, 0]], roots, turned[:, None], frame_rate=rate)
    found = gait_figures(clip, 1.0)
    np.testing.assert_allclose(
        [found.speed, found.curvature, found.turn, found.slope],
        [speed, curvature, math.degrees(curvature * speed), slope],
        rtol=1e-3,
    )


def test_no_cycle_fits_into_too_short_a_clip():
    with pytest.raises(mo.MotionError, match="holds no cycle"):
        gait_figures(example()[:20], 1.0)


def test_a_speed_between_two_clips_is_met():
    slow, fast = example(speed=0.9), example(speed=1.7)
    for speed in (1.2,):
        np.testing.assert_allclose(figures(to_speed(slow, fast, speed=speed)).speed, speed, rtol=0.03)
    with pytest.raises(mo.MotionError, match=r"a speed that these clips reach, .* got 3 m/s"):
        to_speed(slow, fast, speed=3.0)


def test_a_curvature_between_a_turn_and_its_mirror_image_is_met():
    right = example(speed=1.1, turn=-0.6)
    left = mo.edit(right, mo.Edit("sync_mirror")).result
    for curvature in (-0.4, 0.25):
        made = figures(to_curvature(right, left, curvature=curvature))
        np.testing.assert_allclose(made.curvature, curvature, atol=0.03 * 0.4)


def test_a_slope_between_two_clips_is_met_and_feet_stay():
    level, up = example(speed=1.1), example(speed=1.1, slope=0.12)
    made = to_slope(level, up, slope=4.0)
    np.testing.assert_allclose(figures(made).slope, 4.0, rtol=0.03)
    with pytest.raises(mo.MotionError, match=r"slope between those of the clips"):
        to_slope(level, up, slope=20.0)


def test_speed_and_curvature_are_set_apart_from_each_other():
    clips = [example(speed=0.9), example(speed=1.7), example(speed=1.2, turn=0.6)]
    for speed, curvature in ((1.1, 0.2), (1.1, -0.1)):
        made = figures(gait(*clips, speed=speed, curvature=curvature))
        np.testing.assert_allclose(made.speed, speed, rtol=0.03)
        np.testing.assert_allclose(made.curvature, curvature, rtol=0.03)
    with pytest.raises(mo.MotionError, match="no mixture of these clips"):
        gait(*clips, speed=1.4, curvature=3.0)


def test_an_incline_lifts_feet_along_the_slope():
    clip = example(speed=1.2)
    up = incline(clip, slope=5.0)
    np.testing.assert_allclose(figures(up).slope, 5.0, rtol=0.03)
    assert incline(clip, slope=0.0).root_positions is not None
    with pytest.raises(mo.MotionError, match="up to 45"):
        incline(clip, slope=80.0)
