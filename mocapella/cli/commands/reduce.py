"""``mocapella reduce``: motions described by fewer numbers: key postures, principal components, mixtures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.cli.options import FILE, Group
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.numbers import NumberRange, labelled
from mocapella.cli.options.outputs import check_output, output_option
from mocapella.cli.printing import Json, command, say, table, tracked
from mocapella.errors import MotionError
from mocapella.files.format_table import WRITABLE
from mocapella.files.formats import read_motion, write_motion
from mocapella.motion.clip import Clip
from mocapella.motion.spectrum import Spectrum
from mocapella.parametric.mixing import in_step
from mocapella.parametric.mixture import mixture_of
from mocapella.parametric.principal import Principal
from mocapella.parametric.simplify import key_postures, rebuilt

_CLIPS = click.option("--clips", is_flag=True, help="The files are gestures, not gaits: use whole clips.")


@click.group(cls=Group, example="mocapella reduce postures walk.bvh -o again.bvh")
def reduce() -> None:
    """Describe motions by fewer numbers."""


@reduce.command("postures", example="mocapella reduce postures walk.bvh -o again.bvh")
@click.argument("source", metavar="FILE", type=FILE)
@click.option("--within", type=NumberRange(0.0, 10.0, min_open=True), default=0.02,
              help="Largest error of a joint at any frame, metres.")  # fmt: skip
@output_option(metavar="OUT", help="Write the motion that is interpolated from them.")
@reading_options
@command
def postures(source: Path, within: float, output: Path | None, **options: Any) -> Json:
    """List the key postures from which a motion can be interpolated.

    Between them joints follow splines that do not overshoot; the error of a joint is at most --within at any frame.
    """
    check_output(output, WRITABLE, [source])
    clip = read_motion(source, **options).captured
    key_frames = key_postures(clip, within)
    interpolated = rebuilt(clip, key_frames)
    off = float(np.linalg.norm(interpolated.positions - clip.positions, axis=-1).max())
    if output is not None:
        write_motion(interpolated, output)
    rows = [int(clip.first_row + frame) for frame in key_frames]
    say(" ".join(map(str, rows)))
    share = 100 * len(key_frames) / clip.n_frames
    say(f"{len(key_frames)} of {clip.n_frames} frames, {share:.1f} %; joints are {off:.4f} m off at most")
    return {"postures": rows, "frames": clip.n_frames, "off": off, "path": None if output is None else str(output)}


@reduce.command("components", example="mocapella reduce components slow.bvh walk.bvh fast.bvh")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=FILE)
@click.option("--variance", type=NumberRange(0.0, 1.0, min_open=True), default=0.95,
              help="Share of the variance between FILEs that is kept.")  # fmt: skip
@_CLIPS
@reading_options
@command
def components(files: tuple[Path, ...], variance: float, clips: bool, **options: Any) -> Json:
    """List principal components of motions.

    The mean and as many components are kept as explain the share --variance of the variance between the motions. Every
    motion is listed by its scores, with the residual as a share of its distance from the mean.
    """
    few = Principal.of(_motions(files, clips, options), variance=variance)
    rows = few.examples.rows
    left = np.linalg.norm(rows - few.mean - few.scores @ few.components, axis=1) / np.maximum(
        np.linalg.norm(rows - few.mean, axis=1), 1e-12
    )
    heads = ["", *(f">{number + 1}" for number in range(few.n_components)), ">left over"]
    shares = [["explained", *(f"{share:.3f}" for share in few.explained), ""]]
    listed = list(zip(files, few.scores.tolist(), left.tolist(), strict=True))
    scores = [[path.stem, *(f"{score:+.3f}" for score in row), f"{rest:.3f}"] for path, row, rest in listed]
    say(table(heads, shares + scores))
    say(f"{rows.shape[1]} numbers a motion become {few.n_components}")
    motions = [{"path": str(path), "scores": row, "left_over": rest} for path, row, rest in listed]
    return {"explained": few.explained.tolist(), "motions": motions, "numbers": int(rows.shape[1])}


@reduce.command("mixture", example="mocapella reduce mixture mine.bvh slow.bvh fast.bvh")
@click.argument("source", metavar="FILE", type=FILE)
@click.argument("examples", metavar="EXAMPLE…", nargs=-1, required=True, type=FILE)
@click.option("--given", multiple=True, metavar="LABEL=A,B,...", help="A label: a number for every EXAMPLE.")
@_CLIPS
@reading_options
@command
def mixture(source: Path, examples: tuple[Path, ...], given: tuple[str, ...], clips: bool, **options: Any) -> Json:
    """Describe a motion as a mixture of others.

    For example a tennis stroke by the strokes of teachers. Shares are those of the nearest mixture; labels given for
    the examples are mixed by them. The part that no mixture explains is a share of the examples' distance from
    their mean.
    """
    labels = dict(labelled(text) for text in given)
    motion, *others = _motions((source, *examples), clips, options)
    nearest = mixture_of(motion, others, labels)
    shares = list(zip(examples, nearest.weights, strict=True))
    say(table(["example", ">share"], [[path.stem, f"{share:.3f}"] for path, share in shares]))
    for name, value in nearest.labels.items():
        say(f"{name} {value:.4g}")
    say(f"no mixture explains {100 * nearest.unlike:.0f} % of how far the examples are apart")
    return {
        "weights": {str(path): share for path, share in shares},
        "labels": nearest.labels,
        "unlike": nearest.unlike,
    }


def _motions(files: tuple[Path, ...], clips: bool, options: dict[str, Any]) -> list[Spectrum] | list[Clip]:
    """The cycles of gaits, in step, or gestures as they are."""
    if len(files) < 2:
        raise MotionError(f"{len(files)} motion has nothing to be compared with", helps="name two or more")
    read = [read_motion(path, **options) for path in tracked("reading", files)]
    return read if clips else [analyse(cycle) for cycle in in_step([prepare(clip) for clip in read])]
