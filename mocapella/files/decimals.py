"""Rows of plain decimals such as ``-12.3456 0.0000 7``, read all at once without a loop over them.

Nearly every motion file gives all its numbers the same count of decimals, or none. Then eight digits, as one 64-bit
whole number with the point cut out, are summed up by three multiplications for all words together. That is a good deal
faster than any parser that makes a Python object of each number.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int, UInt

_MOST_DECIMALS = 6
_LONGEST_WORD = 14
_PAD = 16  # letters before the first word, so that looking back sixteen from anywhere stays inside
_BLANK, _NEWLINE, _MINUS, _POINT = b" \n-."

_ALL, _ZEROS = np.uint64(2**64 - 1), np.uint64(0x3030303030303030)
_BYTE, _TWO_BYTES, _FOUR_BYTES, _SEVEN_BYTES = (np.uint64(8 * n) for n in (1, 2, 4, 7))
_TEN, _LOW_BYTE = np.uint64(10), np.uint64(0xFF)
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS, _UNITS = np.uint64(0x000F424000000064), np.uint64(0x0000271000000001)
_ABOVE_NINE, _HIGH_BITS = np.uint64(0x7676767676767676), np.uint64(0x8080808080808080)


def parse_rows(chunk: bytes, n_columns: int) -> Float[np.ndarray, "rows columns"] | None:
    """The numbers of a chunk of whole lines; None unless all of it is spelled plainly. Blank lines are skipped.

    Plainly means: the same count of decimals (1 to 6) in all words that have any, no word longer than 14 letters, a
    minus as the only sign. The results are those of ``float``: digits are exact whole numbers up to the single division
    that places the point.
    """
    padded = b" " * _PAD + chunk + b"\n"
    letters = np.frombuffer(padded, np.uint8)
    is_blank = (letters == _BLANK) | (letters - np.uint8(9) < 5)  # tab, newline and their kin
    edges = np.flatnonzero(is_blank[1:] != is_blank[:-1])
    edges += 1
    starts, ends = edges[::2], edges[1::2]
    if len(ends) == 0:
        return np.empty((0, n_columns))
    if not _lines_are_rows(letters, ends, n_columns):
        return None
    n_digits = ends - starts  # for now letters
    if n_digits.max() > _LONGEST_WORD:
        return None
    negative = letters[starts] == _MINUS
    n_digits -= negative
    # The sixteen letters up to and including the blank after each word, as two whole numbers.
    sixteens = np.ndarray(len(padded) - 15, "<c16", padded, 0, (1,))
    first, last = sixteens[ends - 15].view("<u8").reshape(-1, 2).T
    decimals = _count_decimals(padded)
    if decimals > _MOST_DECIMALS:
        return None
    with_point = ((last >> np.uint64(8 * (6 - decimals))) & _LOW_BYTE) == _POINT
    n_points = np.count_nonzero(with_point)
    if n_points != np.count_nonzero(letters == _POINT):
        return None
    n_digits -= with_point
    # Eight digits with blank and point cut out: the decimals stay on top, what stood before the point moves up.
    digits = (last << _TWO_BYTES) | (first >> np.uint64(48))
    digits &= _ALL >> np.uint64(8 * decimals)
    digits |= (last << _BYTE) & ~(_ALL >> np.uint64(8 * decimals))
    upper = first << _TWO_BYTES  # the digits before those eight
    if n_points < len(ends):
        digits = np.where(with_point, digits, (last << _BYTE) | (first >> _SEVEN_BYTES))
        upper = np.where(with_point, upper, first << _BYTE)
    values = _sum_up(digits, np.minimum(n_digits, 8))
    if values is None:
        return None
    large = np.flatnonzero(n_digits > 8)
    if len(large):
        millions = _sum_up(upper[large], n_digits[large] - 8)
        if millions is None:
            return None
        values[large] += 1e8 * millions
    values /= 10.0**decimals if n_points == len(ends) else np.where(with_point, 10.0**decimals, 1.0)
    values *= 1.0 - 2.0 * negative
    return values.reshape(-1, n_columns)


def _count_decimals(padded: bytes) -> int:
    """How many digits follow the first point; 0 where there is none."""
    point = padded.find(b".")
    count = 0
    while point >= 0 and padded[point + 1 + count : point + 2 + count].isdigit():
        count += 1
        if count > _MOST_DECIMALS:
            break
    return count


def _lines_are_rows(letters: UInt[np.ndarray, " letters"], ends: Int[np.ndarray, " words"], n_columns: int) -> bool:
    """Whether every line holds a whole row of words, or none."""
    words_so_far = np.searchsorted(ends, np.flatnonzero(letters == _NEWLINE), side="right")
    words = np.diff(words_so_far, prepend=0)
    return bool(np.all((words == n_columns) | (words == 0)))


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
