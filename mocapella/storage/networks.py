"""Every network in one .moca file: in a plane, in space, cascades, hybrids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec
import numpy as np

from mocapella.arrays import owned
from mocapella.blending.cascade import Cascade
from mocapella.blending.interpolants import interpolant_name, interpolant_of
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import RULES, rule_name
from mocapella.blending.single_source.settings import Override, SingleSource
from mocapella.blending.volume import Volume
from mocapella.checks import NETWORK, refuse_other
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files.moca import Arrays, Contents, read_moca, stored_format, write_moca
from mocapella.hybrid.network import ZONE, Arc, ArcEnd, Block, HybridNetwork, Mode, unwarned
from mocapella.motion.layout import Layout, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.storage.records import (
    Made,
    PlantsRecord,
    SkeletonRecord,
    TransitionRecord,
    array_of,
    plants_record,
    read_plants,
    read_skeleton,
    read_transition,
    skeleton_record,
    transition_record,
)

# Single-source harmonics as they stand in files: a table in a spec, a part of a stored network's header.

_AMOUNTS = "override"  # the array that holds a map's amounts


class SingleSourceSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a spec may say of single-source harmonics; see ``SingleSource``."""

    first: int = 6
    last: int | None = None
    winners: list[tuple[str, str]] = []
    abstaining: list[str] = []
    joints: list[str] | None = None
    agreement: float | None = None
    structure: Literal["half ramp", "low last", "full ramp", "interleaved"] = "half ramp"
    rounding: Literal["largest remainder", "thesis"] = "largest remainder"

    def settings(self, override: Override | None = None) -> SingleSource:
        """The value that this describes; ``NetworkError`` where it makes no sense."""
        return SingleSource(
            self.first,
            self.last,
            tuple(self.winners),
            tuple(self.abstaining),
            override,
            None if self.joints is None else tuple(self.joints),
            self.agreement,
            self.structure,
            self.rounding,
        )


class OverrideRecord(msgspec.Struct, frozen=True):
    """A map in a header; its amounts are an array of their own."""

    low: list[float]
    high: list[float]
    instead: Literal["blend", "clip"]


class SingleSourceRecord(SingleSourceSpec, frozen=True, kw_only=True):
    """Single-source harmonics in the header of a stored network."""

    override: OverrideRecord | None = None


def single_source_record(value: SingleSource) -> tuple[SingleSourceRecord, dict[str, np.ndarray[Any, np.dtype[Any]]]]:
    """What to put into a header, and into the arrays beside it."""
    override = value.override
    record = SingleSourceRecord(
        first=value.first,
        last=value.last,
        winners=list(value.winners),
        abstaining=list(value.abstaining),
        joints=None if value.joints is None else list(value.joints),
        agreement=value.agreement,
        structure=value.structure,
        rounding=value.rounding,
        override=None
        if override is None
        else OverrideRecord(list(override.low), list(override.high), override.instead),
    )
    return record, {} if override is None else {_AMOUNTS: np.asarray(override.amounts)}


def read_single_source(path: str | PathLike[str], record: SingleSourceRecord, arrays: Arrays) -> SingleSource:
    """The value that a header describes.

    Raises
    ------
    FormatError
        Where the map that it speaks of is missing or no map.
    """
    if record.override is None:
        return record.settings()
    amounts: Mapping[str, Any] = arrays
    if _AMOUNTS not in amounts or amounts[_AMOUNTS].dtype != np.float64:
        raise FormatError(path, 0, f"speaks of a map but holds no array {_AMOUNTS!r} of numbers")
    low, high = tuple(record.override.low), tuple(record.override.high)
    return record.settings(Override(low, high, amounts[_AMOUNTS], record.override.instead))


# Networks on disk: one ``.moca`` file that holds all a player needs, loaded as it was saved, bit for bit.

FORMAT = "network"
VERSION = 4
# A file says the least version that does not pass over in silence what it holds.
_PLAIN_VERSION, _SINGLE_SOURCE_VERSION, _VOLUME_VERSION, _INTERPOLANT_VERSION = 1, 2, 3, 4
_KINDS: Mapping[int, type[Network]] = MappingProxyType({2: Network, 3: Volume})  # by axes
_SHAPES: Mapping[int, str] = MappingProxyType({2: "triangles", 3: "tetrahedra"})
MOST_NODES = 10_000  # what has more is neither written nor read
MOST_TETRAHEDRA = 5000  # likewise; who crosses whom is looked for in pairs


@dataclass(frozen=True)
class Origin:
    """Where a node's motion came from."""

    source: str = ""  # the file, or in words what it was made of
    start_row: int = 0  # the file's row at which its cycle was found to begin
    steps: tuple[str, ...] = ()  # what was done to it, in sentences

    @property
    def reckoned(self) -> bool:
        """Whether it was made of other motions: to a capture something was done, if only that its cycle was closed."""
        return not self.steps


class _OriginRecord(msgspec.Struct, frozen=True):
    source: str = ""
    start_row: int = 0
    steps: list[str] = []


class _NodeRecord(msgspec.Struct, frozen=True):
    name: str
    at: list[float]
    duration: float
    synchronised: bool = True
    label: str = ""  # the spectrum's own name
    contacts: PlantsRecord | None = None
    origin: _OriginRecord = _OriginRecord()


class NetworkRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored network; other keys are left alone."""

    skeleton: SkeletonRecord
    layout: str
    nodes: list[_NodeRecord]
    rule: str = "phasor"  # what files without this key were blended by
    harmonics: int | None = None
    outside: Literal["clamp", "extrapolate"] = "clamp"
    single_source: SingleSourceRecord | None = None
    n_axes: Literal[2, 3] = 2
    interpolant: str = "triangles"


def save_network(
    network: Network, path: str | PathLike[str], *, origins: Mapping[str, Origin] = MappingProxyType({})
) -> None:
    """Write a network as ``.moca``; ``origins`` say, by node, where the motions came from.

    Raises
    ------
    NetworkError
        Where the network mixes by a rule or weights that have no name in a file, its motions make no pose, or it is
        larger than what is read.
    """
    if Path(path).suffix.lower() != ".moca":
        raise NetworkError(f"a network is stored as .moca, got {Path(path).name!r}")
    refuse_other(network, Network, NETWORK)
    record, arrays = network_record(network, origins)
    write_moca(path, FORMAT, _version(record), msgspec.to_builtins(record), arrays)


def _version(record: NetworkRecord) -> int:
    if record.interpolant != "triangles":
        return _INTERPOLANT_VERSION
    if record.n_axes > 2:
        return _VOLUME_VERSION
    return _PLAIN_VERSION if record.single_source is None else _SINGLE_SOURCE_VERSION


def network_record(
    network: Network, origins: Mapping[str, Origin] = MappingProxyType({})
) -> tuple[NetworkRecord, dict[str, np.ndarray[Any, np.dtype[Any]]]]:
    """What of a network goes into a header, and into the arrays beside it; ``NetworkError`` where something cannot."""
    layout = network.layout
    if layout is None:
        raise NetworkError("these motions carry no layout, so they make no pose; such a network is not stored")
    if type(network) is not _KINDS.get(network.n_axes):
        raise NetworkError(f"only networks of triangles and tetrahedra are stored, not a {type(network).__name__}")
    if len(network.nodes) > MOST_NODES:
        raise NetworkError(f"a network of {len(network.nodes)} nodes is not stored; at most {MOST_NODES} are")
    if len(network.corners) > _most(network.n_axes):
        raise NetworkError(
            f"a network of {len(network.corners)} {_SHAPES[network.n_axes]} is not stored; "
            f"at most {_most(network.n_axes)} are"
        )
    skeleton, arrays = skeleton_record(layout.skeleton)
    single_source = None
    if network.single_source is not None:
        single_source, maps = single_source_record(network.single_source)
        arrays.update(maps)
    record = NetworkRecord(
        skeleton=skeleton,
        layout=layout.kind,
        nodes=[_node_record(node, origins.get(node.name, Origin())) for node in network.nodes],
        rule=rule_name(network.rule),
        harmonics=network.harmonics,
        outside=network.outside,
        single_source=single_source,
        n_axes=3 if network.n_axes == 3 else 2,
        interpolant=interpolant_name(network.interpolant),
    )
    arrays["triangles"] = np.asarray(network.corners, dtype=np.int64)
    arrays["neighbours"] = np.asarray(network.neighbours, dtype=np.int64)
    for i, node in enumerate(network.nodes):
        pairs = np.ascontiguousarray(node.spectrum.coefficients).view(np.float64)
        arrays[_array_name(i)] = pairs.reshape(*node.spectrum.coefficients.shape, 2)  # real, imaginary
    return record, arrays


def load_network(path: str | PathLike[str]) -> Network:
    """Read a network as it was saved: every blending point gives the same motion, bit for bit.

    Raises
    ------
    FormatError
        Where the file is not a stored network, is damaged, or was written by a newer version.
    """
    return load_with_origins(path)[0]


def load_with_origins(path: str | PathLike[str]) -> tuple[Network, dict[str, Origin]]:
    """A stored network, and where its nodes' motions came from."""
    contents = read_moca(path, FORMAT, VERSION)
    return read_network(path, _record(path, contents), contents.arrays)


def read_network(path: str | PathLike[str], record: NetworkRecord, arrays: Arrays) -> tuple[Network, dict[str, Origin]]:
    """The network of a record and its arrays; ``FormatError`` where they do not make one."""
    if not 1 <= len(record.nodes) <= MOST_NODES:
        raise FormatError(path, 0, f"lists {len(record.nodes)} nodes; expected 1 to {MOST_NODES}")
    skeleton = read_skeleton(path, record.skeleton, arrays)
    if record.rule not in RULES:
        raise FormatError(path, 0, f"blends by a rule {record.rule!r} that is not known; there are {', '.join(RULES)}")
    corners = array_of(path, arrays, "triangles", np.int64, 2)
    if corners.size > (record.n_axes + 1) * _most(record.n_axes):
        shapes = _SHAPES[record.n_axes]
        raise FormatError(path, 0, f"lists {len(corners)} {shapes}, more than {len(record.nodes)} nodes can have")
    try:
        layout = layout_of(record.layout, skeleton)
        nodes = [_node(path, i, node, layout, arrays) for i, node in enumerate(record.nodes)]
        single_source = None
        if record.single_source is not None:
            single_source = read_single_source(path, record.single_source, arrays)
        network = _KINDS[record.n_axes](
            nodes,
            corners.tolist(),
            rule=RULES[record.rule],
            harmonics=record.harmonics,
            outside=record.outside,
            interpolant=interpolant_of(record.interpolant),
            single_source=single_source,
        )
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, f"holds no network: {error}") from None
    origins = {node.name: Origin(*_origin_parts(node.origin)) for node in record.nodes}
    return network, origins


def _most(n_axes: int) -> int:
    """How many triangles or tetrahedra are stored; of triangles no more than twice as many as nodes ever fit."""
    return 2 * MOST_NODES if n_axes == 2 else MOST_TETRAHEDRA


def _node_record(node: Node, origin: Origin) -> _NodeRecord:
    spectrum = node.spectrum
    return _NodeRecord(
        name=node.name,
        at=list(node.at),
        duration=spectrum.duration,
        synchronised=node.synchronised,
        label=spectrum.name,
        contacts=plants_record(spectrum.contacts),
        origin=_OriginRecord(origin.source, origin.start_row, list(origin.steps)),
    )


def _node(path: str | PathLike[str], index: int, record: _NodeRecord, layout: Layout, arrays: Arrays) -> Node:
    pairs = array_of(path, arrays, _array_name(index), np.float64, 3)
    if pairs.shape[1:] != (layout.n_dofs, 2) or len(pairs) == 0:
        wanted = f"(harmonics, {layout.n_dofs}, 2)"
        raise FormatError(path, 0, f"expected {_array_name(index)} of shape {wanted}, found {pairs.shape}")
    coefficients = owned(np.ascontiguousarray(pairs).view(np.complex128)[..., 0])
    spectrum = Spectrum(coefficients, record.duration, layout, read_plants(path, record.contacts), record.label)
    return Node(record.name, tuple(record.at), spectrum, record.synchronised)


def _record(path: str | PathLike[str], contents: Contents) -> NetworkRecord:
    try:
        return msgspec.json.decode(contents.header, type=NetworkRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no network: {error}") from None


def _origin_parts(record: _OriginRecord) -> tuple[Any, ...]:
    return record.source, record.start_row, tuple(record.steps)


def _array_name(index: int) -> str:
    return f"node.{index}"


# Cascades on disk: the outer network, its inner ones and their points in one ``.moca`` file.

CASCADE_FORMAT = "cascade"
CASCADE_VERSION = 1
MOST_INNER = 100  # what has more is neither written nor read


class _InnerRecord(msgspec.Struct, frozen=True):
    node: str
    at: list[float]
    network: NetworkRecord


class _CascadeRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored cascade; other keys are left alone."""

    outer: NetworkRecord
    inner: list[_InnerRecord]


def save_cascade(
    cascade: Cascade, path: str | PathLike[str], *, origins: Mapping[str, Origin] = MappingProxyType({})
) -> None:
    """Write a cascade as ``.moca``; ``origins`` say, by node of the outer network, where the motions came from.

    Raises
    ------
    NetworkError
        Where one of its networks mixes by a rule or weights that have no name in a file.
    """
    if Path(path).suffix.lower() != ".moca":
        raise NetworkError(f"a cascade is stored as .moca, got {Path(path).name!r}")
    refuse_other(cascade, Cascade, "a cascade; save_network stores networks")
    if len(cascade.inner) > MOST_INNER:
        raise NetworkError(f"a cascade of {len(cascade.inner)} inner networks is not stored; at most {MOST_INNER} are")
    outer, own = network_record(cascade.outer, origins)
    arrays: Made = {f"outer.{key}": array for key, array in own.items()}
    inner = []
    for i, (name, network) in enumerate(cascade.inner.items()):
        record, own = network_record(network)
        arrays.update({f"inner.{i}.{key}": array for key, array in own.items()})
        inner.append(_InnerRecord(name, [float(x) for x in cascade.at[name]], record))
    write_moca(path, CASCADE_FORMAT, CASCADE_VERSION, msgspec.to_builtins(_CascadeRecord(outer, inner)), arrays)


def load_cascade(path: str | PathLike[str]) -> Cascade:
    """Read a cascade as it was saved: all points give the same motion, bit for bit.

    Raises
    ------
    FormatError
        Where the file is not a stored cascade, is damaged, or was written by a newer version.
    """
    contents = read_moca(path, CASCADE_FORMAT, CASCADE_VERSION)
    try:
        record = msgspec.json.decode(contents.header, type=_CascadeRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no cascade: {error}") from None
    if len(record.inner) > MOST_INNER:
        raise FormatError(path, 0, f"lists {len(record.inner)} inner networks; at most {MOST_INNER} are read")
    try:
        if len({one.node for one in record.inner}) != len(record.inner):
            raise NetworkError("two inner networks are for the same node")
        outer, _ = read_network(path, record.outer, _part(contents.arrays, "outer."))
        inner = {
            one.node: read_network(path, one.network, _part(contents.arrays, f"inner.{i}."))[0]
            for i, one in enumerate(record.inner)
        }
        return Cascade(outer, inner, {one.node: tuple(one.at) for one in record.inner})
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, f"holds no cascade: {error}") from None


def _part(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays of one network."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


# Hybrid networks on disk: blocks, transitions and modes in one ``.moca`` file, loaded as they were saved.

HYBRID_FORMAT = "hybrid"
HYBRID_VERSION = 1
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
    write_moca(path, HYBRID_FORMAT, HYBRID_VERSION, msgspec.to_builtins(_HybridRecord(blocks, arcs, modes)), arrays)


def load_hybrid(path: str | PathLike[str]) -> HybridNetwork:
    """Read a hybrid network as it was saved: every blend and every played frame is the same, bit for bit.

    Raises
    ------
    FormatError
        Where the file is not a stored hybrid network, is damaged, or was written by a newer version.
    """
    contents = read_moca(path, HYBRID_FORMAT, HYBRID_VERSION)
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
    if format == CASCADE_FORMAT:
        return load_cascade(path)
    return load_hybrid(path) if format == HYBRID_FORMAT else load_network(path)


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
        ArcEnd(*record.source),
        ArcEnd(*record.target),
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
