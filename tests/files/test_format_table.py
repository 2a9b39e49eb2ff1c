"""Formats that other packages add, and those that need another package."""

import re
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.files import format_table
from mocapella.files.format_table import FORMATS, Format, plug_ins

DOCS = Path(__file__).resolve().parents[2] / "docs" / "files.md"


def test_the_format_of_the_manual_is_read_once_its_package_is_installed(tmp_path):
    """What installing a package leaves behind is a module, and a folder with its entry points."""
    text = DOCS.read_text()
    code = re.search(r"```python\n(# mocapella_points.py\n.*?)```", text, re.DOTALL).group(1)
    assert code.count("\n") <= 14
    name, value = re.search(r'"mocapella.formats"\]\n(\w+) = "(.*?)"', text).groups()
    (tmp_path / "mocapella_points.py").write_text(code)
    installed = tmp_path / "mocapella_points-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: mocapella-points\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(f"[mocapella.formats]\n{name} = {value}\n")
    np.savetxt(tmp_path / "a.xyz", [[0, 1, 0], [0, 1, 0.5], [0, 1, 1]])
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom mocapella.cli import main; main()"
    words = [sys.executable, "-c", script, "convert", str(tmp_path / "a.xyz"), str(tmp_path / "a.bvh"), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"frames": 3' in done.stdout
    assert (tmp_path / "a.bvh").exists()


def entry(monkeypatch, name, value):
    point = EntryPoint(name, value, format_table.GROUP)
    monkeypatch.setattr(format_table, "entry_points", lambda group: [point] if group == format_table.GROUP else [])


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("xyz", "no_such_module:FORMAT", "cannot be loaded: ModuleNotFoundError"),
        ("xyz", "math:pi", "is left out: expected a Format, got float"),
        ("BVH", "mocapella.files.format_table:SAMPLE", "the format .bvh .* is left out: there is one for that suffix"),
    ],
)
def test_a_plug_in_that_does_not_work_is_left_out_by_name(monkeypatch, name, value, reason):
    monkeypatch.setattr(format_table, "SAMPLE", Format("sample"), raising=False)
    entry(monkeypatch, name, value)
    with pytest.warns(mo.MotionWarning, match=reason):
        assert plug_ins(FORMATS) == {}


def test_a_reader_may_give_a_clip_or_what_it_parsed(tmp_path, monkeypatch, walk):
    monkeypatch.setitem(FORMATS, ".own", Format("own", lambda path: replace(walk, source=str(path))))
    (tmp_path / "a.own").write_text("-")
    read = mo.load(tmp_path / "a.own")
    np.testing.assert_allclose(read.positions, walk.positions, atol=1e-12)
    assert read.report.unit == "m"


def test_a_format_whose_package_is_missing_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(
        FORMATS, ".own", Format("OWN", lambda path: None, needs="no_such_module", extra="mocapella[own]")
    )
    (tmp_path / "a.own").write_text("-")
    with pytest.raises(mo.FormatError, match=r"OWN files need another package: pip install 'mocapella\[own\]'"):
        mo.load(tmp_path / "a.own")
