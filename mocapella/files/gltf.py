"""Clips written as glTF 2.0: a skinned body and its motion, for Blender, Godot, three.js and engines.

The skeleton's rest pose is the bind pose, one node per joint under its own name, and the skin lists every joint:
without a skin Blender makes loose empties of the joints, and Godot loose spatials. End sites are no nodes: as joints of
the skin they would be superfluous bones, outside it loose objects again. They stand in their joint's ``extras``.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import PureWindowsPath
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from mocapella.body.mesh import BodyMesh, body_mesh
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.motion import loops
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

LARGEST = 2**32 - 1  # bytes; a binary glTF states its length in 32 bits
AT_REST = 1e-7  # a joint that turns by less, in quaternion components, or slides by less, in metres, needs no channel
_MATERIAL = {"baseColorFactor": [0.80, 0.52, 0.36, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}

_FLOAT, _USHORT, _UINT = 5126, 5123, 5125
_VERTICES, _INDICES = 34962, 34963
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}

_Json = dict[str, Any]


def write_glb(clip: Clip, path: str | PathLike[str], *, loop: bool = False, in_place: bool = False) -> None:
    """Write a clip as binary glTF: skeleton, a plain body, one animation named after the clip.

    Parameters
    ----------
    clip
        The motion. Joints that stay at rest throughout get no animation channel.
    path
        Where to; an existing file is replaced once the new one is complete.
    loop
        Close the loop: a last key at ``clip.seconds`` repeats the first frame. Where the root travels it is carried on
        to where the next round begins, so that an engine that moves its character by the root goes on without a hitch.
    in_place
        Take out the root's way over the ground. In a loop that is its steady travel and turn only, sway stays, and the
        last key equals the first; else the root is held above the origin.

    Raises
    ------
    MotionError
        Where the file would pass 4 GiB, or numbers do not fit into 32 bits.
    """
    document, data = _document(clip, loop=loop, in_place=in_place)
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


def write_gltf(clip: Clip, path: str | PathLike[str], *, loop: bool = False, in_place: bool = False) -> None:
    """Write a clip as glTF in readable JSON, its numbers inside as base64; otherwise as ``write_glb``."""
    document, data = _document(clip, loop=loop, in_place=in_place)
    numbers = base64.b64encode(b"".join(array.tobytes() for array in data)).decode("ascii")
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + numbers
    with replacing(path) as file:
        file.write(_json(document))


@dataclass
class _Buffer:
    """The numbers of a file in the order they are written, and how the document refers to them."""

    arrays: list[Shaped[np.ndarray, ...]] = field(default_factory=list)
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


def _document(clip: Clip, *, loop: bool, in_place: bool) -> tuple[_Json, list[Shaped[np.ndarray, ...]]]:
    """The document and the numbers it refers to; the same clip gives the same bytes."""
    from mocapella import __version__  # the package may still be loading when this module is

    skeleton = clip.skeleton
    if skeleton.n_joints >= 2**16 - 1:
        raise MotionError(f"glTF numbers joints in 16 bits; {skeleton.n_joints} are too many")
    n_keys = clip.n_frames + loop
    _refuse_more_than_fits(4 * n_keys * (4 + 4 * skeleton.n_joints + 3 * len(clip.sliding_joints)))
    played = _played(clip, loop=loop, in_place=in_place)
    buffer = _Buffer()
    body = {"name": _free_name("body", skeleton.names), "mesh": 0, "skin": 0}
    animation = _animation(played, buffer)
    animation["extras"] = {
        "mocapella": {
            "version": __version__,
            "source": PureWindowsPath(clip.source).name,  # knows both kinds of slash
            "frame_rate": clip.frame_rate,
            "frames": clip.n_frames,
            "first_row": clip.first_row,
            "looping": loop,
            "in_place": in_place,
            "metres_per_unit": clip.report.metres_per_unit,
            "warnings": sorted({finding.code for finding in clip.report.warnings}),
        }
    }
    document = {
        "asset": {"version": "2.0", "generator": f"mocapella {__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [0, skeleton.n_joints]}],  # the root, and the body after all joints
        "nodes": [*_joint_nodes(skeleton), body],
        "meshes": [_mesh(body_mesh(skeleton), buffer)],
        "materials": [{"name": "skin", "pbrMetallicRoughness": _MATERIAL}],
        "skins": [_skin(skeleton, buffer)],
        "animations": [animation],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    return document, buffer.arrays


def _played(clip: Clip, *, loop: bool, in_place: bool) -> Clip:
    """The frames that become keys; a loop leaves out an artificial rest pose."""
    if loop:
        return loops.close_loop_in_place(clip.captured) if in_place else loops.close_loop(clip.captured)
    return loops.in_place(clip) if in_place else clip


def _joint_nodes(skeleton: Skeleton) -> list[_Json]:
    """One node per joint at its rest offset."""
    nodes: list[_Json] = []
    for joint, name in enumerate(skeleton.names):
        node: _Json = {"name": name, "translation": _single(skeleton.offsets[joint])}
        if len(children := skeleton.children(joint)):
            node["children"] = children.tolist()
        if len(ends := skeleton.end_offsets[skeleton.end_joints == joint]):
            node["extras"] = {"end_sites": [_single(end) for end in ends]}
        nodes.append(node)
    return nodes


def _skin(skeleton: Skeleton, buffer: _Buffer) -> _Json:
    """All joints with their inverse bind matrices: mere shifts, since nothing turns at rest."""
    inverse_binds = np.tile(np.eye(4), (skeleton.n_joints, 1, 1))
    inverse_binds[:, 3, :3] = -skeleton.rest_positions  # column by column, so the shift is the last row
    return {
        "name": "skeleton",
        "inverseBindMatrices": buffer.add(inverse_binds),
        "skeleton": 0,
        "joints": list(range(skeleton.n_joints)),
    }


def _mesh(body: BodyMesh, buffer: _Buffer) -> _Json:
    weights = body.weights.astype(np.float32)
    weights[:, 0] = 1.0 - weights[:, 1:].sum(axis=1)  # rounding must not make or lose weight
    attributes = {
        "POSITION": buffer.add(body.vertices, target=_VERTICES, bounds=True),
        "NORMAL": buffer.add(body.normals, target=_VERTICES),
        "JOINTS_0": buffer.add(body.joints, target=_VERTICES),
        "WEIGHTS_0": buffer.add(weights, target=_VERTICES),
    }
    indices = buffer.add(body.faces.reshape(-1), target=_INDICES)
    return {"name": "body", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}


def _animation(clip: Clip, buffer: _Buffer) -> _Json:
    """Samplers for the root's place and for each joint that turns or slides; all share their times."""
    with np.errstate(over="ignore"):
        times = (np.arange(clip.n_frames) / clip.frame_rate).astype(np.float32)
    if not np.all(np.diff(times) > 0.0):
        raise MotionError(
            f"{clip.n_frames} frames at {clip.frame_rate:g} Hz cannot be told apart in glTF's 32-bit times; "
            "write a part of it"
        )
    tracks: list[tuple[int, str, Float[np.ndarray, "keys components"]]] = [(0, "translation", clip.root_positions)]
    xyzw = np.roll(clip.rotations_wxyz, -1, axis=-1)
    turning = np.flatnonzero(np.abs(xyzw[..., :3]).max(axis=(0, 2)) > AT_REST)
    tracks += [(int(joint), "rotation", xyzw[:, joint]) for joint in turning]
    for joint, slide in zip(clip.sliding_joints, np.moveaxis(clip.slides, 1, 0), strict=True):
        if np.abs(slide - clip.skeleton.offsets[joint]).max() > AT_REST:
            tracks.append((int(joint), "translation", slide))
    clock = buffer.add(times, bounds=True)
    return {
        "name": clip.name or PureWindowsPath(clip.source).stem or "motion",
        "samplers": [
            {"input": clock, "interpolation": "LINEAR", "output": buffer.add(values)} for _, _, values in tracks
        ],
        "channels": [
            {"sampler": sampler, "target": {"node": joint, "path": path}}
            for sampler, (joint, path, _) in enumerate(tracks)
        ],
    }


def _free_name(wish: str, taken: Sequence[str]) -> str:
    """The wished name, with as many underscores as it takes to be free."""
    while wish in taken:
        wish += "_"
    return wish


def _single(values: Float[np.ndarray, " components"]) -> list[float]:
    """Numbers as short as 32 bits allow, since no reader keeps more."""
    return [float(str(value)) for value in values.astype(np.float32)]


def _json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _refuse_more_than_fits(size: int) -> None:
    if size > LARGEST:
        raise MotionError(
            f"the motion makes a glTF file of {size / 2**30:.1f} GiB, at most 4 are possible; write a part of it, "
            "or resample it to a lower frame rate"
        )
