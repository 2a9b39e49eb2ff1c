"""Legs: the chains of joints from the root to the feet, and where heels and toes are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.errors import MotionError, Option, SkeletonError
from mocapella.geometry import quaternions, scalar
from mocapella.geometry.scalar import Quaternion, Vector
from mocapella.motion import kinematics
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import HEIGHT, Layout
from mocapella.motion.skeleton import ANOTHER_UNIT, Skeleton
from mocapella.rig.names import LEFT, RIGHT, Roles
from mocapella.rig.parts import Part
from mocapella.rig.roles import find_roles

HEEL_SHARE = 0.3  # of the length from the ankle to the tip of the toes: how far a heel without a point is behind it


def leg_roles(skeleton: Skeleton) -> Roles:
    """The joint of each role of a skeleton; ``MotionError`` where hip, knee or ankle of a leg is missing."""
    roles = find_roles(skeleton)
    missing = [f"{side}_{part}" for part in ("hip", "knee", "ankle") for side in FEET if f"{side}_{part}" not in roles]
    if missing:
        given = Option("roles", {missing[0]: "Bone.004"})
        raise MotionError(
            f"the skeleton has no {', '.join(missing)}, so its feet cannot be followed",
            helps=f"say which joints they are when the file is loaded: {given}",
            option=given,
        )
    return roles


_SHORTEST_LEG = 0.03  # metres; a body 7 cm tall


def leg_length(skeleton: Skeleton, roles: Roles) -> float:
    """Length of thigh and shank together, mean of both legs, in metres.

    ``roles`` map each role to its joint; hips, knees and ankles are needed. Raises ``SkeletonError`` for legs shorter
    than 3 cm: in bodies that small walking is not told from standing.
    """
    rest = skeleton.rest_positions
    chain = [[rest[roles[f"{side}_{part}"]] for part in ("hip", "knee", "ankle")] for side in FEET]
    leg = float(np.linalg.norm(np.diff(np.array(chain), axis=1), axis=-1).sum(axis=1).mean())
    if not leg >= _SHORTEST_LEG:
        raise SkeletonError(
            f"its legs, thigh and shank together, are {leg:.3g} m long, and {_SHORTEST_LEG:g} m is the least",
            helps=f"say in which unit the file is, such as {ANOTHER_UNIT}, or which joints are knees and ankles",
            option=ANOTHER_UNIT,
        )
    return leg


def foot_points(
    skeleton: Skeleton, roles: Roles
) -> tuple[np.ndarray, Float[np.ndarray, "4 3"], Float[np.ndarray, " 4"]]:
    """Where heels and toes are: joints, offsets and heights, in the order of ``FOOT_POINTS``.

    The toe is the toe joint (the ball of the foot) or, where there is none, the foremost end site of the ankle. The
    heel is an end site of the ankle that lies behind it; where there is none it is put behind the ankle and on the
    sole, which is as low as the lowest point of the foot at rest. A foot of which only the ankle is known has both
    there.

    Offsets are metres from the joint that the point belongs to, heights metres above a flat sole. The ankles must be
    among the ``roles``.
    """
    joints, offsets, thickness = [], [], []
    for side in FEET:
        ankle = roles[f"{side}_ankle"]
        at = skeleton.rest_positions[ankle]
        below = [joint for joint in range(skeleton.n_joints) if ankle in skeleton.path(joint)]
        on_foot = np.isin(skeleton.end_joints, below)
        members = np.concatenate([skeleton.rest_positions[below], skeleton.rest_end_positions[on_foot]]) - at
        sole, length = members[:, 1].min(), members[:, 2].max()
        ends = skeleton.end_offsets[skeleton.end_joints == ankle]
        behind = ends[ends[:, 2] < 0.0]
        heel = behind[np.argmin(behind[:, 2])] if len(behind) else np.array([0.0, sole, -HEEL_SHARE * length])
        toe_joint = roles.get(f"{side}_toe", ankle)
        if toe_joint != ankle:
            toe, toe_height = np.zeros(3), members[below.index(toe_joint), 1]
        else:
            toe = ends[np.argmax(ends[:, 2])] if len(ends) else np.zeros(3)
            toe_height = toe[1]
        joints += [ankle, toe_joint]
        offsets += [heel, toe]
        thickness += [heel[1] - sole, toe_height - sole]
    return np.array(joints), np.array(offsets), np.array(thickness)


Rows = slice | list[int]


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
    hinge: Vector = (1.0, 0.0, 0.0)  # the axis that the knee bends about, in the frame of the hip joint

    @cached_property
    def flat_length(self) -> float:
        """From heel to toe over the ground when the foot stands flat, metres."""
        length = scalar.length(scalar.minus(self.toe, self.heel))
        return math.sqrt(max(length**2 - (self.heel_height - self.toe_height) ** 2, 0.0))

    @cached_property
    def tip_length(self) -> float:
        """From the joint of the toes to their tip, metres."""
        return 0.0 if self.tip is None else scalar.length(self.tip)

    @cached_property
    def across(self) -> Vector:
        """The direction to the right of the foot, in its own frame, which lies flat at rest.

        A foot of which only the ankle is known, heel and toe in one place, faces +z.
        """
        x, _, z = scalar.minus(self.toe, self.heel)
        size = math.hypot(x, z)
        if size == 0.0:
            return -1.0, 0.0, 0.0
        return -z / size, 0.0, x / size

    @cached_property
    def ankle_share(self) -> float:
        """How far along the sole, from heel (0) to toe (1), the ankle is; 0 for a foot of no length."""
        sole = scalar.minus(self.toe, self.heel)
        size = scalar.dot(sole, sole)
        return -scalar.dot(self.heel, sole) / size if size > 0.0 else 0.0

    @cached_property
    def length(self) -> float:
        """From hip to ankle with the knee straight, metres."""
        parts = self.offsets[self.hip + 1 :]
        knee = self.knee - self.hip
        return _reach(parts[:knee]) + _reach(parts[knee:])

    def pose(
        self, root: Vector, root_turn: Quaternion, turns: list[list[float]]
    ) -> tuple[list[Vector], list[Quaternion]]:
        """World positions and rotations of the chain's joints, for one pose given by its local rotations."""
        links, local = enumerate(self.offsets), [turns[joint] for joint in self.joints]
        places, world = kinematics.place_joints(links, root, root_turn, local)
        return places[1:], world[1:]


def legs_of(skeleton: Skeleton) -> tuple[Leg, Leg]:
    """The left and the right leg of a skeleton.

    Raises ``MotionError`` where roles are missing, the legs have different numbers of joints, or no length.
    """
    roles = leg_roles(skeleton)
    leg_length(skeleton, roles)  # refuses legs of no length
    _, points, heights = foot_points(skeleton, roles)
    rest = skeleton.rest_positions
    legs = []
    for i, side in enumerate(FEET):
        ankle = roles[f"{side}_ankle"]
        chain = skeleton.path(ankle)[-2::-1]  # the root itself left out
        toe_joint = roles.get(f"{side}_toe", ankle)
        tip, tip_height = _tip(skeleton, toe_joint, ankle, float(heights[2 * i + 1]))
        leg = Leg(
            joints=tuple(chain),
            offsets=tuple(_vector(skeleton.offsets[joint]) for joint in chain),
            hip=chain.index(roles[f"{side}_hip"]),
            knee=chain.index(roles[f"{side}_knee"]),
            heel=_vector(points[2 * i]),
            toe=_vector(rest[toe_joint] - rest[ankle] + points[2 * i + 1]),
            heel_height=float(heights[2 * i]),
            toe_height=float(heights[2 * i + 1]),
            toe_joint=toe_joint if tip is not None else None,
            tip=tip,
            tip_height=tip_height,
        )
        legs.append(leg)
    if len(legs[0].joints) != len(legs[1].joints):
        raise MotionError("the two legs hang on the root by different numbers of joints, so they cannot be led alike")
    return legs[0], legs[1]


def _tip(skeleton: Skeleton, toe: int, ankle: int, toe_height: float) -> tuple[Vector | None, float]:
    """The tip of the toes from their joint, and its height over a flat sole; None where toes do not bend."""
    ends = skeleton.end_offsets[skeleton.end_joints == toe]
    if toe == ankle or skeleton.parents[toe] != ankle or len(ends) == 0:
        return None, 0.0
    foremost = ends[int(np.argmax(ends[:, 2]))]
    return _vector(foremost), max(toe_height + float(foremost[1]), 0.0)


@dataclass(frozen=True, eq=False)
class LegDofs:
    """The dofs of a layout that move the legs, and the positions of foot points from them."""

    columns: Int[np.ndarray, " some"]
    layout: Layout  # of a skeleton that is nothing but root and legs
    links: tuple[Rows, ...]  # both legs' joints there, from below the root to the feet
    reach: Float[np.ndarray, "parts 12"]  # what squares of all world rotations, then the root's height, make of feet
    soles: Float[np.ndarray, " 4"]  # heights of the foot points when the feet stand flat
    _sampling: dict[tuple[int, int], Int[np.ndarray, "some parts"]] = field(default_factory=dict)

    @classmethod
    def of(cls, layout: Layout, legs: tuple[Leg, Leg]) -> LegDofs:
        """The legs' part of a layout."""
        part = Part.of(layout, (leg.joints[-1] for leg in legs))
        links: list[Rows] = []
        for left, right in zip(legs[0].joints, legs[1].joints, strict=True):
            first, last = part.index(left), part.index(right)
            links.append(slice(first, last + 1) if last == first + 1 else [first, last])  # a view, where there is one
        return cls(
            columns=part.columns,
            layout=part.layout,
            links=tuple(links),
            reach=_reach_of(legs),
            soles=np.array([height for leg in legs for height in (leg.heel_height, leg.toe_height)]),
        )

    def sampling(self, n_harmonics: int, n_dofs: int) -> Int[np.ndarray, "some parts"]:
        """Indices of the legs' coefficients among real and imaginary parts of all, one after the other."""
        indices = self._sampling.get((n_harmonics, n_dofs))
        if indices is None:
            starts = np.arange(n_harmonics + 1)[:, None] * (2 * n_dofs) + np.arange(2)
            indices = self._sampling[n_harmonics, n_dofs] = starts.ravel() + 2 * self.columns[:, None]
        return indices

    def feet(self, dofs: Float[np.ndarray, "some poses"]) -> Float[np.ndarray, "poses 12"]:
        """Positions of ``FOOT_POINTS`` relative to the root joint, in axes that turn with the heading but do not tilt.

        For each pose first how far ahead and to the left each point is, by turns, so that they can be viewed as complex
        numbers; then the height of each, the root's own height added. Metres.
        """
        turns, (n_parts, _), n_poses = self.layout.planes(dofs), self.reach.shape, dofs.shape[1]
        n_levels = 1 + len(self.links)
        world = np.empty((n_levels, 4, 2, n_poses))
        world[0] = turns[:, :1]
        for i, rows in enumerate(self.links):
            quaternions.compose(world[i], turns[:, rows], out=world[i + 1])
        parts = np.empty((n_parts, n_poses))
        quaternions.squares(world, out=parts[:-1].reshape(n_levels, -1, 2, n_poses))
        parts[-1] = dofs[HEIGHT]
        return np.asarray(parts.T.dot(self.reach))


@lru_cache(maxsize=32)
def leg_dofs(layout: Layout) -> LegDofs:
    """The part of a layout that moves the legs; cached."""
    return LegDofs.of(layout, legs_of(layout.skeleton))


def _reach_of(legs: tuple[Leg, Leg]) -> Float[np.ndarray, "parts 12"]:
    """The matrix that makes positions of heels and toes of ``squares`` of world rotations, root and both legs.

    Each offset on the way is rotated by the joint it hangs on, heel and toe by the foot. The last row is for the height
    of the root, which is added to all.
    """
    reach = np.zeros((12, 1 + len(legs[0].joints), 10, 2))
    for side, leg in enumerate(legs):
        for point, end in ((2 * side, leg.heel), (2 * side + 1, leg.toe)):
            for level, vector in enumerate((*leg.offsets, end)):
                left, up, ahead = quaternions.turning(np.array(vector))
                reach[[2 * point, 2 * point + 1, 8 + point], level, :, side] = ahead, left, up
    return owned(np.concatenate([reach.reshape(12, -1).T, [[0.0] * 8 + [1.0] * 4]]))


def _reach(offsets: tuple[Vector, ...]) -> float:
    """The distance from start to end of a chain of offsets, at rest."""
    x, y, z = (sum(values) for values in zip(*offsets, strict=True))
    return scalar.length((x, y, z))


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z


def hip_angles(cycle: Cycle) -> Float[np.ndarray, "frames 2"]:
    """How far the thighs are swung forward in the pelvis's frame.

    Returns left and right, radians, continuous. Raises ``MotionError`` where the skeleton has no hip or knee.
    """
    roles = find_roles(cycle.skeleton)
    rotations = cycle.rotations_wxyz
    angles = []
    for side in (LEFT, RIGHT):
        if side + "hip" not in roles or side + "knee" not in roles:
            raise MotionError(f"synchronising by the hips needs the role {side}hip and {side}knee; name these joints")
        hip, knee = roles[side + "hip"], roles[side + "knee"]
        rest = cycle.skeleton.rest_positions[knee] - cycle.skeleton.rest_positions[hip]
        thigh = quaternions.rotate(rotations[:, hip], rest)
        angles.append(np.unwrap(np.arctan2(thigh[:, 2], -thigh[:, 1])))
    return np.stack(angles, axis=-1)
