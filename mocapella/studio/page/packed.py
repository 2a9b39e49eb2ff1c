"""Arrays as text in a page: whole multiples of a step, differences, bytes by significance, deflate, base64.

Values that change smoothly from row to row have small second differences, so most high bytes are zero and deflate to
almost nothing: rotations of a walk need about a third of what 32-bit floats take. The viewer's ``unpack`` undoes it.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import MotionError

_MOST_DIFFERENCES = 2  # of rows; third ones of motions grow again
_LARGEST = 2**30  # steps; twice differenced they still fit 32 bits after the wrap that unpacking undoes


def packed(values: Float[np.ndarray, "*shape"] | Int[np.ndarray, "*shape"], step: float) -> dict[str, Any]:
    """An array as a JSON object that the viewer unpacks.

    The first axis is the one along which values change smoothly. ``step`` is what values are rounded to: they come back
    within half of it. Returns ``shape``, ``step``, ``differences`` (how often rows were subtracted from the next),
    ``planes`` (bytes per value) and ``data``, deflated bytes in base64. Raises ``MotionError`` for values that are not
    finite, or too many steps from zero.

    Examples
    --------
    >>> values = np.linspace(0.0, 1.0, 500)
    >>> text = packed(values, 1e-6)
    >>> text["shape"], len(text["data"]) < 700
    ([500], True)
    """
    scaled = np.asarray(values, dtype=np.float64) / step
    if not np.isfinite(scaled).all() or np.abs(scaled).max(initial=0.0) >= _LARGEST:
        raise MotionError(expected=f"finite numbers below {_LARGEST * step:g} for a page", got="larger ones, or NaN")
    steps = np.rint(scaled).astype(np.int64).reshape(len(scaled) if scaled.ndim else 1, -1)
    choices = []
    for differences in range(_MOST_DIFFERENCES + 1):
        planes = _byte_planes(steps)
        choices.append((zlib.compress(planes.tobytes(), 9), differences, len(planes)))
        steps = np.diff(steps, axis=0, prepend=np.zeros((1, steps.shape[1]), dtype=np.int64))
    data, differences, n_planes = min(choices, key=lambda choice: len(choice[0]))
    return {
        "shape": list(np.shape(values)),
        "step": step,
        "differences": differences,
        "planes": n_planes,
        "data": base64.b64encode(data).decode("ascii"),
    }


def _byte_planes(steps: Int[np.ndarray, "rows columns"]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Signed numbers folded onto unsigned ones, so that small ones have zero high bytes; one row for each byte."""
    small = steps.astype(np.int32)
    folded = ((small << 1) ^ (small >> 31)).astype(np.uint32).ravel()
    planes = np.ascontiguousarray(folded.astype("<u4").view(np.uint8).reshape(-1, 4).T)
    used = max((i + 1 for i in range(4) if planes[i].any()), default=1)
    return np.asarray(planes[:used])
