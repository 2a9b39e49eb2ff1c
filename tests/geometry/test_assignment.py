"""Assignments with the least sum of costs, beside those of SciPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from mocapella.geometry.assignment import cheapest_assignment

tables = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())


@given(tables)
def test_no_assignment_is_cheaper_than_that_of_scipy_and_none_dearer(table):
    rows, columns, seed, ties = table
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 3, (rows, columns)).astype(float) if ties else rng.normal(size=(rows, columns))
    own, theirs = cheapest_assignment(costs), linear_sum_assignment(costs)
    assert costs[own].sum() == pytest.approx(costs[theirs].sum(), abs=1e-12)
    assert len(own[0]) == len(set(own[1].tolist())) == min(rows, columns)
    np.testing.assert_array_equal(own[0], np.sort(own[0]))
    if not ties:
        np.testing.assert_array_equal(own, theirs)


def test_of_all_permutations_the_cheapest_is_taken():
    costs = np.random.default_rng(4).normal(size=(4, 5))
    sums = [costs[np.arange(4), list(one)].sum() for one in itertools.permutations(range(5), 4)]
    assert costs[cheapest_assignment(costs)].sum() == pytest.approx(min(sums))
