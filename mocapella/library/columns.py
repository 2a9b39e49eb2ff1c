"""SQL of a library's tables, made from the records whose fields are their columns.

A new column is one new field with ``metadata={"since": N}``, N the number of the database that has it first: it is
written and read back from then on, and libraries made before get it, with all captures to be read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, get_origin, get_type_hints

from mocapella.library.entries import ClipRow, KeptCycle, Known, Stretch

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
