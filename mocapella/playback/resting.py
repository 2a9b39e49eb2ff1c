"""Which part of each foot plant is real rest, told by how high the point stands in the pose that is played."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from mocapella.motion.contacts import FOOT_POINTS, TURN, Arc, CycleContacts

RISEN = 0.016  # metres: a point that much higher than in the middle of its plant does not rest


def resting_arcs(contacts: CycleContacts, heights: Float[np.ndarray, "4 samples"]) -> tuple[tuple[Arc, ...], ...]:
    """The plants of each of ``FOOT_POINTS`` without the ends in which a point is well above where it stands.

    A foot that comes down or rolls off slowly passes for one that rests, but holding it down would stretch the leg.
    ``heights`` are those of the foot points, evenly over the cycle, and taken to be linear between the samples.
    """
    rows = heights.tolist()
    return tuple(_resting(contacts.point(name), row) for name, row in zip(FOOT_POINTS, rows, strict=True))


def _resting(arcs: tuple[Arc, ...], heights: list[float]) -> tuple[Arc, ...]:
    if not arcs:
        return ()
    per_radian = len(heights) / TURN
    middles = [(start + 0.5 * length) * per_radian for start, length in arcs]
    stands = [_between(heights, middle) for middle in middles]
    highest = stands[arcs.index(max(arcs, key=_length))] + RISEN
    out = []
    for (start, length), middle, stand in zip(arcs, middles, stands, strict=True):
        if length >= TURN:
            out.append((start, length))
        elif stand <= highest:
            half = 0.5 * length * per_radian
            first, last = _until(heights, middle, half, -1, highest), _until(heights, middle, half, 1, highest)
            out.append((((middle - first) / per_radian) % TURN, (first + last) / per_radian))
    return tuple(out)


def _length(arc: Arc) -> float:
    return arc[1]


def _between(heights: list[float], place: float) -> float:
    """The height at a place between samples, which are counted round the cycle."""
    n, low = len(heights), math.floor(place)
    here = heights[low % n]
    return here + (place - low) * (heights[(low + 1) % n] - here)


def _until(heights: list[float], middle: float, half: float, way: int, highest: float) -> float:
    """How many samples from the middle of a plant one way heights first rise above ``highest``; at most to its end."""
    first = math.floor(middle) + 1 if way > 0 else math.ceil(middle) - 1
    gone = (first - middle) * way
    before, at = _between(heights, middle), 0.0
    n = len(heights)
    for i in range(math.ceil(half - gone)):
        height = heights[(first + i * way) % n]
        if height > highest:
            return at + (gone + i - at) * (highest - before) / (height - before)
        before, at = height, gone + i
    end = _between(heights, middle + way * half)
    return at + (half - at) * (highest - before) / (end - before) if end > highest else half
