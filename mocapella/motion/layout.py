"""Dof layouts: a pose as a row of numbers that can be added, averaged and analysed.

A row holds the rotations of all joints in the skeleton's order, then four root dofs: height above the ground (m),
travel ahead and to the left (m/s, in the character's own heading) and yaw rate (rad/s, left positive). The root's
rotation is written without its heading, as a tilt; the heading is the integral of the yaw rate.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import MotionError
from mocapella.geometry import euler, quaternions
from mocapella.geometry.angles import TURN, difference
from mocapella.motion.skeleton import Skeleton

HEIGHT, AHEAD, LEFT, YAW_RATE = -4, -3, -2, -1  # columns, counted from the end of a row
_ROOT_DOFS = ("height", "ahead", "left", "yaw_rate")
N_ROOT_DOFS = len(_ROOT_DOFS)
_ROOT_ORDER = "YXZ"  # the heading first, so that turning a character changes no joint's height

REFLECTION = np.array([1.0, 1.0, -1.0, -1.0])  # a quaternion in a mirror square to x
_ROOT_REFLECTION = np.array([1.0, 1.0, -1.0, -1.0])  # height and travel ahead stay, left becomes right

_NO_ROTATION = 0.1  # the length of a quaternion; what blends and sums make of unit ones is far longer

Rows = Float[np.ndarray, "*batch dofs"]
Frames = Float[np.ndarray, "frames dofs"]
Reference = Float[np.ndarray, " dofs"]
Rotations = Float[np.ndarray, "frames joints 4"]
_Moves = Float[np.ndarray, "*batch moves"]


@dataclass(frozen=True, eq=False, repr=False)
class Layout(ABC):
    """How the rotations of a skeleton's joints are written as dofs."""

    skeleton: Skeleton
    kind: ClassVar[str]

    @property
    @abstractmethod
    def rotation_names(self) -> tuple[str, ...]:
        """The names of the dofs that make rotations, ``"LeftUpLeg.x"``, in the order of the columns."""

    @abstractmethod
    def rotation_dofs(self, rotations_wxyz: Rotations) -> Float[np.ndarray, "frames rotation_dofs"]:
        """The dofs of rotations over time, continuous from frame to frame; the root is given as a tilt."""

    @abstractmethod
    def rotations(self, dofs: Rows) -> Float[np.ndarray, "*batch joints 4"]:
        """The unit rotations that dofs stand for; the root's is a tilt."""

    def planes(self, columns: Float[np.ndarray, "dofs poses"]) -> Float[np.ndarray, "4 joints poses"]:
        """The unit rotations that dofs stand for, component by component, with the poses last."""
        return self.rotations(columns.T).transpose(2, 1, 0)

    def unturned(self, dofs: Float[np.ndarray, " dofs"]) -> Int[np.ndarray, " members"]:
        """The joints for which dofs, or their quadratic means over a cycle, stand for no rotation at all."""
        return np.zeros(0, dtype=np.intp)

    @abstractmethod
    def displacement(self, start: Rows, goal: Rows) -> _Moves:
        """The displacement from ``start`` to ``goal``, the shorter way round; can be scaled and added."""

    @abstractmethod
    def displaced(self, dofs: Rows, by: _Moves) -> Rows:
        """The dofs moved by displacements, whose leading axes may broadcast."""

    @abstractmethod
    def matched(self, dofs: Frames, reference: Reference) -> Frames:
        """The same motion, written so that its mean lies as near to ``reference`` as the layout allows."""

    def common_reference(self, means: Float[np.ndarray, "motions dofs"]) -> Float[np.ndarray, " dofs"]:
        """The mean of several motions' mean dofs, written alike: a reference for ``matched``."""
        common = means[0]
        for _ in range(3):  # the mean of matched motions is a better reference than the first motion
            common = np.mean([self.matched(mean[None], common)[0] for mean in means], axis=0)
        return np.asarray(self.matched(common[None], means[0])[0])

    @abstractmethod
    def reflected(self, dofs: Frames, pairs: Int[np.ndarray, " joints"]) -> Frames:
        """The motion mirrored left to right; ``pairs`` names each joint's counterpart."""

    @abstractmethod
    def columns(self, joint: int) -> slice:
        """The columns that make the rotation of a joint."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all dofs, in the order of the columns."""
        return (*self.rotation_names, *_ROOT_DOFS)

    @property
    def n_dofs(self) -> int:
        """How many numbers make a row."""
        return len(self.names)

    def index(self, name: str) -> int:
        """The column of a dof."""
        try:
            return self._indices[name]
        except KeyError:
            near = difflib.get_close_matches(name, self.names, n=4, cutoff=0.3) or self.names[:4]
            raise MotionError(
                f"no dof {name!r} among the {self.n_dofs} of the {self.kind} layout; did you mean {', '.join(near)}?"
            ) from None

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def same_as(self, other: Layout) -> bool:
        """Whether rows of one can be mixed with rows of the other."""
        return self.kind == other.kind and self.skeleton.same_as(other.skeleton)

    def dofs(self, rotations_wxyz: Rotations, root: Float[np.ndarray, "frames 4"]) -> Frames:
        """Rows of dofs from rotations (the root's a tilt) and the root's height, travel and yaw rate."""
        return np.concatenate([self.rotation_dofs(rotations_wxyz), root], axis=-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_dofs} dofs, {self.skeleton!r})"


class QuaternionLayout(Layout):
    """Four dofs a joint, the components of its quaternion: no singular angles, continuous signs."""

    kind: ClassVar[str] = "quaternion"

    @property
    def rotation_names(self) -> tuple[str, ...]:
        """The names of the dofs that make rotations: joint and component."""
        return tuple(f"{joint}.{component}" for joint in self.skeleton.names for component in "wxyz")

    def columns(self, joint: int) -> slice:
        """The four columns of a joint's quaternion."""
        return slice(4 * joint, 4 * joint + 4)

    def rotation_dofs(self, rotations_wxyz: Rotations) -> Float[np.ndarray, "frames rotation_dofs"]:
        """Quaternion components with continuous signs; the mean of ``w`` over the frames is not negative."""
        continuous = quaternions.unroll(rotations_wxyz)
        negative = continuous[..., 0].sum(axis=0) < 0.0
        return np.where(negative[:, None], -continuous, continuous).reshape(len(continuous), -1)

    def rotations(self, dofs: Rows) -> Float[np.ndarray, "*batch joints 4"]:
        """Components brought to length one; all of them zero is no rotation at all, taken as the identity."""
        turns = self._quaternions(dofs)
        lengths = np.sqrt(np.vecdot(turns, turns))
        return turns / lengths[..., None] if np.count_nonzero(lengths) == lengths.size else quaternions.normalise(turns)

    def unturned(self, dofs: Float[np.ndarray, " dofs"]) -> Int[np.ndarray, " members"]:
        """The joints whose quaternions are all but zero."""
        return np.flatnonzero(np.linalg.norm(self._quaternions(dofs), axis=-1) < _NO_ROTATION)

    def planes(self, columns: Float[np.ndarray, "dofs poses"]) -> Float[np.ndarray, "4 joints poses"]:
        """Components brought to length one, plane by plane."""
        turns = columns[:-N_ROOT_DOFS].reshape(self.skeleton.n_joints, 4, -1).swapaxes(0, 1).copy()
        lengths = np.sqrt(np.add.reduce(turns * turns))
        if np.count_nonzero(lengths) < lengths.size:
            return super().planes(columns)
        turns /= lengths
        return turns

    def displacement(self, start: Rows, goal: Rows) -> _Moves:
        """Half the rotation vector from one to the other in each joint's own frame, then plain differences."""
        apart = quaternions.seen_from(self._quaternions(start), self._quaternions(goal))
        halves = quaternions.log(quaternions.shortest(apart))
        moves = goal[..., -N_ROOT_DOFS:] - start[..., -N_ROOT_DOFS:]
        return np.concatenate([halves.reshape(*halves.shape[:-2], -1), moves], axis=-1)

    def displaced(self, dofs: Rows, by: _Moves) -> Rows:
        """Each joint turned on in its own frame; the root's tilt is kept free of heading."""
        turns = quaternions.exp(by[..., :-N_ROOT_DOFS].reshape(*by.shape[:-1], self.skeleton.n_joints, 3))
        turned = quaternions.multiply(self._quaternions(dofs), turns)
        heading = quaternions.about_y(-quaternions.yaw(turned[..., 0, :]))
        turned[..., 0, :] = quaternions.multiply(heading, turned[..., 0, :])
        moved = dofs[..., -N_ROOT_DOFS:] + by[..., -N_ROOT_DOFS:]
        return np.concatenate([turned.reshape(*turned.shape[:-2], -1), moved], axis=-1)

    def matched(self, dofs: Frames, reference: Reference) -> Frames:
        """Whole joints with their signs changed where that brings their mean nearer."""
        mean, goal = self._quaternions(dofs.mean(axis=0)), self._quaternions(reference)
        signs = np.where(np.einsum("jc,jc->j", mean, goal) < 0.0, -1.0, 1.0)
        return np.asarray(dofs * np.concatenate([np.repeat(signs, 4), np.ones(N_ROOT_DOFS)]))

    def reflected(self, dofs: Frames, pairs: Int[np.ndarray, " joints"]) -> Frames:
        """Counterparts exchanged, turns about the vertical and the line of sight reversed; signs stay as they are."""
        seen = self._quaternions(dofs)[:, pairs] * REFLECTION
        return np.concatenate([seen.reshape(len(dofs), -1), dofs[:, -N_ROOT_DOFS:] * _ROOT_REFLECTION], axis=-1)

    def _quaternions(self, dofs: Rows) -> Float[np.ndarray, "*batch joints 4"]:
        return dofs[..., :-N_ROOT_DOFS].reshape(*dofs.shape[:-1], self.skeleton.n_joints, 4)


class EulerLayout(Layout):
    """Three angles a joint, in the order and frame in which its file states them; two for the root's tilt.

    Orders that leave axes out are completed, so that every rotation has angles. The root's order is YXZ, its Y angle is
    the heading and therefore no dof. Angles can leap near singular ones; the quaternion layout has no such places.
    """

    kind: ClassVar[str] = "euler"

    @cached_property
    def orders(self) -> tuple[str, ...]:
        """The full rotation order of every joint."""
        orders = self.skeleton.rotation_orders[1:]
        return (_ROOT_ORDER, *(euler.complete(order) if order else "XYZ" for order in orders))

    @property
    def rotation_names(self) -> tuple[str, ...]:
        """The names of the dofs that make rotations: joint and axis."""
        pairs = zip(self.skeleton.names, self.orders, strict=True)
        letters = [(name, i, order) for name, order in pairs for i in range(3)]
        # An order such as ZXZ turns about one axis twice; the second time is told apart by a prime.
        return tuple(f"{name}.{order[i].lower()}" + "'" * order[:i].count(order[i]) for name, i, order in letters)[1:]

    def columns(self, joint: int) -> slice:
        """The columns of a joint's angles, in its order; the root's are its X and Z angles."""
        return slice(max(3 * joint - 1, 0), 3 * joint + 2)

    @cached_property
    def _by_order(self) -> Mapping[str, list[int]]:
        return {name: [j for j, order in enumerate(self.orders) if order == name] for name in set(self.orders)}

    @cached_property
    def _axes(self) -> Float[np.ndarray, "joints 4"]:
        axes = np.array(self.skeleton.axes_wxyz)
        axes[0] = quaternions.IDENTITY  # the root's tilt is stated in the world's axes
        return axes

    def rotation_dofs(self, rotations_wxyz: Rotations) -> Float[np.ndarray, "frames rotation_dofs"]:
        """Angles that are continuous from frame to frame, their means within half a turn of zero."""
        axes = self._axes
        local = quaternions.seen_from(axes, quaternions.multiply(rotations_wxyz, axes))
        angles = np.empty((*rotations_wxyz.shape[:-1], 3))
        for order, joints in self._by_order.items():
            angles[:, joints] = euler.unroll(euler.from_quaternion(local[:, joints], order), order)
        angles -= TURN * np.round(angles.mean(axis=0) / TURN)
        return angles.reshape(len(angles), -1)[:, 1:]

    def rotations(self, dofs: Rows) -> Float[np.ndarray, "*batch joints 4"]:
        """The rotations of the angles; any angles make some."""
        flat = dofs[..., :-N_ROOT_DOFS]
        angles = np.concatenate([np.zeros((*flat.shape[:-1], 1)), flat], axis=-1)
        angles = angles.reshape(*flat.shape[:-1], self.skeleton.n_joints, 3)
        local = np.empty((*angles.shape[:-1], 4))
        for order, joints in self._by_order.items():
            local[..., joints, :] = euler.to_quaternion(angles[..., joints, :], order)
        axes = self._axes
        return quaternions.multiply(axes, quaternions.multiply(local, quaternions.conjugate(axes)))

    def displacement(self, start: Rows, goal: Rows) -> _Moves:
        """Differences, those of angles by the shorter way round."""
        out = goal - start
        out[..., :-N_ROOT_DOFS] = difference(goal[..., :-N_ROOT_DOFS], start[..., :-N_ROOT_DOFS])
        return np.asarray(out)

    def displaced(self, dofs: Rows, by: _Moves) -> Rows:
        """Angles and all else with the displacements added."""
        return np.asarray(dofs + by)

    def reflected(self, dofs: Frames, pairs: Int[np.ndarray, " joints"]) -> Frames:
        """Counterparts exchanged; left and right may state their angles in frames of their own."""
        seen = self.rotations(dofs)[:, pairs] * REFLECTION
        return np.concatenate([self.rotation_dofs(seen), dofs[:, -N_ROOT_DOFS:] * _ROOT_REFLECTION], axis=-1)

    def matched(self, dofs: Frames, reference: Reference) -> Frames:
        """Joints brought to the nearer one of a rotation's two sets of angles, give or take whole turns."""
        out = np.array(dofs)
        for joint, order in enumerate(self.orders):
            at = self.columns(joint)
            angles, goal = dofs[:, at], reference[at]
            choices = [angles, euler.other_set(angles, order)] if joint > 0 else [angles]
            near = [choice - TURN * np.round((choice.mean(axis=0) - goal) / TURN) for choice in choices]
            out[:, at] = min(near, key=lambda choice: float(np.abs(choice.mean(axis=0) - goal).sum()))
        return out


LAYOUTS: Mapping[str, type[Layout]] = {layout.kind: layout for layout in (QuaternionLayout, EulerLayout)}


def layout_of(kind: str, skeleton: Skeleton) -> Layout:
    """The dof layout of a skeleton by its name. ``kind`` is ``"quaternion"`` or ``"euler"``."""
    try:
        return LAYOUTS[kind](skeleton)
    except KeyError:
        raise MotionError(f"no dof layout {kind!r}; there are {', '.join(LAYOUTS)}") from None
