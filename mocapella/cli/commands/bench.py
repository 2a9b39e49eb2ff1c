"""``mocapella bench``: what things cost here, beside published figures and peers that are installed."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from rich.table import Table

from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.studies.benches import NAMES, measured
from mocapella.studies.benches.measuring import Row
from mocapella.studies.benches.peers import missing


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(NAMES))
@click.option("--quick", is_flag=True, help="Few rounds of small things: shows that all runs, not how fast.")
@as_json
@command
def bench(names: tuple[str, ...], quick: bool, as_json: bool) -> None:
    """Measure what things cost: files, kinematics, analysis, synthesis, player, actor; all if none is named.

    Published figures stand beside ours, though made on other machines, and so do those of other libraries where these
    are installed, measured in turn with ours. The embedded actor's motions are all it needs. All takes some minutes.
    """
    absent = missing()
    if absent:
        err.print(f"not installed, so left out: {', '.join(absent)}")
    rows: list[dict[str, Any]] = []
    if not as_json:
        out.print(", ".join(f"{value}" for value in machine().values()))
    for name in dict.fromkeys(names or NAMES):
        err.print(f"measuring {name} …")
        found = measured(name, quick=quick)
        rows += [{"bench": name, **row.to_dict()} for row in found]
        if not as_json:
            out.print(table_of(name, found))
    if as_json:
        print_json({"machine": machine(), "quick": quick, "missing_peers": absent, "rows": rows})


def machine() -> dict[str, Any]:
    """On what all this is measured."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": f"{os.cpu_count()} cores",
        "python": f"Python {platform.python_version()}",
        "numpy": f"numpy {np.__version__}",
    }


def table_of(title: str, rows: Sequence[Row]) -> Table:
    """Rows for people: figures below each other, what is known beside them."""
    table = Table(title=f"\n{title}", title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    columns = {
        "": [row.name for row in rows],
        "ours": [_figure(row.value) for row in rows],
        "unit": [row.unit for row in rows],
        "published": [_figure(row.published) for row in rows],
        "mark": [_figure(row.mark) for row in rows],
        "peers": [_beside(row) for row in rows],
    }
    filled = {head: cells for head, cells in columns.items() if any(cells)}
    for head in filled:
        table.add_column(head, justify="right" if head in ("ours", "published", "mark") else "left")
    for cells in zip(*filled.values(), strict=True):
        table.add_row(*cells)
    return table


def _beside(row: Row) -> str:
    """What peers take, the fastest first, and what else there is to say."""
    peers = [f"{name} {_figure(row.peers[name])}" for name in sorted(row.peers, key=row.peers.__getitem__)]
    return "; ".join(text for text in (", ".join(peers), row.note) if text)


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.4g}"
