"""Contact traces: the way a foot goes under a character that walks on the spot while the foot rests on the ground.

Travel and heading of the root are left out, its tilt is kept: places are seen from the root's projection on the ground,
in axes locked to its heading (thesis, section 7.7.1). A planted foot then runs backwards under the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Complex, Float

from mocapella.analysis.feet import leg_roles
from mocapella.arrays import owned
from mocapella.blending.contacts import paired
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET, TURN, CycleContacts
from mocapella.motion.layout import Layout
from mocapella.motion.part import Part

FootJoint = Literal["ankle", "toe"]
FOOT_JOINTS: tuple[FootJoint, ...] = ("ankle", "toe")

_SHORTEST = 0.02 * TURN  # radians; a plant below this is a flaw of the detection, not a step
_LONGEST = TURN - 1e-6  # a foot that never leaves the ground has no step either
_BLOCK = 256  # points worked on together, few enough for the cache


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


@dataclass(frozen=True, eq=False)
class Tracer:
    """Follows one joint of each foot through contact stages of motions that share a layout."""

    joints: tuple[int, int]  # left, right
    parts: tuple[Part, Part]

    @classmethod
    def of(cls, layout: Layout | None, joint: FootJoint = "ankle") -> Tracer:
        """A tracer of ankles, the thesis's foot nodes, or of toes.

        Raises
        ------
        MotionError
            Where the motions make no pose, or their skeleton has no such joints.
        """
        if joint not in FOOT_JOINTS:
            raise MotionError(f"feet are traced by their {' or '.join(FOOT_JOINTS)}, got {joint!r}")
        if layout is None:
            raise MotionError("these harmonics carry no layout, so there are no feet to follow")
        roles = leg_roles(layout.skeleton)
        missing = [f"{side}_{joint}" for side in FEET if f"{side}_{joint}" not in roles]
        if missing:
            raise MotionError(f"the skeleton has no {' and no '.join(missing)}; trace the ankles instead")
        left, right = (roles[f"{side}_{joint}"] for side in FEET)
        return cls((left, right), (Part.of(layout, [left]), Part.of(layout, [right])))

    def trace(
        self,
        foot: int,
        coefficients: Complex[np.ndarray, "points harmonics dofs"],
        starts: Float[np.ndarray, " points"],
        lengths: Float[np.ndarray, " points"],
        frames: int,
    ) -> Float[np.ndarray, "points frames 2"]:
        """Where a foot (0 left, 1 right) is on the ground (x, z) in ``frames`` even steps of one stance per motion."""
        out = np.empty((len(coefficients), frames, 2))
        part, joint = self.parts[foot], self.joints[foot]
        along = np.linspace(0.0, 1.0, frames)
        for first in range(0, len(coefficients), _BLOCK):
            block = slice(first, first + _BLOCK)
            phases = starts[block, None] + lengths[block, None] * along
            dofs = _synthesised(coefficients[block][..., part.columns], phases)
            out[block] = part.places(dofs, joint)[..., ::2]
        return owned(out)


def _synthesised(
    coefficients: Complex[np.ndarray, "points harmonics dofs"], phases: Float[np.ndarray, "points frames"]
) -> Float[np.ndarray, "points frames dofs"]:
    """The dofs of many motions, each at phases of its own."""
    turns = np.exp(1j * phases)[..., None]
    powers = np.cumprod(np.broadcast_to(turns, (*phases.shape, coefficients.shape[1] - 1)), axis=-1)
    waves = np.concatenate([np.ones_like(turns), 2.0 * powers], axis=-1)
    # Two real products: the imaginary half of the complex one would be thrown away.
    return np.asarray(waves.real @ coefficients.real - waves.imag @ coefficients.imag)
