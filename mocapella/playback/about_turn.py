"""Turning on the spot towards where one wants to go, in networks that can."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mocapella.playback.easing import Point
from mocapella.playback.turning import Rates

AWAY = 0.5 * math.pi  # who looks further away than this from where he wants to go turns before he goes
TOWARDS = math.radians(20.0)  # who looks nearer than this goes; the rest of the turn is walked
SLOWING = 0.5  # seconds: the turn is slowed down so that what is left of it would take that long
_CREEPING = 0.05  # m/s: who goes no faster turns on the spot
_LEAST = math.radians(25.0)  # per second; what turns more slowly is no way to turn round


@dataclass
class AboutTurn:
    """Whether to turn on the spot now, and how fast: begun by who looks away, done with when he nearly looks there."""

    rates: Rates
    under_way: bool = field(default=False, init=False)
    fastest: tuple[float, float] = field(init=False)  # to the right and to the left, rad/s; 0 where it cannot be done

    def __post_init__(self) -> None:
        right, left = self.rates.turns_at(max(_CREEPING, self.rates.speeds[0])) or (0.0, 0.0)
        creeps = self.rates.speeds[0] <= _CREEPING
        self.fastest = (right if creeps and right <= -_LEAST else 0.0), (left if creeps and left >= _LEAST else 0.0)

    def point(self, off: float, *, away: float = AWAY) -> Point | None:
        """The blending point for who has to turn by ``off`` radians, left positive; None for who may go.

        ``away`` is how far off it has to be to begin with a turn, radians.
        """
        fastest = self.fastest[1 if off > 0.0 else 0]
        self.under_way = fastest != 0.0 and abs(off) > (TOWARDS if self.under_way else max(away, TOWARDS))
        if not self.under_way:
            return None
        turn = math.copysign(min(abs(fastest), abs(off) / SLOWING), off)
        return tuple(self.rates.request(turn, 0.0).point)
