"""``mocapella demo --feelings``: gaits and gestures of the embedded actor with feelings, beyond what was captured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.analysis.prepare import prepare
from mocapella.editing.edits import Edit
from mocapella.editing.feelings.periods import end_speed
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles
from mocapella.studies.edit_shows import Show, performed, run_shows, slip_shown

_GESTURES = ("drink", "angry_drink", "knock")
_CAPTURES: dict[str, tuple[str, str]] = {  # what is performed, and how
    "walk": ("walk", "normal"),
    "tired_walk": ("walk", "tired"),
    "run": ("run", "normal"),
    "drink": ("drink", "normal"),
    "angry_drink": ("drink", "angry"),
    "knock": ("knock", "normal"),
}


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

    Returns the rows of ``run_shows``, with ``was`` and ``became``: of gaits ``cycle_s speed stride_m arm_swing_m``, of
    gestures ``seconds hand_m_s``.
    """
    captures = {name: performed(action, seed, style=style) for name, (action, style) in _CAPTURES.items()}
    return run_shows(folder, captures, feelings_shown(folder), measure=_felt, report=feelings_report, progress=progress)


def feelings_report(rows: list[dict[str, Any]]) -> str:
    """The figures as two tables, of gaits and of gestures. ``rows`` are what ``run_feelings`` returns."""
    gaits = [row for row in rows if "cycle_s" in row["was"]]
    gestures = [row for row in rows if "cycle_s" not in row["was"]]
    lines = [
        "# Feelings of gaits and gestures",
        "",
        "| gait | cycle, s | speed, m/s | stride, m | hands swing, m | slip, mm |",
        "|---|--:|--:|--:|--:|--:|",
        *(_gait_line(f"{name}, as captured", row["was"], "–") for name, row in _firsts(gaits).items()),
        *(_gait_line(f"{row['source']}: {row['about']}", row["became"], slip_shown(row["after"])) for row in gaits),
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


def _firsts(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The first row of each source."""
    return {row["source"]: row for row in reversed(rows)}


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
