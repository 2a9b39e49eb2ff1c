"""The console: commands by name, a line each, on the clips of the project.

Frames are rows of the file. A motion is the name of a clip or of its file. Every edit of the toolbox is a command, too:
``lock_feet walk.bvh``, ``turn walk.bvh angle=90``.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from mocapella.editing.registry import EDITS
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET, FOOT_POINTS
from mocapella.quoting import python_call
from mocapella.rig.parts import PARTS
from mocapella.studio.editing import Edited
from mocapella.studio.messages.fields import MOST
from mocapella.studio.project import ClipChoice, EditChoice, Project, StyleChoice
from mocapella.studio.toolbox import BLEND_MOTION, checked_edit, edit_line

_STANCE = 0.6  # of the way from one landing of a foot to its next: as long it rests
_ALONE = 40  # frames that a foot rests after a landing that is the only one


class Outcome(NamedTuple):
    """The result of a line: text to print, and an edit or a question, if any."""

    lines: tuple[str, ...] = ()
    edited: Edited | None = None
    root_path: ClipChoice | None = None  # the clip whose root path is to be printed


def run_line(project: Project, line: str) -> Outcome:
    """Do one line: a command and its arguments; an empty line or a comment (``#``) does nothing.

    ``edited`` is the new project. Raises ``MotionError`` where the line cannot be done.
    """
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise MotionError(f"cannot read {line[:60]!r}: {error}") from None
    if not words:
        return Outcome()
    name, *rest = words
    command = COMMANDS.get(name.lower()) or COMMANDS.get(name.lower() + "s") or COMMANDS.get(name.lower().rstrip("s"))
    if command is not None:
        return command(project, rest)
    if name.lower().replace("-", "_") in EDITS:
        return _toolbox(project, name.lower().replace("-", "_"), rest)
    raise MotionError(f"no command {name[:40]!r}; help lists them")


def _motion(project: Project, words: Sequence[str]) -> tuple[ClipChoice, list[str]]:
    """The clip that the first word names, and the other words."""
    if not words:
        raise MotionError(f"expected a motion; there are {', '.join(project.names) or 'none'}")
    wanted = words[0]
    for clip in project.clips:
        file = PurePosixPath(clip.path)
        if wanted in (clip.name, clip.path, file.name, file.stem):
            return clip, list(words[1:])
    raise MotionError(f"no motion {wanted[:60]!r}; there are {', '.join(project.names) or 'none'}")


def _frames(words: Sequence[str], what: str) -> list[int]:
    try:
        frames = [int(word) for word in words]
    except ValueError:
        raise MotionError(f"expected {what} as whole numbers, got {' '.join(words)[:60]!r}") from None
    if not frames or any(not 0 <= frame <= MOST for frame in frames) or sorted(set(frames)) != frames:
        raise MotionError(f"expected {what}, rising from 0 on, got {' '.join(words)[:60] or 'none'}")
    return frames


def _with_plants(clip: ClipChoice, plants: dict[str, tuple[tuple[int, int], ...]]) -> ClipChoice:
    return replace(clip, plants={**(clip.plants or {}), **plants})


def _stances(foot: str) -> Callable[[Project, Sequence[str]], Outcome]:
    def command(project: Project, words: Sequence[str]) -> Outcome:
        clip, rest = _motion(project, words)
        strikes = _frames(rest, f"the rows in which the {foot} foot lands")
        plants = []
        for i, first in enumerate(strikes):
            step = first - strikes[i - 1] if i else _ALONE
            following = strikes[i + 1] if i + 1 < len(strikes) else first + step
            plants.append((first, max(first, min(first + round(_STANCE * (following - first)), following - 2))))
        rows = tuple(plants)
        planted = _with_plants(clip, {f"{foot}_heel": rows, f"{foot}_toe": rows})
        after = project.with_clip(planted)
        if all(style.clip != clip.name for style in project.styles):
            after = replace(after, styles=(*project.styles, StyleChoice(clip.name, clip.name)))
        number = next(i for i, style in enumerate(after.styles, 1) if style.clip == clip.name)
        line = "contacts = " + python_call("mo.Contacts", "len(clip)", **{f"{foot}_heel": rows, f"{foot}_toe": rows})
        edited = Edited(after, f"{foot} stances of {clip.name}", line)
        return Outcome((f"{len(strikes)} {foot} stances of {clip.name}; averaged motion {number}",), edited)

    return command


def _strikes(point: str) -> Callable[[Project, Sequence[str]], Outcome]:
    def command(project: Project, words: Sequence[str]) -> Outcome:
        clip, rest = _motion(project, words)
        rows = _frames(rest, f"first and last rows of plants of {point.replace('_', ' ')}")
        if len(rows) % 2:
            raise MotionError(f"plants come as pairs of a first and a last row, got {len(rows)} rows")
        pairs = tuple(zip(rows[::2], rows[1::2], strict=True))
        after = project.with_clip(_with_plants(clip, {point: pairs}))
        line = "contacts = " + python_call("mo.find_plants", "clip", override={point: pairs})
        edited = Edited(after, f"{point.replace('_', ' ')} plants of {clip.name}", line)
        return Outcome((f"{len(pairs)} plants of {point.replace('_', ' ')} in {clip.name}",), edited)

    return command


def _set_name(project: Project, words: Sequence[str]) -> Outcome:
    if len(words) != 2 or not words[0].isdecimal():
        raise MotionError("expected set_name <averaged_motion_id> <new_name>")
    number = int(words[0])
    if not 1 <= number <= len(project.styles):
        raise MotionError(f"no averaged motion {number}; there are {len(project.styles)}")
    if any(style.name == words[1] for style in project.styles):
        raise MotionError(f"there is an averaged motion {words[1]!r} already")
    styles = tuple(replace(style, name=words[1]) if i == number else style for i, style in enumerate(project.styles, 1))
    edited = Edited(replace(project, styles=styles), f"call averaged motion {number} {words[1]}", "")
    return Outcome((f"averaged motion {number} is {words[1]}",), edited)


def _print_styles(project: Project, words: Sequence[str]) -> Outcome:
    lines = []
    for i, style in enumerate(project.styles, 1):
        plants = {str(point): rows for point, rows in (project.clip(style.clip).plants or {}).items()}
        counts = ", ".join(f"{len(plants.get(f'{foot}_heel', ()))} {foot}" for foot in FEET)
        lines.append(f"{i}  {style.name}  of {style.clip}, {counts} stances marked")
    return Outcome(tuple(lines) or ("there are no averaged motions; left_stances and right_stances make one",))


def _blend_motion(project: Project, words: Sequence[str]) -> Outcome:
    clip, rest = _motion(project, words)
    if len(rest) != 3:
        raise MotionError("expected blend_motion <motion> <averaged_motion> <body_part> <ratio>")
    wanted, part, ratio = rest[0], rest[1].lower(), rest[2]
    styles = [style for i, style in enumerate(project.styles, 1) if wanted in (style.name, str(i))]
    if not styles:
        there = ", ".join(style.name for style in project.styles) or "none"
        raise MotionError(f"no averaged motion {wanted[:60]!r}; there are {there}")
    if part not in PARTS:
        raise MotionError(f"no part of the body {rest[1][:40]!r}; there are {', '.join(PARTS).upper()}")
    share = _read_value(ratio)
    if not isinstance(share, float) or not math.isfinite(share):
        raise MotionError(f"expected a ratio such as 0.5, got {ratio[:40]!r}")
    style = styles[0]
    source = project.clip(style.clip)
    values: dict[str, float | bool | str] = {"motion": source.path, "part": part, "ratio": share}
    if source.plants is not None:
        values["plants"] = msgspec.json.encode(source.plants).decode()
    choice = EditChoice(BLEND_MOTION, values)
    edited = _with_edit(project, clip, choice, f"blend {clip.name} with {style.name}")
    return Outcome((f"{clip.name}: {part} {share:g} of {style.name}",), edited)


def _with_edit(project: Project, clip: ClipChoice, choice: EditChoice, label: str) -> Edited:
    after = project.with_clip(clip.with_edit(choice))
    return Edited(after, label, f"clip = {edit_line(choice, 'clip')}")


def _root_path(project: Project, words: Sequence[str]) -> Outcome:
    clip, rest = _motion(project, words)
    if rest:
        raise MotionError("expected root_path <motion> alone")
    return Outcome(root_path=clip)


def _toolbox(project: Project, name: str, words: Sequence[str]) -> Outcome:
    """An edit of the toolbox: ``turn walk.bvh angle=90``, or its main value alone."""
    clip, rest = _motion(project, words)
    values: dict[str, float | bool | str] = {}
    for word in rest:
        key, equals, text = word.partition("=")
        key, text = (key, text) if equals else (EDITS[name].main, word)
        if not key:
            raise MotionError(f"{name} takes no value without a name; write {', '.join(EDITS[name].parameters)}=…")
        values[key] = _read_value(text)
    choice = EditChoice(name, values)
    checked_edit(choice)
    return Outcome((f"{clip.name}: {name}",), _with_edit(project, clip, choice, f"{name} of {clip.name}"))


def _read_value(text: str) -> float | bool | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _motions(project: Project, words: Sequence[str]) -> Outcome:
    lines = [f"{clip.name}  {clip.path}" + "".join(f", {edit.name}" for edit in clip.edits) for clip in project.clips]
    return Outcome(tuple(lines) or ("there are no motions; drop some",))


def _help(project: Project, words: Sequence[str]) -> Outcome:
    return Outcome(tuple(sorted({*COMMANDS, *EDITS})))


COMMANDS: dict[str, Callable[[Project, Sequence[str]], Outcome]] = {
    **{f"{foot}_stances": _stances(foot) for foot in FEET},
    **{f"{point}_strikes": _strikes(point) for point in FOOT_POINTS},
    "set_name": _set_name,
    "print_averaged_motions": _print_styles,
    "blend_motion": _blend_motion,
    "root_path": _root_path,
    "display_root_path": _root_path,
    "motions": _motions,
    "help": _help,
}
