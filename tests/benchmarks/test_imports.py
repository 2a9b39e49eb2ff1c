"""Every benchmark finds what it imports of the package."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("", "benches", "tables") for path in (ROOT / "benchmarks" / folder).glob("[!_]*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_benchmark_can_be_imported(file):
    pytest.importorskip("matplotlib")
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    assert importlib.import_module(name).__doc__
