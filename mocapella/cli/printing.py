"""Output of commands: one JSON object or text on standard output, one line on standard error for an error."""

from __future__ import annotations

import functools
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

import click
import msgspec
from rich.console import Console, RenderableType
from rich.progress import Progress, ProgressColumn, Task
from rich.table import Table
from rich.text import Text

from mocapella.errors import MotionError, MotionWarning, Option, printable, respelled

T = TypeVar("T")
Json = dict[str, Any]

_plain = functools.partial(Console, highlight=False, markup=False, emoji=False)  # names may look like either
out, err = _plain(), _plain(stderr=True)
if not out.is_terminal:
    out = _plain(width=240)  # a file or a pipe has no edge to wrap at


def command(run: Callable[..., Json]) -> Callable[..., None]:
    """Decorate a function that returns a command's answer: adds ``--json``, prints the answer and errors.

    With ``--json`` the answer is printed as one object and ``say`` is silent. Warnings go to standard error while the
    function runs. A ``MotionError`` becomes one line ``error: …`` and exit status 1; so does each entry of ``errors``
    in the answer. Apply ``click.command`` and options above this decorator.
    """

    @functools.wraps(run)
    def answered(as_json: bool, **values: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always", MotionWarning)
            warnings.showwarning = _show_warning
            try:
                answer = run(**values)
                encoded = msgspec.json.encode(answer) if as_json else b""
            except MotionError as error:
                answer, as_json = {"errors": [{"message": error.spelled(as_option)}]}, False
            except UnicodeEncodeError as error:  # a file's name may hold any bytes; JSON and SQLite take text alone
                message = f"{error.object!r} holds bytes that are not UTF-8; rename the file"
                answer, as_json = {"errors": [{"message": message}]}, False
        if as_json:
            click.echo(msgspec.json.format(encoded, indent=1).decode())
        for fault in answer.get("errors", ()):
            click.echo("error: " + printable(" ".join(fault["message"].split())), err=True)
        if answer.get("errors"):
            sys.exit(1)

    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(answered)


def as_option(option: Option) -> str:
    """An argument named in an error as an option of the running command (``--frames 3 40``), or as Python writes it."""
    context = click.get_current_context(silent=True)
    for parameter in context.command.params if context else []:
        if parameter.name == option.name and isinstance(parameter, click.Option):
            value = option.value
            if parameter.name == "turn" and isinstance(value, float):
                value = f"{math.degrees(value):.6g}"
            if isinstance(value, bool):
                return (parameter.opts if value else parameter.secondary_opts or [str(option)])[0]
            words = value if isinstance(value, tuple) else ("FILE.toml" if isinstance(value, Mapping) else value,)
            return " ".join([parameter.opts[0], *map(str, words)])
    return str(option)


def say(*words: RenderableType) -> None:
    """Print text and tables on standard output, each on lines of its own; nothing with ``--json``."""
    if not quiet():
        for word in words:
            out.print(printable(word) if isinstance(word, str) else word)


def doubt(message: str) -> None:
    """Print a warning on standard error."""
    click.echo(f"doubtful: {printable(message)}", err=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None) -> Table:
    """Rows of text below headings, for ``say``; columns whose heading starts with ``>`` are aligned right.

    Without headings only the rows are printed, as for names and values.
    """
    printed = Table(title=title, title_justify="left", box=None, show_header=bool(headings), header_style="bold",
                    padding=(0, 2, 0, 0))  # fmt: skip
    for heading in headings:
        right = heading.startswith(">")
        printed.add_column(heading.removeprefix(">"), justify="right" if right else "left", no_wrap=right)
    for row in rows:
        printed.add_row(*(Text(printable(cell)) for cell in row))
    return printed


def bars() -> Progress:
    """Progress bars on standard error, hidden with ``--json`` and where standard error is no terminal."""
    _, *columns = Progress.get_default_columns()
    return Progress(_Description(), *columns, console=err, transient=True, disable=quiet() or not err.is_terminal)


class _Description(ProgressColumn):
    """What is being done, and the name of what it is done to, as it is."""

    def render(self, task: Task) -> Text:
        """The description of a task."""
        return Text(printable(task.description), style="progress.description")


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    """One of these bars; yields a function that advances it by one and shows the name it is called with.

    ``total`` is None where steps cannot be counted: the bar then pulses.
    """
    with bars() as bar:
        task = bar.add_task(what, total=total)
        yield lambda name="": bar.update(task, advance=1, description=f"{what} {name}".strip())


@contextmanager
def shares(what: str) -> Iterator[Callable[[float], None]]:
    """A bar for work whose steps are not known before; yields a function that takes the share done, 0 to 1."""
    with bars() as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def tracked(what: str, items: Sequence[T]) -> Iterator[T]:
    """The items one by one, with ``progress``."""
    with progress(what, len(items)) as tick:
        for item in items:
            yield item
            tick()


def quiet() -> bool:
    """Whether ``--json`` was given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("as_json"))


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int,
                  file: TextIO | None = None, line: str | None = None) -> None:  # fmt: skip
    """Our own warnings in one line each; others as Python shows them."""
    if isinstance(message, MotionWarning):
        doubt(respelled(str(message), message.option, as_option))
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True)
