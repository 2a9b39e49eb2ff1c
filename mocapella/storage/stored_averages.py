"""Averaged motions in ``.moca`` files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mocapella.editing.averaged import AveragedMotion, AveragedStance
from mocapella.motion.contacts import FEET
from mocapella.storage.records import Kind, Made, SkeletonRecord, Stored, read_skeleton, skeleton_record, taken_from

_ARRAYS = ("rotations_wxyz", "ways", "heights")


class _StanceRecord(msgspec.Struct, frozen=True):
    seconds: float
    count: int


class _AveragedRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored averaged motion."""

    name: str
    skeleton: SkeletonRecord
    left: _StanceRecord
    right: _StanceRecord


def _described(averaged: AveragedMotion, path: Path) -> tuple[_AveragedRecord, Made]:
    skeleton, arrays = skeleton_record(averaged.skeleton)
    for foot, stance in averaged.stances.items():
        arrays |= {f"{foot}.{name}": getattr(stance, name) for name in _ARRAYS}
    stances = {foot: taken_from(stance, _StanceRecord) for foot, stance in averaged.stances.items()}
    return _AveragedRecord(averaged.name, skeleton, **stances), arrays


def _made(record: _AveragedRecord, stored: Stored) -> AveragedMotion:
    skeleton = read_skeleton(record.skeleton, stored)
    stances = {foot: _stance(getattr(record, foot), stored.part(f"{foot}.")) for foot in FEET}
    return AveragedMotion(skeleton, stances, record.name)


def _stance(record: _StanceRecord, stored: Stored) -> AveragedStance:
    heights = stored.array("heights", np.float64, 1)
    rotations = stored.array("rotations_wxyz", np.float64, 3)
    if rotations.shape != (len(heights), rotations.shape[1], 4):
        raise stored.error(f"expected a rotation of each joint for {len(heights)} samples, found {rotations.shape}")
    ways = stored.array("ways", np.float64, 2, (len(heights), 2))
    return AveragedStance(rotations, ways, heights, seconds=record.seconds, count=record.count)


AVERAGED: Kind[AveragedMotion, Any] = Kind("averaged", 1, "averaged motion", _AveragedRecord, _described, _made)
KINDS = {"averaged": AVERAGED}
