"""Prepared cycles in ``.moca`` files, and a folder of them, so that no motion is prepared at every build."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from mocapella.errors import FormatError
from mocapella.files.disk import make_folder, read_bytes
from mocapella.files.format_table import split_animation
from mocapella.files.formats import Reading, with_animation
from mocapella.files.moca import read_moca
from mocapella.motion.cycle import Cycle
from mocapella.quoting import whole_characters
from mocapella.storage import records


class _FileRecord(msgspec.Struct, frozen=True):
    """One file that a cycle was read from."""

    given: str  # as the user named it
    beside: str  # where it lies, seen from the folder of the .moca
    sha256: str  # of its content, "" where it was not there to be read


class _StoredRecord(records.CycleRecord, frozen=True, kw_only=True):
    """The JSON header of a stored cycle."""

    skeleton: records.SkeletonRecord
    files: tuple[_FileRecord, ...] = ()
    asked: str = ""  # all options it was made with, for a cache


def is_fresh(path: str | PathLike[str], source: str | PathLike[str] | None = None, *, asked: str | None = None) -> bool:
    """Whether a stored cycle is there and the content of all its files is still what it was made from.

    ``source`` is the motion file, where it has moved since. ``asked`` are the words that the cycle must have been saved
    with; None takes any.
    """
    try:
        record, _ = CYCLE.opened(path, read_moca(path, CYCLE.format))
    except FormatError:
        return False
    places = [Path(path).parent / file.beside for file in record.files]
    if source is not None:
        places[:1] = [Path(source)]
    hashes = [file.sha256 for file in record.files]
    unchanged = [_content_hash(place) == stored for place, stored in zip(places, hashes, strict=False)]
    return bool(hashes) and all(hashes) and all(unchanged) and asked in (None, record.asked)


def _described(cycle: Cycle, path: Path, *, asked: str = "") -> tuple[_StoredRecord, records.Made]:
    """The record of a cycle, with the hash of every file it was read from, by which a stale one is known.

    Where these lie is written as seen from the folder of the ``.moca``, so both can be moved together and nothing
    depends on where a program is started.
    """
    skeleton, arrays = records.skeleton_record(cycle.skeleton)
    files = cycle.files or ((cycle.source,) if cycle.source else ())
    record = _StoredRecord(
        skeleton=skeleton,
        files=tuple(_FileRecord(file, _seen_from(path, file), _content_hash(file) or "") for file in files),
        asked=asked,
        **msgspec.structs.asdict(records.cycle_record(cycle)),
    )
    return record, {"dofs": cycle.dofs, **arrays}


def _made(record: _StoredRecord, stored: records.Stored) -> Cycle:
    cycle = records.read_cycle(record, stored, "dofs", records.read_skeleton(record.skeleton, stored))
    return replace(cycle, files=tuple(file.given for file in record.files))


CYCLE: records.Kind[Cycle, Any] = records.Kind("cycle", 1, "cycle", _StoredRecord, _described, _made)
KINDS = {"cycle": CYCLE}


def _content_hash(file: str | PathLike[str]) -> str | None:
    """SHA-256 of a file's content; None where it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(file)).hexdigest()
    except FormatError:
        return None


def _seen_from(moca: Path, file: str) -> str:
    """Path of a file relative to the folder of a stored cycle; absolute where they share no root."""
    try:
        return Path(os.path.relpath(Path(file).resolve(), moca.resolve().parent)).as_posix()
    except (ValueError, OSError):  # on another drive
        return str(Path(file).absolute())


PREPARATION = 4  # counts up when the same file and options would give another cycle than before


@dataclass(frozen=True)
class CycleCache:
    """A folder of prepared cycles; each is used as long as its files and all options are the same."""

    folder: Path

    def cycle(
        self, path: Path, reading: Mapping[str, Any], asked: Mapping[str, Any], make: Callable[[], Cycle]
    ) -> Cycle:
        """The cycle of a motion file: the stored one if it is fresh, else a new one.

        A file that was prepared before is neither parsed nor warned about again; what was doubtful is among the
        decisions of its cycle. ``path`` may name an animation of a file. ``reading`` and ``asked`` are options of
        ``load`` and of ``prepare``; ``make`` prepares the cycle. Raises ``MotionError`` where the folder cannot be made
        or written in.
        """
        place, words = self._place(path, reading, asked)
        if is_fresh(place, asked=words):
            try:
                file, animation = split_animation(path)
                name = whole_characters(str(with_animation(file.stem, animation)))
                return replace(CYCLE.load(place), name=name, source=str(path))
            except FormatError:
                pass  # damaged behind its header: made again
        cycle = make()
        if split_animation(path)[1] is None and split_animation(cycle.source)[1] is not None:
            return cycle  # one of several of a file, and another may be the first of them next time
        make_folder(self.folder)
        CYCLE.write(cycle, place, asked=words)
        return cycle

    def holds(self, path: Path, reading: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
        """Whether the cycle of a motion file is stored and fresh; options are those of ``cycle``."""
        place, words = self._place(path, reading, asked)
        return is_fresh(place, asked=words)

    def _place(self, path: Path, reading: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[Path, str]:
        """The file of a stored cycle, and the words that it must have been saved with."""
        file, animation = split_animation(path)
        reading = reading if animation is None else {**reading, "animation": animation}
        words = _words(reading, asked)
        return self.folder / f"{file.stem[:60]}-{_key(file, reading, words)}.moca", words


def _words(reading: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    told = Reading(**reading).words()
    wishes = [f"{name} {wish}" for name, wish in sorted(asked.items()) if wish is not None]
    return "; ".join([f"preparation {PREPARATION}", *told, *wishes])


def _key(path: Path, reading: Mapping[str, Any], words: str) -> str:
    """A key of a stored cycle: where its files lie, and the options."""
    files = Reading(**reading).files(path)
    text = "\n".join([*(str(Path(file).resolve()) for file in files), words])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
