"""General inverse kinematics of chains."""

import numpy as np
import pytest

from mocapella.errors import MotionError
from mocapella.geometry.solvers import SOLVERS, Chain, solve_chain

LEG = Chain.of(
    axes=[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 0, 1]],
    rods=[[0, 0, 0], [0, 0, 0], [0, -0.43, 0], [0, -0.42, 0], [0, 0, 0], [0, -0.07, 0.15]],
    limits=np.radians([[-120, 60], [-60, 60], [-45, 45], [-5, 40], [-50, 40], [-25, 25]]),
)
ARM = Chain.of(axes=[[0, 0, 1], [0, 0, 1]], rods=[[1.0, 0, 0], [1.0, 0, 0]])


def test_the_jacobian_is_the_derivative_of_the_end():
    rng = np.random.default_rng(0)
    angles = rng.uniform(LEG.lower, LEG.upper)
    jacobian, end = LEG.jacobian(angles)
    for i in range(len(angles)):
        step = np.zeros(len(angles))
        step[i] = 1e-7
        np.testing.assert_allclose((LEG.end(angles + step) - end) / 1e-7, jacobian[:, i], atol=1e-6)


@pytest.mark.parametrize(
    ("solver", "count"),
    [
        ("damped_least_squares", 40),
        ("pseudo_inverse", 15),
        ("transpose", 8),
        ("cyclic_descent", 6),
        ("constraint_projection", 30),
    ],
)
def test_random_reachable_goals_are_all_reached_within_limits(solver, count):
    rng = np.random.default_rng(1)
    for _ in range(count):
        goal = LEG.end(rng.uniform(LEG.lower, LEG.upper))
        found = solve_chain(LEG, goal, solver=solver)
        assert found.error < 1e-5
        assert np.all((found.angles >= LEG.lower) & (found.angles <= LEG.upper))
        np.testing.assert_allclose(LEG.end(found.angles), goal, atol=1e-5)


def test_the_transpose_reaches_goals_near_a_stretched_leg():
    for bend in (0.02, 0.05, 0.1):  # where steps straight down the slope zigzag for thousands of steps
        angles = np.array([-0.3, 0.1, 0.1, bend, 0.2, 0.0])
        assert solve_chain(LEG, LEG.end(angles), solver="transpose").error < 1e-5


def test_hinges_at_a_limit_leave_the_way_to_the_others():
    start = np.where(np.arange(6) % 2, LEG.lower, LEG.upper)
    goal = LEG.end(0.5 * (LEG.lower + LEG.upper))
    assert solve_chain(LEG, goal, start, solver="damped_least_squares").steps < 100


@pytest.mark.parametrize("solver", ["damped_least_squares", "cyclic_descent", "constraint_projection"])
def test_a_straight_chain_that_should_shorten_neither_sticks_nor_oscillates(solver):
    found = solve_chain(ARM, np.array([1.2, 0.0, 0.0]), np.zeros(2), solver=solver)
    assert found.error < 1e-5


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_goal_out_of_reach_is_approached_as_far_as_the_chain_is_long(solver):
    found = solve_chain(ARM, np.array([0.0, 3.0, 0.0]), np.array([1.0, 0.3]), solver=solver)
    np.testing.assert_allclose(found.error, 1.0, atol=5e-3)


def test_the_same_goal_gives_the_same_bits():
    goal = np.array([0.2, -0.6, 0.1])
    np.testing.assert_array_equal(solve_chain(LEG, goal).angles, solve_chain(LEG, goal).angles)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: solve_chain(ARM, np.array([np.nan, 0.0, 0.0])), "three finite numbers"),
        (lambda: solve_chain(ARM, np.zeros(3), solver="magic"), "damped_least_squares"),
        (lambda: Chain.of(axes=[[0, 0, 2]], rods=[[1, 0, 0]]), "length 1"),
        (lambda: Chain.of(axes=[[0, 0, 1]], rods=[[1, 0, 0]], limits=[[1, -1]]), "lower limit"),
    ],
)
def test_what_is_no_chain_or_goal_is_refused(make, says):
    with pytest.raises(MotionError, match=says):
        make()
