"""Options of commands that read motion files, and the files that their arguments stand for."""

from __future__ import annotations

from pathlib import Path

import click

from mocapella.cli.options import FILE, Options
from mocapella.files.conventions import UNITS
from mocapella.files.formats import motions_below
from mocapella.files.gltf.bones import BONES
from mocapella.files.gltf.style import ROOT_MOTIONS
from mocapella.rig.naming import NAMINGS
from mocapella.rig.standing import TO_Y

# The keyword arguments of ``mocapella.load``, under the same names.
reading_options = Options(
    click.option("--skeleton", type=FILE, help="The .asf of an .amc file, or the body model of an .npz."),
    click.option("--unit", type=click.Choice(list(UNITS)), help="Length unit of the file; inferred if left out."),
    click.option("--up", type=click.Choice(list(TO_Y)), help="The axis that points up; inferred if left out."),
    click.option("--roles", type=FILE, help="A TOML file that maps roles to joint names."),
    click.option(
        "--rate",
        "frame_rate",
        type=float,
        help="Frames per second; if left out that of the file, or 120 for an .amc without one.",
    ),
    click.option("--animation", metavar="NAME", help="The animation of a glTF or FBX file, by name or number."),
    click.option("--clean", is_flag=True, help="Interpolate lost frames and one-frame jumps, and report them."),
    click.option("--partial", is_flag=True, help="Accept a file that ends too early; use the frames it has."),
)

# What ``mocapella.save`` takes for motion files that other programs open, under the same names.
gltf_options = Options(
    click.option("--in-place", is_flag=True, help="No travel over the ground."),
    click.option(
        "--names",
        type=click.Choice(["as-captured", *NAMINGS]),
        default="as-captured",
        help="Joint names as a program expects them.",
    ),
    click.option(
        "--root-motion",
        type=click.Choice(ROOT_MOTIONS),
        default="hips",
        help="glTF: the bone that travels; root is a bone on the ground.",
    ),
    click.option(
        "--bones",
        type=click.Choice(BONES),
        default="limbs",
        help="glTF: bones along the limbs and a standing rest pose, or both as captured.",
    ),
    click.option("--body/--no-body", default=True, help="glTF: include a plain body."),
)


def motion_files(places: tuple[Path, ...], *, skeletons: bool = False) -> list[Path]:
    """The files named, and all motion files in the folders named or below them, in order.

    ``.asf`` files are skeletons without motion: they are left out in folders and where ``.amc`` files are named too, as
    a shell does for ``07*``. ``skeletons`` keeps them.
    """
    files: list[Path] = []
    for place in places:
        files.extend(motions_below(place, skeletons=skeletons) if place.is_dir() else [place])
    if skeletons or all(path.suffix.lower() != ".amc" for path in files):
        return files
    return [path for path in files if path.suffix.lower() != ".asf"]
