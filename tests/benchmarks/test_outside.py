"""Peers that are programs of their own are found where they are, and what they print is read."""

import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.benches import outside
from benchmarks.benches.crowd import RECORDED, beside_ozz
from mocapella.errors import MotionError
from mocapella.studies.benches.measuring import Row

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path) -> Path:
    """A clone in which nothing was built."""
    (tmp_path / "benchmarks" / "peers").mkdir(parents=True)
    for name in ("Makefile", "benchmarks/peers/CMakeLists.txt", "benchmarks/peers/ozz_feet.cc"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def put_program(clone: Path, lines: str) -> None:
    program = clone / "benchmarks" / "peers" / "build" / "ozz_feet"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(0o755)


def test_three_is_looked_for_where_node_is_told_to_look_then_in_the_clone(monkeypatch, tmp_path):
    monkeypatch.setattr(outside.shutil, "which", lambda name: "/bin/node")
    monkeypatch.delenv("NODE_PATH", raising=False)
    assert outside.three_folder(tmp_path) is None
    folders = [tmp_path / "web" / "node_modules", tmp_path / "tests" / "js" / "node_modules", tmp_path / "told"]
    for folder in folders:  # each goes before the ones so far
        (folder / "three" / "build").mkdir(parents=True)
        (folder / "three" / "build" / "three.module.js").touch()
        monkeypatch.setenv("NODE_PATH", str(tmp_path / "told"))
        assert outside.three_folder(tmp_path) == folder / "three"
    monkeypatch.setattr(outside.shutil, "which", lambda name: None)
    assert outside.three_folder(tmp_path) is None


def test_figures_of_ozz_are_what_the_built_program_prints_and_none_where_it_is_not_built(clone):
    assert outside.ozz(10, 2, clone) == {}
    put_program(clone, 'echo "{\\"blend\\": $1, \\"feet\\": $2.5}"')
    assert outside.ozz(10, 2, clone) == {"blend": 10.0, "feet": 2.5}


def test_a_peer_that_fails_is_an_error_with_its_reason(clone):
    put_program(clone, 'echo "Error: ozz refuses: a clip" >&2; exit 1')
    with pytest.raises(MotionError, match=r"ozz_feet, a peer of the bench, failed: Error: ozz refuses: a clip"):
        outside.ozz(10, 2, clone)


def test_recorded_figures_stand_in_for_ozz_and_give_way_to_measured_ones():
    row = Row("native", 500.0, "ns")
    recorded = beside_ozz(row, {}, feet=True)
    assert recorded.published == RECORDED["ozz, feet"] > beside_ozz(row, {}, feet=False).published
    assert "recorded on another machine" in recorded.note
    measured = beside_ozz(row, {"blend": 1.0, "feet": 2.0}, feet=True)
    assert (measured.published, measured.note) == (None, "")
    assert measured.peers == {"ozz-animation, blend": 1.0, "ozz-animation, feet": 2.0}


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_peers_without_sources_says_so_in_one_line_and_keeps_what_was_built(clone):
    put_program(clone, "echo kept")
    run = subprocess.run(["make", "-s", "peers", "OZZ=nowhere"], cwd=clone, capture_output=True, text=True, check=False)
    (line,) = run.stdout.splitlines()
    assert line.startswith(("missing: sources of ozz-animation in nowhere; ", "missing: cmake; "))
    assert "recorded figures" in line
    assert (clone / "benchmarks" / "peers" / "build" / "ozz_feet").is_file()
