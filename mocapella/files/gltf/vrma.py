"""VRM animations (``.vrma``, VRMC_vrm_animation 1.0): motions of the bones that every VRM character has.

Such a file holds humanoid bones in a T-pose and what they do; programs carry it to a character of any size. It has the
joints that play a role and no others: what joints between them do is in the rotation of the next one below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

import numpy as np
from jaxtyping import Float

from mocapella.body.skin import body_mesh
from mocapella.errors import MotionError
from mocapella.files.gltf.bones import captured_bones, one_skeleton
from mocapella.files.gltf.gltf_writer import Buffer, bone_animations, bone_nodes, write_binary
from mocapella.files.gltf.style import GltfStyle
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import local_rotations
from mocapella.motion.skeleton import NO_PARENT, Skeleton
from mocapella.rig.binding import bound
from mocapella.rig.names import SIDES, Roles
from mocapella.rig.naming import names_by_joint
from mocapella.rig.roles import find_roles

_VERSION = "1.0"
_LIMBS = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
REQUIRED = ("hips", "spine", "head", *(side + limb for side in SIDES for limb in _LIMBS))
"""Roles of the bones that every VRM character has."""


def write_vrma(clips: Sequence[Clip], path: str | PathLike[str], *, loop: bool = False, in_place: bool = False) -> None:
    """Write motions as a VRM animation.

    ``clips`` are motions of one skeleton; programs play the first animation of a file. An existing file is replaced
    once the new one is complete. Raises ``MotionError`` where a bone that VRM requires has no joint, or skeletons
    differ.
    """
    from mocapella import __version__

    one_skeleton(clips)
    humans = [humanoid(clip) for clip in clips]
    bones = captured_bones(humans[0].skeleton)
    buffer = Buffer()
    nodes = {name: {"node": node} for node, name in enumerate(bones.names)}
    document = {
        "asset": {"version": "2.0", "generator": f"mocapella {__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": bone_nodes(bones, humans[0].skeleton),
        "animations": bone_animations(humans, bones, buffer, GltfStyle(loop=loop, in_place=in_place)),
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
        "extensionsUsed": ["VRMC_vrm_animation"],
        "extensions": {"VRMC_vrm_animation": {"specVersion": _VERSION, "humanoid": {"humanBones": nodes}}},
    }
    write_binary(document, buffer.arrays, path)


def humanoid(clip: Clip, needing: str = "a VRM animation needs") -> Clip:
    """A motion on the bones of VRM: those joints that play a role, in a T-pose that stands on the ground.

    Joints have VRM's names and turn in the world as they did; the hips are where they were. A joint that carries one
    other, by way of joints that VRM does not have, points to where that one was. Where a role is missing, the error
    begins with ``needing``.
    """
    roles = find_roles(clip.skeleton)
    missing = [role for role in REQUIRED if role not in roles]
    if missing:
        raise MotionError(
            f"{needing} {', '.join(missing)}, and the skeleton has no joint of that role",
            helps="name these joints when the file is loaded: roles=",
        )
    posed = bound(clip, np.arange(clip.skeleton.n_joints), _t_pose(clip.skeleton, roles))
    full = posed.skeleton
    named = names_by_joint(full, "vrm")
    hips = roles["hips"]
    bones = [joint for joint in sorted(named) if hips in full.path(joint)]
    bones.sort(key=lambda joint: len(full.path(joint)))  # parents first
    number = {joint: i for i, joint in enumerate(bones)}
    parents = [next((number[above] for above in full.path(joint)[1:] if above in number), NO_PARENT) for joint in bones]
    rest = full.rest_positions[bones]
    floor = float(body_mesh(full).vertices[:, 1].min())
    offsets = rest - rest[parents]
    offsets[0] = [0.0, full.rest_positions[hips, 1] - floor, 0.0]
    skeleton = Skeleton.of([named[joint] for joint in bones], parents, offsets)
    places, world = posed.world
    turns = _aimed(skeleton, places[:, bones], world[:, bones])
    return replace(
        clip,
        skeleton=skeleton.with_roles({role: named[joint] for role, joint in roles.items() if joint in number}),
        root_positions=np.array(places[:, hips]),
        rotations_wxyz=quaternions.unroll(local_rotations(skeleton, turns)),
        sliding_joints=np.zeros(0, dtype=np.int64),
        slides=np.zeros((clip.n_frames, 0, 3)),
    )


def _aimed(
    skeleton: Skeleton, places: Float[np.ndarray, "frames joints 3"], world: Float[np.ndarray, "frames joints 4"]
) -> Float[np.ndarray, "frames joints 4"]:
    """World rotations by which joints that carry a single other point to where it is."""
    turns = np.array(world)
    for joint in range(1, skeleton.n_joints):
        below = np.flatnonzero(skeleton.parents == joint)
        if len(below) != 1 or not np.any(skeleton.offsets[below[0]]):
            continue
        there = places[:, below[0]] - places[:, joint]
        pointing = quaternions.rotate(turns[:, joint], skeleton.offsets[below[0]])
        turns[:, joint] = quaternions.multiply(quaternions.between(pointing, there), turns[:, joint])
    return turns


def _t_pose(skeleton: Skeleton, roles: Roles) -> Float[np.ndarray, "joints 4"]:
    """The orientation of each joint in a T-pose: arms to the sides, legs down, feet ahead, the trunk as it is."""
    rest = skeleton.rest_positions
    turns: dict[int, Float[np.ndarray, 4]] = {0: quaternions.IDENTITY}
    for side, aside in zip(SIDES, (1.0, -1.0), strict=True):
        for part, onward, way in (
            ("shoulder", "elbow", (aside, 0.0, 0.0)),
            ("elbow", "wrist", (aside, 0.0, 0.0)),
            ("hip", "knee", (0.0, -1.0, 0.0)),
            ("knee", "ankle", (0.0, -1.0, 0.0)),
        ):
            bone = rest[roles[side + onward]] - rest[roles[side + part]]
            turns[roles[side + part]] = quaternions.between(bone, np.array(way))
        ankle, toe = roles[side + "ankle"], roles.get(side + "toe")
        ahead = np.array([0.0, 0.0, 1.0]) if toe is None else (rest[toe] - rest[ankle]) * [1.0, 0.0, 1.0]
        flat = ahead if np.linalg.norm(ahead) > 0.0 else np.array([0.0, 0.0, 1.0])
        turns[ankle] = quaternions.between(flat, np.array([0.0, 0.0, 1.0]))
    out = np.tile(quaternions.IDENTITY, (skeleton.n_joints, 1))
    for joint in range(skeleton.n_joints):
        out[joint] = turns[next(above for above in skeleton.path(joint) if above in turns)]
    return out
