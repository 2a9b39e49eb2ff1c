"""Print how exactly files of other formats are read: ``python -m benchmarks.quality_formats [--blender PYTHON]``.

Captures and motions of the actor are written as SMPL, FBX, TRC, C3D and CSV files, read back, and compared with where
the joints were: by each format's own definition, by another reader, or by Blender where a Python with ``bpy`` is named.
Below that, what positions and markers tell of a body: mean distances of fitted joints from the true ones, and how feet
that rest move.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from rich.table import Table

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.cli.printing import out
from tests.files.fbx.fbx_samples import person, places, written
from tests.files.points import doubles as points
from tests.files.smpl import doubles as smpl
from tests.interop.test_fbx import IN_BLENDER, WAYS

TRIALS = ("cmu-bvh/07/07_01.bvh", "cmu-bvh/16/16_15.bvh", "cmu-bvh/35/35_17.bvh")
PARTS = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blender", metavar="PYTHON", help="a Python that has bpy, for FBX files of Blender's")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    data = data_folder()
    clips = [mo.load(data / trial).captured.resampled(60.0) for trial in TRIALS] if data else []
    clips.append(mo.example("walk", frame_rate=60.0))
    with tempfile.TemporaryDirectory() as folder:
        out.print(_exactness(clips, Path(folder), arguments.blender), _bodies(clips, Path(folder)))


def _exactness(clips: list[mo.Clip], folder: Path, blender: str | None) -> Table:
    table = Table("format", "judged by", "motions", "joints", "most off, mm", "read in, s", title="Joints read back")
    smpl_off, joint_off, c3d_off, csv_off, seconds = [], [], [], [], [0.0] * 4
    for clip in clips:
        body = smpl.performed(clip, 52)
        np.savez(folder / "a.npz", **smpl.arrays(body))
        read, seconds[0] = _timed(folder / "a.npz", skeleton=smpl.model(folder / "model.npz", body.skeleton))
        smpl_off.append(np.linalg.norm(read.positions - body.positions, axis=2).max())
        own = dict(zip(clip.skeleton.names, np.moveaxis(clip.positions, 1, 0), strict=True))
        for off, path, at in (
            (joint_off, points.trc(folder / "a.trc", own, 60.0), 1),
            (c3d_off, points.c3d(folder / "a.c3d", own, 60.0), 2),
            (csv_off, _csv(folder / "a.csv", clip), 3),
        ):
            read, seconds[at] = _timed(path)
            known = [name for name in read.skeleton.names if name in own]
            found = read.positions[:, [read.skeleton.index(name) for name in known]]
            off.append(np.linalg.norm(found - np.stack([own[name] for name in known], axis=1), axis=2).max())
    count = str(len(clips))
    for name, judge, off, taken in (
        ("SMPL", "the model's definition", smpl_off, seconds[0]),
        ("TRC", "the positions written", joint_off, seconds[1]),
        ("C3D", "the positions written", c3d_off, seconds[2]),
        ("CSV", "the positions written", csv_off, seconds[3]),
    ):
        table.add_row(name, judge, count, "all named", f"{1000 * max(off):.4f}", f"{taken:.2f}")
    bones = person(60)
    for bone in bones[1:]:
        bone.pre, bone.post, bone.pivot = (20.0, -70.0, 45.0), (-30.0, 10.0, 80.0), (3.0, -2.0, 1.0)
    (folder / "a.fbx").write_bytes(written(bones))
    read, taken = _timed(folder / "a.fbx")
    found = read.positions[:, [read.skeleton.index(bone.name) for bone in bones]]
    off = np.linalg.norm(found - 0.01 * places(bones, 60), axis=2).max()
    table.add_row("FBX", "FBX's definition", "1", str(len(bones)), f"{1000 * off:.4f}", f"{taken:.2f}")
    if blender:
        for way, off in _blender(blender, folder).items():
            table.add_row("FBX", f"Blender, {way}", "1", "23", f"{1000 * off:.4f}", "")
    return table


def _timed(path: Path, **options: object) -> tuple[mo.Clip, float]:
    started = time.perf_counter()
    return mo.load(path, **options), time.perf_counter() - started


def _csv(path: Path, clip: mo.Clip) -> Path:
    clip.to_dataframe().to_csv(path)
    return path


def _blender(python: str, folder: Path) -> dict[str, float]:
    """FBX files that Blender writes, against where it has the joints."""
    (folder / "write.py").write_text(IN_BLENDER)
    mo.save(mo.example("walk", frame_rate=60.0)[:120], folder / "walk.glb", names="mixamo")
    out = {}
    for way, options in WAYS.items():
        words = [
            python,
            str(folder / "write.py"),
            str(folder / "walk.glb"),
            str(folder / "walk.fbx"),
            json.dumps(options),
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
        poses = json.loads(done.stdout.split("\nFOUND")[1].splitlines()[0])
        clip = mo.load(folder / "walk.fbx")
        names = list(poses[0])
        truth = np.array([[pose[name] for name in names] for pose in poses])[..., [0, 2, 1]] * [1, 1, -1]
        found = clip.positions[:, [clip.skeleton.index(name) for name in names]]
        out[way] = float(np.linalg.norm(found - truth[: len(found)], axis=2).max())
    return out


def _bodies(clips: list[mo.Clip], folder: Path) -> Table:
    """What joints and markers tell of a body; those of markers are 5 mm off their places, with 1 mm of noise."""
    heads = ("points", "motions", *(f"{part}s, mm" for part in PARTS), "resting feet, mm/s", "in the positions")
    table = Table(*heads, title="Bodies told by positions: mean distance from the true joints")
    kinds = {
        "17 joints": points.joints,
        "16 joints, no hips": lambda clip: {name: p for name, p in points.joints(clip).items() if name != "CHip"},
    }
    for name, labels in points.MARKER_SETS.items():
        kinds[name] = partial(points.markers, labels=labels, misplaced=0.005, noise=0.001, seed=1)
    for kind, make in kinds.items():
        _add_body(table, kind, [(clip, mo.load(points.trc(folder / "a.trc", make(clip), 60.0))) for clip in clips])
    stand = mo.example("stand", frame_rate=60.0)[:60]
    for name, labels in points.WALKING_SETS.items():
        off = {"misplaced": 0.005, "noise": 0.001, "seed": 1}
        static = points.trc(folder / "static.trc", points.markers(stand, points.MARKER_SETS[name], **off), 60.0)
        path = points.trc(folder / "a.trc", points.markers(clips[-1], labels, **off), 60.0)
        _add_body(table, f"{name}, static trial apart", [(clips[-1], mo.load(path, skeleton=static))])
    return table


def _add_body(table: Table, kind: str, pairs: list[tuple[mo.Clip, mo.Clip]]) -> None:
    """A row of mean distances between joints of the same roles."""
    off: dict[str, list[float]] = {}
    feet = []
    for clip, read in pairs:
        own, roles = mo.find_roles(clip.skeleton), mo.find_roles(read.skeleton)
        for role in own.keys() & roles.keys():
            apart = read.positions[:, roles[role]] - clip.positions[:, own[role]]
            off.setdefault(role.rpartition("_")[2], []).append(1000.0 * float(np.linalg.norm(apart, axis=1).mean()))
        told = next(one.message for one in read.report.findings if one.code == "feet")
        feet.append([float(word) for word in re.findall(r"([\d.]+) mm", told)])
    numbers = [f"{np.mean(off[part]):.1f}" if part in off else "" for part in PARTS]
    table.add_row(kind, str(len(pairs)), *numbers, *(f"{value:.0f}" for value in np.mean(feet, axis=0)))


if __name__ == "__main__":
    main()
