"""Which part of each foot plant is real rest, told by how high the point stands in the pose that is played."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from mocapella.motion.contacts import TURN, Arc, CycleContacts

RISEN = 0.014  # metres: a point that much higher than in the middle of its plant does not rest


def resting_arcs(contacts: CycleContacts, heights: Float[np.ndarray, "4 samples"]) -> tuple[tuple[Arc, ...], ...]:
    """The plants of each of ``FOOT_POINTS`` without the ends in which a point is well above where it stands.

    A foot that comes down or rolls off slowly passes for one that rests, but holding it down would stretch the leg.
    ``heights`` are those of the foot points, evenly over the cycle, and taken to be linear between the samples.
    """
    first, second, third, fourth = heights.tolist()
    return (
        _resting(contacts.left_heel, first),
        _resting(contacts.left_toe, second),
        _resting(contacts.right_heel, third),
        _resting(contacts.right_toe, fourth),
    )


def _resting(arcs: tuple[Arc, ...], heights: list[float]) -> tuple[Arc, ...]:
    n = len(heights)
    per_radian, rounds = n / TURN, heights * 3
    stands = []
    highest, longest = 0.0, -1.0
    for start, length in arcs:
        middle = n + ((start + 0.5 * length) * per_radian) % n
        stand = _between(rounds, middle)
        stands.append((middle, stand))
        if length > longest:  # the longest plant says how high the point stands
            highest, longest = stand + RISEN, length
    out = []
    for (start, length), (middle, stand) in zip(arcs, stands, strict=True):
        if length >= TURN:
            out.append((start, length))
        elif stand <= highest:
            half = 0.5 * length * per_radian
            before = _until(rounds, middle, stand, half, -1, highest)
            after = _until(rounds, middle, stand, half, 1, highest)
            out.append((((middle - before) / per_radian) % TURN, (before + after) / per_radian))
    return tuple(out)


def _between(heights: list[float], place: float) -> float:
    """The height at a place between samples."""
    low = int(place)
    here = heights[low]
    return here + (place - low) * (heights[low + 1] - here)


def _until(heights: list[float], middle: float, stand: float, half: float, way: int, highest: float) -> float:
    """How many samples from the middle of a plant one way heights first rise above ``highest``; at most to its end.

    ``heights`` are those of three rounds, and the middle lies in the second, at the height ``stand``.
    """
    first = math.floor(middle) + 1 if way > 0 else math.ceil(middle) - 1
    gone = (first - middle) * way
    at, before = 0.0, stand
    for height in heights[first : first + math.ceil(half - gone) * way : way]:
        if height > highest:
            return at + (gone - at) * (highest - before) / (height - before)
        at, before = gone, height
        gone += 1.0
    end = _between(heights, middle + way * half)
    return half if end <= highest else at + (half - at) * (highest - before) / (end - before)
