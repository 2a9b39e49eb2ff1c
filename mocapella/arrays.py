"""Arrays that values can hold for good: read-only, of a known type and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike


def readonly(values: ArrayLike, dtype: DTypeLike) -> np.ndarray[Any, np.dtype[Any]]:
    """A C-contiguous array of ``dtype`` that nobody can write to.

    An array that is already so is returned as it is; anything else is copied, so that a caller who goes on writing
    into his own array cannot change a value that was made from it.
    """
    array = np.asarray(values, dtype=dtype, order="C")
    if _frozen(array):
        return array
    if array is values or np.shares_memory(array, np.asarray(values)):
        array = array.copy()
    array.flags.writeable = False
    return array


def owned(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Freeze an array that was made for this purpose and that nobody else holds; no copy is taken."""
    array.flags.writeable = False
    return array


def _frozen(array: np.ndarray[Any, np.dtype[Any]]) -> bool:
    """Whether neither the array nor anything it is a view of can be written to."""
    base: object = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return False
        base = base.base
    return base is None
