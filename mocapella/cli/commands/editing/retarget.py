"""``mocapella retarget``: a motion retargeted to another skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.analysis.examined import examine
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import PICTURES, check_output, check_outputs, outputs_option, write_all
from mocapella.cli.printing import Json, command, say
from mocapella.editing.retarget import ENDS, Bodies
from mocapella.editing.retarget import retarget as carried
from mocapella.files.format_table import WRITABLE
from mocapella.files.formats import read_motion
from mocapella.measure.footskate import footing


@click.command(cls=Command, example="mocapella retarget walk.bvh person.asf -o on_person.amc")
@click.argument("source", metavar="IN", type=FILE)
@click.argument("body", metavar="SKELETON", type=FILE)
@outputs_option(metavar="OUT", help="The motion file to write; repeat it for several.")
@expert_option("--importance", "weights", multiple=True, type=(click.Choice(ENDS), float), metavar="END WEIGHT",
              help="Importance of the position of a hand or foot, from 0 (keep captured angles) to 1 (reach the "
                   "position); 1 for ankles, 0 for wrists.")  # fmt: skip
@click.option("--pin", "pins", multiple=True, type=(click.Choice(ENDS), float, float, float), metavar="END X Y Z",
              help="Hold a hand or foot at a place, metres; may be repeated.")  # fmt: skip
@expert_option("--object", "objects", multiple=True, type=(click.Choice(ENDS), float, float, float),
              metavar="END X Y Z",
              help="An object in IN that a hand or foot touches: near it, its position is reached.")  # fmt: skip
@click.option("--lock-feet/--as-captured", default=True,
              help="Lock feet where they rest in IN, or let them slide in proportion.")  # fmt: skip
@expert_option("--body-roles", type=FILE, help="A TOML file that maps roles to joint names of SKELETON.")
@click.option("--picture", metavar="OUT.png", type=FILE, help="Draw the motion on both bodies.")
@reading_options
@command
def retarget(source: Path, body: Path, outputs: tuple[Path, ...], weights: tuple[tuple[str, float], ...],
             pins: tuple[tuple[str, float, float, float], ...], objects: tuple[tuple[str, float, float, float], ...],
             lock_feet: bool, body_roles: Path | None, picture: Path | None, **options: Any) -> Json:  # fmt: skip
    """Retarget a motion to another skeleton.

    SKELETON is any motion file with the target skeleton, or an .asf. Joints are matched by role; their names, their
    number and the rest pose may differ. Steps keep their length in leg lengths.
    """
    check_outputs(outputs, WRITABLE, [source, body])
    check_output(picture, PICTURES, [source, body])
    clip, wanted = read_motion(source, **options), read_motion(body, roles=body_roles)
    bodies = Bodies.of(clip.skeleton, wanted.skeleton)
    retargeted = carried(
        clip,
        wanted,
        importance=dict(weights),
        pins={end: place for end, *place in pins},
        objects={end: place for end, *place in objects},
        lock_feet=lock_feet,
    )
    files = write_all(retargeted, outputs)
    plants = examine(clip.captured).plants
    slips = [footing(motion.captured, plants).slip_mm_max for motion in (clip, retargeted)]
    if picture is not None:
        from mocapella.pictures.edited import draw_beside

        draw_beside([clip, retargeted], picture, titles=[f"{clip.name}, as it was", f"on the body of {wanted.name}"])
    pairs = bodies.match.roles.items()
    roles = {role: wanted.skeleton.names[joint] for role, (_, joint) in pairs}
    named = ", ".join(files["files"])
    say(
        f"{named}: {retargeted.n_frames} frames, {len(roles)} roles, legs {bodies.scale:.3f} times as long",
        f"  planted feet slip by {slips[1]:.1f} mm at most, the original's by {slips[0]:.1f} mm",
    )
    if bodies.match.unmatched:
        say(f"  without a counterpart: {', '.join(bodies.match.unmatched)}")
    return {
        **files,
        "frames": retargeted.n_frames,
        "roles": roles,
        "source_roles": {role: clip.skeleton.names[joint] for role, (joint, _) in pairs},
        "unmatched": list(bodies.match.unmatched),
        "unused": list(bodies.match.unused),
        "scale": bodies.scale,
        "slip_mm_max": slips[1],
        "original": {"slip_mm_max": slips[0]},
    }
