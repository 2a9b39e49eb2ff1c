"""Published figures of cost, made again: time of blending and synthesis, and what else the papers count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from mocapella.analysis.fourier import analyse
from mocapella.measure.coherence import node_errors
from mocapella.studies.benches.measuring import Row
from mocapella.studies.demo import demo_blocks, demo_hybrid
from mocapella.studies.printed import table_of
from mocapella.studies.synthesis_tables import posture_rows, table_rows

if TYPE_CHECKING:
    from mocapella.studies.paper_tables import Sources

_COUNTS = (1, 2, 3, 4, 5, 6, 7, 8, 10)  # harmonics
_ROUGH, _EXACT = 0.5, 0.1  # percent of the body's height, mean error of joints


def costs(sources: Sources) -> dict[str, Any]:
    """Tables 5.1, 5.2, 6.2, 6.3 and 7.5: time a dof, the papers' formulas literally and ours.

    Numbers are random, so no captures are needed. Returns ``rows``: ``table what harmonics value unit published``;
    published figures come from other machines.
    """
    sources.tell("measuring blending and synthesis")
    return {"rows": [_row_of(row) for row in table_rows()]}


def _row_of(row: Row) -> dict[str, Any]:
    """The parts of a row's name, and its figures."""
    found = re.fullmatch(r"table (\d\.\d)( \w+)?, (?:(\d+) harmonics?: )?(.*)", row.name)
    assert found is not None  # our own names
    table, layout, harmonics, what = found.groups()
    count = None if harmonics is None else int(harmonics)
    figures = {"value": row.value, "unit": row.unit, "published": row.published}
    return {"table": table + (layout or ""), "what": what, "harmonics": count, **figures}


def print_costs(found: dict[str, Any]) -> list[Table | str]:
    """One table for each published one, harmonics across."""
    out: list[Table | str] = []
    for name in dict.fromkeys(row["table"] for row in found["rows"]):
        rows = [row for row in found["rows"] if row["table"] == name]
        unit = rows[0]["unit"]
        if rows[0]["harmonics"] is None:
            cells = [(row["what"], f"{row['value']:.3g}", _shown(row["published"]), row["unit"]) for row in rows]
            heads = ("", "ours", "published", "unit")
            out.append(table_of(f"table {name}: 10 harmonics", heads, cells, left=("unit",)))
            continue
        counts = list(dict.fromkeys(row["harmonics"] for row in rows))
        lines: list[tuple[str, ...]] = []
        for what in dict.fromkeys(row["what"] for row in rows):
            own = {row["harmonics"]: row for row in rows if row["what"] == what}
            lines.append((what, *(f"{own[count]['value']:.3g}" for count in counts)))
            lines.append(("  published", *(_shown(own[count]["published"]) for count in counts)))
        out.append(table_of(f"table {name}: {unit}, by harmonics", ("", *map(str, counts)), lines))
    return out


def _shown(value: float | int | None) -> str:
    return "" if value is None else f"{value:g}"


def figures(sources: Sources) -> dict[str, Any]:
    """Single figures that the papers state, beside ours.

    Returns ``rows``: ``what ours published where``, all in words.
    """
    sources.tell("building the hybrid network")
    two, three = demo_hybrid(), demo_hybrid(standing=True)
    gaits = frozenset[str]().union(*(built.sources for built in demo_blocks().values()))
    takes = [len(gaits | {arc.transition.clip.name for arc in hybrid.arcs}) for hybrid in (two, three)]
    cycle = sources.cycle("07_01.amc", "medium walk straight")
    errors = 100.0 * node_errors(cycle, _COUNTS) / np.ptp(cycle.skeleton.rest_positions[:, 1])
    spectrum = analyse(cycle, harmonics=8)
    stored, captured = spectrum.coefficients.nbytes, cycle.dofs.nbytes
    good = [[count for count, error in zip(_COUNTS, errors, strict=True) if error < most] for most in (_ROUGH, _EXACT)]
    rough, exact = (counts[0] if counts else f"more than {_COUNTS[-1]}" for counts in good)
    posture = posture_rows(1)[0]
    rows = [
        ("motions of the hybrid network", f"{takes[0]} captures, {len(two.arcs)} of them transitions",
         "25 inputs, 4 of them transitions", "the thesis on networks, §6.9"),
        (f"motions for {len(three.blocks)} blend spaces", f"{takes[1]} captures: {', '.join(three.blocks)}",
         "275, boxing", "parametric motion graphs, 2007"),
        ("memory of a motion, 8 harmonics",
         f"{stored:,} bytes for {spectrum.coefficients.shape[1]} dofs; its frames take {captured:,}",
         "9 complex numbers a dof", "the thesis on networks"),
        ("one posture, 62 dofs, 8 harmonics", f"{posture.value:.2g} µs",
         "0.92 ms; 38 µs by the compact formula", "Pettré and Laumond, 2006; the thesis"),
        ("harmonics for a rough likeness", f"{rough} for a mean error of joints below {_ROUGH} % of the height",
         "3 (3 to 7 in 1995, at most 8 in 2006)", "the thesis; Unuma et al.; Pettré and Laumond"),
        ("harmonics for an exact one", f"{exact} for {_EXACT} %", "7 to 8; 10 in chapter 7", "the thesis, chapter 7"),
    ]  # fmt: skip
    return {"rows": [dict(zip(("what", "ours", "published", "where"), row, strict=True)) for row in rows]}


def print_figures(found: dict[str, Any]) -> list[Table | str]:
    """The figures for the terminal."""
    heads = ("", "ours", "published", "where")
    rows = [tuple(row[key] for key in ("what", "ours", "published", "where")) for row in found["rows"]]
    return [table_of("other figures", heads, rows, left=heads)]
