"""FBX files, written by the user's own Blender: Autodesk's format has no open description, and Blender writes it.

Blender is found as ``$BLENDER`` (a program, or a Python that has ``bpy``), as ``blender`` on the path, or as the
``bpy`` package of this Python. It runs in a process of its own with a script of ours: it reads a binary glTF file and
writes all of its actions, key by key.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.files.gltf.gltf_writer import write_glb
from mocapella.motion.clip import Clip

_SCRIPT = "glb_to_fbx.py.txt"
_PATIENCE = 600.0  # seconds
_HELP = "install Blender, or name it in the environment: BLENDER=/path/to/blender"


def write_fbx(clips: Sequence[Clip], path: str | PathLike[str], **style: Any) -> None:
    """Write motions as FBX through Blender.

    An existing file is replaced once the new one is complete. ``style`` is ``loop``, ``in_place``, ``root_motion``,
    ``bones``, ``body`` as ``save`` takes them. Raises ``MotionError`` where there is no Blender, or it fails; with its
    own words.
    """
    command = _blender()
    rates = {clip.frame_rate for clip in clips}
    if len(rates) != 1:
        raise MotionError("motions in an FBX file share their frame rate; resample them first")
    with TemporaryDirectory() as folder:
        source, target, script = (Path(folder) / name for name in ("motion.glb", "motion.fbx", "script.py"))
        write_glb(clips, source, **style)
        script.write_bytes(files("mocapella.files").joinpath("scripts", _SCRIPT).read_bytes())
        _run([*command, str(script), "--", str(source), str(target), repr(rates.pop())], target)
        with replacing(path) as file:
            file.write(target.read_bytes())


def _blender() -> list[str]:
    """The words that run a Python script in Blender."""
    named = os.environ.get("BLENDER", "")
    program = shutil.which(named) if named else shutil.which("blender")
    if named and program is None:
        raise MotionError(f"there is no program {named!r}, which $BLENDER names", helps=_HELP)
    if program is not None:
        if Path(program).name.lower().startswith("python"):
            return [program]
        return [program, "--background", "--factory-startup", "--python-exit-code", "1", "--python"]
    if find_spec("bpy") is not None:
        return [sys.executable]
    raise MotionError("FBX is written by Blender, and none was found", helps=_HELP)


def _run(words: list[str], target: Path) -> None:
    """Run Blender, which has to make a file."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        raise MotionError(f"Blender did not finish within {_PATIENCE:.0f} s") from None
    except OSError as error:
        raise MotionError(f"cannot run {words[0]}: {error.strerror or error}", helps=_HELP) from None
    if done.returncode or not target.exists():
        said = [line for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
        raise MotionError(f"Blender could not write the file: {said[-1].strip()[:300] if said else 'it said nothing'}")
