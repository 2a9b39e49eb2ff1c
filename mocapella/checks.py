"""Argument checks with the same errors everywhere: numbers, types, counts and frame rates."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, SupportsIndex, TypeVar

from mocapella.errors import ArgumentError, MotionError, NetworkError

_LONGEST = 80  # letters of a value in a message
MOST_FRAMES = 1_000_000  # of what is made: four and a half hours at 60 Hz, a gigabyte for a body of 31 joints


def real(value: Any) -> float:
    """A number of any kind as a float: Python's, numpy's, an array of no axes.

    Raises ``TypeError`` for text (which ``float`` would take), None, arrays with axes, complex numbers;
    ``OverflowError`` for whole numbers that no float can hold.
    """
    if isinstance(value, float):
        return float(value)
    if getattr(value, "ndim", 0):
        raise TypeError(f"expected a number, got an array with {value.ndim} axes")
    if getattr(getattr(value, "dtype", None), "kind", "") == "c":  # NumPy would drop the imaginary part
        raise TypeError("expected a real number, got a complex one")
    return math.ldexp(value, 0)


def real_or_nan(value: Any) -> float:
    """A number of any kind as a float, as ``real`` has it; NaN for anything else."""
    try:
        return real(value)
    except (TypeError, OverflowError):
        return math.nan


def reals(values: Any) -> tuple[float, ...]:
    """Several numbers of any kind as floats; others raise ``TypeError`` or ``OverflowError`` as ``real`` does."""
    return tuple([value if type(value) is float else real(value) for value in values])  # quick: it runs in every step


def counted(count: int, one: str, more: str = "") -> str:
    """A number of things in words, ``"1 node"``, ``"3 nodes"``; the plural ends in s where ``more`` is left out."""
    return f"{count} {one if count == 1 else more or f'{one}s'}"


def shown(value: object) -> str:
    """A value as error messages show it: its ``repr`` on one line, at most about 80 letters."""
    try:
        words = " ".join(repr(value).split("\n"))  # arrays are written in several lines, messages in one
    except ValueError:  # Python writes no whole numbers of more than some thousand digits
        words = "an int of very many digits"
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"


_Door = TypeVar("_Door", bound=Callable[..., Any])


def explained(door: _Door) -> _Door:
    """Make a public function or class name the argument of the wrong type when a call fails because of it.

    A call that succeeds costs one ``try``. When one fails with an error of Python's, arguments are compared with their
    annotations, and the first that does not fit is named; where all fit, the error is raised as it was. Of a class, the
    methods without an underscore explain themselves in the same way.

    Examples
    --------
    >>> @explained
    ... def twice(length: float) -> float:
    ...     return 2 * abs(length)
    >>> twice("long")
    Traceback (most recent call last):
    mocapella.errors.ArgumentError: expected a number for length, got 'long'
    """
    if not isinstance(door, type):
        return _at_the_door(door, door)  # type: ignore[return-value]
    wrapped: Any = door
    wrapped.__init__ = _at_the_door(door, wrapped.__init__, skipped=1)  # self is not an argument of the class
    for name, method in list(vars(door).items()):
        if name.startswith("_"):
            continue
        if isinstance(method, FunctionType):
            setattr(wrapped, name, _at_the_door(method, method))
        elif isinstance(method, classmethod):
            setattr(wrapped, name, classmethod(_at_the_door(method.__func__, method.__func__)))
    return door


def _at_the_door(door: Callable[..., Any], call: Callable[..., Any], skipped: int = 0) -> Callable[..., Any]:
    """A function around ``call`` that names wrong arguments of ``door``, without the first ``skipped`` of them."""

    @functools.wraps(call)
    def at_the_door(*args: Any, **options: Any) -> Any:
        try:
            return call(*args, **options)
        except MotionError:
            raise
        except Exception as error:
            from mocapella.arguments import wrong_argument  # needed where something went wrong only

            wrong = wrong_argument(door, args[skipped:], options)
            if wrong is None:
                raise
            raise ArgumentError(expected=f"{wrong.expected} for {wrong.name}", got=shown(wrong.value)) from error

    return at_the_door


NETWORK = "a network, such as Network(nodes)"


def refuse_other(value: object, kind: Any, expected: str) -> None:
    """Raise ``NetworkError`` unless a value has the expected class; ``Callable`` and ``Mapping`` are classes, too."""
    if not isinstance(value, kind):
        raise NetworkError(expected=expected, got=shown(value))


def refuse_no_whole(value: object, expected: str) -> None:
    """Raise ``NetworkError`` unless a value is a whole number from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise NetworkError(expected=expected, got=shown(value))


_Member = TypeVar("_Member")


def named(choice: _Member | str, known: Mapping[str, _Member], expected: str) -> _Member:
    """The member of a registry that a name stands for; a function stands for itself.

    ``expected`` is what it is a choice of, for the error: ``"a way to close a cycle"``. Raises ``MotionError`` where
    there is no such name, or the choice is neither a name nor a function.
    """
    if isinstance(choice, str) and choice in known:
        return known[choice]
    if isinstance(choice, str) or not callable(choice):
        raise MotionError(expected=f"{expected}, one of {', '.join(known)}", got=shown(choice))
    return choice


SLOWEST, FASTEST = 1 / 3600, 1e6  # frames per second: one in an hour, one in a microsecond


def is_usable(rate: object) -> bool:
    """Whether a value is a number of frames per second from one frame in an hour to one in a microsecond."""
    return SLOWEST <= real_or_nan(rate) <= FASTEST


def refuse_no_rate(rate: object) -> None:
    """Raise ``MotionError`` unless a value is a frame rate."""
    if not is_usable(rate):
        raise MotionError(
            expected="a frame rate above 0",
            got=shown(rate),
            helps=f"there are rates from one frame in an hour to {FASTEST:g} in a second",
        )


def finite_numbers(values: object, expected: str) -> tuple[float, ...]:
    """Several finite numbers as floats; anything else raises ``MotionError``."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        try:
            numbers = reals(values)
        except (TypeError, OverflowError):
            numbers = (math.nan,)
        if all(map(math.isfinite, numbers)):
            return numbers
    raise MotionError(f"{expected}; got {shown(values)}")


def finite_number(value: object, expected: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number as a float, from ``least`` on and more than ``above``; anything else raises ``MotionError``."""
    number = real_or_nan(value)
    if not (math.isfinite(number) and number >= least and number > above):
        raise MotionError(expected=expected, got=shown(value))
    return number


def whole_number(value: object, expected: str) -> int:
    """A whole number, Python's or numpy's, as an int; anything else raises ``MotionError``."""
    if not isinstance(value, SupportsIndex) or isinstance(value, bool):
        raise MotionError(expected=expected, got=shown(value))
    try:
        return operator.index(value)
    except TypeError:  # an array of numbers
        raise MotionError(expected=expected, got=shown(value)) from None


def checked_seed(seed: object) -> int:
    """The seed of random choices; anything but a whole number from 0 on raises ``MotionError``."""
    expected = "a whole number from 0 on for seed"
    number = whole_number(seed, expected)
    if number < 0:
        raise MotionError(expected=expected, got=shown(seed))
    return number


def checked_recording(seconds: object, frame_rate: object, most: int) -> tuple[float | None, float]:
    """Length (None where something else decides) and frame rate of a recording of at most ``most`` frames, checked."""
    refuse_no_rate(frame_rate)
    rate = real_or_nan(frame_rate)
    if seconds is None:
        return None, rate
    span = finite_number(seconds, "to record for more than 0 s", above=0.0)
    if span * rate > most:
        raise MotionError(
            f"{span:g} s at {rate:g} Hz are {span * rate:,.0f} frames; at most {most:,} are recorded, "
            "record it in parts"
        )
    return span, rate
