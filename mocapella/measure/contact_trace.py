"""Contact traces: the way a foot goes under a character that walks on the spot while the foot rests on the ground.

Travel and heading of the root are left out, its tilt is kept: places are seen from the root's projection on the ground,
in axes locked to its heading (thesis, section 7.7.1). A planted foot then runs backwards under the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Complex, Float

from mocapella.analysis.feet import leg_roles
from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import Layout
from mocapella.motion.part import Part

FootJoint = Literal["ankle", "toe"]
FOOT_JOINTS: tuple[FootJoint, ...] = ("ankle", "toe")

_BLOCK = 256  # points worked on together, few enough for the cache


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
