"""Motion files with the numbers of real captures, spelled as CMU's are: reading, writing, memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.captures import joined_captures
from mocapella.studies.benches.file_cost import SIZES, file_rows
from mocapella.studies.benches.measuring import Row


def rows(data: Path) -> list[Row]:
    """The sizes of the package's own bench."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_frames, rounds in SIZES:
            path = joined_captures(data, Path(folder), n_frames)
            found += file_rows(path, rounds, of="CMU's", with_slow=n_frames == SIZES[0][0])
    return found
