"""What the worst small files take: ``python -m benchmarks.reader_budgets [--json]`` prints memory, seconds and limits.

Memory is the peak of this process above what it had before, on Linux; what another library takes in a process of its
own is not in it, for there the system keeps to the limit.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import os
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import mocapella as mo
from mocapella.files.budget import FLOOR, PER_BYTE, Budget
from mocapella.toml import read_toml

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # options of mallopt


def _glb(document: dict[str, Any], binary: bytes = b"") -> bytes:
    text = json.dumps({"asset": {"version": "2.0"}, **document}, separators=(",", ":")).encode()
    out = b""
    for kind, chunk in ((0x4E4F534A, text + b" " * (-len(text) % 4)), (0x004E4942, binary)):
        out += struct.pack("<II", len(chunk), kind) + chunk if chunk else b""
    return struct.pack("<4sII", b"glTF", 2, 12 + len(out)) + out


def _unstored(count: int) -> bytes:
    """Accessors that have no bytes."""
    accessors = [{"componentType": 5126, "count": count, "type": kind} for kind in ("SCALAR", "VEC4")]
    channel = {"sampler": 0, "target": {"node": 0, "path": "rotation"}}
    animation = {"channels": [channel], "samplers": [{"input": 0, "output": 1}]}
    return _glb({"nodes": [{}], "animations": [animation], "accessors": accessors})


def _shared(n_nodes: int, n_keys: int, paths: tuple[str, ...] = ("rotation",)) -> bytes:
    """Keys that all nodes share."""
    rng = np.random.default_rng(0)
    parts = [np.arange(n_keys) / 60.0, rng.normal(size=(n_keys, 4)), rng.uniform(0.5, 1.0, size=(n_keys, 3))]
    stored = [part.astype("<f4").tobytes() for part in parts]
    kinds = ("SCALAR", "VEC4", "VEC3")
    begins = np.cumsum([0, *map(len, stored)]).tolist()
    channels = [
        {"sampler": int(path != "rotation"), "target": {"node": node, "path": path}}
        for node in range(n_nodes)
        for path in paths
    ]
    document = {
        "nodes": [{"children": list(range(1, n_nodes))}, *({} for _ in range(n_nodes - 1))],
        "animations": [{"channels": channels, "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2}]}],
        "accessors": [
            {"componentType": 5126, "count": n_keys, "type": kind, "bufferView": i} for i, kind in enumerate(kinds)
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": begin, "byteLength": len(part)}
            for begin, part in zip(begins, stored, strict=False)
        ],
        "buffers": [{"byteLength": begins[-1]}],
    }
    return _glb(document, b"".join(stored))


def _deep_skin(depth: int, n_named: int) -> bytes:
    """A skin that names the lowest joint of a chain again and again."""
    nodes: list[dict[str, Any]] = [{"children": [i + 1]} for i in range(depth - 1)]
    return _glb({"nodes": [*nodes, {}], "skins": [{"joints": [depth - 1] * n_named}]})


def _npz(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def _poses(n_frames: int) -> bytes:
    """Poses that repeat, and so take few bytes."""
    poses = np.random.default_rng(0).normal(size=(10, 72)).astype(np.float32)
    return _npz(poses=np.tile(poses, (n_frames // 10, 1)), trans=np.tile(poses[:, :3], (n_frames // 10, 1)))


def _bvh(n_joints: int, n_frames: int) -> bytes:
    """Joints without channels."""
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n}}\n" for i in range(n_joints - 1))
    head = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n{joints}}}\nMOTION\nFrames: {n_frames}\n"
    return (f"{head}Frame Time: 0.01\n" + "0\n" * n_frames).encode()


def _asf(n_bones: int) -> bytes:
    """Bones without degrees of freedom."""
    bones = "".join(f"begin\nname b{i}\ndirection 0 1 0\nlength 1\nend\n" for i in range(n_bones))
    words = " ".join(f"b{i}" for i in range(n_bones))
    return f":root\norder RX\n:bonedata\n{bones}:hierarchy\nbegin\nroot {words}\nend\n".encode()


def _amc(n_frames: int) -> bytes:
    return "".join(f"{number}\nroot 5\n" for number in range(1, n_frames + 1)).encode()


_JOINTS = [f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle", "shoulder", "elbow")]


def _csv(names: list[str], n_frames: int, n_seen: int) -> bytes:
    """Points that are not seen in most frames."""
    rng = np.random.default_rng(0)
    head = "time," + ",".join(f"{name}_{axis}" for name in names for axis in "xyz")
    rows = [
        f"{i / 100:g}," + (",".join(map(str, rng.integers(-9, 9, 3 * len(names)))) if i % n_seen == 0 else "")
        for i in range(n_frames)
    ]
    return "\n".join([head, *rows]).encode()


def _trc(n_points: int, n_frames: int) -> bytes:
    """Rows that end before the points."""
    names = _JOINTS[:n_points] + [f"p{i}" for i in range(n_points - len(_JOINTS))]
    labels, axes = "\t\t\t".join(names), "\t".join(f"{a}{i}" for i in range(n_points) for a in "XYZ")
    rows = [f"{i + 1}\t{i / 100:g}" + ("" if i else "\t1" * 3 * n_points) for i in range(n_frames)]
    head = ["PathFileType\t4", "DataRate\tNumMarkers\tNumFrames\tUnits", f"100\t{n_points}\t{n_frames}\tm"]
    return "\n".join([*head, f"Frame#\tTime\t{labels}\t\t", f"\t\t{axes}", *rows]).encode()


def _fbx(n_bones: int, seconds: int) -> bytes:
    """Two keys of one bone, far apart."""
    nodes = [f'Model: {100 + i}, "Model::b{i}", "LimbNode" {{\n}}' for i in range(n_bones)]
    bones = [
        f'NodeAttribute: {9000 + i}, "NodeAttribute::", "LimbNode" {{\nTypeFlags: "Skeleton"\n}}'
        for i in range(n_bones)
    ]
    links = [f'C: "OO",{9000 + i},{100 + i}\nC: "OO",{100 + i},{100 if i else 0}' for i in range(n_bones)]
    curve = f"KeyTime: *2 {{\na: 0,{46_186_158_000 * seconds}\n}}\nKeyValueFloat: *2 {{\na: 0,90\n}}\n"
    ways = "KeyAttrFlags: *1 {\na: 24836\n}\nKeyAttrDataFloat: *4 {\na: 0,0,0,0\n}\nKeyAttrRefCount: *1 {\na: 2\n}\n"
    stack = [
        'AnimationStack: 10, "AnimStack::a", "" {\n}\nAnimationLayer: 20, "AnimLayer::a", "" {\n}',
        'AnimationCurveNode: 30, "AnimCurveNode::R", "" {\n}',
        f'AnimationCurve: 40, "AnimCurve::", "" {{\n{curve}{ways}}}',
    ]
    links += ['C: "OO",20,10', 'C: "OO",30,20', 'C: "OP",30,100, "Lcl Rotation"', 'C: "OP",40,30, "d|X"']
    head = "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\n"
    content = f"Objects: {{\n{chr(10).join([*nodes, *bones, *stack])}\n}}\nConnections: {{\n{chr(10).join(links)}\n}}\n"
    return (head + content).encode()


def _vmd(n_frames: int) -> bytes:
    """Two keys of one bone, far apart."""
    keys = [
        struct.pack("<15sI7f", "頭".encode("cp932"), frame, *[0.0] * 6, 1.0) + b"\x14" * 64
        for frame in (0, n_frames - 1)
    ]
    return b"Vocaloid Motion Data 0002".ljust(50, b"\0") + struct.pack("<I", len(keys)) + b"".join(keys)


def _mvnx(n_frames: int, more: str = "") -> bytes:
    """Frames of one segment, spelled as briefly as can be."""
    frames = "<frame><orientation>1 0 0 0</orientation><position>0 0 0</position></frame>" * n_frames
    segments = '<segments><segment label="a"/></segments>'
    return f'<mvnx><subject frameRate="1">{segments}<frames>{frames}</frames></subject>{more}</mvnx>'.encode()


def _dae(n_nodes: int, seconds: float, n_channels: int = 1, n_turns: int = 1) -> bytes:
    """Two keys of one rotation, far apart but for a third; all channels are for one node."""
    keys = f"0 {1 / 60} {seconds}"
    sources = "".join(
        f'<source id="{key}"><float_array>{values}</float_array></source>'
        for key, values in (("i", keys), ("o", "0 1 2"))
    )
    inputs = '<sampler id="s"><input semantic="INPUT" source="#i"/><input semantic="OUTPUT" source="#o"/></sampler>'
    channels = '<channel source="#s" target="n0/r.ANGLE"/>' * n_channels
    turns = '<rotate sid="r">1 0 0 0</rotate>' + "<rotate>1 0 0 1</rotate>" * n_turns
    nodes = "".join(f'<node type="JOINT"><translate>0 {i} 0</translate></node>' for i in range(1, n_nodes))
    scene = f'<visual_scene><node id="n0" type="JOINT">{turns}{nodes}</node></visual_scene>'
    animations = f"<library_animations><animation>{sources}{inputs}{channels}</animation></library_animations>"
    return f"<COLLADA>{animations}<library_visual_scenes>{scene}</library_visual_scenes></COLLADA>".encode()


def usda(n_samples: int, n_joints: int, last: int = 0) -> bytes:
    """An array of one joint's place at many times, of a skeleton with many joints."""
    joints = ", ".join(f'"j{i}"' for i in range(n_joints))
    rest = ", ".join(["((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))"] * n_joints)
    samples = "".join(f"{i}:[(0,0,0)]," for i in [*range(n_samples), *([last] if last else [])])
    skeleton = (
        f'def Skeleton "s" {{\nuniform token[] joints = [{joints}]\nuniform matrix4d[] restTransforms = [{rest}]\n}}'
    )
    animation = f'uniform token[] joints = ["j0"]\nfloat3[] translations.timeSamples = {{{samples}}}'
    return f'#usda 1.0\n{skeleton}\ndef SkelAnimation "a" {{\n{animation}\n}}\n'.encode()


def _entities(depth: int) -> bytes:
    """Entities that stand for ten of those before them."""
    names = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, depth))
    return f'<!DOCTYPE mvnx [<!ENTITY e0 "0">{names}]><mvnx>&e{depth - 1};</mvnx>'.encode()


def _moca(n_lists: int) -> bytes:
    """A header of empty lists."""
    text = json.dumps({"format": "cycle", "version": 1, "a": [[]] * n_lists}, separators=(",", ":"))
    table = json.dumps({"__metadata__": {"mocapella": text}}).encode()
    return struct.pack("<Q", len(table)) + table


def _c3d(n_points: int) -> bytes:
    """Two frames, of which the header says that they are 65,535."""
    import ezc3d

    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    file["parameters"]["POINT"]["LABELS"]["value"] = [f"p{i}" for i in range(n_points)]
    file["data"]["points"] = np.ones((4, n_points, 2))
    with tempfile.TemporaryDirectory() as folder:
        file.write(f"{folder}/a.c3d")
        content = bytearray(Path(folder, "a.c3d").read_bytes())
    struct.pack_into("<H", content, 8, 65_535)
    return bytes(content)


def _toml(n_lines: int) -> bytes:
    """Tables in tables, as deep as is read."""
    return "".join(f"[a{i}{'.1' * 31}]\n" for i in range(n_lines)).encode()


_WORST: dict[str, tuple[str, Callable[[], bytes]]] = {  # what it is → suffix and content
    "accessors without bytes": (".glb", lambda: _unstored(12_000_000)),
    "keys of 800 nodes": (".glb", lambda: _shared(800, 2000)),
    "as many keys as are read": (".glb", lambda: _shared(60, 3400)),
    "as many sliding joints as are read": (".glb", lambda: _shared(60, 3400, ("rotation", "translation", "scale"))),
    "a joint named 30,000 times": (".glb", lambda: _deep_skin(900, 30_000)),
    "poses that are all zero": (".npz", lambda: _npz(poses=np.zeros((300_000, 72), np.float32))),
    "places of another shape": (".npz", lambda: _npz(poses=np.zeros((9, 72)), trans=np.zeros(20_000_000))),
    "as many poses as are read": (".npz", lambda: _poses(4500)),
    "joints without channels": (".bvh", lambda: _bvh(900, 20_000)),
    "as many joints without channels as are read": (".bvh", lambda: _bvh(400, 400)),
    "bones without degrees of freedom": (".asf", lambda: _asf(300)),
    "a motion of such bones": (".amc", lambda: _amc(4000)),
    "as long a motion of such bones as is read": (".amc", lambda: _amc(550)),
    "points that are never seen": (".csv", lambda: _csv([f"p{i}" for i in range(900)], 5000, 10_000)),
    "as many points as are read": (".csv", lambda: _csv(["hips", *_JOINTS], 1050, 20)),
    "points of short rows": (".trc", lambda: _trc(900, 5000)),
    "as many points of short rows as are read": (".trc", lambda: _trc(12, 1000)),
    "keys that are hours apart": (".fbx", lambda: _fbx(60, 9000)),
    "keys that are seconds apart": (".fbx", lambda: _fbx(60, 30)),
    "frames that are not there": (".c3d", lambda: _c3d(200)),
    "keys of a head that are hours apart": (".vmd", lambda: _vmd(900_000)),
    "as many frames as are read": (".vmd", lambda: _vmd(7900)),
    "entities of entities": (".mvnx", lambda: _entities(12)),
    "many small elements": (".mvnx", lambda: _mvnx(1, "<a/>" * 15_000)),
    "a megabyte of small elements": (".mvnx", lambda: _mvnx(1, "<a/>" * 2**18)),
    "short frames": (".mvnx", lambda: _mvnx(12_000)),
    "keys of a node that are hours apart": (".dae", lambda: _dae(60, 9000)),
    "as many frames of nodes as are read": (".dae", lambda: _dae(60, 43)),
    "channels for one node": (".dae", lambda: _dae(2, 1, n_channels=2000)),
    "rotations of one node": (".dae", lambda: _dae(2, 800, n_turns=2000)),
    "samples of one of 400 joints": (".usda", lambda: usda(3000, 400)),
    "samples that are hours apart": (".usda", lambda: usda(2, 400, 600_001)),
    "as many samples as are read": (".usda", lambda: usda(1000, 60)),
    "tables in tables": (".toml", lambda: _toml(900)),
    "a header of lists": (".moca", lambda: _moca(50_000)),
}


_NEEDS = {".c3d": "ezc3d", ".usda": "pxr"}  # modules without which a reader is left out


def rows() -> Iterator[dict[str, Any]]:
    """For each of the worst files: reader, bytes, what it took, its limits, and what came of it."""
    warnings.simplefilter("ignore")
    libc = ctypes.CDLL(None)
    for option, value in ((_MMAP_THRESHOLD, 1 << 16), (_TRIM_THRESHOLD, 0)):
        libc.mallopt(option, value)  # freed memory goes back to the system, so that no file uses another's
    with tempfile.TemporaryDirectory() as folder:
        for suffix, content in ((".glb", _shared(4, 20)), (".npz", _poses(20))):
            _load(_written(Path(folder), suffix, content))  # imports what loading needs
        for what, (suffix, make) in _WORST.items():
            if suffix in _NEEDS and find_spec(_NEEDS[suffix]) is None:
                continue
            path = _written(Path(folder), suffix, make())
            size = path.stat().st_size
            limits = {"memory_limit": max(FLOOR, PER_BYTE * size), "seconds_limit": Budget(path, size).seconds}
            yield {"reader": suffix, "what": what, "bytes": size, **_measured(path), **limits}


def _written(folder: Path, suffix: str, content: bytes) -> Path:
    path = folder / f"worst{suffix}"
    path.write_bytes(content)
    return path


def _load(path: Path) -> str:
    try:
        read_toml(path, path.read_bytes()) if path.suffix == ".toml" else mo.load(path)
    except mo.MotionError as error:
        return str(error).removeprefix(f"{path}: ")
    return "read"


def _measured(path: Path) -> dict[str, Any]:
    """Memory in bytes, seconds of computing and outcome of loading a file."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, began = _peak(), sum(os.times()[:4])
    try:
        outcome = _load(path)
    except Exception as error:  # must not happen: it is told, and fails the law
        outcome = f"crash: {error!r}"
    return {"memory": _peak() - before, "seconds": sum(os.times()[:4]) - began, "outcome": outcome}


def _peak() -> int:
    """The most memory that this process has had, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def main() -> int:
    """Print the table; exit status 1 where a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reader_budgets", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    table = [*rows()] if parser.parse_args().json else None
    if table is not None:
        print(json.dumps({"rows": table}))
    for row in rows() if table is None else ():
        used = f"{row['memory'] / 2**20:6.0f} of {row['memory_limit'] / 2**20:5.0f} MiB  {row['seconds']:5.2f} s"
        print(f"{row['reader']:5} {row['bytes']:>10,} bytes  {used}  {row['what']}: {row['outcome'][:110]}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
