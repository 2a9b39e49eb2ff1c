"""How every command answers: words, tables, JSON."""

from __future__ import annotations

import functools
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TextIO, TypeVar

import click
import msgspec
from rich.console import Console

from mocapella.errors import MotionError, MotionWarning

# Messages in the words of the command line: options where the library names its arguments.

_WORDS = (
    (r"load\(path, roles=\{[^}]*\}\)", "--roles FILE.toml"),
    (r"load\(path, clean=True\)", "--clean"),
    (r"clean=True\b", "--clean"),
    (r"partial=True\b", "--partial"),
    (r"turning=True\b", "--turning"),
    (r"turning=False\b", "--straight"),
    (r"\b(within|frames)=\((\w+), (\w+)\)", r"--\1 \2 \3"),
    (r"\b(unit|frame_rate|speed|turn)=", lambda found: f"--{'rate' if found[1] == 'frame_rate' else found[1]} "),
)


def in_options(message: str) -> str:
    """A message with the arguments of our functions written as options.

    >>> in_options("say frames=(first, last), or load(path, clean=True)")
    'say --frames first last, or --clean'
    """
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message


# How every command answers: one JSON object or plain words on standard output, one line for an error.

P = ParamSpec("P")
R = TypeVar("R")

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
out, err = Console(highlight=False), Console(stderr=True, highlight=False)
if not out.is_terminal:
    out = Console(highlight=False, width=240)  # a file or a pipe has no edge to wrap at


def command(run: Callable[P, R]) -> Callable[P, R]:
    """A command whose input may be at fault: ``error: …`` and status 1; doubts go to standard error as they arise."""

    @functools.wraps(run)
    def answered(*args: P.args, **kwargs: P.kwargs) -> R:
        with warnings.catch_warnings():
            warnings.simplefilter("always", MotionWarning)
            warnings.showwarning = _show_warning
            try:
                return run(*args, **kwargs)
            except MotionError as error:
                fail(in_options(str(error)))

    return answered


def fail(reason: str) -> NoReturn:
    """Say what is wrong in one line and leave with status 1."""
    print_error(reason)
    sys.exit(1)


def print_error(reason: str) -> None:
    """One line on standard error."""
    click.echo("error: " + " ".join(reason.split()), err=True)


def print_json(answer: dict[str, Any]) -> None:
    """One object on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(answer), indent=1).decode())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Doubts in one line each; other warnings as Python shows them."""
    if issubclass(category, MotionWarning):
        click.echo(f"doubtful: {message}", err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True)
