"""Parameters of edits: what kinds of values they take, and how a value is checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from mocapella.checks import real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip

Value = Any  # bool, int, float, str, None, a Source, a Clip, or tuples and mappings of these
Kind = Literal["number", "whole", "flag", "word", "words", "numbers", "points", "table", "clip"]

_MOST_VALUES = 200_000  # numbers or words in one parameter
_DEEPEST = 6  # tables and lists within each other


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
    names_joints: bool = False  # joints or dofs of one skeleton, so that the edit belongs to it
    on_body_of: str = ""  # of a clip: "motion" or another parameter, to whose skeleton it is retargeted first

    def checked(self, value: object, name: str) -> Value:
        """The value in its stored form: lists as tuples, tables as read-only mappings.

        The result is of the parameter's kind; None where it is the default. Raises ``EditError`` where it is of another
        kind or beyond the limits.
        """
        if value is None and not self.required:
            return None
        return _READERS[self.kind](self, value, name)

    def wrong(self, value: object, name: str, expected: str) -> EditError:
        """The error for a value that this parameter cannot take."""
        return EditError(expected=f"{expected} for {name}, {self.about}", got=shown(value))


def _number(own: Parameter, value: object, name: str) -> float:
    number = math.nan if isinstance(value, bool) else real_or_nan(value)
    if not math.isfinite(number) or not own.least <= number <= own.most:
        raise own.wrong(value, name, f"a number{_limits(own)}")
    return number


def _whole(own: Parameter, value: object, name: str) -> int:
    number = math.nan if isinstance(value, bool) else real_or_nan(value)
    if not number.is_integer() or not own.least <= number <= own.most:
        raise own.wrong(value, name, f"a whole number{_limits(own)}")
    return int(number)


def _flag(own: Parameter, value: object, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise own.wrong(value, name, "true or false")
    return bool(value)


def _word(own: Parameter, value: object, name: str) -> str:
    if not isinstance(value, str) or (own.choices and value not in own.choices):
        raise own.wrong(value, name, f"one of {', '.join(own.choices)}" if own.choices else "a word")
    return value


def _words(own: Parameter, value: object, name: str) -> tuple[str, ...]:
    return tuple(_word(own, one, name) for one in _listed(own, [value] if isinstance(value, str) else value, name))


def _numbers(own: Parameter, value: object, name: str) -> tuple[float, ...]:
    single = isinstance(value, int | float | np.number)
    return tuple(_number(own, one, name) for one in _listed(own, [value] if single else value, name))


def _points(own: Parameter, value: object, name: str) -> tuple[tuple[float, ...], ...]:
    rows = tuple(_numbers(own, row, name) for row in _listed(own, value, name))
    if len({len(row) for row in rows}) > 1:
        raise own.wrong(value, name, "rows of as many numbers each")
    return rows


def _table(own: Parameter, value: object, name: str) -> Mapping[str, Value]:
    if not isinstance(value, Mapping):
        raise own.wrong(value, name, "a table of names and values")
    frozen = _frozen_value(value)
    if frozen is _NOT_PLAIN:
        raise own.wrong(value, name, "a table of finite numbers, words and lists of these")
    assert isinstance(frozen, Mapping)
    return frozen


def _clip(own: Parameter, value: object, name: str) -> Source | Clip:
    if isinstance(value, Mapping) and isinstance(value.get("path"), str) and set(value) <= {"path", "digest"}:
        return Source(str(value["path"]), str(value.get("digest", "")))
    if isinstance(value, str) and value:
        return Source(value)
    if isinstance(value, Source | Clip):
        return value
    raise own.wrong(value, name, "a clip or the path of a motion file")


_READERS: Mapping[str, Callable[[Parameter, object, str], Value]] = {
    "number": _number,
    "whole": _whole,
    "flag": _flag,
    "word": _word,
    "words": _words,
    "numbers": _numbers,
    "points": _points,
    "table": _table,
    "clip": _clip,
}
_NOT_PLAIN = object()


def _frozen_value(value: object, depth: int = 0) -> Value:
    """Plain values frozen: lists as tuples, tables as read-only mappings; a marker where something else is among them.

    Returns the same in frozen form, or ``_NOT_PLAIN``.
    """
    if isinstance(value, bool | str | np.bool_):
        return value if isinstance(value, str) else bool(value)
    if depth > _DEEPEST:
        return _NOT_PLAIN
    parts: Sequence[Any]
    if isinstance(value, Mapping):
        parts = [_frozen_value(one, depth + 1) for one in value.values()]
        plain = all(isinstance(key, str) for key in value) and all(part is not _NOT_PLAIN for part in parts)
        return MappingProxyType(dict(zip(value, parts, strict=True))) if plain else _NOT_PLAIN
    if isinstance(value, list | tuple | np.ndarray):
        parts = [_frozen_value(one, depth + 1) for one in value]
        return tuple(parts) if all(part is not _NOT_PLAIN for part in parts) else _NOT_PLAIN
    if isinstance(value, int | np.integer):
        return int(value)
    number = real_or_nan(value)
    return number if math.isfinite(number) else _NOT_PLAIN


def _listed(own: Parameter, values: object, name: str) -> list[Any]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise own.wrong(values, name, "a list")
    out = list(values)
    if len(out) > _MOST_VALUES:
        raise own.wrong(f"{len(out)} values", name, f"at most {_MOST_VALUES}")
    return out


def _limits(own: Parameter) -> str:
    if math.isinf(own.least) and math.isinf(own.most):
        return ""
    if math.isinf(own.most):
        return f" of {own.least:g} or more"
    return f" up to {own.most:g}" if math.isinf(own.least) else f" from {own.least:g} to {own.most:g}"
