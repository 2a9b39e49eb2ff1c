"""Files of positions: TRC of OpenSim and motion-capture systems, CSV, and C3D by ezc3d."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.checks import MOST_FRAMES, is_usable
from mocapella.errors import FormatError, MotionError
from mocapella.files.apart.run import read_apart
from mocapella.files.budget import PER_POINT, Budget
from mocapella.files.conventions import UNITS, Parsed
from mocapella.files.disk import read_bytes
from mocapella.files.points import c3d_worker
from mocapella.files.points.fit import fit_points
from mocapella.motion.report import Finding


class _Limits(NamedTuple):
    """The largest files that are read."""

    size: int = 512 * 1024**2  # bytes of a file
    points: int = 1000  # in a frame
    furthest: float = 1e7  # in any unit
    c3d_points: int = 2000  # in a frame of C3D


_LIMITS = _Limits()
_UNITS = {"metre": "m", "meter": "m", "meters": "m", "metres": "m", "in": "inch", "inches": "inch", "": "m"}
_TIMES = ("time", "seconds", "t", "timestamp")
_AXIS = re.compile(r"^(.*\S)\s*[_.: ]\s*([xyz])$", re.IGNORECASE)

Table = Float[np.ndarray, "rows columns"]


class _Trial(NamedTuple):
    """What a file of points holds."""

    names: list[str]
    positions: Float[np.ndarray, "frames points 3"]
    rate: float
    unit: str
    findings: list[Finding]

    @property
    def metre(self) -> float:
        """In units of the file."""
        return 1.0 / UNITS[self.unit]


def read_trc(
    path: Path,
    *,
    skeleton: str | PathLike[str] | None = None,
    frame_rate: float | None = None,
    partial: bool = False,
) -> Parsed:
    """The motion of a ``.trc`` file, of joints or markers.

    ``skeleton`` is a static trial of the same person, for markers that were taken off before the motion.
    ``frame_rate`` is in frames per second; the file's if None. The result is on a skeleton made of the positions, in
    the file's unit. Raises ``FormatError`` where it is no TRC, is cut short, or its points make no body.
    """
    return _fitted_trial(path, _trc_trial(path, frame_rate, partial), skeleton)


def read_c3d(path: Path, *, skeleton: str | PathLike[str] | None = None, frame_rate: float | None = None) -> Parsed:
    """The motion of a ``.c3d`` file, of joints or markers.

    ``skeleton`` and ``frame_rate`` are those of ``read_trc``. The result is on a skeleton made of the points, in the
    file's unit, millimetres where it names none. Raises ``FormatError`` where it is no C3D, ezc3d crashes on it, or its
    points make no body.
    """
    return _fitted_trial(path, _c3d_trial(path, frame_rate), skeleton)


def _fitted_trial(path: Path, trial: _Trial, skeleton: str | PathLike[str] | None) -> Parsed:
    """The motion of a trial, with the markers of a static one where that is named."""
    static = {} if skeleton is None else _static_places(Path(skeleton), trial.metre)
    parsed = _fitted(path, trial.names, trial.positions, trial.rate, trial.metre, static)
    return replace(parsed, findings=(*trial.findings, *parsed.findings), metres_per_unit=UNITS[trial.unit])


def _static_places(path: Path, metre: float) -> dict[str, Float[np.ndarray, 3]]:
    """Where the markers of a static trial are in the median, in a unit of which so many make a metre."""
    readers = {".trc": lambda: _trc_trial(path, None, True), ".c3d": lambda: _c3d_trial(path, None)}
    if path.suffix.lower() not in readers:
        raise FormatError(
            path, 0, f"expected a static trial ({', '.join(readers)}), found {path.suffix or 'no suffix'}"
        )
    trial = readers[path.suffix.lower()]()
    seen = ~np.isnan(trial.positions).any(axis=2)
    scale = metre / trial.metre
    return {
        name: scale * np.median(trial.positions[seen[:, i], i], axis=0)
        for i, name in enumerate(trial.names)
        if seen[:, i].any()
    }


def _trc_trial(path: Path, frame_rate: float | None, partial: bool) -> _Trial:
    """The points of a ``.trc`` file."""
    lines, budget = _lines(path)
    if not lines[0].lower().startswith("pathfiletype"):
        raise FormatError(path, 1, f"expected PathFileType, found {lines[0][:40]!r}")
    if len(lines) < 6:
        raise FormatError(path, len(lines), "the header is not complete")
    header = dict(zip((key.lower() for key in _cells(lines[1])), _cells(lines[2]), strict=False))
    rate = _number(path, 3, header.get("datarate", ""), "DataRate") if frame_rate is None else frame_rate
    unit = header.get("units", "").lower()
    unit = _UNITS.get(unit, unit)
    if unit not in UNITS:
        raise FormatError(path, 3, f"expected a unit of {', '.join(UNITS)}, found {unit[:20]!r}")
    by_tabs = [label.strip() for label in lines[3].split("\t")[2::3]]
    names = by_tabs if "\t" in lines[3] else lines[3].split()[2:]
    while names and not names[-1]:
        names.pop()
    count = _number(path, 3, header.get("nummarkers", str(len(names))), "NumMarkers")
    if not 0 < len(names) <= _LIMITS.points or count != len(names):
        raise FormatError(path, 4, f"expected {count:g} names of markers, found {len(names)}")
    separator = "\t" if any("\t" in line for line in lines[5:7]) else None
    table = _table(budget, lines, 5, 2 + 3 * len(names), separator)
    findings = _counted(path, len(table), header.get("numframes", ""), partial)
    return _Trial(names, table[:, 2:].reshape(len(table), -1, 3), float(rate), unit, findings)


def read_csv(path: Path, *, frame_rate: float | None = None) -> Parsed:
    """The motion of a ``.csv`` file of positions, on a skeleton made of them.

    Columns are ``left_knee_x``, ``left_knee_y``, ``left_knee_z``, …, or names and axes in two rows, as pandas writes
    ``clip.to_dataframe()``. A column of times in seconds may come first; it tells the frame rate if ``frame_rate`` is
    None. The unit is told from the body's height. Raises ``FormatError`` where it is no such table, or its points make
    no body.
    """
    lines, budget = _lines(path)
    separator = max(",;\t", key=lines[0].count)
    first = next((i for i, line in enumerate(lines[:8]) if _is_numeric(line.split(separator))), None)
    if not first:
        raise FormatError(path, 1, "expected a row of names, then rows of numbers")
    heads = [[cell.strip().strip('"') for cell in line.split(separator)] for line in lines[:first]]
    if max(map(len, heads)) > 4 * _LIMITS.points:
        raise FormatError(path, 1, f"has {len(heads[0]):,} columns; at most {4 * _LIMITS.points:,} are read")
    names, columns = _axes_of_points(path, heads)
    table = _table(budget, lines, first, len(heads[0]), separator)
    rate = frame_rate if frame_rate is not None else _rate(path, heads, table)
    return _fitted(path, names, table[:, columns].reshape(len(table), -1, 3), float(rate), 1.0)


def _c3d_trial(path: Path, frame_rate: float | None) -> _Trial:
    """The points of a ``.c3d`` file."""
    options = {"file": str(path.absolute()), "points": _LIMITS.c3d_points, "per_point": PER_POINT}
    header, numbers = read_apart(path, str(c3d_worker.__file__), options, name="C3D", library="ezc3d")
    names, n_frames = [str(label) for label in header["labels"]], int(header["frames"])
    if not names or not 0 < n_frames <= MOST_FRAMES or len(numbers) != 3 * len(names) * n_frames:
        raise FormatError(path, 0, "holds no labelled points")
    rate = header["rate"] if frame_rate is None else float(frame_rate)
    if not is_usable(rate):
        raise FormatError(path, 0, "states no frame rate; name one")
    unit = str(header["unit"]).lower() or "mm"
    if unit not in UNITS:
        raise FormatError(path, 0, f"expected a unit of {', '.join(UNITS)}, found {unit[:20]!r}")
    places = np.array(numbers).reshape(n_frames, len(names), 3)
    places[~(np.abs(places) <= _LIMITS.furthest).all(axis=2)] = np.nan
    firsts = [i for i, name in enumerate(names) if name not in names[:i]]  # of points with one label
    return _Trial([names[i] for i in firsts], places[:, firsts], rate, unit, [])


def _axes_of_points(path: Path, heads: Sequence[Sequence[str]]) -> tuple[list[str], list[int]]:
    """The names of points, and the columns of x, y and z of each."""
    columns = _columns(heads)
    names = list(dict.fromkeys(name for name, _ in columns.values()))
    column_of = {point: i for i, point in columns.items()}
    axes = [(name, axis) for name in names for axis in "xyz"]
    if not 0 < len(names) <= _LIMITS.points or len(column_of) != len(columns) or not column_of.keys() >= set(axes):
        raise FormatError(path, 1, "expected three columns for each joint: left_knee_x, left_knee_y, left_knee_z, …")
    return names, [column_of[point] for point in axes]


def _lines(path: Path) -> tuple[list[str], Budget]:
    content = read_bytes(path, most=_LIMITS.size)
    if b"\x00" in content[:4096]:
        raise FormatError(path, 0, "is not text")
    return content.decode("utf-8-sig", errors="replace").splitlines(), Budget(path, len(content))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]


def _number(path: Path, line: int, word: str, what: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise FormatError(path, line, f"expected {what} as a number, found {word[:40]!r}") from None
    if not (is_usable(value) if what == "DataRate" else abs(value) <= _LIMITS.furthest):
        raise FormatError(path, line, f"expected {what} as a usable number, found {word[:40]!r}")
    return value


def _table(budget: Budget, lines: Sequence[str], first: int, n_columns: int, separator: str | None) -> Table:
    """Rows of numbers; NaN where a cell is empty, or where a row ends early, as points that were not seen do."""
    path, filled = budget.path, [i for i in range(first, len(lines)) if lines[i].strip()]
    if not 0 < len(filled) <= MOST_FRAMES:
        raise FormatError(path, 0, f"holds {len(filled):,} rows of {n_columns:,} numbers; more than is read, or none")
    budget.take_points(len(filled), -(-n_columns // 3))
    out = np.full((len(filled), n_columns), np.nan)
    for row, i in enumerate(filled):
        cells = lines[i].split(separator)
        while len(cells) > n_columns and not cells[-1].strip():
            cells.pop()
        if len(cells) > n_columns:
            raise FormatError(path, i + 1, f"expected {n_columns} numbers, found {len(cells)}")
        out[row, : len(cells)] = _row(path, i + 1, cells)
    odd = np.argwhere(~(np.isnan(out) | (np.abs(out) <= _LIMITS.furthest)))
    if len(odd):
        raise FormatError(path, filled[int(odd[0, 0])] + 1, "expected a position, found a number beyond all rooms")
    return out


def _row(path: str | PathLike[str], line: int, cells: Sequence[str]) -> list[float]:
    try:
        return [float(cell) if cell and not cell.isspace() else np.nan for cell in cells]
    except ValueError:
        word = next(cell for cell in cells if not _is_number(cell))
        raise FormatError(path, line, f"expected a number, found {word.strip()[:40]!r}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return cell.isspace()
    return True


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether a row holds numbers, and not only empty cells."""
    filled = [cell for cell in cells if cell.strip()]
    return len(filled) > 1 and all(_is_number(cell) for cell in filled)


def _columns(heads: Sequence[Sequence[str]]) -> dict[int, tuple[str, str]]:
    """Name and axis by column, of one row of names or of two."""
    columns: dict[int, tuple[str, str]] = {}
    for i, cell in enumerate(heads[0]):
        axis = heads[1][i].lower() if len(heads) > 1 and i < len(heads[1]) else ""
        if axis in ("x", "y", "z") and cell:
            columns[i] = (cell, axis)
        elif (match := _AXIS.match(cell)) is not None:
            columns[i] = (match.group(1), match.group(2).lower())
    return columns


def _rate(path: Path, heads: Sequence[Sequence[str]], table: Table) -> float:
    """Frames per second by a column of times."""
    firsts = {row[i].lower(): i for row in heads for i in range(len(row) - 1, -1, -1)}
    column = next((firsts[word] for word in _TIMES if word in firsts), None)
    if column is None:
        raise FormatError(path, 1, "states no times; name the frame rate")
    times = table[:, column]
    steps = np.diff(times)
    if len(steps) == 0 or not np.isfinite(steps).all() or steps.min() <= 0.0:
        raise FormatError(path, 0, "its times do not rise")
    rate = 1.0 / float(np.median(steps))
    if np.ptp(steps) > 0.5 / rate or not is_usable(rate):
        raise FormatError(path, 0, "its times are uneven; bring the positions to a constant frame rate first")
    mean = (len(times) - 1) / float(times[-1] - times[0])
    return float(round(mean)) if round(mean) and abs(mean / round(mean) - 1.0) < 1e-3 else mean


def _counted(path: Path, n_rows: int, word: str, partial: bool) -> list[Finding]:
    """A word about the number of frames in a header that is not the number of rows."""
    stated = _number(path, 3, word, "NumFrames") if word else n_rows
    if n_rows < stated and not partial:
        raise FormatError(path, 0, f"ends after {n_rows:,} of {stated:,.0f} frames; partial reads what there is")
    if n_rows == stated:
        return []
    return [Finding("frame-count", f"the header states {stated:,.0f} frames, there are {n_rows:,}")]


def _fitted(
    path: Path,
    names: Sequence[str],
    positions: Float[np.ndarray, "frames points 3"],
    rate: float,
    metre: float,
    static: Mapping[str, Float[np.ndarray, 3]] | None = None,
) -> Parsed:
    """The motion of points with names that differ; errors name the file."""
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise FormatError(path, 0, f"two points are called {twice[:40]!r}")
    try:
        return fit_points(names, positions, rate, metre=metre, static=static)
    except MotionError as error:
        raise FormatError(path, 0, str(error), option=error.option) from None
