"""Numbers from outside, told from what only looks like one."""

from __future__ import annotations

import math
from typing import Any

_LONGEST = 80  # letters of a value in a message


def real(value: Any) -> float:
    """A number of any kind as a float: Python's, numpy's, an array of no axes.

    ``float`` would take text for the number it spells, too.

    Raises
    ------
    TypeError
        For text, None, arrays with axes, complex numbers.
    OverflowError
        For whole numbers that no float can hold.
    """
    if isinstance(value, float):
        return float(value)
    if getattr(value, "ndim", 0):
        raise TypeError(f"expected a number, got an array with {value.ndim} axes")
    return math.ldexp(value, 0)


def real_or_nan(value: Any) -> float:
    """A number as ``real`` gives it; not a number, in a float's own way of saying so, for what is none."""
    try:
        return real(value)
    except (TypeError, OverflowError):
        return math.nan


def reals(values: Any) -> tuple[float, ...]:
    """Some numbers as floats; ``TypeError`` and ``OverflowError`` as by ``real``."""
    return tuple([value if type(value) is float else real(value) for value in values])  # most are, and players wait


def shown(value: object) -> str:
    """A value as it stands in an error's message: cut where it grows long."""
    try:
        words = " ".join(repr(value).split("\n"))  # arrays are written in several lines, messages in one
    except ValueError:  # Python writes no whole numbers of more than some thousand digits
        words = "an int of very many digits"
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
