"""The entry point, and the table of commands."""

from __future__ import annotations

import ast
import difflib
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from mocapella import __version__
from mocapella.cli.options import Group


class _Task(NamedTuple):
    """What a user wants to do: commands for it, and an example that runs."""

    title: str
    example: str
    commands: Mapping[str, str]  # by name: the module of ``mocapella.cli.commands`` that has a function of this name


_TASKS = (
    _Task("Read motion files", "mocapella info walk.bvh",
          {"info": "info", "convert": "convert", "render": "render", "plants": "plants", "cycles": "cycles",
           "period": "cycles", "spectrum": "editing.forms", "curves": "editing.forms", "key-poses": "editing.forms"}),
    _Task("Make characters", "mocapella build captures/ -o walk.moca",
          {"build": "build", "graph": "graph", "between": "between"}),
    _Task("Play and steer", "mocapella play walk.moca -o walking.bvh --point 0 1.2 --seconds 3",
          {"play": "play", "crowd": "crowd", "studio": "studio"}),
    _Task("Edit motions", "mocapella edit walk.bvh -o edited.bvh --lock-feet",
          {"edit": "editing.edit", "restyle": "editing.restyle", "retarget": "editing.retarget",
           "feeling": "editing.feeling", "script": "editing.script"}),
    _Task("Keep a library", "mocapella library add captures/ --library shelf",
          {"library": "library.library"}),
    _Task("Export to other programs", "mocapella export walk.moca --for godot -o game",
          {"export": "export", "page": "page"}),
    _Task("Measure", "mocapella measure walk.moca",
          {"measure": "measuring.measure", "mechanics": "measuring.mechanics", "reduce": "reduce"}),
    _Task("Develop and compare", "mocapella bench files --quick",
          {"demo": "demo", "bench": "measuring.bench", "reproduce": "measuring.reproduce"}),
)  # fmt: skip
# Modules are imported when their command is called, so that each starts as fast as what it needs.
_MODULES = {name: module for task in _TASKS for name, module in task.commands.items()}


class _Commands(Group):
    """A group that imports a command when it is called, and reports output that cannot be written in one line."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; standard output that cannot be written to, as on a full disk, is an error like others."""
        try:
            try:
                return super().main(*args, **options)
            finally:
                sys.stdout.flush()
        except OSError as error:
            with suppress(OSError):
                click.echo(f"error: cannot write the answer: {error.strerror or error}", err=True)
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - Python writes what is left when it ends
            sys.exit(1)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = difflib.get_close_matches(args[0], _MODULES, n=1)
        if args[0] not in _MODULES and near and not args[0].startswith("-"):
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{near[0]}'?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        command = getattr(import_module(f"mocapella.cli.commands.{_MODULES[cmd_name]}"), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by task, with their first sentences, read from their sources: importing all takes long."""
        width = max(map(len, _MODULES))
        limit = formatter.width - 6 - width
        for task in _TASKS:
            with formatter.section(task.title):
                formatter.write_dl([(f"{name:{width}}", self._summary(ctx, name, limit)) for name in task.commands])
                formatter.write(f"  Example: {task.example}\n")

    def _summary(self, ctx: click.Context, name: str, limit: int) -> str:
        source = Path(__file__).parent / "commands" / f"{_MODULES[name].replace('.', '/')}.py"
        try:
            tree = ast.parse(source.read_bytes())
        except OSError:  # a package without its sources
            tree = ast.Module([], [])
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name.replace("-", "_"):
                return click.Command(name, help=ast.get_docstring(node)).get_short_help_str(limit)
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(limit)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(__version__, prog_name="mocapella")
def main() -> None:
    """Turn short motion captures into a character that can be steered."""
