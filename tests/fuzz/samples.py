"""What the fuzzer damages: real files cut down to a few frames, or small ones of our own where there are none."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import struct
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tests.files.acclaim.asf_samples import ROOT

N_FRAMES = 5
LARGEST = 16_000  # bytes of a sample; larger ones slow the fuzzer down without teaching anything new

BVH = b"""HIERARCHY
ROOT Hips
{
\tOFFSET 0 90 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT LeftUpLeg
\t{
\t\tOFFSET 9 -5 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tJOINT LeftLeg
\t\t{
\t\t\tOFFSET 0 -40 1e-3
\t\t\tCHANNELS 1 Xrotation
\t\t\tJOINT LeftFoot
\t\t\t{
\t\t\t\tOFFSET 0 -40 0
\t\t\t\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\t\t\t\tEnd Site
\t\t\t\t{
\t\t\t\t\tOFFSET 0 -5 15
\t\t\t\t}
\t\t\t}
\t\t}
\t}
\tJOINT Spine
\t{
\t\tOFFSET 0 20 0
\t\tCHANNELS 2 Xrotation Yrotation
\t\tJOINT Head: the top
\t\t{
\t\t\tOFFSET 0 40 0
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: .0083333
0.0000 90.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0 -40 0 0.0000 0.0000 0.0000 0.0000 0.0000
1.5000 91.2000 -0.5000 2.0000 -3.0000 10.5000 1.0000 -20.0000 3e1 40.0000 0.0 -41 0 0.0000 5.0000 0.0000 7.0000 0.0000
3.1000 90.7000 -1.0000 2.5000 -3.5000 11.5000 2.0000 -21.0000 31. 42.0000 0.1 -40 +1 .5000 5.5000 0.0000 7.5000 1.0000
"""

ASF = f"""# a leg and a back
:version 1.10
:name sample
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  free text
{ROOT}:bonedata
  begin
    id 1
    name lfemur
    direction 0.34 -0.93 0
    length 7.4
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name ltibia
    direction 0.34 -0.93 0
    length 7.2
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
  begin
    id 3
    name lowerback
    direction 0 1 0.02
    length 2.0
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root lfemur lowerback
    lfemur ltibia
  end
""".encode()

AMC = b"""#!OML:ASF sample.asf
:FULLY-SPECIFIED
:DEGREES
1
root 9.37 17.86 -17.31 -2.01 -3.07 -4.93
lfemur -10.5 3.25 17.0
ltibia 12.75
2
root 9.37 17.86 -17.21 -2.11 -3.0 -4.9
lfemur -11.5 3.5 17.125
ltibia 13.0
3
root 9.38 17.87 -17.11 -2.2 -2.9 -4.8
lfemur -12.5 3.75 17.25
ltibia 2.5e1
"""


@dataclass(frozen=True)
class Sample:
    """A small whole motion: one file, or an Acclaim pair."""

    name: str
    motion: bytes  # of any format
    skeleton: bytes = b""  # ASF, where the motion is AMC

    @property
    def is_pair(self) -> bool:
        """Whether this is a motion with its skeleton."""
        return bool(self.skeleton)


@cache
def samples(folder: Path | None) -> list[Sample]:
    """Our own small files, and the real ones under ``folder`` cut down; always in the same order."""
    found = [
        Sample("sample.bvh", BVH),
        Sample("sample.amc", AMC, ASF),
        Sample("sample.glb", binary()),
        Sample("sample.gltf", document()),
        Sample("sample.vrm", binary(human=True)),
        Sample("sample.npz", archive()),
        Sample("sample.trc", table("trc")),
        Sample("sample.csv", table("csv")),
        Sample("sample.vmd", keyed()),
        Sample("sample.mvnx", segments()),
        Sample("sample.dae", collada()),
    ]
    if folder is None:
        return found
    small = [*folder.glob("odd-bvh/*.bvh"), *folder.glob("makehuman/*.bvh"), *folder.glob("three-js/*.bvh")]
    for path in sorted([*small, *folder.glob("cmu-bvh/*/*_01.bvh")]):
        found.append(Sample(path.name, fewer_rows(path.read_bytes())))
    for skeleton in sorted(folder.glob("cmu-asfamc/*/*.asf")):
        motion = min(skeleton.parent.glob("*.amc"))
        found.append(Sample(motion.name, fewer_frames(motion.read_bytes()), skeleton.read_bytes()))
    odd = folder / "odd-asfamc"
    skeleton, motion = odd / "endorphin-skeleton.asf", odd / "endorphin-walking.amc"
    found.append(Sample(motion.name, fewer_frames(motion.read_bytes()), skeleton.read_bytes()))
    return [sample for sample in found if len(sample.motion) <= LARGEST]


@cache
def binary(*, human: bool = False) -> bytes:
    """A binary glTF of three joints, its keys written by hand; with the roles of VRM where it is human."""
    described, data = _gltf()
    if human:
        bones = {"hips": {"node": 1}, "leftUpperLeg": {"node": 2}, "spine": {"node": 3}}
        described = {**described, "extensions": {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}}
    text = json.dumps(described).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


@cache
def document() -> bytes:
    """The same as JSON, its numbers in an address."""
    described, data = _gltf()
    uri = f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}"
    return json.dumps({**described, "buffers": [{"byteLength": len(data), "uri": uri}]}, indent=1).encode()


def _gltf() -> tuple[dict[str, Any], bytes]:
    """The document of a glTF file, and its numbers."""
    times = struct.pack("<3f", 0.0, 0.5, 1.0)
    turns = b"".join(struct.pack("<4f", 0.0, s, 0.0, (1.0 - s * s) ** 0.5) for s in (0.0, 0.1, 0.2))
    places = struct.pack("<9f", *(0.1 * i for i in range(9)))
    data = times + turns + places
    spans = ((0, len(times)), (len(times), len(turns)), (len(times) + len(turns), len(places)))
    kinds = ((3, "SCALAR"), (3, "VEC4"), (3, "VEC3"))
    described = {
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "Armature", "children": [1], "scale": [0.01, 0.01, 0.01]},
            {"name": "Hips", "children": [2, 3], "translation": [0, 90, 0]},
            {"name": "LeftUpLeg", "translation": [9, -5, 0], "rotation": [0, 0, 0, 1]},
            {"name": "Spine", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 20, 0, 1]},
        ],
        "skins": [{"joints": [1, 2, 3]}],
        "animations": [
            {
                "channels": [
                    {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                    {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                    {"sampler": 1, "target": {"node": 1, "path": "translation"}},
                ],
                "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2, "interpolation": "STEP"}],
            }
        ],
        "accessors": [
            {"bufferView": i, "componentType": 5126, "count": count, "type": kind}
            for i, (count, kind) in enumerate(kinds)
        ],
        "bufferViews": [{"buffer": 0, "byteOffset": start, "byteLength": size} for start, size in spans],
        "buffers": [{"byteLength": len(data)}],
    }
    return described, data


@cache
def archive() -> bytes:
    """A SMPL motion of three frames."""
    out = io.BytesIO()
    poses = np.linspace(-0.3, 0.3, 3 * 66).reshape(3, 66)
    np.savez(out, poses=poses, trans=np.zeros((3, 3)), betas=np.ones(10), mocap_framerate=120.0)
    return out.getvalue()


@cache
def table(suffix: str) -> bytes:
    """Three frames of a body's joints."""
    from tests.files.points import doubles

    rng = np.random.default_rng(1)
    heights = {"hip": 0.9, "knee": 0.5, "ankle": 0.1, "toe": 0.0, "shoulder": 1.4, "elbow": 1.1, "wrist": 0.8}
    points = {}
    for role, name in doubles.NAMES.items():
        x = 0.1 if role.startswith("left") else -0.1 if role.startswith("right") else 0.0
        place = [x, heights.get(role.rpartition("_")[2], 1.5 if role != "hips" else 0.95), 0.1 * role.endswith("toe")]
        points[name] = np.array(place) + 0.01 * rng.normal(size=(3, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sample.{suffix}"
        if suffix == "csv":
            names = ",".join(f"{name}_{axis}" for name in points for axis in "xyz")
            rows = np.concatenate([np.arange(3)[:, None] / 60.0, *points.values()], axis=1)
            np.savetxt(path, rows, "%.4f", delimiter=",", header=f"time,{names}", comments="")
        else:
            {"trc": doubles.trc, "c3d": doubles.c3d}[suffix](path, points, 60.0)
        return path.read_bytes()


@cache
def keyed() -> bytes:
    """A VMD of a few keys."""
    from tests.files.vmd.vmd_samples import Key, written

    turn = (0.0, 0.1, 0.0, 0.995)
    keys = [Key(0), Key(4, (0.1, 0.2, 0.3), turn, ((20, 0, 60, 127),) * 4)]
    return written({"センター": keys, "左足ＩＫ": keys, "頭": keys[1:]}, [(2, {"左足ＩＫ": False})])


@cache
def segments() -> bytes:
    """An MVNX of two segments."""
    turns, places = "1 0 0 0 0.995 0.1 0 0", "0 0 0.9 0.1 -0.2 1.4"
    frame = f'<frame type="normal">\n<orientation>{turns}</orientation>\n<position>{places}</position>\n</frame>\n'
    listed = "".join(
        f'<segment label="{name}"><points><point><pos_b>0 0 0.5</pos_b></point></points></segment>\n'
        for name in ("Pelvis", "Head")
    )
    joint = "<joint><connector1>Pelvis/j</connector1><connector2>Head/j</connector2></joint>"
    inside = f"<segments>\n{listed}</segments>\n<joints>{joint}</joints>\n<frames>\n{frame * 3}</frames>\n"
    return f'<mvnx version="4">\n<subject label="a" frameRate="60">\n{inside}</subject>\n</mvnx>\n'.encode()


@cache
def collada() -> bytes:
    """A COLLADA file of three bones."""
    from tests.files.dae.dae_samples import written
    from tests.files.fbx.fbx_samples import person

    return written(person(3)[:3], clips=[("a", 0.0, 0.05)])


@cache
def slow_samples() -> list[Sample]:
    """Files that are read in a process of their own."""
    found = []
    if find_spec("ufbx") is not None:
        from tests.files.fbx.fbx_samples import Bone, person, written

        few = [Bone(bone.name, bone.parent, bone.place, bone.angles, pre=(0, 10, 0)) for bone in person(3)[:6]]
        found.append(Sample("sample.fbx", written(few)))
    if find_spec("pxr") is not None:
        from benchmarks.reader_budgets import usda

        found.append(Sample("sample.usda", usda(3, 3)))
    if find_spec("ezc3d") is not None:
        found.append(Sample("sample.c3d", table("c3d")))
    return found


def find_data() -> Path | None:
    """The folder of real captures, as the tests find it."""
    named = os.environ.get("MOCAPELLA_DATA")
    place = Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "data"
    return place if place.is_dir() else None


def fewer_rows(content: bytes) -> bytes:
    """A BVH file with its first rows only."""
    header_end = content.index(b"\n", content.index(b"Frame Time")) + 1
    rows = content[header_end:].splitlines(keepends=True)[:N_FRAMES]
    header = re.sub(rb"Frames:\s*\d+", b"Frames: %d" % len(rows), content[:header_end])
    return header + b"".join(rows)


def fewer_frames(content: bytes) -> bytes:
    """An AMC file with its first frames only."""
    starts = [match.start() for match in re.finditer(rb"^\d+\s*$", content, re.MULTILINE)]
    return content[: starts[N_FRAMES]] if len(starts) > N_FRAMES else content
