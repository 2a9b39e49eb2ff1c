"""The way of a clip: known circles and straight lines."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.geometry import quaternions
from mocapella.measure.ground_path import distance, lateral_errors, turned


def walker(places, yaws, frame_rate=50.0):
    """A single joint at places (x, z), facing along yaws."""
    skeleton = mo.Skeleton.of(["hips"], [-1], [[0, 0, 0]])
    roots = np.stack([places[:, 0], np.ones(len(places)), places[:, 1]], axis=1)
    return mo.Clip(skeleton, roots, quaternions.about_y(np.asarray(yaws))[:, None], frame_rate)


def circle(radius=2.0, turns=1.5, frames=1000):
    yaws = 2 * np.pi * turns * np.arange(frames + 1) / frames
    return walker(radius * np.stack([1 - np.cos(yaws), np.sin(yaws)], axis=1), yaws)


def test_a_circle_is_as_long_as_its_circumference():
    assert distance(circle()) == pytest.approx(2 * np.pi * 2.0 * 1.5, rel=1e-4)
    assert turned(circle()) == pytest.approx(2 * np.pi * 1.5)


def test_sway_is_no_distance():
    t = np.arange(501) / 50.0
    swaying = walker(np.stack([0.05 * np.sin(2 * np.pi * t), 1.2 * t], axis=1), np.zeros(501))
    assert distance(swaying) == pytest.approx(12.0, rel=1e-3)


def test_a_single_frame_goes_nowhere():
    clip = walker(np.zeros((1, 2)), np.zeros(1))
    assert (distance(clip), turned(clip)) == (0.0, 0.0)


def test_lateral_errors_are_distances_from_the_path_without_the_sway_of_a_step():
    t = np.arange(501) / 50.0
    beside = walker(np.stack([0.1 + 0.05 * np.sin(2 * np.pi * t / 0.5), 1.2 * t], axis=1), np.zeros(501))
    path = np.array([[0.0, -1.0], [0.0, 5.0], [0.0, 20.0]])
    np.testing.assert_allclose(lateral_errors(beside, path, step=0.5), 0.1, atol=1e-3)


def test_a_path_has_two_points():
    with pytest.raises(mo.MotionError, match="at least two points"):
        lateral_errors(circle(), np.zeros((1, 2)))
