"""Edits on the command line: an option for each, in the order in which they are given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from mocapella.cli.options.csv_tables import read_path
from mocapella.editing.edit_files import load_edits
from mocapella.editing.edits import Edit
from mocapella.editing.parameters import Parameter, Source
from mocapella.editing.registry import EDITS
from mocapella.errors import MotionError

_TRUE, _FALSE = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
_ANY = ("filter", "edit", "edits")  # options that name the edit in their value
_ORDER = "mocapella.edits"  # where the order is kept


class EditCommand(click.Command):
    """A command whose edit options count in the order in which they stand on the command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words, and keep the edit options among them in order."""
        values, _, order = self.make_parser(ctx).parse_args(list(args))
        left = {name: list(given) for name, given in values.items() if isinstance(given, list)}
        known = {*_ANY, *EDITS}
        ctx.meta[_ORDER] = [
            (one.name, left[one.name].pop(0)) for one in order if one.name in known and left.get(one.name)
        ]
        return super().parse_args(ctx, args)


def edit_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for every edit that has one of its own, and ``--filter``, ``--edit`` and ``--edits``.

    ``run`` is the command; it takes the values as ``**options`` and reads them with ``given_edits``.
    """
    options = [
        click.option("--edits", multiple=True, metavar="FILE", help="Apply the edits of a .toml file, in order."),
        click.option("--filter", multiple=True, metavar="NAME:VALUES", help="A filter; see below."),
        click.option("--edit", multiple=True, metavar="NAME:VALUES", help="Any edit; see below."),
    ]
    for name, editor in EDITS.items():
        if editor.group == "edit":
            text = f"{editor.about[0].upper()}{editor.about[1:]}."
            flag = f"--{name.replace('_', '-')}"
            if editor.main:
                options.append(click.option(flag, name, multiple=True, metavar=editor.main.upper(), help=text))
            else:
                options.append(click.option(flag, name, is_flag=True, flag_value="", multiple=True, help=text))
    for option in reversed(options):
        run = option(run)
    return run


def given_edits(context: click.Context) -> list[Edit]:
    """The edits of the command line, in order, with those of files in their places."""
    out: list[Edit] = []
    for option, text in context.meta.get(_ORDER, ()):
        if option == "edits":
            out.extend(load_edits(text))
        elif option in ("filter", "edit"):
            name, _, values = text.partition(":")
            plain = name.strip().replace("-", "_")
            if option == "filter" and plain in EDITS and EDITS[plain].group != "filter":
                raise MotionError(
                    f"{plain} is not a filter", helps=f"--{name.strip()} or --edit {name.strip()}:… applies it"
                )
            out.append(read_edit(plain, values))
        else:
            out.append(read_edit(option, text))
    return out


def motions_named(edits: Iterable[Edit]) -> list[Path]:
    """The files of second motions that edits name."""
    values = (value for one in edits for value in one.parameters.values())
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

    ``main`` is the one that a value without a name stands for; empty where none does. Raises ``MotionError`` where a
    parameter is not known, or a value cannot be read.
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


def listed_edits() -> str:
    """All edits with their parameters, for help."""
    lines = []
    for name, editor in EDITS.items():
        lines.append(f"{name}: {editor.about}")
        for key, one in editor.parameters.items():
            default = "" if one.default is None else f" [{one.default}{one.unit and ' ' + one.unit}]"
            lines.append(f"    {key}: {one.about}{default}")
    return "\n".join(lines)


def _value(parameter: Parameter, text: str, key: str) -> Any:
    """The value of a text; checked when the edit is made."""
    if parameter.kind in ("number", "whole"):
        return _number(text)
    if parameter.kind == "flag":
        word = text.lower()
        if word not in (*_TRUE, *_FALSE):
            raise MotionError(expected=f"yes or no for {key}", got=repr(text[:40]))
        return word in _TRUE
    if parameter.kind in ("words", "numbers") and text:
        cells = [cell.strip() for cell in text.split(",")]
        return cells if parameter.kind == "words" else [_number(cell) for cell in cells]
    if parameter.kind == "points":
        rows = text.split("/")  # one move is written out, a path stands in a file
        if all(_number(cell) != cell for row in rows for cell in row.split(",")):
            return [[float(cell) for cell in row.split(",")] for row in rows]
        return [row[:2] for row in read_path(Path(text))]
    if parameter.kind == "table":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise MotionError(
                expected=f'{key} as {{"name": [[frame, value], …]}}',
                got=repr(text[:40]),
                helps="or write an edits file",
            ) from None
    return text


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # refused, with what the parameter is for
