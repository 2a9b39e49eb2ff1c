"""SMPL motions written: any body's motion as poses of SMPL's joints, in the keys of AMASS, z up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Float

from mocapella.files.disk import replacing
from mocapella.files.gltf.vrma import humanoid
from mocapella.files.smpl.smpl_body import COUNTS, ROLES_OF, default_body
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import local_rotations
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles
from mocapella.rig.standing import TO_Y

_JOINTS = 24  # of SMPL, for bodies that have other joints
OFFSETS = "joint_offsets"  # key of the body's own offsets, which other programs pass over


def write_npz(clip: Clip, path: Path) -> None:
    """Write a motion as an AMASS file: ``poses``, ``trans``, ``betas``, ``gender``, ``mocap_framerate``.

    A skeleton that was read from such a file keeps all joints; others give 24, of which those that play a role turn.
    The body's own offsets are in it as ``joint_offsets``, by which ``load`` gives the same body. Raises ``MotionError``
    where roles are missing, or it cannot be written.
    """
    skeleton, places, local = _on_joints(clip)
    room = quaternions.from_matrix(TO_Y["z"].T)
    turned = np.array(local)
    turned[:, 0] = quaternions.multiply(room, local[:, 0])
    poses = quaternions.to_rotvec(quaternions.shortest(turned)).reshape(len(places), -1)
    with replacing(path) as file:
        np.savez_compressed(
            file,
            poses=poses,
            trans=places @ TO_Y["z"],
            betas=np.zeros(16),
            gender=np.array("neutral"),
            mocap_framerate=np.array(clip.frame_rate),
            joint_offsets=skeleton.offsets,
        )


def _on_joints(clip: Clip) -> tuple[Skeleton, Float[np.ndarray, "frames 3"], Float[np.ndarray, "frames joints 4"]]:
    """The motion on SMPL's joints: skeleton, places of the pelvis, local rotations."""
    count = clip.skeleton.n_joints
    if count in COUNTS and clip.skeleton.names == default_body(count).names and not len(clip.sliding_joints):
        return clip.skeleton, clip.root_positions, clip.rotations_wxyz
    human = humanoid(clip, "SMPL poses need")
    roles, body = find_roles(human.skeleton), default_body(_JOINTS)
    at = {body.index(name): roles[role] for role, name in ROLES_OF.items() if role in roles}
    if "upperChest" in human.skeleton.names:  # VRM's back has three joints, as SMPL's
        at[body.index("spine2")] = human.skeleton.index("chest")
    world = human.world[1]
    rest = np.array(human.skeleton.rest_positions)
    turns = np.empty((clip.n_frames, _JOINTS, 4))
    places = np.array(body.rest_positions)
    for joint in range(_JOINTS):
        above = int(body.parents[joint])
        turns[:, joint] = world[:, at[joint]] if joint in at else turns[:, above]
        places[joint] = rest[at[joint]] if joint in at else places[above] + body.offsets[joint]
    offsets = np.array(places)
    offsets[1:] -= places[body.parents[1:]]
    middle, end, start = (body.index(name) for name in ("spine2", "spine3", "spine1"))
    if middle not in at:  # a joint that was not measured lies half way between spine and chest
        offsets[middle] = offsets[end] = 0.5 * (places[end] - places[start])
    skeleton = Skeleton.of(body.names, body.parents, offsets)
    return skeleton, human.root_positions, local_rotations(skeleton, turns)
