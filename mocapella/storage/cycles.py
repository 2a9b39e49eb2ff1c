"""Cycles in .moca files, and a cache of prepared ones."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import read_bytes
from mocapella.files.formats import files_of, reading_words
from mocapella.files.moca import read_moca, write_moca
from mocapella.motion.cycle import Cycle
from mocapella.storage.records import (
    CycleRecord,
    SkeletonRecord,
    cycle_record,
    read_cycle,
    read_skeleton,
    skeleton_record,
)

# Prepared cycles on disk: saved with their source and every decision, loaded without any preparation.

FORMAT = "cycle"
VERSION = 1


class _FileRecord(msgspec.Struct, frozen=True):
    """One file that a cycle was read from."""

    given: str  # as the user named it
    beside: str  # where it lies, seen from the folder of the .moca
    sha256: str  # of its content, "" where it was not there to be read


class _StoredRecord(CycleRecord, frozen=True, kw_only=True):
    """The JSON header of a stored cycle; other keys are left alone."""

    skeleton: SkeletonRecord
    files: tuple[_FileRecord, ...] = ()
    asked: str = ""  # all that steered its making, for a cache


def save_cycle(cycle: Cycle, path: str | PathLike[str], *, asked: str = "") -> None:
    """Write a prepared cycle as ``.moca``, with the hash of every file it was read from, by which a stale one is known.

    Where these lie is written as seen from the folder of the ``.moca``, so both can be moved together and nothing
    depends on where a program is started. ``asked`` are words that ``is_fresh`` can compare.
    """
    _refuse_other_suffix(path)
    skeleton, arrays = skeleton_record(cycle.skeleton)
    files = cycle.files or ((cycle.source,) if cycle.source else ())
    record = _StoredRecord(
        skeleton=skeleton,
        files=tuple(_FileRecord(file, _seen_from(Path(path), file), content_hash(file) or "") for file in files),
        asked=asked,
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
        cycle = read_cycle(path, record, contents.arrays, "dofs", skeleton)
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, f"holds no cycle: {error}") from None
    return replace(cycle, files=tuple(file.given for file in record.files))


def is_fresh(path: str | PathLike[str], source: str | PathLike[str] | None = None, *, asked: str | None = None) -> bool:
    """Whether a stored cycle is there and the content of all its files is still what it was made from.

    ``source`` is for a motion file that has moved since; a cycle whose files cannot be found is not fresh. ``asked``
    are the words it must have been saved with.
    """
    try:
        record = _record(path, read_moca(path, FORMAT, VERSION).header)
    except FormatError:
        return False
    places = [Path(path).parent / file.beside for file in record.files]
    if source is not None:
        places[:1] = [Path(source)]
    hashes = [file.sha256 for file in record.files]
    alike = [content_hash(place) == known for place, known in zip(places, hashes, strict=False)]
    return bool(hashes) and all(hashes) and all(alike) and asked in (None, record.asked)


def content_hash(file: str | PathLike[str]) -> str | None:
    """SHA-256 of a file's content; None where it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(file)).hexdigest()
    except FormatError:
        return None


def _seen_from(moca: Path, file: str) -> str:
    """Where a file lies, as seen from the folder of a stored cycle; the whole way where they share no root."""
    try:
        return Path(os.path.relpath(Path(file).resolve(), moca.resolve().parent)).as_posix()
    except (ValueError, OSError):  # on another drive
        return str(Path(file).absolute())


def _record(path: str | PathLike[str], header: bytes) -> _StoredRecord:
    try:
        return msgspec.json.decode(header, type=_StoredRecord)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(path, 0, f"has a header that describes no cycle: {error}") from None


def _refuse_other_suffix(path: str | PathLike[str]) -> None:
    if Path(path).suffix.lower() != ".moca":
        raise MotionError(f"a prepared cycle is stored as .moca, got {Path(path).name!r}")


# Prepared cycles kept in a folder, so that a motion is prepared once and not at every build.

PREPARATION = 1  # counts up when the same file and options would give another cycle than before


@dataclass(frozen=True)
class CycleCache:
    """A folder of cycles; each is used as long as its files, and all that was asked for, are what they were."""

    folder: Path

    def cycle(
        self, path: Path, reading: Mapping[str, Any], asked: Mapping[str, Any], make: Callable[[], Cycle]
    ) -> Cycle:
        """The cycle of a motion file read and prepared with these options: the stored one if fresh, else a new one.

        A file that was prepared before is neither parsed nor warned about again; what was doubtful is among the
        decisions of its cycle.

        Raises
        ------
        MotionError
            Where the folder cannot be made or written in.
        """
        words = _words(reading, asked)
        place = self.folder / f"{path.stem[:60]}-{_key(path, reading, words)}.moca"
        if is_fresh(place, asked=words):
            try:
                return replace(load_cycle(place), name=path.stem, source=str(path))
            except FormatError:
                pass  # damaged behind its header: made again
        cycle = make()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MotionError(f"cannot make the folder {self.folder}: {error.strerror or error}") from None
        save_cycle(cycle, place, asked=words)
        return cycle


def _words(reading: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    told = reading_words(**{name: value for name, value in reading.items() if name != "skeleton"})
    wishes = [f"{name} {wish}" for name, wish in sorted(asked.items()) if wish is not None]
    return "; ".join([f"preparation {PREPARATION}", *told, *wishes])


def _key(path: Path, reading: Mapping[str, Any], words: str) -> str:
    """What tells stored cycles apart: where their files lie, and what was asked for."""
    files = files_of(path, reading.get("skeleton"), reading.get("roles"))
    text = "\n".join([*(str(Path(file).resolve()) for file in files), words])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
