"""The legs of a skeleton as a crowd needs them: joints by what becomes of them, numbers of both legs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocapella.crowd.vectors import Array
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.legs import Leg

HIPS, KNEES, ANKLES = slice(0, 2), slice(2, 4), slice(4, 6)  # where these of both legs are in ``Legs.joints``


@dataclass(frozen=True, eq=False)
class LegTable:
    """One leg of a skeleton: its joints by what becomes of them when it bends."""

    leg: Leg
    hip: int
    knee: int
    ankle: int
    above_knee: tuple[int, ...]  # joints from the hip to above the knee
    below_knee: tuple[int, ...]  # from the knee to above the ankle
    hanging: tuple[int, ...]  # all that hangs on the hip, those that carry others first

    @classmethod
    def of(cls, skeleton: Skeleton, leg: Leg) -> LegTable:
        """The leg of a skeleton."""
        chain = leg.joints
        hip = chain[leg.hip]
        hanging = [j for j in range(skeleton.n_joints) if j != hip and hip in skeleton.path(j)]
        upper, lower = chain[leg.hip : leg.knee], chain[leg.knee : -1]
        return cls(leg, hip, chain[leg.knee], chain[-1], tuple(upper), tuple(lower), tuple(hanging))

    @property
    def led(self) -> tuple[int, ...]:
        """The joints that bending turns, from hip to ankle."""
        return *self.above_knee, *self.below_knee, self.ankle


class Legs:
    """Both legs of a skeleton: their numbers side by side (…, feet, 1), and their joints in the order of their work."""

    def __init__(self, skeleton: Skeleton, legs: tuple[Leg, Leg]) -> None:
        self._measure(legs)
        self._measure_toes(legs)
        self._put_in_order(skeleton, legs)

    def _measure(self, legs: tuple[Leg, Leg]) -> None:
        # From ankles to heels and toes, and 1, by which a place is added: (feet, 1, ends, 4).
        self.ends = np.array([[[(*leg.heel, 1.0), (*leg.toe, 1.0)]] for leg in legs], dtype=np.float32)
        self.heights = np.stack([_beside(legs, name) for name in ("heel_height", "toe_height")], axis=1)
        self.hinge = _across(legs, "hinge")
        self.flat_length, self.ankle_share, self.length = (
            _beside(legs, name) for name in ("flat_length", "ankle_share", "length")
        )

    def _measure_toes(self, legs: tuple[Leg, Leg]) -> None:
        toed = [foot for foot, leg in enumerate(legs) if _has_toes(leg)]
        self.toed, self.toes = np.array(toed, dtype=np.intp), slice(ANKLES.stop, ANKLES.stop + len(toed))
        if toed:
            bending = tuple(legs[foot] for foot in toed)
            self.tip, self.across = _across(bending, "tip"), _across(bending, "across")
            self.tip_height, self.tip_length = _beside(bending, "tip_height"), _beside(bending, "tip_length")

    def _put_in_order(self, skeleton: Skeleton, legs: tuple[Leg, Leg]) -> None:
        """The joints of legs in the order of their work, by what becomes of them."""
        left, right = (LegTable.of(skeleton, leg) for leg in legs)
        toes = [leg.toe_joint for leg in legs if _has_toes(leg) and leg.toe_joint is not None]
        hanging, led = [*left.hanging, *right.hanging], {*left.led, *right.led}
        self.led = [joint for joint in hanging if joint in led]  # those below the hips, which bending turns
        self.loose = [joint for joint in hanging if joint not in led]  # those that move with a leg
        self.on_toes = [joint for joint in hanging if set(toes) & set(skeleton.path(joint)) - {joint}]
        pairs = [left.hip, right.hip, left.knee, right.knee, left.ankle, right.ankle, *toes]
        placed = {0, *hanging, *skeleton.path(left.ankle), *skeleton.path(right.ankle)}
        self.joints = [*pairs, *sorted(placed - set(pairs))]  # those that legs hang on, theirs, and those on them
        self.carrying = sorted(placed - {0} - set(self.loose))
        self.above_knee = self._slots(left.above_knee, right.above_knee)
        self.below_knee = self._slots(left.below_knee, right.below_knee)

    def _slots(self, *joints_of_feet: Sequence[int]) -> list[tuple[int, int]]:
        """Where joints are in ``joints``, each with its foot."""
        return [(self.joints.index(joint), foot) for foot, joints in enumerate(joints_of_feet) for joint in joints]


def _has_toes(leg: Leg) -> bool:
    return leg.tip is not None and leg.toe_joint is not None


def _beside(legs: Sequence[Leg], name: str) -> Array:
    """A number of legs, side by side: (feet, 1)."""
    return np.array([getattr(leg, name) for leg in legs], dtype=np.float32)[:, None]


def _across(legs: Sequence[Leg], name: str) -> Array:
    """A vector of each leg as a row that matrices are multiplied by: (feet, 1, 1, 3)."""
    return np.array([getattr(leg, name) for leg in legs], dtype=np.float32)[:, None, None]
