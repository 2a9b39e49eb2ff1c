"""Averaged motions on disk: one ``.moca`` file each."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import msgspec
import numpy as np

from mocapella.editing.averaged import AveragedMotion, AveragedStance
from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import Arrays, read_moca, write_moca
from mocapella.motion.contacts import FEET
from mocapella.storage.records import SkeletonRecord, array_of, read_skeleton, skeleton_record

AVERAGED_FORMAT = "averaged"
AVERAGED_VERSION = 1
_ARRAYS = {"rotations_wxyz": 3, "ways": 2, "heights": 1}  # name → axes


class _StanceRecord(msgspec.Struct, frozen=True):
    seconds: float
    count: int


class _AveragedRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored averaged motion; other keys are left alone."""

    name: str
    skeleton: SkeletonRecord
    left: _StanceRecord
    right: _StanceRecord


def save_averaged(averaged: AveragedMotion, path: str | PathLike[str]) -> None:
    """Write an averaged motion as ``.moca``."""
    if Path(path).suffix.lower() != ".moca":
        raise MotionError(f"an averaged motion is stored as .moca, got {Path(path).name!r}")
    skeleton, arrays = skeleton_record(averaged.skeleton)
    stances = {foot: _StanceRecord(own.seconds, own.count) for foot, own in averaged.stances.items()}
    record = _AveragedRecord(averaged.name, skeleton, **stances)
    for foot, stance in averaged.stances.items():
        arrays |= {f"{foot}.{name}": getattr(stance, name) for name in _ARRAYS}
    write_moca(path, AVERAGED_FORMAT, AVERAGED_VERSION, msgspec.to_builtins(record), arrays)


def load_averaged(path: str | PathLike[str]) -> AveragedMotion:
    """Read an averaged motion as it was saved, bit for bit.

    Raises
    ------
    FormatError
        Where the file is not a stored averaged motion, is damaged, or was written by a newer version.
    """
    contents = read_moca(path, AVERAGED_FORMAT, AVERAGED_VERSION)
    try:
        record = msgspec.json.decode(contents.header, type=_AveragedRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no averaged motion: {error}") from None
    skeleton = read_skeleton(path, record.skeleton, contents.arrays)
    try:
        stances = {foot: _stance(path, getattr(record, foot), contents.arrays, foot) for foot in FEET}
        return AveragedMotion(skeleton, stances, record.name)
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, f"holds no averaged motion: {error}") from None


def _stance(path: str | PathLike[str], record: _StanceRecord, arrays: Arrays, foot: str) -> AveragedStance:
    parts = {name: array_of(path, arrays, f"{foot}.{name}", np.float64, n) for name, n in _ARRAYS.items()}
    n_samples, n_joints = len(parts["heights"]), parts["rotations_wxyz"].shape[1]
    for name, shape in (("rotations_wxyz", (n_samples, n_joints, 4)), ("ways", (n_samples, 2))):
        if parts[name].shape != shape:
            raise FormatError(path, 0, f"expected {foot}.{name} of shape {shape}, found {parts[name].shape}")
    return AveragedStance(**parts, seconds=record.seconds, count=record.count)
