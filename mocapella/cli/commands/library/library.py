"""``mocapella library``: captures in folders, labelled and found again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from mocapella.cli.commands.library.layers import COMMANDS
from mocapella.cli.options import FILE, Group, expert_option
from mocapella.cli.options import library_folder as _folder
from mocapella.cli.options.outputs import PICTURES, check_output
from mocapella.cli.printing import Json, bars, command, doubt, say, table
from mocapella.errors import MotionError
from mocapella.library.database import repaired, salvaged, set_aside
from mocapella.library.entries import Found, file_of
from mocapella.library.queries import find, find_like
from mocapella.library.store import Library

_DRAWN = 8  # stretches in a picture


@click.group(cls=Group, example="mocapella library add captures/")
def library() -> None:
    """Search captures, make new ones of them, ask by numbers."""


for _command in COMMANDS:
    library.add_command(_command)


@library.command("add", example="mocapella library add captures/")
@click.argument("places", metavar="FOLDER…", nargs=-1, required=True, type=FILE)
@_folder
@expert_option("--workers", type=click.IntRange(0, 256), help="Worker processes; one per processor if left out.")
@expert_option("--scheduler", metavar="ADDRESS", help="Read files on this Dask cluster instead: tcp://HOST:PORT.")
@click.option("--take", is_flag=True, help="Copy the files into the folder of the library.")
@command
def add(places: tuple[Path, ...], folder: Path, **options: Any) -> Json:
    """Add the motion files of folders to a library.

    Files stay where they are, unless --take is given. Known files are skipped, so the command can be repeated, and
    continues where it was interrupted. A file that cannot be read is named, and the others are still added. Every
    animation of a file is a capture, FILE#ANIMATION.
    """
    with Library.at(folder, create=True) as opened:
        return _add(opened, places, **options)


@library.command("find", example="mocapella library find walk speed:1.0..1.3 turn:left")
@click.argument("query", nargs=-1)
@click.option("--like", metavar="FILE", type=FILE, help="Find motions similar to this file.")
@click.option("--frames", type=(int, int), metavar="FIRST LAST", help="Use only these frames of --like.")
@click.option("--most", type=click.IntRange(1, 10_000), default=20, help="Number of results.")
@click.option("--picture", metavar="FILE", type=FILE, help="Draw the first eight.")
@_folder
@command
def _find(query: tuple[str, ...], like: Path | None, frames: tuple[int, int] | None, most: int, picture: Path | None,
          folder: Path) -> Json:  # fmt: skip
    """Find motions: ``mocapella library find walk speed:1.0..1.3 turn:left happy``.

    A query has kinds (walk, run, turn, stand, change, other), figures or ranges (speed, turn, slope, step, seconds,
    height), turn:left, turn:right, turn:straight, and words of file names, folders and text files beside the captures.
    With --like motions come nearest first, compared second by second; --frames 120 120 looks for a pose.
    """
    if not query and like is None:
        raise click.UsageError("say what to look for: words, figures, or --like FILE")
    if frames is not None and like is None:
        raise click.UsageError("--frames needs --like")
    check_output(picture, PICTURES)
    words = " ".join(query)
    with Library.at(folder) as opened:
        stretches = find(opened, words, most=most) if like is None else _similar(opened, like, frames, words, most)
    if not stretches:
        say("nothing fits; mocapella library list shows what there is")
        return {"clips": [], "picture": None}
    if picture is not None:
        _draw(stretches, picture)
    titles = ["", ">start", ">s", "kind", ">m/s", ">°/s", *([">apart"] if like else []), "file"]
    say(table(titles, _rows(stretches, like)))
    clips = [asdict(stretch) | {"labels": [stretch.kind, *stretch.words]} for stretch in stretches]
    return {"clips": clips, "picture": None if picture is None else str(picture)}


def _similar(opened: Library, like: Path, frames: tuple[int, int] | None, words: str, most: int) -> list[Found]:
    """Stretches that are like a file, or some frames of it; only those that fit the words, where there are any."""
    from mocapella.files.formats import read_motion  # takes long to import, and words do not need it

    example = read_motion(like)
    fitting = {(stretch.path, stretch.kind) for stretch in find(opened, words, most=1_000_000)} if words else None
    return find_like(
        opened,
        example if frames is None else example[frames[0] : frames[1] + 1],
        most=most,
        keep=lambda stretch: fitting is None or (stretch.path, stretch.kind) in fitting,
    )


def _draw(stretches: list[Found], picture: Path) -> None:
    """Poses of the first stretches that were found, one below the other."""
    from mocapella.files.formats import read_motion
    from mocapella.pictures.edited import draw_beside

    shown = stretches[:_DRAWN]
    clips = [read_motion(stretch.path)[stretch.start : stretch.start + stretch.frames] for stretch in shown]
    titles = [f"{stretch.name}: {stretch.kind}, {stretch.speed:.2f} m/s, {stretch.turn:+.0f} °/s" for stretch in shown]
    draw_beside(clips, picture, titles=titles)


@library.command("check", example="mocapella library check")
@_folder
@command
def check(folder: Path) -> Json:
    """Report what is wrong with a library: a damaged database, captures that are missing or have changed."""
    with Library.at(folder) as opened:
        faults, captures = opened.check(), len(opened)
        failed, doubled = opened.failures(), opened.duplicates()
    say(f"{folder}: {captures} captures, {len(doubled)} of them duplicates, {len(failed)} files could not be read")
    for fault in faults:
        doubt(fault)
    return {
        "captures": captures,
        "faults": faults,
        "failures": [{"path": path, "reason": reason} for path, reason in failed],
        "duplicates": [{"path": path, "of": other} for path, other in doubled],
    }


@library.command("forget", example="mocapella library forget captures/old")
@click.argument("places", metavar="[FILE|FOLDER…]", nargs=-1, type=FILE)
@click.option("--gone", is_flag=True, help="All captures with missing files.")
@_folder
@command
def forget(places: tuple[Path, ...], gone: bool, folder: Path) -> Json:
    """Take captures out of a library; their files stay.

    Recipes of virtual clips stay as well: those that need a capture that is forgotten say so when they are made.
    """
    if not places and not gone:
        raise click.UsageError("name files or folders, or say --gone")
    with Library.at(folder) as opened:
        captures = sorted(opened.known())
        named = [place.absolute() for place in places]
        for place in named:
            if not any(_lies_in(path, place) for path in captures):
                raise MotionError(f"the library in {folder} knows no capture at {place}")
        out = [
            path
            for path in captures
            if any(_lies_in(path, place) for place in named) or (gone and not file_of(Path(path)).exists())
        ]
        opened.forget(out)
        say(f"{folder}: {len(out)} files are forgotten, {len(opened)} captures are left")
        return {"forgotten": out, "captures": len(opened)}


def _lies_in(capture: str, place: Path) -> bool:
    """Whether a capture is the one at a place, of the file there, or in the folder."""
    return Path(capture).is_relative_to(place) or file_of(Path(capture)) == place


@library.command("repair", example="mocapella library repair captures/")
@click.argument("places", metavar="[FOLDER…]", nargs=-1, type=FILE)
@_folder
@expert_option("--workers", type=click.IntRange(0, 256), help="Worker processes; one per processor if left out.")
@command
def repair(places: tuple[Path, ...], folder: Path, workers: int | None) -> Json:
    """Rebuild a library from its captures when its database is damaged or lost.

    The old database is kept beside the new one under a name that ends in .damaged. A repair that is interrupted goes on
    when the command is repeated. Where not even the paths can be read
    from it, name the folders again.
    """
    old_paths, recipes = salvaged(folder)
    paths = [file for file in dict.fromkeys(file_of(Path(path)) for path in old_paths) if file.is_file()]
    if not paths and not places:
        raise MotionError(
            f"no path of a capture can be read from the database in {folder}", helps="name the folders of the captures"
        )
    say(f"{len(old_paths)} paths were read from the old database; where captures are missing, name their folders again")
    set_aside(folder, old_paths, recipes)
    with Library.at(folder, create=True) as opened:
        answer = _add(opened, (*places, *paths), workers=workers)
        opened.restore(recipes)
    repaired(folder)
    return answer


def _add(opened: Library, places: tuple[Path, ...], **options: Any) -> Json:
    from mocapella.library.ingest import add_captures  # reading takes long to import, and finding does not need it

    began = time.monotonic()
    with bars() as bar:

        def progress(total: int) -> Callable[[str], None]:
            task = bar.add_task("reading", total=total)

            def tell(name: str) -> None:
                rate = (bar.tasks[0].completed + 1) / max(time.monotonic() - began, 1e-3)
                bar.update(task, advance=1, description=f"reading {name}, {rate:.1f} a second")

            return tell

        done = add_captures(opened, places, **options, progress=progress)
    seconds = time.monotonic() - began
    say(
        f"{opened.folder}: {done.added} added, {done.known} known already, {done.duplicates} of them duplicates, "
        f"{len(done.failures)} could not be read; {seconds:.1f} s"
    )
    for _, reason in done.failures:
        doubt(reason)
    for path, reason in done.left_out:
        doubt(f"left out: {path} {reason}")
    return {
        "added": done.added,
        "known": done.known,
        "failed": len(done.failures),
        "duplicates": done.duplicates,
        "seconds": seconds,
        "failures": [{"path": path, "reason": reason} for path, reason in done.failures],
        "left_out": [{"path": path, "reason": reason} for path, reason in done.left_out],
    }


def _rows(stretches: list[Found], like: Path | None) -> list[list[str]]:
    return [
        [stretch.name, str(stretch.start), f"{stretch.frames / stretch.frame_rate:.1f}", stretch.kind,
         f"{stretch.speed:.2f}", f"{stretch.turn:+.0f}", *([f"{stretch.score:.3f}"] if like else []), stretch.path]
        for stretch in stretches
    ]  # fmt: skip
