"""Motion graphs in ``.moca`` files: clips, foot plants and joins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mocapella.geometry.alignment import Alignment
from mocapella.graphs.graph import Join, MotionGraph
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.skeleton import Skeleton
from mocapella.storage.records import Kind, Made, SkeletonRecord, Stored, read_skeleton, skeleton_record


class _GraphRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored graph."""

    skeleton: SkeletonRecord
    names: tuple[str, ...]
    frame_rate: float
    window: float


def _described(graph: MotionGraph, path: Path) -> tuple[_GraphRecord, Made]:
    first = graph.clips[0]
    skeleton, arrays = skeleton_record(first.skeleton)
    for number, (clip, contacts) in enumerate(zip(graph.clips, graph.contacts, strict=True)):
        arrays[f"{number}.root_positions"] = clip.root_positions
        arrays[f"{number}.rotations_wxyz"] = clip.rotations_wxyz
        arrays[f"{number}.planted"] = np.stack([contacts.planted(point) for point in FOOT_POINTS], axis=-1)
    joins = graph.joins
    arrays["joins"] = np.array([[j.source, j.leave, j.target, j.enter] for j in joins], np.int64).reshape(-1, 4)
    laid = [[j.distance, j.alignment.yaw, j.alignment.x, j.alignment.z, *j.alignment.pivot] for j in joins]
    arrays["alignments"] = np.array(laid, np.float64).reshape(-1, 6)
    return _GraphRecord(skeleton, tuple(clip.name for clip in graph.clips), first.frame_rate, graph.window), arrays


def _made(record: _GraphRecord, stored: Stored) -> MotionGraph:
    skeleton = read_skeleton(record.skeleton, stored)
    parts = [_clip(record, skeleton, name, stored.part(f"{number}.")) for number, name in enumerate(record.names)]
    numbers = stored.array("joins", np.int64, 2)
    laid = stored.array("alignments", np.float64, 2, (len(numbers), 6))
    lengths = np.array([clip.n_frames for clip, _ in parts])
    blend = round(record.window * record.frame_rate)
    if numbers.shape[1] != 4 or not 0 < blend < 10_000 or not len(parts):
        raise stored.error("holds joins that lead nowhere")
    for clips, frames in ((numbers[:, 0], numbers[:, 1]), (numbers[:, 2], numbers[:, 3])):
        inside = (clips >= 0) & (clips < len(parts))
        if not inside.all() or not ((frames >= 0) & (frames + blend < lengths[clips])).all():
            raise stored.error("holds joins at frames that its clips do not have")
    joins = tuple(
        Join(source, leave, target, enter, distance, Alignment(yaw, x, z, (px, pz)))
        for (source, leave, target, enter), (distance, yaw, x, z, px, pz) in zip(
            numbers.tolist(), laid.tolist(), strict=True
        )
    )
    graph = MotionGraph(tuple(c for c, _ in parts), tuple(k for _, k in parts), joins, record.window)
    if not graph.is_strongly_connected:
        raise stored.error("holds a graph with places that lead nowhere")
    return graph


def _clip(record: _GraphRecord, skeleton: Skeleton, name: str, stored: Stored) -> tuple[Clip, Contacts]:
    roots = stored.array("root_positions", np.float64, 2)
    rotations = stored.array("rotations_wxyz", np.float64, 3, (len(roots), skeleton.n_joints, 4))
    planted = stored.array("planted", np.bool_, 2, (len(roots), len(FOOT_POINTS)))
    clip = Clip(skeleton, roots, rotations, record.frame_rate, name=name)
    return clip, Contacts.from_masks({point: planted[:, i] for i, point in enumerate(FOOT_POINTS)})


GRAPH: Kind[MotionGraph, Any] = Kind("graph", 1, "motion graph", _GraphRecord, _described, _made)
KINDS = {"graph": GRAPH}
