"""Where projects lie on disk, and how they and their networks are written."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder, read_bytes, replacing
from mocapella.storage.values import save
from mocapella.studio.opened_folder import HIDDEN, KEPT_IN, Folder
from mocapella.studio.project import (
    FILE_NAME,
    ClipChoice,
    History,
    Project,
    clip_name,
    free_name,
    load_project,
    save_project,
)
from mocapella.studio.workers.derivation import noted

if TYPE_CHECKING:
    from mocapella.studio.session import Session

_MOST_RECENT = 8  # projects that are offered
_OLD = 3600.0  # seconds after which an empty folder is no folder that another studio has just made


def projects_folder() -> Path:
    """Where projects lie that were begun without a folder.

    ``$MOCAPELLA_PROJECTS``, else ``mocapella`` in the user's documents, else in the user's data folder.
    """
    asked, home = os.environ.get("MOCAPELLA_PROJECTS"), Path.home()
    if asked:
        return Path(asked).resolve()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return ((home / "Documents") if (home / "Documents").is_dir() else data) / "mocapella"


def new_folder(first: str) -> Folder:
    """Make a folder for a new project, named by the day and its first clip."""
    projects, day = projects_folder(), f"{date.today()} {file_stem(first)[:40]}"
    make_folder(projects)
    while True:
        root = projects / free_name(day, _names_in(projects))
        try:
            root.mkdir()
        except FileExistsError:  # another studio was faster
            continue
        except OSError as error:
            reason = f"cannot make the folder {root}: {error.strerror or error}"
            raise MotionError(f"{reason}; $MOCAPELLA_PROJECTS names another place") from None
        return Folder.of(root)


def _names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def recent_projects() -> tuple[str, ...]:
    """Names of the folders of ``projects_folder`` in which there is work, the latest first."""
    projects = projects_folder()

    def worked_at(root: Path) -> float:
        files = (root / KEPT_IN, root / FILE_NAME, root / HIDDEN / "uploads")
        return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)

    times = {name: worked_at(projects / name) for name in _names_in(projects)}
    return tuple(sorted(filter(times.__getitem__, times), key=lambda name: -times[name])[:_MOST_RECENT])


def sweep_projects() -> None:
    """Remove folders of projects into which nothing was ever written; a folder with any file in it stays."""
    projects = projects_folder()
    for root in projects.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] *"):
        folders = list(os.walk(root, topdown=False))
        if root.is_symlink() or any(files for _, _, files in folders) or time.time() - root.stat().st_mtime < _OLD:
            continue
        with suppress(OSError):  # ``rmdir`` refuses where anything has come in
            for folder, _, _ in folders:
                Path(folder).rmdir()


def set_aside(project: Path) -> None:
    """Keep a project file that another project is about to replace, in a folder named by its time."""
    if not project.is_file():
        return
    written = f"{datetime.fromtimestamp(project.stat().st_mtime):%Y-%m-%d %H.%M.%S}"
    earlier = project.parent / "earlier"
    make_folder(earlier)
    place = earlier / free_name(written, _names_in(earlier))
    make_folder(place)
    try:
        project.replace(place / FILE_NAME)
    except OSError as error:
        raise MotionError(f"cannot keep {project}: {error.strerror or error}") from None


def opened(path: Path | None) -> tuple[Folder, History, str]:
    """The folder and the project that a path stands for, and where in the folder its edits are kept; empty: not yet.

    ``path`` is a folder of captures, a network, a capture or a project file; None opens the embedded actor. Raises
    ``MotionError`` where there is no such file, or nothing in it can be opened.
    """
    if path is None:
        return Folder.of(projects_folder() / "new project"), History.of(Project()), ""
    place = path.resolve()
    if not place.exists():
        raise MotionError(f"there is no file or folder {path}")
    if place.name == FILE_NAME:
        outer = next((above.parent for above in place.parents if above.name == HIDDEN), place.parent)
        return Folder.of(outer), load_project(place), KEPT_IN
    if place.is_dir():
        folder = Folder.of(place)
        for stored in (place / KEPT_IN, place / FILE_NAME):
            if stored.is_file():
                return folder, load_project(stored), KEPT_IN
        return folder, History.of(_of_captures(folder, place.name, [""])), KEPT_IN
    folder, keep = Folder.of(place.parent), f"{HIDDEN}/{place.name}/{FILE_NAME}"
    kept = place.parent / keep
    if kept.is_file() and kept.stat().st_mtime >= place.stat().st_mtime:
        return folder, load_project(kept), keep
    set_aside(kept)  # the file was written anew since
    if place.suffix.lower() == ".moca":
        return folder, History.of(Project(name=place.stem, source="file", file=folder.name(place))), keep
    return folder, History.of(_of_captures(folder, place.stem, [folder.name(place)])), keep


def _of_captures(folder: Folder, name: str, paths: list[str]) -> Project:
    uploads = f"{HIDDEN}/uploads"  # of a project that ended before its first edit was kept
    files = folder.motions(paths) or (folder.motions([uploads]) if (folder.root / uploads).is_dir() else [])
    if not files:
        return Project(name=name)  # an empty folder: the actor walks until something is dropped
    names: dict[str, str] = {}
    for path in files:
        names[free_name(clip_name(path), names)] = path
    clips = tuple(ClipChoice(clip, path, new=True) for clip, path in names.items())
    return Project(name=name, source="clips", clips=clips)


async def save_session(session: Session, path: str) -> list[Path]:
    """Write the project and its network, to a relative ``path``.

    An empty path stands for where it was saved before, else for the project's name.
    """
    name = path or session.path or f"{file_stem(session.project.name)}.moca"
    if not name.lower().endswith(".moca"):
        name += ".moca"
    place = session.home().path(name)
    if session.project.file == name:
        session.history = await asyncio.to_thread(_of_original, session.history, session.folder)
    history, network = session.history, session.network

    def write() -> list[Path]:
        make_folder(place.parent)
        with noted():
            save(network, place)
        beside = place.parent / FILE_NAME
        save_project(history, beside)
        return [place, beside]

    files = await asyncio.to_thread(write)
    session.path, session.saved_at = name, history.project
    session.broadcast(session.state())
    return files


def _of_original(history: History, folder: Folder) -> History:
    """The history on a copy of the network that its edits began with, which is about to be written over."""
    name = history.project.file
    content = read_bytes(folder.path(name))
    copy = f"{HIDDEN}/originals/{hashlib.sha256(content).hexdigest()[:12]}/{Path(name).name}"
    make_folder(folder.path(copy).parent)
    with replacing(folder.path(copy)) as file:
        file.write(content)
    steps = [
        replace(step, project=replace(step.project, file=copy)) if step.project.file == name else step
        for step in history.steps
    ]
    return replace(history, steps=tuple(steps))


async def network_file(session: Session) -> str:
    """The present network as a file that a worker can read."""
    network, number = session.network, session.network_revision
    # Another session may have networks of files by the same names, and of other content.
    path = session.cache / f"played-{session.mark}-{number}.moca"

    def write() -> None:
        make_folder(session.cache)
        with noted():
            save(network, path)

    if not path.is_file():
        await asyncio.to_thread(write)
    return str(path)


def file_stem(name: str) -> str:
    """A project's name as the name of a file: letters, digits, ``-`` and ``_``."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name).strip("-") or "untitled"
