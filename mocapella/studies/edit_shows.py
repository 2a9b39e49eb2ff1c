"""``mocapella demo --editing`` and ``--feelings``: gaits and gestures of the embedded actor, edited, with pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.actor import CAPTURED, perform
from mocapella.analysis.prepare import prepare
from mocapella.editing.edit_files import save_edits
from mocapella.editing.edits import Edit, edit
from mocapella.editing.feelings.periods import end_speed
from mocapella.files.disk import make_folder, replacing
from mocapella.measure.comparison import edited_figures, unreachable_frames
from mocapella.motion.clip import Clip
from mocapella.pictures.edited import draw_edited
from mocapella.rig.roles import find_roles
from mocapella.storage.values import load, save

_BEND = [(0.0, 0.0), (0.0, 1.5), (1.0, 3.2), (3.0, 4.0)]  # a path to the left, metres
_GESTURES = ("drink", "angry_drink", "knock")
_CAPTURES: dict[str, tuple[str, str]] = {  # what is performed, and how
    "walk": ("walk", "normal"), "tired_walk": ("walk", "tired"), "run": ("run", "normal"),
    "drink": ("drink", "normal"), "angry_drink": ("drink", "angry"), "knock": ("knock", "normal"),
}  # fmt: skip


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
    return _run_shows(folder, captures, shows(folder), report=editing_report, progress=progress)


def _run_shows(
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
            f"| {row['about']} ({row['source']}) | {_slip_shown(before, 1)} | {_slip_shown(after)} | "
            f"{before['root_acceleration_p99']:.1f} | {after['root_acceleration_p99']:.1f} | {after['seconds']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _slip_shown(found: Mapping[str, Any], digits: int = 2) -> str:
    """The largest slip among figures of a motion, for a table.

    ``found`` is ``before`` or ``after`` of a row. The result is in millimetres, or a dash where no foot was planted.
    """
    slip = found["slip_mm_max"]
    return "–" if slip is None else f"{slip:.{digits}f}"


def performed(action: str, seed: int, **wishes: Any) -> Clip:
    """A capture of the embedded actor, with the flaws of one. ``wishes`` are as ``perform`` takes them."""
    cycles = 4.0 if action in ("walk", "run") else None
    return perform(action, cycles=cycles, imperfections=CAPTURED, seed=int(np.abs(seed)), **wishes)[0]


# Feelings, beyond what was captured.


def feelings_shown(folder: Path) -> list[Show]:
    """The edits to show; second motions are the captures of a folder."""
    walk, tired, drink, angry = (str(folder / f"{name}.bvh") for name in ("walk", "tired_walk", "drink", "angry_drink"))
    lock = Edit("lock_feet")

    def between(amount: float) -> tuple[Edit, ...]:
        return Edit("interpolate", other=tired, amount=amount), lock

    def quality(amount: float) -> tuple[Edit, ...]:
        return Edit("quality", plain=walk, special=tired, amount=amount), lock

    return [
        Show("brisk_walk", "brisk: half as far the other way", "walk", between(-0.5)),
        Show("little_tired_walk", "a little tired", "walk", between(0.5)),
        Show("as_tired_walk", "tired", "walk", between(1.0)),
        Show("very_tired_walk", "very tired: half as far again", "walk", between(1.5)),
        Show("tired_run", "a run with the tiredness of the walk", "run", quality(1.0)),
        Show("brisk_run", "brisk: as if less tired than not at all", "run", quality(-0.35)),
        Show("drink_made_angry", "a drink with the anger learnt from another", "drink",
             (Edit("feel", neutral=drink, emotional=angry),)),
        Show("angry_knock", "a knock with the anger of a drink", "knock",
             (Edit("feel", neutral=drink, emotional=angry),)),
    ]  # fmt: skip


def run_feelings(
    folder: Path, *, seed: int = 0, progress: Callable[[str, int], None] = lambda name, steps: None
) -> list[dict[str, Any]]:
    """Write captures, give them feelings, and write motions, lists of edits, pictures and figures.

    Returns the rows of ``_run_shows``, with ``was`` and ``became``: of gaits ``cycle_s speed stride_m arm_swing_m``, of
    gestures ``seconds hand_m_s``.
    """
    captures = {name: performed(action, seed, style=style) for name, (action, style) in _CAPTURES.items()}
    return _run_shows(
        folder, captures, feelings_shown(folder), measure=_felt, report=feelings_report, progress=progress
    )


def feelings_report(rows: list[dict[str, Any]]) -> str:
    """The figures as two tables, of gaits and of gestures. ``rows`` are what ``run_feelings`` returns."""
    gaits = [row for row in rows if "cycle_s" in row["was"]]
    firsts = {row["source"]: row for row in reversed(gaits)}  # the first row of each source
    gestures = [row for row in rows if "cycle_s" not in row["was"]]
    lines = [
        "# Feelings of gaits and gestures",
        "",
        "| gait | cycle, s | speed, m/s | stride, m | hands swing, m | slip, mm |",
        "|---|--:|--:|--:|--:|--:|",
        *(_gait_line(f"{name}, as captured", row["was"], "–") for name, row in firsts.items()),
        *(_gait_line(f"{row['source']}: {row['about']}", row["became"], _slip_shown(row["after"])) for row in gaits),
        "",
        "| gesture | seconds | fastest hand, m/s |",
        "|---|--:|--:|",
        *(
            f"| {name} | {found['seconds']:.2f} | {found['hand_m_s']:.2f} |"
            for row in gestures
            for name, found in ((f"{row['source']}, as captured", row["was"]), (row["about"], row["became"]))
        ),
    ]
    return "\n".join(lines) + "\n"


def _gait_line(name: str, found: dict[str, float], slip: str) -> str:
    numbers = " | ".join(f"{found[key]:.2f}" for key in ("cycle_s", "speed", "stride_m", "arm_swing_m"))
    return f"| {name} | {numbers} | {slip} |"


def _felt(clip: Clip, source: str) -> dict[str, float]:
    """Figures of a motion that a feeling changes."""
    if source in _GESTURES:
        return {"seconds": clip.seconds, "hand_m_s": float(end_speed(clip, "right_wrist").max())}
    cycle = prepare(clip)
    roles = find_roles(clip.skeleton)
    seconds = cycle.n_frames / cycle.frame_rate
    round_ = cycle.to_clip()
    ahead = np.stack([np.sin(round_.headings), np.zeros(cycle.n_frames), np.cos(round_.headings)], axis=1)
    swings = [
        float(np.ptp(np.einsum("fi,fi->f", round_.positions[:, roles[f"{side}_wrist"]] - round_.root_positions, ahead)))
        for side in ("left", "right")
    ]
    return {
        "cycle_s": seconds,
        "speed": cycle.speed,
        "stride_m": cycle.speed * seconds,
        "arm_swing_m": float(np.mean(swings)),
    }
