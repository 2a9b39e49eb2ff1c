"""The entry point and its commands."""

from __future__ import annotations

from importlib import import_module

import click

from mocapella import __version__

# Commands are imported when they are asked for: each answers at once, whatever the others need.
_COMMANDS = {
    "info": "mocapella.cli.commands.info",
    "convert": "mocapella.cli.commands.convert",
    "render": "mocapella.cli.commands.render",
    "period": "mocapella.cli.commands.cycles",
    "plants": "mocapella.cli.commands.plants",
    "cycles": "mocapella.cli.commands.cycles",
    "restyle": "mocapella.cli.commands.restyle",
    "build": "mocapella.cli.commands.build",
    "play": "mocapella.cli.commands.play",
    "measure": "mocapella.cli.commands.measure",
    "demo": "mocapella.cli.commands.demo",
    "bench": "mocapella.cli.commands.bench",
    "reproduce": "mocapella.cli.commands.reproduce",
}


class _Commands(click.Group):
    """A group whose commands live in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        found = getattr(import_module(_COMMANDS[cmd_name]), cmd_name)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="mocapella")
def main() -> None:
    """Motion capture in harmony: a few short clips become a character one can steer."""
