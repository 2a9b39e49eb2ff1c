"""``mocapella period`` and ``cycles``: what repeats in a clip."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from mocapella.analysis.cycles.find import find_cycles, with_chosen
from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.gait_rules import check_plants
from mocapella.analysis.prepare import turning_of
from mocapella.analysis.treadmill import examine_travelling
from mocapella.cli.commands.plants import rows
from mocapella.cli.options import FILE, Command
from mocapella.cli.options.cycle_choice import CycleChoice, choice_options, closing_options
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import check_output, output_option
from mocapella.cli.printing import Json, command, doubt, say, table
from mocapella.errors import MotionError
from mocapella.files.formats import read_motion
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.storage.values import save


@click.command(cls=Command, example="mocapella period walk.bvh")
@click.argument("source", metavar="FILE", type=FILE)
@reading_options
@command
def period(source: Path, **options: Any) -> Json:
    """Find how long one cycle of a motion lasts.

    The period is estimated from every dof of the legs; the answer also lists the estimate of each dof. To choose a
    cycle use mocapella cycles, which lists all cycles with their durations, speeds and turns.
    """
    estimate = find_period(read_motion(source, **options))
    doubts = f"confidence {estimate.confidence:.2f}; by spectra {estimate.spectral:.1f} frames"
    say(f"{estimate.frames:.2f} frames, {estimate.seconds:.3f} s ({doubts})")
    return {
        "frames": estimate.frames,
        "seconds": estimate.seconds,
        "confidence": estimate.confidence,
        "spectral": estimate.spectral,
        "per_dof": dict(estimate.per_dof),
    }


@click.command(cls=Command, example="mocapella cycles walk.bvh -o walk.moca")
@click.argument("source", metavar="FILE", type=FILE)
@choice_options
@click.option("--frames", type=(int, int), help="The cycle itself: its first frame, and the frame that closes it.")
@output_option(metavar="CYCLE.moca", help="Close the marked cycle and store it.")
@closing_options
@reading_options
@command
def cycles(source: Path, frames: tuple[int, int] | None, output: Path | None, **options: Any) -> Json:
    """List the cycles of a motion, best first.

    The cycle that build uses is marked. Of a noisy capture that is the mean of all repetitions of a steady stretch; it
    starts with the first of them, and what noise leaves in it stands in the place of how well its ends meet. As in
    build, gaps and jumps are interpolated first, and a walk in place gets
    the travel of its feet. Frames are rows of the file. Speeds are those of the captured root. build places a motion by
    the speed at which it is played, which is a few percent lower if feet slide in the capture or the body leans into a
    turn.
    """
    check_output(output, [".moca"], [source])
    choice = CycleChoice.of(options, frames)
    captured = read_motion(source, **reading_options.of(options))
    clip = examine(captured) if choice.raw else examine_travelling(captured)
    chosen = choice.selection(clip, options["repetitions"]).cycle
    listed = [chosen] if frames is not None else _listed(chosen, clip, choice)
    if output is not None:
        save(choice.prepared(clip, **closing_options.of(options)), output)
    for finding in check_plants(chosen.contacts, first_row=chosen.start_row):
        doubt(f"in the cycle that is taken, {finding.message}")
    answer = [_describe(cycle, chosen=cycle.is_same(chosen)) for cycle in listed]
    titles = ("", "start", "frames", "seconds", "m/s", "turn °", "closes to cm", "unlikeness", "steps")
    told = [
        ("*" if row["chosen"] else "", str(row["start"]), str(row["frames"]), f"{row['seconds']:.3f}",
         f"{row['speed']:.2f}", f"{row['turn']:+.1f}", f"{row['closing_cm']:.1f}", f"{row['unlikeness']:.2f}",
         str(row["steps"]))
        for row in answer
    ]  # fmt: skip
    why = _why(clip.clip, choice) if chosen.averaged is None else chosen.averaged.decision.text
    say(table([f">{title}" for title in titles], told), f"* {why}", f"noise: {clip.noise_words}")
    return {"cycles": answer, **clip.noise_figures}


def _listed(chosen: RawCycle, clip: Examined, choice: CycleChoice) -> list[RawCycle]:
    """The cycles of a clip with the chosen one among them, first where it is the mean of repetitions."""
    if chosen.averaged is None:
        return with_chosen(find_cycles(chosen.source(clip), **choice.wishes), chosen)
    try:
        return [chosen, *find_cycles(clip, **choice.wishes)]
    except MotionError:  # noise can hide every single cycle
        return [chosen]


def _why(clip: Clip, choice: CycleChoice) -> str:
    """Why the marked cycle is the one that is taken."""
    if choice.frames is not None:
        return "as given by --frames"
    if turning_of(clip, choice.turning, turn=choice.turn, within=choice.within) and choice.turning is None:
        yaws = clip.captured.headings
        turn = math.degrees(yaws[-1] - yaws[0])
        return f"what build takes: the clip turns by {turn:+.0f}° in all, so the sharpest turn; --straight for another"
    wanted = any(wish is not None for wish in choice.wishes.values())
    return f"what build takes: the ends that meet best{', as near as possible to the options' if wanted else ''}"


def _describe(cycle: RawCycle, *, chosen: bool) -> Json:
    """The JSON of one cycle for ``cycles --json``; frames are the file's own rows."""
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
