"""Networks on disk: one ``.moca`` file that holds all a player needs, loaded as it was saved, bit for bit."""

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
from mocapella.blending.given import NETWORK, refuse_other
from mocapella.blending.interpolant_names import interpolant_name, interpolant_of
from mocapella.blending.network import Network, Node
from mocapella.blending.rule_names import RULES, rule_name
from mocapella.blending.single_source_record import SingleSourceRecord, read_single_source, single_source_record
from mocapella.blending.volume import Volume
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files.cycle_record import PlantsRecord, plants_record, read_plants
from mocapella.files.moca import Arrays, Contents, read_moca, write_moca
from mocapella.files.skeleton_record import SkeletonRecord, array_of, read_skeleton, skeleton_record
from mocapella.motion.layout import Layout, layout_of
from mocapella.motion.spectrum import Spectrum

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
