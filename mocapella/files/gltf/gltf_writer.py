"""Clips written as glTF 2.0: a skinned body and its motions, for Blender, Godot, three.js and engines.

The skin lists every bone: without a skin Blender makes loose empties of the joints, and Godot loose spatials. End sites
are no nodes: as joints of the skin they would be superfluous bones, outside it loose objects again. They stand in their
bone's ``extras``.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import PureWindowsPath
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from mocapella.body.skin import BodyMesh
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.files.gltf.bones import Bones, free_name
from mocapella.files.gltf.style import GltfStyle, GltfTrack, as_played, bone_tracks, motion_name, nearest_bones, rigged
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.loops import Course, mean_rates
from mocapella.motion.skeleton import NO_PARENT, Skeleton
from mocapella.quoting import whole_characters

LARGEST = 2**32 - 1  # bytes; a binary glTF states its length in 32 bits
_MATERIAL = {"baseColorFactor": [0.80, 0.52, 0.36, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}

_FLOAT, _USHORT, _UINT = 5126, 5123, 5125  # glTF's codes for types of numbers
_VERTICES, _INDICES = 34962, 34963  # glTF's codes for what a buffer holds
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}

_Json = dict[str, Any]
_Array = Shaped[np.ndarray, "..."]


def write_glb(clips: Sequence[Clip], path: str | PathLike[str], **style: Any) -> None:
    """Write motions as binary glTF: skeleton, a plain body, an animation named after each clip.

    ``clips`` are motions of one skeleton. Joints that stay at rest throughout get no animation channel. An existing
    file is replaced once the new one is complete. ``style`` is ``loop``, ``in_place``, ``root_motion``, ``bones``,
    ``body`` as ``save`` takes them. Raises ``MotionError`` where the file would pass 4 GiB, numbers do not fit into 32
    bits, or skeletons differ.
    """
    document, data = _document(clips, GltfStyle(**style))
    write_binary(document, data, path)


def write_binary(document: Mapping[str, Any], data: Sequence[_Array], path: str | PathLike[str]) -> None:
    """Write a document and the numbers it refers to as one binary file, complete or not at all."""
    text = _json(document)
    text += b" " * (-len(text) % 4)
    size = document["buffers"][0]["byteLength"]
    total = 12 + 8 + len(text) + 8 + size
    _refuse_more_than_fits(total)
    with replacing(path) as file:
        file.write(struct.pack("<4sII", b"glTF", 2, total))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", size, b"BIN\0"))
        for array in data:
            file.write(array.data)


def write_gltf(clips: Sequence[Clip], path: str | PathLike[str], **style: Any) -> None:
    """Write motions as glTF in readable JSON, its numbers inside as base64; otherwise as ``write_glb``."""
    document, data = _document(clips, GltfStyle(**style))
    numbers = base64.b64encode(b"".join(array.tobytes() for array in data)).decode("ascii")
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + numbers
    with replacing(path) as file:
        file.write(_json(document))


@dataclass
class Buffer:
    """The numbers of a file in the order they are written, and how the document refers to them."""

    arrays: list[_Array] = field(default_factory=list)
    views: list[_Json] = field(default_factory=list)
    accessors: list[_Json] = field(default_factory=list)
    size: int = 0

    def add(self, values: Shaped[np.ndarray, "count ..."], *, target: int | None = None, bounds: bool = False) -> int:
        """Append one row per item; returns its accessor's number. ``bounds`` states least and greatest."""
        if values.dtype.kind == "f":
            with np.errstate(over="ignore"):  # refused in words below
                array, component = values.astype("<f4"), _FLOAT
            if not np.isfinite(array).all():
                raise MotionError("a number is too large for glTF, which stores 32 bits; is the length unit right?")
        else:
            wide = values.max() >= 2**16 - 1
            array, component = values.astype("<u4" if wide else "<u2"), _UINT if wide else _USHORT
        array = np.ascontiguousarray(array.reshape(len(values), -1))
        gap = -array.nbytes % 4
        view: _Json = {"buffer": 0, "byteOffset": self.size, "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        accessor: _Json = {
            "bufferView": len(self.views),
            "componentType": component,
            "count": len(array),
            "type": _KINDS[array.shape[1]],
        }
        if bounds:
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.views.append(view)
        self.accessors.append(accessor)
        self.arrays += [array, np.zeros(gap, dtype=np.uint8)] if gap else [array]
        self.size += array.nbytes + gap
        return len(self.accessors) - 1


def _document(clips: Sequence[Clip], style: GltfStyle) -> tuple[_Json, list[_Array]]:
    """The document and the numbers it refers to; the same clips give the same bytes."""
    from mocapella import __version__  # the package may still be loading when this module is

    rig = rigged(clips, style)
    bones, skeleton = rig.bones, rig.clips[0].skeleton
    if skeleton.n_joints >= 2**16 - 2:
        raise MotionError(f"glTF numbers joints in 16 bits; {skeleton.n_joints} are too many")
    n_keys = sum(clip.n_frames + style.loop for clip in rig.clips)
    _refuse_more_than_fits(4 * n_keys * (4 + 4 * skeleton.n_joints + 3 * len(rig.clips[0].sliding_joints)))
    buffer = Buffer()
    nodes = bone_nodes(bones, skeleton)
    top = [bone for bone, parent in enumerate(bones.parents) if parent == NO_PARENT]
    document: _Json = {
        "asset": {"version": "2.0", "generator": f"mocapella {__version__}"},
        "scene": 0,
        "scenes": [{"nodes": top}],
        "nodes": nodes,
        "skins": [skin_of(bones, buffer)],
    }
    if style.body:
        document["scenes"][0]["nodes"] = [*top, len(nodes)]
        nodes.append({"name": free_name("body", bones.names), "mesh": 0, "skin": 0})
        document["meshes"] = [mesh_of(rig.body, bones, buffer)]
        document["materials"] = [{"name": "skin", "pbrMetallicRoughness": _MATERIAL}]
    document["animations"] = bone_animations(rig.clips, bones, buffer, style)
    return document | {
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }, buffer.arrays


def bone_nodes(bones: Bones, skeleton: Skeleton) -> list[_Json]:
    """One node per bone in its rest pose."""
    nodes: list[_Json] = []
    turned = quaternions.multiply(quaternions.conjugate(bones.above_wxyz), bones.axes_wxyz)
    for bone, name in enumerate(bones.names):
        node: _Json = {"name": name, "translation": _single(bones.translations[bone])}
        if not np.array_equal(turned[bone], quaternions.IDENTITY):
            node["rotation"] = _single(np.roll(turned[bone], -1))
        if len(children := np.flatnonzero(bones.parents == bone)):
            node["children"] = children.tolist()
        if len(ends := skeleton.end_offsets[skeleton.end_joints == bones.joints[bone]]):
            ends = quaternions.rotate(quaternions.conjugate(bones.axes_wxyz[bone]), ends)
            node["extras"] = {"end_sites": [_single(end) for end in ends]}
        nodes.append(node)
    return nodes


def skin_of(bones: Bones, buffer: Buffer) -> _Json:
    """All bones with their inverse bind matrices. ``bones`` are nodes from 0 on."""
    turns = quaternions.to_matrix(bones.axes_wxyz)
    inverse_binds = np.tile(np.eye(4), (len(bones.names), 1, 1))
    inverse_binds[:, :3, :3] = turns  # column by column: the transpose, which undoes the turn, stands in rows
    inverse_binds[:, 3, :3] = -np.einsum("bij,bi->bj", turns, bones.positions)
    return {
        "name": "skeleton",
        "inverseBindMatrices": buffer.add(inverse_binds),
        "skeleton": 0,
        "joints": list(range(len(bones.names))),
    }


def mesh_of(body: BodyMesh, bones: Bones, buffer: Buffer) -> _Json:
    """A body that bones move."""
    weights = body.weights.astype(np.float32)
    weights[:, 0] = 1.0 - weights[:, 1:].sum(axis=1)  # rounding must not make or lose weight
    bone_of = nearest_bones(body.skeleton, bones)
    attributes = {
        "POSITION": buffer.add(body.vertices, target=_VERTICES, bounds=True),
        "NORMAL": buffer.add(body.normals, target=_VERTICES),
        "JOINTS_0": buffer.add(np.where(weights > 0.0, bone_of[body.joints], 0), target=_VERTICES),
        "WEIGHTS_0": buffer.add(weights, target=_VERTICES),
    }
    indices = buffer.add(body.faces.reshape(-1), target=_INDICES)
    return {"name": "body", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}


def animation_of(
    clip: Clip, buffer: Buffer, style: GltfStyle, tracks_of: Callable[[Clip, Course | None], list[GltfTrack]]
) -> _Json:
    """An animation: samplers for what travels, turns or slides, which share their times.

    ``tracks_of`` is what moves which node, from the motion that joints have and the course of a root on the ground, if
    there is one. The result has its name, and figures of the motion in ``extras``.
    """
    from mocapella import __version__

    played, course, whole, way = as_played(clip, style)
    with np.errstate(over="ignore"):
        times = (np.arange(played.n_frames) / clip.frame_rate).astype(np.float32)
    if not np.all(np.diff(times) > 0.0):
        raise MotionError(
            f"{played.n_frames} frames at {clip.frame_rate:g} Hz cannot be told apart in glTF's 32-bit times; "
            "write a part of it"
        )
    tracks = tracks_of(played, course)
    clock = buffer.add(times, bounds=True)
    seconds = (whole.n_frames - 1) / clip.frame_rate
    speed, turn = mean_rates(way, seconds)
    return {
        "name": motion_name(clip, style),
        "samplers": [
            {"input": clock, "interpolation": "LINEAR", "output": buffer.add(values)} for _, _, values in tracks
        ],
        "channels": [
            {"sampler": sampler, "target": {"node": bone, "path": path}}
            for sampler, (bone, path, _) in enumerate(tracks)
        ],
        "extras": {
            "mocapella": {
                "version": __version__,
                "source": PureWindowsPath(clip.source).name,  # knows both kinds of slash
                "frame_rate": clip.frame_rate,
                "frames": clip.n_frames,
                "first_row": clip.first_row,
                "looping": style.loop,
                "in_place": style.in_place,
                "root_motion": "none" if style.in_place else style.root_motion,
                "speed": round(speed, 6),  # m/s
                "turn": round(turn, 6),  # degrees per second, left positive
                "travel": round(speed * seconds, 6),  # metres from the first key to the last
                "metres_per_unit": clip.report.metres_per_unit,
                "warnings": sorted({finding.code for finding in clip.report.warnings}),
            }
        },
    }


def bone_animations(clips: Sequence[Clip], bones: Bones, buffer: Buffer, style: GltfStyle) -> list[_Json]:
    """The animation of each clip, whose names differ."""
    animations: list[_Json] = []
    for clip in clips:
        animation = animation_of(clip, buffer, style, partial(bone_tracks, bones))
        animation["name"] = free_name(animation["name"], [other["name"] for other in animations])
        animations.append(animation)
    return animations


def _single(values: Float[np.ndarray, " components"]) -> list[float]:
    """Numbers as short as 32 bits allow, since no reader keeps more."""
    return [float(str(value)) for value in values.astype(np.float32)]


def _json(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return whole_characters(text).encode("utf-8")


def _refuse_more_than_fits(size: int) -> None:
    if size > LARGEST:
        raise MotionError(
            f"the motion makes a glTF file of {size / 2**30:.1f} GiB, at most 4 are possible; write a part of it, "
            "or resample it to a lower frame rate"
        )
