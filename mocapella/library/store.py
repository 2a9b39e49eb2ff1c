"""A library of captures: records of every file, and virtual clips that are made from them on demand."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int, Shaped

from mocapella.checks import explained
from mocapella.library.database import Database, repair_is_unfinished
from mocapella.library.descriptors import N_NUMBERS, N_TIMES, buckets_of, same_signature
from mocapella.library.entries import (
    CLIPS,
    CYCLES,
    FILES,
    STRETCHES,
    Capture,
    Described,
    DescribedFile,
    Entry,
    Found,
    KeptCycle,
    Known,
    Refusal,
    Stretch,
    values_of,
)
from mocapella.library.index import WindowIndex

if TYPE_CHECKING:
    from mocapella.library.modifiers import Modifier
    from mocapella.library.requests import Response
    from mocapella.library.virtual import Shelf

_SAME = 0.02  # leg lengths: signatures that differ by less at every time are one motion
_BUCKET = 0.1  # leg lengths: width of the buckets in which they are looked for
_AS_LONG = 0.02  # share by which two takes of one motion may differ in length


@explained
class Library(Database):
    """A folder of captures that can be searched; open one with ``Library.at(folder)``.

    It has three layers: real clips, the captures; modifiers; and virtual clips, which modifiers make from real ones on
    demand. Changes are committed file by file: a program that is killed leaves complete records only.

    Parameters
    ----------
    folder
        Of the library.
    connection
        To its database; ``Library.at`` opens it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import mocapella as mo
    >>> from mocapella.library.ingest import add_captures
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, turn in (("straight", 0.0), ("left", 0.6)):
    ...     mo.save(mo.example("walk", frame_rate=60.0, speed=1.2, turn=turn), folder / f"{name}.bvh")
    >>> with Library.at(folder / "library", create=True) as library:
    ...     _ = add_captures(library, [folder], workers=0)
    ...     library.define("right", "left", [{"modifier": "sync_mirror"}])
    ...     answer = library.request(kind="walk", curvature=-0.2)
    >>> answer.feasible, round(answer.had["curvature"], 2)
    (True, -0.2)
    """

    _indexed: tuple[tuple[int, int], WindowIndex] | None = None

    def __len__(self) -> int:
        """How many captures there are."""
        return int(self._one("SELECT count(*) FROM clips"))

    def __repr__(self) -> str:
        return f"Library({str(self.folder)!r}, {len(self)} captures)"

    def known(self) -> dict[str, Known]:
        """Files that were taken in or refused, by path."""
        rows = self._rows(
            f"SELECT f.path, {FILES.selected('f')} FROM files f LEFT JOIN clips c ON c.file = f.id "
            "WHERE c.id IS NULL OR c.skeleton != ''"
        )
        return {str(self._place(path)): Known(*state) for path, *state in rows}

    def failures(self) -> list[tuple[str, str]]:
        """Path and reason of each file that could not be read."""
        rows = self._rows("SELECT path, reason FROM files WHERE reason IS NOT NULL ORDER BY path")
        return [(str(self._place(path)), reason) for path, reason in rows]

    def duplicates(self) -> list[tuple[str, str]]:
        """Paths of captures that show the motion of another one, and that one's."""
        query = """SELECT f.path, o.path FROM clips c JOIN files f ON f.id = c.file
            JOIN clips t ON t.id = c.twin JOIN files o ON o.id = t.file ORDER BY f.path"""
        return [(str(self._place(path)), str(self._place(other))) for path, other in self._rows(query)]

    def put(self, described: DescribedFile) -> int:
        """Add the captures of a file, or note that they cannot be read, in place of what was known of the file.

        Returns how many show the motion of a capture that is there already.
        """
        with self._change() as run:
            self._remove(run, described.path)
            return sum(self._put(run, entry) for entry in described.captures)

    def _put(self, run: Callable[..., sqlite3.Cursor], entry: Entry | Refusal) -> bool:
        reason = entry.reason if isinstance(entry, Refusal) else None
        file = run(FILES.insertion, FILES.row_of(entry.file, self._written(entry.path), reason)).lastrowid
        if isinstance(entry, Refusal):
            return False
        signature = np.frombuffer(entry.signature, dtype="<f4")
        mean = float(signature[: len(signature) // N_TIMES].mean())  # of its first pose
        twin, bucket = self._twin(entry), buckets_of(signature, width=_BUCKET)[0]
        clip = run(CLIPS.insertion, CLIPS.row_of(entry, file, mean, twin, bucket)).lastrowid
        for stretch in entry.stretches:
            run(STRETCHES.insertion, STRETCHES.row_of(stretch, clip))
        for cycle in entry.cycles:
            run(CYCLES.insertion, CYCLES.row_of(cycle, clip))
        for word in dict.fromkeys(entry.words):
            run("INSERT INTO words (clip, word) VALUES (?, ?)", (clip, word))
        run("INSERT INTO windows (clip, numbers, starts) VALUES (?, ?, ?)", (clip, entry.numbers, entry.starts))
        return twin is not None

    def _remove(self, run: Callable[..., sqlite3.Cursor], path: str) -> None:
        """Remove a file, or an animation of one; of a file all its animations."""
        written = self._written(path)
        run("DELETE FROM files WHERE path = ?", [written])
        run("DELETE FROM files WHERE path > ? AND path < ?", [f"{written}#", f"{written}$"])  # $ comes after #

    def call(self, words: Mapping[str, Sequence[str]]) -> None:
        """Give captures the ``words`` that people call them by now, by the path of the file; others keep theirs."""
        query = (
            "SELECT f.path, c.id, w.word FROM files f JOIN clips c ON c.file = f.id LEFT JOIN words w ON w.clip = c.id"
        )
        had: dict[tuple[str, int], set[str]] = {}
        for path, clip, word in self._rows(query) if words else ():
            had.setdefault((str(self._place(path)), clip), set()).update([] if word is None else [word])
        changed = {clip: words[path] for (path, clip), old in had.items() if path in words and {*words[path]} != old}
        if not changed:
            return
        with self._change() as run:
            for clip, new in changed.items():
                run("DELETE FROM words WHERE clip = ?", [clip])
                for word in dict.fromkeys(new):
                    run("INSERT INTO words (clip, word) VALUES (?, ?)", (clip, word))

    def forget(self, paths: Iterable[str]) -> None:
        """Remove files from the library; the files themselves stay."""
        with self._change() as run:
            for path in paths:
                self._remove(run, path)

    def captures(self, condition: str = "c.twin IS NULL", values: Sequence[Any] = ()) -> list[Capture]:
        """Real clips, by name, that meet a condition on ``c`` (clip) and ``f`` (file).

        ``condition`` is SQL made by this package, with ``?`` for each of ``values``.
        """
        rows = self._rows(
            f"""SELECT c.id, c.twin, f.path, {FILES.selected("f")}, {CLIPS.selected("c", Described)}
            FROM clips c JOIN files f ON f.id = c.file WHERE {condition} ORDER BY c.name, f.path""",
            values,
        )
        of_these = f"JOIN clips c ON c.id = o.clip JOIN files f ON f.id = c.file WHERE {condition}"
        words: dict[int, list[str]] = {}
        for clip, word in self._rows(f"SELECT o.clip, o.word FROM words o {of_these} ORDER BY o.word", values):
            words.setdefault(clip, []).append(word)
        cycles: dict[int, list[KeptCycle]] = {}
        query = f"SELECT o.clip, {CYCLES.selected('o')} FROM cycles o {of_these} ORDER BY o.start"
        for clip, *row in self._rows(query, values):
            cycles.setdefault(clip, []).append(KeptCycle(*row))
        n_file = len(fields(Known))
        return [
            Capture(
                number=number,
                twin=twin,
                path=self._place(path),
                file=Known(*columns[:n_file]),
                words=tuple(words.get(number, ())),
                cycles=tuple(cycles.get(number, ())),
                **values_of(Described, columns[n_file:]),
            )
            for number, twin, path, *columns in rows
        ]

    def define(self, name: str, base: str, steps: Sequence[Mapping[str, Any]]) -> None:
        """Keep the recipe of a virtual clip under a name; the motion itself is made when it is asked for.

        ``base`` is the clip it begins with, real or virtual, by name. ``steps`` are applied in order, each a table of
        ``modifier``, ``parameters`` and ``inputs``, the names of further clips. Raises ``MotionError`` where ``name``
        is that of a real clip, a modifier or clip does not exist, or a recipe would need itself.
        """
        checked = self.shelf.checked(name, base, steps)
        with self._change() as run:
            run("INSERT OR REPLACE INTO recipes (name, base, steps) VALUES (?, ?, ?)",
                (name, base, json.dumps(checked)))  # fmt: skip

    def drop(self, name: str) -> None:
        """Forget the recipe of a virtual clip; ``MotionError`` where there is none or another virtual clip needs it."""
        self.shelf.refuse_needed(name)
        with self._change() as run:
            run("DELETE FROM recipes WHERE name = ?", [name])

    def restore(self, recipes: Iterable[tuple[str, str, str]]) -> None:
        """Put back recipes (name, base and steps of each) that were read from a damaged database."""
        with self._change() as run:
            for row in recipes:
                run("INSERT OR IGNORE INTO recipes (name, base, steps) VALUES (?, ?, ?)", row)

    def recipes(self) -> dict[str, tuple[str, list[dict[str, Any]]]]:
        """Base and steps of all virtual clips, by name."""
        rows = self._rows("SELECT name, base, steps FROM recipes ORDER BY name")
        return {name: (base, json.loads(steps)) for name, base, steps in rows}

    @cached_property
    def shelf(self) -> Shelf:
        """The layers above the real clips: modifiers, and virtual clips made by them."""
        from mocapella.library.virtual import Shelf  # needs the editing toolbox, which searching does not

        return Shelf(self)

    def modifiers(self) -> Mapping[str, Modifier]:
        """The modifiers that can be used: of the toolbox, of installed packages, of trusted files in the folder."""
        return self.shelf.modifiers

    def make(self, name: str) -> Any:
        """The motion of a real or a virtual clip, by name: made now, or kept in memory since it was made before.

        Nothing is written. Raises ``MotionError`` where there is none of that name, a file is gone or has changed, or a
        modifier fails.
        """
        return self.shelf.make(name)

    def request(self, **wishes: Any) -> Response:
        """A motion by its figures: ``library.request(kind="walk", speed=1.1, curvature=0.2)``.

        ``wishes`` are as ``mocapella.library.requests.request`` takes them: ``kind``, ``speed``, ``curvature`` or
        ``turn``, ``slope``, ``step``, ``mood``, ``height``, ``words``, ``seconds``, ``frame_rate``. The response has
        the clip and a playable network, how they were made, and how far each number is from what was asked.
        """
        from mocapella.library.requests import request  # needs playback, which searching does not

        return request(self, **wishes)

    def select(self, condition: str, values: Sequence[Any], *, most: int) -> list[Found]:
        """Stretches, longest first, that meet a condition on ``s`` (stretch), ``c`` (clip) and ``f`` (file).

        ``condition`` is SQL made by this package, with ``?`` for each of ``values``; ``most`` is how many to give at
        most.
        """
        rows = self._rows(
            f"""SELECT c.id, c.name, f.path, c.frame_rate, {STRETCHES.selected("s")}
            FROM stretches s JOIN clips c ON c.id = s.clip JOIN files f ON f.id = c.file
            WHERE {condition} ORDER BY s.frames / c.frame_rate DESC, f.path, s.start LIMIT ?""",
            [*values, most],
        )
        return [self._found(Stretch(*columns), clip, name, path, rate) for clip, name, path, rate, *columns in rows]

    def windows(
        self,
    ) -> tuple[Shaped[np.ndarray, "windows numbers"], Int[np.ndarray, " windows"], Int[np.ndarray, " windows"]]:
        """All windows: their numbers, the captures they belong to, and their first frames."""
        rows = self._rows("SELECT clip, numbers, starts FROM windows ORDER BY clip")
        numbers = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f2").reshape(-1, N_NUMBERS)
        starts = np.frombuffer(b"".join(row[2] for row in rows), dtype="<i4").astype(np.int64)
        counts = [len(row[2]) // 4 for row in rows]
        return numbers, np.repeat(np.array([row[0] for row in rows], dtype=np.int64), counts), starts

    @property
    def index(self) -> WindowIndex:
        """All windows, ready to be searched; kept until a capture is added or removed, by this program or another."""
        version = self._rows("PRAGMA data_version")[0][0], self._connection.total_changes
        if self._indexed is None or self._indexed[0] != version:
            self._indexed = version, WindowIndex.of(*self.windows())
        return self._indexed[1]

    def at_window(self, clip: int, start: int, seconds: float, score: float) -> Found:
        """A window of a capture, with the figures of the stretch that it begins in.

        ``clip`` is the number of the capture, ``start`` the window's first frame, ``seconds`` how long it is (0 for a
        single frame), and ``score`` its distance from the example.
        """
        ((frames, name, path, rate, *columns),) = self._rows(
            f"""SELECT c.frames, c.name, f.path, c.frame_rate, {STRETCHES.selected("s")}
            FROM clips c JOIN files f ON f.id = c.file LEFT JOIN stretches s
            ON s.clip = c.id AND s.kind != 'change' AND s.start <= ? AND s.start + s.frames > ?
            WHERE c.id = ? LIMIT 1""",
            [start, start, clip],
        )
        lasting = max(1, min(round(seconds * rate), frames))
        stretch = Stretch("other", start, lasting) if columns[0] is None else Stretch(*columns)
        return self._found(replace(stretch, start=start, frames=lasting), clip, name, path, rate, score)

    def _found(self, stretch: Stretch, clip: int, name: str, path: str, frame_rate: float, score: float = 0.0) -> Found:
        """A stretch of a capture as a search result."""
        place = str(self._place(path))
        words = tuple(word for (word,) in self._rows("SELECT word FROM words WHERE clip = ? ORDER BY word", [clip]))
        return Found(**vars(stretch), name=name, path=place, words=words, frame_rate=frame_rate, score=score)

    def check(self) -> list[str]:
        """Faults of the library: a damaged database, files that are gone or have changed."""
        faults = [str(row[0]) for row in self._rows("PRAGMA integrity_check") if row[0] != "ok"]
        if repair_is_unfinished(self.folder):
            faults.append("a repair was interrupted; mocapella library repair goes on with it")
        faults += [f"a row of {row[0]} refers to nothing" for row in self._rows("PRAGMA foreign_key_check")]
        for path, file in sorted(self.known().items()):
            try:
                if not file.still_in(Path(path)):
                    faults.append(f"{path} has changed since it was taken in")
            except OSError:
                faults.append(f"{path} is gone")
        return faults

    def _twin(self, entry: Entry) -> int | None:
        """The capture that shows the same motion already."""
        ours, seconds = np.frombuffer(entry.signature, dtype="<f4"), entry.frames / entry.frame_rate
        near = buckets_of(ours, width=_BUCKET, within=_SAME)
        rows = self._rows(
            f"SELECT id, motion, signature FROM clips WHERE bucket IN ({', '.join('?' * len(near))}) AND twin IS NULL "
            "AND frames / frame_rate BETWEEN ? AND ?",
            [*near, (1.0 - _AS_LONG) * seconds, (1.0 + _AS_LONG) * seconds],
        )
        for number, motion, signature in rows:
            if motion == entry.motion or same_signature(ours, np.frombuffer(signature, dtype="<f4"), _SAME):
                return int(number)
        return None

    def _place(self, path: str) -> Path:
        """A stored path: those of files that were taken in are relative to the library's folder."""
        return self.folder.absolute() / path

    def _written(self, path: str) -> str:
        """A path as it is stored."""
        place, folder = Path(path), self.folder.absolute()
        return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else path
