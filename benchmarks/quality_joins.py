"""Print how smooth two captures are where they were joined: ``python -m benchmarks.quality_joins``.

For every pair: the rows that meet, how unlike the poses were there, and around the join the largest step of any joint,
change of angular velocity and change of the root's velocity, in the largest or usual ones of the captures. A plain cut
at the same rows, and a plain concatenation, stand beside it.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from rich.table import Table

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.smoothness import join_figures
from mocapella.cli.printing import out
from mocapella.editing.join import find_joins
from mocapella.motion.clip import concatenate

PAIRS = (
    ("16_15", "16_17"), ("16_47", "16_13"), ("16_31", "16_33"), ("16_21", "16_25"), ("16_35", "16_37"),
    ("35_01", "35_12"), ("07_01", "07_04"), ("82_13", "82_10"),
)  # fmt: skip


def main() -> None:
    """All pairs."""
    folder = data_folder()
    if folder is None:
        sys.exit("no real captures: set MOCAPELLA_DATA to their folder")
    table = Table(
        "clips", "rows", "unlike", "step", "kick", "push", "cut: step", "kick", "end to start: step", box=None
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        for names in PAIRS:
            first, second = (_load(folder, name) for name in names)
            found = find_joins(first, second, count=1)[0]
            joined = mo.join_clips(first, second)
            rate = first.frame_rate
            soft = join_figures(joined, found.first / rate, first, then=second, around=0.2)
            hard = concatenate([first[: found.first], second[found.second :]], aligned=True)
            cut = join_figures(hard, found.first / rate, first, then=second)
            whole = concatenate([first, second], aligned=True)
            ends = join_figures(whole, first.n_frames / rate, first, then=second)
            figures = (found.unlikeness, soft.step, soft.kick, soft.push, cut.step, cut.kick, ends.step)
            rows = f"{found.first + first.first_row} → {found.second + second.first_row}"
            table.add_row(" → ".join(names), rows, *(f"{figure:.2f}" for figure in figures))
    out.print(table)


def _load(folder: Path, name: str) -> mo.Clip:
    clip: mo.Clip = mo.load(folder / "cmu-bvh" / name.split("_")[0] / f"{name}.bvh", clean=True).captured
    return clip


if __name__ == "__main__":
    main()
