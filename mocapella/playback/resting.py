"""Which part of each foot plant is real rest, told by how high the point stands in the pose that is played."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from mocapella.motion.contacts import FOOT_POINTS, TURN, Arc, CycleContacts

RISEN = 0.014  # metres: a point that much higher than in the middle of its plant does not rest


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
    n, per_radian = len(heights), len(heights) / TURN
    rounds = heights + heights + heights
    middles = [n + ((start + 0.5 * length) * per_radian) % n for start, length in arcs]
    stands = [_between(rounds, middle) for middle in middles]
    highest = stands[arcs.index(max(arcs, key=_length))] + RISEN
    out = []
    for (start, length), middle, stand in zip(arcs, middles, stands, strict=True):
        if length >= TURN:
            out.append((start, length))
        elif stand <= highest:
            half = 0.5 * length * per_radian
            first, last = _until(rounds, middle, half, -1, highest), _until(rounds, middle, half, 1, highest)
            out.append((((middle - first) / per_radian) % TURN, (first + last) / per_radian))
    return tuple(out)


def _length(arc: Arc) -> float:
    return arc[1]


def _between(heights: list[float], place: float) -> float:
    """The height at a place between samples."""
    low = int(place)
    here = heights[low]
    return here + (place - low) * (heights[low + 1] - here)


def _until(heights: list[float], middle: float, half: float, way: int, highest: float) -> float:
    """How many samples from the middle of a plant one way heights first rise above ``highest``; at most to its end.

    ``heights`` are those of three rounds, and the middle lies in the second.
    """
    first = math.floor(middle) + 1 if way > 0 else math.ceil(middle) - 1
    gone = (first - middle) * way
    before = stand = _between(heights, middle)
    count = math.ceil(half - gone)
    for i, height in enumerate(heights[first : first + count * way : way]):
        if height > highest:
            at = gone + i - 1.0 if i else 0.0
            return at + (gone + i - at) * (highest - before) / (height - before)
        before = height
    end = _between(heights, middle + way * half)
    if end <= highest:
        return half
    at, before = (gone + count - 1.0, before) if count > 0 else (0.0, stand)
    return at + (half - at) * (highest - before) / (end - before)
