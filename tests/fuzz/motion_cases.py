"""Motion files for the fuzzer: damaged and loaded, and those that still load written in every format."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np

import mocapella as mo
from mocapella.files.format_table import READABLE
from tests.fuzz.cases import Files, Kind, judge_clip
from tests.fuzz.document_damage import ODD_TEXTS, change_somewhere, damaged_json
from tests.fuzz.mutations import damaged, damaged_archive
from tests.fuzz.samples import Sample, find_data, samples, slow_samples

_HOW = "how.json"  # how the motion of a folder is read and written
_NAME = "damaged"  # of the motion in a folder
_WRITTEN = (".usda", ".usdc", ".usdz", ".bvh", ".glb", ".vrma", ".amc", ".npz")


def motion_kind(folder: Path | None, *, share: float) -> Kind:
    """Small files of our own, and real ones of a folder cut down."""
    return Kind(partial(_folders, folder), partial(_damaged, folder), _load, share)


def _folders(folder: Path | None) -> list[Files]:
    return [_files(sample) for sample in samples(folder)]


def _files(sample: Sample, **how: bool | str) -> Files:
    suffix = ".amc" if sample.is_pair else Path(sample.name).suffix
    skeleton = {f"{_NAME}.asf": sample.skeleton} if sample.is_pair else {}
    return {_NAME + suffix: sample.motion, **skeleton, _HOW: json.dumps({"file": _NAME + suffix, **how}).encode()}


def _damaged(folder: Path | None, files: Files, rng: Random) -> Files:
    how = json.loads(files[_HOW])
    name, skeleton = how["file"], f"{_NAME}.asf"
    if skeleton in files and rng.random() < 0.4:
        skeletons = [sample.skeleton for sample in samples(folder) if sample.is_pair]
        files[skeleton] = damaged(files[skeleton], skeletons, rng)
        name = rng.choice((name, skeleton))
    elif name.endswith(".npz") and rng.random() < 0.7:
        files[name] = damaged_archive(files[name], rng)
    elif name.endswith((".glb", ".vrm")) and rng.random() < 0.5:
        files[name] = _damaged_document(files[name], rng)
    elif name.endswith(".gltf") and rng.random() < 0.7:
        files[name] = damaged_json(files[name], rng)
    else:
        files[name] = damaged(files[name], [sample.motion for sample in samples(folder)], rng)
    how = {**how, "file": name, "clean": rng.random() < 0.3, "partial": rng.random() < 0.3, "all": rng.random() < 0.2}
    return {**files, _HOW: json.dumps(how).encode()}


def _damaged_document(content: bytes, rng: Random) -> bytes:
    """A binary glTF whose document says something else; its lengths are right."""
    size = struct.unpack_from("<I", content, 12)[0]
    document = json.loads(content[20 : 20 + size])
    for _ in range(rng.choice((1, 1, 2, 3))):
        change_somewhere(document, rng)
    return _glb(document, content[20 + size :])


def _glb(document: object, chunks: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(chunks))
    return head + struct.pack("<II", len(text), 0x4E4F534A) + text + chunks


def _loaded(folder: Path) -> mo.Clip:
    how = json.loads((folder / _HOW).read_bytes())
    return mo.load(folder / how["file"], clean=how.get("clean", False), partial=how.get("partial", False))


def _load(folder: Path) -> str:
    how = json.loads((folder / _HOW).read_bytes())
    for clip in mo.load_all(folder / how["file"]) if how.get("all") else [_loaded(folder)]:
        judge_clip(clip)
    return "loaded"


# Files that other libraries read, in processes of their own.


def _apart_folders() -> list[Files]:
    return [_files(sample) for sample in slow_samples()]


def _apart_missing() -> str:
    missing = [name for name in ("ufbx", "ezc3d") if find_spec(name) is None]
    return f"{' and '.join(missing)} cannot be imported" if len(missing) == 2 else ""


# What was loaded, written again.


def _writable() -> list[Files]:
    return [_files(sample, write=suffix) for sample in samples(None) for suffix in _WRITTEN]


def _damaged_to_write(files: Files, rng: Random) -> Files:
    """Names of any letters, or numbers that still load."""
    name = json.loads(files[_HOW])["file"]
    if name.endswith(".glb") and rng.random() < 0.7:
        size = struct.unpack_from("<I", files[name], 12)[0]
        document = json.loads(files[name][20 : 20 + size])
        for node in document["nodes"]:
            if rng.random() < 0.6:
                node["name"] = "".join(rng.choice((*ODD_TEXTS, "a", "1", " ", "/")) for _ in range(rng.randint(0, 2)))
        return {**files, name: _glb(document, files[name][20 + size :])}
    how = json.loads(files[_HOW])
    out = _damaged(None, files, rng)
    return {**out, _HOW: json.dumps(how).encode()}


def _write(folder: Path) -> str:
    clip = _loaded(folder)
    suffix = json.loads((folder / _HOW).read_bytes())["write"]
    path = folder / f"written{suffix}"
    options = {"skeleton": folder / "written.asf"} if suffix == ".amc" else {}
    try:
        mo.save(clip, path, **options)
    except mo.MotionError:
        assert not path.exists(), "a file was written that was refused"
        raise
    if suffix.startswith(".usd"):
        _judge_usd(path, clip)
    elif suffix in READABLE:
        judge_clip(again := mo.load(path, **options))
        assert again.n_frames == clip.n_frames, f"{clip.n_frames} frames were written, {again.n_frames} are read"
    return "written"


def _judge_usd(path: Path, clip: mo.Clip) -> None:
    """usd-core opens it, finds every joint, and numbers everywhere."""
    from pxr import Usd, UsdSkel

    stage = Usd.Stage.Open(str(path))
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton"))
    joints = list(skeleton.GetJointsAttr().Get())
    assert 0 < len({*joints}) == len(joints) <= clip.skeleton.n_joints + 1, f"joints {joints}"
    assert UsdSkel.Topology(joints).Validate()[0], f"joints {joints}"
    animation = UsdSkel.Animation(UsdSkel.BindingAPI(skeleton).GetAnimationSource())
    for attribute in (animation.GetTranslationsAttr(), animation.GetRotationsAttr()):
        times = attribute.GetTimeSamples()
        assert len(times) == clip.n_frames, f"{len(times)} of {clip.n_frames} frames"
        for time in times:
            values: Sequence[object] = attribute.Get(time)
            assert len(values) == len(joints)
            assert np.isfinite(np.array(values, dtype=float) if attribute.GetName() == "translations" else
                               np.array([[q.GetReal(), *q.GetImaginary()] for q in values])).all()  # fmt: skip


def _writing_missing() -> str:
    return "" if find_spec("pxr") else "usd-core cannot be imported: pip install 'mocapella[usd]'"


MOTIONS = motion_kind(find_data(), share=3.0)
APART = Kind(_apart_folders, partial(_damaged, None), _load, 1.0, _apart_missing)
WRITTEN = Kind(_writable, _damaged_to_write, _write, 1.0, _writing_missing)
