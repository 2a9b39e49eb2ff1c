"""Binding: the same motion on a skeleton whose root carries the body and whose zero pose stands.

Up, ahead, left, heel, toe and mirror image of a skeleton are read from its zero pose, and travel is read from its root.
Many rigs have a root above the hips that stands still or travels without turning, or a zero pose that lies, hangs or
folds into one line because their joint axes run along the bones. Binding describes the same motion by another skeleton:
the root is the joint that carries the body, and the zero pose is a standing one. ``Skeleton.binding`` keeps what the
file has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.checks import finite_number
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import N_ROOT_DOFS, layout_of
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT, Binding, Skeleton
from mocapella.rig.standing import standing_pose, zero_pose_stands

_MOVES = 0.01  # of the size of all bones: the least movement of what travels
_STILL = np.radians(0.5)  # the most that joints turn which do not turn
_GROUND = np.array([1.0, 0.0, 1.0])  # of a place, what lies on the ground
_NAMED = 4  # joints, before the rest is only counted
_SAMPLES = 60  # frames that the mean pose is taken of


@runtime_checkable
class Frames(Protocol):
    """Frames of a skeleton, in any unit, as a dataclass: a clip, or what a reader made of a file."""

    @property
    def skeleton(self) -> Skeleton: ...  # noqa: D102
    @property
    def root_positions(self) -> Float[np.ndarray, "frames 3"]: ...  # noqa: D102
    @property
    def rotations_wxyz(self) -> Float[np.ndarray, "frames joints 4"]: ...  # noqa: D102
    @property
    def sliding_joints(self) -> Int[np.ndarray, " sliding"]: ...  # noqa: D102
    @property
    def slides(self) -> Float[np.ndarray, "frames sliding 3"]: ...  # noqa: D102


_F = TypeVar("_F", bound=Frames)
_Turns = Float[np.ndarray, "joints 4"]


def bound(motion: _F, joints: Int[np.ndarray, " kept"], axes_wxyz: Float[np.ndarray, "kept 4"]) -> _F:
    """The same motion on a skeleton of some of its joints, with other axes.

    ``joints`` are the joints to keep: the new root first, then all that hang on it. ``axes_wxyz`` are their
    orientations in the world in the new zero pose. Every joint stays where it was; ``skeleton.binding`` says how to
    get back.
    """
    old, joints = motion.skeleton, np.asarray(joints)
    place = {int(joint): i for i, joint in enumerate(joints)}
    parents = np.array([place.get(int(old.parents[joint]), NO_PARENT) for joint in joints])
    above = _of_parents(axes_wxyz, parents)
    root_positions, root_wxyz = _carried(motion, int(joints[0]))
    rotations = np.array(motion.rotations_wxyz[:, joints])
    rotations[:, 0] = root_wxyz
    rotations = quaternions.multiply(quaternions.multiply(above, rotations), quaternions.conjugate(axes_wxyz))
    ends = [i for i, joint in enumerate(old.end_joints) if int(joint) in place]
    end_joints = np.array([place[int(joint)] for joint in old.end_joints[ends]], dtype=np.int64)
    slid = [i for i, joint in enumerate(motion.sliding_joints) if place.get(int(joint), 0) > 0]
    sliding = np.array([place[int(joint)] for joint in motion.sliding_joints[slid]], dtype=np.int64)
    skeleton = replace(
        old,
        names=tuple(old.names[joint] for joint in joints),
        parents=parents,
        offsets=quaternions.rotate(above, old.offsets[joints]),
        end_joints=end_joints,
        end_offsets=quaternions.rotate(axes_wxyz[end_joints], old.end_offsets[ends]),
        rotation_orders=tuple(old.rotation_orders[joint] for joint in joints),
        axes_wxyz=old.axes_wxyz[joints],
        limits=old.limits[joints],
        binding=_binding(old, joints, axes_wxyz, travels=bool(joints[0]) and _moves(motion.root_positions, old)),
    )
    changed: Any = replace(
        cast(Any, motion),
        skeleton=skeleton,
        root_positions=root_positions,
        rotations_wxyz=rotations,
        sliding_joints=sliding,
        slides=quaternions.rotate(above[sliding], motion.slides[:, slid]),
    )
    return cast(_F, changed)


def _of_parents(turns: _Turns, parents: Int[np.ndarray, " joints"]) -> _Turns:
    """The turn of each joint's parent, none for the root."""
    return np.where((parents == NO_PARENT)[:, None], quaternions.IDENTITY, turns[parents])


def _binding(
    old: Skeleton, joints: Int[np.ndarray, " kept"], axes_wxyz: Float[np.ndarray, "kept 4"], *, travels: bool
) -> Binding:
    """How to get back to the skeleton of the file, from joints of it, or of one that is bound itself."""
    first = old.binding
    if first is None:
        return Binding(old, joints, axes_wxyz, travels)
    axes = quaternions.multiply(axes_wxyz, first.axes_wxyz[joints])
    return Binding(first.original, first.joints[joints], axes, first.travels or travels)


def _moves(places: Float[np.ndarray, "frames 3"], skeleton: Skeleton) -> bool:
    """Whether a joint travels, by its places and the size of the body."""
    return bool(np.ptp(places, axis=0).max() > _MOVES * float(np.linalg.norm(skeleton.offsets[1:], axis=1).sum()))


def unbound(clip: Clip) -> Clip:
    """A clip on the skeleton that its file has.

    Where the file's root is above the body's, it is below the body on the ground if it travelled there, else at the
    origin. It does not turn, and joints that hang on it beside the body are as in the zero pose.

    Returns the clip itself where its skeleton was not changed on reading.
    """
    binding = clip.skeleton.binding
    if binding is None:
        return clip
    original, joints, axes = binding.original, binding.joints, binding.axes_wxyz
    above = _of_parents(axes, clip.skeleton.parents)
    rotations = np.tile(quaternions.IDENTITY, (clip.n_frames, original.n_joints, 1))
    rotations[:, joints] = quaternions.multiply(quaternions.seen_from(above, clip.rotations_wxyz), axes)
    sliding = joints[clip.sliding_joints]
    slides = quaternions.rotate(quaternions.conjugate(above[clip.sliding_joints]), clip.slides)
    root_positions = clip.root_positions
    if joints[0] != 0:
        order = np.argsort([joints[0], *sliding])
        sliding = np.array([joints[0], *sliding])[order]
        below = root_positions * (_GROUND if binding.travels else 0.0)
        slides = np.concatenate([(root_positions - below)[:, None], slides], axis=1)[:, order]
        root_positions = below
    return replace(
        clip,
        skeleton=original,
        root_positions=root_positions,
        rotations_wxyz=rotations,
        sliding_joints=sliding,
        slides=slides,
    )


def same_rig(skeleton: Skeleton, other: Skeleton) -> bool:
    """Whether two skeletons are one file's, bound to different standing poses, so that motions fit both unchanged."""
    a, b = skeleton.binding, other.binding
    return a is not None and b is not None and np.array_equal(a.joints, b.joints) and a.original.same_as(b.original)


def rebound(cycle: Cycle, skeleton: Skeleton) -> Cycle:
    """The same cycle on another skeleton of the same rig (see ``same_rig``); every joint stays where it was."""
    current, wanted = cycle.skeleton.binding, skeleton.binding
    assert current is not None
    assert wanted is not None
    turns = quaternions.multiply(wanted.axes_wxyz, quaternions.conjugate(current.axes_wxyz))
    above = _of_parents(turns, skeleton.parents)
    rotations = quaternions.multiply(quaternions.multiply(above, cycle.rotations_wxyz), quaternions.conjugate(turns))
    layout = layout_of(cycle.layout.kind, skeleton)
    dofs = layout.dofs(quaternions.unroll(rotations), cycle.dofs[:, -N_ROOT_DOFS:])
    return replace(cycle, layout=layout, dofs=owned(dofs))


def on_one_skeleton(cycles: Sequence[Cycle]) -> list[Cycle]:
    """The same cycles, at least one; those of the first one's rig described by its skeleton."""
    first = cycles[0].skeleton
    return [
        rebound(cycle, first) if not cycle.skeleton.same_as(first) and same_rig(cycle.skeleton, first) else cycle
        for cycle in cycles
    ]


def _carrying_root(motion: Frames, roles: Mapping[str, int], starts: Sequence[int]) -> int:
    """The joint that carries the body: the hips where nothing above them turns and they move.

    0 where the root itself carries the body, or parts of the body that do not hang on the hips.
    """
    hips, skeleton = roles.get("hips", 0), motion.skeleton
    above = skeleton.path(hips)[1:]
    if not above or any(hips not in skeleton.path(joint) for joint in roles.values()) or _turn(motion, above, starts):
        return 0
    slides = dict(zip(motion.sliding_joints.tolist(), np.moveaxis(motion.slides, 1, 0), strict=True))
    return hips if _turn(motion, [hips], starts) or (hips in slides and _moves(slides[hips], skeleton)) else 0


def _turn(motion: Frames, joints: Sequence[int], starts: Sequence[int]) -> bool:
    """Whether any of some joints turns within a motion that begins at one of some frames."""
    rotations = motion.rotations_wxyz[:, list(joints)]
    first = np.repeat(starts, np.diff([*starts, len(rotations)]))
    turned = quaternions.angle_between(rotations, rotations[first])
    return bool(turned.max() >= _STILL)


def stood(motion: _F, roles: Mapping[str, int], starts: Sequence[int] = (0,)) -> tuple[_F, list[Finding]]:
    """A motion with the body's own root and a zero pose that stands, and what was changed for that.

    ``starts`` are the first frames of motions that were put end to end.
    Returns the motion itself and no findings where nothing had to be changed.
    """
    skeleton, findings = motion.skeleton, []
    root = _carrying_root(motion, roles, starts)
    axes = None
    if root != 0:
        findings.append(Finding("still-root", _root_message(motion, root), doubtful=False))
    if not zero_pose_stands(skeleton, roles):
        frames = np.unique(np.linspace(0, len(motion.root_positions) - 1, _SAMPLES).astype(np.int64))
        axes = standing_pose(skeleton, roles, motion.rotations_wxyz[frames])
        message = "the zero pose does not stand; it was replaced by a standing pose found from the motion"
        if axes is None:
            message = "the zero pose does not stand, and too few roles are known to find one that does"
        findings.append(Finding("standing-pose", message, doubtful=axes is None))
    if root == 0 and axes is None:
        return motion, findings
    joints = np.array([joint for joint in range(skeleton.n_joints) if root in skeleton.path(joint)])
    if axes is None:
        axes = np.tile(quaternions.IDENTITY, (skeleton.n_joints, 1))
    return bound(motion, joints, axes[joints]), findings


def _root_message(motion: Frames, root: int) -> str:
    """What becomes of the joints that do not hang on the body's root."""
    skeleton, above = motion.skeleton, motion.skeleton.path(root)
    others = [joint for joint in range(skeleton.n_joints) if joint not in above and root not in skeleton.path(joint)]
    beside = [skeleton.names[joint] for joint in others]
    does = "travels without turning" if _moves(motion.root_positions, skeleton) else "stands still"
    more = f" and {len(beside) - _NAMED} more" if len(beside) > _NAMED else ""
    left = f"; left out, for the body does not hang on them: {', '.join(beside[:_NAMED])}{more}" if beside else ""
    return f"{skeleton.names[0]!r} {does} above {skeleton.names[root]!r}, which is taken as the root{left}"


def _carried(motion: Frames, joint: int) -> tuple[Float[np.ndarray, "frames 3"], Float[np.ndarray, "frames 4"]]:
    """Where a joint is in the room, and its orientation there."""
    skeleton = motion.skeleton
    slides = dict(zip(motion.sliding_joints.tolist(), np.moveaxis(motion.slides, 1, 0), strict=True))
    place, world = motion.root_positions, motion.rotations_wxyz[:, 0]
    for step in skeleton.path(joint)[-2::-1]:
        place = place + quaternions.rotate(world, slides.get(step, skeleton.offsets[step]))
        world = quaternions.multiply(world, motion.rotations_wxyz[:, step])
    return place, world


def faced(clip: Clip, degrees: float | int) -> Clip:
    """The same motion with another facing of the rest pose than the one inferred from its shape.

    ``degrees`` are from +z of the file to where the rest pose looks, left positive; ``clip.report.facing`` is what was
    inferred. Every joint is where it was; ahead, left and the heading are the new ones.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> clip = perform("walk")[0]
    >>> other = faced(clip, 90.0)
    >>> bool(np.allclose(other.positions, clip.positions)), round(float(np.degrees(other.headings - clip.headings)[0]))
    (True, 90)
    """
    asked = math.radians(finite_number(degrees, "a direction in degrees"))
    axes = quaternions.about_y(np.array(clip.report.facing - asked))
    joints = clip.skeleton.n_joints
    return bound(clip, np.arange(joints), np.tile(axes, (joints, 1)))
