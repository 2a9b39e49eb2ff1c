"""Points of the body whose traces are measured: ankles, toe joints and end sites of the legs, and hands.

The thesis traces the end nodes of the legs (section 7.3.1) and says that hands are distorted as well (7.9.2). A hand
has no contact stage: it is traced while the foot of the other side is planted, when it swings back as that foot does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import Layout
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.legs import leg_roles
from mocapella.rig.names import Roles
from mocapella.rig.parts import Part

FootPoint = Literal["ankle", "toe", "end"]
TracedPoint = Literal["ankle", "toe", "end", "hand"]
FEET_TRACED: tuple[FootPoint, ...] = ("ankle", "toe", "end")
TRACED: tuple[TracedPoint, ...] = (*FEET_TRACED, "hand")

_BLOCK = 256  # motions worked on together, few enough for the cache

_Place = tuple[int, Float[np.ndarray, " 3"]]  # a joint, and an offset from it in metres


@dataclass(frozen=True, eq=False)
class Tracer:
    """Follows a point of the body through the contact stages of each foot, in motions that share a layout."""

    places: tuple[_Place, _Place]  # what is followed in stages of the left foot, and of the right
    parts: tuple[Part, Part]

    @classmethod
    def of(cls, layout: Layout | None, point: TracedPoint = "ankle") -> Tracer:
        """A tracer of a point; ``MotionError`` where motions make no pose, or their skeleton has no such point."""
        if point not in TRACED:
            raise MotionError(f"the points that are traced are {', '.join(TRACED)}; got {point!r}")
        if layout is None:
            raise MotionError("these spectra have no layout, so their feet cannot be traced")
        roles = leg_roles(layout.skeleton)
        sides = reversed(FEET) if point == "hand" else FEET
        left, right = (_place(layout.skeleton, roles, side, point) for side in sides)
        return cls((left, right), (Part.of(layout, [left[0]]), Part.of(layout, [right[0]])))

    def trace(
        self,
        foot: int,
        coefficients: Complex[np.ndarray, "points harmonics dofs"],
        starts: Float[np.ndarray, " points"],
        lengths: Float[np.ndarray, " points"],
        frames: int,
    ) -> Float[np.ndarray, "points frames 2"]:
        """Places (x, z) in ``frames`` even steps of one stance of a foot (0 left, 1 right) of each motion."""
        out = np.empty((len(coefficients), frames, 2))
        part, place = self.parts[foot], self.places[foot]
        along = np.linspace(0.0, 1.0, frames)
        for first in range(0, len(coefficients), _BLOCK):
            block = slice(first, first + _BLOCK)
            phases = starts[block, None] + lengths[block, None] * along
            out[block] = part.places(_synthesised(coefficients[block][..., part.columns], phases), *place)[..., ::2]
        return owned(out)


def _place(skeleton: Skeleton, roles: Roles, side: str, point: TracedPoint) -> _Place:
    """The joint of a point of one side, and the offset from it."""
    role = f"{side}_wrist" if point == "hand" else f"{side}_toe" if point == "toe" else f"{side}_ankle"
    if role not in roles:
        raise MotionError(f"the skeleton has no {role}; trace the ankles instead")
    joint = roles[role]
    if point in ("ankle", "toe"):
        return joint, np.zeros(3)
    below = [other for other in range(skeleton.n_joints) if joint in skeleton.path(other)]
    ends = np.flatnonzero(np.isin(skeleton.end_joints, below))
    places = [(other, np.zeros(3)) for other in below]
    places += [(int(skeleton.end_joints[end]), skeleton.end_offsets[end]) for end in ends]
    from_joint = np.array([skeleton.rest_positions[other] + offset for other, offset in places])
    from_joint -= skeleton.rest_positions[joint]
    far = from_joint[:, 2] if point == "end" else np.linalg.norm(from_joint, axis=1)  # heels are ends, too
    if point == "end" and len(places) == 1:
        raise MotionError(f"the skeleton ends with the {role}; trace the ankles instead")
    return places[int(np.argmax(far))]


def _synthesised(
    coefficients: Complex[np.ndarray, "points harmonics dofs"], phases: Float[np.ndarray, "points frames"]
) -> Float[np.ndarray, "points frames dofs"]:
    """The dofs of many motions, each at phases of its own."""
    turns = np.exp(1j * phases)[..., None]
    powers = np.cumprod(np.broadcast_to(turns, (*phases.shape, coefficients.shape[1] - 1)), axis=-1)
    waves = np.concatenate([np.ones_like(turns), 2.0 * powers], axis=-1)
    # Two real products: the imaginary half of the complex one would be thrown away.
    return np.asarray(waves.real @ coefficients.real - waves.imag @ coefficients.imag)
