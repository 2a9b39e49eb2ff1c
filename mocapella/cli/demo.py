"""``mocapella demo``: the main job on captures of the embedded actor."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click
from rich.progress import track

from mocapella.actor import CAPTURED, CLEAN, Truth, capture, repertoire
from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.errors import MotionError
from mocapella.files.formats import load, save
from mocapella.motion.clip import Clip
from mocapella.pictures.contact_sheet import draw_contact_sheet
from mocapella.pictures.moving import draw_moving_picture

SHOWN = ("slow walk straight", "medium walk left", "fast walk right", "medium run straight", "walk-run")
_LONGEST_FILM = 4.0  # seconds


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("demo-output"), show_default=True)
@click.option("--captures", "folder", type=click.Path(path_type=Path), help="Only write the whole repertoire, here.")
@click.option("--format", "suffix", type=click.Choice(["bvh", "amc"]), default="bvh", show_default=True)
@click.option("--rate", type=click.FloatRange(20, 240), default=120.0, show_default=True, help="Frames per second.")
@click.option("--clean", is_flag=True, help="Captures without noise, drift and other flaws.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another actor.")
@as_json
@command
def demo(output: Path, folder: Path | None, suffix: str, rate: float, clean: bool, seed: int, as_json: bool) -> None:
    """Let the embedded actor perform, and do the main job on what was captured.

    Writes captures, the same for other programs (glTF) and pictures of them into a folder. With --captures, the whole
    repertoire is written instead. Every capture has its ground truth beside it, as JSON.
    """
    wholly = folder is not None
    goal = folder if folder is not None else output / "captures"
    names = repertoire() if wholly else SHOWN
    files = []
    _make(goal)
    for name in track(names, "performing", console=err, disable=as_json or not err.is_terminal, transient=True):
        flaws = CLEAN if clean else CAPTURED
        clip, truth = capture(name, seed=seed, frame_rate=rate, imperfections=flaws)
        path = goal / f"{name.replace(' ', '-')}.{suffix}"
        save(clip, path)
        path.with_suffix(".truth.json").write_text(json.dumps(describe_truth(truth), indent=1) + "\n")
        files.append({"path": str(path), "frames": clip.n_frames, "seconds": clip.seconds})
        if not wholly:
            files[-1]["pictures"] = _show(load(path), output, moving=name == SHOWN[1])
    answer = {"folder": str(goal), "captures": files}
    if as_json:
        print_json(answer)
        return
    for one in files:
        out.print(f"{one['path']}: {one['frames']} frames, {one['seconds']:.1f} s")
    if not wholly:
        out.print(f"pictures and glTF files are in {output}")


def describe_truth(truth: Truth) -> dict[str, Any]:
    """The right answers as JSON: seconds, metres and degrees, frames counted from 0, intervals with both ends."""
    return {
        "action": truth.action,
        "style": truth.style,
        "period": truth.period,
        "period_after": truth.period_after,
        "speed": truth.speed,
        "turn_per_second": math.degrees(truth.turn),
        "contacts": {point: rows.tolist() for point, rows in truth.contacts.items()},
        "boundaries": truth.boundaries.tolist(),
        "dropouts": list(truth.dropouts),
        "jumps": list(truth.jumps),
    }


def _show(clip: Clip, output: Path, *, moving: bool) -> list[str]:
    """A glTF file and pictures of one capture."""
    sheet, scene, film = (output / f"{clip.name}.{suffix}" for suffix in ("png", "glb", "gif"))
    draw_contact_sheet(clip, sheet)
    save(clip, scene)
    if moving:
        draw_moving_picture(clip[: int(_LONGEST_FILM * clip.frame_rate)], film)
    return [str(path) for path in ((sheet, scene, film) if moving else (sheet, scene))]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MotionError(f"cannot make the folder {folder}: {error.strerror or error}") from None
