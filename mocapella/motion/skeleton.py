"""Skeleton: a tree of joints; how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from mocapella.arrays import freeze, readonly
from mocapella.checks import counted, explained
from mocapella.errors import Option, SkeletonError
from mocapella.geometry import euler
from mocapella.geometry.quaternions import IDENTITY
from mocapella.geometry.scalar import Vector

NO_PARENT = -1  # parent of the root
_UNIT = 1e-6  # how far from 1 the length of a quaternion may be


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Skeleton:
    """Named joints in a tree, parents before children, with their rest offsets in metres.

    A joint's local rotation turns everything below it; in the rest pose all local rotations are the identity. What
    files say beyond that (rotation orders, Acclaim's axis frames, limits) is kept to be written back. ``Skeleton.of``
    makes one from names, parents and offsets alone.

    Parameters
    ----------
    names
        Of the joints, all different.
    parents
        Index of each joint's parent; −1 for the root, which comes first.
    offsets
        From the parent, in the parent's frame, metres; the root's is its place in the rest pose.
    end_joints, end_offsets
        End sites: the joint that each hangs on, and its offset from it, metres.
    rotation_orders
        Of each joint's angles in files, as ``geometry.euler`` reads them; "" for a joint that never turns.
    axes_wxyz
        The frames in which a file states the joints' angles.
    limits
        Radians, least and most about x, y, z of these frames; ±inf where free.
    role_names
        Role → joint name, where the user's roles replace those that would be inferred.
    binding
        The skeleton of the file, where joints or axes were changed on reading.

    Examples
    --------
    >>> arm = Skeleton.of(["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]], ends={"elbow": [0.25, 0, 0]})
    >>> arm.n_joints, arm.index("elbow")
    (2, 1)
    """

    names: tuple[str, ...]
    parents: Int[np.ndarray, " joints"]
    offsets: Float[np.ndarray, "joints 3"]
    end_joints: Int[np.ndarray, " ends"]
    end_offsets: Float[np.ndarray, "ends 3"]
    rotation_orders: tuple[str, ...]
    axes_wxyz: Float[np.ndarray, "joints 4"]
    limits: Float[np.ndarray, "joints 3 2"]
    role_names: Mapping[str, str] = field(default_factory=dict)
    binding: Binding | None = None

    def __post_init__(self) -> None:
        freeze(self, np.int64, "parents", "end_joints")
        freeze(self, np.float64, "offsets", "end_offsets", "axes_wxyz", "limits")
        object.__setattr__(self, "role_names", dict(self.role_names))
        self._refuse_what_is_no_tree()
        self._refuse_odd_details()

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        parents: ArrayLike,
        offsets: ArrayLike,
        *,
        ends: Mapping[str, ArrayLike] | Sequence[tuple[str, ArrayLike]] = (),
        rotation_orders: str | Sequence[str] = "ZXY",
        axes_wxyz: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> Skeleton:
        """A skeleton from its tree, with defaults for the rest.

        ``names``, ``parents`` and ``offsets`` are as in the class. ``ends`` names for each end site the joint it hangs
        on and its offset, metres; one joint may carry several. ``rotation_orders`` is one order for all joints, or one
        each. ``axes_wxyz`` and ``limits`` are as in the class; unturned and free if None.
        """
        n_joints = len(names)
        try:
            tree, steps = np.asarray(parents, dtype=np.int64), np.asarray(offsets, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise SkeletonError(f"expected parents and offsets as numbers, got others: {error}") from None
        if steps.size != 3 * n_joints:
            raise SkeletonError(f"expected offsets of shape {(n_joints, 3)} for {n_joints} names, got {steps.shape}")
        pairs = list(ends.items()) if isinstance(ends, Mapping) else list(ends)
        indices = {name: i for i, name in enumerate(names)}
        missing = [name for name, _ in pairs if name not in indices]
        if missing:
            raise SkeletonError(f"an end site hangs on {missing[0]!r}, which is not a joint of {', '.join(names)}")
        orders = [rotation_orders] * n_joints if isinstance(rotation_orders, str) else rotation_orders
        unturned, free = np.tile(IDENTITY, (n_joints, 1)), np.tile([-np.inf, np.inf], (n_joints, 3, 1))
        return cls(
            names=tuple(names),
            parents=tree,
            offsets=steps.reshape(n_joints, 3),
            end_joints=np.array([indices[name] for name, _ in pairs], dtype=np.int64),
            end_offsets=np.array([offset for _, offset in pairs], dtype=np.float64).reshape(-1, 3),
            rotation_orders=tuple(orders),
            axes_wxyz=np.asarray(unturned if axes_wxyz is None else axes_wxyz, dtype=np.float64),
            limits=np.asarray(free if limits is None else limits, dtype=np.float64),
        )

    @property
    def n_joints(self) -> int:
        """How many joints there are, end sites not counted."""
        return len(self.names)

    @property
    def n_ends(self) -> int:
        """How many end sites there are."""
        return len(self.end_joints)

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """The place of a joint in the arrays."""
        try:
            return self._indices[name]
        except KeyError:
            raise SkeletonError(f"no joint {name!r}; the joints are {', '.join(self.names)}") from None

    @cached_property
    def levels(self) -> tuple[Int[np.ndarray, " members"], ...]:
        """The joints by depth, the root alone first: all of a level can be posed at once."""
        depth = np.zeros(self.n_joints, dtype=np.int64)
        for joint in range(1, self.n_joints):
            depth[joint] = depth[self.parents[joint]] + 1
        return tuple(readonly(np.flatnonzero(depth == d), np.int64) for d in range(int(depth.max()) + 1))

    @cached_property
    def links(self) -> tuple[tuple[int, Vector], ...]:
        """For each joint but the root its parent and its offset, in plain numbers."""
        pairs = zip(self.parents[1:].tolist(), self.offsets[1:].tolist(), strict=True)
        return tuple((parent, (x, y, z)) for parent, (x, y, z) in pairs)

    @cached_property
    def rest_positions(self) -> Float[np.ndarray, "joints 3"]:
        """Where the joints are when nothing turns, the root at its own offset."""
        positions = np.array(self.offsets)
        for level in self.levels[1:]:
            positions[level] += positions[self.parents[level]]
        return readonly(positions, np.float64)

    @cached_property
    def rest_end_positions(self) -> Float[np.ndarray, "ends 3"]:
        """Where the end sites are when nothing turns."""
        return readonly(self.rest_positions[self.end_joints] + self.end_offsets, np.float64)

    def children(self, joint: int) -> Int[np.ndarray, " members"]:
        """The joints that hang on ``joint``."""
        return np.flatnonzero(self.parents == joint)

    def path(self, joint: int) -> list[int]:
        """The joints from ``joint`` up to the root, both included."""
        steps = [joint]
        while self.parents[steps[-1]] != NO_PARENT:
            steps.append(int(self.parents[steps[-1]]))
        return steps

    def same_as(self, other: Skeleton, tolerance: float = 1e-6) -> bool:
        """Whether a motion of one is a motion of the other: the same joints, tree and offsets (root's aside)."""
        return self is other or (
            self.names == other.names
            and bool(np.array_equal(self.parents, other.parents))
            and bool(np.allclose(self.offsets[1:], other.offsets[1:], rtol=0.0, atol=tolerance))
        )

    def scaled(self, factor: float) -> Skeleton:
        """The same skeleton, ``factor`` times as large."""
        bound = self.binding
        return replace(
            self,
            offsets=self.offsets * factor,
            end_offsets=self.end_offsets * factor,
            binding=None if bound is None else replace(bound, original=bound.original.scaled(factor)),
        )

    def with_roles(self, role_names: Mapping[str, str]) -> Skeleton:
        """The same skeleton, with the user's word on which joint plays which role; "" means that none does."""
        for name in filter(None, role_names.values()):
            self.index(name)
        return replace(self, role_names=dict(role_names))

    def __repr__(self) -> str:
        return f"Skeleton({counted(self.n_joints, 'joint')}, root {self.names[0]!r})"

    def _refuse_what_is_no_tree(self) -> None:
        n_joints = len(self.names)
        if n_joints == 0:
            raise SkeletonError("a skeleton needs at least one joint")
        for what in ("parents", "offsets", "rotation_orders", "axes_wxyz", "limits"):
            if (length := len(getattr(self, what))) != n_joints:
                raise SkeletonError(f"{n_joints} joints need {n_joints} {what}, got {length}")
        if len(set(self.names)) != n_joints:
            twice = next(name for i, name in enumerate(self.names) if name in self.names[:i])
            raise SkeletonError(f"two joints are called {twice!r}; joint names must differ")
        if self.parents[0] != NO_PARENT:
            raise SkeletonError(f"the first joint is the root, its parent is -1, got {self.parents[0]}")
        for joint in range(1, n_joints):
            if not 0 <= self.parents[joint] < joint:
                raise SkeletonError(
                    f"joint {self.names[joint]!r} has parent {self.parents[joint]}; parents come before their children"
                )

    def _refuse_odd_details(self) -> None:
        n_joints = self.n_joints
        for order in filter(None, self.rotation_orders):
            try:
                euler.check(order)
            except ValueError as error:
                raise SkeletonError(str(error)) from None
        stray = [joint for joint in self.end_joints if not 0 <= joint < n_joints]
        if stray:
            raise SkeletonError(f"an end site hangs on joint {stray[0]}; the joints are 0 to {n_joints - 1}")
        if len(self.end_joints) != len(self.end_offsets):
            raise SkeletonError(f"{len(self.end_joints)} end sites, but {len(self.end_offsets)} offsets for them")
        if not (np.isfinite(self.offsets).all() and np.isfinite(self.end_offsets).all()):
            raise SkeletonError("joint offsets must be finite numbers")
        lengths_of_axes = np.linalg.norm(self.axes_wxyz, axis=-1)
        odd = np.flatnonzero(~(np.abs(lengths_of_axes - 1.0) <= _UNIT))  # not a number is odd, too
        if odd.size:
            name, length = self.names[int(odd[0])], lengths_of_axes[odd[0]]
            raise SkeletonError(f"expected axes of length 1, joint {name!r} has some of {length:g}; normalise them")
        if np.isnan(self.limits).any():
            raise SkeletonError("joint limits must be numbers; a joint without one has −inf and inf")


@dataclass(frozen=True, eq=False)
class Binding:
    """The skeleton that a file has, where another one with the same motion is worked with."""

    original: Skeleton  # in the unit of the skeleton that has this binding
    joints: Int[np.ndarray, " joints"]  # which joint of the original each joint is
    axes_wxyz: Float[np.ndarray, "joints 4"]  # orientation of the original's joints in the zero pose
    travels: bool = False  # whether the original's root is another joint, and moves over the ground with the body

    def __post_init__(self) -> None:
        freeze(self, np.int64, "joints")
        freeze(self, np.float64, "axes_wxyz")


# What can be done about skeletons that differ.
ANOTHER_UNIT = Option("unit", "cm")  # named where one skeleton is a multiple of the other
REMEDY = "all motions that are mixed share one skeleton; retarget(motion, skeleton) carries one over"
_NAMED = 3  # joints, before the rest is only counted
_TOLERANCE = 1e-6  # metres, as ``Skeleton.same_as`` has it
_ALIKE = 1e-3  # of a length: bodies whose lengths all have one ratio are one body in two units


def in_order(root: int, wanted: set[int], children: Sequence[Sequence[int]]) -> list[int]:
    """Nodes of a tree, each before those below it; ``wanted`` has all that lie between them and the root."""
    ordered, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        ordered.append(node)
        waiting += [child for child in reversed(children[node]) if child in wanted]
    return ordered


def limb_reaches(skeleton: Skeleton) -> Float[np.ndarray, " joints"]:
    """The length of the longest chain of bones that hangs on each joint, metres."""
    reaches = np.zeros(skeleton.n_joints)
    np.maximum.at(reaches, skeleton.end_joints, np.linalg.norm(skeleton.end_offsets, axis=-1))
    lengths = np.linalg.norm(skeleton.offsets, axis=-1)
    for joint in range(skeleton.n_joints - 1, 0, -1):
        parent = skeleton.parents[joint]
        reaches[parent] = max(reaches[parent], lengths[joint] + reaches[joint])
    return reaches


def unlike(skeleton: Skeleton, other: Skeleton) -> str:
    """How a skeleton differs from another, as ``"it lacks joint 'LeftToe'"``; empty where they are the same."""
    lacking, more = _without(other, skeleton), _without(skeleton, other)
    if lacking or more:
        sides = (("it", lacking), ("the other", more))
        return ", ".join(f"{which} lacks {_listed(names)}" for which, names in sides if names)
    if skeleton.names != other.names:
        return "it has the same joints in another order"
    for joint, (parent, another) in enumerate(zip(skeleton.parents.tolist(), other.parents.tolist(), strict=True)):
        if parent != another:
            names = skeleton.names
            return f"joint {names[joint]!r} hangs on {names[parent]!r}, not on {names[another]!r}"
    off = np.abs(skeleton.offsets - other.offsets).max(axis=1)
    off[0] = 0.0  # where the root rests is no part of the body
    joint = int(np.argmax(off))
    if off[joint] <= _TOLERANCE:
        return ""
    lengths, others = (np.linalg.norm(body.offsets[1:], axis=1) for body in (skeleton, other))
    ratio = float(lengths.sum() / others.sum()) if others.sum() > 0.0 else 0.0
    if np.allclose(lengths, ratio * others, rtol=_ALIKE, atol=_TOLERANCE) and abs(ratio - 1.0) > _ALIKE:
        return f"it is {ratio:.4g} times as large; {ANOTHER_UNIT}, or another, helps where that was read wrongly"
    length, another = float(lengths[joint - 1]), float(others[joint - 1])
    if abs(length - another) > _TOLERANCE:
        return f"joint {skeleton.names[joint]!r} lies {length:.4g} m from its parent, not {another:.4g} m"
    return f"joint {skeleton.names[joint]!r} rests in another direction from its parent"


def _without(skeleton: Skeleton, other: Skeleton) -> list[str]:
    """The joints of a skeleton whose names another has not."""
    return [name for name in skeleton.names if name not in set(other.names)]


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_NAMED])
    rest = len(names) - _NAMED
    return f"{'joint' if len(names) == 1 else 'joints'} {shown}" + (f" and {rest} others" if rest > 0 else "")
