"""Memory and time of reading are in proportion to a file's size."""

import json
import subprocess
import sys

import pytest

from mocapella.errors import FormatError
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
    assert read >= {".glb", ".npz", ".bvh", ".asf", ".amc", ".csv", ".trc", ".vmd", ".mvnx", ".toml"}


def test_a_budget_is_a_kilobyte_for_a_byte_and_64_megabytes_at_least():
    assert Budget("a.glb", 10).left == FLOOR
    assert Budget("a.glb", 1 << 20).left == PER_BYTE << 20


def test_what_is_taken_is_gone_and_more_than_is_left_is_refused():
    budget = Budget("a.glb", 10)
    budget.take(FLOOR - 5, "a motion")
    with pytest.raises(FormatError, match="a track would take 0 MiB of memory; 0 MiB are left to"):
        budget.take(6, "a track")
    budget.grow(1 << 20)
    budget.take(6, "a track")
