"""The two chains of joints from the root to the feet: all of a skeleton that travelling needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from mocapella.analysis.feet import foot_points, leg_roles
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import Layout
from mocapella.motion.part import Part
from mocapella.motion.skeleton import Skeleton
from mocapella.playback import single
from mocapella.playback.single import Quaternion, Vector


@dataclass(frozen=True)
class Leg:
    """A chain from the root down to the ankle, whose foot carries a heel and a toe.

    The toe is the ball of the foot: it and the heel do not move against the ankle, whatever the toes do.
    """

    joints: tuple[int, ...]  # from below the root to the ankle
    offsets: tuple[Vector, ...]  # theirs, metres
    hip: int  # places within ``joints``
    knee: int
    heel: Vector  # from the ankle, in its frame
    toe: Vector
    heel_height: float  # above the ground when the foot stands flat, metres
    toe_height: float
    toe_joint: int | None = None  # of toes that bend against the foot
    tip: Vector | None = None  # of the toes, from their joint
    tip_height: float = 0.0

    @cached_property
    def flat_length(self) -> float:
        """From heel to toe over the ground when the foot stands flat, metres."""
        length = single.length(single.minus(self.toe, self.heel))
        return math.sqrt(max(length**2 - (self.heel_height - self.toe_height) ** 2, 0.0))

    @cached_property
    def length(self) -> float:
        """From hip to ankle with the knee straight, metres."""
        parts = self.offsets[self.hip + 1 :]
        knee = self.knee - self.hip
        return _reach(parts[:knee]) + _reach(parts[knee:])

    def pose(
        self, root: Vector, root_turn: Quaternion, turns: list[list[float]]
    ) -> tuple[list[Vector], list[Quaternion]]:
        """Places and world rotations of the chain's joints, for one pose given by its local rotations."""
        place, turn = root, root_turn
        places, world = [], []
        for joint, offset in zip(self.joints, self.offsets, strict=True):
            place = single.add(place, single.rotate(turn, offset))
            turn = single.multiply(turn, tuple(turns[joint]))  # type: ignore[arg-type]
            places.append(place)
            world.append(turn)
        return places, world


def legs_of(skeleton: Skeleton) -> tuple[Leg, Leg]:
    """The left and the right leg of a skeleton; an error says which joints are missing."""
    roles = leg_roles(skeleton)
    _, points, heights = foot_points(skeleton, roles)
    rest = skeleton.rest_positions
    legs = []
    for i, side in enumerate(FEET):
        ankle = roles[f"{side}_ankle"]
        chain = skeleton.path(ankle)[-2::-1]  # the root itself left out
        toe_joint = roles.get(f"{side}_toe", ankle)
        toe = rest[toe_joint] - rest[ankle] + points[2 * i + 1]
        tip, tip_height = _tip(skeleton, toe_joint, ankle, float(heights[2 * i + 1]))
        legs.append(
            Leg(
                joints=tuple(chain),
                offsets=tuple(_vector(skeleton.offsets[joint]) for joint in chain),
                hip=chain.index(roles[f"{side}_hip"]),
                knee=chain.index(roles[f"{side}_knee"]),
                heel=_vector(points[2 * i]),
                toe=_vector(toe),
                heel_height=float(heights[2 * i]),
                toe_height=float(heights[2 * i + 1]),
                toe_joint=toe_joint if tip is not None else None,
                tip=tip,
                tip_height=tip_height,
            )
        )
    if len(legs[0].joints) != len(legs[1].joints):
        raise MotionError("the two legs hang on the root by different numbers of joints, so they cannot be led alike")
    return legs[0], legs[1]


def _tip(skeleton: Skeleton, toe: int, ankle: int, toe_height: float) -> tuple[Vector | None, float]:
    """The tip of the toes from their joint, and how high it is over a flat sole; None where toes do not bend."""
    ends = skeleton.end_offsets[skeleton.end_joints == toe]
    if toe == ankle or skeleton.parents[toe] != ankle or len(ends) == 0:
        return None, 0.0
    foremost = ends[int(np.argmax(ends[:, 2]))]
    return _vector(foremost), max(toe_height + float(foremost[1]), 0.0)


@dataclass(frozen=True, eq=False)
class LegDofs:
    """The dofs of a layout that move the legs, and how to read foot points from them."""

    columns: Int[np.ndarray, " some"]
    layout: Layout  # of a skeleton that is nothing but root and legs
    chains: Int[np.ndarray, "2 depth"]  # the joints of each leg in that skeleton
    points: Float[np.ndarray, "2 2 3 1"]  # heel and toe of each
    offsets: Float[np.ndarray, "depth 2 1 3 1"]
    soles: Float[np.ndarray, " 4"]  # heights of the foot points when the feet stand flat

    @classmethod
    def of(cls, layout: Layout, legs: tuple[Leg, Leg]) -> LegDofs:
        """The legs' part of a layout."""
        part = Part.of(layout, (leg.joints[-1] for leg in legs))
        return cls(
            columns=part.columns,
            layout=part.layout,
            chains=np.array([[part.index(joint) for joint in leg.joints] for leg in legs]),
            points=np.array([[leg.heel, leg.toe] for leg in legs])[..., None],
            offsets=np.array([leg.offsets for leg in legs]).transpose(1, 0, 2)[:, :, None, :, None].copy(),
            soles=np.array([height for leg in legs for height in (leg.heel_height, leg.toe_height)]),
        )

    def feet(self, dofs: Float[np.ndarray, "some poses"]) -> Float[np.ndarray, "4 3 poses"]:
        """Where ``FOOT_POINTS`` are, seen from the root joint, in axes that turn with the heading but do not tilt."""
        turns = self.layout.matrices(dofs)
        points = self.points
        for k in range(self.chains.shape[1] - 1, -1, -1):
            points = np.einsum("lijs,lpjs->lpis", turns[self.chains[:, k]], points) + self.offsets[k]
        points = np.einsum("ijs,lpjs->lpis", turns[0], points)
        return np.asarray(points).reshape(4, 3, -1)


def _reach(offsets: tuple[Vector, ...]) -> float:
    """How far the end of a rod of several pieces is from its start, at rest."""
    x, y, z = (sum(values) for values in zip(*offsets, strict=True))
    return single.length((x, y, z))


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z
