"""Comma-separated tables that users write: scripts of blending points, and paths over the ground."""

from __future__ import annotations

import csv
import difflib
import io
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.errors import FormatError
from mocapella.files.disk import read_bytes
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.steering.path import SLOWEST
from mocapella.steering.point_script import Script

Playable = Network | HybridNetwork | Cascade

_MOST_BYTES = 16 * 1024**2  # bytes: a table that people write is far smaller
_MOST_ROWS = 200_000  # an hour of 50 a second
_LARGEST = 1e6  # seconds, metres or units of the plane; larger numbers are typing errors
_LONGEST_PATH = 2000.0  # metres: half an hour of walking
_OTHER_MARKS = {";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}


class Row(NamedTuple):
    """One row of a table."""

    line: int  # of the file, from 1
    numbers: dict[str, float | None]  # by column; None where the cell is empty
    word: str  # the cell of the text column


def read_script(path: Path, network: Playable) -> tuple[Script, int]:
    """Read ``time,x,y[,key]``; a later row with a key may leave x and y empty, which keeps the point.

    A network with more axes has a column for each: ``time,x,y,z``. A cascade may also have those of its inner points.
    Returns the script and the number of its last line. Raises ``FormatError`` with the line of a cell that is no
    number, a time before 0 s or before the row above, or an unknown key.
    """
    axes, more = _axes(network)
    table = _read_table(path, ("time", *axes), more, word="key", gaps=axes)
    if any(name in table[0].numbers for name in more):
        axes = (*axes, *more)
    keys = network.keys if isinstance(network, HybridNetwork) else {}
    rows: list[tuple[float | str, ...]] = []
    for line, numbers, key in table:
        if key:
            _refuse_unknown_key(path, line, key, keys)
        time, *cells = (numbers.get(name) for name in ("time", *axes))
        assert time is not None  # its cells are never empty
        _refuse_time(path, line, time, float(rows[-1][0]) if rows else 0.0)
        point = [value for value in cells if value is not None]
        if len(point) == len(axes):
            rows.append((time, *point, key))
        elif key and not point and rows:
            rows.append((time, key))
        else:
            raise FormatError(path, line, f"expected a number for {axes[cells.index(None)]}, found ''")
    return Script.of(rows), table[-1].line


def _refuse_unknown_key(path: Path, line: int, key: str, keys: Collection[str]) -> None:
    if key not in keys:
        there = f"there are {', '.join(keys)}" if keys else "this network has none"
        raise FormatError(path, line, f"the key {key[:40]!r} does nothing here; {there}")


def _refuse_time(path: Path, line: int, time: float, before: float) -> None:
    if time < 0.0:
        raise FormatError(path, line, f"a script begins at 0 s, found {time:g} s")
    if time < before:
        raise FormatError(path, line, f"time runs forward; {time:g} s comes after {before:g} s")


def read_path(path: Path) -> list[tuple[float, ...]]:
    """Read ``x,z[,speed]``: places on the ground in metres and, in every row or in none, speeds in m/s.

    Raises ``FormatError`` with the line: for a cell that is no number, a speed that is missing or below 1 mm/s, a path
    that is too long.
    """
    table = _read_table(path, ("x", "z"), ("speed",), least=2)
    with_speeds = any(row.numbers.get("speed") is not None for row in table)
    rows: list[tuple[float, ...]] = []
    length = 0.0
    for line, numbers, _ in table:
        cells = (numbers.get(name) for name in ("x", "z", "speed"))
        row = tuple(number for number in cells if number is not None)
        if rows:
            length += math.dist(rows[-1][:2], row[:2])
        if length > _LONGEST_PATH:
            raise FormatError(
                path, line, f"the path is {length:.0f} m long here; at most {_LONGEST_PATH:.0f} m are walked"
            )
        if with_speeds and (len(row) < 3 or row[2] < SLOWEST):
            raise FormatError(path, line, f"expected a speed of {SLOWEST:g} m/s or more in every row, or in none")
        rows.append(row)
    return rows


def _read_table(
    path: Path,
    required: Sequence[str],
    optional: Sequence[str] = (),
    *,
    word: str | None = None,
    gaps: Sequence[str] = (),
    least: int = 1,
) -> list[Row]:
    """Read a table whose first line names its columns, such as ``time,x,y``.

    Empty lines and lines that start with ``#`` are skipped. If the first line holds numbers, the columns are the
    required ones in order, then the optional ones. Raises ``FormatError`` where there are fewer than ``least`` rows, a
    cell is missing or no number, or a column is unknown.
    """
    allowed = [*required, *optional, *([word] if word else [])]
    lines = _lines(path)
    if not lines:
        raise FormatError(path, 0, f"expected a line {','.join(required)} and rows below it")
    first_line, first = lines[0]
    _refuse_other_marks(path, first_line, first, required)
    if any(read_number(cell) is None for cell in first if cell):
        columns = [cell.lower() for cell in first]
        _check_columns(path, first_line, columns, required, allowed)
        lines = lines[1:]
    else:
        columns = allowed[: max(len(first), len(required))]
    filled = [name for name in required if name not in gaps]
    rows = []
    for line, cells in lines:
        if len(cells) > len(columns):
            raise FormatError(path, line, f"has {len(cells)} cells, the table has {len(columns)} columns")
        named = dict(zip(columns, [*cells, *[""] * (len(columns) - len(cells))], strict=True))
        text = named.pop(word, "") if word else ""
        rows.append(Row(line, {name: _value(path, line, name, cell, filled) for name, cell in named.items()}, text))
    if not least <= len(rows) <= _MOST_ROWS:
        raise FormatError(path, 0, f"has {len(rows)} rows; expected {least} to {_MOST_ROWS}")
    return rows


def _axes(playable: Playable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the coordinates of a blending point: those that a table must have, and those it may have."""
    if isinstance(playable, Cascade):
        n_outer = playable.outer.n_axes
        names = tuple(name.lower() for name in playable.axes)
        return names[:n_outer], names[n_outer:]
    return ("x", "y", "z")[: playable.n_axes] if isinstance(playable, Network) else ("x", "y"), ()


def _value(path: Path, line: int, name: str, cell: str, filled: Sequence[str]) -> float | None:
    if not cell and name not in filled:
        return None
    number = read_number(cell)
    if number is None or not math.isfinite(number):
        raise FormatError(path, line, f"expected a number for {name}, found {cell[:40]!r}")
    if abs(number) > _LARGEST:
        raise FormatError(path, line, f"expected {name} up to {_LARGEST:,.0f} either way, found {cell[:40]!r}")
    return number


def _refuse_other_marks(path: Path, line: int, cells: list[str], required: Sequence[str]) -> None:
    """Refuse a first line without a comma that has another separator between its words."""
    mark = next((mark for mark in _OTHER_MARKS if len(cells) == 1 and mark in cells[0]), None)
    if mark is not None:
        marks = f"found {_OTHER_MARKS[mark]}; save it with commas"
        raise FormatError(path, line, f"expected commas between cells, as in {','.join(required)}, {marks}")


def _check_columns(path: Path, line: int, columns: list[str], required: Sequence[str], allowed: Sequence[str]) -> None:
    for column in columns:
        if column not in allowed:
            near = difflib.get_close_matches(column, allowed, n=1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(allowed)}"
            raise FormatError(path, line, f"there is no column {column[:40]!r} here; {meant}")
    if not set(required) <= set(columns) or len(set(columns)) != len(columns):
        raise FormatError(path, line, f"expected the columns {','.join(required)}, found {','.join(columns)}")


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that hold cells, by number."""
    raw = read_bytes(path, most=_MOST_BYTES)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, raw[: error.start].count(b"\n") + 1, "is not UTF-8 text") from None
    reader = csv.reader(io.StringIO(text.replace("\0", "�")))
    out = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped) and not stripped[0].startswith("#"):
                out.append((reader.line_num, stripped))
    except csv.Error as error:
        raise FormatError(path, reader.line_num, f"is not a table: {error}") from None
    return out


def read_number(cell: str) -> float | None:
    """The number that a text stands for; None where it is none."""
    try:
        return float(cell)
    except ValueError:
        return None
