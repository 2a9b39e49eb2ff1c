"""``mocapella info``: what motion files hold, what was guessed about them and what is doubtful."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from mocapella.cli.answers import Json, as_option, command, say, table, tracked
from mocapella.cli.options import FILE
from mocapella.cli.options.files import motion_files, reading_options
from mocapella.errors import MotionError, MotionWarning
from mocapella.files.formats import load
from mocapella.motion.clip import Clip
from mocapella.rig.names import ROLES
from mocapella.rig.roles import explain_roles, find_roles


@click.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
@reading_options
@command
def info(files: tuple[Path, ...], **options: Any) -> Json:
    """Describe motion files.

    A folder stands for all motion files and skeletons in it and below. Files that cannot be read are named on standard
    error and the exit status is 1; the others are listed all the same.
    """
    described: list[Json] = []
    refused: list[Json] = []
    places: list[Path] = []
    for place in files:
        try:
            places += motion_files((place,), skeletons=True)
        except MotionError as error:
            refused.append({"path": str(place), "message": error.spelled(as_option)})
    for path in tracked("reading", places):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MotionWarning)  # the listing says the same
                described.append(_describe(path, load(path, **options)))
        except MotionError as error:
            refused.append({"path": str(path), "message": error.spelled(as_option)})
    if len(places) == 1 and described:
        _print_one(described[0])
    elif described:
        _print_table(described)
    return {"files": described, "errors": refused}


def _describe(path: Path, clip: Clip) -> Json:
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


def _print_one(one: Json) -> None:
    missing = [role for role in ROLES if role not in one["roles"]]
    roles = f"{len(one['roles'])} of {len(ROLES)}" + (f"; missing {', '.join(missing)}" if missing else "")
    facts = {
        "file": one["path"],
        "frames": f"{one['frames']} at {one['frame_rate']:g} Hz, {one['seconds']:.2f} s",
        "joints": str(one["joints"]),
        "unit": f"{one['unit']}, {one['metres_per_unit']:g} m; up is {one['up_axis']}",
        "height": f"{one['height_m']:.2f} m",
        "roles": roles,
    }
    marks = (f" {'!' if one['doubtful'] else '·'} {one['code']}: {one['message']}" for one in one["warnings"])
    say(table((), facts.items()), *marks)


def _print_table(described: Sequence[Json]) -> None:
    rows = [
        (
            one["path"],
            str(one["joints"]),
            str(one["frames"]),
            f"{one['frame_rate']:g}",
            one["unit"],
            one["up_axis"],
            f"{one['height_m']:.2f} m",
            str(len(one["roles"])),
            ", ".join(f"{found['code']}{'!' if found['doubtful'] else ''}" for found in one["warnings"]),
        )
        for one in described
    ]
    say(table(("file", ">joints", ">frames", ">Hz", "unit", "up", "height", "roles", "found"), rows))
