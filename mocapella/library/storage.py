"""The size of a library on disk, beside the size of storing every clip that it can make."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from mocapella.library.entries import Capture, file_of
from mocapella.library.store import Library

_NUMBER = 8  # bytes
_TRANSFORM = 3  # numbers of a transformation on the floor: turn, x and z
_INCREMENT = 2  # numbers a frame of a root path kept by its increments: how far, and how much it turns


@dataclass(frozen=True)
class _Row:
    """One line of a report."""

    what: str
    size: int  # bytes
    why: str


@dataclass(frozen=True)
class _Report:
    """Bytes of a library's layers, and of the traditional ways to have the same."""

    rows: tuple[_Row, ...]
    real: int  # clips
    virtual: int
    gaits: int  # real clips with a cycle, which SyncMirror doubles

    @property
    def words(self) -> str:
        """The totals in words."""
        needed, stored = self.size("real clips") + self.size("recipes"), self.size("all clips stored")
        pairs, increments = self.size("root paths by pairs"), self.size("root paths by increments")
        return (
            f"{self.real} real and {self.virtual} virtual clips: {needed:,} bytes where storing all takes {stored:,} "
            f"({stored / max(needed, 1):.2f} times as much); root paths {increments:,} bytes, pair by pair {pairs:,}"
        )

    def size(self, what: str) -> int:
        """The bytes of one line."""
        return next(row.size for row in self.rows if row.what == what)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "real": self.real,
            "virtual": self.virtual,
            "gaits": self.gaits,
            "bytes": {row.what: row.size for row in self.rows},
        }


def storage_report(library: Library) -> _Report:
    """Bytes of real clips, index and recipes, and of what the same would take if it were all stored.

    A virtual clip that is stored takes as much as the real one it is made of; a gait mirrored in phase counts as one.
    Paths of roots are for blending any two of the ``m`` gaits over ``n`` corresponding frames: increments of each take
    O(mn), transformations between pairs O(m (m − 1) n / 2).
    """
    captures = library.captures()
    beside = Counter(file_of(capture.path) for capture in captures)  # captures of one file share its size
    sizes = {capture.number: _size(capture) // beside[file_of(capture.path)] for capture in captures}
    by_name = {capture.name: sizes[capture.number] for capture in captures}
    gaits = [capture for capture in captures if capture.cycles]
    recipes = library.recipes()
    mirrored = sum(sizes[capture.number] for capture in gaits)
    defined = sum(_base_size(name, recipes, by_name) for name in recipes)
    real = sum(sizes.values())
    text = sum(len(name) + len(base) + len(str(steps)) for name, (base, steps) in recipes.items())
    database = sum(path.stat().st_size for path in library.folder.glob("library.sqlite*") if path.is_file())
    m, n = len(gaits), max((cycle.frames for capture in gaits for cycle in capture.cycles), default=0)
    rows = (
        _Row("real clips", real, f"{len(beside)} files, as they are"),
        _Row("recipes", text, f"{len(recipes)} virtual clips, by name"),
        _Row("index", database, "labels, cycles, plants and windows for searching; made again from the files"),
        _Row("all clips stored", real + mirrored + defined, "the traditional way: every mirrored and made clip a file"),
        _Row("mirrored gaits stored", mirrored, f"{m} gaits to the other side, which sync_mirror makes instead"),
        _Row("root paths by increments", m * n * _INCREMENT * _NUMBER, f"O(mn): {m} gaits of {n} frames"),
        _Row("root paths by pairs", m * (m - 1) // 2 * n * _TRANSFORM * _NUMBER, "O(m(m − 1)n/2): a transform each"),
    )
    return _Report(rows, len(captures), len(gaits) + len(recipes), len(gaits))


def _size(capture: Capture) -> int:
    try:
        return file_of(capture.path).stat().st_size
    except OSError:
        return capture.file.size  # gone for now


def _base_size(name: str, recipes: dict[str, Any], sizes: dict[str, int]) -> int:
    """The bytes of the real clip that a virtual one begins with; recipes need no others in a circle."""
    while name in recipes:
        name = recipes[name][0]
    return sizes.get(name.split("|")[0].strip(), 0)
