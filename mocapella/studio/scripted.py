"""A script of console commands, run on motion files without a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from mocapella.errors import FormatError, MotionError
from mocapella.files.format_table import split_animation
from mocapella.files.formats import with_animation
from mocapella.motion.clip import Clip
from mocapella.studio.console import run_line
from mocapella.studio.editing import imported
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import ClipChoice, Project
from mocapella.studio.workers.derivation import animations_of, examined_clip, let_travel

_PRINTED = 24  # places of a root path
_LONGEST = 1_000_000  # letters of a script


class _Scripted(NamedTuple):
    """The result of a script: text to print, and the motions that it edited."""

    lines: tuple[str, ...]
    clips: tuple[tuple[ClipChoice, Clip], ...]


def run_script(script: Path, motions: Sequence[Path], *, tell: Callable[[str], None] = lambda line: None) -> _Scripted:
    """Run a script of console commands on motion files, as the same lines do in the studio.

    ``script`` is a text file with a command in a line; ``#`` begins a comment. It names ``motions`` by file name, with
    or without suffix. ``tell`` is called with each line of text as soon as its command is done. Returns what the
    commands said, and every edited motion. Raises ``FormatError`` with the line that cannot be done; nothing is written
    then; ``MotionError`` where there is no motion, or a file cannot be read.
    """
    text = _text_of(script)
    folder, project = _opened(motions)
    before = {clip.name: clip.edits for clip in project.clips}
    told: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            project, said = _after(project, line, folder)
        except MotionError as error:
            raise FormatError(script, number, " ".join(str(error).split())) from None
        for words in said:
            tell(words)
        told += said
    edited = [choice for choice in project.clips if choice.edits and choice.edits != before[choice.name]]
    clips = tuple((choice, examined_clip(choice, folder).clip.captured) for choice in edited)
    return _Scripted(tuple(told), clips)


def _text_of(script: Path) -> str:
    try:
        text = script.read_text(encoding="utf-8")[: _LONGEST + 1]
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(script, 0, f"cannot be read as text: {getattr(error, 'strerror', None) or error}") from None
    if len(text) > _LONGEST:
        raise FormatError(script, 0, f"has more than {_LONGEST:,} letters")
    return text


def _opened(motions: Sequence[Path]) -> tuple[Folder, Project]:
    """The folder that holds all motions, and a project of them; walks in place travel."""
    named = [split_animation(path) for path in motions]
    for file, _ in named:
        if not file.is_file():
            raise MotionError(f"{file}: there is no such file")
    places = [with_animation(file.resolve(), animation) for file, animation in named]
    folder = Folder.of(Path(os.path.commonpath([place.parent for place in places])))
    project = imported(Project(), [folder.name(place) for place in places], None).project
    clips = tuple(let_travel(clip, folder) for clip in project.parted(animations_of(project, folder)))
    return folder, replace(project, clips=clips)


def _after(project: Project, line: str, folder: Folder) -> tuple[Project, list[str]]:
    outcome = run_line(project, line)
    said = [] if outcome.root_path is None else root_path_lines(outcome.root_path, folder)
    if outcome.edited is not None:
        after = outcome.edited.project
        for before, choice in zip(project.clips, after.clips, strict=True):
            if choice.edits != before.edits:  # an edit that does not fit its motion is found at its line
                examined_clip(choice, folder)
        project = after
    return project, [*said, *outcome.lines]


def root_path_lines(choice: ClipChoice, folder: Folder) -> list[str]:
    """The path of a motion's root over the ground as text: its length, and places by row of the file, metres."""
    clip = examined_clip(choice, folder).clip.captured
    way = clip.root_positions[:, [0, 2]]
    length = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    rows = np.unique(np.linspace(0, clip.n_frames - 1, min(_PRINTED, clip.n_frames)).round().astype(int)).tolist()
    lines = [f"{choice.name}: {length:.2f} m in {clip.seconds:.2f} s", "frame      x m      z m"]
    return [*lines, *(f"{row + clip.first_row:5d} {way[row, 0]:8.3f} {way[row, 1]:8.3f}" for row in rows)]
