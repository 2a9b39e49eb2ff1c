"""Benches and tables that lie in ``benchmarks/`` of a source checkout, and are no part of an installed package."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from mocapella.errors import MotionError

_ROOT = Path(__file__).parents[2]
_SOURCE = "https://github.com/mocapella/mocapella"


def is_checkout() -> bool:
    """Whether the package lies in a source checkout."""
    return (_ROOT / "benchmarks" / "__main__.py").is_file() and (_ROOT / "pyproject.toml").is_file()


def from_checkout(module: str, name: str) -> ModuleType:
    """A module of ``benchmarks/``, for a bench or table of this name; ``MotionError`` where there is no checkout."""
    if not is_checkout():
        raise MotionError(
            f"{name} is only in a source checkout of mocapella, not in the installed package",
            helps=f"clone {_SOURCE} and run the command there",
        )
    if str(_ROOT) not in sys.path:
        sys.path.append(str(_ROOT))
    return import_module(f"benchmarks.{module}")
