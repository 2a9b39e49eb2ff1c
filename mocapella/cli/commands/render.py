"""``mocapella render``: a picture of a motion, a stored cycle or a network."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mocapella.analysis.examined import examine
from mocapella.analysis.fourier import analyse
from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.cycle_choice import CycleChoice, choice_options, closing_options
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import PICTURES, check_output
from mocapella.cli.printing import Json, command, progress, say
from mocapella.errors import FormatError, MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.coherence import across
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.pictures.bodies import MOVING_RATE, draw_contact_sheet, draw_moving_picture
from mocapella.pictures.hybrid_drawing import draw_hybrid
from mocapella.pictures.maps import draw_sweep
from mocapella.pictures.networks import draw_network, draw_volume
from mocapella.pictures.signals import draw_closing, draw_cycles, draw_harmonics, draw_phase_angles, draw_plants
from mocapella.storage.values import load, load_cycle


@dataclass(frozen=True)
class _Asked:
    """What to draw, and how: the values of the options."""

    source: Path
    picture: Path
    options: dict[str, Any]  # of reading, choosing and closing
    poses: int
    frames: list[int] | None
    dofs: tuple[str, ...]
    beside: Path | None
    mode: str | None
    along: tuple[float, float, float, float] | None

    @property
    def choice(self) -> CycleChoice:
        """Which cycle of the source to take."""
        if self.frames is not None and len(self.frames) != 2:
            raise click.BadParameter(f"expected first and last, as 120,262, got {self.frames}", param_hint="--frames")
        return CycleChoice.of(self.options, (self.frames[0], self.frames[1]) if self.frames else None)

    def closed(self, clip: Clip) -> Cycle:
        """The cycle of the source, closed."""
        return self.choice.prepared(clip, **closing_options.of(self.options))

    def closed_beside(self) -> list[Cycle]:
        """The cycle of the motion to compare with, stored or made; nothing if there is none."""
        if self.beside is None:
            return []
        if self.beside.suffix.lower() == ".moca":
            return [load_cycle(self.beside)]
        clip = load(self.beside, **reading_options.of(self.options))
        return [CycleChoice.of(self.options).prepared(clip, **closing_options.of(self.options))]


def _draw_poses(clip: Clip, asked: _Asked) -> None:
    if asked.picture.suffix.lower() == ".gif":
        with progress("drawing", math.ceil(clip.captured.seconds * MOVING_RATE)) as tick:
            draw_moving_picture(clip, asked.picture, progress=tick)
    else:
        draw_contact_sheet(clip, asked.picture, poses=asked.poses, frames=asked.frames)


def _draw_cycles(clip: Clip, asked: _Asked) -> None:
    choice = CycleChoice.of(asked.options)
    taken = choice.selection(clip).cycle
    draw_cycles(taken.source(examine(clip)), asked.picture, chosen=taken, **choice.wishes)


def _draw_closing(clip: Clip, asked: _Asked) -> None:
    draw_closing(asked.choice.selection(clip).cycle, asked.closed(clip), asked.picture)


def _draw_spectrum(cycle: Cycle, asked: _Asked) -> None:
    if asked.dofs:
        draw_phase_angles([analyse(drawn) for drawn in (cycle, *asked.closed_beside())], asked.dofs, asked.picture)
    else:
        draw_harmonics(cycle, asked.picture)


def _draw_sweep(network: Network, asked: _Asked) -> None:
    stops = across(network) if asked.along is None else (asked.along[:2], asked.along[2:])
    draw_sweep(network, asked.picture, stops=stops)


@dataclass(frozen=True)
class _View:
    """A picture that ``--show`` offers."""

    about: str
    of: dict[str, Callable[[Any, _Asked], None]]  # by kind of file


# The first view that a kind of file has is the one it is drawn as without --show.
VIEWS = {
    "poses": _View(
        "poses from the side, the front and above, and the path of the root",
        {"motion": _draw_poses, "cycle": lambda cycle, asked: _draw_poses(cycle.to_clip(rounds=2), asked)},
    ),
    "plants": _View(
        "heights and speeds of heels and toes, and foot plants",
        {"motion": lambda clip, asked: draw_plants(clip, asked.picture)},
    ),
    "cycles": _View("the cycles found, and the one that build takes", {"motion": _draw_cycles}),
    "closing": _View("that cycle as captured and as closed", {"motion": _draw_closing}),
    "spectrum": _View(
        "its harmonics; with --dof as bars, beside those of --beside",
        {"motion": lambda clip, asked: _draw_spectrum(asked.closed(clip), asked), "cycle": _draw_spectrum},
    ),
    "map": _View(
        "nodes and what joins them",
        {
            "network": lambda network, asked: draw_network(network, asked.picture),
            "network in space": lambda network, asked: draw_volume(network, asked.picture),
            "hybrid": lambda hybrid, asked: draw_hybrid(
                hybrid, asked.picture, mode=asked.mode, title=asked.source.stem
            ),
        },
    ),
    "sweep": _View("how pose, speed and turn change as the point crosses a network", {"network": _draw_sweep}),
}
_LISTED = "\n".join(f"{name:10}{', '.join(view.of)}: {view.about}" for name, view in VIEWS.items())


def _frames(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    try:
        return None if text is None else [int(word) for word in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"expected frames as 0,10,20, got {text!r}") from None


@click.command(epilog=f"\b\nViews, and the kinds of files that have them:\n{_LISTED}", cls=Command,
               example="mocapella render walk.bvh sheet.png --poses 12")  # fmt: skip
@click.argument("source", metavar="FILE", type=FILE)
@click.argument("picture", metavar="OUT.png", type=FILE)
@click.option("--show", type=click.Choice(list(VIEWS)),
              help="What to draw; the first view of the file's kind if left out.")  # fmt: skip
@click.option("--poses", default=10, help="How many poses, evenly spaced.")
@click.option("--frames", callback=_frames,
              help="These frames instead, as 0,10,20; for closing and spectrum the ends of the cycle.")  # fmt: skip
@click.option("--dof", "dofs", multiple=True, metavar="NAME",
              help="A dof that spectrum draws as bars; may be repeated.")  # fmt: skip
@click.option("--beside", type=FILE, help="A second motion or stored cycle, to compare with --dof.")
@choice_options
@closing_options
@expert_option("--mode", metavar="NAME", help="Hybrid network: draw what this operating mode opens.")
@expert_option("--along", type=(float, float, float, float), metavar="X Y X Y", help="Start and end of a sweep.")
@reading_options
@command
def render(source: Path, picture: Path, show: str | None, **options: Any) -> Json:
    """Draw a motion, a stored cycle or a network.

    OUT is a .png, .svg or .pdf; poses can also be an animated .gif. Without --show a motion is drawn as a contact sheet
    of poses, a stored cycle as two repetitions of it, a network as a map. Cycles, closing and spectrum show the cycle
    that build uses with the same options. Options for reading motion files have no effect on a .moca file.
    """
    shared = {
        name: options.pop(name) for name in (*reading_options.names, *choice_options.names, *closing_options.names)
    }
    asked = _Asked(source, picture, shared, **options)
    if (asked.dofs or asked.beside is not None) and show != "spectrum":
        raise click.UsageError("--dof and --beside need --show spectrum")
    if asked.beside is not None and not asked.dofs:
        raise click.UsageError("--beside needs --dof: two motions are compared dof by dof")
    check_output(picture, [*PICTURES, ".gif"], [source, *filter(None, [asked.beside])])
    kind, subject = _load(source, reading_options.of(shared))
    if asked.mode is not None and kind != "hybrid":
        raise MotionError(f"a {kind} has no operating modes; only a hybrid network has")
    views = {name: view.of[kind] for name, view in VIEWS.items() if kind in view.of}
    wanted = show or next(iter(views))
    if wanted not in views:
        raise MotionError(f"a {kind} has no {wanted} to draw; expected --show with one of {', '.join(views)}")
    with nullcontext() if picture.suffix.lower() == ".gif" else progress("drawing", None):  # that has a bar of its own
        views[wanted](subject, asked)
    say(str(picture))
    return {"path": str(picture)}


def _load(path: Path, reading: dict[str, Any]) -> tuple[str, Any]:
    """What a file holds: its kind, and the value."""
    value = load(path) if path.suffix.lower() == ".moca" else load(path, **reading)
    if isinstance(value, Cascade):
        value = value.network
    kinds = {Clip: "motion", Cycle: "cycle", HybridNetwork: "hybrid", Network: "network"}
    kind = next((name for kind, name in kinds.items() if isinstance(value, kind)), None)
    if kind is None:
        raise FormatError(path, 0, f"holds {value!r}; motions, cycles and networks can be drawn")
    return ("network in space" if kind == "network" and value.n_axes != 2 else kind), value
