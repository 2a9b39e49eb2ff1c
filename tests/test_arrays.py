"""Arrays that values hold: nobody can write to them, neither through the value nor behind its back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mocapella.arrays import owned, readonly
from mocapella.errors import FormatError, MotionError, MotionWarning, SkeletonError

ANY = arrays.arrays(
    st.sampled_from([np.float64, np.float32, np.int64]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0),
    elements={"min_value": -1000, "max_value": 1000},
)


@given(ANY, st.sampled_from([np.float64, np.complex128]))
def test_what_is_frozen_has_the_same_values_in_a_known_layout(values, dtype):
    frozen = readonly(values, dtype)
    np.testing.assert_array_equal(frozen, values)
    assert frozen.dtype == dtype
    assert frozen.flags.c_contiguous
    assert not frozen.flags.writeable


@given(ANY)
def test_later_writes_by_the_caller_do_not_leak_in(values):
    before = values.copy()
    frozen = readonly(values, values.dtype)
    values[...] = 77
    np.testing.assert_array_equal(frozen, before)


def test_a_value_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        readonly([1.0, 2.0], np.float64)[0] = 3.0


def test_an_array_that_is_frozen_already_is_not_copied():
    frozen = readonly(np.arange(6.0).reshape(2, 3), np.float64)
    assert readonly(frozen, np.float64) is frozen
    assert np.shares_memory(readonly(frozen[1:], np.float64), frozen)


def test_a_read_only_view_of_an_array_that_can_be_written_to_is_copied():
    values = np.arange(6.0)
    view = values[2:]
    view.flags.writeable = False
    frozen = readonly(view, np.float64)
    values[:] = -1.0
    np.testing.assert_array_equal(frozen, [2.0, 3.0, 4.0, 5.0])


@pytest.mark.parametrize(
    "wrap",
    [lambda values: np.asarray(memoryview(values)), lambda values: values.T, lambda values: values.view(np.matrix)],
)
def test_memory_seen_through_something_else_is_copied(wrap):
    values = np.arange(4.0).reshape(2, 2)
    frozen = readonly(wrap(values), np.float64)
    before = frozen.copy()
    values[:] = -1.0
    np.testing.assert_array_equal(frozen, before)


def test_an_array_made_for_the_purpose_is_frozen_in_place():
    values = np.arange(3.0)
    assert owned(values) is values
    assert not values.flags.writeable


def test_a_format_error_points_at_the_place(tmp_path):
    error = FormatError(tmp_path / "walk.bvh", 2, "expected ROOT, found 'RUUT'")
    assert str(error) == f"{tmp_path / 'walk.bvh'}:2: expected ROOT, found 'RUUT'"
    assert (error.path, error.line) == (str(tmp_path / "walk.bvh"), 2)


def test_every_error_a_user_can_cause_is_a_motion_error():
    assert issubclass(FormatError, MotionError)
    assert issubclass(SkeletonError, MotionError)
    assert not issubclass(MotionWarning, MotionError)
