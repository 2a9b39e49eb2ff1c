"""Options of motion files: how they are read and written, and onto which character."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mocapella.cli.options import FILE, Options, expert_option
from mocapella.files.conventions import UNITS
from mocapella.files.formats import motions_below
from mocapella.files.gltf.bones import BONES
from mocapella.files.gltf.skinned_character import CHARACTERS, Character, read_character
from mocapella.files.gltf.style import ROOT_MOTIONS
from mocapella.rig.naming import NAMINGS
from mocapella.rig.standing import TO_Y

animation_option = expert_option(
    "--animation", metavar="NAME", multiple=True, callback=lambda *given: given[-1] or None,
    help="The animation of a file with several, by name, number or pattern, such as Walk*. Commands that take many "
         "motions take all if left out, and the option more than once.",
)  # fmt: skip

# The keyword arguments of ``mocapella.load``, under the same names.
reading_options = Options(
    click.option("--skeleton", type=FILE,
                 help="The .asf of an .amc file, the body model of an .npz, or a static trial for a .trc or .c3d."),
    expert_option("--unit", type=click.Choice(list(UNITS)), help="Length unit of the file; inferred if left out."),
    expert_option("--up", type=click.Choice(list(TO_Y)), help="The axis that points up; inferred if left out."),
    expert_option("--roles", type=FILE, help="A TOML file that maps roles to joint names."),
    expert_option("--rate", "frame_rate", type=float,
                  help="Frames per second; if left out that of the file, or 120 for an .amc without one."),
    animation_option,
    click.option("--clean", is_flag=True, help="Interpolate lost frames and one-frame jumps, and report them."),
    expert_option("--partial", is_flag=True, help="Accept a file that ends too early; use the frames it has."),
)  # fmt: skip

# What ``mocapella.save`` takes for motion files that other programs open, under the same names.
gltf_options = Options(
    click.option("--in-place", is_flag=True, help="No travel over the ground."),
    expert_option("--names", type=click.Choice(["as-captured", *NAMINGS]), default="as-captured",
                  help="Joint names as a program expects them."),
    expert_option("--root-motion", type=click.Choice(ROOT_MOTIONS), default="hips",
                  help="glTF: the bone that travels; root is a bone on the ground."),
    expert_option("--bones", type=click.Choice(BONES), default="limbs",
                  help="glTF: bones along the limbs and a standing rest pose, or both as captured."),
    expert_option("--body/--no-body", default=True, help="glTF: include a plain body."),
)  # fmt: skip


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


onto_options = Options(
    click.option("--onto", metavar="CHARACTER", type=FILE, help="Retarget to this skinned character, .glb or .vrm."),
    expert_option("--onto-roles", type=FILE, help="A TOML file that maps roles to joints of the character."),
    expert_option("--replace-animations", is_flag=True, help="Remove the animations that the character already has."),
)
SUFFIXES = CHARACTERS  # of files that are written onto a character


@dataclass(frozen=True, eq=False)
class Onto:
    """A character to write motions onto, and whether its animations are kept."""

    character: Character
    animations: str

    def style(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Options of ``save_onto`` among the values of ``gltf_options``.

        Raises ``click.UsageError`` for options that change names, bones or the body, which a character keeps.
        """
        if values["names"] != "as-captured" or values["bones"] != "limbs" or not values["body"]:
            raise click.UsageError("a character of --onto keeps its names, bones and body: leave these options out")
        return {name: values[name] for name in ("in_place", "root_motion")} | {"animations": self.animations}


def onto_of(options: Mapping[str, Any]) -> Onto | None:
    """The character to write motions onto, from the values of ``onto_options``; None where none is named.

    Raises ``click.UsageError`` where other options are given that need a character.
    """
    if options["onto"] is None:
        if options["onto_roles"] is not None or options["replace_animations"]:
            raise click.UsageError("--onto-roles and --replace-animations need --onto")
        return None
    character = read_character(options["onto"], roles=options["onto_roles"])
    return Onto(character, "replace" if options["replace_animations"] else "keep")
