"""Parameters of edits: how they follow from an edit's function, and how a value is checked."""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, Union

import numpy as np

from mocapella.checks import real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip

Value = Any  # bool, int, float, str, None, a Source, a Clip, or tuples and mappings of these
Kind = Literal["number", "whole", "flag", "word", "words", "numbers", "points", "table", "clip"]

_MOST_VALUES = 200_000  # numbers or words in one parameter
_DEEPEST = 6  # tables and lists within each other
_LARGEST = 1e9  # metres, degrees, seconds or frames, either way: beyond is no motion


class EditError(MotionError):
    """An edit that does not exist, has a parameter it cannot take, or does not fit the motion it is applied to."""


@dataclass(frozen=True)
class Source:
    """Another motion that an edit reads: a file, and the digest of the motion it held when the edit was recorded.

    Examples
    --------
    >>> Source("walk.bvh").digest
    ''
    """

    path: str
    digest: str = ""  # "" where any motion will do


@dataclass(frozen=True)
class Domain:
    """Values that an argument of an edit's function may have, beside its type in ``Annotated``."""

    least: float | int = -math.inf
    most: float | int = math.inf
    unit: str = ""  # "m", "°", "s"; empty where there is none
    choices: tuple[str, ...] = ()  # of words; empty where any will do
    names_joints: bool = False  # joints or dofs of one skeleton, so that the edit belongs to it
    on_body_of: str = ""  # of a clip: "motion" or another parameter, to whose skeleton it is retargeted first


SPAN = Domain(0.0, 5.0, "s")
Seconds = Annotated[float | int, SPAN]
Strength = Annotated[float | int, Domain(-4.0, 4.0)]  # 1 in full; beyond that exaggerated, below 0 the opposite
Frame = Annotated[int, Domain(least=0)]
Place = Annotated[Sequence[float | int], Domain(unit="m")]
JointName = Annotated[str, Domain(names_joints=True)]
JointNames = Annotated[Sequence[str], Domain(names_joints=True)]
SecondMotion = Annotated[Clip, Domain(on_body_of="motion")]  # mixes with the edited one, so it has its skeleton


@dataclass(frozen=True)
class Parameter:
    """One parameter of an edit: its kind, its limits and what it is for.

    Interfaces read these fields: a command line for its help, a studio for its sliders.

    Examples
    --------
    >>> share = Parameter("number", "how much of it", default=1.0, least=0.0, most=1.0)
    >>> share.checked(0.5, "ratio")
    0.5
    """

    kind: Kind
    about: str  # what it is for, in a few words
    default: Value = None
    required: bool = False  # a value must be given
    least: float | int = -math.inf
    most: float | int = math.inf
    unit: str = ""  # "m", "°", "s"; empty where there is none
    choices: tuple[str, ...] = ()  # of words; empty where any will do
    names_joints: bool = False  # as in ``Domain``
    on_body_of: str = ""  # as in ``Domain``

    def checked(self, value: object, name: str) -> Value:
        """The value in its stored form: lists as tuples, tables as read-only mappings.

        The result is of the parameter's kind; None where it is the default. Raises ``EditError`` where it is of another
        kind or beyond the limits.
        """
        return None if value is None and not self.required else _READERS[self.kind](self, value, name)

    def wrong(self, value: object, name: str, expected: str) -> EditError:
        """The error for a value that this parameter cannot take."""
        return EditError(expected=f"{expected} for {name}, {self.about}", got=shown(value))


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Parameters of an edit, read from its function.

    Names and defaults are those of the signature, the kind follows from the type, limits, units and choices from a
    ``Domain`` in ``Annotated``, and the help is the first sentence of the description in the docstring. The first
    argument is the motion; arguments of types that no file of edits can hold, such as contacts, are left out.

    Examples
    --------
    >>> def turn(clip: Clip, *, angle: Annotated[float, Domain(unit="°")] = 90.0) -> Clip:
    ...     '''Turn the motion.
    ...
    ...     Parameters
    ...     ----------
    ...     angle
    ...         Left positive (°).
    ...     '''
    >>> parameters_of(turn)["angle"].about, parameters_of(turn)["angle"].unit
    ('left positive', '°')
    """
    plain = inspect.unwrap(function)
    hints = typing.get_type_hints(plain, include_extras=True)
    helps = _described(inspect.getdoc(plain) or "")
    out = {}
    for name, argument in list(inspect.signature(plain).parameters.items())[1:]:
        hint, *domains = typing.get_args(hints[name]) if hasattr(hints[name], "__metadata__") else (hints[name],)
        domain = next(iter(domains), Domain())
        kind = _kind_of(hint)
        if kind is not None:
            required = argument.default is argument.empty
            default = None if required else _default(argument.default, kind)
            about = helps.get(name, "").removesuffix(f" ({domain.unit})")
            out[name] = Parameter(kind, about, default, required, **vars(domain))
    return out


_PLAIN_KINDS: Mapping[Any, Kind] = {bool: "flag", int: "whole", float: "number", str: "word", Clip: "clip"}
_LISTS: Mapping[Kind | None, Kind] = {"number": "numbers", "whole": "numbers", "word": "words", "numbers": "points"}
_PREFERRED: tuple[Kind, ...] = ("clip", "table", "points", "numbers", "words", "word", "flag", "number", "whole")


def _kind_of(hint: Any) -> Kind | None:
    """The kind of value that a type stands for: of alternatives the most general; None for a type of Python alone."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        kinds = {_kind_of(alternative) for alternative in inner}
        return next((kind for kind in _PREFERRED if kind in kinds), None)
    if origin is Mapping:
        return "table"
    if origin is Sequence:
        return _LISTS.get(_kind_of(inner[0]))
    return _PLAIN_KINDS.get(hint)


def _default(value: Any, kind: Kind) -> Value:
    if kind in ("numbers", "words") and not isinstance(value, tuple):
        return (value,)
    return dict(value) if isinstance(value, Mapping) else value


def _described(doc: str) -> dict[str, str]:
    """First sentences of the descriptions in a section ``Parameters``, begun small and without a stop."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    out: dict[str, str] = {}
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+\S.*\n?)+)", section[1] if section else "", re.MULTILINE):
        sentence = re.split(r"\.(?:\s|$)", " ".join(text.split()), maxsplit=1)[0]
        out |= dict.fromkeys(names.split(", "), sentence[:1].lower() + sentence[1:])
    return out


def _sound_or_nan(value: object) -> float:
    """A number that a motion can have anything to do with; NaN for anything else."""
    number = math.nan if isinstance(value, bool) else real_or_nan(value)
    return number if abs(number) <= _LARGEST else math.nan


def _number(parameter: Parameter, value: object, name: str) -> float:
    number = _sound_or_nan(value)
    if not parameter.least <= number <= parameter.most:
        raise parameter.wrong(value, name, f"a number{_limits(parameter)}")
    return number


def _whole(parameter: Parameter, value: object, name: str) -> int:
    number = _sound_or_nan(value)
    if not number.is_integer() or not parameter.least <= number <= parameter.most:
        raise parameter.wrong(value, name, f"a whole number{_limits(parameter)}")
    return int(number)


def _flag(parameter: Parameter, value: object, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise parameter.wrong(value, name, "true or false")
    return bool(value)


def _word(parameter: Parameter, value: object, name: str) -> str:
    if not isinstance(value, str) or (parameter.choices and value not in parameter.choices):
        raise parameter.wrong(value, name, f"one of {', '.join(parameter.choices)}" if parameter.choices else "a word")
    return value


def _words(parameter: Parameter, value: object, name: str) -> tuple[str, ...]:
    words = _listed(parameter, [value] if isinstance(value, str) else value, name)
    return tuple(_word(parameter, word, name) for word in words)


def _numbers(parameter: Parameter, value: object, name: str) -> tuple[float, ...]:
    single = isinstance(value, int | float | np.number)
    return tuple(_number(parameter, number, name) for number in _listed(parameter, [value] if single else value, name))


def _points(parameter: Parameter, value: object, name: str) -> tuple[tuple[float, ...], ...]:
    rows = tuple(_numbers(parameter, row, name) for row in _listed(parameter, value, name))
    if len({len(row) for row in rows}) > 1:
        raise parameter.wrong(value, name, "rows of as many numbers each")
    return rows


def _table(parameter: Parameter, value: object, name: str) -> Mapping[str, Value]:
    if not isinstance(value, Mapping):
        raise parameter.wrong(value, name, "a table of names and values")
    try:
        frozen: Mapping[str, Value] = _frozen_value(value)
    except _NotPlainError:
        raise parameter.wrong(value, name, "a table of finite numbers, words and lists of these") from None
    return frozen


def _clip(parameter: Parameter, value: object, name: str) -> Source | Clip:
    if isinstance(value, Mapping) and isinstance(value.get("path"), str) and set(value) <= {"path", "digest"}:
        return Source(str(value["path"]), str(value.get("digest", "")))
    if isinstance(value, str) and value:
        return Source(value)
    if isinstance(value, Source | Clip):
        return value
    raise parameter.wrong(value, name, "a clip or the path of a motion file")


_READERS: Mapping[str, Callable[[Parameter, object, str], Value]] = {
    "number": _number, "whole": _whole, "flag": _flag, "word": _word, "words": _words, "numbers": _numbers,
    "points": _points, "table": _table, "clip": _clip,
}  # fmt: skip


class _NotPlainError(Exception):
    """A value that no file of edits can hold."""


def _frozen_value(value: object, depth: int = 0) -> Value:
    """Plain values frozen: lists as tuples, tables as read-only mappings.

    Raises ``_NotPlainError`` where anything else than finite numbers, words, lists and tables is among them.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if depth > _DEEPEST:
        raise _NotPlainError
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise _NotPlainError
        return MappingProxyType({key: _frozen_value(inner, depth + 1) for key, inner in value.items()})
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_frozen_value(inner, depth + 1) for inner in value)
    number = _sound_or_nan(value)
    if math.isnan(number):
        raise _NotPlainError
    return int(number) if isinstance(value, int | np.integer) else number


def _listed(parameter: Parameter, values: object, name: str) -> list[Any]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise parameter.wrong(values, name, "a list")
    out = list(values)
    if len(out) > _MOST_VALUES:
        raise parameter.wrong(f"{len(out)} values", name, f"at most {_MOST_VALUES}")
    return out


def _limits(parameter: Parameter) -> str:
    if math.isinf(parameter.least) and math.isinf(parameter.most):
        return ""
    if math.isinf(parameter.most):
        return f" of {parameter.least:g} or more"
    if math.isinf(parameter.least):
        return f" up to {parameter.most:g}"
    return f" from {parameter.least:g} to {parameter.most:g}"
