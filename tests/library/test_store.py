"""The database: nothing lost, nothing half there, faults said in words."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import mocapella as mo
from mocapella.library import database, ingest
from mocapella.library.database import salvaged, set_aside
from mocapella.library.entries import DescribedFile
from mocapella.library.ingest import add_captures, describe
from mocapella.library.queries import find
from mocapella.library.storage import storage_report
from mocapella.library.store import Library
from mocapella.library.words import words_of


def test_every_file_is_accounted_for(library, captures):
    assert len(library) == 9
    ((path, reason),) = library.failures()
    assert path.endswith("broken.bvh")
    assert "expected ROOT, found 'RUUT'" in reason


def test_adding_again_adds_nothing(library, captures):
    done = add_captures(library, [captures], workers=0)
    assert (done.added, done.known, done.failures) == (0, 10, [])


def test_a_file_that_changed_is_read_anew_and_one_touched_is_not(tmp_path):
    mo.save(mo.example("walk", cycles=2.0), tmp_path / "a.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [tmp_path], workers=0)
        os.utime(tmp_path / "a.bvh", (1, 1))
        (tmp_path / "notes.txt").write_text("a.bvh weary")
        assert add_captures(library, [tmp_path], workers=0).known == 1
        assert find(library, "walk weary")
        mo.save(mo.example("run", cycles=2.0), tmp_path / "a.bvh")
        assert add_captures(library, [tmp_path], workers=0).added == 1
        assert len(library) == 1
        assert find(library, "run")
        assert not find(library, "walk")


def walks(folder, *speeds):
    """A file with an animation for each speed, and a pose."""
    clips = [mo.example("walk", speed=speed, cycles=2.0, frame_rate=60.0) for speed in speeds]
    clips = [clip.renamed(f"Walk_{name}") for clip, name in zip(clips, ("Slow", "Quick"), strict=False)]
    first = mo.example("walk", frame_rate=60.0)[:2]
    still = {name: getattr(first, name)[[0, 0]] for name in ("root_positions", "rotations_wxyz")}
    mo.save([*clips, replace(first, **still, name="T-Pose")], folder / "pack.glb")
    return folder / "pack.glb"


def test_every_animation_of_a_file_is_a_capture(tmp_path):
    pack = walks(tmp_path, 0.9, 1.6)
    (tmp_path / "pack.txt").write_text("weary")
    with Library.at(tmp_path / "library", create=True) as library:
        done = add_captures(library, [pack], workers=0)
        assert (done.added, done.known, done.failures) == (2, 0, [])
        assert done.left_out == [(f"{pack}#T-Pose", "is a pose: nothing moves in it")]
        assert [str(capture.path) for capture in library.captures()] == [f"{pack}#Walk_Quick", f"{pack}#Walk_Slow"]
        assert {stretch.path for stretch in find(library, "walk slow weary")} == {f"{pack}#Walk_Slow"}
        for name in ("Walk_Slow", "Walk_Quick"):
            made = library.make(f"pack#{name}")
            assert made.source == f"{pack}#{name}"
            assert library.make(f"pack#{name}|sync_mirror").n_frames == made.n_frames
        assert abs(library.make("pack#Walk_Slow").seconds - library.make("pack#Walk_Quick").seconds) > 0.1
        assert storage_report(library).size("real clips") == pytest.approx(pack.stat().st_size, abs=2)
        os.utime(pack, (1, 1))
        assert add_captures(library, [pack, tmp_path], workers=0).known == 2
        assert library.check() == []
        library.forget([f"{pack}#Walk_Slow"])
        assert [capture.name for capture in library.captures()] == ["pack#Walk_Quick"]


def test_animations_that_a_file_no_longer_has_are_gone(tmp_path):
    pack = walks(tmp_path, 0.9, 1.6)
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [pack], workers=0)
        walks(tmp_path, 1.2)
        assert any("has changed" in fault for fault in library.check())
        assert add_captures(library, [Path(f"{pack}#Walk_Slow")], workers=0).added == 1
        assert [capture.name for capture in library.captures()] == ["pack"]
        library.forget([str(pack)])
        assert len(library) == 0


def test_a_library_that_knew_the_first_animation_of_a_file_reads_it_again(tmp_path, monkeypatch):
    pack = walks(tmp_path, 0.9, 1.6)
    monkeypatch.setattr(database, "_MIGRATIONS", database._MIGRATIONS[:4])
    with Library.at(tmp_path / "library", create=True) as library:
        first = describe(pack).captures[0]
        library.put(DescribedFile(str(pack), (replace(first, path=str(pack), name="pack"),)))
        assert add_captures(library, [pack], workers=0).known == 1
    monkeypatch.undo()
    with Library.at(tmp_path / "library") as library:
        assert [capture.name for capture in library.captures()] == ["pack"]
        assert add_captures(library, [pack], workers=0).added == 2
        assert [capture.name for capture in library.captures()] == ["pack#Walk_Quick", "pack#Walk_Slow"]


def test_one_motion_in_several_forms_is_one(tmp_path):
    """Whatever the file is called, its joints are named or its rate is."""
    clip = mo.example("walk", speed=1.4)
    mo.save(clip, tmp_path / "a.bvh")
    mo.save(clip, tmp_path / "other_name.bvh", names="mixamo")
    mo.save(clip.resampled(60.0).turned(1.0).moved(2.0, 3.0), tmp_path / "half.bvh")
    mo.save(mo.example("walk", speed=1.41), tmp_path / "b.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        done = add_captures(library, [tmp_path], workers=0)
        assert (done.added, done.duplicates) == (4, 2)
        assert {other.rsplit("/", 1)[1] for _, other in library.duplicates()} == {"a.bvh"}
        assert len({one.path for one in find(library, "walk")}) == 2


def test_words_come_from_names_folders_and_notes(tmp_path):
    (tmp_path / "angryPeople").mkdir()
    path = tmp_path / "angryPeople" / "BigSteps_take-02.bvh"
    path.with_suffix(".txt").write_text("Old man, tired")
    assert words_of(path) == ("angry", "people", "big", "steps", "old", "man", "tired")


def test_words_come_from_lists_of_many_motions(tmp_path):
    """As the CMU's index is, in the folder above, and as tables with named columns are."""
    (tmp_path / "16").mkdir()
    (tmp_path / "index.txt").write_text("All motions\n\n16_11\twalk, veer left\n16_1\tjump\n")
    assert words_of(tmp_path / "16" / "16_11.bvh") == ("walk", "veer", "left")
    table = tmp_path / "16" / "list.csv"
    table.write_text("file,licence,Description\n16/16_11.bvh,free,sad\n17/16_11.bvh,free,happy\n")
    assert words_of(tmp_path / "16" / "16_11.bvh") == ("sad", "walk", "veer", "left")
    table.write_text('file,"Description\n16_11')  # damaged
    assert words_of(tmp_path / "16" / "16_11.bvh") == ("walk", "veer", "left")


def test_workers_find_what_one_process_finds(captures, tmp_path):
    three = [captures / name for name in ("walk.bvh", "broken.bvh", "run.bvh")]
    with Library.at(tmp_path, create=True) as library:
        done = add_captures(library, three, workers=2)
        assert (done.added, len(done.failures)) == (2, 1)


def end_the_process(path):
    if path.name == "stand.bvh":
        os._exit(9)
    return describe(path)


def test_a_file_that_ends_its_worker_stops_nothing(captures, tmp_path, monkeypatch):
    monkeypatch.setattr(ingest, "describe", end_the_process)
    three = [captures / name for name in ("walk.bvh", "stand.bvh", "run.bvh")]
    with Library.at(tmp_path, create=True) as library:
        done = add_captures(library, three, workers=2)
        assert done.added == 2
        assert dict(done.failures)[str(captures / "stand.bvh")] == "reading it ended the worker process"


def test_killed_at_any_moment_nothing_committed_is_lost_and_nothing_is_half_there(captures, tmp_path):
    words = [sys.executable, "-m", "mocapella", "library", "add", captures, "--library", tmp_path, "--workers", "0"]
    for delay in (0.8, 1.4):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            time.sleep(delay)
            running.send_signal(signal.SIGKILL)
    with Library.at(tmp_path, create=True) as library:
        before = len(library)
        done = add_captures(library, [captures], workers=0)
        assert done.added == 9 - before
        assert len(library) == 9
        assert library.check() == []
        stretches, windows = (library._one(f"SELECT count(DISTINCT clip) FROM {t}") for t in ("stretches", "windows"))
        assert (stretches, windows) == (9, 9)


def test_a_damaged_database_is_named_and_made_again_from_the_files(captures, tmp_path):
    with Library.at(tmp_path, create=True) as library:
        add_captures(library, [captures], workers=0)
    file = tmp_path / "library.sqlite"
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(mo.MotionError, match=r"is damaged.*library repair"):
        Library.at(tmp_path)
    assert salvaged(tmp_path) == ([], [])
    set_aside(tmp_path, [], [])
    assert (tmp_path / "library.sqlite.damaged").exists()
    with Library.at(tmp_path, create=True) as library:
        assert add_captures(library, [captures], workers=0).added == 9


def test_a_database_of_a_newer_version_is_refused(tmp_path):
    Library.at(tmp_path, create=True).close()
    with sqlite3.connect(tmp_path / "library.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(mo.MotionError, match="newer version"):
        Library.at(tmp_path)


def test_another_program_that_writes_is_waited_for_and_then_named(tmp_path, monkeypatch):
    monkeypatch.setattr("mocapella.library.database._WAIT", 0.05)
    with Library.at(tmp_path, create=True) as library:
        other = sqlite3.connect(tmp_path / "library.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(mo.MotionError, match="another program writes"):
            library.forget(["x"])
        other.execute("ROLLBACK")
        other.close()
        library.forget(["x"])


def test_files_that_are_gone_are_found_by_check(tmp_path):
    mo.save(mo.example("walk", cycles=2.0), tmp_path / "a.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [tmp_path], workers=0)
        assert library.check() == []
        (tmp_path / "a.bvh").unlink()
        assert library.check() == [f"{tmp_path / 'a.bvh'} is gone"]


def test_no_library_is_said_with_what_helps(tmp_path):
    with pytest.raises(mo.MotionError, match=r"there is no library.*library add"):
        Library.at(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with Library.at(tmp_path / "new", create=True) as library, pytest.raises(mo.MotionError, match="no such file"):
        add_captures(library, [tmp_path / "nowhere"])
