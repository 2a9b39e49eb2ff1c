"""Checks of types and array shapes on calls, in a fraction of the time that jaxtyping's own decorator takes.

``--jaxtyping-packages`` decorates every function of the package with ``jaxtyping.jaxtyped``, which binds arguments to
the signature and checks each of them twice, before the call and again with the result. The decorator here, put in its
place, checks each argument and the result once. What is refused is the same: wrong types, wrong shapes, and axes of
one name that differ within a call. A function that is called thousands of times is checked in its first calls and in a
sample of the later ones.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing

import jaxtyping
from beartype import BeartypeConf
from beartype import beartype as strict

FIRST_CALLS = 200  # of each function: all of them are checked
SAMPLE = 13  # of later calls one in so many; a prime, since loops go over two feet, three corners, ten harmonics
beartype = strict(conf=BeartypeConf(is_pep484_tower=True))  # a whole number is a float, as type checkers have it
_ONE_CALL = jaxtyping.jaxtyped("context")  # within it an axis of one name has one size


def checked(target=None, *, typechecker=beartype):
    """Decorate a function, or the ``__init__`` of a dataclass, so that it refuses what its annotations exclude."""
    if target is None:
        return checked
    if inspect.isclass(target):
        if dataclasses.is_dataclass(target) and "__init__" in vars(target):
            made = target.__init__
            target.__init__ = checked(inspect.unwrap(made))
            if made is not inspect.unwrap(made):  # what explains errors of Python's stays outside
                from mocapella.checks import explained

                explained(target)
        return target
    inner, calls = None, 0

    @functools.wraps(target)
    def outer(*args, **kwargs):
        nonlocal inner, calls
        calls += 1
        if calls > FIRST_CALLS and calls % SAMPLE:
            return target(*args, **kwargs)
        if inner is None:  # most functions of a module are not called in a run of a few tests
            inner = _checking(target)
        return inner(*args, **kwargs)

    return outer


def _checking(target):
    hints = {name: _resolved(hint, target) for name, hint in target.__annotations__.items()}
    target.__annotations__ = hints
    inner = beartype(target)
    if not any(map(_names_arrays, hints.values())):
        return inner

    def in_one_context(*args, **kwargs):
        with _ONE_CALL:
            return inner(*args, **kwargs)

    return in_one_context


def _resolved(hint, function):
    """An annotation written as text, evaluated; names that only a type checker imports stand for anything."""
    try:
        return typing.get_type_hints(_only(hint), function.__globals__, include_extras=True)["value"]
    except (NameError, AttributeError, TypeError, ValueError):
        return typing.Any


def _only(hint):
    def holder(value): ...

    holder.__annotations__ = {"value": hint}
    return holder


def _names_arrays(hint):
    if inspect.isclass(hint) and issubclass(hint, jaxtyping.AbstractArray):
        return True
    return any(map(_names_arrays, typing.get_args(hint)))


jaxtyping.jaxtyped = checked
