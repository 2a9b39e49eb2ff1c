"""The C library, built once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from mocapella.exporting.embedding import NETWORK, export_embedded
from tests.crowd.samples import walks
from tests.exporting.library import Library, build, compilers, needed


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> tuple[Path, Path, Path]:
    """The shared library, the program of the example, and the network of its folder."""
    needed(compilers(), "no C++ compiler: install g++, or pip install ziglang")
    folder = tmp_path_factory.mktemp("embedded")
    written = export_embedded(walks(), folder, "c")
    assert {one["kind"] for one in written} == {"network", "library", "example"}
    return (*build(folder), folder / NETWORK)


@pytest.fixture(scope="session")
def library(made) -> Library:
    return Library(made[0])
