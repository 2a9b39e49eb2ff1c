"""Published formulas that the library replaces by others."""

import numpy as np

from mocapella.geometry import euler, quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton
from mocapella.studies.published import to_series, windowed


def test_adding_yaw_in_yxz_lifts_no_joint_and_in_zxy_it_does():
    chain = Skeleton.of(["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [0.1, 0.4, 0.2], [0.0, 0.3, 0.3]])
    angles = np.array([[0.3, 0.4, -0.2]])
    more = {"YXZ": np.array([[0.8, 0.0, 0.0]]), "ZXY": np.array([[0.0, 0.0, 0.8]])}
    lifted = {}
    for order, yaw in more.items():
        heights = []
        for root in (angles, angles + yaw):
            q = np.tile(quaternions.IDENTITY, (1, 3, 1))
            q[:, 0] = euler.to_quaternion(root, order)
            heights.append(kinematics.forward(chain, np.zeros((1, 3)), q)[0][..., 1])
        lifted[order] = float(np.abs(heights[1] - heights[0]).max())
    assert lifted["YXZ"] < 1e-12
    assert lifted["ZXY"] > 0.02


def test_a_spectrum_is_a_series_of_cosines_and_sines():
    cosines, sines = np.array([[0.5], [0.3], [0.0]]), np.array([[0.0], [-0.4], [0.2]])
    coefficients = np.array([[0.5], [0.15 + 0.2j], [-0.1j]])
    phases = np.linspace(0.0, 6.0, 20)
    expected = 0.5 + 0.3 * np.cos(phases) - 0.4 * np.sin(phases) + 0.2 * np.sin(2 * phases)
    made = coefficients[0, 0].real + 2 * sum((coefficients[h, 0] * np.exp(1j * h * phases)).real for h in (1, 2))
    np.testing.assert_allclose(made, expected, atol=1e-12)
    for a, b in zip(to_series(coefficients), (cosines, sines), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-15)
    np.testing.assert_allclose(np.angle(coefficients[1, 0]), np.arctan2(0.4, 0.3))  # R cos(θ+φ), φ = atan2(−b, a)


def test_clips_that_do_not_close_are_filled_up_to_a_power_of_two():
    windows = {n: 2 * (len(windowed(np.zeros((n, 1)))[0]) - 1) for n in (316, 413, 189, 256)}
    assert windows == {316: 512, 413: 512, 189: 256, 256: 256}


def test_the_strongest_bin_of_a_sine_is_its_frequency():
    frequencies, coefficients = windowed(np.sin(2 * np.pi * np.arange(320) / 64)[:, None])
    np.testing.assert_allclose(frequencies[np.argmax(np.abs(coefficients[:, 0]))], 1 / 64, atol=1 / 512)
