"""Print the figures of ``mocapella bench`` with those that need real captures: ``python -m benchmarks files``."""

from __future__ import annotations

import sys

from benchmarks import bench_files, bench_kinematics, bench_player
from benchmarks.captures import data_folder
from mocapella.cli.commands.measuring.bench import machine, table_of
from mocapella.cli.printing import err, out
from mocapella.studies.benches import NAMES, measured

WITH_CAPTURES = {"files": bench_files.rows, "kinematics": bench_kinematics.rows, "player": bench_player.rows}


def main(words: list[str]) -> None:
    """Run the benches whose names hold one of the words, all where there are none, and print their rows."""
    chosen = [name for name in NAMES if not words or any(word in name for word in words)]
    if not chosen:
        raise SystemExit(f"expected some of {', '.join(NAMES)}")
    folder = data_folder()
    if folder is None:
        err.print("no real captures: set MOCAPELLA_DATA to their folder for the figures that need them")
    out.print(", ".join(f"{value}" for value in machine().values()))
    for name in chosen:
        out.print(table_of(name, measured(name)))
        if folder is not None and name in WITH_CAPTURES:
            out.print(table_of(f"{name}, real captures", WITH_CAPTURES[name](folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
