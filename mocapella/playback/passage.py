"""A captured motion on its way over the ground, at any moment between its frames.

What a gait says of a cycle a passage says of a clip that does not repeat: its phase runs in frames, once. Everything
lies in one table of smooth curves through the frames, so that at a frame the capture comes out as it is.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.geometry import quaternions
from mocapella.playback.footfalls import Posture
from mocapella.playback.gait import Touch
from mocapella.playback.holding import Plant

# Columns of the table, counted from its end; those before are quaternions.
HEIGHT, YAW, AHEAD, LEFT, FEET_AHEAD, FEET_LEFT, FEET_HEIGHT = -16, -15, -14, -13, -12, -8, -4
N_COLUMNS = 16  # beside the quaternions


@dataclass(frozen=True, eq=False)
class Passage:
    """A clip over time: its joints, the root's way as its feet ask for it, and its foot plants."""

    lap: ClassVar[float] = 2.0**24  # frames: it never comes round again

    frame_rate: float
    plants: tuple[tuple[Plant, ...], ...]  # of each of FOOT_POINTS, in frames
    curves: Float[np.ndarray, "pieces 4 columns"]  # the cubic from each frame to the next, lowest power first
    bearings: Float[np.ndarray, "frames 4"]  # how much of the body each foot point carries

    def __post_init__(self) -> None:
        object.__setattr__(self, "curves", readonly(self.curves, np.float64))
        object.__setattr__(self, "bearings", readonly(self.bearings, np.float64))

    @property
    def rate(self) -> float:
        """Frames per second."""
        return self.frame_rate

    def posture(self, phase: float) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        row = self._row(phase)
        rotations = row[:-N_COLUMNS].reshape(-1, 4)
        if phase != int(phase):  # frames are unit as they are
            rotations = quaternions.normalise(rotations)
        return rotations, float(row[HEIGHT])

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) since the first frame."""
        _, yaw, ahead, left = self._row(phase)[HEIGHT : LEFT + 1].tolist()
        return yaw, complex(ahead, left)

    def bearing(self, phase: float) -> list[float]:
        """How much of the body each foot point carries, 0 … 1, linear between frames."""
        piece, share = self._piece(phase)
        bearing: list[float] = ((1.0 - share) * self.bearings[piece] + share * self.bearings[piece + 1]).tolist()
        return bearing

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a moment, metres."""
        return float(self._row(phase)[FEET_HEIGHT + point])

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a moment, and how fast."""
        row, slope = self._row(phase), self._slope(phase)
        heading = cmath.exp(1j * row[YAW])
        foot = complex(row[FEET_AHEAD + point], row[FEET_LEFT + point])
        moving = complex(slope[FEET_AHEAD + point], slope[FEET_LEFT + point])
        return Touch(
            place=complex(row[AHEAD], row[LEFT]) + heading * foot,
            speed=complex(slope[AHEAD], slope[LEFT]) + heading * (moving + 1j * float(slope[YAW]) * foot),
            height=float(row[FEET_HEIGHT + point]),
            rise=float(slope[FEET_HEIGHT + point]),
        )

    def _piece(self, phase: float) -> tuple[int, float]:
        """Which curve a moment lies on, and how far along; before the first and after the last it runs on."""
        piece = min(max(int(phase), 0), len(self.curves) - 1)
        return piece, phase - piece

    def _row(self, phase: float) -> Float[np.ndarray, " columns"]:
        piece, u = self._piece(phase)
        a, b, c, d = self.curves[piece]
        return np.asarray(a + u * (b + u * (c + u * d)))

    def _slope(self, phase: float) -> Float[np.ndarray, " columns"]:
        """How fast everything changes, per frame."""
        piece, u = self._piece(phase)
        _, b, c, d = self.curves[piece]
        return np.asarray(b + u * (2.0 * c + 3.0 * u * d))


def curves_through(rows: Float[np.ndarray, "frames columns"]) -> Float[np.ndarray, "pieces 4 columns"]:
    """The smooth cubics from each row to the next; each depends on the four nearest rows only."""
    slopes = np.gradient(rows, axis=0)  # central differences, so that neighbouring pieces meet without a corner
    start, rise, first, last = rows[:-1], np.diff(rows, axis=0), slopes[:-1], slopes[1:]
    return np.stack([start, first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise], axis=1)
