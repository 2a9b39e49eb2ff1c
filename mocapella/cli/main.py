"""The entry point and its commands."""

from __future__ import annotations

from importlib import import_module

import click

from mocapella import __version__

# Commands are imported when they are asked for: each answers at once, whatever the others need.
_COMMANDS = {
    "info": "mocapella.cli.info",
    "convert": "mocapella.cli.convert",
    "render": "mocapella.cli.render",
    "period": "mocapella.cli.analysis",
    "plants": "mocapella.cli.plants",
    "cycles": "mocapella.cli.analysis",
    "restyle": "mocapella.cli.restyle",
    "build": "mocapella.cli.build",
    "play": "mocapella.cli.play",
    "measure": "mocapella.cli.measure",
    "demo": "mocapella.cli.demo",
    "bench": "mocapella.cli.bench",
    "reproduce": "mocapella.cli.reproduce",
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
