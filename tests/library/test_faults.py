"""Faults: a full disk, two writers, a library of the first version, files that change while they are read."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import mocapella as mo
from mocapella.files import formats
from mocapella.library import database, ingest
from mocapella.library.database import repaired, salvaged, set_aside
from mocapella.library.ingest import add_captures, describe
from mocapella.library.queries import find
from mocapella.library.store import Library


def test_a_full_disk_is_said_and_what_was_committed_stays(captures, tmp_path):
    with Library.at(tmp_path, create=True) as library:
        add_captures(library, [captures / "walk.bvh"], workers=0)
        pages = library._one("PRAGMA page_count")
        library._one(f"PRAGMA max_page_count = {pages + 1}")  # SQLite's own bound: its error is that of a full disk
        with pytest.raises(mo.MotionError, match=r"no room on the disk .* nothing was lost"):
            add_captures(library, [captures], workers=0)
        library._one("PRAGMA max_page_count = 1000000")
        assert library.check() == []
        assert find(library, "walk")
        assert add_captures(library, [captures], workers=0).known >= 1  # goes on where it was
        assert len(library) == 9


def test_no_room_for_files_that_are_taken_in_is_one_line(captures, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ingest.shutil, "copyfileobj", full)
    with (
        Library.at(tmp_path, create=True) as library,
        pytest.raises(mo.MotionError, match=r"cannot write .*walk\.bvh: No space left on device"),
    ):
        add_captures(library, [captures / "walk.bvh"], workers=0, take=True)
    assert not list(tmp_path.rglob("*.bvh"))


def test_two_programs_add_at_once_and_nothing_is_lost(captures, tmp_path):
    names = sorted(path.name for path in captures.glob("*.bvh") if path.name != "broken.bvh")
    halves = names[: len(names) // 2 + 1], names[len(names) // 2 :]  # one file is in both
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mocapella",
                "library",
                "add",
                *(captures / name for name in half),
                "--library",
                tmp_path / "library",
                "--workers",
                "0",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for half in halves
    ]
    for one in running:
        _, errors = one.communicate()
        assert one.returncode == 0, errors
    with Library.at(tmp_path / "library") as library:
        assert len(library) == len(names)
        assert library.check() == []


def test_a_library_of_the_first_version_is_brought_up_to_date_and_read_again(captures, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_MIGRATIONS", database._MIGRATIONS[:1])
    (entry,) = describe(captures / "walk.bvh").captures
    with Library.at(tmp_path, create=True) as old:
        old._connection.execute(
            "INSERT INTO files (id, path, size, changed, digest) VALUES (1, ?, ?, ?, ?)",
            (entry.path, entry.file.size, entry.file.changed, entry.file.digest),
        )
        old._connection.execute(
            "INSERT INTO clips (file, name, motion, frames, frame_rate, joints, height, signature, mean) "
            "VALUES (1, 'walk', 'x', 10, 60, 20, 1.8, ?, 0)",
            (entry.signature,),
        )
    monkeypatch.undo()
    with Library.at(tmp_path) as library:
        assert library._one("PRAGMA user_version") == len(database._MIGRATIONS)
        assert [one.cycles for one in library.captures()] == [()]
        assert add_captures(library, [captures / "walk.bvh"], workers=0).added == 1
        assert len(library) == 1
        assert library.captures()[0].cycles[0].kind == "walk"


def test_repair_keeps_recipes_as_far_as_they_can_be_read(captures, tmp_path):
    with Library.at(tmp_path, create=True) as library:
        add_captures(library, [captures / "walk.bvh"], workers=0)
        library.define("other", "walk", [{"modifier": "mirror"}])
    with sqlite3.connect(tmp_path / "library.sqlite") as damaged:
        damaged.execute("INSERT INTO files (path, size, changed, digest) VALUES (x'00ff', 1, 1, '')")
    damaged.close()
    paths, recipes = salvaged(tmp_path)
    assert paths == [str(captures / "walk.bvh")]
    set_aside(tmp_path, paths, recipes)
    with Library.at(tmp_path, create=True) as library:  # and the program is killed: the next one knows it all
        assert library.check() == ["a repair was interrupted; mocapella library repair goes on with it"]
    assert salvaged(tmp_path) == (paths, recipes)
    set_aside(tmp_path, paths, recipes)
    assert {"library.sqlite.damaged", "library.sqlite.damaged-2"} < {path.name for path in tmp_path.iterdir()}
    with Library.at(tmp_path, create=True) as library:
        add_captures(library, [Path(path) for path in paths], workers=0)
        library.restore(recipes)
        assert library.make("other").name == "other"
        repaired(tmp_path)
        assert library.check() == []


def test_a_file_that_vanishes_while_it_is_read_is_noted(captures, tmp_path, monkeypatch):
    path = tmp_path / "walk.bvh"
    path.write_bytes((captures / "walk.bvh").read_bytes())
    monkeypatch.setattr(formats, "read_motion", lambda given: (path.unlink(), mo.load(given))[1])
    with Library.at(tmp_path / "library", create=True) as library:
        done = add_captures(library, [path], workers=0)
        assert done.failures == [(str(path), f"{path}: there is no such file")]


def test_a_program_without_a_guarded_main_module_reads_files_itself(captures, tmp_path, monkeypatch):
    """Workers that cannot start are no fault of the files."""
    monkeypatch.setattr(ingest, "_workers_start", lambda: False)
    monkeypatch.setattr(ingest, "_pool", lambda workers: _Broken())
    with Library.at(tmp_path, create=True) as library:
        done = add_captures(library, [captures / "walk.bvh", captures / "run.bvh"], workers=2)
        assert (done.added, done.failures) == (2, [])


class _Broken:
    def submit(self, *_):
        from concurrent.futures import Future
        from concurrent.futures.process import BrokenProcessPool

        future = Future()
        future.set_exception(BrokenProcessPool())
        return future

    def shutdown(self, **_):
        pass


def test_a_locked_database_is_waited_for_then_named_when_a_recipe_is_written(captures, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_WAIT", 0.05)
    with Library.at(tmp_path, create=True) as library:
        add_captures(library, [captures / "walk.bvh"], workers=0)
        other = sqlite3.connect(tmp_path / "library.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(mo.MotionError, match="another program writes"):
            library.define("other", "walk", [{"modifier": "mirror"}])
        assert find(library, "walk")  # reading goes on
        other.execute("ROLLBACK")
        other.close()


def test_a_name_that_is_no_text_is_named_and_the_others_are_added(captures, tmp_path):
    (tmp_path / "motions").mkdir()
    text = (captures / "stand.bvh").read_bytes()
    try:
        Path(os.fsdecode(bytes(tmp_path / "motions") + b"/bad\xff.bvh")).write_bytes(text)
    except OSError:
        pytest.skip("the file system takes no such names")
    (tmp_path / "motions" / "good.bvh").write_bytes(text)
    with Library.at(tmp_path / "library", create=True) as library:
        done = add_captures(library, [tmp_path / "motions"], workers=0)
        assert (done.added, len(done.failures)) == (1, 1)
        assert "not UTF-8; rename the file" in done.failures[0][1]
