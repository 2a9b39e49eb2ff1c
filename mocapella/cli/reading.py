"""Options that all commands share which read a motion file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mocapella.files.formats import READABLE
from mocapella.files.units import UNITS

_OPTIONS = (
    click.option("--skeleton", type=click.Path(path_type=Path), help="The .asf of an .amc file."),
    click.option("--unit", type=click.Choice(list(UNITS)), help="The file's length unit, instead of a guess."),
    click.option(
        "--roles", type=click.Path(path_type=Path), help="A TOML file that says which joint plays which role."
    ),
    click.option("--rate", "frame_rate", type=float, help="Frames per second of an .amc file, which states none."),
    click.option("--clean", is_flag=True, help="Bridge lost frames and one-frame jumps; say which."),
    click.option("--partial", is_flag=True, help="Use what there is of a file that ends too early."),
)


def reading_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of ``mocapella.load``, as keyword arguments of the same names."""
    for option in reversed(_OPTIONS):
        run = option(run)
    return run


def motion_files(places: tuple[Path, ...]) -> list[Path]:
    """The files named, and all motion files under the folders named, in order."""
    files: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(path for path in place.rglob("*") if path.suffix.lower() in READABLE and path.is_file())
            files.extend(inside)
        else:
            files.append(place)
    return files
