"""Send the blending point where it has to be to keep to a path."""

from __future__ import annotations

import cmath
import math
import warnings
from dataclasses import dataclass, field
from functools import cached_property

from mocapella.errors import MotionError, MotionWarning
from mocapella.playback.checks import finite_number
from mocapella.playback.easing import Point
from mocapella.playback.path import Path
from mocapella.playback.plan import Plan
from mocapella.playback.player import Player
from mocapella.playback.steer import EVERY, LAG, Turner, refuse_other_rates
from mocapella.playback.turning import Rates

SWING = 0.5  # seconds in which a follower turns to where it should be heading
WINDOW = 0.5  # metres ahead, beyond what was walked, in which a follower looks for where it is on its path
_BENT = 1.0  # radians between a way's heading and where it leads a little later: what is more is a corner, not a bend
STUCK, SKIPPING = 5.0, 0.3  # seconds on one spot of the way after which it is left, and at how many metres per second
NEAR_TIP = 0.1  # metres before the tip of a way at which one may turn round
NEAR_END = 0.05  # metres before the end of a path that count as there


@dataclass
class Follower(Turner):
    """Follows a path: plans a way that the network can walk, and keeps to it.

    It keeps to the way rather than to the speed, where it cannot have both, and goes forward only, so that paths may
    meet and cross themselves. Who looks away from it turns on the spot first, where the network can, and so does who
    comes to a tip from which it nearly leads back.

    Parameters
    ----------
    path
        Where to go, and how fast where it says so.
    rates
        What turns turn rates and speeds into blending points.
    speed
        Where the path says none, m/s.
    radius
        By which corners are rounded, metres; left out, as tightly as the network turns.

    Warns
    -----
    MotionWarning
        Of speeds and bends that the network has not; once, at the first step.
    """

    path: Path
    rates: Rates
    speed: float | int = 1.2
    radius: float | int | None = None
    every: float | int = EVERY
    reached: float = 0.0  # metres along the path
    side: float = 0.0  # metres to the left of it
    _gone: float = field(default=0.0, repr=False)  # metres along the way
    _time: float | None = field(default=None, repr=False)
    _next: float = field(default=-math.inf, repr=False)
    _waited: float = field(default=0.0, repr=False)  # seconds on the way without getting any further
    _turning_left: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.path, Path):
            raise MotionError(f"expected a path, which Path.of makes of rows of places, got {self.path!r}")
        refuse_other_rates(self.rates)
        finite_number(self.speed, "a speed above 0 m/s", above=0.0)
        finite_number(self.every, "a look every so many seconds, 0 or more", least=0.0)
        if self.radius is not None:
            finite_number(self.radius, "a radius of 0 m or more for corners", least=0.0)

    @cached_property
    def plan(self) -> Plan:
        """The way that will be walked."""
        on_the_spot = all(self.about_turn.fastest)  # to both sides
        return Plan.of(self.path, self.turning, self.speed, self.radius, on_the_spot=on_the_spot)

    @property
    def done(self) -> bool:
        """Whether the end of the path is reached."""
        return self._gone >= self.plan.way.length - NEAR_END

    @property
    def asked(self) -> float:
        """The speed that the path asks for here, m/s."""
        return self.plan.asked(self._gone)

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs so that the character keeps to its way."""
        if self._time is None:
            for doubt in self.plan.doubts(self.turning):
                warnings.warn(doubt, MotionWarning, stacklevel=2)
        self._look(player, float(time))
        if time < self._next:
            return None
        self._next = time + self.every
        way, speed = self.plan.way, player.speed
        # Everything is judged where the character will be when it answers.
        turn = player.spectrum.turn / player.spectrum.duration
        course = player.course + turn * LAG
        ahead = speed * LAG * cmath.exp(1j * (player.course + 0.5 * turn * LAG))
        x, z = player.centre
        place = x + ahead.imag, z + ahead.real
        leg_end = self.plan.leg_end(self._gone)
        there, side = self._nearest(place, WINDOW + 2.0 * speed * LAG)
        wanted = way.speed(there) or self.speed
        look = 2.0 * SWING * wanted  # where the way is met again: swings about it die out within a few metres
        foot, met = way.at(there), _straight_on(way, there + look, leg_end)
        # Who is on the way follows its bend; who is far off heads for where it goes on, whichever way that leads.
        near = max(0.0, 1.0 - abs(side) / look)
        bent = math.remainder(way.heading(there) - _direction(foot, met), math.tau)
        approach = _direction(place, met) + near * max(-_BENT, min(_BENT, bent))
        off = self._shorter(math.remainder(approach - course, math.tau))
        on_the_spot = self.about_turn.point(off)
        if on_the_spot is not None:
            return on_the_spot
        bend = near * self.plan.curvature(there) + off / (SWING * wanted)
        return tuple(self._answer(bend, wanted))

    def _look(self, player: Player, time: float) -> None:
        """Find out how far along the character is; never back, and no further ahead than it can have come."""
        passed = 0.0 if self._time is None else max(0.0, time - self._time)
        self._time = time
        before, leg_end = self._gone, self.plan.leg_end(self._gone)
        there, side = self._nearest(player.centre, WINDOW + 2.0 * player.speed * passed)
        self._gone = max(self._gone, there)
        self._waited = 0.0 if self._gone > before or abs(side) > WINDOW else self._waited + passed
        if self._waited > STUCK:  # in a bend that is too tight for it, it would go round and round
            self._gone = min(self._gone + SKIPPING * passed, leg_end)
        if self._gone >= leg_end - NEAR_TIP:
            self._gone = math.nextafter(leg_end, math.inf)
        self.reached = self.plan.reached(self._gone)
        _, self.side = self.path.nearest(player.centre, self.reached)

    def _nearest(self, place: tuple[float, float], ahead: float) -> tuple[float, float]:
        """How far along the way is nearest to a place, and how far to the left that is; not beyond the next tip."""
        leg_end = self.plan.leg_end(self._gone)
        there, side = self.plan.way.nearest(place, self._gone, back=0.0, ahead=min(ahead, leg_end - self._gone))
        return min(max(there, self._gone), leg_end), side

    def _shorter(self, off: float) -> float:
        """An angle to turn by; of who has to turn right round, on the side he is turning to already."""
        if abs(off) > 0.8 * math.pi and (off > 0.0) != self._turning_left:
            off -= math.copysign(math.tau, off)
        self._turning_left = off > 0.0
        return off

    def _answer(self, bend: float, wanted: float) -> Point:
        speed, bend = self.turning.fitting(bend, wanted)
        return tuple(self.rates.request(bend * speed, speed).point)


def _straight_on(way: Path, distance: float, leg_end: float) -> tuple[float, float]:
    """Where a way leads after some metres, straight on behind the end of a leg."""
    if distance <= leg_end:
        return way.at(distance)
    (x, z), heading, beyond = way.at(leg_end), way.heading(leg_end), distance - leg_end
    return x + beyond * math.sin(heading), z + beyond * math.cos(heading)


def _direction(start: tuple[float, float], end: tuple[float, float]) -> float:
    """Which way a place lies from another, radians, 0 towards +z, left positive."""
    return math.atan2(end[0] - start[0], end[1] - start[1])
