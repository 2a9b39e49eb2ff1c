"""Published tables made again, ours beside theirs: blend rules, harmonics, synchronisation; all of them by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.actor import capture
from mocapella.analysis.synchronise import shifted
from mocapella.blending.rules import RULES, phasor_blend, unit_blend
from mocapella.building.sources import gather
from mocapella.errors import MotionError
from mocapella.files.format_table import IN_FOLDERS
from mocapella.measure.coherence import node_errors
from mocapella.measure.distortion_maps import COLUMNS, ROWS
from mocapella.motion.cycle import Cycle
from mocapella.studies.checkout import from_checkout, is_checkout
from mocapella.studies.cost_tables import costs, figures, print_costs, print_figures
from mocapella.studies.gait_tables import periods, plants, print_periods, print_plants
from mocapella.studies.printed import Printed, table_of
from mocapella.studies.published import average_offset, best_offset, difference_table, worst_offset

# Motions that the tables are made of: CMU captures where there are some, else the embedded actor's.

WALKS = (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 33, 47, 58)  # subject 16, straight to 90° turns
SUBJECT_16 = tuple(f"16_{i}.bvh" for i in WALKS)


@dataclass(frozen=True)
class Sources:
    """A folder of CMU's captures, with folders in it, or None for the actor."""

    folder: Path | None
    tell: Callable[[str], None] = lambda words: None  # progress, in words
    grid: tuple[int, int] = (COLUMNS, ROWS)  # of the points at which distortion is measured
    pictures: Path | None = None  # folder that tables draw into

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise MotionError(f"{self.folder} is not a folder; --captures names one that holds CMU's motion files")

    @property
    def real(self) -> bool:
        """Whether all captures of the walking network are there."""
        return self.found(SUBJECT_16) is not None

    @property
    def named(self) -> str:
        """Name of the source, for the answer."""
        return "CMU subject 16" if self.real else "the embedded actor"

    def found(self, names: Sequence[str]) -> list[Path] | None:
        """The files of these names; None where one of them is missing."""
        there = [self._files[name] for name in names if name in self._files]
        return there if len(there) == len(names) else None

    def cycle(self, name: str, instead: str) -> Cycle:
        """The cycle of one capture by its file name, or of one of the actor's."""
        files = self.found([name]) if self.real else None
        return gather([capture(instead)[0]] if files is None else files).cycles[0]

    @cached_property
    def _files(self) -> dict[str, Path]:
        if self.folder is None:
            return {}
        inside = sorted(self.folder.rglob("*"), reverse=True)  # of two of one name the first counts
        return {path.name: path for path in inside if path.suffix.lower() in IN_FOLDERS and path.is_file()}


# Published tables that take seconds to make again: blend rules, harmonics, synchronisation.

_COUNTS = (1, 2, 3, 4, 5, 10)  # harmonics
_TABLE_5_3 = (2.22, 0.83, 0.46, 0.38, 0.19, 0.08)  # cm, a walk of a person of 1.673 m
_PHASES = {"unit": 45.0, "streamlined": 5.711, "phasor": 5.711, "naive": 45.0}  # of 10 at 0° and 1 at 90°, degrees
_TABLE_6_1 = (  # offset of node 13, and sums with nodes 4 and 11, radians
    (0, 56.81, 55.66), (1, 56.77, 55.68), (2, 58.01, 55.69),
    (76, 56.77, 55.33), (77, 56.77, 8.46), (78, 7.28, 9.44), (79, 7.20, 55.62), (80, 57.29, 55.60),
    (99, 56.78, 55.58), (100, 56.79, 55.43), (101, 56.83, 55.64),
)  # fmt: skip
_WORST_6_1 = 78  # the offset of worst synchronisation that the table states
_SIGNALS = 200  # random ones, for the mean in time


def _blending(sources: Sources) -> dict[str, Any]:
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


def _harmonics(sources: Sources) -> dict[str, Any]:
    """Table 5.3: the mean error of joints by the number of harmonics, of one straight walk."""
    cycle = sources.cycle("07_01.amc", "medium walk straight")
    errors = 100.0 * node_errors(cycle, _COUNTS)
    return {
        "motion": cycle.name,
        "rows": [
            {"harmonics": count, "error_cm": float(own), "published_cm": published}
            for count, own, published in zip(_COUNTS, errors, _TABLE_5_3, strict=True)
        ],
    }


def _sync(sources: Sources) -> dict[str, Any]:
    """Table 6.1: sums of hip differences (radians) of a cycle, begun later and later, with two that are in step.

    ``rows`` are by the default rule, ``rows_of_2010`` by that of the 2010 paper, with which the sums drop as sharply as
    in the published table.
    """
    cycle = sources.cycle("16_58.bvh", "fast walk straight")
    names = [("16_15.bvh", "slow walk straight"), ("16_47.bvh", "medium walk straight")]
    first, second = (sources.cycle(*name) for name in names)
    second = shifted(second, best_offset(difference_table(second, [first])))
    table, sharp = (difference_table(cycle, [first, second], rule=rule) for rule in (phasor_blend, unit_blend))
    worst = average_offset(worst_offset(sharp[:, 0]), worst_offset(sharp[:, 1]), len(sharp))
    theirs = [row[1:] for row in _TABLE_6_1]
    published = {
        "lowest": float(np.min(theirs)),
        "highest": float(np.max(theirs)),
        "best_offset": 27,
        "frames": 102,
        "rows": [list(row) for row in _TABLE_6_1],
    }
    return {
        "motion": cycle.name,
        "frames": cycle.n_frames,
        "references": [first.name, second.name],
        "best_offset": best_offset(table),
        "best_offset_of_2010": best_offset(sharp),
        "worst_offset": int(worst + 0.5) % len(sharp),
        "lowest": table.min(axis=0).tolist(),
        "highest": table.max(axis=0).tolist(),
        "published": published,
        "rows": [[offset, *row] for offset, row in enumerate(table.tolist())],
        "rows_of_2010": [[offset, *row] for offset, row in enumerate(sharp.tolist())],
    }


def _print_blending(found: dict[str, Any]) -> list[Table | str]:
    """The rules as a table for the terminal."""
    heads = ("rule", "phase °", "published", "magnitude", "10° with 350°", "RMS from the mean in time")
    keys = ("phase_deg", "published_phase_deg", "magnitude", "ten_and_350_deg", "rms_from_time_domain")
    formats = dict(zip(keys, (".3f", "g", ".3f", ".1f", ".2g"), strict=True))
    rows = [
        (row["rule"], *("" if row[key] is None else format(row[key], formats[key]) for key in keys))
        for row in found["rows"]
    ]
    return [table_of("blend rules: 10 at 0° with 1 at 90° half and half; 10° with 350°; random motions", heads, rows)]


def _print_harmonics(found: dict[str, Any]) -> list[Table | str]:
    """Table 5.3 for the terminal."""
    rows = [
        (name, *(f"{row[key]:.2f}" for row in found["rows"]))
        for name, key in (("ours", "error_cm"), ("published", "published_cm"))
    ]
    heads = ("", *(f"{row['harmonics']}" for row in found["rows"]))
    return [table_of(f"table 5.3: mean error of joints, cm, {found['motion']}", heads, rows)]


def _print_sync(found: dict[str, Any]) -> list[Table | str]:
    """The rows that table 6.1 shows, and ours as far from the worst offset."""
    names, theirs, n_frames = found["references"], found["published"], found["frames"]
    lines = []
    for offset, *sums in theirs["rows"]:
        from_worst = offset - _WORST_6_1
        own = (found["worst_offset"] + from_worst) % n_frames
        ours = (*found["rows"][own][1:], *found["rows_of_2010"][own][1:])
        lines.append((f"{from_worst:+d}", *(f"{one:.2f}" for one in (*ours, *sums))))
    heads = ("from the worst", *names, *(f"{name}, 2010 rule" for name in names), "published, node 4", "node 11")
    low, high = (", ".join(f"{sums:.2f}" for sums in found[key]) for key in ("lowest", "highest"))
    title = f"table 6.1: sums by offset, {found['motion']} of {n_frames} frames; theirs node 13 of {theirs['frames']}"
    return [
        table_of(title, heads, lines),
        f"lowest {low}, highest {high}, best offset {found['best_offset']}, by the rule of 2010 "
        f"{found['best_offset_of_2010']}; published {theirs['lowest']:.2f}, {theirs['highest']:.2f}, "
        f"{theirs['best_offset']}",
    ]


Made = Callable[[Sources], dict[str, Any]]

_INSTALLED: Mapping[str, tuple[Made, Printed]] = {
    "blending": (_blending, _print_blending),
    "harmonics": (_harmonics, _print_harmonics),
    "sync": (_sync, _print_sync),
    "plants": (plants, print_plants),
    "periods": (periods, print_periods),
    "cost": (costs, print_costs),
    "figures": (figures, print_figures),
}
# Experiments and comparisons, each with the module of benchmarks/tables that has ``made`` and ``printed``.
_IN_CHECKOUT = {
    "comparison": "hybrid_tables",
    "latency": "latencies",
    "edited": "edited_motions",
    "arm": "manipulator",
    "single-source": "single_source",
}
NAMES = (*_INSTALLED, *_IN_CHECKOUT)


def available() -> tuple[str, ...]:
    """The tables that can be made here: all of them in a source checkout."""
    return NAMES if is_checkout() else tuple(_INSTALLED)


def table_named(name: str) -> tuple[Made, Printed]:
    """A function that makes a table of ``NAMES`` from sources, and one that prints it."""
    if name in _INSTALLED:
        return _INSTALLED[name]
    module = from_checkout(f"tables.{_IN_CHECKOUT[name]}", f"the table {name}")
    return module.made, module.printed
