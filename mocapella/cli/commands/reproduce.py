"""``mocapella reproduce``: published tables made again, ours beside theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.cli.commands.measure import grid_size
from mocapella.measure.maps import COLUMNS, ROWS
from mocapella.studies import tables
from mocapella.studies.tables import Sources

# By name: how a table prints what was found.
_TABLES: dict[str, Callable[[dict[str, Any]], list[Table | str]]] = {
    "blending": tables.blending_tables,
    "harmonics": tables.harmonics_tables,
    "sync": tables.sync_tables,
    "single-source": tables.tables_of,
}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(_TABLES)))
@click.option("--captures", metavar="FOLDER", type=click.Path(path_type=Path), envvar="MOCAPELLA_DATA",
              help="Where CMU's captures lie; $MOCAPELLA_DATA if left out, else the actor's.")  # fmt: skip
@click.option("--grid", metavar="COLSxROWS", default=f"{COLUMNS}x{ROWS}", show_default=True, callback=grid_size,
              help="Points at which distortion is measured.")  # fmt: skip
@click.option("-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path), help="Draw pictures, too.")
@as_json
@command
def reproduce(
    names: tuple[str, ...], captures: Path | None, grid: tuple[int, int], output: Path | None, as_json: bool
) -> None:
    """Make published tables again, ours beside theirs: blending, harmonics, sync, single-source; all if none is named.

    single-source is the experiment on upper harmonics: tables 7.1 to 7.5 of the thesis, and every way of blending that
    was tried, judged by the distortion of foot traces, by liveliness, and by captures that were left out. It takes
    sixteen walks of CMU subject 16 where they are found, and a minute.
    """
    quiet = as_json or not err.is_terminal
    sources = Sources(captures, lambda words: None if quiet else err.print(f"{words} …"))
    if not sources.real:
        where = "no folder of captures was named" if captures is None else f"{captures} lacks walks of CMU subject 16"
        err.print(f"{where}; the embedded actor performs instead")
    found: dict[str, Any] = {}
    for name in dict.fromkeys(names or _TABLES):
        if name == "single-source":
            found[name] = tables.single_source(sources, grid, output)
        else:
            found[name] = getattr(tables, name)(sources)
        if not as_json:
            for part in _TABLES[name](found[name]):
                out.print(part)
                out.print()
    if as_json:
        print_json(found)
