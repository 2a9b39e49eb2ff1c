"""Memory and time of reading are in proportion to a file's size."""

import json
import subprocess
import sys

import pytest

from mocapella.errors import FormatError
from mocapella.files import budget
from mocapella.files.apart.run import read_apart
from mocapella.files.budget import FLOOR, PER_BYTE, Budget


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_the_worst_small_files_of_all_readers_keep_to_the_limits_of_memory_and_time():
    command = [sys.executable, "-m", "benchmarks.reader_budgets", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    rows = json.loads(done.stdout)["rows"]
    over = [row for row in rows if row["memory"] > row["memory_limit"] or row["seconds"] > row["seconds_limit"]]
    assert not over
    assert not [row for row in rows if row["outcome"].startswith("crash") or len(row["outcome"]) > 700]
    read = {row["reader"] for row in rows if row["outcome"] == "read"}
    assert read >= {".glb", ".npz", ".bvh", ".asf", ".amc", ".csv", ".trc", ".vmd", ".mvnx", ".dae", ".toml"}


def test_a_budget_is_a_kilobyte_for_a_byte_and_64_megabytes_at_least():
    assert Budget("a.glb", 10).left == FLOOR
    assert Budget("a.glb", 1 << 20).left == PER_BYTE << 20


def test_a_file_of_up_to_a_megabyte_has_ten_seconds_of_computing_and_a_larger_one_more():
    assert Budget("a.fbx", 10).seconds == Budget("a.fbx", 1 << 20).seconds == 10.0
    assert Budget("a.fbx", 3 << 20).seconds == 30.0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of computing for a process")
def test_a_library_that_computes_longer_than_its_file_allows_is_ended(monkeypatch, tmp_path):
    monkeypatch.setattr(budget, "SECONDS", 1.0)
    (tmp_path / "endless.py").write_text("def read(data, options):\n    while True: pass\n")
    (tmp_path / "a.c3d").write_bytes(bytes(10))
    with pytest.raises(FormatError, match=r"json, which reads C3D, failed on it \(signal 24\)"):
        read_apart(tmp_path / "a.c3d", str(tmp_path / "endless.py"), {}, name="C3D", library="json")


def test_what_is_taken_is_gone_and_more_than_is_left_is_refused():
    small = Budget("a.glb", 10)
    small.take(FLOOR - 5, "a motion")
    with pytest.raises(FormatError, match="a track would take 0 MiB of memory; 0 MiB are left to"):
        small.take(6, "a track")
    small.grow(1 << 20)
    small.take(6, "a track")
