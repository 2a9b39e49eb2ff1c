"""Edits on the command line: by ``--edit NAME:VALUES`` or an option of their own, in the order they are given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from mocapella.cli.options import Command, lists_all
from mocapella.cli.options.csv_tables import read_number, read_path
from mocapella.editing.edit_files import load_edits
from mocapella.editing.edits import Edit
from mocapella.editing.parameters import Parameter, Source
from mocapella.editing.registry import EDITS
from mocapella.errors import MotionError

_TRUE, _FALSE = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
_EVERYDAY = (
    "lock_feet", "path", "turn", "cut", "mirror", "resample", "retarget", "restyle", "incline", "join",
)  # fmt: skip
_NAMING = ("edits", "filter", "edit")  # options that name the edit in their value
_ORDER = "mocapella.edits"  # in a context's meta: edit options as they were given


class EditCommand(Command):
    """A command whose edit options count in the order in which they stand on the command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words, and keep the edit options among them in order."""
        values, _, order = self.make_parser(ctx).parse_args(list(args))
        left = {name: list(given) for name, given in values.items() if isinstance(given, list)}
        names = {*_NAMING, *EDITS}
        ctx.meta[_ORDER] = [
            (option.name, left[option.name].pop(0))
            for option in order
            if option.name in names and left.get(option.name)
        ]
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """With ``--help`` the edits that have no option of their own, with ``--help-all`` all with their parameters."""
        if not lists_all(ctx):
            with formatter.section("More edits, as --edit NAME:VALUES; --help-all lists their parameters"):
                formatter.write_dl([(name, editor.about) for name, editor in EDITS.items() if name not in _EVERYDAY])
            return
        with formatter.section("Edits and their parameters; a value without a name is that of the first"):
            for name, editor in EDITS.items():
                formatter.write_text(f"{name}: {editor.about}")
                if editor.parameters:
                    with formatter.indentation():
                        formatter.write_dl([(key, _help_of(value)) for key, value in editor.parameters.items()])


def edit_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--edit``, ``--filter`` and ``--edits``, and an option for every edit that is not a filter.

    Options of edits that are not among the ten most used are accepted, but not listed. The command takes the values as
    ``**options`` and reads them with ``given_edits``.
    """
    options = [
        click.option("--edit", multiple=True, metavar="NAME:VALUES",
                     help="Any edit: those that have options here, and those below."),
        click.option("--filter", multiple=True, metavar="NAME:VALUES", help="The same, for filters alone."),
        click.option("--edits", multiple=True, metavar="FILE", help="Apply the edits of a .toml file, in order."),
    ]  # fmt: skip
    names = [name for name, editor in EDITS.items() if editor.group == "edit" and name not in _EVERYDAY]
    for name in (*_EVERYDAY, *names):
        editor = EDITS[name]
        value: dict[str, Any] = {"metavar": editor.main.upper()} if editor.main else {"is_flag": True, "flag_value": ""}
        about, flag = f"{editor.about[0].upper()}{editor.about[1:]}.", f"--{name.replace('_', '-')}"
        options.append(click.option(flag, name, multiple=True, hidden=name not in _EVERYDAY, help=about, **value))
    for option in reversed(options):
        run = option(run)
    return run


def given_edits(context: click.Context) -> list[Edit]:
    """The edits of the command line, in order, with those of files in their places."""
    edits: list[Edit] = []
    for option, text in context.meta.get(_ORDER, ()):
        if option == "edits":
            edits.extend(load_edits(text))
        elif option in _NAMING:
            name, _, values = text.partition(":")
            plain = name.strip().replace("-", "_")
            if option == "filter" and plain in EDITS and EDITS[plain].group != "filter":
                raise MotionError(
                    f"{plain} is not a filter", helps=f"--{name.strip()} or --edit {name.strip()}:… applies it"
                )
            edits.append(read_edit(plain, values))
        else:
            edits.append(read_edit(option, text))
    return edits


def motions_named(edits: Iterable[Edit]) -> list[Path]:
    """The files of second motions that edits name."""
    values = (value for edit in edits for value in edit.parameters.values())
    return [Path(value.path) for value in values if isinstance(value, Source) and value.path]


def read_edit(name: str, text: str) -> Edit:
    """An edit from its values as text: ``0.5,part=lower``.

    A value without a name stands for the edit's main parameter; lists are separated by commas.

    Raises ``MotionError`` where the edit or a parameter is not known, or a value cannot be read.
    """
    editor = EDITS.get(name)
    if editor is None or not text.strip():
        return Edit(name)
    return Edit(name, **read_values(f"the edit {name}", editor.parameters, editor.main, text))


def read_values(what: str, parameters: Mapping[str, Parameter], main: str, text: str) -> dict[str, Any]:
    """Values of parameters from their text: ``0.5,part=lower``.

    A value without a name is that of the parameter ``main``. Raises ``MotionError`` where a parameter is not known, or
    a value cannot be read.
    """
    given: dict[str, Any] = {}
    for part in re.split(rf",(?=(?:{'|'.join(map(re.escape, parameters)) or '$'})\s*=)", text):
        key, mark, value = part.partition("=")
        key = key.strip()
        if not mark or not key.isidentifier():
            if not main:
                raise MotionError(expected=f"NAME=VALUE for {what.split()[-1]}", got=repr(part[:40]))
            key, value = main, part
        if key not in parameters:
            raise MotionError(f"{what} has no parameter {key[:40]!r}", helps=f"there are {', '.join(parameters)}")
        given[key] = _value(parameters[key], value.strip(), key)
    return given


def _help_of(parameter: Parameter) -> str:
    """What a parameter is for, and its default where there is one to name."""
    value = parameter.default
    if value is None or value in ((), {}, ""):
        return parameter.about
    if isinstance(value, bool):
        value = "yes" if value else "no"
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
    return f"{parameter.about}  [{shown}{parameter.unit and ' ' + parameter.unit}]"


def _value(parameter: Parameter, text: str, key: str) -> Any:
    """The value of a text; checked when the edit is made."""
    read = _READERS.get(parameter.kind)
    return text if read is None else read(text, key)


def _flag(text: str, key: str) -> bool:
    word = text.lower()
    if word not in (*_TRUE, *_FALSE):
        raise MotionError(expected=f"yes or no for {key}", got=repr(text[:40]))
    return word in _TRUE


def _words(text: str, key: str) -> list[str] | str:
    return [cell.strip() for cell in text.split(",")] if text else text


def _numbers(text: str, key: str) -> list[float | str] | str:
    return [_number(cell.strip(), key) for cell in text.split(",")] if text else text


def _points(text: str, key: str) -> list[Any]:
    rows = [row.split(",") for row in text.split("/")]  # a few rows are written out, a path stands in a file
    try:
        return [[float(cell) for cell in row] for row in rows]
    except ValueError:
        return [row[:2] for row in read_path(Path(text))]


def _table(text: str, key: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        expected = f'{key} as {{"name": [[frame, value], …]}}'
        raise MotionError(expected=expected, got=repr(text[:40]), helps="or write an edits file") from None


def _number(text: str, key: str) -> float | str:
    number = read_number(text)
    return text if number is None else number  # a text is refused, with what the parameter is for


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "number": _number, "whole": _number, "flag": _flag, "words": _words, "numbers": _numbers, "points": _points,
    "table": _table,
}  # fmt: skip
