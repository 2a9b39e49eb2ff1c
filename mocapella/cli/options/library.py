"""The option that names a library's folder."""

from __future__ import annotations

from pathlib import Path

import click

from mocapella.cli.options import FILE

library_folder = click.option(
    "--library", "folder", type=FILE, default=Path("mocapella-library"), envvar="MOCAPELLA_LIBRARY", metavar="DIR",
    help="The folder of the library; also $MOCAPELLA_LIBRARY.",
)  # fmt: skip
