"""The words of an Acclaim skeleton file, line by line, sorted into its sections."""

from __future__ import annotations

import math
from collections.abc import Iterator
from os import PathLike
from typing import NoReturn

from mocapella.errors import FormatError
from mocapella.files.disk import read_bytes
from mocapella.files.tokens import NUMBER, as_number, shown, text

LARGEST_SKELETON = 16 * 1024**2  # bytes; ten thousand bones take three million
_TO_BLANKS = str.maketrans("(),", "   ")  # the format's own rule
_ONCE = ("root", "bonedata", "hierarchy")

Line = tuple[int, list[str]]  # its number, counted from 1, and its words, at least one


class AsfWords:
    """A skeleton file cut into sections; knows how to read numbers and how to say where it stopped."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self.sections: dict[str, list[Line]] = {}
        self.starts: dict[str, int] = {}  # the lines of the sections' keywords
        content = read_bytes(path)
        if len(content) > LARGEST_SKELETON:
            self.fail(0, f"{len(content):,} bytes are no skeleton; at most {LARGEST_SKELETON:,} are read")
        self._sort(content)

    def fail(self, line: int, reason: str) -> NoReturn:
        """Stop at a line."""
        raise FormatError(self.path, line, reason)

    def numbers(self, line: int, words: list[str], count: int) -> list[float]:
        """The finite numbers that follow a line's first word, exactly ``count`` of them."""
        if len(words) != count + 1:
            wanted = "one number" if count == 1 else f"{count} numbers"
            self.fail(line, f"expected {wanted} after {words[0].lower()}, found {len(words) - 1}")
        return [self.number(line, word, words[0].lower()) for word in words[1:]]

    def number(self, line: int, word: str, what: str) -> float:
        """One word as a number of usable size."""
        value = as_number(_ascii(word))
        if math.isnan(value):
            self.fail(line, f"expected a number for {what}, found {shown(word)}")
        return value

    def axis_order(self, line: int, word: str) -> str:
        """A word such as XYZ in capitals: the axes in the order in which angles about them are applied."""
        letters = word.upper()
        if sorted(letters) != ["X", "Y", "Z"]:
            self.fail(line, f"expected an order of axes such as XYZ, found {shown(word)}")
        return letters

    def _sort(self, content: bytes) -> None:
        lines: list[Line] | None = None
        for number, words in _lines(content):
            if words[0].startswith(":"):
                section = words[0][1:].lower()
                if section in self.sections and section in _ONCE:
                    self.fail(number, f"a second :{section}; a file holds one skeleton")
                lines = self.sections[section] = []
                self.starts[section] = number
            elif lines is None:
                self.fail(number, f"expected a section such as :units or :root, found {shown(words[0])}")
            else:
                lines.append((number, words))
        for section in _ONCE:
            if section not in self.sections:
                self.fail(0, f"there is no :{section} section; is this an Acclaim skeleton, and is it complete?")


def is_number(word: str) -> bool:
    """Whether a word reads as a number, be it an infinite one: then it can be no name."""
    return _is_plain_number(word) or word.lower().lstrip("+-") in ("inf", "nan")


def _is_plain_number(word: str) -> bool:
    return NUMBER.fullmatch(_ascii(word)) is not None


def _ascii(word: str) -> bytes:
    """A word as bytes; what ASCII lacks becomes a question mark, which stands in no number."""
    return word.encode("ascii", "replace")


def _lines(content: bytes) -> Iterator[Line]:
    """The lines that have words, without comments, free text and the signs that count as blanks."""
    documenting = False
    joined = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for number, raw in enumerate(joined.split(b"\n"), start=1):
        line = text(raw).strip()
        documenting = line.lower().startswith(":documentation") or (documenting and not line.startswith(":"))
        words = line.partition("#")[0].translate(_TO_BLANKS).split()
        if words and not documenting:
            yield number, words
