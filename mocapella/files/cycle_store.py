"""Prepared cycles on disk: saved with their source and every decision, loaded without any preparation."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path

import msgspec

from mocapella.errors import FormatError, MotionError
from mocapella.files.cycle_record import CycleRecord, cycle_record, read_cycle
from mocapella.files.disk import read_bytes
from mocapella.files.formats import find_skeleton
from mocapella.files.moca import read_moca, write_moca
from mocapella.files.skeleton_record import SkeletonRecord, read_skeleton, skeleton_record
from mocapella.motion.cycle import Cycle

FORMAT = "cycle"
VERSION = 1


class _StoredRecord(CycleRecord, frozen=True, kw_only=True):
    """The JSON header of a stored cycle; other keys are left alone."""

    skeleton: SkeletonRecord
    source_hash: str = ""  # of the source's content, "" where it was not there to be read


def save_cycle(cycle: Cycle, path: str | PathLike[str]) -> None:
    """Write a prepared cycle as ``.moca``, with a hash of its source's content, by which a stale one is known."""
    _refuse_other_suffix(path)
    skeleton, arrays = skeleton_record(cycle.skeleton)
    record = _StoredRecord(
        skeleton=skeleton,
        source_hash=content_hash(cycle.source) or "",
        **msgspec.structs.asdict(cycle_record(cycle)),
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
    try:
        return read_cycle(path, record, contents.arrays, "dofs", skeleton)
    except FormatError:
        raise
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


def _record(path: str | PathLike[str], header: bytes) -> _StoredRecord:
    try:
        return msgspec.json.decode(header, type=_StoredRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no cycle: {error}") from None


def _refuse_other_suffix(path: str | PathLike[str]) -> None:
    if Path(path).suffix.lower() != ".moca":
        raise MotionError(f"a prepared cycle is stored as .moca, got {Path(path).name!r}")
