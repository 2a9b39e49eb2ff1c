"""``mocapella demo``: the main job on captures of the embedded actor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from mocapella.actor import repertoire
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.numbers import NumberRange
from mocapella.cli.options.outputs import output_option
from mocapella.cli.printing import Json, bars, command, doubt, say
from mocapella.pictures import check_matplotlib
from mocapella.studies.demo import Progress, describe_job, run_main_job, write_captures, write_report
from mocapella.studies.edit_shows import editing_report, feelings_report, run_editing, run_feelings
from mocapella.studies.steered_shows import run_rectangle, run_turns, steered_report
from mocapella.studio.page.demonstration import with_pages


@click.command(cls=Command, example="mocapella demo -o folder")
@output_option(metavar="FOLDER", default=Path("demo"), help="The folder to write.")
@click.option("--editing", is_flag=True, help="Instead, edit a walk and a run in ten ways, with pictures and figures.")
@click.option("--library", is_flag=True,
              help="Instead, make all curves of one turning walk, with pictures and figures.")  # fmt: skip
@expert_option("--clip", type=FILE, metavar="FILE", help="With --library: a turning walk, instead of the actor's.")
@click.option("--feelings", is_flag=True, help="Instead, give gaits and gestures feelings, with pictures and figures.")
@click.option("--turns", is_flag=True, help="Instead, make turns to both sides from two short captures.")
@click.option("--rectangle", is_flag=True,
              help="Instead, make a rectangle of walks from three short captures, and dance on the spot.")  # fmt: skip
@click.option("--captures", "folder", type=FILE, help="Only write captures of the whole repertoire, to this folder.")
@expert_option("--format", "suffix", type=click.Choice(["bvh", "amc"]), default="bvh", help="Format of the captures.")
@expert_option("--rate", type=NumberRange(20, 240), default=120.0, help="Frames per second.")
@expert_option("--clean", is_flag=True, help="Captures without noise, drift and other flaws.")
@expert_option("--seed", type=click.IntRange(0), default=0, help="Seed of the actor; another is another performer.")
@command
def demo(output: Path, editing: bool, feelings: bool, library: bool, turns: bool, rectangle: bool, clip: Path | None,
         folder: Path | None, **options: Any) -> Json:  # fmt: skip
    """Run the main job on the embedded actor.

    Raw captures are written and read back, prepared, synchronised and built into a walking network. A character follows
    a winding path with changing speed. Runs and captured changes extend it to a hybrid network, in which a run becomes
    a walk, a twirl, a walk. The folder gets the motions (BVH, glTF), pictures, pages to steer the character and to see
    a crowd of it in a browser, and a report of what was measured. With --captures, only the actor's whole repertoire is
    written, each capture with its ground truth beside it. With --editing, a walk and a run are edited: feet, styles,
    paths and filters. With --feelings, a walk becomes brisk, tired and very tired, a run takes on the tiredness of the
    walk, a drink becomes angry, and so does a knock. With --library, one turning walk is mirrored in phase, and a
    library makes all curves between both sides. With --turns, a short straight walk and a short turn become all turns
    to either side; with --rectangle, three short walks become a rectangle of slow and fast walks and turns, and four
    motions on the spot a network of idles.
    """
    if sum(map(bool, (editing, feelings, library, turns, rectangle, folder))) > 1:
        raise click.UsageError("give one of --editing, --feelings, --library, --turns, --rectangle and --captures")
    if clip is not None and not library:
        raise click.UsageError("--clip needs --library")
    if folder is not None:
        return _captures(folder, options)
    if editing or feelings:
        run, report = (run_editing, editing_report) if editing else (run_feelings, feelings_report)
        return _edits(run, report, output, options["seed"])
    if turns or rectangle:
        return _steered(run_turns if turns else run_rectangle, output, options["seed"])
    return _library(output, clip, options["seed"]) if library else _main_job(output, options)


def _captures(folder: Path, options: dict[str, Any]) -> Json:
    with _progress() as tell:
        tell("performing", len(repertoire()))
        files = write_captures(repertoire(), folder, **options, progress=lambda name: tell(name, 0))
    say(*(f"{file['path']}: {file['frames']} frames, {file['seconds']:.1f} s" for file in files))
    return {"folder": str(folder), "captures": files}


def _edits(run: Callable[..., Any], report: Callable[[Any], str], output: Path, seed: int) -> Json:
    check_matplotlib()  # their pictures are the point
    with _progress() as tell:
        rows = run(output, seed=seed, progress=tell)
    say(report(rows), f"open the pictures in {output} to see each motion before and after")
    return {"folder": str(output), "edits": rows}


def _steered(run: Callable[..., Any], output: Path, seed: int) -> Json:
    with _progress() as tell:
        steered = run(output, seed=seed, progress=tell)
    say(steered_report(steered), f"open the motions and pictures in {output}")
    return {"folder": str(output), **steered}


def _library(output: Path, clip: Path | None, seed: int) -> Json:
    from mocapella.studies.layered import layered_report, run_layered  # the others need no library

    check_matplotlib()  # its pictures are the point
    with _progress() as tell:
        answer = run_layered(output, capture=clip, seed=seed, progress=tell)
    say(layered_report(answer), f"open the pictures in {output} to see them")
    return {"folder": str(output), **answer}


def _main_job(output: Path, options: dict[str, Any]) -> Json:
    with _progress() as tell:
        job = run_main_job(output, **options, progress=tell)
        tell("writing pages", 1)
        job = with_pages(job)
    report = write_report(job)
    if job.missing:
        doubt(job.missing)
    best = "walk.gif" if "walk.gif" in job.files else "walk.glb"
    say(report.read_text(), f"open {output / best} to see it walk, {report} for the figures")
    if "crowd.html" in job.files:
        say(f"open {output / 'person.html'} in a browser to steer it, {output / 'crowd.html'} to see many")
    return describe_job(job)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Bars on standard error: a name and a number of steps begin one, a name and 0 advance it."""
    with bars() as shown:

        def tell(what: str, steps: int) -> None:
            if steps:
                for task in shown.tasks:
                    shown.update(task.id, completed=task.total)
                shown.add_task(what, total=steps)
            elif shown.tasks:
                shown.advance(shown.tasks[-1].id)

        yield tell
