"""Folders for engines and programs: a character with its loops, their table, and what puts them to use there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mocapella.errors import MotionError
from mocapella.exporting.godot import godot_files
from mocapella.exporting.grid import BlendGrid, GridLoop
from mocapella.files.disk import replacing
from mocapella.files.formats import write_motion
from mocapella.files.gltf.character_writer import write_onto
from mocapella.files.gltf.skinned_character import Character
from mocapella.files.gltf.style import LOOP
from mocapella.motion.clip import Clip
from mocapella.motion.loops import Course, steady_course

CHARACTER, TABLE = "character.glb", "grid.json"
_ROOT = "root"


@dataclass(frozen=True)
class _Target:
    """A program that a network can be exported to.

    ``uniform`` targets get loops of one length and number of frames, at a whole number of frames per second: they blend
    by time, not by share of the loop, and read files at such a rate. ``resources`` returns the texts of files that
    differ from grid to grid, by name.
    """

    names: str
    scripts: tuple[str, ...] = ()
    uniform: bool = False
    resources: Callable[[Mapping[str, Any]], dict[str, str]] | None = None


TARGETS: Mapping[str, _Target] = MappingProxyType(
    {
        "blender": _Target("as-captured", ("import_in_blender.py",)),
        "godot": _Target("godot", ("character.gd",), uniform=True, resources=godot_files),
        "unreal": _Target("unreal", ("import_in_unreal.py",)),
        "unity": _Target("mixamo", ("MocapellaImporter.cs", "MocapellaCharacter.cs")),
        "three": _Target("as-captured", ("blendspace.js",)),
    }
)


def export_grid(
    grid: BlendGrid,
    folder: Path,
    target: str,
    *,
    axes: tuple[str, str] = ("turn", "speed"),
    character: Character | None = None,
    animations: str = "keep",
) -> list[dict[str, str]]:
    """Write a grid of loops as a folder that a program can use.

    Parameters
    ----------
    grid
        The loops; those for a target whose entry says so have as many frames, ``blend_grid(..., uniform=True)``.
    folder
        Where to; it is made where it does not exist. Files of an earlier export are replaced.
    target
        One of ``TARGETS``.
    axes
        What the axes of the grid are called.
    character
        Whose skeleton the loops move, as ``carried_grid`` makes them: they go into a copy of it. A plain body if None.
    animations
        ``keep`` those that the character has, or ``replace`` them.

    Returns
    -------
    list of dict
        ``path`` and ``kind`` of every file: ``character``, ``table``, ``script`` or ``scene``.

    Raises
    ------
    MotionError
        Where the target is unknown, it needs loops of as many frames and the grid has others, or the folder cannot be
        written to.
    """
    if target not in TARGETS:
        raise MotionError(expected=f"a target of {', '.join(TARGETS)}", got=repr(target))
    choice = TARGETS[target]
    if choice.uniform and len({loop.clip.n_frames for loop in grid.loops}) > 1:
        raise MotionError(f"loops for {target} have as many frames each; make the grid with uniform=True")
    table = _grid_table(grid, axes=axes, uniform=choice.uniform)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MotionError(f"cannot write into {folder}: {error.strerror or error}") from None
    clips = [
        replace(loop.clip, name=loop.name, frame_rate=table["frame_rate"] if choice.uniform else loop.clip.frame_rate)
        for loop in grid.loops
    ]
    if character is None:
        write_motion(clips, folder / CHARACTER, loop=True, root_motion="root", names=choice.names)
    else:
        _write_onto(character, clips, folder / CHARACTER, table, animations)
    texts = {TABLE: ("table", json.dumps(table, indent=1) + "\n")}
    for script in choice.scripts:
        resource = files("mocapella.exporting").joinpath("scripts", f"{script}.txt")
        texts[script] = ("script", resource.read_text(encoding="utf-8"))
    if choice.resources is not None:
        texts |= {name: ("scene", text) for name, text in choice.resources(table).items()}
    written = [{"path": str(folder / CHARACTER), "kind": "character"}]
    for name, (kind, text) in texts.items():
        with replacing(folder / name) as file:
            file.write(text.encode("utf-8"))
        written.append({"path": str(folder / name), "kind": kind})
    return written


def _write_onto(character: Character, clips: list[Clip], path: Path, table: dict[str, Any], animations: str) -> None:
    """Write the loops into a copy of a character, and say in the table what they and its root are called there."""
    if path.exists() and path.samefile(character.path):
        raise MotionError(f"{path} would replace the character that is read; write into another folder")
    written = write_onto(clips, character, path, loop=True, root_motion="root", animations=animations)
    for loop, name in zip(table["loops"], written.names, strict=True):
        loop["animation"] = name
    table |= {"root": written.root, "root_is_bone": written.root_is_bone}


def _grid_table(grid: BlendGrid, *, axes: tuple[str, str] = ("turn", "speed"), uniform: bool = False) -> dict[str, Any]:
    """What ``grid.json`` says: where each loop lies, how long it is, how fast it goes, when feet are down.

    With ``uniform`` all animations have one length, near the mean of the loops and such that frames have a whole rate.
    Angles are in degrees, turns to the left positive; metres and seconds.
    """
    frames = grid.loops[0].clip.n_frames - 1
    rate = float(np.median([loop.clip.frame_rate for loop in grid.loops]))
    if uniform:
        rate = float(max(1, round(frames / grid.period)))
    return {
        "format": "mocapella grid",
        "version": 1,
        "character": CHARACTER,
        "root": _ROOT,
        "root_is_bone": True,
        "axes": list(axes),
        "frame_rate": round(rate, 6),
        "length": round(frames / rate, 6) if uniform else None,
        "loops": [
            {"animation": loop.name + LOOP, **loop_facts(loop), "bearing": _bearing(loop), "plants": loop.plants}
            for loop in grid.loops
        ],
        "triangles": grid.triangles.tolist(),
    }


def loop_facts(loop: GridLoop) -> dict[str, Any]:
    """A loop in figures.

    Returns ``name at point seconds phase speed turn stride``: where it lies in a blend space and in the network, the
    phase of its first frame in degrees, m/s, degrees per second, metres a cycle.
    """
    speed, turn = loop.rates
    return {
        "name": loop.name,
        "at": [round(value, 6) for value in loop.at],
        "point": [round(value, 6) for value in loop.point],
        "seconds": round(loop.seconds, 6),
        "phase": round(math.degrees(loop.phase), 4),
        "speed": round(speed, 6),
        "turn": round(turn, 6),
        "stride": round(speed * loop.seconds, 6),
    }


def _bearing(loop: GridLoop) -> float:
    """The direction of travel of a loop relative to its heading, degrees, left positive; 0 where it stays in place."""
    course: Course = steady_course(loop.clip)
    step = course.places[1] - course.places[0]
    if abs(step) * loop.clip.frame_rate < 1e-3:  # metres per second
        return 0.0
    halfway = 0.5 * (course.headings[0] + course.headings[1])
    return round(float(np.degrees(np.angle(step * np.exp(-1j * halfway)))), 4)
