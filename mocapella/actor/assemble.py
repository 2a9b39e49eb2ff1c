"""From feet, pelvis, trunk and arms to the joint rotations of a clip: legs by inverse kinematics."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.actor.feet import FootMotion
from mocapella.actor.pelvis import Pelvis
from mocapella.geometry import limbs, quaternions
from mocapella.motion.skeleton import Skeleton

DOWN, SIDEWAYS = np.array([0.0, -1.0, 0.0]), np.array([1.0, 0.0, 0.0])
_KNEE_FOLLOWS_FOOT = 0.75  # the rest of a turn between pelvis and foot is left to the ankle


def stand_on(
    local_wxyz: Float[np.ndarray, "times joints 4"],
    skeleton: Skeleton,
    pelvis: Pelvis,
    feet: tuple[FootMotion, FootMotion],
) -> None:
    """Write the root and the legs, so that the feet are where they were planned."""
    local_wxyz[:, 0] = pelvis.rotations_wxyz
    sideways = quaternions.rotate(pelvis.rotations_wxyz, SIDEWAYS)
    for side, foot in zip(("Left", "Right"), feet, strict=True):
        hip, knee, ankle, toe = (skeleton.index(side + name) for name in ("UpLeg", "Leg", "Foot", "ToeBase"))
        start = pelvis.positions + quaternions.rotate(pelvis.rotations_wxyz, skeleton.offsets[hip])
        foot_sideways = quaternions.rotate(foot.rotations_wxyz, SIDEWAYS)
        hinge = sideways + _KNEE_FOLLOWS_FOOT * (foot_sideways - sideways)
        upper, lower = -float(skeleton.offsets[knee, 1]), -float(skeleton.offsets[ankle, 1])
        first, second, axis = limbs.bend(start, foot.ankles, hinge, upper, lower)
        thigh = limbs.turned_to(first, axis, DOWN, SIDEWAYS)
        shank = limbs.turned_to(second, axis, DOWN, SIDEWAYS)
        local_wxyz[:, hip] = quaternions.multiply(quaternions.conjugate(pelvis.rotations_wxyz), thigh)
        local_wxyz[:, knee] = quaternions.multiply(quaternions.conjugate(thigh), shank)
        local_wxyz[:, ankle] = quaternions.multiply(quaternions.conjugate(shank), foot.rotations_wxyz)
        local_wxyz[:, toe] = quaternions.from_rotvec(foot.toe_bends[:, None] * SIDEWAYS)
