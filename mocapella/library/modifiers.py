"""Modifiers: the middle layer of a library. Each makes a clip from one clip or several.

They are the edits of ``mocapella.editing`` by their names, those that make one gait of several, and those that users
write: a function whose clips come by position and whose values by keyword, ten lines in all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mocapella.editing.edits import Edit, edit
from mocapella.editing.parameters import Parameter
from mocapella.editing.registry import EDITS, Editor
from mocapella.errors import MotionError
from mocapella.library import gait_modifiers
from mocapella.motion.clip import Clip

# Kinds of parameters by types of Python.
_KINDS: Mapping[str, Literal["flag", "number", "word"]] = {
    "bool": "flag", "int": "number", "float": "number", "str": "word",
}  # fmt: skip
_MANY = 64  # clips that one modifier may take
_NUMBER = {
    "speed": Parameter("number", "along its way", required=True, least=0.05, most=15.0, unit="m/s"),
    "curvature": Parameter("number", "left positive", required=True, least=-20.0, most=20.0, unit="1/m"),
    "slope": Parameter("number", "up positive", required=True, least=-45.0, most=45.0, unit="°"),
}


@dataclass(frozen=True)
class Modifier:
    """A function from clips to a clip, with its parameters.

    Parameters
    ----------
    name
        By which it is applied; no two have the same.
    about
        What it does, in a sentence without a stop.
    apply
        The function: takes clips by position and values by keyword, and returns a clip.
    parameters
        The parameters by name, with their kinds and defaults.
    inputs
        Fewest and most clips that it takes, the one it is applied to included.
    main
        The parameter that a value without a name stands for on the command line.
    origin
        Where it comes from: a package, or a file of the library.

    Examples
    --------
    >>> MODIFIERS["sync_mirror"].kind, MODIFIERS["to_speed"].kind, MODIFIERS["gait"].kind
    ('uni', 'bi', 'multi')
    """

    name: str
    about: str
    apply: Callable[..., Any] = field(repr=False)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    inputs: tuple[int, int] = (1, 1)
    main: str = ""
    origin: str = "mocapella"

    @property
    def kind(self) -> str:
        """By how many clips it takes: ``uni``, ``bi`` or ``multi``."""
        return {1: "uni", 2: "bi"}.get(self.inputs[1], "multi")

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of parameters that are clips, too."""
        return tuple(key for key, parameter in self.parameters.items() if parameter.kind == "clip")

    def checked(self, parameters: Mapping[str, Any], n_others: int) -> dict[str, Any]:
        """The parameters, each checked, as they can be stored; what is left out keeps its default.

        ``n_others`` further clips come with them. Raises ``MotionError`` where one is missing, unknown or of another
        kind, or there are too few or too many clips.
        """
        for key in parameters:
            if key not in self.parameters:
                there = ", ".join(self.parameters) or "none"
                raise MotionError(f"the modifier {self.name} has no parameter {key[:40]!r}", helps=f"there are {there}")
        for key, parameter in self.parameters.items():
            if parameter.required and parameters.get(key) is None:
                raise MotionError(f"the modifier {self.name} needs {key}: {parameter.about}")
        least, most = self.inputs
        if not least <= n_others + 1 <= most:
            more = "" if least == most else " or more" if most == _MANY else f" to {most - 1}"
            raise MotionError(f"the modifier {self.name} takes {least - 1}{more} further clips, got {n_others}")
        values = {key: self.parameters[key].checked(value, key) for key, value in parameters.items()}
        return {key: value for key, value in values.items() if value is not None}

    def made(self, clips: Sequence[Clip], parameters: Mapping[str, Any]) -> Clip:
        """Apply it to clips, the one that is modified first, with parameters as ``checked`` gives them.

        Clips among the parameters are clips by now. Raises ``MotionError`` where it fails, with one line that names it.
        """
        try:
            clip = self.apply(*clips, **parameters)
        except MotionError as error:
            raise MotionError(f"the modifier {self.name}: {error}", option=error.option) from None
        except Exception as error:  # a user's own code may raise anything
            words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise MotionError(f"the modifier {self.name} of {self.origin} failed: {words}") from error
        if not isinstance(clip, Clip):
            raise MotionError(
                f"the modifier {self.name} of {self.origin} gave {type(clip).__name__}, not a clip",
                helps="it must return a mocapella.Clip",
            )
        return clip


def modifier_of(function: Callable[..., Any], *, name: str, origin: str) -> Modifier:
    """A modifier from a user's function: positional arguments are clips, keyword arguments are parameters.

    ``function`` is such as ``def crouch(clip, *, depth=0.1)``; ``def mix(clip, other)`` takes two, ``def all(*clips)``
    any number. A parameter is a number, a flag or a word by its default, or by its annotation where it has none. The
    first line of its docstring says what it does; a value without a name is that of its only parameter. Raises
    ``MotionError`` where it takes no clip, or a parameter that is neither number nor flag nor word.
    """
    try:
        signature = inspect.signature(function, eval_str=False)
    except (TypeError, ValueError):
        raise MotionError(f"{name} of {origin} cannot be a modifier") from None
    least = most = 0
    parameters = {}
    for key, argument in signature.parameters.items():
        if argument.kind is argument.VAR_POSITIONAL:
            most = _MANY
        elif argument.kind in (argument.POSITIONAL_ONLY, argument.POSITIONAL_OR_KEYWORD):
            least, most = least + (argument.default is argument.empty), max(most, 0) + 1
        elif argument.kind is argument.KEYWORD_ONLY:
            parameters[key] = _parameter(argument, name, origin)
    least = max(least, 1)
    if not most:
        raise MotionError(f"{name} of {origin} takes no clip by position", helps=f"def {name}(clip, *, amount=1.0)")
    about = (inspect.getdoc(function) or "a modifier of yours").strip().splitlines()[0].rstrip(".")
    main = next(iter(parameters)) if len(parameters) == 1 else ""
    return Modifier(name, about, function, parameters, (least, max(least, min(most, _MANY))), main, origin)


def _parameter(argument: inspect.Parameter, name: str, origin: str) -> Parameter:
    default = None if argument.default is argument.empty else argument.default
    annotated = getattr(argument.annotation, "__name__", argument.annotation)  # text where not evaluated
    kind = _KINDS.get(type(default).__name__ if default is not None else str(annotated))
    if kind is None:
        raise MotionError(
            f"{name} of {origin}: the parameter {argument.name} is neither a number nor a flag nor a word",
            helps=f"give it a default, {argument.name}=1.0 say",
        )
    return Parameter(kind, "as its code says", default, required=argument.default is argument.empty)


def _of_edit(name: str, editor: Editor) -> Modifier:
    """An edit of the toolbox as a modifier; second motions are among its parameters."""

    def apply(clip: Clip, **parameters: Any) -> Any:
        return edit(clip, Edit(name, **parameters)).result

    return Modifier(name, editor.about, apply, editor.parameters, main=editor.main)


def _of_two(apply: Callable[..., Clip], about: str, figure: str) -> Modifier:
    """A modifier that makes a gait between two, by a figure that it has to have."""
    about = f"the gait between two that {about}"
    return Modifier(apply.__name__, about, apply, {figure: _NUMBER[figure]}, (2, 2), figure)


MODIFIERS: Mapping[str, Modifier] = {
    **{name: _of_edit(name, editor) for name, editor in EDITS.items()},
    "rotate_path": replace(_of_edit("turn", EDITS["turn"]), name="rotate_path"),
    "to_speed": _of_two(gait_modifiers.to_speed, "goes at a speed", "speed"),
    "to_curvature": _of_two(gait_modifiers.to_curvature, "goes round a curve", "curvature"),
    "to_slope": _of_two(gait_modifiers.to_slope, "climbs at a slope", "slope"),
    "gait": Modifier(
        "gait", "the gait among several that goes at a speed round a curve", gait_modifiers.gait,
        {
            "speed": Parameter("number", "along its way", least=0.05, most=15.0, unit="m/s"),
            "curvature": Parameter("number", "left positive; straight if left out", least=-20.0, most=20.0, unit="1/m"),
        },
        (2, _MANY), "speed",
    ),
}  # fmt: skip
