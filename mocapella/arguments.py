"""The argument of a call that does not fit its annotation, and the expected type in plain words."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from os import PathLike
from typing import Any, Literal, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

_MOST = 1000  # members of a list that are looked at
_FUNCTION = typing.get_origin(Callable[..., Any])
_WORDS: Mapping[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    complex: "a number",
    str: "text",
    type(None): "None",
    np.ndarray: "an array",
}
_VALUES: Mapping[Any, Any] = {  # type → the classes of values that it takes, numpy's among them
    None: type(None),
    type(None): type(None),
    bool: bool | np.bool_,
    int: int | np.integer,
    float: float | int | np.floating | np.integer,
    complex: complex | float | int | np.number,
}


class _WrongArgument(NamedTuple):
    """An argument of the wrong kind."""

    name: str
    value: object
    expected: str  # "a clip", "a path", "a number or None"


def wrong_argument(
    called: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]
) -> _WrongArgument | None:
    """The first argument of a call that does not fit its annotation.

    Annotations that cannot be checked count as fitting, so a reported argument is certainly wrong. None where all fit,
    or the call does not fit the signature at all.

    Examples
    --------
    >>> def cut(path: str | PathLike[str], frames: tuple[int, int] | None = None) -> None: ...
    >>> wrong_argument(cut, ("walk.bvh", (3, 2.5)), {})
    _WrongArgument(name='frames', value=(3, 2.5), expected='2 whole numbers or None')
    """
    signature = inspect.signature(called)
    try:
        bound = signature.bind(*args, **options)
    except TypeError:
        return None
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        hint = _resolved(called, signature.parameters[name].annotation)
        several = (
            value if kind is inspect.Parameter.VAR_POSITIONAL else
            value.values() if kind is inspect.Parameter.VAR_KEYWORD else (value,)
        )  # fmt: skip
        for argument in several:
            if not _fits(argument, hint):
                return _WrongArgument(name, argument, _words(hint))
    return None


def _resolved(called: Callable[..., Any], annotation: Any) -> Any:
    """An annotation as a type; Any where it names what only type checkers import."""
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    module = inspect.getmodule(called)
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, vars(module) if module else {})["it"]
    except (NameError, TypeError, AttributeError, SyntaxError):
        return Any


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value fits a type; True where that cannot be checked."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or hint is inspect.Parameter.empty:
        return True
    if hint == ArrayLike:
        return _is_array(value, "...")
    if origin in (Union, types.UnionType):
        return any(_fits(value, alternative) for alternative in inner)
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in inner)
    if hasattr(hint, "dim_str"):  # an array of jaxtyping
        return _is_array(value, hint.dim_str)
    if hint in _VALUES:
        return isinstance(value, _VALUES[hint])
    return _fits_class(value, origin or hint, inner)


def _fits_class(value: Any, kind: Any, inner: tuple[Any, ...]) -> bool:
    """Whether a value is of a class, and its members are of the types in brackets."""
    if not isinstance(kind, type):
        return True
    if kind is _FUNCTION:
        return callable(value)
    if not _is_kind(value, kind) or (inner and isinstance(value, bytes)):  # no list of numbers, though Python has it so
        return False
    return not inner or kind is type or _members_fit(value, inner)


def _members_fit(value: Any, inner: tuple[Any, ...]) -> bool:
    if isinstance(value, Mapping):
        pairs = islice(value.items(), _MOST)
        return len(inner) != 2 or all(_fits(key, inner[0]) and _fits(member, inner[1]) for key, member in pairs)
    if isinstance(value, tuple) and Ellipsis not in inner:
        return len(value) == len(inner) and all(map(_fits, value, inner)) if len(inner) != 1 else _all_fit(value, inner)
    return not isinstance(value, Collection) or _all_fit(value, inner)  # a check would consume iterators


def _all_fit(values: Iterable[Any], inner: tuple[Any, ...]) -> bool:
    return all(_fits(member, inner[0]) for member in islice(values, _MOST))


def _is_kind(value: Any, kind: type) -> bool:
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol that cannot be asked
        return True


def _is_array(value: Any, dims: str) -> bool:
    """Whether a value is numbers, with as many axes where their count is fixed."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return False
    axes = dims.split()
    open_ended = any(axis.startswith("*") or axis == "..." for axis in axes)
    return array.dtype.kind in "biufc" and (open_ended or array.ndim == len(axes))


def _words(hint: Any) -> str:
    """The name of a type in messages."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint == ArrayLike:
        return _WORDS[np.ndarray]
    if origin in (Union, types.UnionType):
        return _either(list(inner))
    if origin is Literal:
        return ", ".join(map(repr, inner[:-1])) + (" or " if inner[1:] else "") + repr(inner[-1])
    if hasattr(hint, "dim_str"):
        axes = ", ".join(axis.lstrip("*") for axis in hint.dim_str.split())
        return f"an array of shape ({axes})" if axes else "a number"
    kind = origin or hint
    if kind in _WORDS:
        return _WORDS[kind]
    if not isinstance(kind, type):
        return getattr(hint, "__name__", str(hint))
    if issubclass(kind, PathLike):
        return "a path"
    if kind is _FUNCTION:
        return "a function"
    return _collection(kind, inner, plain=origin is None) or _named(kind)


def _collection(kind: type, inner: tuple[Any, ...], *, plain: bool) -> str:
    """A tuple, dictionary or list in words; nothing for other classes. ``plain`` ones have no types in brackets."""
    if kind is tuple and inner and Ellipsis not in inner:
        same = len(set(inner)) == 1
        return f"{len(inner)} {_several(inner[0])}" if same else " and ".join(map(_words, inner))
    if issubclass(kind, Mapping):
        untold = len(inner) != 2 or inner[1] is Any
        return "a dictionary" if untold else f"a dictionary of {_words(inner[0])} → {_words(inner[1])}"
    if issubclass(kind, Iterable) and (not plain or kind in (list, tuple, set)):
        return f"a list of {_several(inner[0])}" if inner and inner[0] is not Any else "a list"
    return ""


def _either(inner: list[Any]) -> str:
    """Alternatives, each named once; numpy's number types, and text beside paths, are not named."""
    words: list[str] = []
    for word in map(_words, inner):
        if word not in words:
            words.append(word)
    if "a path" in words and "text" in words:
        words.remove("text")
    if "a number" in words and "a whole number" in words:
        words.remove("a whole number")
    words.sort(key=lambda word: word == "None")
    return " or ".join(words)


def _several(hint: Any) -> str:
    """The plural name of a type in messages: lists of numbers, pairs."""
    word = _words(hint)
    if word == "2 numbers":
        return "pairs"
    article, _, noun = word.partition(" ")
    if article not in ("a", "an"):
        return word
    first, of, rest = noun.partition(" of ")
    return f"{first}s{of}{rest}"


def _named(kind: type) -> str:
    """A class in words: ``HybridNetwork`` is a hybrid network, ``Contacts`` are contacts."""
    spaced = "".join(f" {c.lower()}" if c.isupper() else c for c in kind.__name__.lstrip("_")).strip()
    if spaced.endswith("s"):
        return spaced
    return f"{'an' if spaced[:1] in 'aeiou' else 'a'} {spaced}"
