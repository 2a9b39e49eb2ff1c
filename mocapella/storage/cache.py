"""Prepared cycles kept in a folder, so that a motion is prepared once and not at every build."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mocapella.errors import FormatError
from mocapella.files.disk import make_folder
from mocapella.files.formats import files_of, reading_words
from mocapella.motion.cycle import Cycle
from mocapella.storage.cycles import CYCLE, is_fresh

PREPARATION = 1  # counts up when the same file and options would give another cycle than before


@dataclass(frozen=True)
class CycleCache:
    """A folder of prepared cycles.

    Each is used as long as its files, and all that was asked for, are what they were.
    """

    folder: Path

    def cycle(
        self, path: Path, reading: Mapping[str, Any], asked: Mapping[str, Any], make: Callable[[], Cycle]
    ) -> Cycle:
        """The cycle of a motion file: the stored one if it is fresh, else a new one.

        A file that was prepared before is neither parsed nor warned about again; what was doubtful is among the
        decisions of its cycle.

        Parameters
        ----------
        path
            The motion file.
        reading, asked
            Options of ``load`` and of ``prepare``.
        make
            Prepares the cycle where it is not kept yet.

        Returns
        -------
        Cycle
            The cycle.

        Raises
        ------
        MotionError
            Where the folder cannot be made or written in.
        """
        words = _words(reading, asked)
        place = self.folder / f"{path.stem[:60]}-{_key(path, reading, words)}.moca"
        if is_fresh(place, asked=words):
            try:
                return replace(CYCLE.load(place), name=path.stem, source=str(path))
            except FormatError:
                pass  # damaged behind its header: made again
        cycle = make()
        make_folder(self.folder)
        CYCLE.write(cycle, place, asked=words)
        return cycle


def _words(reading: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    told = reading_words(**{name: value for name, value in reading.items() if name != "skeleton"})
    wishes = [f"{name} {wish}" for name, wish in sorted(asked.items()) if wish is not None]
    return "; ".join([f"preparation {PREPARATION}", *told, *wishes])


def _key(path: Path, reading: Mapping[str, Any], words: str) -> str:
    """What tells stored cycles apart: where their files lie, and what was asked for."""
    files = files_of(path, reading.get("skeleton"), reading.get("roles"))
    text = "\n".join([*(str(Path(file).resolve()) for file in files), words])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
