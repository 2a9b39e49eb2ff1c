"""NumPy's ``.npz`` archives read without trusting them: no pickles, and no memory before its size is known."""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from os import PathLike
from typing import Any, NoReturn, cast

import numpy as np

from mocapella.errors import FormatError
from mocapella.files.budget import Budget
from mocapella.files.disk import read_bytes

LARGEST = 1024**3  # bytes of one array, and of all that are read
_MOST_ARRAYS = 1000  # in an archive; motions have about ten
_LONGEST_HEADER = 4096  # bytes
_PIECE = 1 << 20  # bytes unpacked at a time
_NUMBERS = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[A-Za-z]\d{0,4})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}L?, ?){0,8}(?:\d{1,18}L?)?)\),? ?\}"
)
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, EOFError)
_DAMAGED = (*_BROKEN_ZIP, ValueError, OverflowError, KeyError, OSError)

Array = np.ndarray[Any, np.dtype[Any]]


class Archive:
    """The arrays of numbers in a ``.npz`` file, by name; each is read when it is asked for.

    ``path`` is the file, of which all is read; arrays take no memory yet.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self._left = LARGEST
        content = read_bytes(path)
        self.budget = Budget(path, len(content))
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            entries = self._zip.infolist()
        except _DAMAGED as error:
            raise FormatError(path, 0, f"is not an .npz archive: {error}") from None
        if len(entries) > _MOST_ARRAYS:
            raise FormatError(path, 0, f"holds {len(entries):,} arrays; at most {_MOST_ARRAYS:,} are read")
        self._entries = {file.filename.removesuffix(".npy"): file for file in entries if file.filename.endswith(".npy")}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its arrays, in the order of the file."""
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> Array:
        entry = self._entries[name]
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # NumPy writes no other
            self.fail(f"its array {name[:40]!r} is packed in a way that is not read")
        try:
            with self._zip.open(entry) as file:
                head = file.read(10)
                if len(head) < 10 or head[:6] != b"\x93NUMPY" or head[6] not in (1, 2, 3):
                    self.fail(f"its array {name[:40]!r} is not a NumPy array")
                more = b"" if head[6] == 1 else file.read(2)
                length = int.from_bytes(head[8:] + more, "little")
                if length > _LONGEST_HEADER:
                    self.fail(f"its array {name[:40]!r} has a header of {length:,} bytes")
                shape, fortran, dtype = self._header(name, file.read(length))
                size = math.prod(shape) * dtype.itemsize
                rest = entry.file_size - (10 + len(more) + length)
                if size != rest or size > self._left:
                    self.fail(f"its array {name[:40]!r} would take {size:,} bytes; {rest:,} are there")
                self._left -= size
                self.budget.take_numbers(math.prod(shape), f"its array {name[:40]!r}")
                content = _read_all(cast(zipfile.ZipExtFile, file), size)
        except _DAMAGED as error:
            raise FormatError(self.path, 0, f"its array {name[:40]!r} is damaged: {error}") from None
        if content is None:
            self.fail(f"its array {name[:40]!r} would take {size:,} bytes, and has not as many")
        return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran else "C")

    def _header(self, name: str, text: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        """Shape, order and dtype, in the words in which NumPy writes them."""
        header = _HEADER.fullmatch(text.rstrip())
        if header is None:
            self.fail(f"the header of its array {name[:40]!r} cannot be read: {text[:60]!r}")
        descr, order, counts = (part.decode() for part in header.groups())
        if descr == "|O":
            self.fail(f"its array {name[:40]!r} holds pickled objects, which are never read")
        if descr.lstrip("<>|=") not in _NUMBERS:
            self.fail(f"its array {name[:40]!r} holds {descr}, not numbers")
        shape = tuple(int(count.rstrip("L")) for count in counts.replace(" ", "").split(",") if count)
        return shape, order == "True", np.dtype(descr)

    def fail(self, reason: str) -> NoReturn:
        """Refuse the file."""
        raise FormatError(self.path, 0, reason)


def _read_all(file: zipfile.ZipExtFile, size: int) -> bytearray | None:
    """So many bytes, which must be all; ``read`` of a packed file would copy all it has for every piece it adds."""
    out, end = bytearray(size), 0
    while piece := file.read1(_PIECE):
        if end + len(piece) > size:
            return None
        out[end : end + len(piece)] = piece
        end += len(piece)
    return out if end == size else None
