"""``mocapella info``: what motion files hold, what was guessed about them and what is doubtful."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from mocapella.analysis.examined import examine
from mocapella.cli.options import FILE, Command
from mocapella.cli.options.motion_files import motion_files, reading_options
from mocapella.cli.printing import Json, as_option, command, say, table, tracked
from mocapella.errors import MotionError, MotionWarning
from mocapella.files.format_table import split_animation
from mocapella.files.formats import FileMotion, motions_in
from mocapella.motion.clip import Clip
from mocapella.motion.report import Finding
from mocapella.rig.names import ROLES
from mocapella.rig.roles import explain_roles, find_roles

_UNSURE = {"unit": "unit-unsure", "up_axis": "up-unsure", "standing_pose": "standing-pose"}  # guess → doubtful by


@click.command(cls=Command, example="mocapella info walk.bvh")
@click.argument("files", nargs=-1, required=True, type=FILE)
@reading_options
@command
def info(files: tuple[Path, ...], **options: Any) -> Json:
    """Describe motion files and stored networks.

    If a folder is given, all motion files and skeletons in it and below are described; of a file with several
    animations each one, as FILE#ANIMATION. Files that cannot be read are named on standard error, and the exit status
    is 1; the others are still listed.
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
        for name, describe in _parts(path, options):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", MotionWarning)  # the listing says the same
                    described.append(describe())
            except MotionError as error:
                refused.append({"path": str(name), "message": error.spelled(as_option)})
    _print(described, alone=len(places) == len(described) == 1)
    return {"files": described, "errors": refused}


def _parts(path: Path, options: dict[str, Any]) -> list[tuple[Path, Callable[[], Json]]]:
    """For each motion of a file, or for what it stores, a name and what describes it."""
    if path.suffix.lower() == ".moca":
        return [(path, partial(_describe_stored, path))]
    return [(motion.path, partial(_describe, motion)) for motion in motions_in(path, **options)]


def _print(described: list[Json], *, alone: bool) -> None:
    """One line for each stored value, and a table of motions; a file that is asked for alone in full."""
    motions = [file for file in described if file["format"] != "moca"]
    for file in described:
        if file["format"] == "moca":
            say(f"{file['path']}: {file['description']}")
    if alone and described and "nodes" in described[0]:
        from mocapella.cli.commands.build import tell_nodes

        tell_nodes(described[0])
    if alone and motions:
        _print_one(motions[0])
    elif motions:
        _print_table(motions)


def _describe(motion: FileMotion) -> Json:
    """The JSON of one motion for ``info --json``."""
    clip = motion.read()
    roles, examined = find_roles(clip.skeleton), examine(clip)
    report = clip.report
    findings = [*report.findings]
    if motion.left_out:
        findings.append(Finding("left-out", f"{motion.left_out}; networks leave it out", doubtful=False))
    doubted = {finding.code for finding in report.findings if finding.doubtful or finding.code == "up-unsure"}
    return {
        "path": str(motion.path),
        "format": split_animation(motion.path)[0].suffix.lower()[1:],
        "joints": clip.skeleton.n_joints,
        "frames": clip.n_frames,
        "frame_rate": clip.frame_rate,
        "seconds": clip.seconds,
        "metres_per_unit": report.metres_per_unit,
        "unit": report.unit,
        "up_axis": report.up_axis,
        "facing": math.degrees(report.facing),
        "root": clip.skeleton.names[0],
        "standing_pose": _standing_pose(clip),
        "sure": {guess: code not in doubted for guess, code in _UNSURE.items()} | {"roles": len(roles) / len(ROLES)},
        "height_m": report.height,
        **examined.noise_figures,
        "noise": examined.noise_words,
        "roles": {role: clip.skeleton.names[roles[role]] for role in ROLES if role in roles},
        "role_notes": explain_roles(clip.skeleton),
        "warnings": [
            {
                "code": finding.code,
                "message": finding.message,
                **({"frames": list(finding.frames)} if finding.frames else {}),
                "doubtful": finding.doubtful,
            }
            for finding in findings
        ],
    }


def _standing_pose(clip: Clip) -> str:
    """Where the standing pose comes from: the ``file``, the ``motion``, or ``unknown``."""
    findings = {finding.code: finding for finding in clip.report.findings}
    if "standing-pose" not in findings:
        return "file"
    return "unknown" if findings["standing-pose"].doubtful else "motion"


def _describe_stored(path: Path) -> Json:
    """The JSON of a ``.moca`` file for ``info --json``."""
    # The description of networks is imported only where one is described, so that reading a motion file stays fast.
    from mocapella.blending.network import Network
    from mocapella.building.layout.steps import Built
    from mocapella.building.spec.make_hybrid import BuiltHybrid
    from mocapella.hybrid.hybrid_network import HybridNetwork
    from mocapella.measure.description import describe, describe_hybrid
    from mocapella.motion.cycle import Cycle
    from mocapella.storage.stored_networks import load_with_origins
    from mocapella.storage.values import load as load_value

    value = load_value(path)
    answer: Json = {"path": str(path), "format": "moca", "kind": type(value).__name__, "description": repr(value)}
    match value:
        case Cycle():
            figures = {"frames": value.n_frames, "seconds": value.duration, "speed": value.speed}
            return answer | figures | {"turn": math.degrees(value.turn), "source": value.source}
        case HybridNetwork():
            return answer | describe_hybrid(BuiltHybrid(value, {}))
        case Network():
            return answer | describe(Built(*load_with_origins(path)))
        case _:
            return answer


def _print_one(file: Json) -> None:
    missing = [role for role in ROLES if role not in file["roles"]]
    roles = f"{len(file['roles'])} of {len(ROLES)}" + (f"; missing {', '.join(missing)}" if missing else "")
    facts = {
        "file": file["path"],
        "frames": f"{file['frames']} at {file['frame_rate']:g} Hz, {file['seconds']:.2f} s",
        "joints": str(file["joints"]),
        "unit": f"{file['unit']}, {file['metres_per_unit']:g} m; up is {file['up_axis']}",
        "height": f"{file['height_m']:.2f} m",
        "noise": file["noise"],
        "root": f"{file['root']}; standing pose from the {file['standing_pose']}".replace(
            "from the unknown", "unknown"
        ),
        "roles": roles,
    }
    marks = (f" {'!' if file['doubtful'] else '·'} {file['code']}: {file['message']}" for file in file["warnings"])
    say(table((), facts.items()), *marks)


def _print_table(described: Sequence[Json]) -> None:
    rows = [
        (file["path"], str(file["joints"]), str(file["frames"]), f"{file['frame_rate']:g}", file["unit"],
         file["up_axis"], f"{file['height_m']:.2f} m", str(len(file["roles"])),
         ", ".join(f"{warning['code']}{'!' if warning['doubtful'] else ''}" for warning in file["warnings"]))
        for file in described
    ]  # fmt: skip
    say(table(("file", ">joints", ">frames", ">Hz", "unit", "up", "height", "roles", "found"), rows))
