"""Prepared cycles on disk: saved with their source and every decision, loaded without any preparation."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path

import msgspec
import numpy as np

from mocapella.arrays import owned
from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import read_bytes
from mocapella.files.formats import find_skeleton
from mocapella.files.moca import read_moca, write_moca
from mocapella.files.skeleton_record import SkeletonRecord, array_of, read_skeleton, skeleton_record
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.layout import layout_of

FORMAT = "cycle"
VERSION = 1

_Arcs = list[tuple[float, float]]


class _DecisionRecord(msgspec.Struct, frozen=True):
    step: str
    text: str
    numbers: dict[str, float] = {}


class _CycleRecord(msgspec.Struct, frozen=True):
    """The JSON header of a stored cycle; other keys are left alone."""

    skeleton: SkeletonRecord
    layout: str
    frame_rate: float
    name: str = ""
    source: str = ""
    source_hash: str = ""  # of the source's content, "" where it was not there to be read
    start_row: int = 0
    offset: float = 0.0
    contacts: dict[str, _Arcs] | None = None
    decisions: list[_DecisionRecord] = []


def save_cycle(cycle: Cycle, path: str | PathLike[str]) -> None:
    """Write a prepared cycle as ``.moca``, with a hash of its source's content, by which a stale one is known."""
    _refuse_other_suffix(path)
    skeleton, arrays = skeleton_record(cycle.skeleton)
    contacts = None
    if cycle.contacts is not None:
        contacts = {name: list(cycle.contacts.point(name)) for name in _points()}
    record = _CycleRecord(
        skeleton=skeleton,
        layout=cycle.layout.kind,
        frame_rate=cycle.frame_rate,
        name=cycle.name,
        source=cycle.source,
        source_hash=content_hash(cycle.source) or "",
        start_row=cycle.start_row,
        offset=cycle.offset,
        contacts=contacts,
        decisions=[_DecisionRecord(d.step, d.text, dict(d.numbers)) for d in cycle.decisions],
    )
    write_moca(path, FORMAT, VERSION, msgspec.to_builtins(record), {"dofs": cycle.dofs, **arrays})


def load_cycle(path: str | PathLike[str]) -> Cycle:
    """Read a cycle as it was saved, bit for bit; nothing is prepared again.

    Raises
    ------
    FormatError
        Where the file is not a stored cycle, is damaged, or was written by a newer version.
    """
    contents = read_moca(path, FORMAT, VERSION)
    record = _record(path, contents.header)
    skeleton = read_skeleton(path, record.skeleton, contents.arrays)
    dofs = array_of(path, contents.arrays, "dofs", np.float64, 2)
    try:
        contacts = None
        if record.contacts is not None:
            contacts = CycleContacts(**{name: tuple(record.contacts.get(name, ())) for name in _points()})
        return Cycle(
            layout=layout_of(record.layout, skeleton),
            dofs=owned(dofs),
            frame_rate=record.frame_rate,
            contacts=contacts,
            name=record.name,
            source=record.source,
            start_row=record.start_row,
            offset=record.offset,
            decisions=tuple(Decision(d.step, d.text, d.numbers) for d in record.decisions),
        )
    except MotionError as error:
        raise FormatError(path, 0, f"holds no cycle: {error}") from None


def is_fresh(path: str | PathLike[str], source: str | PathLike[str] | None = None) -> bool:
    """Whether a stored cycle is there and its source's content is still what it was made from.

    ``source`` is for a source that has moved since; a cycle whose source cannot be found is not fresh.
    """
    try:
        record = _record(path, read_moca(path, FORMAT, VERSION).header)
    except FormatError:
        return False
    now = content_hash(record.source if source is None else source)
    return now is not None and now == record.source_hash


def content_hash(source: str | PathLike[str]) -> str | None:
    """SHA-256 of a motion file's content, an ``.amc`` together with its ``.asf``; None where it cannot be read."""
    digest = hashlib.sha256()
    if not str(source):
        return None
    try:
        digest.update(read_bytes(source))
        if Path(source).suffix.lower() == ".amc":
            digest.update(read_bytes(find_skeleton(Path(source))))
    except FormatError:
        return None
    return digest.hexdigest()


def _record(path: str | PathLike[str], header: bytes) -> _CycleRecord:
    try:
        return msgspec.json.decode(header, type=_CycleRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no cycle: {error}") from None


def _points() -> tuple[str, ...]:
    return tuple(CycleContacts.__dataclass_fields__)


def _refuse_other_suffix(path: str | PathLike[str]) -> None:
    if Path(path).suffix.lower() != ".moca":
        raise MotionError(f"a prepared cycle is stored as .moca, got {Path(path).name!r}")
