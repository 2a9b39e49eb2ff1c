"""Forward kinematics of a captured skeleton."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

from benchmarks.benches.kinematics import clip_rows
from benchmarks.captures import joined_captures
from mocapella.storage.values import load
from mocapella.studies.benches.measuring import Row


def rows(data: Path) -> list[Row]:
    """10,000 poses, and a single one."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clip_rows(load(joined_captures(data, Path(folder), 10_000)))
