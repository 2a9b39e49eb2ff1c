"""Which part of each foot plant is real rest, told by how high the point stands in the pose that is played."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.motion.contacts import FOOT_POINTS, TURN, Arc, CycleContacts

RISEN = 0.016  # metres: a point that much higher than in the middle of its plant does not rest
_SHARES = np.linspace(0.0, 1.0, 17)
_HALF = len(_SHARES) // 2


def resting_arcs(contacts: CycleContacts, heights: Float[np.ndarray, "samples 4"]) -> tuple[tuple[Arc, ...], ...]:
    """The plants of each of ``FOOT_POINTS`` without the ends in which a point is well above where it stands.

    A foot that comes down or rolls off slowly passes for one that rests, but holding it down would stretch the leg.
    ``heights`` are those of the foot points, evenly over the cycle.
    """
    arcs = [contacts.point(name) for name in FOOT_POINTS]
    flat = [(point, start, length) for point, own in enumerate(arcs) for start, length in own]
    if not flat:
        return tuple(() for _ in arcs)
    columns = np.array([point for point, _, _ in flat])
    starts, lengths = (np.array([arc[i] for arc in flat]) for i in (1, 2))
    profiles = _sampled(heights, columns, starts[:, None] + lengths[:, None] * _SHARES).tolist()
    found: list[list[Arc]] = [[] for _ in arcs]
    longest = [max((length, i) for i, (own, _, length) in enumerate(flat) if own == point)[1] if own else -1
               for point, own in enumerate(arcs)]  # fmt: skip
    for (point, start, length), profile in zip(flat, profiles, strict=True):
        highest = profiles[longest[point]][_HALF] + RISEN
        if length >= TURN:
            found[point].append((start, length))
        elif profile[_HALF] <= highest:
            first, last = _until(profile[_HALF::-1], highest), _until(profile[_HALF:], highest)
            found[point].append(((start + 0.5 * length * (1.0 - first)) % TURN, 0.5 * length * (first + last)))
    return tuple(tuple(own) for own in found)


def _sampled(
    heights: Float[np.ndarray, "samples 4"], columns: np.ndarray, phases: Float[np.ndarray, "plants shares"]
) -> Float[np.ndarray, "plants shares"]:
    """Heights at any cycle phases, linear between the samples."""
    n = len(heights)
    places = phases * (n / TURN)
    low = places.astype(np.int64)
    share = places - low
    column = columns[:, None]
    return np.asarray((1.0 - share) * heights[low % n, column] + share * heights[(low + 1) % n, column])


def _until(profile: list[float], highest: float) -> float:
    """How far along, 0 … 1, values first rise above ``highest``; 1 where they never do."""
    for i in range(1, len(profile)):
        if profile[i] > highest:
            low, high = profile[i - 1], profile[i]
            return (i - 1 + (highest - low) / (high - low)) / (len(profile) - 1)
    return 1.0
