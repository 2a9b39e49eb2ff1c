"""``mocapella demo --editing``: one walk and one run of the embedded actor, edited in ten ways, with pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.actor import CAPTURED, perform
from mocapella.editing.edit_files import save_edits
from mocapella.editing.edits import Edit, edit
from mocapella.files.disk import make_folder, replacing
from mocapella.measure.edited import edited_figures, unreachable_frames
from mocapella.motion.clip import Clip
from mocapella.pictures.edited import draw_edited
from mocapella.storage.values import load, save

_BEND = [(0.0, 0.0), (0.0, 1.5), (1.0, 3.2), (3.0, 4.0)]  # a path to the left, metres


@dataclass(frozen=True)
class _Show:
    """One edit to show."""

    name: str
    about: str
    source: str
    edits: tuple[Edit, ...]


def shows(folder: Path) -> list[_Show]:
    """The edits to show; second motions are the captures of a folder.

    Parameters
    ----------
    folder
        Where ``walk``, ``marching`` and ``run`` are.

    Returns
    -------
    list
        Ten of them.
    """
    marching = str(folder / "marching.bvh")
    lock = Edit("lock_feet")
    legs = ("left_knee.x", "right_knee.x")
    return [
        _Show("feet", "feet held where they rest", "walk", (lock,)),
        _Show("half_marching", "half of a marching walk, whole body", "walk", (Edit("restyle", style=marching),)),
        _Show("marching_legs", "marching legs", "walk", (Edit("restyle", style=marching, ratio=1.0, part="lower"),)),
        _Show("walk_path", "a walk along another path", "walk", (Edit("path", points=_BEND),)),
        _Show("run_path", "a run along another path", "run", (Edit("path", points=_BEND),)),
        _Show("calm", "weak frequencies removed", "walk", (Edit("threshold", share=0.1, gain=1.1), lock)),
        _Show("exaggerated", "exaggerated by half", "walk", (Edit("exaggerate", gain=1.5), lock)),
        _Show("swinging", "slow bands of the upper body amplified", "walk",
              (Edit("bands", gains=[1, 1, 1, 1, 2, 2, 2], dofs=["upper"]),)),
        _Show("squash", "sinking and rising as in a cartoon", "walk", (Edit("preset", name="squash"), lock)),
        _Show("stiff", "knees bent by at most 45°", "walk",
              (Edit("waveshape", dofs=legs, high=45.0, soft=10.0), lock)),
    ]  # fmt: skip


def run_editing(
    folder: Path, *, seed: int = 0, progress: Callable[[str, int], None] = lambda name, steps: None
) -> list[dict[str, Any]]:
    """Write captures, edit them in ten ways, and write motions, lists of edits, pictures and a table of figures.

    Parameters
    ----------
    folder
        Where to.
    seed
        Another number is another actor.
    progress
        Told a name and how many steps there are, then each name and 0.

    Returns
    -------
    list of dict
        ``name about source`` of each edit, figures ``before`` and ``after``, and ``unreachable`` frames.
    """
    make_folder(folder)
    for name, wishes in {"walk": {}, "marching": {"style": "marching"}}.items():
        save(_performed("walk", seed, **wishes), folder / f"{name}.bvh")
    save(_performed("run", seed), folder / "run.bvh")
    wanted = shows(folder)
    progress("editing", len(wanted))
    rows = []
    for show in wanted:
        clip: Clip = load(folder / f"{show.source}.bvh")
        done = edit(clip, show.edits)
        assert isinstance(done.result, Clip)
        save(done.result, folder / f"{show.name}.bvh")
        save_edits(done.edits, folder / f"{show.name}.toml")
        draw_edited(done, folder / f"{show.name}.png", title=f"{show.source}: {show.about}")
        row = {"name": show.name, "about": show.about, "source": show.source}
        rows.append({**row, **edited_figures(done), "unreachable": unreachable_frames(done)})
        progress(show.name, 0)
    with replacing(folder / "report.md") as file:
        file.write(editing_report(rows).encode())
    return rows


def editing_report(rows: list[dict[str, Any]]) -> str:
    """The figures of all edits as a table.

    Parameters
    ----------
    rows
        What ``run_editing`` returns.

    Returns
    -------
    str
        Markdown.
    """
    lines = [
        "# Edits of one walk and one run",
        "",
        "| edit | slip before, mm | after | root acceleration before, m/s² | after | seconds |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        before, after = row["before"], row["after"]
        lines.append(
            f"| {row['about']} ({row['source']}) | {before['slip_mm_max']:.1f} | {after['slip_mm_max']:.2f} | "
            f"{before['root_acceleration_p99']:.1f} | {after['root_acceleration_p99']:.1f} | {after['seconds']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _performed(action: str, seed: int, **wishes: Any) -> Clip:
    clip, _ = perform(action, cycles=4.0, imperfections=CAPTURED, seed=int(np.abs(seed)), **wishes)
    return clip
