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


class Legs:
    """Both legs of a skeleton: their numbers side by side (…, feet, 1), and their joints in the order of their work."""

    def __init__(self, skeleton: Skeleton, legs: tuple[Leg, Leg]) -> None:
        tables = [LegTable.of(skeleton, leg) for leg in legs]
        feet = range(len(tables))
        # From ankles to heels and toes, and 1, by which a place is added: (feet, 1, ends, 4).
        self.ends = np.array([[[(*leg.heel, 1.0), (*leg.toe, 1.0)]] for leg in legs], dtype=np.float32)
        self.heights = np.stack([_beside(legs, name) for name in ("heel_height", "toe_height")], axis=1)
        self.hinge = _across(legs, "hinge")
        self.flat_length, self.ankle_share, self.length = (
            _beside(legs, name) for name in ("flat_length", "ankle_share", "length")
        )
        toed = [foot for foot in feet if legs[foot].tip is not None and legs[foot].toe_joint is not None]
        own = tuple(legs[foot] for foot in toed)
        toes = [leg.toe_joint for leg in own if leg.toe_joint is not None]
        self.toed, self.toes = np.array(toed, dtype=np.intp), slice(ANKLES.stop, ANKLES.stop + len(toes))
        if toed:
            self.tip, self.across = _across(own, "tip"), _across(own, "across")
            self.tip_height, self.tip_length = _beside(own, "tip_height"), _beside(own, "tip_length")
        hanging = [joint for table in tables for joint in table.hanging]
        led = {j for table in tables for j in (*table.above_knee, *table.below_knee, table.ankle)}
        self.led = [joint for joint in hanging if joint in led]  # those below the hips, which bending turns
        self.loose = [joint for joint in hanging if joint not in led]  # those that move with a leg
        self.on_toes = [j for j in hanging if set(toes) & set(skeleton.path(j)) - {j}]
        pairs = [getattr(table, name) for name in ("hip", "knee", "ankle") for table in tables] + toes
        known = {j for leg in legs for j in skeleton.path(leg.joints[-1])} | set(hanging) | {0}
        self.joints = [*pairs, *sorted(known - set(pairs))]  # those that legs hang on, theirs, and those on them
        self.carrying = [joint for joint in sorted(known) if joint and joint not in self.loose]
        slot = self.joints.index
        self.above_knee = [(slot(joint), foot) for foot in feet for joint in tables[foot].above_knee]
        self.below_knee = [(slot(joint), foot) for foot in feet for joint in tables[foot].below_knee]


def _beside(legs: Sequence[Leg], name: str) -> Array:
    """A number of legs, side by side: (feet, 1)."""
    return np.array([getattr(leg, name) for leg in legs], dtype=np.float32)[:, None]


def _across(legs: Sequence[Leg], name: str) -> Array:
    """A vector of each leg as a row that matrices are multiplied by: (feet, 1, 1, 3)."""
    return np.array([getattr(leg, name) for leg in legs], dtype=np.float32)[:, None, None]
