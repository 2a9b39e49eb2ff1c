"""Stances: when whole feet rest on the ground, paired over motions that are in step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.blending.contacts import paired
from mocapella.motion.contacts import FEET, TURN, CycleContacts

_SHORTEST = 0.02 * TURN  # radians; a plant below this is a flaw of the detection, not a step
_LONGEST = TURN - 1e-6  # a foot that never leaves the ground has no step either
_LATEST = np.radians(15.0)  # a motion in step whose feet were later than that would have been misread


@dataclass(frozen=True, eq=False)
class Stances:
    """The contact stages of whole feet, paired over several motions: where each begins and how long it lasts."""

    feet: tuple[int, ...]  # per plant, 0 left or 1 right
    starts: Float[np.ndarray, "nodes plants"]  # cycle phase, not wrapped
    lengths: Float[np.ndarray, "nodes plants"]  # radians of the cycle

    @classmethod
    def of(cls, contacts: Sequence[CycleContacts]) -> Stances:
        """The stances of motions in step; heel and toe count as one foot, and plants over the seam as one."""
        # Whole feet stand in for their heels, so that they are paired as blends pair theirs.
        feet = [CycleContacts(left_heel=each.foot("left"), right_heel=each.foot("right")) for each in contacts]
        schedule = paired(feet)
        sides = tuple(FEET.index(point.split("_")[0]) for point in schedule.points)
        return cls(sides, schedule.starts, schedule.lengths)

    @property
    def known(self) -> Bool[np.ndarray, "nodes plants"]:
        """Which motions take which step: a foot that rests neither all the time nor next to none of it."""
        return np.asarray((self.lengths >= _SHORTEST) & (self.lengths <= _LONGEST))

    @cached_property
    def lateness(self) -> Float[np.ndarray, " nodes"]:
        """How much later than the others each motion takes its steps, radians of the cycle, 15° at most.

        The mean over all that its feet do, coming down and leaving; 0 for a motion that takes no steps.
        """
        known = np.tile(self.known, 2)
        events = np.concatenate([self.starts, self.starts + self.lengths], axis=1)
        usual = np.sum(np.where(known, events, 0.0), axis=0) / np.maximum(known.sum(axis=0), 1)
        late = np.sum(np.where(known, events - usual, 0.0), axis=1) / np.maximum(known.sum(axis=1), 1)
        return owned(np.clip(late, -_LATEST, _LATEST))
