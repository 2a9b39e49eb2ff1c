"""Start values of a crowd: checked arrays, and default places."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from mocapella.checks import shown
from mocapella.crowd.state import N_WORDS
from mocapella.errors import MotionError

_SPACING = 1.5  # metres between characters that are given no positions
_SHARE = 0.8  # of a machine's memory that a crowd may take


def refuse_too_many(n: int, n_joints: int) -> None:
    """Raise ``MotionError`` for a crowd that does not fit into memory, before any is allocated."""
    needed = n * (4 * N_WORDS + 48 * n_joints + 2 * 8 + 2 * 4 + 8 + 2)
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        there = 16 * 2**30
    if needed > _SHARE * there:
        text = f"a crowd of {n:,} characters needs {needed / 1e9:,.1f} GB, this machine has {there / 1e9:,.1f} GB"
        raise MotionError(text, helps="ask for fewer, or take several crowds one after the other")


def rows_of(
    given: object, name: str, shape: tuple[int, ...], otherwise: Callable[[], np.ndarray] | None = None
) -> np.ndarray:
    """Numbers of all characters in double precision.

    ``given`` consists of numbers, or None. ``shape`` is one row per character. ``otherwise`` makes them where none are
    given. Raises ``MotionError`` for other shapes and what is no number.
    """
    if given is None and otherwise is not None:
        return np.array(otherwise(), dtype=np.float64)
    try:
        if np.asarray(given).dtype.kind in "cSU":  # NumPy would drop imaginary parts and read text
            raise TypeError
        own = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise MotionError(expected=f"{name} of shape {shape}", got=shown(given)) from None
    if own.shape != shape:
        raise MotionError(expected=f"{name} of shape {shape}, one row per character", got=f"shape {own.shape}")
    return own


def formation(n: int, rng: np.random.Generator) -> Float[np.ndarray, "characters 2"]:
    """Places on the ground, a little off a square grid. Returns x and z, metres, about the origin."""
    side = math.ceil(math.sqrt(n))
    numbers = np.arange(n)
    grid = np.stack([numbers % side, numbers // side], axis=-1) - 0.5 * (side - 1)
    return np.asarray(_SPACING * (grid + rng.uniform(-0.25, 0.25, (n, 2))))
