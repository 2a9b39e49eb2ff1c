"""Large blocks of numbers, row by row: fast where they are spelled plainly, exact about what is wrong where not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.decimals import DecimalReader
from mocapella.files.tokens import LARGEST_NUMBER, NUMBER, shown, text

_CHUNK = 1 << 18  # bytes decoded at a time: what lies between text and numbers stays in the cache
_DECODER = msgspec.json.Decoder(list[float])
_ENCODER = msgspec.msgpack.Encoder()
_FLOAT64 = np.dtype([("code", "u1"), ("value", ">f8")])  # how MessagePack writes a float
_TO_COMMAS = bytes.maketrans(b"\n ", b",,")
_LONGEST_WORD = 1000  # bytes, blanks among them; lines of longer ones are read with care for memory
# What JSON does not know: a plus sign, a bare point before or after the digits. What is no number must not become one.
_RESPELL = (
    (re.compile(rb"(?<=[\[,])\+(?=[\d.])"), b""),
    (re.compile(rb"(?<![\d.])\.(?=\d)"), b"0."),
    (re.compile(rb"(?<=\d)\.(?!\d)"), b".0"),
)

_Rows = Float[np.ndarray, "rows columns"]


def most_rows_of(n_letters: int, n_columns: int) -> int:
    """How many rows of ``n_columns`` numbers so many letters can hold: a digit and a blank for each number."""
    return (n_letters // 2 + 1) // n_columns + 1


def row_blocks(path: str | PathLike[str], content: bytes, start: int, line: int, n_columns: int) -> Iterator[_Rows]:
    """Rows of ``n_columns`` numbers from byte ``start``, which is on ``line``, to the end; blank lines are skipped.

    A return stands only before a newline. Rows come in blocks that are good until the next one is asked for. Raises
    ``FormatError`` at the first row that is too short or long, or holds anything but numbers that a motion can have.
    """
    reader = DecimalReader(n_columns)
    for first, chunk in _chunks(content, start):
        plain = len(chunk) <= _CHUNK + _LONGEST_WORD * n_columns
        values = _plain_rows(chunk, n_columns, reader) if plain else None
        if values is None:
            values = _careful_rows(path, chunk, line + content.count(b"\n", start, first), n_columns)
        if len(values):
            yield values


def _chunks(content: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines, the first by itself: files often begin with a rest pose that is spelled more briefly."""
    size = 0
    while start < len(content):
        end = content.find(b"\n", min(start + size, len(content)))
        end = len(content) if end < 0 else end + 1
        yield start, content[start:end]
        start, size = end, _CHUNK


def _plain_rows(chunk: bytes, n_columns: int, reader: DecimalReader) -> _Rows | None:
    """The rows of a chunk in one go; None where a closer look is needed."""
    chunk = chunk.replace(b"\r", b"")  # line ends are never a return alone
    values = reader.rows(chunk)
    if values is not None:
        return values
    # Where only some rows are spelled otherwise, as rest poses between captures are, the rest still goes the fast way.
    middle = chunk.find(b"\n", len(chunk) // 2) + 1
    if 0 < middle < len(chunk) and reader.rows(chunk[: chunk.find(b"\n") + 1]) is not None:
        halves = []
        for half in (chunk[:middle], chunk[middle:]):
            rows = _plain_rows(half, n_columns, reader)
            if rows is None:
                return None
            halves.append(rows.copy())  # the reader's own memory, which the other half will use again
        return np.concatenate(halves)
    return _json_rows(chunk, n_columns)


def _json_rows(chunk: bytes, n_columns: int) -> _Rows | None:
    """The rows of a chunk in any spelling, by way of a JSON array; None where something is wrong with them."""
    lines = [b" ".join(words) for row in chunk.split(b"\n") if (words := row.split(maxsplit=n_columns))]
    if any(row.count(b" ") != n_columns - 1 for row in lines):
        return None
    flat = _decoded(b"[" + b",".join(lines).translate(_TO_COMMAS) + b"]")
    if flat is None or flat.size != len(lines) * n_columns or not np.abs(flat).max(initial=0.0) <= LARGEST_NUMBER:
        return None
    return flat.reshape(-1, n_columns)


def _decoded(array: bytes) -> Float[np.ndarray, " values"] | None:
    """The numbers of a JSON array, also where some are spelled as JSON does not allow."""
    for pattern, plain in ((None, b""), *_RESPELL):
        if pattern is not None:
            array = pattern.sub(plain, array)
        try:
            floats = _DECODER.decode(array)
        except msgspec.MsgspecError:
            continue
        # From a list of floats to an array the detour over MessagePack takes a third of the time of np.array.
        packed = _ENCODER.encode(floats)
        return np.frombuffer(packed, _FLOAT64, offset=len(packed) - 9 * len(floats))["value"].astype(np.float64)
    return None


def _careful_rows(path: str | PathLike[str], chunk: bytes, line: int, n_columns: int) -> _Rows:
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
        if (sizes := np.abs(values)).max() > LARGEST_NUMBER:
            at = int(np.argmax(sizes > LARGEST_NUMBER))
            raise FormatError(path, number, f"value {at + 1} is too large: {shown(text(words[at]))}")
        rows.append(values)
    return np.array(rows).reshape(-1, n_columns)
