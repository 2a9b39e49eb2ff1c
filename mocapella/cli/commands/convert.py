"""``mocapella convert``: from one motion format to another."""

from __future__ import annotations

import re
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
from mocapella.files.format_table import FORMATS, WRITABLE, split_animation
from mocapella.files.formats import motions_below, used_motions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.storage.values import load, save

_ODD = re.compile(r'[\x00-\x1f<>:"|?*]')  # letters that some systems refuse in names of files
_MOST_NAMES = 8  # of animations in an error
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
    OUT, to the format of --to; files that cannot be converted are left out and named. All animations of a file go into
    one file of a format that holds several, else each into its own, FILE#ANIMATION, in the folder OUT; --animation, or
    an IN such as pack.glb#Walk, chooses. A cycle stored by ``mocapella cycles FILE -o CYCLE.moca`` is written as one
    closed cycle. An .amc is written with its .asf beside it. OUT appears only when it is complete.

    With --onto the motion is retargeted to your own character, with locked feet. OUT is then a copy of that character
    with one more animation; mesh, skin, materials and textures do not change.
    """
    onto, style = onto_of(options), gltf_options.of(options)
    if onto is not None:
        style = {**onto.style(style), "onto": onto.character}

    def changed(motion: Clip | Cycle) -> Clip | Cycle:
        if isinstance(motion, Clip):
            motion = motion.captured if captured else motion
            return motion if out_rate is None else motion.resampled(out_rate)
        if out_rate is not None or captured:
            raise MotionError("a cycle is written as it is stored; --out-rate and --captured are for captures")
        return motion

    def convert_one(read: Path, written: Path) -> list[Json]:
        files = [read, *filter(None, [options["skeleton"]])]
        check_output(written, WRITABLE if onto is None else SUFFIXES, files)
        motions = {name: changed(motion) for name, motion in _motions(read, reading_options.of(options)).items()}
        answers: list[Json] = []
        for place, names in _places(list(motions), written, apart=in_folder, onto=onto is not None).items():
            check_output(place, [place.suffix.lower()], files)
            chosen = [motions[name] for name in names]
            save(chosen if len(chosen) > 1 else chosen[0], place, unit=out_unit, loop=loop or None, **style)
            frames = sum(motion.n_frames for motion in chosen)
            answers.append({"path": str(place), "format": place.suffix.lower()[1:], "frames": frames})
        return answers

    for place in (source, goal):
        if place.is_dir() and suffix is None:
            raise MotionError(f"{place} is a folder: name the format to write with --to")
    in_folder = suffix is not None and (source.is_dir() or goal.is_dir() or not goal.suffix)
    if not source.is_dir():
        if in_folder:
            make_folder(goal)
        answers = convert_one(source, goal / f"{split_animation(source)[0].stem}.{suffix}" if in_folder else goal)
        answer = answers[0] if len(answers) == 1 else _summed(goal, str(suffix), answers)
    else:
        answer = _convert_folder(source, goal, str(suffix), convert_one, strict=strict)
    say(f"{answer['path']}: {answer['frames']} frames")
    return answer


def _summed(goal: Path, suffix: str, answers: list[Json]) -> Json:
    """The answer about several files."""
    return {"path": str(goal), "format": suffix, "frames": sum(file["frames"] for file in answers), "files": answers}


def _places(names: list[str], written: Path, *, apart: bool, onto: bool) -> dict[Path, list[str]]:
    """The files that the motions of one file go to: one for all if its format takes several, else one for each.

    ``apart`` says whether it is in a folder, where others may lie beside it.
    """
    if len(names) == 1 or onto or FORMATS[written.suffix.lower()].several:
        return {written: names}
    if not apart:
        listed = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
        raise MotionError(
            f"{written.suffix.lower()} holds one motion, and there are {len(names)}: {listed}",
            helps="choose one with --animation, or name a folder as OUT and the format with --to",
        )
    return {written.with_name(f"{written.stem}#{_ODD.sub('_', name)}{written.suffix}"): [name] for name in names}


def _convert_folder(
    source: Path, goal: Path, suffix: str, convert_one: Callable[[Path, Path], list[Json]], *, strict: bool
) -> Json:
    """Convert the motion files of a folder; those that fail are named, unless all do or ``strict`` is set."""
    written: list[Json] = []
    failures: list[Json] = []
    paths = motions_below(source)
    for path in tracked("converting", paths):
        place = (goal / path.relative_to(source)).with_suffix(f".{suffix}")
        try:
            make_folder(place.parent)
            written += convert_one(path, place)
        except MotionError as error:
            if strict or len(failures) + 1 == len(paths):
                raise
            failures.append({"path": str(path), "reason": error.spelled(as_option)})
            doubt(f"left out: {failures[-1]['reason']}")
    return _summed(goal, suffix, written) | {"failures": failures}


def _motions(path: Path, reading: dict[str, Any]) -> dict[str, Clip | Cycle]:
    """The clips, or the stored cycle, in a file, by the names of animations."""
    if path.suffix.lower() == ".moca":
        value = load(path, **{name: given for name, given in reading.items() if given})
        if not isinstance(value, Cycle):
            raise MotionError(f"{path} holds a network; write motions of it with mocapella play or mocapella export")
        return {value.name: value}
    clips: dict[str, Clip | Cycle] = {}
    for motion in used_motions(path, **reading):
        clip = motion.read()
        name = split_animation(motion.path)[1] or clip.name
        clips[name] = clip.renamed(name)
    return clips
