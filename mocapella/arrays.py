"""Read-only arrays of a known type and layout, for values that are frozen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike


def readonly(values: ArrayLike, dtype: DTypeLike) -> np.ndarray[Any, np.dtype[Any]]:
    """A C-contiguous array that cannot be written to.

    An array that is so already is returned as it is; anything else is copied, so that writing into what was given
    cannot change a value made from it.
    """
    array = np.asarray(values, dtype=dtype, order="C")
    if _frozen(array):
        return array
    if array is values or np.shares_memory(array, np.asarray(values)):
        array = array.copy()
    array.flags.writeable = False
    return array


def freeze(value: object, dtype: DTypeLike, *names: str) -> None:
    """Make fields of a frozen dataclass ``readonly``, from its ``__post_init__``."""
    for name in names:
        object.__setattr__(value, name, readonly(getattr(value, name), dtype))


def owned(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Freeze an array that is written to nowhere else; no copy is taken."""
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
