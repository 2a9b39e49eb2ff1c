"""Other libraries that do part of what this one does; those that are not installed are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module, util
from pathlib import Path
from typing import Any


def _load_with_pymotion(library: Any, path: Path) -> object:
    bvh = library.BVH()
    bvh.load(str(path))
    return bvh


# Name for pip → name to import.
MODULES = {"pybvh": "pybvh", "upc-pymotion": "pymotion", "bvhtoolbox": "bvhtoolbox", "bvhio": "bvhio"}
# Name for pip → the module that reads BVH, and how it loads a file into the library's own value.
_READERS: Mapping[str, tuple[str, Callable[[Any, Path], object]]] = {
    "pybvh": ("pybvh", lambda library, path: library.read_bvh_file(str(path))),
    "upc-pymotion": ("pymotion.io.bvh", _load_with_pymotion),
    "bvhtoolbox": ("bvhtoolbox", lambda library, path: library.BvhTree(path.read_text())),
    "bvhio": ("bvhio", lambda library, path: library.readAsBvh(str(path))),
}
_SLOW = ("bvhio",)  # takes seconds where others take hundredths


def missing() -> list[str]:
    """The peers that are not installed."""
    return [name for name, module in MODULES.items() if util.find_spec(module) is None]


def bvh_readers(path: Path, *, with_slow: bool) -> dict[str, Callable[[], object]]:
    """By peer, a call that loads a BVH file into the library's own value."""
    left_out = {*missing(), *(() if with_slow else _SLOW)}
    return {
        name: partial(load, import_module(module), path)
        for name, (module, load) in _READERS.items()
        if name not in left_out
    }
