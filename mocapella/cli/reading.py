"""Options that all commands share which read a motion file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mocapella.files.formats import motions_below
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


def motion_files(places: tuple[Path, ...], *, skeletons: bool = False) -> list[Path]:
    """The files named, and all motion files under the folders named, in order.

    Skeletons are no motions: ``.asf`` files in folders are left out, and so are those named beside ``.amc`` files, as a
    shell does for ``07*``. With ``skeletons`` all of them are told.
    """
    files: list[Path] = []
    for place in places:
        files.extend(motions_below(place, skeletons=skeletons) if place.is_dir() else [place])
    if skeletons or all(path.suffix.lower() != ".amc" for path in files):
        return files
    return [path for path in files if path.suffix.lower() != ".asf"]
