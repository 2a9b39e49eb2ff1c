"""Which part of each foot plant is real rest, told by how high the point stands in the pose that is played."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from mocapella.motion.contacts import TURN, Arc, CycleContacts

RISEN = 0.014  # metres: a point that much higher than in the middle of its plant has left the ground
LANDING = 0.004  # metres more, at its beginning: a foot is braked before it is held
TILTED = 0.007  # metres: one that much higher over the other end of its foot than then does not rest either
CLEAR = 0.004  # metres above the ground: a point that is lower has not left it
SWIVEL = 1.2  # radians per second: a foot that turns faster on its toe has let go of the ground with its heel
SOONER = 1.0  # samples before it has risen a heel is let go of: one that rises at once is let go of at once

Arcs = tuple[tuple[Arc, ...], ...]


def resting_arcs(contacts: CycleContacts, heights: Float[np.ndarray, "4 samples"], ground: float = -math.inf) -> Arcs:
    """The plants of each of ``FOOT_POINTS`` without the ends in which a point is well above where it stands.

    A foot that comes down or rolls off slowly passes for one that rests, but holding it down would stretch the leg.
    ``heights`` are those of the foot points over a flat sole, evenly over the cycle, and taken to be linear between the
    samples. A point that a pose has below the ``ground``, where that is known, rests until it has come out.
    """
    first, second, third, fourth = heights.tolist()
    return (
        _resting(contacts.left_heel, first, ground),
        _resting(contacts.left_toe, second, ground),
        _resting(contacts.right_heel, third, ground),
        _resting(contacts.right_toe, fourth, ground),
    )


def until_heels_rise(
    arcs: Arcs, heights: Float[np.ndarray, "4 samples"], swivels: Callable[[], Float[np.ndarray, "2 samples"]]
) -> Arcs:
    """The same plants with those of heels lasting until the heel rises, as long as its toe stands.

    A heel that slides in a capture is taken to have left the ground, though it is there yet: let go of, it would drift
    over it. ``heights`` are above the ground. ``swivels`` says how fast each foot turns over it, radians per second,
    and is asked where a heel stays down: who swivels on a toe moves the heel on purpose, low as it may be.
    """
    left, left_toe, right, right_toe = arcs
    if not (_stays_down(left, heights[0]) or _stays_down(right, heights[2])):
        return arcs
    up = np.maximum(heights[::2] / RISEN, np.abs(swivels()) / SWIVEL).tolist()
    return _until_up(left, left_toe, up[0]), left_toe, _until_up(right, right_toe, up[1]), right_toe


def _stays_down(heels: tuple[Arc, ...], heights: Float[np.ndarray, " samples"]) -> bool:
    """Whether a heel is still low when it would be let go of at the soonest."""
    n = len(heights)
    return any(heights[int((start + length) * n / TURN + SOONER) % n] <= RISEN for start, length in heels)


def _resting(arcs: tuple[Arc, ...], heights: list[float], ground: float) -> tuple[Arc, ...]:
    n = len(heights)
    per_radian, rounds = n / TURN, heights * 3
    stands = []
    falling, highest, longest = 0.0, 0.0, -1.0
    for start, length in arcs:
        middle = n + ((start + 0.5 * length) * per_radian) % n
        stand = _between(rounds, middle)
        stands.append((middle, stand))
        if length > longest:  # the longest plant says how high the point stands
            falling, highest, longest = stand + RISEN + LANDING, max(stand + RISEN, ground + CLEAR), length
    out = []
    for (start, length), (middle, stand) in zip(arcs, stands, strict=True):
        if length >= TURN:
            out.append((start, length))
        elif stand <= highest:
            half = 0.5 * length * per_radian
            falls = max(stand, falling)
            if _stays_below(rounds, middle - half, middle + half, min(falls, highest)):  # as most do
                before = after = half
            else:
                before = _until(rounds, middle, stand, half, -1, falls)
                after = _until(rounds, middle, stand, half, 1, highest)
            out.append((((middle - before) / per_radian) % TURN, (before + after) / per_radian))
    return tuple(out)


def level_arcs(arcs: Arcs, heights: Float[np.ndarray, "4 samples"]) -> Arcs:
    """The same plants without the ends in which a point is up over the other end of its foot, which rests.

    A heel that rises from its toe does not rest, nor a toe that is still to come down, however low the body has them
    both. A foot that one of them leaves stands on the other: none is lifted for that.
    """
    tilts = heights[::2] - heights[1::2]
    left, left_toe, right, right_toe = arcs
    left = _level(left, left_toe, tilts[0])
    right = _level(right, right_toe, tilts[1])
    return left, _level(left_toe, left, -tilts[0]), right, _level(right_toe, right, -tilts[1])


def _level(arcs: tuple[Arc, ...], others: tuple[Arc, ...], tilts: Float[np.ndarray, " samples"]) -> tuple[Arc, ...]:
    """The plants of a point that is higher than the other end of its foot by ``tilts``."""
    n = len(tilts)
    per_radian, rounds = n / TURN, tilts.tolist() * 3
    out = []
    for start, length in arcs:
        if length >= TURN:
            out.append((start, length))
            continue
        half = 0.5 * length
        middle = n + ((start + half) * per_radian) % n
        tilt = _between(rounds, middle)
        steepest, samples = max(tilt, 0.0) + TILTED, half * per_radian
        if _stays_below(rounds, middle - samples, middle + samples, steepest):
            out.append((start, length))
            continue
        before = after = half
        for begin, span in others:
            into = (start - begin) % TURN  # the other plant, when this one begins
            if into <= span:
                down = _until(rounds, middle, tilt, samples, -1, steepest) / per_radian
                before = max(down, into + half - span)
            into = (start + length - begin) % TURN  # and when it ends
            if into <= span:
                down = _until(rounds, middle, tilt, samples, 1, steepest) / per_radian
                after = max(down, half - into)
        out.append(((start + half - before) % TURN, before + after))
    return tuple(out)


def _until_up(heels: tuple[Arc, ...], toes: tuple[Arc, ...], up: list[float]) -> tuple[Arc, ...]:
    """The plants of a heel made longer up to where ``up`` passes 1, or the toe is gone."""
    n = len(up)
    per_radian, rounds = n / TURN, up * 3
    out = []
    for start, length in heels:
        end = start + length
        here = n + (end * per_radian) % n
        low = _between(rounds, here)
        room = min(max((span - (end - begin) % TURN for begin, span in toes), default=0.0), TURN - length)
        if low < 1.0 and room > 0.0:
            length += max(0.0, _until(rounds, here, low, room * per_radian, 1, 1.0) - SOONER) / per_radian
        out.append((start, length))
    return tuple(out)


def _between(heights: list[float], place: float) -> float:
    """The height at a place between samples."""
    low = int(place)
    here = heights[low]
    return here + (place - low) * (heights[low + 1] - here)


def _stays_below(heights: list[float], start: float, end: float, highest: float) -> bool:
    """Whether heights rise nowhere above ``highest`` between two places."""
    low = math.ceil(start)
    part = heights[low : int(end) + 1]
    if part and max(part) > highest:
        return False
    return _between(heights, start) <= highest and _between(heights, end) <= highest


def _until(heights: list[float], middle: float, stand: float, half: float, way: int, highest: float) -> float:
    """How many samples from the middle of a plant one way heights first rise above ``highest``; at most to its end.

    ``heights`` are those of three rounds, and the middle lies in the second, at the height ``stand``.
    """
    first = math.floor(middle) + 1 if way > 0 else math.ceil(middle) - 1
    gone = (first - middle) * way
    at, before = 0.0, stand
    part = heights[first : first + math.ceil(half - gone) * way : way]
    if part and max(part) <= highest:  # as most are
        at, before = gone + len(part) - 1.0, part[-1]
    else:
        for height in part:
            if height > highest:
                return at + (gone - at) * (highest - before) / (height - before)
            at, before = gone, height
            gone += 1.0
    end = _between(heights, middle + way * half)
    return half if end <= highest else at + (half - at) * (highest - before) / (end - before)
