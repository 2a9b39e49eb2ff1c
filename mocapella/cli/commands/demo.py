"""``mocapella demo``: the main job on captures of the embedded actor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import Progress

from mocapella.actor import repertoire
from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.studies.demo import Progress as Tell
from mocapella.studies.demo import describe_job, run_main_job, write_captures, write_report


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
@click.option("--captures", "folder", type=click.Path(path_type=Path), help="Only write the whole repertoire, here.")
@click.option("--format", "suffix", type=click.Choice(["bvh", "amc"]), default="bvh", show_default=True)
@click.option("--rate", type=click.FloatRange(20, 240), default=120.0, show_default=True, help="Frames per second.")
@click.option("--clean", is_flag=True, help="Captures without noise, drift and other flaws.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another actor.")
@as_json
@command
def demo(output: Path, folder: Path | None, suffix: str, rate: float, clean: bool, seed: int, as_json: bool) -> None:
    """Let the embedded actor perform, and do the main job on what was captured.

    Raw captures are written and read back, prepared, put in step and made into a walking network; a character is
    steered along a winding path with changing speed; runs and captured changes join it to a hybrid network, through
    which a run becomes a walk, a twirl, a walk; and the folder gets the motions (BVH, glTF), pictures and a report with
    what was measured. With --captures, only the actor's whole repertoire is written, each capture with its ground
    truth beside it.
    """
    if folder is not None:
        with _progress(as_json) as tell:
            tell("performing", len(repertoire()))
            files = write_captures(
                repertoire(),
                folder,
                suffix=suffix,
                rate=rate,
                clean=clean,
                seed=seed,
                progress=lambda name: tell(name, 0),
            )
        if as_json:
            print_json({"folder": str(folder), "captures": files})
            return
        for one in files:
            out.print(f"{one['path']}: {one['frames']} frames, {one['seconds']:.1f} s")
        return
    with _progress(as_json) as tell:
        job = run_main_job(output, suffix=suffix, rate=rate, clean=clean, seed=seed, progress=tell)
    report = write_report(job)
    if job.missing:
        click.echo(f"doubtful: {job.missing}", err=True)
    if as_json:
        print_json(describe_job(job))
        return
    out.print(report.read_text(), markup=False)
    best = "walk.gif" if "walk.gif" in job.files else "walk.glb"
    out.print(f"open {output / best} to see it walk, {report} for the figures")


@contextmanager
def _progress(quiet: bool) -> Iterator[Tell]:
    """Bars on standard error, for people: a name and a number begin one, a name alone goes one on."""
    with Progress(console=err, transient=True, disable=quiet or not err.is_terminal) as bars:

        def tell(what: str, steps: int) -> None:
            if steps:
                for task in bars.tasks:
                    bars.update(task.id, completed=task.total)
                bars.add_task(what, total=steps)
            elif bars.tasks:
                bars.advance(bars.tasks[-1].id)

        yield tell
