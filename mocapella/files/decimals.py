"""Rows of plain decimals such as ``-12.3456 0.0000 7.5000``, read all at once without a loop over them.

Nearly every motion file gives all its numbers the same count of decimals. Then the points alone tell where the words
end, and eight digits, as one 64-bit whole number, are summed up by three multiplications for all words together. That
is a good deal faster than any parser that makes a Python object of each number.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int, UInt

_MOST_DECIMALS = 7
_LONGEST_WORD = 15
_PAD = 16  # letters before the first word, so that looking back sixteen from anywhere stays inside
_BLANK, _NEWLINE, _MINUS, _POINT = b" \n-."

_ALL, _ZEROS = np.uint64(2**64 - 1), np.uint64(0x3030303030303030)
_BYTE, _TWO_BYTES, _FOUR_BYTES, _SEVEN_BYTES = (np.uint64(8 * n) for n in (1, 2, 4, 7))
_TEN = np.uint64(10)
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS, _UNITS = np.uint64(0x000F424000000064), np.uint64(0x0000271000000001)
_ABOVE_NINE, _HIGH_BITS = np.uint64(0x7676767676767676), np.uint64(0x8080808080808080)


def parse_rows(chunk: bytes, n_columns: int) -> Float[np.ndarray, "rows columns"] | None:
    """The numbers of a chunk of whole lines, each ending in a newline; None unless all of it is spelled plainly.

    Plainly means: one blank between words, no other white space, the same count of decimals (1 to 7) in all words, no
    word longer than 15 letters or 14 digits, a minus as the only sign. The results are those of ``float``: digits are
    exact whole numbers up to the single division that places the point.
    """
    padded = b" " * _PAD + chunk
    letters = np.frombuffer(padded, np.uint8)
    points = np.flatnonzero(letters == _POINT)
    if len(points) == 0 or len(points) % n_columns:
        return None
    decimals = _count_decimals(padded, int(points[0]))
    if not 1 <= decimals <= _MOST_DECIMALS or points[-1] + decimals + 2 != len(padded):
        return None
    starts = np.empty_like(points)
    starts[0] = _PAD
    np.add(points[:-1], decimals + 2, out=starts[1:])
    negative = letters[starts] == _MINUS
    n_digits = points - starts  # before the point, then in all
    if n_digits.min() < 0 or n_digits.max() + decimals + 1 > _LONGEST_WORD:
        return None
    n_digits -= negative
    n_digits += decimals

    # The sixteen letters up to and including the blank after each word, as two whole numbers.
    sixteens = np.ndarray(len(padded) - 15, "<c16", padded, 0, (1,))
    first, last = sixteens[points + (decimals - 14)].view("<u8").reshape(-1, 2).T
    if not _rows_end_together(last >> _SEVEN_BYTES, n_columns):
        return None
    # Eight digits with blank and point cut out: the decimals stay on top, what stood before the point moves up.
    digits = (last << _TWO_BYTES) | (first >> np.uint64(48))
    digits &= _ALL >> np.uint64(8 * decimals)
    digits |= (last << _BYTE) & (_ALL << np.uint64(8 * (8 - decimals)))
    values = _sum_up(digits, np.minimum(n_digits, 8))
    large = np.flatnonzero(n_digits > 8)
    if values is None:
        return None
    if len(large):
        upper = _sum_up(first[large] << _TWO_BYTES, n_digits[large] - 8)
        if upper is None:
            return None
        values[large] += 1e8 * upper
    values /= 10.0**decimals
    values *= 1.0 - 2.0 * negative
    return values.reshape(-1, n_columns)


def _count_decimals(padded: bytes, point: int) -> int:
    count = 0
    while count <= _MOST_DECIMALS and padded[point + 1 + count : point + 2 + count].isdigit():
        count += 1
    return count


def _rows_end_together(after: UInt[np.ndarray, " words"], n_columns: int) -> bool:
    """Whether the letters after the words are newlines at the end of each row and blanks elsewhere."""
    table = after.reshape(-1, n_columns)
    return bool(np.all(table[:, :-1] == _BLANK) and np.all(table[:, -1] == _NEWLINE))


def _sum_up(
    letters: UInt[np.ndarray, " words"], n_digits: Int[np.ndarray, " words"]
) -> Float[np.ndarray, " words"] | None:
    """What the last ``n_digits``, 1 to 8, of eight letters spell; None if any of them is no digit."""
    others = (8 - n_digits).view(np.uint64) << np.uint64(3)
    digits = letters & (_ALL << others)
    digits -= _ZEROS << others
    high = digits + _ABOVE_NINE
    high |= digits
    high &= _HIGH_BITS
    if high.any():
        return None
    # The first digit is in the lowest byte: tens and units side by side, then hundreds, then ten thousands.
    shifted = digits >> _BYTE
    digits *= _TEN
    digits += shifted
    np.right_shift(digits, _TWO_BYTES, out=shifted)
    shifted &= _PAIRS
    shifted *= _UNITS
    digits &= _PAIRS
    digits *= _HUNDREDS
    digits += shifted
    digits >>= _FOUR_BYTES
    return np.asarray(digits.astype(np.float64))
