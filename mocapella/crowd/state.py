"""The state of a crowd: one record of 24 words a character, and what its columns mean.

Positions are kept from an origin of each character, a multiple of 64 m away from the world's, so that single precision
holds feet to a tenth of a millimetre however far a character has gone.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float32, Int, Int32


class Word(IntEnum):
    """Columns of a record; from OWED on some hold whole numbers."""

    POINT = 0  # the blending point, in units of the plane's size from its centre; two columns
    SPEED = 2  # of the point, per second; two columns
    PHASE = 4  # radians of the cycle
    X = 5  # metres from the origin, as the next
    Z = 6
    YAW = 7  # radians
    AHEAD = 8  # m/s in the heading, as the next
    LEFT = 9
    TURN = 10  # rad/s
    OWED = 11  # two shares of OWED_UNIT by which the root has yet to move so that planted feet stay
    FEET = 12  # metres: places (x, z) of the four foot points, or what is left of their displacements; eight columns
    MARKS = 20  # bits, see ``Bit``
    HOLDS = 21  # how firmly each foot point was held, 0 to 255, a byte each
    ORIGIN = 22  # two multiples of GRID
    TRIANGLE = 23  # number of the triangle that the point lies in


class PointMark(IntEnum):
    """What becomes of a foot point: the two bits of each at the beginning of MARKS."""

    FREE = 0
    PLACED = 1
    LEAVING = 2


class FootMark(IntEnum):
    """What becomes of a foot: the two bits of each from ``Bit.STANDING`` on."""

    COMING = 0
    DOWN = 1
    ROLLING = 2


class Bit(IntEnum):
    """Where the parts of MARKS begin, behind two bits for each foot point."""

    STANDING = 8  # two bits for each foot
    BEGUN = 12  # whether feet have been held before
    GIVE = 16  # how much of a change of motion planted feet allow, 0 to 255
    PLANTED = 24  # a bit for each foot point that rests


N_WORDS = 24  # columns of a record
Records = Float32[np.ndarray, "characters 24"]
Points = Float[np.ndarray, "characters 2"]  # of the plane
Goals = Float32[np.ndarray, "characters 2"]  # the same about the network's centre, in its sizes
Poses = Float32[np.ndarray, "characters joints 3 4"]  # rotations and positions in the world
Numbers = Int[np.ndarray, " characters"]
Rows = Int[np.ndarray, " some"]  # numbers of some characters
# Of some characters that are computed together: a number, a point, weights of corners, dofs.
Lane = Float32[np.ndarray, " lanes"]
Spot = Float32[np.ndarray, "2 lanes"]
Weights = Float32[np.ndarray, "3 lanes"]
Columns = Float32[np.ndarray, "columns lanes"]
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
    """The low and the high half of words as whole numbers from −32768 to 32767."""
    return ((word << 16) >> 16).astype(np.float32), (word >> 16).astype(np.float32)


def paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One word of two numbers, rounded and limited to 16 bits each."""
    low, high = (np.clip(np.rint(one), -32768, 32767).astype(np.int32) for one in (first, second))
    return np.asarray((low & 0xFFFF) | (high << 16))


def origins(records: Records) -> Float32[np.ndarray, "characters 2"]:
    """The origins of characters (x, z), metres. Returns multiples of ``GRID``."""
    return np.stack(pairs(records.view(np.int32)[:, Word.ORIGIN]), axis=-1) * np.float32(GRID)


def recentre(records: Records) -> None:
    """Give characters that are far from their origin a nearer one, in place."""
    far = np.flatnonzero(np.abs(records[:, Word.X : Word.Z + 1]).max(axis=1, initial=0.0) > FAR)
    if not far.size:
        return
    words = records.view(np.int32)
    steps = np.rint(records[far, Word.X : Word.Z + 1] / np.float32(GRID))
    x, z = pairs(words[far, Word.ORIGIN])
    words[far, Word.ORIGIN] = paired(x + steps[:, 0], z + steps[:, 1])
    by = steps * np.float32(GRID)
    records[far, Word.X : Word.Z + 1] -= by
    marks = words[far, Word.MARKS]
    for point in range(4):  # places move along; what is left of a displacement does not
        placed = ((marks >> (2 * point)) & 3) == PointMark.PLACED
        at = Word.FEET + 2 * point
        records[far, at : at + 2] -= np.where(placed[:, None], by, np.float32(0.0))
