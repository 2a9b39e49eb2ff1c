"""Smooth curves through evenly spaced samples."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def catmull_rom(
    values: Float[np.ndarray, " samples *rest"], at: Float[np.ndarray, " points"]
) -> Float[np.ndarray, " points *rest"]:
    """Sample the cubic through neighbouring values at fractional indices; exact at whole ones.

    Each piece depends on the four nearest samples only, so a single bad one spreads no further than two. Beyond the
    ends the end values' differences go on; ``at`` itself is kept within the samples.
    """
    last = len(values) - 1
    at = np.clip(at, 0.0, last)
    start = at.astype(np.int64)
    u = (at - start).reshape(-1, *(1,) * (values.ndim - 1))
    p1, p2 = values[start], values[np.minimum(start + 1, last)]
    before = np.where((start > 0).reshape(u.shape), values[np.maximum(start - 1, 0)], 2.0 * p1 - p2)
    after = np.where((start < last - 1).reshape(u.shape), values[np.minimum(start + 2, last)], 2.0 * p2 - p1)
    m1, m2 = 0.5 * (p2 - before), 0.5 * (after - p1)
    rise = p2 - p1
    return np.asarray(p1 + u * (m1 + u * (3.0 * rise - 2.0 * m1 - m2 + u * (m1 + m2 - 2.0 * rise))))
