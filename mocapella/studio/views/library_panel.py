"""A library of captures as the page lists, filters and previews it; and its captures taken into the opened folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.files.format_table import split_animation
from mocapella.files.formats import Reading, read_motion, with_animation
from mocapella.library.entries import Found
from mocapella.library.queries import find, find_like
from mocapella.library.store import Library
from mocapella.studio.messages.fields import copied
from mocapella.studio.messages.library_messages import LibraryRow, LibraryRows, Preview
from mocapella.studio.opened_folder import HIDDEN, Folder
from mocapella.studio.views.pose_packing import clip_points, joint_tree, joints_by_role, small

_USUAL = "mocapella-library"  # where commands keep a library that is not named
_TAKEN = f"{HIDDEN}/library"  # where captures from elsewhere are copied to
_POSES = 240  # of a preview at most
_RATE = 30.0  # poses per second


def library_of(folder: Path, asked: Path | None = None) -> Path | None:
    """The library that was asked for, the one below an opened folder, the folder itself, or None.

    Raises ``MotionError`` where one was asked for and there is none.
    """
    if asked is not None:
        Library.at(asked).close()
        return asked
    for place in (folder / _USUAL, folder):
        try:
            Library.at(place).close()
        except MotionError:
            continue
        return place
    return None


def library_rows(place: Path | None, query: str, *, like: Path | None, most: int) -> LibraryRows:
    """Stretches of a library that fit a query; none where there is no library.

    ``query`` is as ``mocapella library find`` takes it; empty lists all. With ``like``, a motion file, the most alike
    come first. Raises ``MotionError`` where a part of the query makes no sense, or the library cannot be read.
    """
    if place is None:
        return LibraryRows(folder="", captures=0, rows=())
    with Library.at(place) as opened:
        fitting = find(opened, query, most=most if like is None else 100_000)
        if like is not None:
            wanted = {stretch.path for stretch in fitting}
            fitting = find_like(opened, read_motion(like), most=most, keep=lambda stretch: stretch.path in wanted)
        return LibraryRows(
            folder=place.name,
            captures=len(opened),
            rows=tuple(_row(stretch, scored=like is not None) for stretch in fitting),
        )


def _row(stretch: Found, *, scored: bool) -> LibraryRow:
    score = stretch.score if scored else None
    return copied(LibraryRow, stretch, seconds=stretch.frames / stretch.frame_rate, score=score)


def listed_file(place: Path | None, path: str) -> Path:
    """A file of a library, by the path that the library has.

    Raises ``MotionError`` where the library does not have it: nothing else can be named.
    """
    if place is not None:
        with Library.at(place) as opened:
            if path in opened.known():
                return Path(path)
    raise MotionError(f"the library has no file {path[:120]!r}")


def preview(path: Path, start: int, frames: int) -> Preview:
    """A stretch of a capture as small skeletons in time, and the way of its root."""
    clip = read_motion(path)
    first = min(max(0, start), clip.n_frames - 1)
    last = min(clip.n_frames - 1, first + max(1, frames) - 1)
    count = int(np.clip(round((last - first) / clip.frame_rate * _RATE), 1, _POSES)) + 1
    rows = np.unique(np.linspace(first, last, count).round().astype(int)).tolist()
    way = clip.root_positions[rows][:, [0, 2]]
    return Preview(
        path=str(path),
        start=first,
        seconds=(last - first) / clip.frame_rate,
        **joint_tree(clip.skeleton),
        roles=joints_by_role(clip.skeleton),
        height=clip.report.height,
        way=[(float(x), float(z)) for x, z in way - way[0]],
        poses=small(clip_points(clip, rows)),
    )


def taken_in(paths: list[Path], folder: Folder) -> list[str]:
    """Captures of a library as files of the opened folder.

    Those that lie elsewhere are copied, with their skeletons.
    """
    names = []
    for path in paths:
        file, animation = split_animation(path)
        source = file.resolve()
        if source.is_relative_to(folder.root) and not file.is_symlink():
            names.append(folder.name(with_animation(source, animation)))
            continue
        into = folder.path(f"{_TAKEN}/{source.parent.name or 'captures'}")
        make_folder(into)
        try:
            for original in Reading().files(source):
                shutil.copyfile(original, into / Path(original).name)
        except OSError as error:
            raise MotionError(f"cannot copy {source.name}: {error.strerror or error}") from None
        names.append(folder.name(with_animation(into / source.name, animation)))
    return names
