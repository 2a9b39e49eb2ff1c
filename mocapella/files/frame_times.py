"""Frame rates from the rounded frame times that files state."""

from __future__ import annotations

_FILM_RATES = tuple(rate * 1000 / 1001 for rate in (24, 30, 48, 60, 120))  # 23.976, 29.97, …
_ROUNDING = 1.5e-4  # files write 120 Hz as .0083333 or .00833, 24 Hz as 0.041667 or 0.0417


def plain_rate(frame_time: float) -> float:
    """The frames per second a frame time stands for: a whole or film rate where the rounding of files allows it.

    Examples
    --------
    >>> plain_rate(0.0083333), plain_rate(0.041667), round(plain_rate(0.0417083333), 3)
    (120.0, 24.0, 23.976)
    """
    rate = 1.0 / frame_time
    nearest = min((float(round(rate)), *_FILM_RATES), key=lambda plain: abs(plain - rate))
    return nearest if nearest > 0 and abs(nearest - rate) <= _ROUNDING * rate else rate
