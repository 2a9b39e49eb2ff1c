"""``mocapella reproduce``: published tables made again, ours beside theirs."""

from __future__ import annotations

from pathlib import Path

import click

from mocapella.cli.answers import Json, command, err, say
from mocapella.cli.commands.measure import grid_size
from mocapella.cli.options import FILE
from mocapella.cli.options.outputs import output_option
from mocapella.measure.maps import COLUMNS, ROWS
from mocapella.studies.single_source import print_single_source, single_source
from mocapella.studies.tables import QUICK_TABLES, Printed, Sources

_NAMES = (*QUICK_TABLES, "single-source")


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(_NAMES))
@click.option("--captures", metavar="FOLDER", type=FILE, envvar="MOCAPELLA_DATA",
              help="The folder of CMU's captures; $MOCAPELLA_DATA if left out, else the actor performs.")  # fmt: skip
@click.option("--grid", metavar="COLSxROWS", default=f"{COLUMNS}x{ROWS}", callback=grid_size,
              help="Points at which distortion is measured.")  # fmt: skip
@output_option(metavar="FOLDER", help="Draw pictures into this folder.")
@command
def reproduce(names: tuple[str, ...], captures: Path | None, grid: tuple[int, int], output: Path | None) -> Json:
    """Reproduce published tables, ours beside theirs.

    NAME is blending, harmonics, sync, arm or single-source; all of them if left out. single-source is the experiment on
    upper harmonics: tables 7.1 to 7.5 of the thesis, and its rules beside the default one, judged by the distortion
    of foot traces, by liveliness, and by captures that were left out. It uses sixteen walks of CMU subject 16 where
    they are found, and takes a minute. arm is a robot arm that tracks places and orientations.
    """
    sources = Sources(captures, lambda words: err.print(f"{words} …") if err.is_terminal else None)
    if not sources.real:
        where = "no folder of captures was named" if captures is None else f"{captures} lacks walks of CMU subject 16"
        err.print(f"{where}; the embedded actor performs instead")
    found: Json = {}
    printed: Printed
    for name in dict.fromkeys(names or _NAMES):
        if name == "single-source":
            found[name], printed = single_source(sources, grid, output), print_single_source
        else:
            make, printed = QUICK_TABLES[name]
            found[name] = make(sources)
        for part in printed(found[name]):
            say(part, "")
    return found
