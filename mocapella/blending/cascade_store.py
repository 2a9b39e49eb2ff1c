"""Cascades on disk: the outer network, its inner ones and their points in one ``.moca`` file."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import MappingProxyType

import msgspec

from mocapella.blending.cascade import Cascade
from mocapella.blending.given import refuse_other
from mocapella.blending.store import NetworkRecord, Origin, network_record, read_network
from mocapella.blending.transition_record import Made
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files.moca import Arrays, read_moca, write_moca

FORMAT = "cascade"
VERSION = 1
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
    write_moca(path, FORMAT, VERSION, msgspec.to_builtins(_CascadeRecord(outer, inner)), arrays)


def load_cascade(path: str | PathLike[str]) -> Cascade:
    """Read a cascade as it was saved: all points give the same motion, bit for bit.

    Raises
    ------
    FormatError
        Where the file is not a stored cascade, is damaged, or was written by a newer version.
    """
    contents = read_moca(path, FORMAT, VERSION)
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
