"""Options of commands that write motions onto the user's own character."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from mocapella.cli.options import FILE, Options
from mocapella.files.gltf.character import CHARACTERS, Character, read_character

onto_options = Options(
    click.option("--onto", metavar="CHARACTER", type=FILE, help="Retarget to this skinned character, .glb or .vrm."),
    click.option("--onto-roles", type=FILE, help="A TOML file that maps roles to joints of the character."),
    click.option("--replace-animations", is_flag=True, help="Remove the animations that the character already has."),
)
SUFFIXES = CHARACTERS  # of files that are written onto a character


@dataclass(frozen=True, eq=False)
class Onto:
    """A character to write motions onto, and whether its animations are kept."""

    character: Character
    animations: str

    def style(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What ``mocapella.storage.onto.save_onto`` takes of the values of ``gltf_options``.

        Returns how the character travels, and ``animations``. Raises ``click.UsageError`` where others are given: its
        joints have the names, axes and body that they have.
        """
        if values["names"] != "as-captured" or values["bones"] != "limbs" or not values["body"]:
            raise click.UsageError("a character of --onto keeps its names, bones and body: leave these options out")
        return {name: values[name] for name in ("in_place", "root_motion")} | {"animations": self.animations}


def onto_of(options: Mapping[str, Any]) -> Onto | None:
    """The character to write motions onto.

    ``options`` are the values of ``onto_options``, others among them. Returns None where none is named. Raises
    ``click.UsageError`` where options are given that need a character.
    """
    if options["onto"] is None:
        if options["onto_roles"] is not None or options["replace_animations"]:
            raise click.UsageError("--onto-roles and --replace-animations need --onto")
        return None
    character = read_character(options["onto"], roles=options["onto_roles"])
    return Onto(character, "replace" if options["replace_animations"] else "keep")
