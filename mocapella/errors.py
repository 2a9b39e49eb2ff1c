"""The errors and the warning that mocapella raises."""

from __future__ import annotations

import sys
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

_LONGEST_REASON = 600  # letters of the reason why a file is refused
_LONGEST_MESSAGE = 900  # letters of an error or a warning: names in untrusted files may have any length
_END_OF_MESSAGE = 300  # letters of them that are kept of the end, which says what helps
_LONGEST_PATH = 300  # letters of a file's path in a message


def printable(text: str) -> str:
    """Text with control and invalid characters escaped: names in untrusted files may hold terminal commands.

    Examples
    --------
    >>> print(printable("left\\x1b[31mknee"))
    left\\x1b[31mknee
    """
    if text.isprintable():
        return text
    harmless = "\n\t"
    return "".join(
        c if c in harmless or unicodedata.category(c) not in _UNSEEN else c.encode("unicode_escape").decode()
        for c in text
    )


_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control and format characters, halves of pairs, other line ends


def _shortened(message: str) -> str:
    """A message that can be shown: without its middle where it is very long, and printable."""
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[: _LONGEST_MESSAGE - _END_OF_MESSAGE]} … {message[-_END_OF_MESSAGE:]}"
    return printable(message)


@dataclass(frozen=True)
class Option:
    """An argument that a message names; ``str`` spells it as Python does, other interfaces in their own way.

    ``value`` is a bool, a number, a word, a tuple of these, or a mapping that files hold, too.

    Examples
    --------
    >>> print(Option("frames", ("first", "last")), Option("clean", True))
    frames=(first, last) clean=True
    """

    name: str
    value: Any

    def __str__(self) -> str:
        if isinstance(self.value, tuple):
            return f"{self.name}=({', '.join(map(str, self.value))})"
        if isinstance(self.value, Mapping):
            return f"{self.name}={{{', '.join(f'{key!r}: {value!r}' for key, value in self.value.items())}, ...}}"
        return f"{self.name}={self.value}"


class MotionError(Exception):
    """Something the user gave cannot be used.

    The message says what was expected, what was found and what helps.

    Parameters
    ----------
    text
        The message; made of ``expected``, ``got`` and ``helps`` where it is empty.
    expected, got, helps
        What an argument should have been, what it was, and what to do about it.
    option
        The arguments that the message names, as ``str`` spells them.

    Examples
    --------
    >>> print(MotionError(expected="a frame rate above 0", got=-1, option=Option("frame_rate", -1)))
    expected a frame rate above 0, got -1
    """

    def __init__(
        self,
        text: str = "",
        *,
        expected: str = "",
        got: object = "",
        helps: str = "",
        option: Option | tuple[Option, ...] = (),
    ) -> None:
        self.expected, self.got, self.helps = expected, str(got), helps
        self.option = (option,) if isinstance(option, Option) else option
        composed = f"expected {expected}, got {got}" if expected else ""
        super().__init__(_shortened("; ".join(str(part) for part in (text or composed, helps) if part)))

    def spelled(self, spelling: Callable[[Option], str]) -> str:
        """The message with its options spelled by a function, as an interface other than Python has them.

        Parameters
        ----------
        spelling
            Writes an option, such as ``--clean`` for ``clean=True``.

        Returns
        -------
        str
            The message.

        Examples
        --------
        >>> clean = Option("clean", True)
        >>> error = MotionError("the root is lost", helps=f"{clean} bridges gaps", option=clean)
        >>> error.spelled(lambda option: f"--{option.name}")
        'the root is lost; --clean bridges gaps'
        """
        return respelled(str(self), self.option, spelling)

    def __reduce__(self) -> tuple[Any, ...]:  # children take other arguments than Exception would give them
        return _restored, (type(self), self.args, self.__dict__)


def respelled(message: str, options: tuple[Option, ...], spelling: Callable[[Option], str]) -> str:
    """A message with the options that it names, as ``str`` spells them, spelled by a function."""
    for option in options:
        message = message.replace(str(option), spelling(option))
    return message


def _restored(kind: type[MotionError], args: tuple[Any, ...], fields: dict[str, Any]) -> MotionError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class FormatError(MotionError):
    """A file that does not follow its format.

    The message starts with file and line, as a compiler's does; with the file alone where no line is at fault.

    Parameters
    ----------
    path
        The file at fault.
    line
        Its line, counted from 1; 0 where there is none to name, as with an empty or missing file.
    reason
        What was expected and what was found; cut where it grows long, since names in a broken file may have any
        length.
    option
        The arguments that the reason names.

    Examples
    --------
    >>> print(FormatError("walk.bvh", 2, "expected ROOT, found 'RUUT'"))
    walk.bvh:2: expected ROOT, found 'RUUT'
    """

    def __init__(
        self, path: str | PathLike[str], line: int, reason: str, *, option: Option | tuple[Option, ...] = ()
    ) -> None:
        self.path = fspath(path)
        self.line = line
        reason = printable(reason[: _LONGEST_REASON + 1])  # escapes are longer than what they stand for
        self.reason = reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]} …"
        file = self.path if len(self.path) <= _LONGEST_PATH else f"{self.path[:_LONGEST_PATH]} …"
        place = f"{file}:{line}" if line else file
        super().__init__(option=option)
        self.args = (printable(f"{place}: {self.reason}"),)


class SkeletonError(MotionError):
    """Joints that make no tree, or a joint that the skeleton does not have.

    Examples
    --------
    >>> from mocapella import Skeleton
    >>> Skeleton.of(["hips"], [-1], [(0, 0, 0)]).index("tail")
    Traceback (most recent call last):
    mocapella.errors.SkeletonError: no joint 'tail'; the joints are hips
    """


class ArgumentError(MotionError, TypeError):
    """An argument of the wrong kind: a number where a path belongs."""


class NetworkError(MotionError):
    """Nodes, triangles or points that make no network, or a blend that a network cannot give."""


class MotionWarning(UserWarning):
    """A motion is usable but doubtful; the clip's report says the same with frames and codes.

    ``option`` holds the arguments that the message names, as errors have them.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", MotionWarning)
    ...     warn("walk.bvh: the root is lost in frames 8–9")
    >>> print(caught[0].message)
    walk.bvh: the root is lost in frames 8–9
    """

    option: tuple[Option, ...] = ()


def warn(text: str, option: tuple[Option, ...] = ()) -> None:
    """Warn of a doubtful motion; the warning points at the line outside the package that led to it."""
    warning = MotionWarning(_shortened(text))
    warning.option = option
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "mocapella":
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
