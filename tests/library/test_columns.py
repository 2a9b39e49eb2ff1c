"""Columns of the database are fields of records: old libraries open, and a new field is a new column."""

import sqlite3
from dataclasses import dataclass, field, fields
from pathlib import Path

import pytest

from mocapella.library import database, entries
from mocapella.library.entries import TABLES, KeptCycle, Known, Stretch, Table, later_migrations
from mocapella.library.queries import find
from mocapella.library.store import Library

RELEASED = Path(__file__).with_name("released_4.sql")  # dumped from a library that an earlier release wrote


@pytest.fixture
def released(tmp_path):
    connection = sqlite3.connect(tmp_path / "library.sqlite")
    connection.executescript(RELEASED.read_text())
    connection.close()
    return tmp_path


def test_a_library_of_an_earlier_release_opens_as_it_was(released):
    with Library.at(released) as library:
        run, walk = library.captures()
        assert (walk.name, walk.number, walk.frames, walk.frame_rate, walk.height) == ("tired_walk", 2, 90, 30.0, 1.75)
        assert walk.path == released / "captures" / "2999ce3b9b251a0a" / "captures" / "tired_walk.bvh"
        digest = "2999ce3b9b251a0a392a52c50b7b1435b801d91220d90e5122e251dc84b0901c"
        assert walk.file == Known(65501, 1795009317385371199, digest)
        assert (walk.words, walk.skeleton, walk.twin) == (("captures", "tired", "walk"), "0477243bf57ff452", None)
        assert walk.plants["left_heel"] == [[0, 3], [24, 37], [58, 72]]
        assert walk.cycles == (
            KeptCycle("walk", 2, 34, 1.1985219643639051, 22.633326908211444, 0.008228935327510591, 0.00397452048073906),
        )
        (found,) = find(library, "walk turn:left slope:0 step:0.67")
        figures = ("walk", 0, 90, 1.1851791220473247, 20.201380007729753, 0.0330471906483152, 0.6747295018444737)
        assert tuple(getattr(found, column.name) for column in fields(Stretch)) == figures
        assert (found.name, found.path, found.words, found.score) == (walk.name, str(walk.path), walk.words, 0.0)
        assert library.at_window(run.number, 30, 1.0, 0.5).step == 1.0149203975522147
        assert len(library.known()) == 3
        assert library.recipes() == {
            "other": ("tired_walk", [{"modifier": "sync_mirror", "parameters": {}, "inputs": []}])
        }
        assert len(library.index.numbers) == 8
        assert library._one("PRAGMA user_version") == len(database._MIGRATIONS)


def test_the_database_has_the_columns_of_the_records_and_no_others(tmp_path):
    with Library.at(tmp_path, create=True) as library:
        for table in TABLES:
            stored = {row[1] for row in library._rows(f"PRAGMA table_info({table.name})")}
            assert stored - {"id"} == {*table.further, *(column.name for column in fields(table.record))}


@dataclass(frozen=True)
class SwayingStretch(Stretch):
    sway: float = field(default=0.0, metadata={"since": len(database._RELEASED) + 1})  # metres


def test_a_field_that_comes_later_is_a_column_that_old_libraries_get(released, monkeypatch):
    table = Table("stretches", SwayingStretch, ("clip",))
    monkeypatch.setattr(entries, "TABLES", (*TABLES[:2], table, *TABLES[3:]))
    monkeypatch.setattr(database, "_MIGRATIONS", (*database._RELEASED, *later_migrations(len(database._RELEASED))))
    with Library.at(released) as library:
        assert library._one("PRAGMA user_version") == len(database._RELEASED) + 1
        stored = library._rows(f"SELECT {table.selected('s')} FROM stretches s ORDER BY s.id")
        assert [SwayingStretch(*row).sway for row in stored] == [0.0, 0.0]
        assert len(library.known()) == 1  # but for the broken one, captures are read again to have it
        with library._change() as run:
            run(table.insertion, table.row_of(SwayingStretch("walk", 0, 9, sway=0.1), 1))
        assert library._one("SELECT sway FROM stretches WHERE frames = 9") == 0.1
