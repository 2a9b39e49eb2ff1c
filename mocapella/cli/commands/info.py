"""``mocapella info``: what motion files hold, what was guessed about them and what is doubtful."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import click
from rich.progress import track
from rich.table import Table
from rich.text import Text

from mocapella.cli.answers import as_json, command, err, out, print_error, print_json
from mocapella.cli.options.files import motion_files, reading_options
from mocapella.errors import MotionError, MotionWarning
from mocapella.files.formats import load
from mocapella.motion.clip import Clip
from mocapella.rig.names import ROLES
from mocapella.rig.roles import explain_roles, find_roles


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@reading_options
@as_json
@command
def info(files: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Say what FILES hold; a folder stands for all motion files and skeletons in it.

    Files that cannot be read are named on standard error and the others listed all the same; the status is then 1.
    """
    described: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    places: list[Path] = []
    for place in files:
        try:
            places += motion_files((place,), skeletons=True)
        except MotionError as error:
            refused.append({"path": str(place), "message": str(error)})
    hidden = as_json or len(places) < 2 or not err.is_terminal
    for path in track(places, "reading", console=err, disable=hidden, transient=True):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MotionWarning)  # the listing says the same
                described.append(describe(path, load(path, **options)))
        except MotionError as error:
            refused.append({"path": str(path), "message": str(error)})
    if as_json:
        print_json({"files": described, "errors": refused})
    elif len(places) == 1 and described:
        _print_one(described[0])
    elif described:
        _print_table(described)
    for refusal in refused:
        print_error(refusal["message"])
    if refused:
        sys.exit(1)


def describe(path: Path, clip: Clip) -> dict[str, Any]:
    """What ``info --json`` says of one file."""
    roles = find_roles(clip.skeleton)
    report = clip.report
    return {
        "path": str(path),
        "format": path.suffix.lower()[1:],
        "joints": clip.skeleton.n_joints,
        "frames": clip.n_frames,
        "frame_rate": clip.frame_rate,
        "seconds": clip.seconds,
        "metres_per_unit": report.metres_per_unit,
        "unit": report.unit,
        "up_axis": report.up_axis,
        "height_m": report.height,
        "roles": {role: clip.skeleton.names[roles[role]] for role in ROLES if role in roles},
        "role_notes": explain_roles(clip.skeleton),
        "warnings": [
            {
                "code": finding.code,
                "message": finding.message,
                **({"frames": list(finding.frames)} if finding.frames else {}),
                "doubtful": finding.doubtful,
            }
            for finding in report.findings
        ],
    }


def _print_one(one: dict[str, Any]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_row("file", Text(one["path"]))
    table.add_row("frames", f"{one['frames']} at {one['frame_rate']:g} Hz, {one['seconds']:.2f} s")
    table.add_row("joints", str(one["joints"]))
    table.add_row("unit", f"{one['unit']}, {one['metres_per_unit']:g} m; up is {one['up_axis']}")
    table.add_row("height", f"{one['height_m']:.2f} m")
    missing = [role for role in ROLES if role not in one["roles"]]
    table.add_row(
        "roles", f"{len(one['roles'])} of {len(ROLES)}" + (f"; missing {', '.join(missing)}" if missing else "")
    )
    out.print(table)
    for warning in one["warnings"]:
        mark = "!" if warning["doubtful"] else "·"
        out.print(Text(f" {mark} {warning['code']}: {warning['message']}"))


def _print_table(described: list[dict[str, Any]]) -> None:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title, side in (("file", "left"), ("joints", "right"), ("frames", "right"), ("Hz", "right"), ("unit", "left")):
        table.add_column(title, justify="right" if side == "right" else "left", no_wrap=True)
    for title in ("up", "height", "roles", "found"):
        table.add_column(title)
    for one in described:
        codes = [f"{w['code']}{'!' if w['doubtful'] else ''}" for w in one["warnings"]]
        table.add_row(
            Text(one["path"]),
            str(one["joints"]),
            str(one["frames"]),
            f"{one['frame_rate']:g}",
            one["unit"],
            one["up_axis"],
            f"{one['height_m']:.2f} m",
            str(len(one["roles"])),
            ", ".join(codes),
        )
    out.print(table)
