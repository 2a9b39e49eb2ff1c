"""``mocapella studio``: the page in which captures become a character that can be steered."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mocapella.cli.options import FILE, Command
from mocapella.errors import MotionError


@click.command(cls=Command, example="mocapella studio captures/")
@click.argument("path", type=FILE, required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=8080, help="Port of the server; 0 uses a free one.")
@click.option("--host", default="",
              help="Listen on this address, not only on this machine; requests need the printed token.")  # fmt: skip
@click.option("--library", type=FILE, envvar="MOCAPELLA_LIBRARY", metavar="DIR",
              help="A library of captures; also $MOCAPELLA_LIBRARY.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
def studio(path: Path | None, port: int, host: str, library: Path | None, no_browser: bool) -> None:
    """Open the studio: drop captures and steer, in the browser.

    PATH is a folder of captures, a network (.moca), a capture, or a project of the studio; without it the studio starts
    with captures of the embedded actor. The first line printed is the address. The server only accepts connections from
    this machine, unless --host is given.
    """
    try:
        from mocapella.studio.server import serve
    except ImportError as error:
        click.echo(f"error: the studio needs extra packages ({error.name}): pip install 'mocapella[studio]'", err=True)
        sys.exit(1)
    try:
        serve(path, port=port, host=host, library=library, browser=not no_browser, say=lambda line: click.echo(line))
    except MotionError as error:
        click.echo("error: " + " ".join(str(error).split()), err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        pass
