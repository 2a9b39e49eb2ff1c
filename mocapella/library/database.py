"""The SQLite file of a library: opened, migrated, its errors explained, set aside where damaged."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder, replacing
from mocapella.library.entries import later_migrations

_Opened = TypeVar("_Opened", bound="Database")

_NAME = "library.sqlite"
_WAIT = 10.0  # seconds for another program that writes
_NOTES = "repair.json"  # paths and recipes that a repair has read, while it runs
# Each step brings a database from its number in the list to the next; a released step is never changed. Columns that
# came later are added by steps made from the records.
_RELEASED = (
    """
    CREATE TABLE files (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed INTEGER NOT NULL,
        digest TEXT NOT NULL, reason TEXT
    );
    CREATE TABLE clips (
        id INTEGER PRIMARY KEY, file INTEGER NOT NULL UNIQUE REFERENCES files ON DELETE CASCADE, name TEXT NOT NULL,
        motion TEXT NOT NULL, frames INTEGER NOT NULL, frame_rate REAL NOT NULL, joints INTEGER NOT NULL,
        height REAL NOT NULL, signature BLOB NOT NULL, mean REAL NOT NULL,
        twin INTEGER REFERENCES clips ON DELETE SET NULL
    );
    CREATE INDEX clips_by_mean ON clips (mean);
    CREATE TABLE stretches (
        id INTEGER PRIMARY KEY, clip INTEGER NOT NULL REFERENCES clips ON DELETE CASCADE, kind TEXT NOT NULL,
        start INTEGER NOT NULL, frames INTEGER NOT NULL, speed REAL NOT NULL, turn REAL NOT NULL, slope REAL NOT NULL,
        step REAL NOT NULL
    );
    CREATE INDEX stretches_by_kind ON stretches (kind, speed);
    CREATE INDEX stretches_of_clip ON stretches (clip);
    CREATE TABLE words (
        clip INTEGER NOT NULL REFERENCES clips ON DELETE CASCADE, word TEXT NOT NULL, PRIMARY KEY (word, clip)
    ) WITHOUT ROWID;
    CREATE INDEX words_of_clip ON words (clip);
    CREATE TABLE windows (
        clip INTEGER PRIMARY KEY REFERENCES clips ON DELETE CASCADE, numbers BLOB NOT NULL, starts BLOB NOT NULL
    );
    """,
    # Captures of the first version have an empty skeleton, and are read again when they are next added.
    """
    ALTER TABLE clips ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
    ALTER TABLE clips ADD COLUMN plants TEXT NOT NULL DEFAULT '{}';
    CREATE INDEX clips_by_name ON clips (name);
    CREATE TABLE cycles (
        clip INTEGER NOT NULL REFERENCES clips ON DELETE CASCADE, kind TEXT NOT NULL, start INTEGER NOT NULL,
        frames INTEGER NOT NULL, speed REAL NOT NULL, turn REAL NOT NULL, slope REAL NOT NULL, closing REAL NOT NULL
    );
    CREATE INDEX cycles_of_clip ON cycles (clip);
    CREATE INDEX cycles_by_kind ON cycles (kind, speed);
    CREATE TABLE recipes (name TEXT PRIMARY KEY, base TEXT NOT NULL, steps TEXT NOT NULL);
    """,
    # Twins are looked for in a bucket, so that it takes no longer among many captures; all are read again to have one.
    """
    ALTER TABLE clips ADD COLUMN bucket TEXT NOT NULL DEFAULT '';
    CREATE INDEX clips_by_bucket ON clips (bucket);
    UPDATE clips SET skeleton = '';
    """,
    # Several cycles of a kind are kept, and gaits in place are labelled: all are read again to have them.
    """
    UPDATE clips SET skeleton = '';
    """,
    # Every animation of a file is a capture: files that may have several are read again to have them.
    """
    UPDATE clips SET skeleton = '' WHERE file IN (SELECT id FROM files WHERE path LIKE '%.gl_' OR path LIKE '%.gltf'
        OR path LIKE '%.fbx' OR path LIKE '%.vrm' OR path LIKE '%.vrma');
    """,
)
_MIGRATIONS = (*_RELEASED, *later_migrations(len(_RELEASED)))


class Database:
    """An SQLite file in a folder; changes are committed whole or not at all."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection

    @classmethod
    def at(cls: type[_Opened], folder: str | os.PathLike[str], *, create: bool = False) -> _Opened:
        """Open the library in a folder, or with ``create`` make it where there is none.

        It is to be closed, or used in a ``with`` statement. Raises ``MotionError`` where there is none, the database is
        damaged or locked, or was written by a newer version.
        """
        place = Path(folder)
        file = place / _NAME
        if not file.exists():
            if not create:
                raise MotionError(f"there is no library in {place}", helps="make one with mocapella library add FOLDER")
            make_folder(place)
        with explained(place):
            connection = sqlite3.connect(file, timeout=_WAIT, isolation_level=None)
            opened = cls(place, connection)
            try:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA journal_mode = WAL")
                opened._migrate()
            except BaseException:
                connection.close()
                raise
        return opened

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def __enter__(self: _Opened) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _migrate(self) -> None:
        version = int(self._one("PRAGMA user_version"))
        if version > len(_MIGRATIONS):
            raise MotionError(
                f"the library in {self.folder} was made by a newer version (database {version}, known up to "
                f"{len(_MIGRATIONS)})",
                helps="update mocapella",
            )
        if version == len(_MIGRATIONS):
            return
        with self._change() as run:
            version = int(self._one("PRAGMA user_version"))  # another program may have done it meanwhile
            for number, step in enumerate(_MIGRATIONS[version:], start=version + 1):
                for statement in filter(str.strip, step.split(";")):
                    run(statement)
                run(f"PRAGMA user_version = {number}")

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._rows(query, values)[0][0]

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with explained(self.folder):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _change(self) -> Iterator[Any]:
        """A transaction: all of it or nothing."""
        with explained(self.folder):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has rolled back already
                    self._connection.execute("ROLLBACK")
                raise


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """A context in which errors of SQLite become a ``MotionError`` that says what helps."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise MotionError(
                f"another program writes to the library in {folder}", helps="wait until it is done"
            ) from None
        if "full" in text:
            raise MotionError(
                f"no room on the disk of the library in {folder}; nothing was lost", helps="make room and repeat it"
            ) from None
        if "readonly" in text or "read-only" in text or "unable to open" in text:
            raise MotionError(f"the library in {folder} cannot be opened or written: {text}") from None
        raise MotionError(f"the library in {folder} cannot be used: {text}") from None
    except sqlite3.DatabaseError as error:
        raise MotionError(
            f"the database of the library in {folder} is damaged: {error}",
            helps="mocapella library repair makes it again from the files",
        ) from None


_Recipe = tuple[str, str, str]  # name, base and steps of a virtual clip


def salvaged(folder: str | os.PathLike[str]) -> tuple[list[str], list[_Recipe]]:
    """Paths and recipes that can still be read from a library's database, or that an interrupted repair had read."""
    file, notes = Path(folder) / _NAME, Path(folder) / _NOTES
    if not file.exists() and not notes.exists():
        raise MotionError(f"there is no library in {folder}")
    paths, recipes = _noted(notes)
    # The rows, and the index beside them: where one is damaged the other may not be.
    for query in ("SELECT path FROM files ORDER BY path", "SELECT path FROM files NOT INDEXED"):
        paths |= {str(Path(folder).absolute() / path): None for (path,) in _rows_before_damage(file, query)}
    for name, base, steps in _rows_before_damage(file, "SELECT name, base, steps FROM recipes NOT INDEXED"):
        recipes[name] = (name, base, steps)
    return list(paths), list(recipes.values())


def set_aside(folder: str | os.PathLike[str], paths: Sequence[str], recipes: Sequence[_Recipe]) -> None:
    """Move the database of a library out of the way, and keep notes of its content until ``repaired`` is called.

    ``paths`` and ``recipes`` are as ``salvaged`` gives them; they are not lost where the repair is interrupted.
    """
    with replacing(Path(folder) / _NOTES) as notes:
        notes.write(json.dumps({"paths": list(paths), "recipes": list(recipes)}).encode())
    file = Path(folder) / _NAME
    number = next(n for n in itertools.count(1) if not file.with_name(_aside(file.name, n)).exists())
    for suffix in ("-wal", "-shm", ""):
        part = file.with_name(file.name + suffix)
        if part.exists():
            part.replace(part.with_name(_aside(part.name, number)))


def repaired(folder: str | os.PathLike[str]) -> None:
    """Delete the notes of ``set_aside``: all of them are in the new database."""
    (Path(folder) / _NOTES).unlink(missing_ok=True)


def repair_is_unfinished(folder: str | os.PathLike[str]) -> bool:
    """Whether a repair of a library was interrupted: its notes are still there."""
    return (Path(folder) / _NOTES).exists()


def _aside(name: str, number: int) -> str:
    return f"{name}.damaged" if number == 1 else f"{name}.damaged-{number}"


def _noted(notes: Path) -> tuple[dict[str, None], dict[str, _Recipe]]:
    """The paths and recipes that an interrupted repair had read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = json.loads(notes.read_bytes())
        recipes = {str(name): (str(name), str(base), str(steps)) for name, base, steps in said["recipes"]}
        return {str(path): None for path in said["paths"]}, recipes
    return {}, {}


def _rows_before_damage(file: Path, query: str) -> list[Any]:
    """The rows of a query as far as they can be read; those that hold anything but text are left out."""
    rows: list[Any] = []
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        connection.text_factory = lambda text: text.decode(errors="replace")
        with suppress(sqlite3.Error):
            rows.extend(connection.execute(query))
        connection.close()
    return [row for row in rows if all(isinstance(value, str) and "\0" not in value for value in row)]
