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
from mocapella.hybrid.network import ZONE, Arc, ArcEnd, Block, HybridNetwork, Mode, unwarned
from mocapella.hybrid.transition import TREMOR, Transition
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.cycle import Decision
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton
from mocapella.storage.networks import NetworkRecord, Origins, network_record, read_network
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


def transition_record(transition: Transition, prefix: str) -> tuple[TransitionRecord, Made]:
    """What of a transition goes into a header, and into arrays whose names begin with ``prefix``."""
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
        **{name: getattr(clip, name) for name in ("frame_rate", "source", "first_row", "report")},
    )
    arrays: Made = {name: getattr(clip, name) for name in _CLIP_ARRAYS}
    arrays |= {"before": transition.before.dofs, "after": transition.after.dofs}
    return record, {f"{prefix}{name}": array for name, array in arrays.items()}


_CLIP_ARRAYS = ("root_positions", "rotations_wxyz", "sliding_joints", "slides")


def read_transition(record: TransitionRecord, stored: Stored, skeleton: Skeleton) -> Transition:
    """The transition of a record; ``MotionError`` where its parts do not make one."""
    places = stored.array("root_positions", np.float64, 2)
    rotations = stored.array("rotations_wxyz", np.float64, 3)
    if places.shape != (len(rotations), 3) or rotations.shape[1:] != (skeleton.n_joints, 4):
        raise stored.error(
            f"expected places and rotations of {skeleton.n_joints} joints over the same frames in {stored.prefix}…, "
            f"found {places.shape} and {rotations.shape}"
        )
    sliding = stored.array("sliding_joints", np.int64, 1)
    slides = stored.array("slides", np.float64, 3)
    if slides.shape != (len(places), len(sliding), 3):
        raise stored.error(f"expected a place for each sliding joint and frame in {stored.prefix}…, got {slides.shape}")
    clip = Clip(
        skeleton=skeleton,
        root_positions=places,
        rotations_wxyz=rotations,
        frame_rate=record.frame_rate,
        name=record.clip,
        source=record.source,
        report=record.report,
        first_row=record.first_row,
        sliding_joints=sliding,
        slides=slides,
    )
    return Transition(
        name=record.name,
        clip=clip,
        contacts=Contacts(clip.n_frames, **{name: record.contacts.get(name, ()) for name in FOOT_POINTS}),
        before=read_cycle(record.before, stored, "before", skeleton),
        after=read_cycle(record.after, stored, "after", skeleton),
        leave=record.leave,
        arrive=record.arrive,
        loop=record.loop,
        decisions=record.decisions,
        tremor=math.inf if record.tremor is None else record.tremor,
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
        network, own = network_record(block.network, origins.get(name, {}), prefix=f"block.{i}.")
        arrays |= own
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
    blocks = {one.name: _block(one, stored.part(f"block.{i}.")) for i, one in enumerate(record.blocks)}
    if len(blocks) != len(record.blocks) or not blocks:
        raise NetworkError("blocks need names that differ, and there must be at least one")
    layout = next(iter(blocks.values())).network.layout
    assert layout is not None  # a stored network has one
    arcs = [_arc(one, stored.part(f"arc.{i}."), layout.skeleton) for i, one in enumerate(record.arcs)]
    modes = [Mode(one.name, one.key, one.triangles, frozenset(one.arcs)) for one in record.modes]
    return HybridNetwork(blocks, arcs, modes)


def _counts(hybrid: HybridNetwork | _HybridRecord) -> tuple[tuple[str, int], ...]:
    return ("blocks", len(hybrid.blocks)), ("arcs", len(hybrid.arcs)), ("modes", len(hybrid.modes))


def _block(record: _BlockRecord, stored: Stored) -> Block:
    with unwarned():
        network = read_network(record.network, stored)
    return Block(network, record.buffers, frozenset(record.transition_nodes))


def _arc_record(index: int, arc: Arc, arrays: Made) -> _ArcRecord:
    change, own = transition_record(arc.transition, f"arc.{index}.")
    arrays |= own
    mirrored = None
    if arc.mirrored is not None:
        mirrored, own = transition_record(arc.mirrored, f"arc.{index}.mirrored.")
        arrays |= own
    ends = {"source": astuple(arc.source), "target": astuple(arc.target)}
    return taken_from(arc, _ArcRecord, transition=change, mirrored=mirrored, **ends)


def _arc(record: _ArcRecord, stored: Stored, skeleton: Skeleton) -> Arc:
    return Arc(
        record.name,
        read_transition(record.transition, stored, skeleton),
        ArcEnd(*record.source),
        ArcEnd(*record.target),
        record.zone,
        record.key,
        None if record.mirrored is None else read_transition(record.mirrored, stored.part("mirrored."), skeleton),
        record.at_once,
    )


HYBRID: Kind[HybridNetwork, Any] = Kind("hybrid", 1, "hybrid network", _HybridRecord, _described, _made)
KINDS = {"hybrid": HYBRID}
