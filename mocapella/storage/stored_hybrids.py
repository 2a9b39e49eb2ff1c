"""Hybrid networks in ``.moca`` files: blocks, transitions and modes, loaded as they were saved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from mocapella.errors import NetworkError
from mocapella.hybrid.block import Block, unwarned
from mocapella.hybrid.hybrid_network import ZONE, Arc, ArcEnd, HybridNetwork, Mode
from mocapella.hybrid.transition import TREMOR, Transition
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.cycle import Decision
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton
from mocapella.storage.records import (
    CycleRecord,
    Kind,
    Made,
    Stored,
    cycle_record,
    read_cycle,
    storable_decisions,
    taken_from,
)
from mocapella.storage.stored_networks import NetworkRecord, Origins, network_record, read_network

_MOST = 1000  # blocks, arcs, modes: what has more of one is neither written nor read


class TransitionRecord(msgspec.Struct, frozen=True):
    """A transition without its frames."""

    name: str
    frame_rate: float
    leave: int
    arrive: int
    before: CycleRecord
    after: CycleRecord
    contacts: dict[str, tuple[tuple[int, int], ...]]
    clip: str = ""
    source: str = ""
    first_row: int = 0
    loop: tuple[int, int] | None = None
    decisions: tuple[Decision, ...] = ()
    report: Report = msgspec.field(default_factory=Report)  # files of earlier programs have none
    tremor: float | None = TREMOR  # nor this; None where nothing counts as tremor, since JSON knows no infinity


class _BlockRecord(msgspec.Struct, frozen=True):
    name: str
    network: NetworkRecord
    buffers: tuple[tuple[str, str, str], ...] = ()
    transition_nodes: list[str] = []


class _ArcRecord(msgspec.Struct, frozen=True):
    name: str
    source: tuple[str, str]  # block, node
    target: tuple[str, str]
    transition: TransitionRecord
    mirrored: TransitionRecord | None = None
    zone: float = ZONE
    key: str = ""
    at_once: bool = False


class _ModeRecord(msgspec.Struct, frozen=True):
    name: str
    key: str = ""
    triangles: dict[str, tuple[tuple[str, ...], ...]] = {}
    arcs: list[str] = []


class _HybridRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored hybrid network."""

    blocks: list[_BlockRecord]
    arcs: list[_ArcRecord] = []
    modes: list[_ModeRecord] = []


_CLIP_WORDS = ("frame_rate", "source", "first_row", "report")
_CLIP_ARRAYS: dict[str, tuple[type[np.generic], int]] = {  # name → type, axes
    "root_positions": (np.float64, 2),
    "rotations_wxyz": (np.float64, 3),
    "sliding_joints": (np.int64, 1),
    "slides": (np.float64, 3),
}


def transition_record(transition: Transition, prefix: str) -> tuple[TransitionRecord, Made]:
    """The header and the arrays of a transition; names of arrays begin with ``prefix``."""
    clip = transition.clip
    record = taken_from(
        transition,
        TransitionRecord,
        before=cycle_record(transition.before),
        after=cycle_record(transition.after),
        contacts={point: transition.contacts.point(point) for point in FOOT_POINTS},
        clip=clip.name,
        decisions=storable_decisions(transition.decisions),
        tremor=None if math.isinf(transition.tremor) else transition.tremor,
        **{name: getattr(clip, name) for name in _CLIP_WORDS},
    )
    arrays: Made = {name: getattr(clip, name) for name in _CLIP_ARRAYS}
    arrays |= {"before": transition.before.dofs, "after": transition.after.dofs}
    return record, {f"{prefix}{name}": array for name, array in arrays.items()}


def read_transition(record: TransitionRecord, stored: Stored, skeleton: Skeleton) -> Transition:
    """The transition of a record; ``MotionError`` where its parts do not make one."""
    parts: dict[str, Any] = {name: stored.array(name, *kind) for name, kind in _CLIP_ARRAYS.items()}
    n_frames, n_sliding = len(parts["rotations_wxyz"]), len(parts["sliding_joints"])
    for name, shape, what in (
        ("rotations_wxyz", (n_frames, skeleton.n_joints, 4), "a rotation for each joint and frame"),
        ("root_positions", (n_frames, 3), "places and rotations over the same frames"),
        ("slides", (n_frames, n_sliding, 3), "a place for each sliding joint and frame"),
    ):
        if parts[name].shape != shape:
            raise stored.error(f"expected {what} in {stored.prefix}{name}, {shape}, found {parts[name].shape}")
    words = {name: getattr(record, name) for name in _CLIP_WORDS}
    clip = Clip(skeleton=skeleton, name=record.clip, **parts, **words)
    return Transition(
        clip=clip,
        contacts=Contacts(clip.n_frames, **{name: record.contacts.get(name, ()) for name in FOOT_POINTS}),
        before=read_cycle(record.before, stored, "before", skeleton),
        after=read_cycle(record.after, stored, "after", skeleton),
        tremor=math.inf if record.tremor is None else record.tremor,
        **{name: getattr(record, name) for name in ("name", "leave", "arrive", "loop", "decisions")},
    )


def _described(
    hybrid: HybridNetwork, path: Path, *, origins: Mapping[str, Origins] = MappingProxyType({})
) -> tuple[_HybridRecord, Made]:
    for what, count in _counts(hybrid):
        if count > _MOST:
            raise NetworkError(f"a hybrid network of {count} {what} is not stored; at most {_MOST} are")
    arrays: Made = {}
    blocks = []
    for i, (name, block) in enumerate(hybrid.blocks.items()):
        network, block_arrays = network_record(block.network, origins.get(name, {}), prefix=f"block.{i}.")
        arrays |= block_arrays
        nodes = sorted(block.transition_nodes)
        blocks.append(taken_from(block, _BlockRecord, name=name, network=network, transition_nodes=nodes))
    arcs = [_arc_record(i, arc, arrays) for i, arc in enumerate(hybrid.arcs)]
    modes = [
        taken_from(mode, _ModeRecord, triangles=dict(mode.triangles), arcs=sorted(mode.arcs)) for mode in hybrid.modes
    ]
    return _HybridRecord(blocks, arcs, modes), arrays


def _made(record: _HybridRecord, stored: Stored) -> HybridNetwork:
    for what, count in _counts(record):
        if count > _MOST:
            raise stored.error(f"lists {count} {what}; at most {_MOST} are read")
    blocks = {entry.name: _block(entry, stored.part(f"block.{i}.")) for i, entry in enumerate(record.blocks)}
    if len(blocks) != len(record.blocks) or not blocks:
        raise NetworkError("blocks need names that differ, and there must be at least one")
    layout = next(iter(blocks.values())).network.layout
    assert layout is not None  # a stored network has one
    arcs = [_arc(entry, stored.part(f"arc.{i}."), layout.skeleton) for i, entry in enumerate(record.arcs)]
    modes = [Mode(entry.name, entry.key, entry.triangles, frozenset(entry.arcs)) for entry in record.modes]
    return HybridNetwork(blocks, arcs, modes)


def _counts(hybrid: HybridNetwork | _HybridRecord) -> tuple[tuple[str, int], ...]:
    return ("blocks", len(hybrid.blocks)), ("arcs", len(hybrid.arcs)), ("modes", len(hybrid.modes))


def _block(record: _BlockRecord, stored: Stored) -> Block:
    with unwarned():
        network = read_network(record.network, stored)
    return Block(network, record.buffers, frozenset(record.transition_nodes))


def _arc_record(index: int, arc: Arc, arrays: Made) -> _ArcRecord:
    records: list[TransitionRecord | None] = []
    for change, prefix in ((arc.transition, f"arc.{index}."), (arc.mirrored, f"arc.{index}.mirrored.")):
        record, change_arrays = (None, {}) if change is None else transition_record(change, prefix)
        records.append(record)
        arrays |= change_arrays
    ends = {"source": astuple(arc.source), "target": astuple(arc.target)}
    return taken_from(arc, _ArcRecord, transition=records[0], mirrored=records[1], **ends)


def _arc(record: _ArcRecord, stored: Stored, skeleton: Skeleton) -> Arc:
    mirrored = record.mirrored
    return Arc(
        transition=read_transition(record.transition, stored, skeleton),
        mirrored=None if mirrored is None else read_transition(mirrored, stored.part("mirrored."), skeleton),
        source=ArcEnd(*record.source),
        target=ArcEnd(*record.target),
        **{name: getattr(record, name) for name in ("name", "zone", "key", "at_once")},
    )


KINDS: dict[str, Kind[HybridNetwork, Any]] = {
    "hybrid": Kind("hybrid", 1, "hybrid network", _HybridRecord, _described, _made)
}
