"""Foot plants of loops, in which animators let feet slide, so that plants by rest alone break up or are missed."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from mocapella.analysis.examined import Examined
from mocapella.motion.contacts import FOOT_POINTS, Contacts, intervals_of

SOLE = 0.06  # leg lengths above the floor within which a foot of a loop may stand,
LOW = 0.25  # or this share of its own lift
_BREAK = 0.15  # of a round: a shorter break of a plant, in which its point stays low, is none
_FIRM = 0.5  # of the height within which a foot may stand: below that one that never rests is taken to


def lowness(heights: Float[np.ndarray, "frames 4"]) -> Float[np.ndarray, "frames 4"]:
    """Heights of ``FOOT_POINTS`` in the height within which a foot may stand; below 1 the point is low.

    ``heights`` are in leg lengths. Heels and toes of both feet have a floor each, since soles are not known exactly.
    """
    feet = heights.reshape(-1, 2, 2)  # left and right, heel and toe
    over = feet - feet.min(axis=(0, 1))
    lifts = np.ptp(feet.min(axis=2), axis=0)
    return np.asarray((over / np.maximum(SOLE, LOW * lifts)[:, None]).reshape(heights.shape))


def plants_round_loop(rounds: Examined, n_frames: int) -> Contacts:
    """The plants of several rounds of a loop: without short breaks, and with one stance of each foot at least.

    ``n_frames`` are those of a round.
    """
    found = rounds.plants
    masks = np.stack([found.planted(point) for point in FOOT_POINTS], axis=1)
    low = lowness(rounds.feet.heights)
    for foot in (slice(0, 2), slice(2, 4)):
        if not masks[:, foot].any():
            masks[:, foot] = low[:, foot] < _FIRM
    for i in range(len(FOOT_POINTS)):
        _close_breaks(masks[:, i], low[:, i], _BREAK * n_frames)
    return Contacts.from_masks({point: masks[:, i] for i, point in enumerate(FOOT_POINTS)})


def _close_breaks(mask: Bool[np.ndarray, " frames"], low: Float[np.ndarray, " frames"], longest: float) -> None:
    """Fill, in place, the gaps between plants in which the point stays low."""
    for first, last in intervals_of(~mask):
        inside = first > 0 and last < len(mask) - 1
        if inside and last - first + 1 <= longest and (low[first : last + 1] < 1.0).all():
            mask[first : last + 1] = True
