"""Networks, in the plane and in space, and cascades of them in ``.moca`` files."""

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
from mocapella.blending.single_source.ssh import Override, SingleSource
from mocapella.blending.volume import Volume
from mocapella.errors import NetworkError
from mocapella.files.moca import read_moca
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import Layout, layout_of
from mocapella.motion.spectrum import Spectrum
from mocapella.storage import records

# Single-source harmonics: a table in a spec, a part of a stored network's header.

_AMOUNTS = "override"  # the array that holds a map's amounts


class SingleSourceSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The table of single-source harmonics in a spec; see ``SingleSource``."""

    first: int = 6
    last: int | None = None
    winners: tuple[tuple[str, str], ...] = ()
    abstaining: tuple[str, ...] = ()
    joints: tuple[str, ...] | None = None
    agreement: float | None = None
    structure: Literal["half ramp", "low last", "full ramp", "interleaved"] = "half ramp"
    rounding: Literal["largest remainder", "thesis"] = "largest remainder"

    def settings(self, override: Override | None = None) -> SingleSource:
        """The value that this describes; ``NetworkError`` where it makes no sense."""
        fields = {name: getattr(self, name) for name in SingleSourceSpec.__struct_fields__}
        return SingleSource(**fields, override=override)


class _OverrideRecord(msgspec.Struct, frozen=True):
    """A map in a header; its amounts are an array of their own."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    instead: Literal["blend", "clip"]


class _SingleSourceRecord(SingleSourceSpec, frozen=True, kw_only=True):
    """Single-source harmonics in the header of a stored network."""

    override: _OverrideRecord | None = None


def _single_source(record: _SingleSourceRecord, stored: records.Stored) -> SingleSource:
    if record.override is None:
        return record.settings()
    amounts = stored.arrays.get(f"{stored.prefix}{_AMOUNTS}")
    if amounts is None or amounts.dtype != np.float64:
        raise stored.error(f"speaks of a map but holds no array {_AMOUNTS!r} of numbers")
    return record.settings(Override(record.override.low, record.override.high, amounts, record.override.instead))


# Networks: all that a player needs, loaded as it was saved, bit for bit.

_KINDS: Mapping[int, type[Network]] = MappingProxyType({2: Network, 3: Volume})  # by axes
_SHAPES: Mapping[int, str] = MappingProxyType({2: "triangles", 3: "tetrahedra"})
MOST_NODES = 10_000  # what has more is neither written nor read
_MOST_TETRAHEDRA = 5000  # likewise; crossings are looked for in pairs


@dataclass(frozen=True)
class Origin:
    """Where a node's motion came from."""

    source: str = ""  # the file, or in words what it was made of
    start_row: int = 0  # the file's row at which its cycle was found to begin
    steps: tuple[str, ...] = ()  # what was done to it, in sentences
    merged: tuple[str, ...] = ()  # names of other takes that it is the mean with
    noise_mm: float = 0.0  # of the capture, from frame to frame; 0 where it is not known

    @property
    def reckoned(self) -> bool:
        """Whether it was made of other motions; to a capture something was done, if only closing it."""
        return not self.steps

    @property
    def mirrored(self) -> bool:
        """Whether it is the mirror image of a capture."""
        return any(step.startswith("mirror: ") for step in self.steps)


Origins = Mapping[str, Origin]
_UNKNOWN: Origins = MappingProxyType({})


class _NodeRecord(msgspec.Struct, frozen=True):
    name: str
    at: tuple[float, ...]
    duration: float
    synchronised: bool = True
    label: str = ""  # the spectrum's own name
    contacts: CycleContacts | None = None
    origin: Origin = Origin()


class NetworkRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored network."""

    skeleton: records.SkeletonRecord
    layout: str
    nodes: list[_NodeRecord]
    rule: str = "phasor"  # what files without this key were blended by
    harmonics: int | None = None
    outside: Literal["clamp", "extrapolate"] = "clamp"
    single_source: _SingleSourceRecord | None = None
    n_axes: Literal[2, 3] = 2
    interpolant: str = "triangles"


def network_record(
    network: Network, origins: Origins = _UNKNOWN, *, prefix: str = ""
) -> tuple[NetworkRecord, records.Made]:
    """The header's part of a network, and its arrays; ``NetworkError`` where something cannot be stored."""
    layout = network.layout
    if layout is None:
        raise NetworkError("these motions have no layout, so they make no pose; such a network is not stored")
    if type(network) is not _KINDS.get(network.n_axes):
        raise NetworkError(f"only networks of triangles and tetrahedra are stored, not a {type(network).__name__}")
    for what, count, most in (
        ("nodes", len(network.nodes), MOST_NODES),
        (_SHAPES[network.n_axes], len(network.corners), _most_shapes(network.n_axes)),
    ):
        if count > most:
            raise NetworkError(f"a network of {count} {what} is not stored; at most {most} are")
    skeleton, arrays = records.skeleton_record(layout.skeleton)
    single_source = override = None
    if network.single_source is not None:
        if network.single_source.override is not None:
            override = records.taken_from(network.single_source.override, _OverrideRecord)
            arrays[_AMOUNTS] = np.asarray(network.single_source.override.amounts)
        single_source = records.taken_from(network.single_source, _SingleSourceRecord, override=override)
    record = records.taken_from(
        network,
        NetworkRecord,
        skeleton=skeleton,
        layout=layout.kind,
        nodes=[_node_record(node, origins.get(node.name, Origin())) for node in network.nodes],
        rule=rule_name(network.rule),
        single_source=single_source,
        interpolant=interpolant_name(network.interpolant),
    )
    arrays["triangles"] = np.asarray(network.corners, dtype=np.int64)
    arrays["neighbours"] = np.asarray(network.neighbours, dtype=np.int64)
    for i, node in enumerate(network.nodes):
        pairs = np.ascontiguousarray(node.spectrum.coefficients).view(np.float64)
        arrays[f"node.{i}"] = pairs.reshape(*node.spectrum.coefficients.shape, 2)  # real, imaginary
    return record, {f"{prefix}{name}": array for name, array in arrays.items()}


def read_network(record: NetworkRecord, stored: records.Stored) -> Network:
    """The network of a record, in the plane or a ``Volume``; ``MotionError`` where its parts do not make one."""
    if not 1 <= len(record.nodes) <= MOST_NODES:
        raise stored.error(f"lists {len(record.nodes)} nodes; expected 1 to {MOST_NODES}")
    skeleton = records.read_skeleton(record.skeleton, stored)
    if record.rule not in RULES:
        raise stored.error(f"blends by a rule {record.rule!r} that is not known; there are {', '.join(RULES)}")
    corners = stored.array("triangles", np.int64, 2)
    if corners.size > (record.n_axes + 1) * _most_shapes(record.n_axes):
        shapes = _SHAPES[record.n_axes]
        raise stored.error(f"lists {len(corners)} {shapes}, more than {len(record.nodes)} nodes can have")
    layout = layout_of(record.layout, skeleton)
    return _KINDS[record.n_axes](
        [_node(node, f"node.{i}", layout, stored) for i, node in enumerate(record.nodes)],
        corners.tolist(),
        rule=RULES[record.rule],
        harmonics=record.harmonics,
        outside=record.outside,
        interpolant=interpolant_of(record.interpolant),
        single_source=None if record.single_source is None else _single_source(record.single_source, stored),
    )


def load_with_origins(path: str | PathLike[str]) -> tuple[Network, dict[str, Origin]]:
    """A stored network in the plane or in space, and by node where its motion came from.

    Raises ``FormatError`` where the file is not a stored network, is damaged, or was written by a newer version.
    """
    record, stored = NETWORK.opened(path, read_moca(path, NETWORK.format))
    return NETWORK.value(record, stored), {node.name: node.origin for node in record.nodes}


def _described(network: Network, path: Path, *, origins: Origins = _UNKNOWN) -> tuple[NetworkRecord, records.Made]:
    return network_record(network, origins)


def _least_version(record: NetworkRecord) -> int:
    if record.interpolant != "triangles":
        return 4
    if record.n_axes > 2:
        return 3
    return 1 if record.single_source is None else 2


def _most_shapes(n_axes: int) -> int:
    """The most triangles or tetrahedra that are stored; twice as many triangles as nodes ever fit."""
    return 2 * MOST_NODES if n_axes == 2 else _MOST_TETRAHEDRA


def _node_record(node: Node, origin: Origin) -> _NodeRecord:
    spectrum = node.spectrum
    contacts = records.storable_contacts(spectrum.contacts)
    return _NodeRecord(node.name, node.at, spectrum.duration, node.synchronised, spectrum.name, contacts, origin)


def _node(record: _NodeRecord, name: str, layout: Layout, stored: records.Stored) -> Node:
    pairs = stored.array(name, np.float64, 3)
    if pairs.shape[1:] != (layout.n_dofs, 2) or len(pairs) == 0:
        raise stored.error(f"expected {name} of shape (harmonics, {layout.n_dofs}, 2), found {pairs.shape}")
    records.refuse_many_plants(record.contacts, stored)
    coefficients = owned(np.ascontiguousarray(pairs).view(np.complex128)[..., 0])
    spectrum = Spectrum(coefficients, record.duration, layout, record.contacts, record.label)
    return Node(record.name, record.at, spectrum, record.synchronised)


# Cascades: the outer network, its inner ones and their points.

_MOST_INNER = 100  # what has more is neither written nor read


class _InnerRecord(msgspec.Struct, frozen=True):
    node: str
    at: tuple[float, ...]
    network: NetworkRecord


class _CascadeRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored cascade."""

    outer: NetworkRecord
    inner: list[_InnerRecord]


def _cascade_described(
    cascade: Cascade, path: Path, *, origins: Origins = _UNKNOWN
) -> tuple[_CascadeRecord, records.Made]:
    if len(cascade.inner) > _MOST_INNER:
        raise NetworkError(f"a cascade of {len(cascade.inner)} inner networks is not stored; at most {_MOST_INNER} are")
    outer, arrays = network_record(cascade.outer, origins, prefix="outer.")
    inner = []
    for i, (name, network) in enumerate(cascade.inner.items()):
        record, inner_arrays = network_record(network, prefix=f"inner.{i}.")
        arrays |= inner_arrays
        inner.append(_InnerRecord(name, tuple(float(x) for x in cascade.at[name]), record))
    return _CascadeRecord(outer, inner), arrays


def _cascade(record: _CascadeRecord, stored: records.Stored) -> Cascade:
    if len(record.inner) > _MOST_INNER:
        raise stored.error(f"lists {len(record.inner)} inner networks; at most {_MOST_INNER} are read")
    if len({entry.node for entry in record.inner}) != len(record.inner):
        raise NetworkError("two inner networks are for the same node")
    outer = read_network(record.outer, stored.part("outer."))
    inner = {
        entry.node: read_network(entry.network, stored.part(f"inner.{i}.")) for i, entry in enumerate(record.inner)
    }
    return Cascade(outer, inner, {entry.node: entry.at for entry in record.inner})


NETWORK: records.Kind[Network, Any] = records.Kind(
    "network", 4, "network", NetworkRecord, _described, read_network, _least_version
)
CASCADE: records.Kind[Cascade, Any] = records.Kind(
    "cascade", 1, "cascade", _CascadeRecord, _cascade_described, _cascade
)
KINDS = {"network": NETWORK, "cascade": CASCADE}
