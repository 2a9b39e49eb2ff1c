"""Crowds written as binary glTF: one body and one set of bind matrices that all characters share, one animation."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float32

from mocapella.body.skin import body_mesh
from mocapella.errors import MotionError
from mocapella.files.gltf.bones import captured_bones
from mocapella.files.gltf.gltf_writer import LARGEST, Buffer, bone_nodes, mesh_of, skin_of, write_binary
from mocapella.geometry import quaternions
from mocapella.motion.skeleton import Skeleton


def write_crowd(
    skeleton: Skeleton,
    poses: Float32[np.ndarray, "frames characters joints 3 4"],
    frame_rate: float,
    path: str | PathLike[str],
) -> None:
    """Write many characters of one skeleton as binary glTF.

    ``poses`` are the world rotations and positions (last column, metres) of all joints, frame by frame. An existing
    file is replaced once the new one is complete. Raises ``MotionError`` where the file would pass 4 GiB.
    """
    n_frames, n_characters, n_joints = poses.shape[:3]
    size = n_frames * n_characters * (16 * n_joints + 12) + n_characters * n_joints * 400
    if size > LARGEST:
        text = f"{n_characters:,} characters for {n_frames / frame_rate:g} s make a glTF file of {size / 2**30:.1f} GiB"
        raise MotionError(text, helps="at most 4 are possible; write fewer, shorter, or at a lower rate")
    from mocapella import __version__  # the package may still be loading when this module is

    bones, buffer = captured_bones(skeleton), Buffer()
    mesh = mesh_of(body_mesh(skeleton), bones, buffer)
    skin = skin_of(bones, buffer)
    clock = buffer.add((np.arange(n_frames) / frame_rate).astype(np.float32), bounds=True)
    nodes: list[dict[str, Any]] = []
    skins: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    top: list[int] = []
    for character in range(n_characters):
        first = len(nodes)
        for node in bone_nodes(bones, skeleton):
            node.pop("extras", None)
            if "children" in node:
                node["children"] = [first + child for child in node["children"]]
            nodes.append(node)
        skins.append({**skin, "name": f"skeleton {character}", "skeleton": first})
        skins[-1]["joints"] = [first + joint for joint in skin["joints"]]
        top += [first + int(root) for root in np.flatnonzero(bones.parents < 0)] + [len(nodes)]
        nodes.append({"name": f"character {character}", "mesh": 0, "skin": character})
        own = poses[:, character]
        local = _local(skeleton, own)
        tracks = [(bones.of_joint[0], "translation", own[:, 0, :, 3])]
        for joint in range(n_joints):
            wxyz = bones.local(bones.of_joint[joint], local[:, joint])
            tracks.append((bones.of_joint[joint], "rotation", np.roll(wxyz, -1, axis=-1)))
        for bone, what, values in tracks:
            channels.append({"sampler": len(samplers), "target": {"node": first + bone, "path": what}})
            samplers.append({"input": clock, "interpolation": "LINEAR", "output": buffer.add(np.asarray(values))})
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"mocapella {__version__}"},
        "scene": 0,
        "scenes": [{"nodes": top}],
        "nodes": nodes,
        "skins": skins,
        "meshes": [mesh],
        "materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorFactor": [0.80, 0.52, 0.36, 1.0]}}],
        "animations": [{"name": "crowd", "samplers": samplers, "channels": channels}],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    write_binary(document, buffer.arrays, path)


def _local(skeleton: Skeleton, poses: Float32[np.ndarray, "frames joints 3 4"]) -> np.ndarray:
    """Rotations against the parents, with continuous signs."""
    world = poses[..., :3].astype(np.float64)
    local = world.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            local[:, joint] = np.swapaxes(world[:, parent], 1, 2) @ world[:, joint]
    return quaternions.unroll(quaternions.from_matrix(local))
