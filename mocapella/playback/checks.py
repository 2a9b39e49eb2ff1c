"""Numbers that come from outside, refused where they are none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

from mocapella.errors import MotionError


def finite_numbers(values: object, expected: str) -> tuple[float, ...]:
    """Some numbers as floats; what is none, or not finite, is refused in the words of what was expected."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        try:
            found = tuple([float(value) for value in values])
        except (TypeError, ValueError, OverflowError):
            found = (math.nan,)
        if all(map(math.isfinite, found)):
            return found
    raise MotionError(f"{expected}; got {values!r}")


def finite_number(value: object, expected: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """One finite number from ``least`` on and greater than ``above``; anything else is refused in the same way."""
    found = float(value) if isinstance(value, Real) else math.nan
    if not (math.isfinite(found) and found >= least and found > above):
        raise MotionError(f"expected {expected}, got {value!r}")
    return found
