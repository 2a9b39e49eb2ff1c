"""Phase, position and heading of a character, and the interface of the motions over the ground that move it."""

from __future__ import annotations

import cmath
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.gait.cycle_on_ground import Touch
from mocapella.gait.resting import Plant
from mocapella.playback.settings import Number

Posture = tuple[Float[np.ndarray, "joints 4"], float]  # local rotations, the root's a tilt; height of the root, metres


@runtime_checkable
class GroundMotion(Protocol):
    """A motion over the ground, with its feet, at any phase.

    The phase of a blend is the cycle phase, in radians; that of a capture runs in frames.
    """

    @property
    def plants(self) -> tuple[tuple[Plant, ...], ...]:
        """The plants of each of ``FOOT_POINTS``."""
        ...

    @property
    def rate(self) -> float:
        """Phase per second."""
        ...

    @property
    def lap(self) -> float:
        """The phase after which the motion repeats."""
        ...

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) that have built up since phase 0."""
        ...

    def bearing(self, phase: float) -> list[float]:
        """Share of the body's weight on each foot point, 0 … 1."""
        ...

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a phase, metres."""
        ...

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a phase, and how fast."""
        ...

    def posture(self, phase: float) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        ...


class Playhead(msgspec.Struct, frozen=True):
    """Where a character is in its motion, and where it stands."""

    phase: Number = 0.0  # of the motion: radians into a cycle, frames into a clip
    position: tuple[Number, Number] = (0.0, 0.0)  # metres on the ground (x, z)
    yaw: Number = 0.0  # radians about +y, running on beyond a full turn

    @property
    def place(self) -> complex:
        """The position as a complex number, z + ix."""
        return complex(self.position[1], self.position[0])

    def moved(self, by: complex) -> Playhead:
        """The same moment elsewhere on the ground."""
        return Playhead(self.phase, (self.position[0] + by.imag, self.position[1] + by.real), self.yaw)

    def at_phase(self, phase: float) -> Playhead:
        """The same place at another phase."""
        return Playhead(phase, self.position, self.yaw)


def advance(head: Playhead, motion: GroundMotion, dt: float) -> Playhead:
    """Move a playhead ``dt`` seconds on; many small steps give the same result as one large step."""
    phase = head.phase + motion.rate * dt
    yaw, path = motion.way(head.phase)
    yaw_after, path_after = motion.way(phase)
    step = cmath.exp(1j * (head.yaw - yaw)) * (path_after - path)
    x, z = head.position
    return Playhead(phase % motion.lap, (x + step.imag, z + step.real), head.yaw + yaw_after - yaw)
