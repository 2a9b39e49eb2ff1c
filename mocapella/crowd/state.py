"""The state of a crowd: one record of 24 words a character, and what its columns mean.

Positions are kept from an origin of each character, a multiple of 64 m away from the world's, so that single precision
holds feet to a tenth of a millimetre however far a character has gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int32

# Columns of a record; from OWED on some hold whole numbers.
POINT, SPEED, PHASE, X, Z, YAW, AHEAD, LEFT, TURN, OWED, FEET = 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12
MARKS, HOLDS, ORIGIN, TRIANGLE, N_WORDS = 20, 21, 22, 23, 24
Records = Float32[np.ndarray, "characters 24"]

# Bits of MARKS: two for each foot point (free, placed, leaving), two for each foot (coming, down, leaving), whether
# feet have been held before, how much of a change of motion planted feet allow (0 … 255), and which foot points rest.
FREE, PLACED, LEAVING = 0, 1, 2
COMING, DOWN, ROLLING = 0, 1, 2
STANDING, BEGUN, GIVE, PLANTED = 8, 12, 16, 24
GRID = 64.0  # metres between origins
FAR = 128.0  # metres from its origin at which a character gets another one
OWED_UNIT = 1.0 / 32768.0  # metres


class Lanes(NamedTuple):
    """Some characters' records, column by column."""

    numbers: Float32[np.ndarray, "24 lanes"]

    @classmethod
    def of(cls, records: Records, rows: np.ndarray) -> Lanes:
        """A copy of some rows."""
        return cls(np.ascontiguousarray(records[rows].T))

    @property
    def words(self) -> Int32[np.ndarray, "24 lanes"]:
        """The same as whole numbers."""
        return self.numbers.view(np.int32)

    def into(self, records: Records, rows: np.ndarray) -> None:
        """Write the rows back."""
        records[rows] = self.numbers.T


def pairs(word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two whole numbers from −32768 to 32767 that one word holds.

    The low half is the first, the high half the second.
    """
    low = (word << 16) >> 16
    return low.astype(np.float32), (word >> 16).astype(np.float32)


def paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One word of two numbers, rounded and limited to 16 bits each."""
    low, high = (np.clip(np.rint(one), -32768, 32767).astype(np.int32) for one in (first, second))
    return np.asarray((low & 0xFFFF) | (high << 16))


def origins(records: Records) -> Float32[np.ndarray, "characters 2"]:
    """The origins of characters (x, z), metres. Returns multiples of ``GRID``."""
    return np.stack(pairs(records.view(np.int32)[:, ORIGIN]), axis=-1) * np.float32(GRID)


def recentre(records: Records) -> None:
    """Give characters that are far from their origin a nearer one, in place."""
    far = np.flatnonzero(np.abs(records[:, X : Z + 1]).max(axis=1, initial=0.0) > FAR)
    if not far.size:
        return
    words = records.view(np.int32)
    steps = np.rint(records[far, X : Z + 1] / np.float32(GRID))
    x, z = pairs(words[far, ORIGIN])
    words[far, ORIGIN] = paired(x + steps[:, 0], z + steps[:, 1])
    by = steps * np.float32(GRID)
    records[far, X : Z + 1] -= by
    marks = words[far, MARKS]
    for point in range(4):  # places move along; what is left of a displacement does not
        placed = ((marks >> (2 * point)) & 3) == PLACED
        at = FEET + 2 * point
        records[far, at : at + 2] -= np.where(placed[:, None], by, np.float32(0.0))
