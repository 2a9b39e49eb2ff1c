"""``mocapella reproduce``: published tables made again, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.cli.commands.measure import grid_size
from mocapella.measure.maps import COLUMNS, ROWS
from mocapella.studies.single_source import print_single_source, single_source
from mocapella.studies.tables import QUICK_TABLES, Printed, Sources

_NAMES = (*QUICK_TABLES, "single-source")


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(_NAMES))
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

    single-source is the experiment on upper harmonics: tables 7.1 to 7.5 of the thesis, and its rules beside the
    default one, judged by the distortion of foot traces, by liveliness, and by captures that were left out. It takes
    sixteen walks of CMU subject 16 where they are found, and a minute.
    """
    quiet = as_json or not err.is_terminal
    sources = Sources(captures, lambda words: None if quiet else err.print(f"{words} …"))
    if not sources.real:
        where = "no folder of captures was named" if captures is None else f"{captures} lacks walks of CMU subject 16"
        err.print(f"{where}; the embedded actor performs instead")
    found: dict[str, Any] = {}
    printed: Printed
    for name in dict.fromkeys(names or _NAMES):
        if name == "single-source":
            found[name], printed = single_source(sources, grid, output), print_single_source
        else:
            make, printed = QUICK_TABLES[name]
            found[name] = make(sources)
        if not as_json:
            for part in printed(found[name]):
                out.print(part)
                out.print()
    if as_json:
        print_json(found)
