"""``mocapella period``, ``plants`` and ``cycles``: what repeats in a clip, and when its feet rest."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from mocapella.analysis.cycles import find_cycles
from mocapella.analysis.cyclify import cyclify
from mocapella.analysis.period import find_period
from mocapella.analysis.plants import find_plants
from mocapella.analysis.raw_cycle import RawCycle
from mocapella.cli.answers import as_json, command, out, print_json
from mocapella.cli.reading import reading_options
from mocapella.files.cycle_store import save_cycle
from mocapella.files.formats import load
from mocapella.motion.contacts import FEET, FOOT_POINTS


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@reading_options
@as_json
@command
def period(source: Path, as_json: bool, **options: Any) -> None:
    """How long one cycle of FILE lasts, voted over the dofs of the legs."""
    found = find_period(load(source, **options))
    answer = {
        "frames": found.frames,
        "seconds": found.seconds,
        "confidence": found.confidence,
        "spectral": found.spectral,
        "per_dof": dict(found.per_dof),
    }
    if as_json:
        print_json(answer)
    else:
        doubt = f"confidence {found.confidence:.2f}; by spectra {found.spectral:.1f} frames"
        out.print(f"{found.frames:.2f} frames, {found.seconds:.3f} s ({doubt})")


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@reading_options
@as_json
@command
def plants(source: Path, as_json: bool, **options: Any) -> None:
    """When heels and toes of FILE rest on the ground, as first and last frame."""
    clip = load(source, **options)
    contacts = find_plants(clip)
    answer = {point: rows(contacts.point(point), clip.first_row) for point in FOOT_POINTS}
    if as_json:
        print_json(answer)
        return
    for point, intervals in answer.items():
        out.print(f"{point:12}" + "  ".join(f"{first}–{last}" for first, last in intervals))


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--turning/--straight", default=None, help="Prefer the sharpest turn, or the straightest way.")
@click.option("--speed", type=float, help="Wanted speed, m/s.")
@click.option("--turn", type=float, help="Wanted turn per cycle, degrees, left positive.")
@click.option("--within", type=(int, int), help="First and last frame that may be used.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Close the best one and store it as .moca.")
@reading_options
@as_json
@command
def cycles(
    source: Path,
    turning: bool | None,
    speed: float | None,
    turn: float | None,
    within: tuple[int, int] | None,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Every full cycle of FILE, best first."""
    clip = load(source, **options)
    radians = None if turn is None else math.radians(turn)
    found = find_cycles(clip, turning=turning, speed=speed, turn=radians, within=within)
    if output is not None:
        save_cycle(cyclify(found[0]), output)
    answer = [describe(cycle) for cycle in found]
    if as_json:
        print_json({"cycles": answer})
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("start", "frames", "seconds", "m/s", "turn °", "closes to cm", "steps"):
        table.add_column(title, justify="right")
    for one in answer:
        numbers = (f"{one['seconds']:.3f}", f"{one['speed']:.2f}", f"{one['turn']:+.1f}", f"{one['closing_cm']:.1f}")
        table.add_row(str(one["start"]), str(one["frames"]), *numbers, str(one["steps"]))
    out.print(table)


def describe(cycle: RawCycle) -> dict[str, Any]:
    """What ``cycles --json`` says of one cycle; frames are the file's own rows."""
    first = cycle.clip.first_row + cycle.start
    return {
        "start": first,
        "frames": cycle.n_frames,
        "seconds": cycle.seconds,
        "speed": cycle.speed,
        "turn": math.degrees(cycle.turn),
        "closing_cm": 100.0 * cycle.closing,
        "steps": cycle.n_steps,
        "contacts": {foot: rows(cycle.contacts.foot(foot), first) for foot in FEET},
    }


def rows(intervals: tuple[tuple[int, int], ...], first_row: int) -> list[list[int]]:
    """Intervals of frames as the file's own rows."""
    return [[first + first_row, last + first_row] for first, last in intervals]
