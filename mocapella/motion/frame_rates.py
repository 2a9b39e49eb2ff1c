"""What frame rates there are."""

from __future__ import annotations

from mocapella.errors import MotionError
from mocapella.reals import real_or_nan, shown

SLOWEST, FASTEST = 1 / 3600, 1e6  # frames per second: one in an hour, one in a microsecond


def is_usable(rate: object) -> bool:
    """Whether a frame rate is one that a motion can have; what is none is none of them."""
    return SLOWEST <= real_or_nan(rate) <= FASTEST


def refuse_no_rate(rate: object) -> None:
    """What is no frame rate is an error."""
    if not is_usable(rate):
        raise MotionError(
            f"expected a frame rate above 0, got {shown(rate)}; there are rates from one frame in an hour to "
            f"{FASTEST:g} in a second"
        )
