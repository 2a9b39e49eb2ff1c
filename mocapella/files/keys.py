"""Keys of animations: the even times at which motions of any keys are read."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from jaxtyping import Float

from mocapella.checks import MOST_FRAMES
from mocapella.errors import FormatError

OFF_GRID = 0.02  # of a frame: keys no further from even times lie on them
USUAL_RATE = 60.0  # frames per second at which keys at uneven times are read
_SPARSE = 20.0  # keys per second: fewer are drawn by hand, with curves between them
_CLOSEST = 1e-5  # seconds between two keys that are not the same


def frame_times(
    path: Path, keys: Float[np.ndarray, " keys"], frame_rate: float | None, *, curved: bool = False
) -> tuple[Float[np.ndarray, " frames"], float, bool]:
    """Even times at which keys are read: their own, where those are even.

    ``keys`` are times in seconds, at least one, in any order. ``frame_rate`` is in frames per second; that of the keys
    if None, 60 where they lie at uneven times. Where keys are ``curved`` and few, times between them are read as well.
    Returns ``times``, ``frame_rate`` and ``even``: seconds; frames per second; whether every key lies on one of the
    times.
    """
    keys = np.unique(keys)
    keys = keys[np.concatenate([[True], np.diff(keys) > _CLOSEST])]
    span = float(keys[-1] - keys[0])
    if span <= 0.0:
        return keys[:1], frame_rate or USUAL_RATE, True
    if frame_rate is None:
        shortest = float(np.diff(keys).min())
        if span / shortest < MOST_FRAMES:
            count = round(span / shortest)
            off = (keys - keys[0]) * count / span
            if np.abs(off - np.round(off)).max() <= OFF_GRID:
                if curved and count < _SPARSE * span:
                    count *= math.ceil(USUAL_RATE * span / count)
                return keys[0] + span * np.arange(count + 1) / count, _tidy(count / span), True
    rate = frame_rate or USUAL_RATE
    if span * rate > MOST_FRAMES:
        raise FormatError(path, 0, f"its animation lasts {span:,.0f} s; at most {MOST_FRAMES:,} frames are read")
    return keys[0] + np.arange(int(span * rate + 1e-6) + 1) / rate, rate, False


def _tidy(rate: float) -> float:
    """A frame rate without the rounding of its keys, which are kept to seven digits."""
    nearest = round(rate)
    return float(nearest) if nearest and abs(rate / nearest - 1.0) < 1e-4 else rate
