"""The table of motion formats by suffix: those of this package, and those that other packages add.

A package adds a format by an entry point of the group ``mocapella.formats``: its name is the suffix without the dot,
its value a ``Format``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.errors import FormatError, Option, warn
from mocapella.files.conventions import Animation, Parsed, body_height, infer_unit, named_unit
from mocapella.geometry.quaternions import IDENTITY
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles

GROUP = "mocapella.formats"  # of entry points


@dataclass(frozen=True)
class Format:
    """A format of motion files: how it is read and written, where it is, and with which options.

    Parameters
    ----------
    name
        What it is called in messages.
    read, write
        Take a path, or a clip and a path, and options by keyword. A reader gives a ``Parsed``, or a clip in metres.
    reading, writing
        The options of ``load`` and ``save`` that they take.
    holds_motion
        False for files of a skeleton alone, whose only frame is its rest pose.
    several
        Whether one file holds several motions, on a skeleton that stands; others get one, on the skeleton it came with.
    stands
        Whether a writer of one motion takes the skeleton that stands, not the one it came with.
    in_folders
        Whether files of this suffix are motions where a folder stands for all that is in it; of a suffix that is used
        for much else, such as ``.csv``, only those that are named.
    animations
        Instead of ``read``, for files with several motions: opens a file once and gives all of them, each an
        ``Animation``. It takes a path and ``frame_rate``.
    needs, extra
        A module that must be importable to read it, and what to install where it is not: ``mocapella[fbx]``.
    """

    name: str
    read: Callable[..., Parsed | Clip] | None = None
    reading: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    writing: tuple[str, ...] = ()
    holds_motion: bool = True
    several: bool = False
    stands: bool = False
    in_folders: bool = True
    animations: Callable[..., Sequence[Animation]] | None = None
    needs: str = ""
    extra: str = ""

    @property
    def is_read(self) -> bool:
        """Whether files of it can be read."""
        return self.read is not None or self.animations is not None


def _later(place: str) -> Callable[..., Any]:
    """A reader or writer that is imported when it is first used: all of them take longer than most commands."""
    module, name = place.split(":")

    def call(*given: Any, **options: Any) -> Any:
        return getattr(import_module(f"mocapella.files.{module}"), name)(*given, **options)

    return call


_read_asf_file, _write_amc = _later("acclaim.asf:read_asf"), _later("acclaim.acclaim_writer:write_amc")
_gltf_animations, _fbx_animations = _later("gltf.gltf_reader:gltf_animations"), _later("fbx.fbx_reader:fbx_animations")
_read_c3d = _later("points.marker_files:read_c3d")
_read_npz, _write_npz = _later("smpl.smpl_reader:read_npz"), _later("smpl.smpl_writer:write_npz")


def _read_amc(path: Path, *, skeleton: str | PathLike[str] | None, frame_rate: float | None, partial: bool) -> Parsed:
    from mocapella.files.acclaim.amc import read_amc

    asf = _read_asf_file(find_skeleton(path) if skeleton is None else skeleton)
    return read_amc(path, asf, frame_rate=frame_rate, partial=partial)


def _read_asf(path: Path) -> Parsed:
    asf = _read_asf_file(path)
    still = np.tile(IDENTITY, (1, asf.skeleton.n_joints, 1))
    return Parsed(
        asf.skeleton, np.zeros((1, 3)), still, 120.0, findings=asf.findings, metres_per_unit=asf.metres_per_unit
    )


def _write_bvh(clip: Clip, path: Path, *, unit: str | None) -> None:
    from mocapella.files.bvh_writer import write_bvh

    from_bvh = Path(clip.source).suffix.lower() == ".bvh"
    usual = clip.report.metres_per_unit if from_bvh else 0.01
    metres = usual if unit is None else named_unit(unit).metres
    write_bvh(clip, path, metres_per_unit=metres)
    roles = find_roles(clip.skeleton)
    guess = infer_unit(body_height(clip.skeleton, roles) / metres, clip.skeleton, roles)
    if not math.isclose(guess.metres, metres, rel_tol=1e-6):  # BVH states no unit, and readers go by the height
        warn(f"{path}: written in units of {metres:g} m; by its height it reads as {guess.name}, so name the unit")


def find_skeleton(motion: Path) -> Path:
    """The ``.asf`` that belongs to an ``.amc``.

    The only one beside it, else the one whose name begins the motion's; ``FormatError`` where there is neither.
    """
    try:
        if not motion.exists():
            raise FormatError(motion, 0, "there is no such file")
        beside = sorted(file for file in motion.parent.iterdir() if file.suffix.lower() == ".asf")
    except OSError as error:
        raise FormatError(motion, 0, f"cannot be read: {error.strerror or error}") from None
    if len(beside) == 1:
        return beside[0]
    prefix = [file for file in beside if motion.stem.startswith(file.stem)]
    if prefix:
        return max(prefix, key=lambda file: len(file.stem))
    there = f"are {len(beside)} of them, none named as the motion begins" if beside else "is none"
    named = Option("skeleton", "FILE")
    raise FormatError(motion, 0, f"an .amc needs its .asf; beside it there {there}: {named} names it", option=named)


def split_animation(path: str | PathLike[str]) -> tuple[Path, str | None]:
    """A file, and the animation of it that a path names: ``pack.glb#Walk`` is the animation ``Walk`` of ``pack.glb``.

    None where it names none; a file whose own name holds a ``#`` is that file.
    """
    text = os.fspath(path)
    ends = [end for end, letter in enumerate(text) if letter == "#" and Path(text[:end]).suffix.lower() in _ANIMATED]
    if not ends or _is_file(text):
        return Path(text), None
    end = next((end for end in ends if _is_file(text[:end])), ends[0])
    return Path(text[:end]), text[end + 1 :]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # a name longer than any file's
        return False


_GLTF = ("root_motion", "bones", "body")


def _animated(
    name: str,
    animations: Callable[..., Sequence[Animation]],
    write: Callable[..., None] | None = None,
    writing: tuple[str, ...] = (),
    *,
    needs: str = "",
    extra: str = "",
) -> Format:
    """A format whose files hold several motions."""
    several = write is not None
    keyed = ("frame_rate",)
    return Format(name, None, keyed, write, writing, several=several, animations=animations, needs=needs, extra=extra)


FORMATS: dict[str, Format] = {
    ".bvh": Format("BVH", _later("bvh:read_bvh"), ("frame_rate", "partial"), _write_bvh, ("unit",)),
    ".amc": Format("AMC", _read_amc, ("skeleton", "frame_rate", "partial"), _write_amc, ("skeleton",)),
    ".asf": Format("ASF", _read_asf, holds_motion=False),
    ".glb": _animated("glTF", _gltf_animations, _later("gltf.gltf_writer:write_glb"), _GLTF),
    ".gltf": _animated("glTF", _gltf_animations, _later("gltf.gltf_writer:write_gltf"), _GLTF),
    ".vrm": _animated("VRM", _gltf_animations),
    ".fbx": _animated("FBX", _fbx_animations, _later("blender:write_fbx"), _GLTF, needs="ufbx", extra="mocapella[fbx]"),
    ".dae": _animated("COLLADA", _later("dae.dae_reader:dae_animations")),
    ".vrma": _animated("VRM animation", _gltf_animations, _later("gltf.vrma:write_vrma")),
    **dict.fromkeys(
        (".usd", ".usda", ".usdc", ".usdz"),
        _animated(
            "USD",
            _later("usd.usd_reader:usd_animations"),
            _later("usd.usd_writer:write_usd"),
            _GLTF,
            needs="pxr",
            extra="mocapella[usd]",
        ),
    ),
    ".npz": Format("SMPL", _read_npz, ("skeleton", "frame_rate"), _write_npz, stands=True),
    ".vmd": Format("VMD", _later("vmd.vmd_reader:read_vmd"), ("partial",)),
    ".mvnx": Format("MVNX", _later("mvnx:read_mvnx"), ("frame_rate",)),
    ".trc": Format("TRC", _later("points.marker_files:read_trc"), ("skeleton", "frame_rate", "partial")),
    ".c3d": Format("C3D", _read_c3d, ("skeleton", "frame_rate"), needs="ezc3d", extra="mocapella[c3d]"),
    ".csv": Format("CSV", _later("points.marker_files:read_csv"), ("frame_rate",), in_folders=False),
}


def plug_ins(taken: dict[str, Format]) -> dict[str, Format]:
    """The formats that other packages add.

    A plug-in that cannot be loaded, is no ``Format``, or has a suffix that is ``taken`` is left out with a warning.
    """
    added: dict[str, Format] = {}
    for point in entry_points(group=GROUP):
        suffix = f".{point.name.lower().lstrip('.')}"
        owner = point.dist.name if point.dist is not None else point.value
        try:
            format = point.load()
        except Exception as error:  # another's code may raise anything, and must not take all formats with it
            warn(f"the format {suffix} of {owner} cannot be loaded: {type(error).__name__}: {str(error)[:200]}")
            continue
        if not isinstance(format, Format):
            warn(f"the format {suffix} of {owner} is left out: expected a Format, got {type(format).__name__}")
        elif suffix in taken or suffix in added:
            warn(f"the format {suffix} of {owner} is left out: there is one for that suffix")
        else:
            added[suffix] = format
    return added


FORMATS |= plug_ins(FORMATS)
_ANIMATED = tuple(suffix for suffix, format in FORMATS.items() if format.animations)
READABLE = tuple(suffix for suffix, format in FORMATS.items() if format.is_read)
WRITABLE = tuple(suffix for suffix, format in FORMATS.items() if format.write)
IN_FOLDERS = tuple(suffix for suffix in READABLE if FORMATS[suffix].in_folders)
MOTIONS = tuple(suffix for suffix in IN_FOLDERS if FORMATS[suffix].holds_motion)
