"""Other libraries that do part of what this one does; those that are not installed are left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module, util
from pathlib import Path
from typing import Any

# Name for pip → name to import.
MODULES = {"pybvh": "pybvh", "upc-pymotion": "pymotion", "bvhtoolbox": "bvhtoolbox", "bvhio": "bvhio"}
_SLOW = ("bvhio",)  # takes seconds where others take hundredths


def missing() -> list[str]:
    """The peers that are not installed."""
    return [name for name, module in MODULES.items() if util.find_spec(module) is None]


def bvh_readers(path: Path, *, with_slow: bool) -> dict[str, Callable[[], object]]:
    """By peer, a call that loads a BVH file into the library's own value."""
    made = {"pybvh": _pybvh, "upc-pymotion": _pymotion, "bvhtoolbox": _toolbox, "bvhio": _bvhio}
    absent = missing()
    return {
        name: partial(make(), path)
        for name, make in made.items()
        if name not in absent and (with_slow or name not in _SLOW)
    }


def forward_kinematics() -> dict[str, Callable[..., object]]:
    """By peer, forward kinematics: a function of rotations, root positions, offsets and parents."""
    if "upc-pymotion" in missing():
        return {}
    return {"upc-pymotion": import_module("pymotion.ops.skeleton").fk}


def _pybvh() -> Callable[[Path], object]:
    library = import_module("pybvh")
    return lambda path: library.read_bvh_file(str(path))


def _toolbox() -> Callable[[Path], object]:
    library = import_module("bvhtoolbox")
    return lambda path: library.BvhTree(path.read_text())


def _bvhio() -> Callable[[Path], object]:
    library = import_module("bvhio")
    return lambda path: library.readAsBvh(str(path))


def _pymotion() -> Callable[[Path], object]:
    library: Any = import_module("pymotion.io.bvh")

    def load(path: Path) -> object:
        bvh = library.BVH()
        bvh.load(str(path))
        return bvh

    return load
