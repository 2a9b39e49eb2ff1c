"""The library's database: an SQLite file that indexes captures; what is in it can be made again from them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.library.descriptors import N_NUMBERS, N_TIMES, same_signature
from mocapella.library.stretches import Stretch

_NAME = "library.sqlite"
_WAIT = 10.0  # seconds for another program that writes
_SAME = 0.02  # leg lengths: signatures that differ by less at every time are one motion
_AS_LONG = 0.02  # share by which two takes of one motion may differ in length
# Each step brings a database from its number in the list to the next; a released step is never changed.
_MIGRATIONS = (
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
)


@dataclass(frozen=True)
class Known:
    """A file as it was when it was taken in."""

    size: int
    changed: int  # nanoseconds
    digest: str


@dataclass(frozen=True)
class Entry:
    """What is kept of a capture."""

    path: str  # as it was named, made absolute
    file: Known
    name: str
    motion: str  # digest
    frames: int
    frame_rate: float
    joints: int
    height: float  # metres
    signature: bytes
    stretches: tuple[Stretch, ...]
    words: tuple[str, ...]
    numbers: bytes  # of windows, 16-bit floats
    starts: bytes  # 32-bit integers


@dataclass(frozen=True)
class Refusal:
    """A file that could not be read, and why."""

    path: str
    file: Known
    reason: str


@dataclass(frozen=True)
class Found:
    """A stretch of a capture that was looked for."""

    name: str
    path: str
    start: int
    frames: int
    kind: str
    speed: float  # m/s
    turn: float  # degrees per second, left positive
    slope: float  # degrees
    step: float  # metres
    words: tuple[str, ...]
    frame_rate: float
    score: float = 0.0  # how far from what was asked; 0 where it only fits or not


class Library:
    """A folder of captures that can be searched; open one with ``Library.at(folder)``.

    Changes are committed file by file: a program that is killed leaves what was committed, and nothing half there.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection

    @classmethod
    def at(cls, folder: str | os.PathLike[str], *, create: bool = False) -> Library:
        """Open the library in a folder.

        Parameters
        ----------
        folder
            Where it is.
        create
            Make it where there is none.

        Returns
        -------
        Library
            To be closed, or used in a ``with`` statement.

        Raises
        ------
        MotionError
            Where there is none, the database is damaged or locked, or was written by a newer version.
        """
        place = Path(folder)
        file = place / _NAME
        if not file.exists():
            if not create:
                raise MotionError(f"there is no library in {place}", helps="make one with mocapella library add FOLDER")
            make_folder(place)
        with _explained(place):
            connection = sqlite3.connect(file, timeout=_WAIT, isolation_level=None)
            library = cls(place, connection)
            try:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA journal_mode = WAL")
                library._migrate()
            except BaseException:
                connection.close()
                raise
        return library

    def close(self) -> None:
        """Give the database free."""
        self._connection.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """How many captures there are."""
        return int(self._one("SELECT count(*) FROM clips"))

    def __repr__(self) -> str:
        return f"Library({str(self.folder)!r}, {len(self)} captures)"

    def known(self) -> dict[str, Known]:
        """Files that were taken in or refused, by path."""
        rows = self._rows("SELECT path, size, changed, digest FROM files")
        return {path: Known(size, changed, digest) for path, size, changed, digest in rows}

    def failures(self) -> list[tuple[str, str]]:
        """Path and reason of each file that could not be read."""
        return [
            (path, reason)
            for path, reason in self._rows("SELECT path, reason FROM files WHERE reason IS NOT NULL ORDER BY path")
        ]

    def duplicates(self) -> list[tuple[str, str]]:
        """Paths of captures that show the motion of another one, and that one's."""
        query = """SELECT f.path, o.path FROM clips c JOIN files f ON f.id = c.file
            JOIN clips t ON t.id = c.twin JOIN files o ON o.id = t.file ORDER BY f.path"""
        return [(path, other) for path, other in self._rows(query)]

    def put(self, entry: Entry | Refusal) -> bool:
        """Take a capture in, or note that it cannot be, replacing what was known of its file.

        Parameters
        ----------
        entry
            What is to be kept.

        Returns
        -------
        bool
            Whether it shows the motion of a capture that is there already.
        """
        with self._change() as run:
            run("DELETE FROM files WHERE path = ?", [entry.path])
            reason = entry.reason if isinstance(entry, Refusal) else None
            file = (entry.path, entry.file.size, entry.file.changed, entry.file.digest, reason)
            number = run(
                "INSERT INTO files (path, size, changed, digest, reason) VALUES (?, ?, ?, ?, ?)", file
            ).lastrowid
            if isinstance(entry, Refusal):
                return False
            twin = self._twin(entry)
            clip = run(
                "INSERT INTO clips (file, name, motion, frames, frame_rate, joints, height, signature, mean, twin) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, entry.name, entry.motion, entry.frames, entry.frame_rate, entry.joints, entry.height,
                 entry.signature, _mean(entry.signature), twin),
            ).lastrowid  # fmt: skip
            for one in entry.stretches:
                run(
                    "INSERT INTO stretches (clip, kind, start, frames, speed, turn, slope, step) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (clip, one.kind, one.start, one.frames, one.speed, one.turn, one.slope, one.step),
                )
            for word in dict.fromkeys(entry.words):
                run("INSERT INTO words (clip, word) VALUES (?, ?)", (clip, word))
            run("INSERT INTO windows (clip, numbers, starts) VALUES (?, ?, ?)", (clip, entry.numbers, entry.starts))
            return twin is not None

    def forget(self, paths: Iterable[str]) -> None:
        """Take files out of the library; the files themselves stay."""
        with self._change() as run:
            for path in paths:
                run("DELETE FROM files WHERE path = ?", [path])

    def select(self, condition: str, values: Sequence[Any], *, most: int) -> list[Found]:
        """Stretches for which a condition on ``s`` (stretch), ``c`` (clip) and ``f`` (file) holds.

        Parameters
        ----------
        condition
            In SQL, made by this package, with ``?`` for values.
        values
            What stands for them.
        most
            How many to give at most.

        Returns
        -------
        list of Found
            Longest first.
        """
        rows = self._rows(
            f"""SELECT c.name, f.path, s.start, s.frames, s.kind, s.speed, s.turn, s.slope, s.step, c.frame_rate, c.id
            FROM stretches s JOIN clips c ON c.id = s.clip JOIN files f ON f.id = c.file
            WHERE {condition} ORDER BY s.frames / c.frame_rate DESC, f.path, s.start LIMIT ?""",
            [*values, most],
        )
        found = []
        for name, path, start, frames, kind, speed, turn, slope, step, rate, clip in rows:
            found.append(Found(name, path, start, frames, kind, speed, turn, slope, step, self._words(clip), rate))
        return found

    def windows(
        self,
    ) -> tuple[Shaped[np.ndarray, "windows numbers"], Int[np.ndarray, " windows"], Int[np.ndarray, " windows"]]:
        """All windows: their numbers, the captures they belong to, and their first frames."""
        rows = self._rows("SELECT clip, numbers, starts FROM windows ORDER BY clip")
        numbers = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f2").reshape(-1, N_NUMBERS)
        starts = np.frombuffer(b"".join(row[2] for row in rows), dtype="<i4").astype(np.int64)
        counts = [len(row[2]) // 4 for row in rows]
        return numbers, np.repeat(np.array([row[0] for row in rows], dtype=np.int64), counts), starts

    def at_window(self, clip: int, start: int, seconds: float, score: float) -> Found:
        """A window of a capture, with the stretch that it begins in.

        Parameters
        ----------
        clip
            The capture, by number.
        start
            The window's first frame.
        seconds
            How long it is.
        score
            How far it is from what was looked for.

        Returns
        -------
        Found
            Its figures are those of the stretch.
        """
        row = self._rows(
            """SELECT c.name, f.path, c.frame_rate, c.frames, s.kind, s.speed, s.turn, s.slope, s.step
            FROM clips c JOIN files f ON f.id = c.file LEFT JOIN stretches s
            ON s.clip = c.id AND s.kind != 'change' AND s.start <= ? AND s.start + s.frames > ?
            WHERE c.id = ? LIMIT 1""",
            [start, start, clip],
        )[0]
        name, path, rate, frames, kind, speed, turn, slope, step = row
        lasting = min(round(seconds * rate), frames)
        if kind is None:
            kind, speed, turn, slope, step = "other", 0.0, 0.0, 0.0, 0.0
        return Found(name, path, start, lasting, kind, speed, turn, slope, step, self._words(clip), rate, score)

    def check(self) -> list[str]:
        """What is wrong with the library: a damaged database, files that are gone or have changed."""
        faults = [str(row[0]) for row in self._rows("PRAGMA integrity_check") if row[0] != "ok"]
        faults += [f"a row of {row[0]} refers to nothing" for row in self._rows("PRAGMA foreign_key_check")]
        for path, known in sorted(self.known().items()):
            try:
                status = Path(path).stat()
            except OSError:
                faults.append(f"{path} is gone")
                continue
            if (status.st_size, status.st_mtime_ns) != (known.size, known.changed):
                faults.append(f"{path} has changed since it was taken in")
        return faults

    def _twin(self, entry: Entry) -> int | None:
        """The capture that shows the same motion already."""
        seconds, mean = entry.frames / entry.frame_rate, _mean(entry.signature)
        rows = self._rows(
            "SELECT id, motion, signature FROM clips WHERE mean BETWEEN ? AND ? AND twin IS NULL "
            "AND frames / frame_rate BETWEEN ? AND ?",
            [mean - _SAME, mean + _SAME, (1.0 - _AS_LONG) * seconds, (1.0 + _AS_LONG) * seconds],
        )
        own = np.frombuffer(entry.signature, dtype="<f4")
        for number, motion, signature in rows:
            if motion == entry.motion or same_signature(own, np.frombuffer(signature, dtype="<f4"), _SAME):
                return int(number)
        return None

    def _words(self, clip: int) -> tuple[str, ...]:
        return tuple(row[0] for row in self._rows("SELECT word FROM words WHERE clip = ? ORDER BY word", [clip]))

    def _migrate(self) -> None:
        version = int(self._one("PRAGMA user_version"))
        if version > len(_MIGRATIONS):
            raise MotionError(
                f"the library in {self.folder} was made by a newer version (database {version}, known up to "
                f"{len(_MIGRATIONS)})",
                helps="update mocapella",
            )
        for number, step in enumerate(_MIGRATIONS[version:], start=version + 1):
            self._connection.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")

    def _one(self, query: str) -> Any:
        return self._rows(query)[0][0]

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with _explained(self.folder):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _change(self) -> Iterator[Any]:
        """A transaction: all of it or nothing."""
        with _explained(self.folder):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _mean(signature: bytes) -> float:
    """The mean of a signature's first pose: those of one motion have nearly one mean, which an index finds."""
    numbers = np.frombuffer(signature, dtype="<f4")
    return float(numbers[: len(numbers) // N_TIMES].mean())


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Say what a fault of the database means and what helps."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise MotionError(
                f"another program writes to the library in {folder}", helps="wait until it is done"
            ) from None
        if "full" in text:
            raise MotionError(f"no room on the disk of the library in {folder}; nothing was lost") from None
        raise MotionError(f"the library in {folder} cannot be used: {text}") from None
    except sqlite3.DatabaseError as error:
        raise MotionError(
            f"the database of the library in {folder} is damaged: {error}",
            helps="mocapella library repair makes it again from the files",
        ) from None


def rebuild(folder: str | os.PathLike[str]) -> list[str]:
    """Set a damaged database aside and begin a new one; paths that could still be read from the old one come back.

    Parameters
    ----------
    folder
        Of the library.

    Returns
    -------
    list of str
        Paths of the files that it knew, as far as they can be told, to be taken in again.

    Raises
    ------
    MotionError
        Where there is no library.
    """
    file = Path(folder) / _NAME
    if not file.exists():
        raise MotionError(f"there is no library in {folder}")
    paths: list[str] = []
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
            paths = [row[0] for row in connection.execute("SELECT path FROM files ORDER BY path")]
        connection.close()
    except sqlite3.DatabaseError:
        pass
    for suffix in ("", "-wal", "-shm"):
        part = file.with_name(file.name + suffix)
        if part.exists():
            part.replace(part.with_name(part.name + ".damaged"))
    return paths
