"""``mocapella between``: a motion between examples, by numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.numbers import NumberRange, label_number, label_pair, labelled
from mocapella.cli.options.outputs import check_outputs, outputs_option, write_all
from mocapella.cli.printing import Json, command, doubt, say, table, tracked
from mocapella.editing.retarget import retarget
from mocapella.errors import MotionError, Option
from mocapella.files.format_table import WRITABLE
from mocapella.files.formats import read_motion
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.parametric.labels import LABELS
from mocapella.parametric.mixing import in_step
from mocapella.parametric.space import FORMS, Made, MotionSpace
from mocapella.playback.player import Player
from mocapella.playback.record import record


@click.command(cls=Command, example="mocapella between slow.bvh fast.bvh --ask speed=1.1 -o walk.bvh")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--ask", "asked", multiple=True, required=True, metavar="LABEL=NUMBER",
              help="A label and its value, such as speed=1.1; may be repeated.")  # fmt: skip
@click.option("--given", multiple=True, metavar="LABEL=A,B,...", help="Your own label, with a number for every FILE.")
@expert_option("--also", multiple=True, metavar="LABEL", help="A label to measure without asking for a value.")
@expert_option("--form", type=click.Choice(FORMS), default=FORMS[0], help="How examples are blended.")
@click.option("--clips", is_flag=True, help="The files are gestures, not gaits: blend whole clips.")
@click.option("--seconds", type=NumberRange(0.1, 600.0), default=5.0, help="Length of the gait that is written.")
@outputs_option(metavar="OUT", help="The motion file to write; repeat it for several.")
@reading_options
@command
def between(files: tuple[Path, ...], asked: tuple[str, ...], given: tuple[str, ...], also: tuple[str, ...], form: str,
            clips: bool, seconds: float, outputs: tuple[Path, ...], **options: Any) -> Json:  # fmt: skip
    """Make a motion between examples, by labels.

    For example, speed and turn rate of walks are measured, and you give a number for how tired each one looks. The
    examples are blended so that the result has the requested labels. Measured labels: speed, turn, curvature,
    step_length, cadence, hip_height, bounce, duration, height; with --clips also slope, reach_left, reach_up,
    reach_ahead.
    """
    check_outputs(outputs, WRITABLE, files)
    wanted = {name: label_number(name, text) for name, text in map(label_pair, asked)}
    extra = dict(map(labelled, given))
    names = [name for name in dict.fromkeys([*wanted, *also]) if name not in extra]
    for name in names:
        if name not in LABELS:
            text = f"{name} is not measured; give a number for every file"
            raise MotionError(text, helps=f"--given {name}=0,…,1", option=Option("ask", name))
    read = [read_motion(path, **options) for path in tracked("reading", files)]
    read = [read[0], *(_on_joints_of(read[0], clip) for clip in read[1:])]
    motions: list[Spectrum] | list[Clip] = read
    if not clips:
        motions = [analyse(cycle) for cycle in in_step([_prepared(clip) for clip in read])]
    blend = MotionSpace.of(motions, names, given=extra, form=form).at(**wanted)
    write_all(_clip(blend, seconds), outputs)
    _show(blend)
    return {
        "path": str(outputs[0]),
        "asked": blend.asked,
        "had": blend.had,
        "made_of": blend.weights,
        "feasible": blend.feasible,
        "reason": blend.reason,
    }


def _on_joints_of(first: Clip, clip: Clip) -> Clip:
    """The clip as it is where it has the joints of the first, whatever their lengths; else retargeted to them."""
    if clip.skeleton.names == first.skeleton.names and np.array_equal(clip.skeleton.parents, first.skeleton.parents):
        return clip
    with _naming(clip):
        retargeted = retarget(clip, first.skeleton)
    doubt(f"{clip.name} has other joints than {first.name}, and is retargeted to them")
    return retargeted


def _prepared(clip: Clip) -> Cycle:
    with _naming(clip):
        return prepare(clip)


@contextmanager
def _naming(clip: Clip) -> Iterator[None]:
    """Say of which example an error speaks."""
    try:
        yield
    except MotionError as error:
        raise MotionError(f"{clip.name}: {error}") from None


def _clip(blend: Made, seconds: float) -> Clip:
    return blend.motion if isinstance(blend.motion, Clip) else record(Player(blend.motion), seconds=seconds)


def _show(blend: Made) -> None:
    rows = [
        (name, f"{blend.asked[name]:.4g}" if name in blend.asked else "", f"{value:.4g}",
         LABELS[name].unit if name in LABELS else "")
        for name, value in blend.had.items()
    ]  # fmt: skip
    say(table(("label", ">asked", ">had", "unit"), rows))
    say(", ".join(f"{100.0 * weight:.0f} % {title}" for title, weight in blend.weights.items()))
    if blend.reason:
        say(blend.reason)
