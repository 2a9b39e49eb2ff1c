"""``mocapella convert``: from one motion format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.progress import track

from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.cli.options.files import reading_options
from mocapella.errors import MotionError
from mocapella.files.conventions import UNITS
from mocapella.files.formats import WRITABLE, load, motions_below, save


@click.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("goal", metavar="OUT", type=click.Path(path_type=Path))
@reading_options
@click.option("--to", "suffix", type=click.Choice([s[1:] for s in WRITABLE]), help="Format, where OUT is a folder.")
@click.option("--out-unit", type=click.Choice(list(UNITS)), help="Length unit of a .bvh to write.")
@click.option("--out-rate", type=float, help="Frames per second to resample to.")
@click.option("--captured", is_flag=True, help="Leave out an artificial rest pose at the start.")
@click.option("--loop", is_flag=True, help="glTF: end on a key equal to the first.")
@click.option("--in-place", is_flag=True, help="glTF: no travel over the ground.")
@as_json
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
    as_json: bool,
    **options: Any,
) -> None:
    """Read IN and write it as OUT; the suffixes say the formats.

    Where IN is a folder, all motion files in it are converted into the folder OUT, to the format that --to names.
    An .amc is written with its .asf beside it. OUT appears only once it is complete.
    """

    def convert_one(read: Path, written: Path) -> dict[str, Any]:
        clip = load(read, **options)
        clip = clip.captured if captured else clip
        clip = clip if out_rate is None else clip.resampled(out_rate)
        save(clip, written, unit=out_unit, loop=loop, in_place=in_place)
        return {"path": str(written), "format": written.suffix.lower()[1:], "frames": clip.n_frames}

    if not source.is_dir():
        if goal.is_dir():
            if suffix is None:
                raise MotionError(f"{goal} is a folder: name the file, or the format with --to")
            goal = goal / f"{source.stem}.{suffix}"
        answer = convert_one(source, goal)
    else:
        if suffix is None:
            raise MotionError(f"{source} is a folder: name the format of what to write with --to")
        written = []
        files = motions_below(source)
        hidden = as_json or not err.is_terminal
        for path in track(files, "converting", console=err, disable=hidden, transient=True):
            place = (goal / path.relative_to(source)).with_suffix(f".{suffix}")
            place.parent.mkdir(parents=True, exist_ok=True)
            written.append(convert_one(path, place))
        total = sum(one["frames"] for one in written)
        answer = {"path": str(goal), "format": suffix, "frames": total, "files": written}
    if as_json:
        print_json(answer)
    else:
        out.print(f"{answer['path']}: {answer['frames']} frames")
