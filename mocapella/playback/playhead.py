"""Where a character is in its cycle, and where it stands."""

from __future__ import annotations

import cmath
from dataclasses import dataclass

from mocapella.playback.footfalls import Footfalls


@dataclass(frozen=True)
class Playhead:
    """Where a character is in its cycle, and where it stands."""

    phase: float = 0.0  # radians into the cycle
    position: tuple[float, float] = (0.0, 0.0)  # metres on the ground (x, z)
    yaw: float = 0.0  # radians about +y, running on beyond a full turn

    @property
    def place(self) -> complex:
        """The position as a complex number, z + ix."""
        return complex(self.position[1], self.position[0])

    def moved(self, by: complex) -> Playhead:
        """The same moment elsewhere on the ground."""
        return Playhead(self.phase, (self.position[0] + by.imag, self.position[1] + by.real), self.yaw)


def advance(head: Playhead, gait: Footfalls, dt: float) -> Playhead:
    """Move a playhead ``dt`` seconds on; many small steps lead where one large one does."""
    phase = head.phase + gait.rate * dt
    yaw, path = gait.way(head.phase)
    yaw_after, path_after = gait.way(phase)
    step = cmath.exp(1j * (head.yaw - yaw)) * (path_after - path)
    x, z = head.position
    return Playhead(phase % gait.lap, (x + step.imag, z + step.real), head.yaw + yaw_after - yaw)
