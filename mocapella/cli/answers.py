"""How every command answers: words, tables, JSON."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, ParamSpec, TextIO, TypeVar

import click
import msgspec
from rich.console import Console

from mocapella.errors import MotionError, MotionWarning, Option

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
                fail(error.spelled(as_option))

    return answered


def as_option(option: Option) -> str:
    """An argument that an error names, as the running command has it; as Python has it where the command has none.

    Parameters
    ----------
    option
        The argument.

    Returns
    -------
    str
        What to write on the command line, such as ``--frames 3 40``.
    """
    context = click.get_current_context(silent=True)
    for known in context.command.params if context else []:
        if known.name == option.name and isinstance(known, click.Option):
            value = option.value
            if isinstance(value, bool):
                return (known.opts if value else known.secondary_opts or [str(option)])[0]
            words = value if isinstance(value, tuple) else ("FILE.toml" if isinstance(value, Mapping) else value,)
            return " ".join([known.opts[0], *map(str, words)])
    return str(option)


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
