"""``mocapella render``: a picture of a motion file, for looking at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.cli.answers import as_json, command, out, print_json
from mocapella.cli.reading import reading_options
from mocapella.files.formats import load
from mocapella.pictures.contact_sheet import draw_contact_sheet
from mocapella.pictures.moving import draw_moving_picture
from mocapella.pictures.traces import draw_closing, draw_cycles, draw_plants, draw_spectrum

TRACES = {"plants": draw_plants, "cycles": draw_cycles, "closing": draw_closing, "spectrum": draw_spectrum}


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("picture", metavar="OUT.png", type=click.Path(path_type=Path))
@click.option(
    "--show",
    type=click.Choice(["poses", *TRACES]),
    default="poses",
    show_default=True,
    help="Poses, or what was found: foot plants, cycles, how the best one closes, its harmonics.",
)
@click.option("--poses", default=10, show_default=True, help="How many poses, evenly spaced.")
@click.option("--frames", help="These frames instead, as 0,10,20.")
@reading_options
@as_json
@command
def render(
    source: Path, picture: Path, show: str, poses: int, frames: str | None, as_json: bool, **options: Any
) -> None:
    """Draw FILE as a contact sheet: poses from the side, the front and above, and the way of the root.

    A picture called OUT.gif moves instead.
    """
    chosen = None if frames is None else _frames(frames)
    clip = load(source, **options)
    if show in TRACES:
        TRACES[show](clip, picture)
    elif picture.suffix.lower() == ".gif":
        draw_moving_picture(clip, picture)
    else:
        draw_contact_sheet(clip, picture, poses=poses, frames=chosen)
    if as_json:
        print_json({"path": str(picture)})
    else:
        out.print(f"{picture}")


def _frames(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"expected frames as 0,10,20, got {text!r}", param_hint="--frames") from None
