"""``mocapella reproduce``: published tables made again, ours beside theirs."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from mocapella.cli.commands.measuring.measure import grid_size
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.outputs import output_option
from mocapella.cli.printing import Json, bars, command, err, say
from mocapella.errors import MotionError
from mocapella.measure.distortion_maps import COLUMNS, ROWS
from mocapella.studies.paper_tables import NAMES, Sources, available, table_named
from mocapella.studies.table_page import write_report

_FOLDER = Path("reproduced")


@click.command(cls=Command, example="mocapella reproduce --captures cmu/")
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(NAMES))
@click.option("--captures", metavar="FOLDER", type=FILE, envvar="MOCAPELLA_DATA",
              help="Folder of CMU captures; if left out $MOCAPELLA_DATA, else captures of the actor.")  # fmt: skip
@expert_option("--grid", metavar="COLSxROWS", default=f"{COLUMNS}x{ROWS}", callback=grid_size,
              help="Points at which distortion is measured.")  # fmt: skip
@output_option(metavar="FOLDER", help="Write a report with pictures into this folder; reproduced without a NAME.")
@command
def reproduce(names: tuple[str, ...], captures: Path | None, grid: tuple[int, int], output: Path | None) -> Json:
    """Reproduce published tables, ours beside theirs.

    NAME is blending, harmonics, sync, plants, periods, cost, figures, comparison, latency, edited, arm or
    single-source. Without a NAME all of them are made, which takes a few minutes, and a report with pictures,
    report.html, is written.

    plants and periods are tables of the thesis on re-using motion capture; cost is the time of blending and synthesis;
    figures are single numbers that the papers state; comparison is hybrid networks beside graphs of blend spaces;
    latency is how long a transition is waited for; edited is a knock made angry and a duck-under on another path; arm
    is a robot arm that tracks places and orientations. single-source is the experiment on upper harmonics, tables 7.1
    to 7.5 of the thesis: its rules beside the default one, measured by the distortion of foot traces, by liveliness,
    and by captures that were left out. It uses sixteen walks of CMU subject 16 if they are found, and takes a minute.
    The last five are experiments: they are in a source checkout, not in the installed package.
    """
    chosen = {name: table_named(name) for name in names or available()}
    shown = bars()
    task = shown.add_task("", total=len(chosen))
    folder = output if names or output is not None else _FOLDER
    sources = Sources(captures, lambda words: shown.update(task, description=words), grid, folder)
    if not sources.real:
        where = "no folder of captures was named" if captures is None else f"{captures} lacks walks of CMU subject 16"
        err.print(f"{where}; the embedded actor performs instead")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise MotionError(f"cannot write into {folder}: it is a file")
    tables: Json = {}
    parts: dict[str, tuple[Json, list[Table | str]]] = {}
    for name, (make, printed) in chosen.items():
        shown.update(task, description=name)
        with shown:
            tables[name] = make(sources)
        shown.advance(task)
        parts[name] = tables[name], printed(tables[name])
        for part in parts[name][1]:
            say(part, "")
    if folder is not None:
        written = write_report(folder, sources.named, parts)
        say(f"open {written[0]}")
        tables["files"] = written
    return tables
