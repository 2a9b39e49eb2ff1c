"""Hybrid networks on disk: blocks, transitions and modes in one ``.moca`` file, loaded as they were saved."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import MappingProxyType

import msgspec

from mocapella.blending.block import Block, unwarned
from mocapella.blending.cascade import Cascade
from mocapella.blending.cascade_store import FORMAT as CASCADE
from mocapella.blending.cascade_store import load_cascade
from mocapella.blending.given import refuse_other
from mocapella.blending.hybrid import ZONE, Arc, HybridNetwork, Mode, Stop
from mocapella.blending.network import Network
from mocapella.blending.store import NetworkRecord, Origin, load_network, network_record, read_network
from mocapella.blending.transition_record import Made, TransitionRecord, read_transition, transition_record
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files.moca import Arrays, read_moca, stored_format, write_moca
from mocapella.motion.skeleton import Skeleton

FORMAT = "hybrid"
VERSION = 1
MOST = 1000  # blocks, arcs, modes: what has more of one is neither written nor read


class _BlockRecord(msgspec.Struct, frozen=True):
    name: str
    network: NetworkRecord
    buffers: list[tuple[str, str, str]] = []
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
    triangles: dict[str, list[list[str]]] = {}
    arcs: list[str] = []


class _HybridRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored hybrid network; other keys are left alone."""

    blocks: list[_BlockRecord]
    arcs: list[_ArcRecord] = []
    modes: list[_ModeRecord] = []


def save_hybrid(
    hybrid: HybridNetwork,
    path: str | PathLike[str],
    *,
    origins: Mapping[str, Mapping[str, Origin]] = MappingProxyType({}),
) -> None:
    """Write a hybrid network as ``.moca``; ``origins`` say, by block and node, where the motions came from.

    Raises
    ------
    NetworkError
        Where a block mixes by a rule or weights that have no name in a file.
    """
    if Path(path).suffix.lower() != ".moca":
        raise NetworkError(f"a hybrid network is stored as .moca, got {Path(path).name!r}")
    refuse_other(hybrid, HybridNetwork, "a hybrid network; save_network stores plain ones")
    for what, count in _counts(hybrid):
        if count > MOST:
            raise NetworkError(f"a hybrid network of {count} {what} is not stored; at most {MOST} are")
    arrays: Made = {}
    blocks = []
    for i, (name, block) in enumerate(hybrid.blocks.items()):
        network, own = network_record(block.network, origins.get(name, {}))
        arrays.update({f"block.{i}.{key}": array for key, array in own.items()})
        buffers = [(a, b, c) for a, b, c in block.buffers]
        blocks.append(_BlockRecord(name, network, buffers, sorted(block.transition_nodes)))
    arcs = [_arc_record(i, arc, arrays) for i, arc in enumerate(hybrid.arcs)]
    modes = [
        _ModeRecord(
            mode.name,
            mode.key,
            {block: [list(names) for names in rows] for block, rows in mode.triangles.items()},
            sorted(mode.arcs),
        )
        for mode in hybrid.modes
    ]
    write_moca(path, FORMAT, VERSION, msgspec.to_builtins(_HybridRecord(blocks, arcs, modes)), arrays)


def load_hybrid(path: str | PathLike[str]) -> HybridNetwork:
    """Read a hybrid network as it was saved: every blend and every played frame is the same, bit for bit.

    Raises
    ------
    FormatError
        Where the file is not a stored hybrid network, is damaged, or was written by a newer version.
    """
    contents = read_moca(path, FORMAT, VERSION)
    try:
        record = msgspec.json.decode(contents.header, type=_HybridRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no hybrid network: {error}") from None
    for what, count in _counts(record):
        if count > MOST:
            raise FormatError(path, 0, f"lists {count} {what}; at most {MOST} are read")
    try:
        blocks = {one.name: _block(path, i, one, contents.arrays) for i, one in enumerate(record.blocks)}
        if len(blocks) != len(record.blocks) or not blocks:
            raise NetworkError("blocks need names that differ, and there must be at least one")
        skeleton = _skeleton(next(iter(blocks.values())).network)
        arcs = [_arc(path, i, one, contents.arrays, skeleton) for i, one in enumerate(record.arcs)]
        return HybridNetwork(blocks, arcs, [_mode(one) for one in record.modes])
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, f"holds no hybrid network: {error}") from None


def load_playable(path: str | PathLike[str]) -> Network | HybridNetwork | Cascade:
    """Whatever a player can play: a stored network, in the plane or in space, a hybrid one, a cascade."""
    format = stored_format(path)
    if format == CASCADE:
        return load_cascade(path)
    return load_hybrid(path) if format == FORMAT else load_network(path)


def _block(path: str | PathLike[str], index: int, record: _BlockRecord, arrays: Arrays) -> Block:
    prefix = f"block.{index}."
    own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    with unwarned():
        network, _ = read_network(path, record.network, own)
    return Block(network, tuple(record.buffers), frozenset(record.transition_nodes))


def _arc_record(index: int, arc: Arc, arrays: Made) -> _ArcRecord:
    change, own = transition_record(arc.transition, f"arc.{index}.")
    arrays.update(own)
    mirrored = None
    if arc.mirrored is not None:
        mirrored, own = transition_record(arc.mirrored, f"arc.{index}.mirrored.")
        arrays.update(own)
    ends = [(stop.block, stop.node) for stop in (arc.source, arc.target)]
    return _ArcRecord(arc.name, ends[0], ends[1], change, mirrored, arc.zone, arc.key, arc.at_once)


def _arc(path: str | PathLike[str], index: int, record: _ArcRecord, arrays: Arrays, skeleton: Skeleton) -> Arc:
    mirrored = None
    if record.mirrored is not None:
        mirrored = read_transition(path, record.mirrored, arrays, f"arc.{index}.mirrored.", skeleton)
    return Arc(
        record.name,
        read_transition(path, record.transition, arrays, f"arc.{index}.", skeleton),
        Stop(*record.source),
        Stop(*record.target),
        record.zone,
        record.key,
        mirrored,
        record.at_once,
    )


def _mode(record: _ModeRecord) -> Mode:
    triangles = {block: tuple(tuple(names) for names in rows) for block, rows in record.triangles.items()}
    return Mode(record.name, record.key, triangles, frozenset(record.arcs))


def _counts(hybrid: HybridNetwork | _HybridRecord) -> tuple[tuple[str, int], ...]:
    return ("blocks", len(hybrid.blocks)), ("arcs", len(hybrid.arcs)), ("modes", len(hybrid.modes))


def _skeleton(network: Network) -> Skeleton:
    assert network.layout is not None  # a stored network has one
    return network.layout.skeleton
