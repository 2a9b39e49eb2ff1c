"""Arrays in a page: what comes back, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mocapella.errors import MotionError
from mocapella.studio.page.packed import packed
from tests.studio.page.unpacking import unpacked

values = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=6), elements=st.floats(-50, 50))


@given(values, st.sampled_from([2.0**-20, 2.0**-14, 1e-3]))
def test_unpacking_undoes_packing_to_half_a_step(array, step):
    back = unpacked(packed(array, step))
    assert back.shape == array.shape
    np.testing.assert_allclose(back, array, atol=step / 2 + 1e-12)


@given(arrays(np.int64, array_shapes(max_dims=2), elements=st.integers(-(2**29), 2**29)))
def test_whole_numbers_come_back_as_they_were(array):
    np.testing.assert_array_equal(unpacked(packed(array, 1.0)), array)


def test_smooth_motion_takes_fewer_bytes_than_half_of_what_floats_take():
    swing = np.sin(np.linspace(0, 12, 800))[:, None] * np.linspace(0.1, 1, 40)
    assert len(packed(swing, 2.0**-20)["data"]) < swing.size * 4 / 2


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e9])
def test_numbers_that_a_page_cannot_hold_are_refused(bad):
    with pytest.raises(MotionError, match="finite numbers below"):
        packed(np.array([0.0, bad]), 2.0**-10)
