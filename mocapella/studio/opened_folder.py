"""The opened folder: the page can name files in it alone, whatever is in a path."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.files.format_table import IN_FOLDERS, READABLE, split_animation
from mocapella.studio.messages.answers import FileRow
from mocapella.studio.project import FILE_NAME

LARGEST_UPLOAD = 200 * 1000**2  # bytes
HIDDEN = ".mocapella"  # where uploads and the history of edits lie
EXPORTS = "exports"  # the folder of exports, for people to find
KEPT_IN = f"{HIDDEN}/{FILE_NAME}"  # the history of edits of a folder
_MOST_FILES = 2000  # listed of a folder
_DEEPEST = 8  # folders within each other
_ODD = re.compile(r'[\x00-\x1f<>:"|?*\\]')
_EXTRA = (".asf",)  # read with another file


@dataclass(frozen=True)
class Folder:
    """A folder on disk, by paths relative to it."""

    root: Path

    @classmethod
    def of(cls, root: Path) -> Folder:
        """The folder at a path. Symbolic links on the way to it are followed; those in it never lead out of it."""
        return cls(root.resolve())

    def path(self, name: str) -> Path:
        """The place of a relative path.

        ``name`` has ``/`` between folders, and may name an animation of a file, ``pack.glb#Walk``. The result is below
        the folder, or the folder itself for an empty name. Raises ``MotionError`` where it leads out of the folder: by
        ``..``, from the root of the disk, or over a symbolic link.
        """
        parts = PurePosixPath(name).parts
        odd = "\\" in name or "\x00" in name or re.match(r"^[A-Za-z]:", name)
        if odd or name.startswith("/") or ".." in parts or len(parts) > _DEEPEST + 2:
            raise MotionError(f"{name[:80]!r} leads out of the opened folder; name a file in it, such as 'walk.bvh'")
        place = self.root.joinpath(*parts)
        try:
            targets = [path.resolve() for path in (place, split_animation(place)[0])]
            place.exists()
        except (OSError, RuntimeError, ValueError):  # links in a circle, names that are too long
            raise MotionError(f"{name[:80]!r} cannot be read") from None
        if not all(target.is_relative_to(self.root) for target in targets):
            raise MotionError(f"{name[:80]!r} is a link that leads out of the opened folder")
        return place

    def file(self, name: str) -> Path:
        """The file of a relative path, without the animation that it may name."""
        return split_animation(self.path(name))[0]

    def name(self, path: Path) -> str:
        """The relative path of a place in the folder. The result has ``/`` between folders."""
        return path.relative_to(self.root).as_posix()

    def listed(self, name: str = "") -> list[FileRow]:
        """Folders and files in a folder that can be opened."""
        place = self.path(name)
        if place == self.root and not place.exists():
            return []  # nothing was written yet
        if not place.is_dir():
            raise MotionError(f"{name!r} is not a folder")
        rows: list[FileRow] = []
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.startswith(".") or len(rows) >= _MOST_FILES:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    rows.append(FileRow(self.name(Path(entry.path)), "folder"))
                elif entry.is_file(follow_symlinks=False):
                    rows.append(self.row(Path(entry.path)))
        return sorted(rows, key=lambda row: (row.kind != "folder", row.path.lower()))

    def row(self, path: Path) -> FileRow:
        """A file as the page lists it."""
        suffix = path.suffix.lower()
        if path.name == FILE_NAME:
            kind = "project"
        else:
            kind = "network" if suffix == ".moca" else "motion" if suffix in READABLE else "other"
        return FileRow(self.name(path), kind, path.stat().st_size)  # type: ignore[arg-type]

    def motions(self, names: list[str] | tuple[str, ...]) -> list[str]:
        """The motion files among some paths and in the folders among them, in order, each once.

        The skeleton file of other motions is left out.
        """
        files: dict[str, None] = {}
        for name in names:
            place = self.path(name)
            if place.is_dir():
                files.update((self.name(file), None) for file in _motions_below(place))
            elif self.file(name).is_file():
                files[self.name(place)] = None
            else:
                raise MotionError(f"there is no file or folder {name!r} in the opened folder")
        beside = {str(PurePosixPath(name).parent) for name in files if name.lower().endswith(".amc")}
        motions = [
            name for name in files if not (name.lower().endswith(_EXTRA) and str(PurePosixPath(name).parent) in beside)
        ]
        if len(motions) > _MOST_FILES:
            raise MotionError(
                f"{len(motions)} motion files are too many at once; at most {_MOST_FILES} can be taken in"
            )
        return motions

    async def store(self, name: str, batch: str, content: AsyncIterator[bytes]) -> str:
        """Write an upload piece by piece.

        Files of one drop have the same ``batch``, letters and digits. Raises ``MotionError`` for a name that no file
        can have, a suffix of no motion format, and files that are too large.
        """
        place = self.upload_place(name, batch)
        make_folder(place.parent)
        part = place.with_name(f".{place.name}.part")
        size = 0
        try:
            with part.open("wb") as file:
                async for piece in content:
                    size += len(piece)
                    if size > LARGEST_UPLOAD:
                        raise MotionError(f"{place.name} is larger than {LARGEST_UPLOAD // 1000**2} MB, the most taken")
                    file.write(piece)
            if not size:
                raise MotionError(f"{place.name} is empty")
            part.replace(place)
        except OSError as error:
            raise MotionError(f"cannot write {place.name}: {error.strerror or error}") from None
        finally:
            part.unlink(missing_ok=True)
        return self.name(place)

    def upload_place(self, name: str, batch: str) -> Path:
        """Where an upload is stored. Raises ``MotionError`` where its name or suffix is refused."""
        parts = [
            _ODD.sub("_", part) for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")
        ]
        if not parts or len(parts) > _DEEPEST or any(len(part.encode()) > 200 for part in parts):
            raise MotionError(f"{name[:80]!r} cannot be the name of a file")
        suffixes = (*READABLE, *_EXTRA, ".moca")
        if PurePosixPath(parts[-1]).suffix.lower() not in suffixes or parts[-1].startswith("."):
            raise MotionError(f"{parts[-1]!r} is not a motion file; {', '.join(sorted({*suffixes}))} can be dropped")
        if not re.fullmatch(r"[A-Za-z0-9]{1,32}", batch):
            raise MotionError("a drop has a name of 1 to 32 letters and digits")
        return self.path("/".join([HIDDEN, "uploads", batch, *parts]))


def _motions_below(place: Path) -> list[Path]:
    """Motion files in a folder and the folders below it, without hidden ones, links, and exports of the studio."""
    apart = f"{EXPORTS}/" if (place / HIDDEN).is_dir() else "."
    files = [
        path
        for path in sorted(place.rglob("*"))[: 10 * _MOST_FILES]
        if path.is_file() and not path.is_symlink() and path.suffix.lower() in IN_FOLDERS
    ]
    names = [path.relative_to(place).as_posix() for path in files]
    return [place / name for name in names if not name.startswith((".", apart)) and "/." not in name]
