"""Text files: words with their lines, large blocks of numbers read fast."""

from __future__ import annotations

import codecs
import math
import re
import threading
from collections.abc import Iterator
from os import PathLike
from typing import NoReturn

import numpy as np
from jaxtyping import Float, Int, UInt

from mocapella.errors import FormatError

# The words of a text file, one after another, each with its line.

_WORD = re.compile(rb"[{}]|[^\s{}]+")
_REST = re.compile(rb"[^\r\n{}]*")
# Only one way to match any word: with two, a long row of digits and then a letter would take for ever to refuse.
NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
LARGEST_NUMBER = 1e12  # no motion goes or turns that far in any unit, and squares and sums of such numbers stay finite
_LONGEST_QUOTED = 40  # characters of a word that stand in an error


class Tokens:
    """Reads words and numbers from where it stands; braces are words of their own."""

    def __init__(self, path: str | PathLike[str], content: bytes) -> None:
        self.path = path
        self.content = content
        self.at = 3 if content.startswith(codecs.BOM_UTF8) else 0  # some editors put a byte-order mark first
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
        """The text up to the end of the line or the next brace, without the blanks around it."""
        match = _REST.match(self.content, self.at)
        words = match.group() if match else b""
        self._word_start, self.at = self.at, self.at + len(words)
        return text(words.strip())

    def expect(self, keyword: str) -> None:
        """Step over ``keyword``, or say what stands there instead."""
        word = self.next()
        if word.upper() != keyword.upper():  # many files in the wild ignore case
            self.fail(f"expected {keyword}, found {quoted(word)}")

    def number(self, what: str) -> float:
        """The next word as a number of usable size."""
        word = self.next()
        value = as_number(word.encode())
        if math.isnan(value):
            self.fail(f"expected a number for {what}, found {quoted(word)}")
        return value

    def whole_number(self, what: str) -> int:
        """The next word as a whole number, 0 or above."""
        word = self.next()
        if not (word.isascii() and word.isdigit() and len(word) < 19):
            self.fail(f"expected a whole number for {what}, found {quoted(word)}")
        return int(word)

    def fail(self, reason: str) -> NoReturn:
        """Stop here."""
        raise FormatError(self.path, self.line, reason)

    def next_line_start(self) -> int:
        """Where the line after this one begins."""
        end = self.content.find(b"\n", self.at)
        return len(self.content) if end < 0 else end + 1


def without_lone_returns(content: bytes) -> bytes:
    """The text with newlines where lone returns ended lines; lines keep their numbers."""
    content = _in_utf8(content)
    if b"\r" not in content:
        return content
    letters = np.frombuffer(content, np.uint8)
    returns = np.flatnonzero(letters == ord("\r"))
    if returns[-1] + 1 < len(letters) and np.all(letters[returns + 1] == ord("\n")):
        return content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def plain_lines(content: bytes) -> bytes:
    """The text without a byte-order mark and with one kind of line end; lines keep their numbers."""
    content = _in_utf8(content).removeprefix(codecs.BOM_UTF8)
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def _in_utf8(content: bytes) -> bytes:
    """The text in UTF-8 where a mark at its beginning says that it is UTF-16, as some editors of Windows save it."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace").encode()
    return content


def as_number(word: bytes) -> float:
    """A word as a number; NaN where it is none, or too large for any motion."""
    value = float(word) if NUMBER.fullmatch(word) else math.nan
    return value if abs(value) <= LARGEST_NUMBER else math.nan


def text(word: bytes) -> str:
    """A word as text: UTF-8 where it is that, else byte for byte."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        return word.decode("latin-1")


def quoted(word: str) -> str:
    """A word as it stands in an error: quoted, never long; the end of the file by name."""
    if not word:
        return "the end of the file"
    return repr(word if len(word) <= _LONGEST_QUOTED else word[:_LONGEST_QUOTED] + "…")


# Rows of plain decimals such as ``-12.3456 0.0000 7.5000``, read all at once without a loop over them.
#
# Nearly every motion file gives all its numbers the same count of decimals. Then the points alone tell where the words
# begin and end. What two letters spell is worked out at every place in the text, words or not, for passes over bytes
# cost next to nothing; then all words together pick the pairs of digits they are made of. That is faster than any
# parser we know of that looks at one word after another.

_FEWEST_DECIMALS, _MOST_DECIMALS = 2, 6  # digits after the point of numbers that are read the quick way
_LONGEST_DECIMAL = 14  # letters of such a number
_MOST_WHOLE = 11  # letters before the point, so that no number is too large for a motion
_PAIR = 2  # digits that are read at a time: the most that a byte holds
_CELL = 4  # letters in which there is at most one point, with two decimals and a blank between points
_PLACE_IN_CELL = np.uint32(0x00010203)  # times 1 << 8 * place, the place is in the highest byte
_BLANK, _NEWLINE, _MINUS, _POINT, _ZERO = b" \n-.0"
_SIGN = 63  # the bit of a float that makes it negative


class _Scratch(threading.local):
    """Memory for what lies between text and numbers.

    It is kept for good, since fresh memory costs more time than the arithmetic.
    """

    def __init__(self) -> None:
        self.n_letters = self.n_words = 0

    def make_room(self, n_letters: int, n_words: int) -> None:
        if n_letters > self.n_letters:
            self.n_letters = _CELL * (n_letters // _CELL + n_letters // 32 + 1)
            self.marks = np.empty(self.n_letters, dtype=bool)
            self.cells = np.empty(self.n_letters // _CELL, dtype=bool)
            self.spelled = np.zeros((1 + _PAIR, _PAIR + self.n_letters), dtype=np.uint8)
        if n_words > self.n_words:
            self.n_words = n_words + n_words // 8
            self.starts, self.n_whole, self.signs, self.places = np.empty((4, self.n_words), dtype=np.int64)
            self.taken = np.empty(self.n_words, dtype=np.uint8)
            self.whole = np.empty(self.n_words, dtype=np.uint32)
            self.values = np.empty(self.n_words)


_SCRATCH = _Scratch()


def decimal_rows(chunk: bytes, n_columns: int) -> Float[np.ndarray, "rows columns"] | None:
    """The numbers of a chunk of whole lines; None unless all of it is spelled plainly.

    Plainly means: one blank between words and a newline after a row, no other white space; the same count of
    decimals, 2 to 6, in all words; no word longer than 14 letters, of which 11 stand before the point; a minus as
    the only sign. The results are those of ``float``: digits are exact whole numbers up to the single division that
    places the point. They are valid until the next call in this thread.
    """
    decimals = _count_decimals(chunk)
    if not _FEWEST_DECIMALS <= decimals <= _MOST_DECIMALS:
        return None
    letters = np.frombuffer(chunk, np.uint8)
    _SCRATCH.make_room(len(letters), 0)
    points = _find_points(letters)
    n_words = len(points)
    if n_words % n_columns or points[-1] + decimals + 2 != len(letters):
        return None
    _SCRATCH.make_room(0, n_words)
    starts, n_whole = _SCRATCH.starts[:n_words], _SCRATCH.n_whole[:n_words]
    starts[0] = 0
    np.add(points[:-1], decimals + 2, out=starts[1:])
    np.subtract(points, starts, out=n_whole)  # before the point, so far with the sign
    longest = int(n_whole.max())
    if n_whole.min() < 0 or longest > min(_MOST_WHOLE, _LONGEST_DECIMAL - 1 - decimals):
        return None
    taken = _SCRATCH.taken[:n_words]
    if not _rows_end_together(letters[decimals + 1 :].take(points, out=taken, mode="clip"), n_columns):
        return None
    signs = _SCRATCH.signs[:n_words]
    np.copyto(signs, letters.take(starts, out=taken, mode="clip") == _MINUS)
    n_whole -= signs
    # Every word has its point, a blank or newline after it, perhaps a minus: all other letters must be digits.
    if _spell_out(letters) != len(letters) - 2 * n_words - np.count_nonzero(signs):
        return None
    values = _read(points, n_whole, decimals, longest)
    values /= 10.0**decimals
    signs <<= _SIGN
    bits = values.view(np.int64)
    bits |= signs
    return values.reshape(-1, n_columns)


def _rows_end_together(after: UInt[np.ndarray, " words"], n_columns: int) -> bool:
    """Whether the letters after the words are newlines at the end of each row and blanks elsewhere."""
    last = after[n_columns - 1 :: n_columns]
    n_blanks = np.count_nonzero(after == _BLANK)
    return bool(n_blanks == len(after) - len(last) and np.all(last == _NEWLINE))


def _count_decimals(chunk: bytes) -> int:
    """How many digits follow the first point, one more than are read at most; 0 where there is no point."""
    point = chunk.find(b".")
    count = 0
    while point >= 0 and count <= _MOST_DECIMALS and chunk[point + 1 + count : point + 2 + count].isdigit():
        count += 1
    return count


def _find_points(letters: UInt[np.ndarray, " letters"]) -> Int[np.ndarray, " words"]:
    """Where the points stand; one of them is missing or misplaced where two stand in one cell.

    Looking for cells first, then for the point within, takes two thirds of the time of ``np.flatnonzero``.
    """
    n_cells = -(-len(letters) // _CELL)
    marks = _SCRATCH.marks[: n_cells * _CELL]
    np.equal(letters, _POINT, out=marks[: len(letters)])
    marks[len(letters) :] = False
    cells = marks.view("<u4")
    points = np.flatnonzero(np.not_equal(cells, 0, out=_SCRATCH.cells[:n_cells]))
    inside = cells.take(points)
    inside *= _PLACE_IN_CELL
    inside >>= 24
    points *= _CELL
    points += inside
    return points


def _spell_out(letters: UInt[np.ndarray, " letters"]) -> int:
    """Work out what one and two letters up to every place spell; returns how many are digits."""
    _, ones, twos = _SCRATCH.spelled[:, _PAIR : _PAIR + len(letters)]
    np.subtract(letters, _ZERO, out=ones)
    np.multiply(_SCRATCH.spelled[1, _PAIR - 1 : _PAIR - 1 + len(letters)], 10, out=twos)
    twos += ones
    return int(np.count_nonzero(np.less_equal(ones, 9, out=_SCRATCH.marks[: len(letters)])))


def _read(
    points: Int[np.ndarray, " words"], n_whole: Int[np.ndarray, " words"], decimals: int, longest: int
) -> Float[np.ndarray, " words"]:
    """The digits of all words as whole numbers: ``n_whole`` before each point, ``decimals`` after it."""
    n_words, length = len(points), _SCRATCH.spelled.shape[1]
    taken, places, whole = _SCRATCH.taken[:n_words], _SCRATCH.places[:n_words], _SCRATCH.whole[:n_words]
    up_to = _SCRATCH.spelled.reshape(-1)[_PAIR - 1 :]  # from here, a place is found by how many letters stand before
    np.minimum(n_whole, _PAIR, out=places)
    places *= length
    places += points
    np.copyto(whole, up_to.take(places, out=taken, mode="clip"))
    for first in range(0, decimals, _PAIR):
        n_digits = min(_PAIR, decimals - first)
        whole *= 10**n_digits
        whole += up_to[n_digits * length + 1 + first + n_digits :].take(points, out=taken, mode="clip")
    values = _SCRATCH.values[:n_words]
    np.copyto(values, whole)
    words = np.flatnonzero(n_whole > _PAIR) if longest > _PAIR else points[:0]
    for back in range(_PAIR, longest, _PAIR):
        words = words[n_whole[words] > back]
        more = up_to[np.minimum(n_whole[words] - back, _PAIR) * length + points[words] - back]
        values[words] += 10.0 ** (decimals + back) * more
    return values


# Large blocks of numbers, row by row: fast where they are spelled plainly, exact about what is wrong where not.

_CHUNK = 1 << 18  # bytes read at a time: what lies between text and numbers stays in the cache
_LONGEST_WORD = 1000  # bytes, blanks among them; longer ones are no numbers of a motion
_LETTERS = b"0123456789+-.eE \t\n\v\f\r"  # of numbers and between them; float reads nan, inf and 1_000 as well
_LAST_BLANK = ord(" ")

_Rows = Float[np.ndarray, "rows columns"]


def most_rows_of(n_letters: int, n_columns: int) -> int:
    """The most rows that so many letters can hold: a digit and a blank for each number."""
    return (n_letters // 2 + 1) // n_columns + 1


def row_blocks(path: str | PathLike[str], content: bytes, start: int, line: int, n_columns: int) -> Iterator[_Rows]:
    """Rows of numbers from a place in a text to its end; blank lines are skipped.

    A return stands only before a newline. Yields an array of shape (rows, columns): some rows; they are valid until the
    next block is asked for. Raises ``FormatError`` at the first row that is too short or long, or holds anything but
    numbers that a motion can have.
    """
    for first, chunk in _chunks(content, start):
        values = None
        if len(chunk) <= _CHUNK + _LONGEST_WORD * n_columns:
            values = _read_rows(chunk, n_columns)
        if values is None:
            _refuse_rows(path, chunk, line + content.count(b"\n", start, first), n_columns)
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


def _read_rows(chunk: bytes, n_columns: int) -> _Rows | None:
    """The rows of a chunk; None where something is wrong with them."""
    chunk = chunk.replace(b"\r", b"")
    values = decimal_rows(chunk, n_columns)
    if values is not None:
        return values
    # Where only some rows are spelled otherwise, as rest poses between captures are, the rest still goes the fast way.
    middle = chunk.find(b"\n", len(chunk) // 2) + 1
    if 0 < middle < len(chunk) and decimal_rows(chunk[: chunk.find(b"\n") + 1], n_columns) is not None:
        halves = []
        for half in (chunk[:middle], chunk[middle:]):
            rows = _read_rows(half, n_columns)
            if rows is None:
                return None
            halves.append(rows.copy())  # the reader's own memory, which the other half will use again
        return np.concatenate(halves)
    return _spelled_rows(chunk, n_columns)


def _spelled_rows(chunk: bytes, n_columns: int) -> _Rows | None:
    """The rows of a chunk in any spelling of numbers; None where something is wrong with them."""
    if chunk.translate(None, _LETTERS):
        return None
    letters = np.frombuffer(b"\n" + chunk + b"\n", np.uint8)
    blank = letters <= _LAST_BLANK
    starts = np.flatnonzero(blank[:-1] & ~blank[1:])
    counts = np.diff(np.searchsorted(starts, np.flatnonzero(letters == _NEWLINE)))  # words per line
    if not np.all((counts == n_columns) | (counts == 0)):
        return None
    try:
        values = np.fromiter(map(float, chunk.split()), np.float64, len(starts))
    except ValueError:
        return None
    return values.reshape(-1, n_columns) if np.abs(values).max(initial=0.0) <= LARGEST_NUMBER else None


def _refuse_rows(path: str | PathLike[str], chunk: bytes, line: int, n_columns: int) -> NoReturn:
    """Raise ``FormatError`` at the first row of a chunk that is wrong."""
    for number, row in enumerate(chunk.split(b"\n"), start=line):
        words = row.split(maxsplit=n_columns)  # one more than wanted is enough to know
        for column, word in enumerate(words[:n_columns], start=1):
            if len(word) > _LONGEST_WORD or not NUMBER.fullmatch(word):
                raise FormatError(path, number, f"expected a number, found {quoted(text(word))} as value {column}")
            if abs(float(word)) > LARGEST_NUMBER:
                raise FormatError(path, number, f"value {column} is too large: {quoted(text(word))}")
        if words and len(words) != n_columns:
            count = "more" if len(words) > n_columns else len(words)
            raise FormatError(path, number, f"expected {n_columns} values, one for each channel, found {count}")
    raise FormatError(path, line, f"a line of {len(chunk):,} bytes is not a row of {n_columns} values")
