"""``mocapella spectrum``, ``curves`` and ``key-poses``: motions in the forms that papers and other programs use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np

from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.cli.options import FILE, Command
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import check_output, output_option
from mocapella.cli.printing import Json, command, say, table
from mocapella.editing.forms.curve_vectors import curve_vectors
from mocapella.editing.forms.key_poses import key_poses as find_key_poses
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.files.formats import read_motion
from mocapella.motion.cycle import Cycle, in_layout
from mocapella.storage.values import load_cycle
from mocapella.studies.published import sine_series, to_series, windowed

_FORMS = ("cosine", "sine", "series", "window")


@click.command(cls=Command, example="mocapella spectrum walk.bvh --dof LeftUpLeg.x")
@click.argument("source", metavar="FILE", type=FILE)
@click.option("--form", type=click.Choice(_FORMS), default="cosine",
              help="Magnitude with cosine or sine phase, cosine and sine coefficients, or the spectrum of a whole "
                   "clip, padded to a power of two.")  # fmt: skip
@click.option("--dof", "dofs", multiple=True, metavar="NAME", help="A dof to list, as LeftUpLeg.x; may be repeated.")
@click.option("--harmonics", type=click.IntRange(min=1), default=10, help="How many harmonics.")
@reading_options
@command
def spectrum(source: Path, form: str, dofs: tuple[str, ...], harmonics: int, **options: Any) -> Json:
    """List the harmonics of a cycle, or the spectrum of a clip.

    FILE is a motion or a stored cycle. Dofs are Euler angles and the root's height, travel and yaw rate. Without --dof
    the dofs that move most are listed. To draw them use mocapella render FILE OUT.png --show spectrum.
    """
    if form == "window":
        return _window(source, dofs, options)
    cycle = in_layout(_cycle(source, options), "euler")
    series = analyse(cycle, min(harmonics, (cycle.n_frames - 1) // 2))
    first, second = _columns(series.coefficients, form)
    sizes = np.abs(series.coefficients[1:]).sum(axis=0)
    names = list(dofs) or [cycle.layout.names[i] for i in np.argsort(-sizes)[:8]]
    words = ("cosine", "sine") if form == "series" else ("magnitude", "phase")
    listed = {}
    for name in names:
        at = cycle.layout.index(name)
        listed[name] = {words[0]: first[:, at].tolist(), words[1]: second[:, at].tolist()}
    rows = [
        (name, str(h), *(f"{listed[name][word][h]:.4f}" for word in words)) for name in names for h in range(len(first))
    ]
    say(table(("dof", ">h", *(f">{word}" for word in words)), rows))
    return {"form": form, "seconds": series.duration, "harmonics": len(first) - 1, "dofs": listed}


def _window(source: Path, dofs: tuple[str, ...], options: dict[str, Any]) -> Json:
    clip = read_motion(source, **options).captured
    vectors = curve_vectors(clip)
    curves = dict(zip(vectors.dofs, vectors.shape.reshape(len(vectors.dofs), -1), strict=True))
    unknown = [name for name in dofs if name not in curves]
    if unknown:
        raise MotionError(f"no dof {unknown[0]!r}; the first are {', '.join(vectors.dofs[:8])}")
    names = list(dofs) or sorted(curves, key=lambda name: -float(np.ptp(curves[name])))[:4]
    cycles, coefficients = windowed(np.stack([curves[name] for name in names], axis=1))
    frequencies = cycles * clip.frame_rate
    sizes = np.abs(coefficients)
    peaks = {name: float(frequencies[1 + int(np.argmax(sizes[1:, i]))]) for i, name in enumerate(names)}
    window = 2 * (len(cycles) - 1)
    say(
        f"{clip.n_frames} frames in a window of {window}",
        table(("dof", ">peak Hz"), [(n, f"{p:.3f}") for n, p in peaks.items()]),
    )
    return {
        "form": "window",
        "frames": clip.n_frames,
        "window": window,
        "frequencies": frequencies.tolist(),
        "dofs": {
            name: {"magnitude": sizes[:, i].tolist(), "phase": np.angle(coefficients[:, i]).tolist()}
            for i, name in enumerate(names)
        },
        "peaks": peaks,
    }


@click.command(cls=Command, example="mocapella curves walk.bvh -o walk.json --keys 20")
@click.argument("source", metavar="FILE", type=FILE)
@output_option("goal", metavar="OUT.json", required=True, help="The vectors to write.")
@click.option("--keys", type=click.IntRange(min=2), help="Keys per dof, evenly spaced; one per frame if left out.")
@reading_options
@command
def curves(source: Path, goal: Path, keys: int | None, **options: Any) -> Json:
    """Write a motion as one vector of curves and one of times."""
    check_output(goal, [".json"], [source])
    vectors = curve_vectors(read_motion(source, **options), keys)
    _write(goal, vectors.plain())
    say(f"{goal}: {len(vectors.dofs)} dofs of {vectors.n_keys} keys")
    return {"path": str(goal), "dofs": len(vectors.dofs), "keys": vectors.n_keys, "values": len(vectors.shape)}


@click.command(name="key-poses", cls=Command, example="mocapella key-poses walk.bvh -o states.json")
@click.argument("source", metavar="FILE", type=FILE)
@output_option("goal", metavar="OUT.json", help="The states to write.")
@reading_options
@command
def key_poses(source: Path, goal: Path | None, **options: Any) -> Json:
    """List the key poses of a gait as states, for physics tools.

    FILE is a motion or a stored cycle. States end where knees are bent most and least; each has a duration, target
    angles of key joints, and the planted feet.
    """
    check_output(goal, [".json"], [source])
    stored = source.suffix.lower() == ".moca"
    machine = find_key_poses(load_cycle(source) if stored else read_motion(source, **options))
    plain = machine.plain()
    if goal is not None:
        _write(goal, plain)
    rows = [(state.name, f"{state.duration:.3f}", ", ".join(state.planted) or "none") for state in machine.states]
    say(table(("state ends with", ">seconds", "planted"), rows), f"period {machine.period:.3f} s")
    return {**plain, "path": None if goal is None else str(goal)}


def _cycle(source: Path, options: dict[str, Any]) -> Cycle:
    return load_cycle(source) if source.suffix.lower() == ".moca" else prepare(read_motion(source, **options))


def _columns(coefficients: np.ndarray, form: str) -> tuple[np.ndarray, np.ndarray]:
    if form == "sine":
        return sine_series(coefficients)
    cosines, sines = to_series(coefficients)
    if form == "series":
        return cosines, sines
    sizes, phases = np.hypot(cosines, sines), np.arctan2(-sines, cosines)
    sizes[0], phases[0] = cosines[0], 0.0  # the mean has a sign, not a phase angle
    return sizes, np.where(sizes == 0.0, 0.0, phases)


def _write(path: Path, value: Json) -> None:
    with replacing(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(value), indent=1))
