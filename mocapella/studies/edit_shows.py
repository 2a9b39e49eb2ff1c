"""``mocapella demo --editing``: one walk and one run of the embedded actor, edited in ten ways, with pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.actor import CAPTURED, perform
from mocapella.editing.edit_files import save_edits
from mocapella.editing.edits import Edit, edit
from mocapella.files.disk import make_folder, replacing
from mocapella.measure.comparison import edited_figures, unreachable_frames
from mocapella.motion.clip import Clip
from mocapella.pictures.edited import draw_edited
from mocapella.storage.values import load, save

_BEND = [(0.0, 0.0), (0.0, 1.5), (1.0, 3.2), (3.0, 4.0)]  # a path to the left, metres


@dataclass(frozen=True)
class Show:
    """One edit to show."""

    name: str
    about: str
    source: str
    edits: tuple[Edit, ...]


def shows(folder: Path) -> list[Show]:
    """The edits to show; second motions are the captures of a folder.

    ``folder`` is where ``walk``, ``marching`` and ``run`` are.
    """
    marching = str(folder / "marching.bvh")
    lock = Edit("lock_feet")
    legs = ("left_knee.x", "right_knee.x")
    return [
        Show("feet", "feet held where they rest", "walk", (lock,)),
        Show("half_marching", "half of a marching walk, whole body", "walk", (Edit("restyle", style=marching),)),
        Show("marching_legs", "marching legs", "walk", (Edit("restyle", style=marching, ratio=1.0, part="lower"),)),
        Show("walk_path", "a walk along another path", "walk", (Edit("path", points=_BEND),)),
        Show("run_path", "a run along another path", "run", (Edit("path", points=_BEND),)),
        Show("calm", "weak frequencies removed", "walk", (Edit("threshold", share=0.1, gain=1.1), lock)),
        Show("exaggerated", "exaggerated by half", "walk", (Edit("exaggerate", gain=1.5), lock)),
        Show("swinging", "slow bands of the upper body amplified", "walk",
              (Edit("bands", gains=[1, 1, 1, 1, 2, 2, 2], dofs=["upper"]),)),
        Show("squash", "sinking and rising as in a cartoon", "walk", (Edit("preset", name="squash"), lock)),
        Show("stiff", "knees bent by at most 45°", "walk",
              (Edit("waveshape", dofs=legs, high=45.0, soft=10.0), lock)),
    ]  # fmt: skip


def run_editing(
    folder: Path, *, seed: int = 0, progress: Callable[[str, int], None] = lambda name, steps: None
) -> list[dict[str, Any]]:
    """Write captures, edit them in ten ways, and write motions, lists of edits, pictures and a table of figures.

    Returns ``name about source`` of each edit, figures ``before`` and ``after``, and ``unreachable`` frames.
    """
    captures = {
        "walk": performed("walk", seed),
        "marching": performed("walk", seed, style="marching"),
        "run": performed("run", seed),
    }
    return run_shows(folder, captures, shows(folder), report=editing_report, progress=progress)


def run_shows(
    folder: Path,
    captures: Mapping[str, Clip],
    wanted: Sequence[Show],
    *,
    report: Callable[[list[dict[str, Any]]], str],
    measure: Callable[[Clip, str], dict[str, float]] | None = None,
    progress: Callable[[str, int], None] = lambda name, steps: None,
) -> list[dict[str, Any]]:
    """Write captures, edit them, and write motions, lists of edits, pictures and a report.

    ``report`` makes the text of ``report.md`` of the rows that are returned: ``name about source`` of each edit,
    figures ``before`` and ``after``, and ``unreachable`` frames. ``measure`` gives further figures of a motion, which
    become ``was`` and ``became``. ``progress`` is called with a name and a number of steps, then with each name and 0.
    """
    make_folder(folder)
    for name, clip in captures.items():
        save(clip, folder / f"{name}.bvh")
    progress("editing", len(wanted))
    rows = []
    for show in wanted:
        source: Clip = load(folder / f"{show.source}.bvh")
        done = edit(source, show.edits)
        assert isinstance(done.result, Clip)
        save(done.result, folder / f"{show.name}.bvh")
        save_edits(done.edits, folder / f"{show.name}.toml")
        draw_edited(done, folder / f"{show.name}.png", title=f"{show.source}: {show.about}")
        row: dict[str, Any] = {"name": show.name, "about": show.about, "source": show.source}
        row |= {**edited_figures(done), "unreachable": unreachable_frames(done)}
        if measure is not None:
            row |= {"was": measure(source, show.source), "became": measure(done.result, show.source)}
        rows.append(row)
        progress(show.name, 0)
    with replacing(folder / "report.md") as file:
        file.write(report(rows).encode())
    return rows


def editing_report(rows: list[dict[str, Any]]) -> str:
    """The figures of all edits as a table. ``rows`` are what ``run_editing`` returns."""
    lines = [
        "# Edits of one walk and one run",
        "",
        "| edit | slip before, mm | after | root acceleration before, m/s² | after | seconds |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        before, after = row["before"], row["after"]
        lines.append(
            f"| {row['about']} ({row['source']}) | {slip_shown(before, 1)} | {slip_shown(after)} | "
            f"{before['root_acceleration_p99']:.1f} | {after['root_acceleration_p99']:.1f} | {after['seconds']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def slip_shown(found: Mapping[str, Any], digits: int = 2) -> str:
    """The largest slip among figures of a motion, for a table.

    ``found`` is ``before`` or ``after`` of a row. The result is in millimetres, or a dash where no foot was planted.
    """
    slip = found["slip_mm_max"]
    return "–" if slip is None else f"{slip:.{digits}f}"


def performed(action: str, seed: int, **wishes: Any) -> Clip:
    """A capture of the embedded actor, with the flaws of one. ``wishes`` are as ``perform`` takes them."""
    cycles = 4.0 if action in ("walk", "run") else None
    clip, _ = perform(action, cycles=cycles, imperfections=CAPTURED, seed=int(np.abs(seed)), **wishes)
    return clip
