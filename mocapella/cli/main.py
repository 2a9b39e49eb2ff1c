"""The entry point, and the table of commands."""

from __future__ import annotations

import ast
import difflib
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from mocapella import __version__

# A command is a function in the module of ``mocapella.cli.commands`` that stands beside its name. Modules are imported
# when their command is called, so that each starts as fast as what it needs.
_COMMANDS = {
    "info": "info",
    "convert": "convert",
    "render": "render",
    "period": "cycles",
    "spectrum": "editing.forms",
    "curves": "editing.forms",
    "key-poses": "editing.forms",
    "plants": "plants",
    "cycles": "cycles",
    "edit": "editing.edit",
    "restyle": "editing.restyle",
    "retarget": "editing.retarget",
    "feeling": "editing.feeling",
    "script": "editing.script",
    "build": "build",
    "play": "play",
    "crowd": "crowd",
    "export": "export",
    "library": "library.library",
    "graph": "graph",
    "between": "between",
    "reduce": "reduce",
    "measure": "measuring.measure",
    "mechanics": "measuring.mechanics",
    "page": "page",
    "demo": "demo",
    "studio": "studio",
    "bench": "measuring.bench",
    "reproduce": "measuring.reproduce",
}


class _Commands(click.Group):
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
        return list(_COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
        if args[0] not in _COMMANDS and near and not args[0].startswith("-"):
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{near[0]}'?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        found = getattr(import_module(f"mocapella.cli.commands.{_COMMANDS[cmd_name]}"), cmd_name.replace("-", "_"))
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their first sentences, read from their sources: importing all takes a second."""
        limit = formatter.width - 6 - max(map(len, _COMMANDS))
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._summary(ctx, name, limit)) for name in _COMMANDS])

    def _summary(self, ctx: click.Context, name: str, limit: int) -> str:
        source = Path(__file__).parent / "commands" / f"{_COMMANDS[name].replace('.', '/')}.py"
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
