"""Numbers that come from outside, refused where they are none."""

from __future__ import annotations

import math
from collections.abc import Iterable

from mocapella.errors import MotionError
from mocapella.motion.frame_rates import refuse_no_rate
from mocapella.reals import real_or_nan, reals, shown


def finite_numbers(values: object, expected: str) -> tuple[float, ...]:
    """Some numbers as floats; what is none, or not finite, is refused in the words of what was expected."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        try:
            found = reals(values)
        except (TypeError, OverflowError):
            found = (math.nan,)
        if all(map(math.isfinite, found)):
            return found
    raise MotionError(f"{expected}; got {shown(values)}")


def finite_number(value: object, expected: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """One finite number from ``least`` on and greater than ``above``; anything else is refused in the same way."""
    found = real_or_nan(value)
    if not (math.isfinite(found) and found >= least and found > above):
        raise MotionError(f"expected {expected}, got {shown(value)}")
    return found


def checked_recording(seconds: object, frame_rate: object, most: int) -> tuple[float | None, float]:
    """How long to record, if anybody says so, and by how many frames a second; what makes no recording is refused."""
    refuse_no_rate(frame_rate)
    rate = real_or_nan(frame_rate)
    if seconds is None:
        return None, rate
    span = finite_number(seconds, "to record for more than 0 s", above=0.0)
    if span * rate > most:
        raise MotionError(
            f"{span:g} s at {rate:g} Hz are {span * rate:,.0f} frames; at most {most:,} are recorded, "
            "record it in parts"
        )
    return span, rate
