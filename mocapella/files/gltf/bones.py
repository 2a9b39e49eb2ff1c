"""The bones that a glTF file has for a skeleton: their rest pose, axes and tree.

Programs show a bone from a joint along its own +y axis, and take a character's size from its rest pose. So bones lie
along their limbs here, the rest pose stands on the ground above the origin, and joints without length that never turn
are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import NO_PARENT, Skeleton

BONES = ("limbs", "as-captured")
_NO_LENGTH = 1e-4  # of the body's size: joints nearer to each other lie in one point
_STEEP = 0.9  # cosine to +z above which a limb goes along it, so that +z is no good third axis
AT_REST = 1e-7  # a joint that turns by less, in quaternion components, or slides by less, in metres, is still


@dataclass(frozen=True, eq=False)
class Bones:
    """Bones in a tree, parents first, in their rest pose; ``joints`` says which joint of the skeleton each one is."""

    names: tuple[str, ...]
    parents: Int[np.ndarray, " bones"]  # −1 for the topmost
    joints: Int[np.ndarray, " bones"]  # −1 for a bone on the ground that no joint is
    positions: Float[np.ndarray, "bones 3"]  # in the world, metres
    axes_wxyz: Float[np.ndarray, "bones 4"]  # in the world; +y along the limb

    @property
    def of_joint(self) -> dict[int, int]:
        """The bone of each joint that has one."""
        return {int(joint): bone for bone, joint in enumerate(self.joints) if joint >= 0}

    @property
    def above_wxyz(self) -> Float[np.ndarray, "bones 4"]:
        """The axes of each bone's parent; none for the topmost."""
        return np.where((self.parents == NO_PARENT)[:, None], quaternions.IDENTITY, self.axes_wxyz[self.parents])

    @property
    def translations(self) -> Float[np.ndarray, "bones 3"]:
        """Offset of each bone from its parent at rest, in the parent's axes; of the topmost from the origin."""
        above = np.where((self.parents == NO_PARENT)[:, None], 0.0, self.positions[self.parents])
        return quaternions.rotate(quaternions.conjugate(self.above_wxyz), self.positions - above)

    def local(self, bone: int, wxyz: Float[np.ndarray, "*frames 4"]) -> Float[np.ndarray, "*frames 4"]:
        """A joint's local rotations in the axes of its bone and of the bone's parent."""
        turned = quaternions.multiply(wxyz, self.axes_wxyz[bone])
        return quaternions.multiply(quaternions.conjugate(self.above_wxyz[bone]), turned)


def captured_bones(skeleton: Skeleton) -> Bones:
    """One bone for each joint, without rotation at rest, where the skeleton has it."""
    n_joints = skeleton.n_joints
    return Bones(
        skeleton.names,
        skeleton.parents,
        np.arange(n_joints),
        skeleton.rest_positions,
        np.tile(quaternions.IDENTITY, (n_joints, 1)),
    )


def limb_bones(clips: Sequence[Clip], floor: float, *, root: bool = False) -> Bones:
    """Bones along the limbs, the rest pose standing on the ground above the origin.

    ``clips`` are motions of one skeleton; joints without length that turn in none of them get no bone. ``floor`` is the
    height of the soles in the skeleton's rest pose, metres. Returns parents first; the bone on the ground comes first
    where it is wanted.
    """
    skeleton = clips[0].skeleton
    rest = skeleton.rest_positions
    places = rest - [rest[0, 0], floor, rest[0, 2]]
    size = float(np.ptp(np.concatenate([rest, skeleton.rest_end_positions]), axis=0).max())
    joints = np.flatnonzero(~_idle(clips, _NO_LENGTH * size))
    above = _parents_among(skeleton, joints)
    axes = np.tile(quaternions.IDENTITY, (skeleton.n_joints, 1))
    for joint in joints:
        ahead = [rest[child] - rest[joint] for child in joints[above == joint]]
        ahead += list(skeleton.end_offsets[skeleton.end_joints == joint])
        axes[joint] = _along(
            np.array([way for way in ahead if np.linalg.norm(way) > _NO_LENGTH * size]).reshape(-1, 3),
            upright=bool(joint == 0),
            otherwise=axes[skeleton.parents[joint]],
        )
    bone_of = {int(joint): bone + root for bone, joint in enumerate(joints)}
    parents = [bone_of.get(int(parent), 0 if root else NO_PARENT) for parent in above]
    ground = [NO_PARENT] if root else []
    return Bones(
        (*([free_name("root", skeleton.names)] if root else []), *(skeleton.names[joint] for joint in joints)),
        np.array([*ground, *parents], dtype=np.int64),
        np.array([*ground, *joints], dtype=np.int64),
        np.concatenate([np.zeros((int(root), 3)), places[joints]]),
        np.concatenate([np.tile(quaternions.IDENTITY, (int(root), 1)), axes[joints]]),
    )


def one_skeleton(clips: Sequence[Clip]) -> Skeleton:
    """The skeleton that all clips have; ``MotionError`` where there are none, or they differ."""
    if not clips:
        raise MotionError("there is no motion to write")
    for clip in clips[1:]:
        if not clip.skeleton.same_as(clips[0].skeleton):
            raise MotionError(
                f"{clip!r} has another skeleton than {clips[0]!r}; one file holds motions of one skeleton"
            )
    return clips[0].skeleton


def _idle(clips: Sequence[Clip], near: float) -> Bool[np.ndarray, " joints"]:
    """The joints that lie on their parent, carry others and never turn."""
    skeleton = clips[0].skeleton
    idle = np.linalg.norm(skeleton.offsets, axis=-1) <= near
    idle &= np.isin(np.arange(skeleton.n_joints), skeleton.parents)
    idle[0] = False
    for clip in clips:
        idle &= np.abs(clip.rotations_wxyz[..., 1:]).max(axis=(0, 2)) <= AT_REST
        idle[clip.sliding_joints] = False
    return np.asarray(idle)


def _parents_among(skeleton: Skeleton, joints: Int[np.ndarray, " bones"]) -> Int[np.ndarray, " bones"]:
    """The nearest joint above each that has a bone itself; −1 above the root."""
    chosen = {int(joint) for joint in joints}
    out = []
    for joint in joints:
        parent = int(skeleton.parents[joint])
        while parent != NO_PARENT and parent not in chosen:
            parent = int(skeleton.parents[parent])
        out.append(parent)
    return np.array(out, dtype=np.int64)


def _along(
    ahead: Float[np.ndarray, "ways 3"], *, upright: bool, otherwise: Float[np.ndarray, " 4"]
) -> Float[np.ndarray, " 4"]:
    """Axes with +y along the mean of some ways, +z ahead as far as that allows; ``otherwise`` where there is no way.

    Where limbs go apart, such as at the hips, their mean says little: +y is up there.
    """
    if not len(ahead):
        return otherwise
    mean = ahead.mean(axis=0)
    apart = np.linalg.norm(mean) < 0.5 * np.linalg.norm(ahead, axis=-1).mean()
    y = np.array([0.0, 1.0, 0.0]) if upright or apart else mean / np.linalg.norm(mean)
    z = np.array([0.0, 0.0, 1.0]) if abs(y[2]) < _STEEP else np.array([0.0, -np.sign(y[2]), 0.0])
    x = np.cross(y, z)
    x /= np.linalg.norm(x)
    return quaternions.from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))


def free_name(wish: str, taken: Sequence[str]) -> str:
    """The wished name, with as many underscores as it takes to be free."""
    while wish in taken:
        wish += "_"
    return wish
