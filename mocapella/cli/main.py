"""The entry point and its commands."""

from __future__ import annotations

import click

from mocapella import __version__
from mocapella.cli.analysis import cycles, period, plants
from mocapella.cli.convert import convert
from mocapella.cli.demo import demo
from mocapella.cli.info import info
from mocapella.cli.render import render


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="mocapella")
def main() -> None:
    """Motion capture in harmony: a few short clips become a character one can steer."""


for _command in (info, convert, render, period, plants, cycles, demo):
    main.add_command(_command)
