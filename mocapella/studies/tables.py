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
from mocapella.blending.network import Network
from mocapella.blending.rules import RULES
from mocapella.building.build import build
from mocapella.building.placement import TURN_AND_SPEED, Axes
from mocapella.building.sources import Source, cycles_of
from mocapella.errors import MotionError
from mocapella.files.format_table import IN_FOLDERS
from mocapella.measure.coherence import node_errors
from mocapella.motion.cycle import Cycle
from mocapella.studies.cost_tables import costs, figures, print_costs, print_figures
from mocapella.studies.gait_tables import periods, plants, print_periods, print_plants
from mocapella.studies.hybrid_tables import comparison, print_comparison
from mocapella.studies.manipulator import print_tracked, tracked
from mocapella.studies.printed import table_of
from mocapella.studies.published import best_offset, difference_table

# Motions that the tables are made of: CMU captures where there are some, else the embedded actor's.

_WALKS = (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 33, 47, 58)  # subject 16, straight to 90° turns
_RUNS = (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56)
_STYLES = ("normal", "tired", "brisk", "sad", "happy", "relaxed", "marching", "drunk")
_TURNS = ("straight", "left", "right", "sharp left", "sharp right")
_SUBJECT_16 = tuple(f"16_{i}.bvh" for i in _WALKS)
# Title → captures of the set, and the axes they are placed by; straight ones on a line by their speed.
_LEFT_OUT: Mapping[str, tuple[tuple[str, ...], Axes | None]] = {
    "07, straight walks": (tuple(f"07_{i:02d}.amc" for i in range(1, 12)), None),
    "08, straight walks": (tuple(f"08_{i:02d}.bvh" for i in (1, 4, 7, 11)), None),
    "16, straight walks": (tuple(f"16_{i}.bvh" for i in (15, 21, 31, 47, 58)), None),
    "16, walks and turns": (tuple(f"16_{i}.bvh" for i in _WALKS if i != 33), TURN_AND_SPEED),
    "16, runs and turns": (tuple(f"16_{i}.bvh" for i in _RUNS), TURN_AND_SPEED),
}


@dataclass(frozen=True)
class Sources:
    """A folder of CMU's captures, with folders in it, or None for the actor."""

    folder: Path | None
    tell: Callable[[str], None] = lambda words: None

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise MotionError(f"{self.folder} is not a folder; --captures names one that holds CMU's motion files")

    @property
    def real(self) -> bool:
        """Whether all captures of the walking network are there."""
        return self.found(_SUBJECT_16) is not None

    @property
    def named(self) -> str:
        """Name of the source, for the answer."""
        return "CMU subject 16" if self.real else "the embedded actor"

    def found(self, names: Sequence[str]) -> list[Path] | None:
        """The files of these names; None where one of them is missing."""
        paths = [self._files.get(name) for name in names]
        there = [path for path in paths if path is not None]
        return there if len(there) == len(paths) else None

    def walks(self) -> Network:
        """A network of walks, all takes kept, none mirrored: straight to sharp turns, slow to fast."""
        self.tell("preparing walks")
        files = self.found(_SUBJECT_16)
        takes: Sequence[Source] = _actor_walks() if files is None else files
        return build(takes, mirror=False, thin=False).network

    def left_out(self) -> dict[str, tuple[list[Cycle], Axes | None]]:
        """Sets of cycles for leave-one-out, and their axes of placement."""
        if not self.real:
            return {"actor, walks and turns": (cycles_of(_actor_walks()), TURN_AND_SPEED)}
        out = {}
        for title, (names, axes) in _LEFT_OUT.items():
            files = self.found(names)
            if files is not None:
                self.tell(f"preparing {title}")
                out[title] = (cycles_of(files), axes)
        return out

    def cycle(self, name: str, instead: str) -> Cycle:
        """The cycle of one capture by its file name, or of one of the actor's."""
        files = self.found([name]) if self.real else None
        return cycles_of([capture(instead)[0]] if files is None else files)[0]

    @cached_property
    def _files(self) -> dict[str, Path]:
        if self.folder is None:
            return {}
        inside = sorted(self.folder.rglob("*"), reverse=True)  # of two of one name the first counts
        return {path.name: path for path in inside if path.suffix.lower() in IN_FOLDERS and path.is_file()}


def _actor_walks() -> list[Source]:
    names = [f"{speed} walk {turn}" for speed in ("slow", "medium", "fast") for turn in _TURNS]
    return [capture(name)[0] for name in (*names, *(f"{style} walk" for style in _STYLES))]


# Published tables that take seconds to make again: blend rules, harmonics, synchronisation.

_COUNTS = (1, 2, 3, 4, 5, 10)
_TABLE_5_3 = (2.22, 0.83, 0.46, 0.38, 0.19, 0.08)  # cm, a walk of a person of 1.673 m
_PHASES = {"unit": 45.0, "streamlined": 5.711, "phasor": 5.711, "naive": 45.0}  # of 10 at 0° and 1 at 90°, degrees
_SUMS_6_1 = (7.20, 58.01)  # lowest and highest of table 6.1
_SIGNALS = 200


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


def _print_blending(found: dict[str, Any]) -> list[Table | str]:
    """The rules as a table for the terminal."""
    heads = ("rule", "phase °", "published", "magnitude", "10° with 350°", "RMS from the mean in time")
    formats = (
        ("phase_deg", ".3f"),
        ("published_phase_deg", "g"),
        ("magnitude", ".3f"),
        ("ten_and_350_deg", ".1f"),
        ("rms_from_time_domain", ".2g"),
    )
    rows = [
        (row["rule"], *("" if row[key] is None else format(row[key], spec) for key, spec in formats))
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
    """The rows of table 6.1 around its lowest ones, for the terminal."""
    rows = found["rows"]
    # The sums drop at the offsets where left is exchanged for right; the best offset is half a cycle from there.
    drops = {int(np.argmin([row[column] for row in rows])) for column in (1, 2)}
    shown = {(offset + step) % len(rows) for offset in drops for step in range(-2, 3)} | {0, 1, len(rows) - 1}
    low, high = (", ".join(f"{value:.2f}" for value in found[key]) for key in ("lowest", "highest"))
    own = found["published"]
    return [
        table_of(
            f"table 6.1: {found['motion']}, {found['frames']} frames, with {' and '.join(found['references'])}",
            ("offset", *found["references"]),
            [(f"{offset}", *(f"{value:.2f}" for value in rows[offset][1:])) for offset in sorted(shown)],
        ),
        f"lowest {low}, highest {high}, best offset {found['best_offset']}; "
        f"published {own['lowest']}, {own['highest']}, {own['best_offset']} of {own['frames']}",
    ]


# Tables that take seconds, by name: a function that makes one, and one that prints it.
QUICK_TABLES: Mapping[
    str, tuple[Callable[[Sources], dict[str, Any]], Callable[[dict[str, Any]], list[Table | str]]]
] = {
    "blending": (_blending, _print_blending),
    "harmonics": (_harmonics, _print_harmonics),
    "sync": (_sync, _print_sync),
    "plants": (plants, print_plants),
    "periods": (periods, print_periods),
    "cost": (costs, print_costs),
    "figures": (figures, print_figures),
    "comparison": (lambda sources: comparison(), print_comparison),
    "arm": (lambda sources: tracked(), print_tracked),
}
