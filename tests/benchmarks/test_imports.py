"""Every benchmark finds what it imports of the package."""

import importlib
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_benchmark_can_be_imported(file):
    pytest.importorskip("matplotlib")
    assert importlib.import_module(f"benchmarks.{file.stem}").__doc__
