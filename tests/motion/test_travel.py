"""Rates of travel and turn, and the paths they make."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.motion.travel import path_of_rates, rates_of_path, repeated_path


def screw_path(turn: float, n: int, seed: int, rate: float = 100.0) -> tuple[np.ndarray, np.ndarray, float]:
    """Places and headings of one round of a wobbly walk that turns, with the closing frame."""
    rng = np.random.default_rng(seed)
    u = np.arange(n + 1) / n
    sway = sum(rng.normal(scale=0.05 / h) * np.sin(2 * np.pi * h * u + rng.uniform(0, 6)) for h in (1, 2, 3))
    yaws = 0.7 + turn * u + sway - sway[0]
    waves = sum(rng.normal(scale=0.2 / abs(h)) * np.exp(2j * np.pi * h * u) for h in (-2, -1, 1, 2))
    speeds = (1.3 + waves) * np.exp(1j * turn * u)
    steps = 0.5 * (speeds[1:] + speeds[:-1]) / rate
    return np.concatenate([[2.0 + 1.0j], 2.0 + 1.0j + np.cumsum(steps)]), yaws, rate


@given(turn=st.floats(-3.0, 3.0), n=st.integers(20, 90), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_rates_walk_the_path_they_were_taken_from(turn, n, seed):
    places, yaws, rate = screw_path(turn, n, seed)
    velocities, yaw_rates = rates_of_path(places, yaws, rate)
    again, headings = path_of_rates(velocities, yaw_rates, rate)
    np.testing.assert_allclose(headings + yaws[0], yaws, atol=1e-9)
    np.testing.assert_allclose(again * np.exp(1j * yaws[0]) + places[0], places, atol=1e-9)


@given(turn=st.floats(-3.0, 3.0), seed=st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_moving_and_turning_the_world_changes_no_rate(turn, seed):
    places, yaws, rate = screw_path(turn, 50, seed)
    here = rates_of_path(places, yaws, rate)
    there = rates_of_path(places * np.exp(1.1j) + 5.0 - 3.0j, yaws + 1.1, rate)
    for a, b in zip(here, there, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_a_walk_round_a_circle_has_constant_rates():
    n, rate = 120, 60.0
    yaws = np.linspace(0.0, np.pi / 2, n + 1)
    places = 2.0 * np.exp(1j * (yaws - np.pi / 2))  # radius 2 m, heading along the way
    velocities, yaw_rates = rates_of_path(places, yaws, rate)
    np.testing.assert_allclose(velocities, 2.0 * np.pi / 2 / (n / rate), atol=1e-12)
    np.testing.assert_allclose(yaw_rates, np.pi / 2 / (n / rate), atol=1e-12)


def test_four_quarter_turns_lead_back_to_the_start():
    yaws = np.linspace(0.0, np.pi / 2, 31)
    places = np.exp(1j * (yaws - np.pi / 2)) - np.exp(-0.5j * np.pi)
    path, headings = repeated_path(places, yaws, 5)
    np.testing.assert_allclose(path[4 * 30], path[0], atol=1e-12)
    np.testing.assert_allclose(headings[4 * 30], 2 * np.pi)
    np.testing.assert_allclose(np.abs(np.diff(path)), abs(path[1] - path[0]))


def test_rates_do_not_depend_on_how_often_the_path_was_sampled():
    def path(n):
        u = np.arange(n + 1) / n
        return 1.5 * u + 0.1j * np.sin(2 * np.pi * u), 0.2 * np.sin(2 * np.pi * u)

    (fast, fast_yaw), (slow, slow_yaw) = (rates_of_path(*path(n), frame_rate=float(n)) for n in (120, 40))
    np.testing.assert_allclose(fast[::3], slow, atol=1e-6)
    np.testing.assert_allclose(fast_yaw[::3], slow_yaw, atol=1e-6)
