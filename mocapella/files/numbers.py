"""Large blocks of numbers, row by row: fast where they are spelled plainly, exact about what is wrong where not."""

from __future__ import annotations

import re
from os import PathLike

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.tokens import NUMBER, shown, text

_CHUNK = 1 << 20  # bytes decoded at a time: the list of Python floats between text and array stays small
_FLAT = msgspec.json.Decoder(list[float])
_TO_COMMAS = bytes.maketrans(b"\n ", b",,")
_BLANKS = re.compile(rb"[ \t\r\f\v]+")
# What JSON does not know: a plus sign, a bare point before or after the digits.
_RESPELL = ((re.compile(rb"(?<![\deE])\+"), b""), (re.compile(rb"(?<!\d)\."), b"0."), (re.compile(rb"\.(?!\d)"), b".0"))


def read_rows(
    path: str | PathLike[str], content: bytes, start: int, line: int, n_columns: int
) -> Float[np.ndarray, "rows columns"]:
    """All rows of ``n_columns`` numbers from byte ``start``, which is on ``line``, to the end; blank lines are skipped.

    Raises ``FormatError`` at the first row that is too short or long, or holds anything but finite numbers. Memory is
    taken for what is there, never for what a header claims.
    """
    most_values = (len(content) - start) // 2 + 1  # a digit and a blank each
    n_lines = content.count(b"\n", start) + 1
    rows = np.empty((min(n_lines, most_values // n_columns + 1), n_columns))
    n_rows = 0
    while start < len(content):
        end = content.find(b"\n", min(start + _CHUNK, len(content)))
        end = len(content) if end < 0 else end + 1
        chunk = content[start:end]
        values = _plain_rows(chunk, n_columns)
        if values is None:
            values = _careful_rows(path, chunk, line, n_columns)
        rows[n_rows : n_rows + len(values)] = values
        n_rows += len(values)
        line += chunk.count(b"\n")
        start = end
    return rows[:n_rows]


def _plain_rows(chunk: bytes, n_columns: int) -> Float[np.ndarray, "rows columns"] | None:
    """The rows of a chunk that is nearly JSON; None where a closer look is needed."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r", b"")
    if b"\t" in chunk or b"  " in chunk or b"\x0c" in chunk:
        chunk = _BLANKS.sub(b" ", chunk)
    for blank, plain in ((b" \n", b"\n"), (b"\n ", b"\n"), (b"\n\n", b"\n")):
        while blank in chunk:
            chunk = chunk.replace(blank, plain)
    chunk = chunk.strip()
    if not chunk:
        return np.empty((0, n_columns))
    lines = chunk.split(b"\n")
    blanks = n_columns - 1
    if any(row.count(b" ") != blanks for row in lines):
        return None
    array = b"[" + chunk.translate(_TO_COMMAS) + b"]"
    values = _decoded(array)
    if values is None:
        for pattern, plain in _RESPELL:
            array = pattern.sub(plain, array)
        values = _decoded(array)
    if values is None or len(values) != len(lines) * n_columns:
        return None
    flat = np.fromiter(values, np.float64, len(values))
    return flat.reshape(-1, n_columns) if np.isfinite(flat).all() else None


def _decoded(array: bytes) -> list[float] | None:
    try:
        return _FLAT.decode(array)
    except msgspec.MsgspecError:
        return None


def _careful_rows(
    path: str | PathLike[str], chunk: bytes, line: int, n_columns: int
) -> Float[np.ndarray, "rows columns"]:
    """The same, word by word: slow, but knows where it is."""
    rows = []
    for number, row in enumerate(chunk.split(b"\n"), start=line):
        words = row.split(maxsplit=n_columns)  # one more than wanted is enough to know
        if not words:
            continue
        for column, word in enumerate(words[:n_columns]):
            if not NUMBER.fullmatch(word):
                raise FormatError(path, number, f"expected a number, found {shown(text(word))} as value {column + 1}")
        if len(words) != n_columns:
            found = "more" if len(words) > n_columns else len(words)
            raise FormatError(path, number, f"expected {n_columns} values, one for each channel, found {found}")
        values = np.array([float(word) for word in words])
        if not np.isfinite(values).all():
            at = int(np.argmin(np.isfinite(values)))
            raise FormatError(path, number, f"value {at + 1} is too large: {shown(text(words[at]))}")
        rows.append(values)
    return np.array(rows).reshape(-1, n_columns)
