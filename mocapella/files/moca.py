"""The ``.moca`` container: arrays and one JSON header in a safetensors file, read without trusting it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import read_bytes, replacing
from mocapella.quoting import whole_characters

KEY = "mocapella"  # of the metadata entry that holds the header
LARGEST = 512 * 1024**2  # bytes of a file; a cycle has about 0.2 MB, a large network some tens
LARGEST_HEADER = 16 * 1024**2  # bytes of JSON
MOST_ARRAYS = 20_000  # in a file: as many as the largest network has, and more
DEEPEST = 32  # levels of brackets in the header
_DTYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "U8": np.uint8, "BOOL": np.bool_}

Arrays = Mapping[str, np.ndarray[Any, np.dtype[Any]]]


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a ``.moca`` file."""

    format: str  # what kind of thing is stored: "cycle"
    version: int
    header: bytes  # JSON, ``format`` and ``version`` included
    arrays: Arrays


def write_moca(path: str | PathLike[str], format: str, version: int, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write arrays and a header to a ``.moca`` file, complete or not at all; the same content makes the same file.

    Raises ``MotionError`` where it would be a file that ``read_moca`` refuses; none is written then.
    """
    words = json.dumps({"format": format, "version": version, **header}, ensure_ascii=False, allow_nan=False)
    text = whole_characters(words)  # a source may be a file whose name is not UTF-8
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    _refuse_too_much(format, plain)
    raw = safetensors.numpy.save(plain, metadata={KEY: text})
    length = int.from_bytes(raw[:8], "little")
    if length > LARGEST_HEADER:
        raise MotionError(
            f"this {format} needs a header of {length / 1024**2:.1f} MiB; a .moca has at most {LARGEST_HEADER >> 20}; "
            "store fewer motions, or shorter names and origins"
        )
    with replacing(path) as file:
        file.write(raw)


def _refuse_too_much(format: str, arrays: Arrays) -> None:
    if len(arrays) > MOST_ARRAYS:
        raise MotionError(f"this {format} needs {len(arrays)} arrays; a .moca holds at most {MOST_ARRAYS}")
    size = sum(array.nbytes for array in arrays.values())
    if size > LARGEST - LARGEST_HEADER:
        raise MotionError(
            f"this {format} needs {size / 1024**2:.0f} MiB; a .moca holds at most {(LARGEST - LARGEST_HEADER) >> 20}; "
            "keep fewer motions, or fewer harmonics of each"
        )


def read_moca(path: str | PathLike[str], *formats: str) -> Contents:
    """Read a ``.moca`` file that holds one of some formats.

    Returns its header, as JSON that is not looked through yet, and its arrays. Raises ``FormatError`` where the file is
    missing, damaged, too large or something else.
    """
    raw = read_bytes(path, most=LARGEST)
    header = _header(path, raw)
    words = _json(path, header)
    format, version = words.get("format"), words.get("version")
    if not isinstance(format, str) or type(version) is not int or version < 1:
        raise FormatError(path, 0, "has a header without format and version")
    if format not in formats:
        wanted = " or ".join(filter(None, (", ".join(formats[:-1]), formats[-1])))
        raise FormatError(path, 0, f"expected a stored {wanted}, found a {format[:60]!r}")
    try:
        arrays = safetensors.numpy.load(raw)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise FormatError(path, 0, f"is damaged: {error}") from None
    return Contents(format, version, header, arrays)


def _header(path: str | PathLike[str], raw: bytes) -> bytes:
    """The text under our key, with the sizes of everything checked before anything is made of it."""
    length = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or not 2 <= length <= min(len(raw) - 8, LARGEST_HEADER):
        raise FormatError(path, 0, "is not a .moca file, or was cut short: it does not begin with a header")
    table = _json(path, raw[8 : 8 + length])
    entries = {name: entry for name, entry in table.items() if name != "__metadata__"}
    if len(entries) > MOST_ARRAYS:
        raise FormatError(path, 0, f"lists {len(entries)} arrays; at most {MOST_ARRAYS} are read")
    room = len(raw) - 8 - length
    for name, entry in entries.items():
        _check_entry(path, name, entry, room)
    metadata = table.get("__metadata__")
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise FormatError(path, 0, f"is a safetensors file, but not ours: it has no metadata {KEY!r}")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise FormatError(path, 0, "is damaged: its header holds half of a surrogate pair") from None


def _check_entry(path: str | PathLike[str], name: str, entry: Any, room: int) -> None:
    """One array's type, shape and place must agree with each other and with the file."""
    try:
        dtype, shape, (first, last) = entry["dtype"], entry["shape"], entry["data_offsets"]
        numbers = [first, last, *shape]
        sound = all(type(number) is int and 0 <= number <= LARGEST for number in numbers) and dtype in _DTYPES
    except (KeyError, TypeError, ValueError):
        sound = False
    if not sound:
        raise FormatError(path, 0, f"describes the array {name[:60]!r} in a way that cannot be")
    size = math.prod(shape) * np.dtype(_DTYPES[dtype]).itemsize
    if last - first != size or last > room:
        raise FormatError(path, 0, f"was cut short or damaged: the array {name[:60]!r} does not fit in the file")


def _json(path: str | PathLike[str], text: bytes) -> dict[str, Any]:
    if _depth(text) > DEEPEST:
        raise FormatError(path, 0, f"has a header nested deeper than {DEEPEST} levels")
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(path, 0, f"is not a .moca file, or damaged: its header is not JSON ({error})") from None
    if not isinstance(table, dict):
        raise FormatError(path, 0, "is damaged: its header is not a JSON object")
    return table


def _depth(text: bytes) -> int:
    """How deep brackets are nested, those inside strings counted too: an upper bound, for a quick look."""
    marks = np.frombuffer(text, dtype=np.uint8)
    steps = np.isin(marks, list(b"[{")).astype(np.int64) - np.isin(marks, list(b"]}"))
    return int(np.cumsum(steps).max(initial=0))
