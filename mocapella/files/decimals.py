"""Rows of plain decimals such as ``-12.3456 0.0000 7.5000``, read all at once without a loop over them.

Nearly every motion file gives all its numbers the same count of decimals. Then the points alone tell where the words
begin and end. What two letters spell is worked out at every place in the text, words or not, for passes over bytes cost
next to nothing; then all words together pick the pairs of digits they are made of. That is faster than any parser we
know of that looks at one word after another.
"""

from __future__ import annotations

import threading

import numpy as np
from jaxtyping import Float, Int, UInt

_FEWEST_DECIMALS, _MOST_DECIMALS = 2, 6
_LONGEST_WORD = 14
_MOST_WHOLE = 11  # letters before the point, so that no number is too large for a motion
_PAIR = 2  # digits that are read at a time: the most that a byte holds
_CELL = 4  # letters in which there is at most one point, with two decimals and a blank between points
_PLACE_IN_CELL = np.uint32(0x00010203)  # times 1 << 8 * place, the place is in the highest byte
_BLANK, _NEWLINE, _MINUS, _POINT, _ZERO = b" \n-.0"
_SIGN = 63  # the bit of a float that makes it negative


class _Scratch(threading.local):
    """Room for what lies between text and numbers; kept for good, for fresh memory costs more than the arithmetic."""

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


class DecimalReader:
    """Reads chunk after chunk of rows of ``n_columns`` numbers."""

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns

    def rows(self, chunk: bytes) -> Float[np.ndarray, "rows columns"] | None:
        """The numbers of a chunk of whole lines; None unless all of it is spelled plainly.

        Plainly means: one blank between words and a newline after a row, no other white space; the same count of
        decimals, 2 to 6, in all words; no word longer than 14 letters, of which 11 stand before the point; a minus as
        the only sign. The results are those of ``float``: digits are exact whole numbers up to the single division that
        places the point. They are good until the next call of any reader in this thread.
        """
        decimals = _count_decimals(chunk)
        if not _FEWEST_DECIMALS <= decimals <= _MOST_DECIMALS:
            return None
        letters = np.frombuffer(chunk, np.uint8)
        _SCRATCH.make_room(len(letters), 0)
        points = _find_points(letters)
        n_words = len(points)
        if n_words % self.n_columns or points[-1] + decimals + 2 != len(letters):
            return None
        _SCRATCH.make_room(0, n_words)
        starts, n_whole = _SCRATCH.starts[:n_words], _SCRATCH.n_whole[:n_words]
        starts[0] = 0
        np.add(points[:-1], decimals + 2, out=starts[1:])
        np.subtract(points, starts, out=n_whole)  # before the point, so far with the sign
        longest = int(n_whole.max())
        if n_whole.min() < 0 or longest > min(_MOST_WHOLE, _LONGEST_WORD - 1 - decimals):
            return None
        taken = _SCRATCH.taken[:n_words]
        if not self._rows_end_together(letters[decimals + 1 :].take(points, out=taken, mode="clip")):
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
        return values.reshape(-1, self.n_columns)

    def _rows_end_together(self, after: UInt[np.ndarray, " words"]) -> bool:
        """Whether the letters after the words are newlines at the end of each row and blanks elsewhere."""
        last = after[self.n_columns - 1 :: self.n_columns]
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
    """Work out what no, one and two letters up to every place spell, sense or not; how many of all are digits."""
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
