"""The words of a text file, one after another, each with its line."""

from __future__ import annotations

import math
import re
from os import PathLike
from typing import NoReturn

import numpy as np

from mocapella.errors import FormatError

_WORD = re.compile(rb"[{}]|[^\s{}]+")
_REST = re.compile(rb"[^\r\n{}]*")
# Only one way to match any word: with two, a long row of digits and then a letter would take for ever to refuse.
NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
LARGEST_NUMBER = 1e12  # nobody walks or turns that far in any unit, and squares and sums of such numbers stay finite
_SHOWN = 40  # characters of a word that stand in an error


class Tokens:
    """Reads words and numbers from where it stands; braces are words of their own."""

    def __init__(self, path: str | PathLike[str], content: bytes) -> None:
        self.path = path
        self.content = content
        self.at = 3 if content.startswith(b"\xef\xbb\xbf") else 0  # some editors put a byte-order mark first
        self._word_start = self.at

    @property
    def line(self) -> int:
        """The line of the last word, counted from 1."""
        return self.content.count(b"\n", 0, self._word_start) + 1

    def peek(self) -> str:
        """The next word, not stepped over; "" at the end of the file."""
        match = _WORD.search(self.content, self.at)
        return text(match.group()) if match else ""

    def next(self) -> str:
        """The next word; "" at the end of the file."""
        match = _WORD.search(self.content, self.at)
        if match is None:
            self._word_start = self.at = len(self.content)
            return ""
        self._word_start, self.at = match.span()
        return text(match.group())

    def rest_of_line(self) -> str:
        """What stands up to the end of the line or the next brace, without the blanks around it."""
        match = _REST.match(self.content, self.at)
        words = match.group() if match else b""
        self._word_start, self.at = self.at, self.at + len(words)
        return text(words.strip())

    def expect(self, keyword: str) -> None:
        """Step over ``keyword``, or say what stands there instead."""
        found = self.next()
        if found.upper() != keyword.upper():  # many files in the wild ignore case
            self.fail(f"expected {keyword}, found {shown(found)}")

    def number(self, what: str) -> float:
        """The next word as a number of usable size."""
        found = self.next()
        value = as_number(found.encode())
        if math.isnan(value):
            self.fail(f"expected a number for {what}, found {shown(found)}")
        return value

    def whole_number(self, what: str) -> int:
        """The next word as a whole number, 0 or above."""
        found = self.next()
        if not (found.isascii() and found.isdigit() and len(found) < 19):
            self.fail(f"expected a whole number for {what}, found {shown(found)}")
        return int(found)

    def fail(self, reason: str) -> NoReturn:
        """Stop here."""
        raise FormatError(self.path, self.line, reason)

    def next_line_start(self) -> int:
        """Where the line after this one begins."""
        end = self.content.find(b"\n", self.at)
        return len(self.content) if end < 0 else end + 1


def without_lone_returns(content: bytes) -> bytes:
    """The text with newlines where line ends of old Macs stood, alone or among others; lines keep their numbers."""
    if b"\r" not in content:
        return content
    letters = np.frombuffer(content, np.uint8)
    returns = np.flatnonzero(letters == ord("\r"))
    if returns[-1] + 1 < len(letters) and np.all(letters[returns + 1] == ord("\n")):
        return content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def as_number(word: bytes) -> float:
    """What a word says as a number; NaN where it is none, or one too large for any motion."""
    value = float(word) if NUMBER.fullmatch(word) else math.nan
    return value if abs(value) <= LARGEST_NUMBER else math.nan


def text(word: bytes) -> str:
    """A word as text: UTF-8 where it is that, else byte for byte."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        return word.decode("latin-1")


def shown(word: str) -> str:
    """A word as it stands in an error: quoted, never long; the end of the file by name."""
    if not word:
        return "the end of the file"
    return repr(word if len(word) <= _SHOWN else word[:_SHOWN] + "…")
