"""The path of a motion laid into the world, so that places on it can be told ahead of time and afterwards."""

from __future__ import annotations

import cmath
import math

from mocapella.playback.footfalls import Footfalls
from mocapella.playback.playhead import Playhead


class LaidPath:
    """A gait's own path laid into the world so that it passes through the playhead."""

    def __init__(self, gait: Footfalls, head: Playhead) -> None:
        self.gait, self.phase = gait, head.phase
        yaw, path = gait.way(head.phase)
        self._turn = cmath.exp(1j * (head.yaw - yaw))
        self._origin = head.place - self._turn * path

    def world(self, place: complex, rounds: float) -> complex:
        """A place of the path, or of the round before or after (``rounds`` of −2π, 0 or 2π), in the world."""
        turn, way = self._round(rounds)
        return self._origin + self._turn * (way + turn * place)

    def turned(self, speed: complex, rounds: float) -> complex:
        """A velocity on the path, in the world's axes."""
        return self._turn * self._round(rounds)[0] * speed

    def _round(self, rounds: float) -> tuple[complex, complex]:
        if abs(rounds) < 1.0:
            return 1.0 + 0j, 0j
        yaw, path = self.gait.way(math.copysign(math.tau, rounds))
        return cmath.exp(1j * yaw), path
