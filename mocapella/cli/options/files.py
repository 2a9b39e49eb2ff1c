"""Options that name files, and tables read from them."""

from __future__ import annotations

import csv
import difflib
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mocapella.errors import FormatError
from mocapella.files.conventions import UNITS
from mocapella.files.disk import read_bytes
from mocapella.files.formats import motions_below

# Options that all commands share which read a motion file.

_OPTIONS = (
    click.option("--skeleton", type=click.Path(path_type=Path), help="The .asf of an .amc file."),
    click.option("--unit", type=click.Choice(list(UNITS)), help="The file's length unit, instead of a guess."),
    click.option(
        "--roles", type=click.Path(path_type=Path), help="A TOML file that says which joint plays which role."
    ),
    click.option("--rate", "frame_rate", type=float, help="Frames per second of an .amc file, which states none."),
    click.option("--clean", is_flag=True, help="Bridge lost frames and one-frame jumps; say which."),
    click.option("--partial", is_flag=True, help="Use what there is of a file that ends too early."),
)


def reading_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of ``mocapella.load``, as keyword arguments of the same names."""
    for option in reversed(_OPTIONS):
        run = option(run)
    return run


def motion_files(places: tuple[Path, ...], *, skeletons: bool = False) -> list[Path]:
    """The files named, and all motion files under the folders named, in order.

    Skeletons are no motions: ``.asf`` files in folders are left out, and so are those named beside ``.amc`` files, as a
    shell does for ``07*``. With ``skeletons`` all of them are told.
    """
    files: list[Path] = []
    for place in places:
        files.extend(motions_below(place, skeletons=skeletons) if place.is_dir() else [place])
    if skeletons or all(path.suffix.lower() != ".amc" for path in files):
        return files
    return [path for path in files if path.suffix.lower() != ".asf"]


# Comma-separated tables that people write: scripts of blending points and paths over the ground.

LARGEST = 16 * 1024**2  # bytes
MOST_ROWS = 200_000
LARGEST_NUMBER = 1e6  # seconds, metres, units of the plane: what is larger is a slip of the pen


@dataclass(frozen=True)
class Table:
    """Rows of numbers below the names of their columns, and the line each stood on."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[float | None, ...], ...]  # None where a cell is empty
    lines: tuple[int, ...]
    words: tuple[str, ...]  # the text of the last optional column, "" where there is none

    def column(self, name: str) -> list[float | None]:
        """The numbers of one column; nothing but None where the table has no such column."""
        if name not in self.columns:
            return [None] * len(self.rows)
        i = self.columns.index(name)
        return [row[i] for row in self.rows]


def read_table(
    path: Path,
    required: Sequence[str],
    optional: Sequence[str] = (),
    *,
    word: str | None = None,
    gaps: Sequence[str] = (),
    least: int = 1,
) -> Table:
    """Read a table whose first line names its columns, as ``time,x,y``; empty lines and lines of ``#`` are skipped.

    A first line of numbers is taken for data under the required columns in order, then the optional ones. ``word`` is a
    column of text. Cells of optional columns and of ``gaps`` may be empty.

    Raises
    ------
    FormatError
        With the line, where a cell is no number, one is missing, or a column has no meaning here.
    """
    known = [*required, *optional, *([word] if word else [])]
    lines = _lines(path)
    if not lines:
        raise FormatError(path, 0, f"expected a line {','.join(required)} and rows below it")
    _refuse_other_marks(path, *lines[0], required)
    first_line, first = lines[0]
    if any(_number(cell) is None for cell in first if cell):
        columns = tuple(cell.lower() for cell in first)
        _check_columns(path, first_line, columns, required, known)
        lines = lines[1:]
    else:
        columns = tuple(known[: max(len(first), len(required))])
    filled = [name for name in required if name not in gaps]
    rows, numbers, words = [], [], []
    for number, cells in lines:
        if len(cells) > len(columns):
            raise FormatError(path, number, f"has {len(cells)} cells, the table has {len(columns)} columns")
        cells = [*cells, *[""] * (len(columns) - len(cells))]
        rows.append(
            tuple(_value(path, number, name, cell, filled, word) for name, cell in zip(columns, cells, strict=True))
        )
        words.append(cells[columns.index(word)] if word in columns else "")
        numbers.append(number)
    if not least <= len(rows) <= MOST_ROWS:
        raise FormatError(path, 0, f"has {len(rows)} rows; expected {least} to {MOST_ROWS}")
    return Table(path, columns, tuple(rows), tuple(numbers), tuple(words))


def _value(path: Path, line: int, name: str, cell: str, filled: Sequence[str], word: str | None) -> float | None:
    if name == word or (not cell and name not in filled):
        return None
    found = _number(cell)
    if found is None or not math.isfinite(found):
        raise FormatError(path, line, f"expected a number for {name}, found {cell[:40]!r}")
    if abs(found) > LARGEST_NUMBER:
        raise FormatError(path, line, f"expected {name} up to {LARGEST_NUMBER:,.0f} either way, found {cell[:40]!r}")
    return found


def _refuse_other_marks(path: Path, line: int, cells: list[str], required: Sequence[str]) -> None:
    """A first line without any comma that has other marks between its words is a table of another kind."""
    if len(cells) > 1:
        return
    for mark, called in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars"), (" ", "blanks")):
        if mark in cells[0]:
            reason = f"expected commas between cells, as in {','.join(required)}, found {called}; save it with commas"
            raise FormatError(path, line, reason)


def _check_columns(
    path: Path, line: int, columns: tuple[str, ...], required: Sequence[str], known: Sequence[str]
) -> None:
    for column in columns:
        if column not in known:
            near = difflib.get_close_matches(column, known, n=1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise FormatError(path, line, f"there is no column {column[:40]!r} here; {meant}")
    missing = [name for name in required if name not in columns]
    if missing or len(set(columns)) != len(columns):
        raise FormatError(path, line, f"expected the columns {','.join(required)}, found {','.join(columns)}")


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    raw = read_bytes(path)
    if len(raw) > LARGEST:
        raise FormatError(path, 0, f"holds more than {LARGEST // 1024**2} MiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, raw[: error.start].count(b"\n") + 1, "is no UTF-8 text") from None
    reader = csv.reader(io.StringIO(text.replace("\0", "�")))
    out = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped) and not stripped[0].startswith("#"):
                out.append((reader.line_num, stripped))
    except csv.Error as error:
        raise FormatError(path, reader.line_num, f"is no table: {error}") from None
    return out


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
