"""Constraint projection."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.geometry.projection import project


def _case(seed, rows, dofs):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, dofs)), rng.normal(size=dofs), rng.uniform(0.1, 2.0, dofs), rng.normal(size=rows)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_held_points_move_by_their_errors_and_no_change_is_nearer_to_the_free_one(seed, rows):
    held, forces, compliance, errors = _case(seed, rows, rows + 3)
    change, multipliers = project(held, forces, compliance, errors)
    np.testing.assert_allclose(held @ change, errors, atol=1e-6)
    np.testing.assert_allclose(compliance * (forces + held.T @ multipliers), change, atol=1e-12)
    free = compliance * forces
    still = np.linalg.svd(held)[2][rows:]  # changes that held points do not feel
    np.testing.assert_allclose(still @ ((change - free) / compliance), 0.0, atol=1e-6)  # so it is the nearest


def test_without_errors_held_points_stay_under_any_force():
    held, forces, compliance, _ = _case(0, 3, 8)
    np.testing.assert_allclose(held @ project(held, 1e3 * forces, compliance)[0], 0.0, atol=1e-6)


def test_many_poses_are_projected_as_each_alone():
    cases = [_case(seed, 2, 6) for seed in range(5)]
    held, forces, compliance, errors = (np.stack(part) for part in zip(*cases, strict=True))
    together = project(held, forces, compliance, errors)[0]
    for one, case in zip(together, cases, strict=True):
        np.testing.assert_allclose(one, project(*case)[0], atol=1e-12)


def test_angles_without_compliance_do_not_change_and_contradictions_give_no_infinity():
    held, forces, compliance, errors = _case(3, 2, 5)
    compliance[2] = 0.0
    assert project(held, forces, compliance, errors)[0][2] == 0.0
    twice = np.concatenate([held, held])
    torn = np.concatenate([errors, -errors])
    assert np.isfinite(project(twice, forces, compliance, torn, damping=0.1)[0]).all()
