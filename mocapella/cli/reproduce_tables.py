"""Published tables that take seconds to make again: blend rules, harmonics, synchronisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from mocapella.analysis.hips import best_offset, difference_table
from mocapella.analysis.synchronise import shifted
from mocapella.blending.rule_names import RULES
from mocapella.cli.reproduce_sources import Sources
from mocapella.measure.node_error import node_errors

COUNTS = (1, 2, 3, 4, 5, 10)
_TABLE_5_3 = (2.22, 0.83, 0.46, 0.38, 0.19, 0.08)  # cm, a walk of a person of 1.673 m
_PHASES = {"unit": 45.0, "streamlined": 5.711, "phasor": 5.711, "naive": 45.0}  # of 10 at 0° and 1 at 90°, degrees
_SUMS_6_1 = (7.20, 58.01)  # lowest and highest of table 6.1
_SIGNALS = 200


def blending(sources: Sources) -> dict[str, Any]:
    """Every rule on 10 at 0° with 1 at 90°, on 10° with 350°, and against averaging random motions in time."""
    half = np.array([0.5, 0.5])
    pair = np.array([[[0.0], [10.0]], [[0.0], [1j]]], dtype=complex)
    near = np.exp(1j * np.radians([[[0.0], [10.0]], [[0.0], [350.0]]]))
    near[:, 0] = 0.0
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(2, 11, _SIGNALS)) + 1j * rng.normal(size=(2, 11, _SIGNALS))
    noise[:, 0] = noise[:, 0].real
    moments = np.exp(2j * np.pi * np.outer(np.arange(64) / 64, np.arange(11))) * np.array([1.0, *10 * [2.0]])
    average = np.real(moments @ noise).mean(axis=0)
    rows = []
    for name, rule in RULES.items():
        mixed, turned = rule(pair, half)[1, 0], rule(near, half)[1, 0]
        apart = np.real(moments @ rule(noise, half)) - average
        rows.append(
            {
                "rule": name,
                "phase_deg": float(np.degrees(np.angle(mixed))),
                "magnitude": float(np.abs(mixed)),
                "published_phase_deg": _PHASES.get(name),
                "ten_and_350_deg": abs(float(np.degrees(np.angle(turned)))),
                "rms_from_time_domain": float(np.sqrt(np.mean(apart**2))),
            }
        )
    return {"rows": rows}


def harmonics(sources: Sources) -> dict[str, Any]:
    """Table 5.3: the mean error of joints by the number of harmonics, of one straight walk."""
    cycle = sources.cycle("07_01.amc", "medium walk straight")
    errors = 100.0 * node_errors(cycle, COUNTS)
    return {
        "motion": cycle.name,
        "rows": [
            {"harmonics": count, "error_cm": float(own), "published_cm": published}
            for count, own, published in zip(COUNTS, errors, _TABLE_5_3, strict=True)
        ],
    }


def sync(sources: Sources) -> dict[str, Any]:
    """Table 6.1's layout: sums of hip differences (radians) of a cycle, rotated, with two that are in step."""
    cycle = sources.cycle("16_58.bvh", "fast walk straight")
    names = [("16_15.bvh", "slow walk straight"), ("16_47.bvh", "medium walk straight")]
    first, second = (sources.cycle(*name) for name in names)
    second = shifted(second, best_offset(difference_table(second, [first])))
    table = difference_table(cycle, [first, second])
    return {
        "motion": cycle.name,
        "frames": cycle.n_frames,
        "references": [first.name, second.name],
        "best_offset": best_offset(table),
        "lowest": table.min(axis=0).tolist(),
        "highest": table.max(axis=0).tolist(),
        "published": {"lowest": _SUMS_6_1[0], "highest": _SUMS_6_1[1], "best_offset": 27, "frames": 102},
        "rows": [[offset, *row] for offset, row in enumerate(table.tolist())],
    }


def blending_tables(found: dict[str, Any]) -> list[Table | str]:
    """The rules, for people."""
    heads = ("rule", "phase °", "published", "magnitude", "10° with 350°", "RMS from the mean in time")
    table = _table("blend rules: 10 at 0° with 1 at 90° half and half; 10° with 350°; random motions", heads)
    for row in found["rows"]:
        published = row["published_phase_deg"]
        table.add_row(
            row["rule"],
            f"{row['phase_deg']:.3f}",
            "" if published is None else f"{published:g}",
            f"{row['magnitude']:.3f}",
            f"{row['ten_and_350_deg']:.1f}",
            f"{row['rms_from_time_domain']:.2g}",
        )
    return [table]


def harmonics_tables(found: dict[str, Any]) -> list[Table | str]:
    """Table 5.3, for people."""
    title = f"table 5.3: mean error of joints, cm, {found['motion']}"
    table = _table(title, ("", *(f"{row['harmonics']}" for row in found["rows"])))
    for name, key in (("ours", "error_cm"), ("published", "published_cm")):
        table.add_row(name, *(f"{row[key]:.2f}" for row in found["rows"]))
    return [table]


def sync_tables(found: dict[str, Any]) -> list[Table | str]:
    """Table 6.1 around its lowest rows, for people."""
    title = f"table 6.1: {found['motion']}, {found['frames']} frames, with {' and '.join(found['references'])}"
    table = _table(title, ("offset", *found["references"]))
    rows = found["rows"]
    # What drops are the offsets at which left stands in for right; half a cycle on is the best.
    drops = {int(np.argmin([row[column] for row in rows])) for column in (1, 2)}
    shown = {(offset + step) % len(rows) for offset in drops for step in range(-2, 3)} | {0, 1, len(rows) - 1}
    for offset in sorted(shown):
        table.add_row(f"{offset}", *(f"{value:.2f}" for value in rows[offset][1:]))
    low, high = (", ".join(f"{value:.2f}" for value in found[key]) for key in ("lowest", "highest"))
    own = found["published"]
    return [
        table,
        f"lowest {low}, highest {high}, best offset {found['best_offset']}; "
        f"published {own['lowest']}, {own['highest']}, {own['best_offset']} of {own['frames']}",
    ]


def _table(title: str, heads: tuple[str, ...]) -> Table:
    table = Table(
        title=title, title_justify="left", min_width=len(title), box=None, header_style="bold", padding=(0, 2, 0, 0)
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left")
    return table
