"""Every page of the gallery runs, in an empty folder, and leaves its pictures and motions there."""

import re
from pathlib import Path

import pytest

from tests.scripts import run_script

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.py"))
SAID = {"04_turning_on_the_spot": r"turned (\d+\.\d)°, \1° by its turn rate"}  # what docs say of what they print


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_leaves_something_to_look_at(example, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    run_script(example.read_text(), str(example), tmp_path)
    assert list(tmp_path.glob("*.png"))
    assert re.search(SAID.get(example.stem, ""), capsys.readouterr().out)
