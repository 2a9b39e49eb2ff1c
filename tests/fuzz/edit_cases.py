"""Lists of edits and scripts of the console for the fuzzer: read, and applied to a short walk."""

from __future__ import annotations

import tempfile
import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.edit_files import load_edits
from mocapella.editing.edits import edit
from mocapella.editing.parameters import Parameter
from mocapella.editing.registry import EDITS
from mocapella.studio.scripted import run_script
from tests.fuzz.cases import Files, Kind, judge_clip
from tests.fuzz.document_damage import ODD_VALUES, damaged_toml, toml_text
from tests.fuzz.mutations import damaged

_RATE = 30.0  # frames a second
_JOINTS = ("Hips", "LeftUpLeg", "LeftFoot", "RightFoot", "LeftHand", "RightForeArm", "Spine", "Head")
_DOFS = ("LeftUpLeg.x", "RightUpLeg.x", "Spine.y", "root.x", "LeftArm.w", "travel")
_TABLES: tuple[Any, ...] = (
    {"LeftUpLeg.x": [[0, 0.1], [30, 0.3]]},
    {"LeftUpLeg": [1.0, 0.5]},
    {"RightUpLeg.x": [-0.5, 0.5]},
    {"10": [0.0, 1.0, 0.0]},
    {"LeftFoot": [0.1, 0.9, 0.2]},
    {"Spine.x": [[0, 1.0, 0.0], [40, 1.2, 0.1]]},
)

_COMMANDS = b"""# commands of the console
left_stances other.bvh 8 38 68
right_stances other.bvh 23 53
set_name 1 slow
print_averaged_motions
left_heel_strikes walk 3 12 33 42
blend_motion walk slow LOWER 0.4
turn walk angle=30
lock_feet walk.bvh
cut walk 5 last=60
root_path walk
motions
"""


@cache
def motions() -> Files:
    """A short walk and another one, as files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, speed, turn in (("walk", 1.3, 0.2), ("other", 0.9, 0.0)):
            clip = perform("walk", speed=speed, turn=turn, cycles=3.0, frame_rate=_RATE, imperfections=CLEAN)[0]
            mo.save(clip, Path(folder) / f"{name}.bvh")
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


@cache
def _lists() -> list[Files]:
    """One list for each edit, with what it needs."""
    rng = Random(1)
    out = []
    for name, editor in EDITS.items():
        given = {key: _value(parameter, rng) for key, parameter in editor.parameters.items() if parameter.required}
        text = toml_text({"edit": [{"name": name, "parameters": given}]})
        out.append({**motions(), "edits.toml": text.encode()})
    return out


def _value(parameter: Parameter, rng: Random) -> Any:
    """A value that a parameter may well have."""
    least, most = max(parameter.least, -5.0), min(parameter.most, 60.0)
    number = round(rng.uniform(least, max(most, least)), 3)
    match parameter.kind:
        case "number":
            return number
        case "whole":
            return int(max(number, parameter.least))
        case "flag":
            return rng.random() < 0.5
        case "word":
            return rng.choice(parameter.choices or (*_JOINTS, *_DOFS))
        case "words":
            return rng.sample((*_JOINTS, *_DOFS), rng.randint(1, 3))
        case "numbers":
            return [round(rng.uniform(-1.0, 3.0), 2) for _ in range(rng.randint(1, 6))]
        case "points":
            width = rng.choice((2, 2, 3))
            return [[round(rng.uniform(-3.0, 3.0), 2) for _ in range(width)] for _ in range(rng.randint(1, 5))]
        case "table":
            return rng.choice(_TABLES)
        case _:
            return "other.bvh"


def _damaged(files: Files, rng: Random) -> Files:
    text = files["edits.toml"]
    if rng.random() < 0.7:
        tables = tomllib.loads(text.decode())
        if rng.random() < 0.4:
            tables["edit"] += tomllib.loads(rng.choice(_lists())["edits.toml"].decode())["edit"]
        for entry in tables["edit"]:
            parameters = EDITS[entry["name"]].parameters
            for key in rng.sample([*parameters], min(len(parameters), rng.randint(1, 3))):
                is_odd = rng.random() < 0.4
                entry["parameters"][key] = deepcopy(rng.choice(ODD_VALUES)) if is_odd else _value(parameters[key], rng)
        text = toml_text(tables).encode()
    else:
        text = damaged_toml(text, rng)
    return {**files, "edits.toml": text}


def _edit(folder: Path) -> str:
    clip = mo.load(folder / "walk.bvh")
    result = edit(clip, load_edits(folder / "edits.toml")).result
    assert isinstance(result, mo.Clip)
    judge_clip(result)
    return "edited"


def _scripts() -> list[Files]:
    return [{**motions(), "script.txt": _COMMANDS}]


def _damaged_script(files: Files, rng: Random) -> Files:
    lines = files["script.txt"].splitlines()
    if rng.random() < 0.3:
        text = damaged(files["script.txt"], [files["script.txt"]], rng)
    else:
        line = rng.choice(lines[1:])
        words = line.split(b" ")
        words[rng.randrange(len(words))] = str(rng.choice((*ODD_VALUES, *EDITS, *_JOINTS))).encode(errors="replace")
        text = b"\n".join([*rng.sample(lines, rng.randint(0, len(lines))), b" ".join(words)])
    return {**files, "script.txt": text}


def _run_script(folder: Path) -> str:
    told = run_script(folder / "script.txt", [folder / "walk.bvh", folder / "other.bvh"])
    for _, clip in told.clips:
        judge_clip(clip)
    return "run"


EDIT_LISTS = Kind(_lists, _damaged, _edit)
SCRIPTS = Kind(_scripts, _damaged_script, _run_script, 0.5)
