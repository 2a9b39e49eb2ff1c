"""``mocapella mechanics``: motions compared with the laws of mechanics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.cli.options import FILE, Command
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.printing import Json, command, say, table
from mocapella.files.formats import read_motion
from mocapella.measure.mechanics import GRAVITY
from mocapella.measure.mechanics import mechanics as measured

_SHOWN = (("gravity", "gravity m/s²", 2), ("drift", "drift m/s", 2), ("pulling", "pulling %", 1),
          ("friction", "friction", 2), ("balance_cm_mean", "balance cm", 1), ("balance_cm", "at worst", 1))  # fmt: skip


@click.command(cls=Command, example="mocapella mechanics walk.bvh edited.bvh")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=FILE)
@reading_options
@command
def mechanics(files: tuple[Path, ...], **options: Any) -> Json:
    """Compare motions with the laws of mechanics.

    In flight, the centre of mass falls (gravity) and its velocity over the ground does not change (drift). In support,
    feet can push but not pull. Friction is horizontal over vertical force, 95th percentile. Balance is how far the
    centre of pressure lies outside the planted feet, mean and 95th percentile. Captures deviate a little, because of
    noise and because the body model has few segments: compare a motion with the captures that it was made from.
    """
    measurements = [{"path": str(path), **measured(read_motion(path, **options)).to_dict()} for path in files]
    rows = [
        (motion["path"], str(len(motion["flights"])),
         *("–" if motion[key] is None else f"{motion[key]:.{digits}f}" for key, _, digits in _SHOWN))
        for motion in measurements
    ]  # fmt: skip
    say(table(("file", ">flights", *(f">{heading}" for _, heading, _ in _SHOWN)), rows))
    if any(motion["gravity"] is not None for motion in measurements):
        say(f"gravity is {GRAVITY} m/s²")
    return {"files": measurements}
