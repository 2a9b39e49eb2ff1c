"""Records of a library: files, stretches, cycles, captures, search results.

A column of the database is a field of one of them (see ``Table``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any, get_origin, get_type_hints

KINDS = ("walk", "run", "turn", "stand", "change", "other")  # of motion


def file_of(path: Path) -> Path:
    """The file of a capture, whose path may name an animation of it: ``pack.glb#Walk``."""
    if "#" not in str(path):
        return path
    from mocapella.files.format_table import split_animation  # takes long to import, and few captures need it

    return split_animation(path)[0]


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Known:
    """A file as it was when it was taken in."""

    size: int
    changed: int  # nanoseconds
    digest: str  # SHA-256 of its content

    @classmethod
    def of(cls, path: Path) -> Known:
        """A file as it is now; ``OSError`` where it cannot be read."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns, digest_of_file(path))

    def still_in(self, path: Path) -> bool:
        """Whether the file of a capture holds what it held; where only its date has changed its content decides.

        Raises ``OSError`` where it is gone.
        """
        file = file_of(path)
        status = file.stat()
        if (status.st_size, status.st_mtime_ns) == (self.size, self.changed):
            return True
        return status.st_size == self.size and digest_of_file(file) == self.digest


def _figure(least: float) -> Any:
    """A figure that queries may ask for; a single value stands for a range of no less than ``least`` to both sides."""
    return field(default=0.0, metadata={"least": least})


@dataclass(frozen=True)
class _Span:
    """Frames of a clip, with figures of the motion in them."""

    kind: str  # one of ``KINDS``
    start: int  # first frame, counted from the clip's own first frame
    frames: int
    speed: float = _figure(0.05)  # mean over the ground, m/s
    turn: float = _figure(2.0)  # mean, degrees per second, left positive
    slope: float = _figure(1.0)  # of the way, degrees, up positive


@dataclass(frozen=True)
class Stretch(_Span):
    """A part of a clip that shows one kind of motion."""

    step: float = _figure(0.02)  # mean length of a step, metres; 0 where there are none


@dataclass(frozen=True)
class KeptCycle(_Span):
    """A cycle of a walk or a run; with its bounds known it is prepared without a search.

    The frame after its last shows the first pose again.
    """

    closing: float = 0.0  # metres between the joints of both ends


@dataclass(frozen=True, kw_only=True)
class Described:
    """Columns of a capture that are read back."""

    name: str
    frames: int
    frame_rate: float
    height: float  # metres
    skeleton: str = ""  # digest of joints and offsets
    plants: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)  # foot point → [first, last] frames


@dataclass(frozen=True, kw_only=True)
class Capture(Described):
    """A real clip of a library, the lowest of its layers."""

    number: int
    path: Path
    file: Known
    words: tuple[str, ...]
    cycles: tuple[KeptCycle, ...]
    twin: int | None = None  # the capture that shows the same motion and was there before


@dataclass(frozen=True, kw_only=True)
class ClipRow(Described):
    """All columns of a capture that are computed from its file."""

    motion: str  # digest
    joints: int
    signature: bytes  # 32-bit floats


@dataclass(frozen=True, kw_only=True)
class Entry(ClipRow):
    """The record of a capture."""

    path: str  # as it was named, made absolute; ``file#animation`` where a file has several
    file: Known
    stretches: tuple[Stretch, ...]
    words: tuple[str, ...]
    numbers: bytes  # of windows, 16-bit floats
    starts: bytes  # 32-bit integers
    cycles: tuple[KeptCycle, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A file, or an animation of one, that could not be read, and why."""

    path: str
    file: Known
    reason: str


@dataclass(frozen=True)
class DescribedFile:
    """What a library keeps of a file: its captures, and why some of its animations are none."""

    path: str
    captures: tuple[Entry | Refusal, ...]
    left_out: tuple[tuple[str, str], ...] = ()  # path, reason


@dataclass(frozen=True, kw_only=True)
class Found(Stretch):
    """A stretch of a capture, as a search result."""

    name: str
    path: str
    words: tuple[str, ...]
    frame_rate: float
    score: float = 0.0  # how far from what was asked; 0 where it only fits or not


# SQL of the tables, made from the records. A new column is one new field with ``metadata={"since": N}``, N the number
# of the database that has it first: it is written and read back from then on, and libraries made before get it, with
# all captures to be read again.

_NEW = {  # type and default of a column that is added
    int: "INTEGER NOT NULL DEFAULT 0",
    float: "REAL NOT NULL DEFAULT 0.0",
    str: "TEXT NOT NULL DEFAULT ''",
    bytes: "BLOB NOT NULL DEFAULT x''",
    Mapping: "TEXT NOT NULL DEFAULT '{}'",  # as JSON
}


@dataclass(frozen=True)
class Table:
    """A table of the database: columns that link and sort rows, and one for each field of a record."""

    name: str
    record: Any  # a dataclass
    further: tuple[str, ...]

    def selected(self, alias: str, record: Any = None) -> str:
        """The record's columns for a query, or those of the record's base."""
        return ", ".join(f"{alias}.{column.name}" for column in fields(self.record if record is None else record))

    @cached_property
    def insertion(self) -> str:
        """The statement that adds a row of ``row_of``."""
        names = [*self.further, *(column.name for column in fields(self.record))]
        return f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"

    def row_of(self, record: Any, *further: object) -> list[Any]:
        """A record as it is stored, after the values of the further columns."""
        values = [getattr(record, column.name) for column in fields(self.record)]
        return [*further, *(json.dumps(dict(value)) if isinstance(value, Mapping) else value for value in values)]

    def added(self, number: int) -> list[str]:
        """Statements that add the columns that database ``number`` has first."""
        types = _types(self.record)
        return [
            f"ALTER TABLE {self.name} ADD COLUMN {column.name} {_NEW[types[column.name]]}"
            for column in fields(self.record)
            if column.metadata.get("since") == number
        ]


FILES = Table("files", Known, ("path", "reason"))
CLIPS = Table("clips", ClipRow, ("file", "mean", "twin", "bucket"))
STRETCHES = Table("stretches", Stretch, ("clip",))
CYCLES = Table("cycles", KeptCycle, ("clip",))
TABLES = (FILES, CLIPS, STRETCHES, CYCLES)
# Figures of a stretch that queries may ask for, each with its narrowest range.
FIGURES = {column.name: column.metadata["least"] for column in fields(Stretch) if "least" in column.metadata}


@cache
def _types(record: Any) -> dict[str, Any]:
    """Types of a record's fields, those of mappings without what they hold."""
    return {name: get_origin(kind) or kind for name, kind in get_type_hints(record).items()}


def values_of(record: Any, stored: Iterable[Any]) -> dict[str, Any]:
    """The stored values of a record by the names of its fields."""
    return {
        name: json.loads(value) if _types(record)[name] is Mapping else value
        for name, value in zip((column.name for column in fields(record)), stored, strict=True)
    }


def later_migrations(released: int) -> list[str]:
    """The steps that add columns to a database after so many that are kept as text."""
    newest = max((column.metadata.get("since", 0) for table in TABLES for column in fields(table.record)), default=0)
    return [
        ";".join([*(step for table in TABLES for step in table.added(number)), "UPDATE clips SET skeleton = ''"])
        for number in range(released + 1, newest + 1)
    ]
