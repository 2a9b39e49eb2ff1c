"""``mocapella bench``: time and memory of the library's parts, beside published figures and installed peers."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from rich.table import Table

from mocapella.cli.options import Command
from mocapella.cli.printing import Json, command, err, say, table
from mocapella.studies.benches import NAMES, available, measured
from mocapella.studies.benches.measuring import Row
from mocapella.studies.benches.peers import missing


@click.command(cls=Command, example="mocapella bench files player --json")
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(NAMES))
@click.option("--quick", is_flag=True, help="Run small problems only, to check that everything works.")
@command
def bench(names: tuple[str, ...], quick: bool) -> Json:
    """Measure how fast the library is.

    NAME is files, kinematics, analysis, synthesis, player, crowd or actor; all of them if left out. Published figures
    are printed beside ours; they were measured on other machines. Other libraries that are installed are measured
    alternately with ours. Only motions of the embedded actor are used. Everything takes some minutes.
    kinematics, synthesis and actor are in a source checkout, not in the installed package; there crowd is also
    measured beside ozz-animation and three.js.
    """
    absent = missing()
    if absent:
        err.print(f"not installed, so left out: {', '.join(absent)}")
    rows: list[Json] = []
    say(", ".join(f"{value}" for value in machine().values()))
    for name in dict.fromkeys(names or available()):
        err.print(f"measuring {name} …")
        results = measured(name, quick=quick)
        rows += [{"bench": name, **row.to_dict()} for row in results]
        say(table_of(name, results))
    return {"machine": machine(), "quick": quick, "missing_peers": absent, "rows": rows}


def machine() -> dict[str, Any]:
    """Processor, cores and versions that the figures depend on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": f"{os.cpu_count()} cores",
        "python": f"Python {platform.python_version()}",
        "numpy": f"numpy {np.__version__}",
    }


def table_of(title: str, rows: Sequence[Row]) -> Table:
    """The rows of a bench as a table, without columns that are empty."""
    columns = {
        "": [row.name for row in rows],
        ">ours": [_figure(row.value) for row in rows],
        "unit": [row.unit for row in rows],
        ">published": [_figure(row.published) for row in rows],
        ">mark": [_figure(row.mark) for row in rows],
        "peers": [_beside(row) for row in rows],
    }
    filled = {head: cells for head, cells in columns.items() if any(cells)}
    return table(list(filled), zip(*filled.values(), strict=True), title=f"\n{title}")


def _beside(row: Row) -> str:
    """The figures of peers, fastest first, and the row's note."""
    peers = [f"{name} {_figure(row.peers[name])}" for name in sorted(row.peers, key=row.peers.__getitem__)]
    return "; ".join(text for text in (", ".join(peers), row.note) if text)


def _figure(value: float | int | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 1000.0 else f"{value:.4g}"
