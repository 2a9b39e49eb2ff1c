"""The robot arm of the thesis: forward kinematics by Denavit and Hartenberg, and targets tracked."""

import numpy as np

from benchmarks.tables.manipulator import PUMA, reach, tracked


def test_the_jacobian_is_the_change_of_the_hand():
    rng = np.random.default_rng(4)
    angles = rng.uniform(-2.0, 2.0, 6)
    jacobian = PUMA.jacobian(angles)
    for joint in range(6):
        step = np.zeros(6)
        step[joint] = 1e-6
        ahead, behind = (PUMA.frames(angles + sign * step)[-1] for sign in (1.0, -1.0))
        np.testing.assert_allclose(jacobian[:3, joint], (ahead - behind)[:3, 3] / 2e-6, atol=1e-7)
        spin = (ahead - behind)[:3, :3] @ PUMA.frames(angles)[-1][:3, :3].T / 2e-6
        np.testing.assert_allclose(jacobian[3:, joint], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-7)


def test_an_arm_stretched_along_its_links_is_as_long_as_they_are():
    hand = PUMA.frames(np.zeros(6))[-1]
    np.testing.assert_allclose(hand[:3, 3], [0.4318 + 0.0203, -0.15005, 0.4318], atol=1e-12)


def test_where_the_hand_is_already_nothing_moves():
    angles = np.array([0.3, -0.5, 0.9, 0.2, 0.7, -1.0])
    found, miss, off = reach(PUMA, PUMA.frames(angles)[-1], angles, np.random.default_rng(0))
    np.testing.assert_array_equal(found, angles)
    assert max(miss, off) < 1e-12


def test_random_targets_are_reached_within_a_millimetre_and_a_tenth_of_a_degree():
    found = tracked(60, seed=2)
    assert found["reached"] == found["targets"]
    assert found["miss_mm_max"] < 1.0
    assert found["off_deg_max"] < 0.1
