"""Every page of the gallery runs, in an empty folder, and leaves its pictures and motions there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.py"))
SAID = {"04_turning_on_the_spot": r"turned (\d+\.\d)°, \1° by its turn rate"}  # what docs say of what they print


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_leaves_something_to_look_at(example, tmp_path):
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("*.png"))
    assert re.search(SAID.get(example.stem, ""), done.stdout)
