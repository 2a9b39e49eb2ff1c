"""What is asked of a motion on its way over the ground, be it blended or played as captured."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from mocapella.playback.gait import Touch
from mocapella.playback.holding import Plant

Posture = tuple[Float[np.ndarray, "joints 4"], float]  # local rotations, the root's a tilt; height of the root, metres


@runtime_checkable
class Footfalls(Protocol):
    """A body's way over the ground and its feet, at any phase of the motion.

    The phase of a blend is the cycle phase, in radians; that of a capture runs in frames. Who asks need not know.
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
        """The phase after which everything comes round again."""
        ...

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) that have built up since phase 0."""
        ...

    def bearing(self, phase: float) -> list[float]:
        """How much of the body each foot point carries, 0 … 1."""
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
