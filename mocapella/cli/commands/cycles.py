"""``mocapella period`` and ``cycles``: what repeats in a clip."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from mocapella.analysis.cycles.find import RawCycle, find_cycles, with_chosen
from mocapella.analysis.examined import examine
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.gait_rules import check_plants
from mocapella.analysis.prepare import turning_of
from mocapella.cli.answers import as_json, command, out, print_json
from mocapella.cli.commands.plants import rows
from mocapella.cli.options.cycles import Steering, closing_options, split_steering, steering_options
from mocapella.cli.options.files import reading_options
from mocapella.files.formats import load
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.storage.values import save


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
@steering_options
@click.option("--frames", type=(int, int), help="The cycle you know of: its first frame, and the one that closes it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Close the marked one and store it as .moca.")
@closing_options
@reading_options
@as_json
@command
def cycles(
    source: Path,
    frames: tuple[int, int] | None,
    output: Path | None,
    method: str,
    layout: str,
    limp: bool,
    smooth: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Every full cycle of FILE, best first; the one that build would take is marked.

    Gaps and jumps are bridged before, as build does it. Frames are the file's own rows.
    """
    steering, reading = split_steering(options)
    asked = Steering.of(steering, frames)
    clip = examine(load(source, **reading))
    chosen = asked.selection(clip).found
    found = [chosen] if frames is not None else with_chosen(find_cycles(chosen.examined, **asked.wishes), chosen)
    if output is not None:
        save(asked.prepared(clip, method=method, layout=layout, limp=limp, smooth=smooth), output)
    for doubt in check_plants(chosen.contacts, first_row=chosen.start_row):
        click.echo(f"doubtful: in the cycle that is taken, {doubt.message}", err=True)
    answer = [describe(cycle, chosen=cycle.is_same(chosen)) for cycle in found]
    if as_json:
        print_json({"cycles": answer})
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("", "start", "frames", "seconds", "m/s", "turn °", "closes to cm", "unlikeness", "steps"):
        table.add_column(title, justify="right")
    for one in answer:
        numbers = (f"{one['seconds']:.3f}", f"{one['speed']:.2f}", f"{one['turn']:+.1f}", f"{one['closing_cm']:.1f}")
        mark = "*" if one["chosen"] else ""
        table.add_row(
            mark, str(one["start"]), str(one["frames"]), *numbers, f"{one['unlikeness']:.2f}", str(one["steps"])
        )
    out.print(table)
    out.print(f"* {_why(clip.clip, asked)}")


def _why(clip: Clip, asked: Steering) -> str:
    """Why the marked cycle is the one that is taken."""
    if asked.frames is not None:
        return "as you said"
    if turning_of(clip, asked.turning, turn=asked.turn, within=asked.within) and asked.turning is None:
        yaws = clip.captured.headings
        whole = math.degrees(yaws[-1] - yaws[0])
        return f"what build takes: the clip turns by {whole:+.0f}° in all, so the sharpest turn; --straight for another"
    wanted = any(wish is not None for wish in asked.wishes.values())
    return f"what build takes: the ends that meet best{', as near as may be to what you want' if wanted else ''}"


def describe(cycle: RawCycle, *, chosen: bool) -> dict[str, Any]:
    """What ``cycles --json`` says of one cycle; frames are the file's own rows."""
    return {
        "start": cycle.start_row,
        "frames": cycle.n_frames,
        "seconds": cycle.seconds,
        "speed": cycle.speed,
        "turn": math.degrees(cycle.turn),
        "closing_cm": 100.0 * cycle.closing,
        "unlikeness": cycle.unlikeness,
        "steps": cycle.n_steps,
        "contacts": {foot: rows(cycle.contacts.foot(foot), cycle.start_row) for foot in FEET},
        "chosen": chosen,
    }
