"""Gradient noise (Perlin 1985) in time, so that no two characters with one motion move alike.

Only joints that move no ankle are turned, so no planted foot is lifted, and by no more than is asked for.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from mocapella.crowd.points import Step
from mocapella.crowd.state import Columns, Lane
from mocapella.crowd.tables import CrowdTables


def add_noise(tables: CrowdTables, pose: Columns, numbers: Int[np.ndarray, " lanes"], step: Step) -> None:
    """Turn trunk, neck and shoulders of characters a little, in place."""
    if step.noise <= 0.0:
        return
    for channel, column in enumerate(tables.noisy_columns.tolist()):
        a, b, c = (
            np.float32(0.5 * step.noise) * _gradient_noise(numbers, 3 * channel + axis, step.beat, step.between)
            for axis in range(3)
        )
        w, x, y, z = pose[column : column + 4].copy()
        pose[column] = w - (x * a + y * b + z * c)
        pose[column + 1] = x + w * a + y * c - z * b
        pose[column + 2] = y + w * b + z * a - x * c
        pose[column + 3] = z + w * c + x * b - y * a


def _gradient_noise(numbers: Int[np.ndarray, " lanes"], channel: int, beat: int, between: float) -> Lane:
    """Smooth noise of one channel, from −0.57 to 0.57: three of these turn a joint by less than the amount.

    ``beat`` and ``between`` are the time in changes of the noise: whole ones, and the rest.
    """
    own = _hashed(numbers.astype(np.uint32) * np.uint32(0x9E3779B1) + np.uint32(channel * 0x85EBCA77 & 0xFFFFFFFF))
    time = np.float32(between) + (own >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    carry = (time >= 1.0).astype(np.uint32)
    time = time - carry.astype(np.float32)
    at = (np.uint32(beat) + carry) * np.uint32(0xC2B2AE3D) + own
    hashed = (_hashed(words).view(np.int32) for words in (at, at + np.uint32(0xC2B2AE3D)))
    before, after = (words.astype(np.float32) * np.float32(2.0**-31) for words in hashed)  # from −1 to 1
    fade = time * time * time * (time * (time * 6.0 - 15.0) + 10.0)
    low, high = before * time, after * (time - 1.0)
    return np.asarray((low + fade * (high - low)) * np.float32(1.14), dtype=np.float32)


def _hashed(words: np.ndarray) -> np.ndarray:
    words = words ^ (words >> np.uint32(16))
    words = words * np.uint32(0x7FEB352D)
    words = words ^ (words >> np.uint32(15))
    words = words * np.uint32(0x846CA68B)
    return np.asarray(words ^ (words >> np.uint32(16)))
