"""``mocapella convert``: from one motion format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.cli.answers import Json, command, say, tracked
from mocapella.cli.options import FILE
from mocapella.cli.options.files import check_output, reading_options
from mocapella.errors import MotionError
from mocapella.files.conventions import UNITS
from mocapella.files.formats import WRITABLE, load, motions_below, save


@click.command()
@click.argument("source", metavar="IN", type=FILE)
@click.argument("goal", metavar="OUT", type=FILE)
@reading_options
@click.option("--to", "suffix", type=click.Choice([s[1:] for s in WRITABLE]), help="Format, where OUT is a folder.")
@click.option("--out-unit", type=click.Choice(list(UNITS)), help="Length unit of a .bvh to write.")
@click.option("--out-rate", type=float, help="Frames per second to resample to.")
@click.option("--captured", is_flag=True, help="Leave out an artificial rest pose at the start.")
@click.option("--loop", is_flag=True, help="glTF: end on a key equal to the first.")
@click.option("--in-place", is_flag=True, help="glTF: no travel over the ground.")
@command
def convert(
    source: Path,
    goal: Path,
    suffix: str | None,
    out_unit: str | None,
    out_rate: float | None,
    captured: bool,
    loop: bool,
    in_place: bool,
    **options: Any,
) -> Json:
    """Convert motion files to another format.

    The suffixes of IN and OUT say the formats. If IN is a folder, all motion files in it are converted into the folder
    OUT, to the format that --to names. An .amc is written with its .asf beside it. OUT appears only once it is
    complete.
    """

    def convert_one(read: Path, written: Path) -> Json:
        check_output(written, WRITABLE, [read])
        clip = load(read, **reading_options.of(options))
        clip = clip.captured if captured else clip
        clip = clip if out_rate is None else clip.resampled(out_rate)
        save(clip, written, unit=out_unit, loop=loop, in_place=in_place)
        return {"path": str(written), "format": written.suffix.lower()[1:], "frames": clip.n_frames}

    for place in (source, goal):
        if place.is_dir() and suffix is None:
            raise MotionError(f"{place} is a folder: name the format to write with --to")
    if not source.is_dir():
        answer = convert_one(source, goal / f"{source.stem}.{suffix}" if goal.is_dir() else goal)
    else:
        written = []
        for path in tracked("converting", motions_below(source)):
            place = (goal / path.relative_to(source)).with_suffix(f".{suffix}")
            place.parent.mkdir(parents=True, exist_ok=True)
            written.append(convert_one(path, place))
        total = sum(one["frames"] for one in written)
        answer = {"path": str(goal), "format": suffix, "frames": total, "files": written}
    say(f"{answer['path']}: {answer['frames']} frames")
    return answer
