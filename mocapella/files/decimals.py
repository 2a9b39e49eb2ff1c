"""Rows of plain decimals such as ``-12.3456 0.0000 7.5000``, read all at once without a loop over them.

Nearly every motion file gives all its numbers the same count of decimals. Then the points alone tell where the words
end, and eight digits, as one 64-bit whole number with the point cut out, are summed up by three multiplications for all
words together. That is faster than any parser we know of that looks at one word after another.
"""

from __future__ import annotations

import threading

import numpy as np
from jaxtyping import Float, Int, UInt

_MOST_DECIMALS = 6
_LONGEST_WORD = 14
_MOST_WHOLE = 11  # letters before the point, so that no number is too large for a motion
_PAD = 16  # letters before the first word, so that looking back sixteen from anywhere stays inside
_BLANK, _NEWLINE, _MINUS, _POINT = b" \n-."

_ALL, _ZEROS = np.uint64(2**64 - 1), np.uint64(0x3030303030303030)
_SIGN = np.uint64(63)  # the bit of a float that makes it negative
_THREE, _TEN = np.uint64(3), np.uint64(10)
_BYTES = tuple(np.uint64(8 * n) for n in range(9))  # shifts by whole bytes
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS, _UNITS = np.uint64(0x000F424000000064), np.uint64(0x0000271000000001)
_ABOVE_NINE, _HIGH_BITS = np.uint64(0x7676767676767676), np.uint64(0x8080808080808080)


class _Scratch(threading.local):
    """Room for what lies between text and numbers; kept for good, for fresh memory costs more than the arithmetic."""

    def __init__(self) -> None:
        self.size = 0
        self.make_room(1024)

    def make_room(self, n_words: int) -> None:
        if n_words > self.size:
            self.size = n_words + n_words // 8
            self.places = np.empty((3, self.size), dtype=np.int64)
            self.words = np.empty((4, self.size), dtype=np.uint64)
            self.numbers = np.empty(self.size)


_SCRATCH = _Scratch()


class DecimalReader:
    """Reads chunk after chunk of rows of ``n_columns`` numbers."""

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns

    def rows(self, chunk: bytes) -> Float[np.ndarray, "rows columns"] | None:
        """The numbers of a chunk of whole lines; None unless all of it is spelled plainly.

        Plainly means: one blank between words and a newline after a row, no other white space; the same count of
        decimals, 1 to 6, in all words; no word longer than 14 letters, of which 11 stand before the point; a minus as
        the only sign. The results are those of ``float``: digits are exact whole numbers up to the single division that
        places the point. They are good until the next call of any reader in this thread.
        """
        padded = b" " * _PAD + chunk
        letters = np.frombuffer(padded, np.uint8)
        points = np.flatnonzero(letters == _POINT)
        n_words = len(points)
        decimals = _count_decimals(padded)
        if n_words == 0 or n_words % self.n_columns or not 1 <= decimals <= _MOST_DECIMALS:
            return None
        if points[-1] + decimals + 2 != len(padded):
            return None
        _SCRATCH.make_room(n_words)
        starts, n_digits, places = (scratch[:n_words] for scratch in _SCRATCH.places)
        starts[0] = _PAD
        np.add(points[:-1], decimals + 2, out=starts[1:])
        np.subtract(points, starts, out=n_digits)  # before the point, so far with the sign
        longest = int(n_digits.max())
        if n_digits.min() < 0 or longest > _MOST_WHOLE or longest + decimals + 1 > _LONGEST_WORD:
            return None
        negative = letters[starts] == _MINUS
        n_digits -= negative
        n_digits += decimals
        # The sixteen letters up to and including the blank after each word, as two whole numbers.
        sixteens = np.ndarray(len(padded) - 15, "<c16", padded, 0, (1,))
        halves = sixteens[np.add(points, decimals - 14, out=places)].view("<u8").reshape(-1, 2)
        first, last, digits, spare = (scratch[:n_words] for scratch in _SCRATCH.words)
        first[:], last[:] = halves[:, 0], halves[:, 1]
        if not self._rows_end_together(np.right_shift(last, _BYTES[7], out=spare)):
            return None
        # Eight digits with blank and point cut out: the decimals stay on top, what stood before the point moves up.
        behind_point = ~(_ALL >> _BYTES[decimals])
        np.left_shift(last, _BYTES[2], out=digits)
        digits |= np.right_shift(first, _BYTES[6], out=spare)
        digits &= ~behind_point
        np.left_shift(last, _BYTES[1], out=spare)
        spare &= behind_point
        digits |= spare
        values = _SCRATCH.numbers[:n_words]
        large = np.flatnonzero(n_digits > 8) if longest + decimals > 8 else np.zeros(0, dtype=np.int64)
        n_upper = n_digits[large] - 8
        if not _sum_up(digits, np.minimum(n_digits, 8, out=n_digits), last, spare, values):
            return None
        if len(large):
            upper, millions = first[large] << _BYTES[2], np.empty(len(large))
            if not _sum_up(upper, n_upper, np.empty_like(upper), np.empty_like(upper), millions):
                return None
            values[large] += 1e8 * millions
        values /= 10.0**decimals
        values.view(np.uint64)[:] |= negative.astype(np.uint64) << _SIGN
        return values.reshape(-1, self.n_columns)

    def _rows_end_together(self, after: UInt[np.ndarray, " words"]) -> bool:
        """Whether the letters after the words are newlines at the end of each row and blanks elsewhere."""
        table = after.reshape(-1, self.n_columns)
        return bool(np.all(table[:, -1] == _NEWLINE) and np.all(table[:, :-1] == _BLANK))


def _count_decimals(padded: bytes) -> int:
    """How many digits follow the first point, one more than are read at most; 0 where there is no point."""
    point = padded.find(b".")
    count = 0
    while point >= 0 and count <= _MOST_DECIMALS and padded[point + 1 + count : point + 2 + count].isdigit():
        count += 1
    return count


def _sum_up(
    digits: UInt[np.ndarray, " words"],
    n_digits: Int[np.ndarray, " words"],
    spare: UInt[np.ndarray, " words"],
    other: UInt[np.ndarray, " words"],
    out: Float[np.ndarray, " words"],
) -> bool:
    """Fill ``out`` with what the last ``n_digits``, 1 to 8, of eight letters spell; False if any of them is no digit.

    ``digits``, ``n_digits``, ``spare`` and ``other`` are overwritten.
    """
    others = n_digits.view(np.uint64)
    np.subtract(8, n_digits, out=n_digits)
    others <<= _THREE  # the bits in front of the digits
    np.left_shift(_ALL, others, out=spare)
    digits &= spare
    np.left_shift(_ZEROS, others, out=spare)
    digits -= spare
    np.add(digits, _ABOVE_NINE, out=spare)
    spare |= digits
    spare &= _HIGH_BITS
    if spare.any():
        return False
    # The first digit is in the lowest byte: tens and units side by side, then hundreds, then ten thousands.
    np.right_shift(digits, _BYTES[1], out=spare)
    digits *= _TEN
    digits += spare
    np.right_shift(digits, _BYTES[2], out=other)
    other &= _PAIRS
    other *= _UNITS
    digits &= _PAIRS
    digits *= _HUNDREDS
    digits += other
    digits >>= _BYTES[4]
    out[:] = digits
    return True
