"""``mocapella convert``: from one motion format to another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import SUFFIXES, gltf_options, onto_of, onto_options, reading_options
from mocapella.cli.options.outputs import check_output
from mocapella.cli.printing import Json, as_option, command, doubt, say, tracked
from mocapella.errors import MotionError
from mocapella.files.conventions import UNITS
from mocapella.files.disk import make_folder
from mocapella.files.format_table import WRITABLE
from mocapella.files.formats import motions_below
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.storage.values import load, save

_FORMATS = [suffix[1:] for suffix in dict.fromkeys((*WRITABLE, *SUFFIXES))]


@click.command(cls=Command, example="mocapella convert walk.bvh walk.glb")
@click.argument("source", metavar="IN", type=FILE)
@click.argument("goal", metavar="OUT", type=FILE)
@reading_options
@click.option("--to", "suffix", type=click.Choice(_FORMATS), help="Format of the files, if OUT is a folder.")
@expert_option("--out-unit", type=click.Choice(list(UNITS)), help="Length unit of a .bvh to write.")
@click.option("--out-rate", type=float, help="Frames per second to resample to.")
@click.option("--captured", is_flag=True, help="Leave out an artificial rest pose at the start.")
@expert_option(
    "--loop",
    is_flag=True,
    help="The motion repeats: in glTF the last key equals the first. Cycles are always written so.",
)
@expert_option("--strict", is_flag=True, help="With a folder: stop at the first file that cannot be converted.")
@gltf_options
@onto_options
@command
def convert(source: Path, goal: Path, suffix: str | None, out_unit: str | None, out_rate: float | None, captured: bool,
            loop: bool, strict: bool, **options: Any) -> Json:  # fmt: skip
    """Convert motion files to another format.

    The suffixes of IN and OUT set the formats. If IN is a folder, all motion files in it are converted into the folder
    OUT, to the format of --to; files that cannot be converted are left out and named. A cycle stored by ``mocapella
    cycles FILE -o CYCLE.moca`` is written as one closed cycle. An .amc is written with its .asf beside it. OUT appears
    only when it is complete.

    With --onto the motion is retargeted to your own character, with locked feet. OUT is then a copy of that character
    with one more animation; mesh, skin, materials and textures do not change.
    """
    onto, style = onto_of(options), gltf_options.of(options)
    if onto is not None:
        style = {**onto.style(style), "onto": onto.character}

    def convert_one(read: Path, written: Path) -> Json:
        check_output(written, WRITABLE if onto is None else SUFFIXES, [read, *filter(None, [options["skeleton"]])])
        motion = _motion(read, reading_options.of(options))
        if isinstance(motion, Clip):
            motion = motion.captured if captured else motion
            motion = motion if out_rate is None else motion.resampled(out_rate)
        elif out_rate is not None or captured:
            raise MotionError("a cycle is written as it is stored; --out-rate and --captured are for captures")
        save(motion, written, unit=out_unit, loop=loop or None, **style)
        return {"path": str(written), "format": written.suffix.lower()[1:], "frames": motion.n_frames}

    for place in (source, goal):
        if place.is_dir() and suffix is None:
            raise MotionError(f"{place} is a folder: name the format to write with --to")
    if not source.is_dir():
        answer = convert_one(source, goal / f"{source.stem}.{suffix}" if goal.is_dir() else goal)
    else:
        answer = {"path": str(goal), "format": suffix}
        answer |= _convert_folder(source, goal, str(suffix), convert_one, strict=strict)
    say(f"{answer['path']}: {answer['frames']} frames")
    return answer


def _convert_folder(
    source: Path, goal: Path, suffix: str, convert_one: Callable[[Path, Path], Json], *, strict: bool
) -> Json:
    """Convert the motion files of a folder; those that fail are named, unless all do or ``strict`` is set."""
    written: list[Json] = []
    failures: list[Json] = []
    paths = motions_below(source)
    for path in tracked("converting", paths):
        place = (goal / path.relative_to(source)).with_suffix(f".{suffix}")
        try:
            make_folder(place.parent)
            written.append(convert_one(path, place))
        except MotionError as error:
            if strict or len(failures) + 1 == len(paths):
                raise
            failures.append({"path": str(path), "reason": error.spelled(as_option)})
            doubt(f"left out: {failures[-1]['reason']}")
    return {"frames": sum(file["frames"] for file in written), "files": written, "failures": failures}


def _motion(path: Path, reading: dict[str, Any]) -> Clip | Cycle:
    """The clip or the stored cycle in a file."""
    if path.suffix.lower() != ".moca":
        clip: Clip = load(path, **reading)
        return clip
    value = load(path, **{name: given for name, given in reading.items() if given})
    if isinstance(value, Cycle):
        return value
    raise MotionError(f"{path} holds a network; write motions of it with mocapella play or mocapella export")
