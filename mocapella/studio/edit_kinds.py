"""The edits of the toolbox as the page offers them, and what they make of a clip of the project."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mocapella.editing.edits import Edit, edit
from mocapella.editing.parameters import Parameter, Value
from mocapella.editing.registry import EDITS, Editor
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.studio.messages.answers import EditKind, EditParameter

_WIDEST = 1e6  # limits beyond are none for a slider
_SHOWN = {"number", "whole", "flag", "word", "words", "numbers"}  # kinds of values that a control of the page holds


def edit_kinds() -> tuple[EditKind, ...]:
    """The edits that a page can offer: all but those that cannot do without a second motion, a path or a table.

    Returns
    -------
    tuple of EditKind
        In the order of the registry, with their parameters.

    Examples
    --------
    >>> [kind.title for kind in edit_kinds() if kind.name == "turn"]
    ['Turn']
    """
    return tuple(_kind(name, editor) for name, editor in EDITS.items() if _offered(editor))


def edited_clip(clip: Clip, name: str, parameters: Mapping[str, float | bool | str]) -> Clip:
    """A clip with an edit of the registry applied.

    Parameters
    ----------
    clip
        What is edited.
    name
        Of the edit.
    parameters
        As controls of the page give them: numbers, switches and words; lists as words with commas between them. Empty
        words leave a parameter at its default.

    Returns
    -------
    Clip
        The edited motion.

    Raises
    ------
    MotionError
        Where there is no such edit, or it does not fit the clip.
    """
    editor = EDITS.get(name)
    if editor is None or not _offered(editor):
        there = ", ".join(kind.name for kind in edit_kinds())
        raise MotionError(f"no edit {name!r} for clips of a project; there are {there}")
    given = {key: _value(editor.parameters.get(key), key, value) for key, value in parameters.items() if value != ""}
    made = edit(clip, Edit(name, **given)).result
    assert isinstance(made, Clip)
    return made.renamed(clip.name)


def _offered(editor: Editor) -> bool:
    return all(one.kind in _SHOWN for one in editor.parameters.values() if one.required)


def _kind(name: str, editor: Editor) -> EditKind:
    title = name.replace("_", " ").capitalize()
    shown = {key: one for key, one in editor.parameters.items() if one.kind in _SHOWN}
    return EditKind(name, title, editor.about, tuple(_parameter(key, one) for key, one in shown.items()))


def _parameter(name: str, parameter: Parameter) -> EditParameter:
    """One parameter as a control: a slider where it has a number to begin with, a switch, a choice, or words."""
    default = parameter.default
    if parameter.kind == "flag":
        return EditParameter(name, "switch", bool(default), about=parameter.about)
    if parameter.choices and parameter.kind == "word":
        words = parameter.choices if default is not None else ("", *parameter.choices)
        return EditParameter(name, "choice", str(default or words[0]), choices=words, about=parameter.about)
    if parameter.kind in ("number", "whole") and (default is not None or parameter.required):
        least, most = max(parameter.least, -_WIDEST), min(parameter.most, _WIDEST)
        start = float(min(max(0.0, least), most) if default is None else default)
        return EditParameter(name, "number", start, least, most, parameter.unit, about=parameter.about)
    text = ", ".join(map(str, default)) if isinstance(default, tuple | list) else str(default or "")
    return EditParameter(name, "text", text, unit=parameter.unit, about=parameter.about)


def _value(parameter: Parameter | None, name: str, value: float | bool | str) -> Value:
    """A value of a control as the edit takes it."""
    if parameter is None:
        return value  # the edit itself says that it has no such parameter
    if isinstance(value, str) and parameter.kind in ("words", "numbers"):
        words = [word.strip() for word in value.split(",") if word.strip()]
        return words if parameter.kind == "words" else [_number(word, name) for word in words]
    if isinstance(value, str) and parameter.kind in ("number", "whole"):
        value = _number(value, name)
    if parameter.kind == "whole" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _number(word: str, name: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise MotionError(expected=f"a number for {name}", got=repr(word))
    return found
