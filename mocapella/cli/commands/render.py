"""``mocapella render``: a picture of a motion, a stored cycle or a network, plain or hybrid, for looking at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from mocapella.analysis.fourier import analyse
from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.cli.answers import as_json, command, out, print_json
from mocapella.cli.options.cycles import Steering, closing_options, split_steering, steering_options
from mocapella.cli.options.files import reading_options
from mocapella.errors import FormatError, MotionError
from mocapella.hybrid.network import HybridNetwork
from mocapella.measure.network import across
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.pictures.bodies import draw_contact_sheet, draw_moving_picture
from mocapella.pictures.maps import draw_sweep
from mocapella.pictures.networks import draw_hybrid, draw_network, draw_volume
from mocapella.pictures.signals import draw_closing, draw_cycles, draw_harmonics, draw_phase_angles, draw_plants
from mocapella.storage.values import load, load_cycle

TRACES = ("plants", "cycles", "closing", "spectrum")


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("picture", metavar="OUT.png", type=click.Path(path_type=Path))
@click.option(
    "--show",
    type=click.Choice(["poses", *TRACES, "map", "sweep"]),
    help="Of a motion: poses, or what was found, foot plants, cycles, how the best one closes, its harmonics. Of a "
    "network: its map, or a sweep: how fast pose, speed and turn change as the blending point goes across it.",
)
@click.option("--poses", default=10, show_default=True, help="How many poses, evenly spaced.")
@click.option("--frames", help="These frames instead, as 0,10,20; of closing and spectrum a cycle's first and last.")
@click.option("--dof", "dofs", multiple=True, metavar="NAME", help="Of a spectrum: bars of this dof; may be repeated.")
@click.option(
    "--beside", type=click.Path(path_type=Path), help="A second motion or stored cycle, for bars side by side."
)
@steering_options
@closing_options
@click.option("--mode", metavar="NAME", help="Of a hybrid network: what this operating mode opens.")
@click.option("--along", type=(float, float, float, float), metavar="X Y X Y", help="From where to where a sweep goes.")
@reading_options
@as_json
@command
def render(
    source: Path,
    picture: Path,
    show: str | None,
    poses: int,
    frames: str | None,
    dofs: tuple[str, ...],
    beside: Path | None,
    method: str,
    layout: str,
    limp: bool,
    smooth: float,
    mode: str | None,
    along: tuple[float, float, float, float] | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw FILE: a motion as a contact sheet, poses from the side, the front and above, and the way of the root.

    A picture called OUT.gif moves instead. A stored cycle (.moca) is drawn as two rounds of it, a network as a map, a
    hybrid network as a map of all its blocks with arcs between them; the options that say how to read a file do not
    matter to them. Cycles, closing and spectrum show the cycle that build would take with the same wishes.
    """
    chosen = None if frames is None else _frames(frames)
    steering, reading = split_steering(options)
    if (dofs or beside is not None) and show != "spectrum":
        raise click.UsageError("--dof and --beside say what --show spectrum draws")
    if beside is not None and not dofs:
        raise click.UsageError("two motions are compared dof by dof: name one or more with --dof")

    def closed(place: Path) -> Cycle:
        """The cycle of a file, stored or made."""
        if place.suffix.lower() == ".moca":
            return load_cycle(place)
        pair = None if place != source else _pair(chosen)
        return Steering.of(steering, pair).prepared(
            load(place, **reading), method=method, layout=layout, limp=limp, smooth=smooth
        )

    def draw_spectra(cycle: Cycle, path: Path) -> None:
        if not dofs:
            draw_harmonics(cycle, path)
            return
        motions = [cycle] if beside is None else [cycle, closed(beside)]
        draw_phase_angles([analyse(one) for one in motions], dofs, path)

    value = load(source) if source.suffix.lower() == ".moca" else load(source, **reading)
    if isinstance(value, Clip):
        clip, kind = value, "motion"
        pictures: dict[str, Callable[[Path], None]] = {
            "poses": partial(_draw_poses, clip, poses=poses, frames=chosen),
            "plants": partial(draw_plants, clip),
            "cycles": lambda path: _draw_cycles(clip, Steering.of(steering), path),
            "closing": lambda path: draw_closing(
                Steering.of(steering, _pair(chosen)).selection(clip).found, closed(source), path
            ),
            "spectrum": lambda path: draw_spectra(closed(source), path),
        }
    elif isinstance(value, Cycle):
        kind = "cycle"
        pictures = {
            "poses": partial(_draw_poses, value.to_clip(rounds=2), poses=poses, frames=chosen),
            "spectrum": partial(draw_spectra, value),
        }
    elif isinstance(value, Network | Cascade):
        kind, network = ("network", value) if isinstance(value, Network) else ("cascade", value.network)
        if network.n_axes == 2:
            pictures = {
                "map": partial(draw_network, network),
                "sweep": lambda path: draw_sweep(
                    network, path, stops=across(network) if along is None else (along[:2], along[2:])
                ),
            }
        else:
            kind, pictures = "network in space", {"map": partial(draw_volume, network)}
    elif isinstance(value, HybridNetwork):
        kind, pictures = "hybrid", {"map": partial(draw_hybrid, value, mode=mode, title=source.stem)}
    else:
        raise FormatError(source, 0, f"holds {value!r}; motions, cycles and networks can be drawn")
    if mode is not None and kind != "hybrid":
        raise MotionError(f"a {kind} has no operating modes; only a hybrid network has")
    wanted = show or next(iter(pictures))
    if wanted not in pictures:
        raise MotionError(f"a {kind} has no {wanted} to draw; expected --show with one of {', '.join(pictures)}")
    pictures[wanted](picture)
    if as_json:
        print_json({"path": str(picture)})
    else:
        out.print(f"{picture}")


def _draw_poses(clip: Clip, picture: Path, *, poses: int, frames: list[int] | None) -> None:
    if picture.suffix.lower() == ".gif":
        draw_moving_picture(clip, picture)
    else:
        draw_contact_sheet(clip, picture, poses=poses, frames=frames)


def _draw_cycles(clip: Clip, asked: Steering, path: Path) -> None:
    taken = asked.selection(clip).found
    draw_cycles(taken.examined, path, chosen=taken, **asked.wishes)


def _pair(frames: list[int] | None) -> tuple[int, int] | None:
    """Two frames that a cycle lies between."""
    if frames is None:
        return None
    if len(frames) != 2:
        raise click.BadParameter(f"expected first and last, as 120,262, got {frames}", param_hint="--frames")
    return frames[0], frames[1]


def _frames(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"expected frames as 0,10,20, got {text!r}", param_hint="--frames") from None
