"""Levels of detail: fewer joints, fewer harmonics and fewer updates for characters far away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from mocapella.checks import explained, finite_number, shown
from mocapella.crowd.state import Numbers
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError


@explained
@dataclass(frozen=True)
class Level:
    """How much of a motion is drawn.

    Parameters
    ----------
    harmonics
        How many at most; all if None.
    joints
        The share of joints that move, from 0 to 1: legs with their feet always, then those that carry most. The others
        keep the mean pose of their blend.
    every
        Characters are updated in every so many steps, by the time since the last update, so that their speed over the
        ground stays the same.

    Examples
    --------
    >>> Level(harmonics=4, joints=0.5, every=2)
    Level(harmonics=4, joints=0.5, every=2)
    """

    harmonics: int | None = None
    joints: float | int = 1.0
    every: int = 1

    def __post_init__(self) -> None:
        whole = isinstance(self.harmonics, int) and not isinstance(self.harmonics, bool)
        if self.harmonics is not None and not (whole and self.harmonics >= 1):
            raise MotionError(expected="a whole number of harmonics from 1 on, or None", got=shown(self.harmonics))
        if not isinstance(self.every, int) or isinstance(self.every, bool) or not 1 <= self.every <= 64:
            raise MotionError(expected="characters moved at every 1 … 64 steps", got=shown(self.every))
        if not 0.0 <= finite_number(self.joints, "a share of joints from 0 to 1") <= 1.0:
            raise MotionError(expected="a share of joints from 0 to 1", got=shown(self.joints))

    def drawn(self, tables: CrowdTables) -> tuple[int, int]:
        """Harmonics and columns of the tables that are drawn."""
        harmonics = tables.n_harmonics if self.harmonics is None else min(self.harmonics, tables.n_harmonics)
        drawn = min(max(math.ceil(self.joints * tables.n_joints), tables.n_legs), tables.n_joints)
        return harmonics, tables.n_columns - 4 * (tables.n_joints - drawn)


LEVELS = (Level(), Level(harmonics=5, joints=0.7, every=2), Level(harmonics=3, joints=0.5, every=4))


@dataclass
class Turns:
    """The schedule of updates for levels of detail that are not updated in every step.

    Character i of a level that is updated in every n-th step is moved in one step of n, the same for all that leave
    the same remainder i modulo n.
    """

    steps: int = 0
    waited: dict[tuple[int, int], float] = field(default_factory=dict)

    def next(self, detail: Sequence[Level], dt: float) -> list[tuple[int, int, float]]:
        """Advance the schedule by one step.

        ``dt`` is how long the step is, seconds. Returns of every level its number, the remainder of those that are
        moved, and the seconds since they were.
        """
        out = []
        for number, level in enumerate(detail):
            turn = self.steps % level.every
            for other in range(level.every):
                self.waited[number, other] = self.waited.get((number, other), 0.0) + dt
            out.append((number, turn, self.waited.pop((number, turn))))
        self.steps += 1
        return out


def level_at(distances: Float[np.ndarray, " characters"], limits: Sequence[float | int]) -> Numbers:
    """The level of detail for distances from a camera; ``limits`` are where the next level begins, rising. Metres."""
    return np.searchsorted(np.asarray(limits, dtype=np.float64), distances, side="right")
