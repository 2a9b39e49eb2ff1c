"""Scripts run in the process of their test, which has read all modules and performed most of the actor's captures."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest


def run_script(text: str, name: str, folder: Path) -> None:
    """Run a script as ``python name`` would in a folder; errors come through."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.chdir(folder)
        exec(compile(text, name, "exec"), {"__name__": "__main__", "__file__": name})
