"""Where a character is in its cycle, and where it stands."""

from __future__ import annotations

import cmath
from dataclasses import dataclass, replace

from mocapella.motion.contacts import TURN
from mocapella.playback.gait import Gait


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
        return replace(self, position=(self.position[0] + by.imag, self.position[1] + by.real))


def advance(head: Playhead, gait: Gait, dt: float) -> Playhead:
    """Move a playhead ``dt`` seconds on; many small steps lead where one large one does."""
    phase = head.phase + gait.rate * dt
    yaw = gait.yaw(head.phase)
    way = cmath.exp(1j * (head.yaw - yaw)) * (gait.path(phase) - gait.path(head.phase))
    turned = replace(head, phase=phase % TURN, yaw=head.yaw + gait.yaw(phase) - yaw)
    return turned.moved(way)


def in_world(head: Playhead, gait: Gait, place: complex) -> complex:
    """A place on the gait's own path, which starts at the origin with cycle phase 0, as one in the world."""
    turn = cmath.exp(1j * (head.yaw - gait.yaw(head.phase)))
    return head.place + turn * (place - gait.path(head.phase))
