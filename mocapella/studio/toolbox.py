"""The editing toolbox in the studio: which edits there are, and how the edits of a clip are applied."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from mocapella.editing.averaged import average_stances
from mocapella.editing.edits import Edit, edit
from mocapella.editing.parameters import Parameter
from mocapella.editing.registry import EDITS
from mocapella.editing.stance_blend import blend_stances
from mocapella.errors import MotionError
from mocapella.files.formats import read_motion
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.quoting import python_call, python_literal
from mocapella.studio.messages.answers import EditKind, EditParameter
from mocapella.studio.messages.fields import copied
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import EditChoice, Plants

BLEND_MOTION = "blend_motion"  # the stances of a clip blended with averaged ones, as the console has it
_KINDS = {"number": "number", "whole": "number", "flag": "switch", "word": "choice", "clip": "clip"}
_SPAN = 10.0  # of a default: as far a slider goes where a parameter has no limit of its own


def edit_kinds() -> tuple[EditKind, ...]:
    """The edits as the page offers them."""
    return tuple(
        EditKind(
            name=name,
            title=name.replace("_", " "),
            about=editor.about,
            parameters=tuple(_parameter(key, parameter) for key, parameter in editor.parameters.items()),
        )
        for name, editor in EDITS.items()
    )


def _parameter(name: str, parameter: Parameter) -> EditParameter:
    kind = _KINDS.get(parameter.kind, "text")
    if kind == "choice" and not parameter.choices:
        kind = "text"
    default: float | bool | str = parameter.default if isinstance(parameter.default, float | int | bool | str) else ""
    least, most = float(parameter.least), float(parameter.most)
    if kind == "number":
        neutral = 1.0 if least >= 0.0 and parameter.required else 0.0  # a factor of 1 leaves a motion as it is
        default = float(default) if isinstance(default, float | int) else min(max(neutral, least), most)
        reach = _SPAN * max(1.0, abs(default))
        least = least if math.isfinite(least) else -reach
        most = most if math.isfinite(most) else reach
    else:
        least, most = 0.0, 1.0
    if kind == "switch":
        default = bool(default)
    return copied(EditParameter, parameter, name=name, kind=kind, default=default, least=least, most=most)


def checked_edit(choice: EditChoice) -> Edit:
    """The edit that a choice stands for.

    Lists are texts of words, numbers or JSON; an empty text leaves a parameter out. Raises ``MotionError`` where there
    is no such edit, or a parameter does not fit.
    """
    kinds = EDITS[choice.name].parameters if choice.name in EDITS else {}
    values = {
        name: _value(kinds[name], value) if name in kinds else value
        for name, value in choice.parameters.items()
        if value != ""
    }
    return Edit(choice.name, **values)


def _value(parameter: Parameter, value: float | bool | str) -> Any:
    if parameter.kind == "whole" and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or parameter.kind in ("word", "clip"):
        return value
    words = [word for word in re.split(r"[,\s]+", value) if word]
    if parameter.kind == "words":
        return words
    try:
        if parameter.kind == "numbers":
            return [float(word) for word in words]
        return msgspec.json.decode(value)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        raise MotionError(f"{value[:60]!r} is not a value of this parameter: {parameter.about}") from None


def applied(clip: Clip, choice: EditChoice, folder: Folder, contacts: Contacts | None = None) -> Clip:
    """A clip with an edit applied, by the foot plants that the user set, if any.

    Raises ``MotionError`` where the edit does not fit.
    """

    def read(name: str) -> Clip:
        return read_motion(folder.path(name))

    if choice.name == BLEND_MOTION:
        blend = _blend_of(choice)
        style = read(blend.motion)
        marks = None if blend.plants is None else Contacts(style.n_frames, **blend.plants)
        averaged = average_stances(style, contacts=marks)
        return blend_stances(clip, averaged, blend.ratio, part=blend.part, contacts=contacts).renamed(clip.name)
    edited = edit(clip, checked_edit(choice), load=read).result
    assert isinstance(edited, Clip)
    return edited.renamed(clip.name)


class _Blend(msgspec.Struct):
    """The parameters of ``BLEND_MOTION``."""

    motion: str
    part: str
    ratio: float
    plants: Plants | None = None  # of the motion


def _blend_of(choice: EditChoice) -> _Blend:
    """What a stored project says of the edit, where it says that soundly."""
    try:
        marks = msgspec.json.decode(str(choice.parameters.get("plants", "")) or "null")
        return msgspec.convert({**choice.parameters, "plants": marks}, _Blend)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise MotionError(f"the edit {BLEND_MOTION} of this project is damaged: {error}") from None


def edit_line(choice: EditChoice, clip: str) -> str:
    """The expression that applies an edit."""
    if choice.name == BLEND_MOTION:
        blend = _blend_of(choice)
        style = python_call("mo.load", python_literal(blend.motion))
        if blend.plants is not None:
            rows = python_literal(blend.plants)
            style = f"(style := {style}), contacts=replace(mo.find_plants(style), **{rows})"
        averaged = f"mo.average_stances({style})"
        return python_call("mo.blend_stances", clip, averaged, python_literal(blend.ratio), part=blend.part)
    kinds = checked_edit(choice).editor.parameters
    given = {name: _value(kinds[name], value) for name, value in choice.parameters.items() if value != ""}
    return f"mo.edit({clip}, {python_call('mo.Edit', python_literal(choice.name), **given)}).result"
