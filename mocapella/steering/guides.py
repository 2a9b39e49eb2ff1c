"""Guides that steer a player: by turn rates and speeds, along a path, to a place."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from mocapella.checks import finite_number, finite_numbers
from mocapella.errors import MotionError, warn
from mocapella.motion.travel import STANDING
from mocapella.playback.player import Player
from mocapella.playback.pointer import Coordinates, Point
from mocapella.steering.path import Path, checked_place
from mocapella.steering.plan import PACE, Plan
from mocapella.steering.turning import TURNS, AboutTurn, Rates, Turning

_EVERY = 0.1  # seconds between two looks
_LAG = 0.25  # seconds: what is asked for now is done so much later


@dataclass
class Request:
    """A guide that requests turn rates and speeds over time.

    Parameters
    ----------
    rates
        Converts turn rates and speeds into blending points, such as a ``Calibration``.
    wanted
        From seconds to a turn rate (rad/s, left positive) and a speed (m/s).

    Warns
    -----
    MotionWarning
        Of the first request that the network cannot meet; the turn is kept, at the nearest speed.
    """

    rates: Rates
    wanted: Callable[[float], tuple[float, float]]
    _warned: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        _refuse_other_rates(self.rates)
        if not callable(self.wanted):
            raise MotionError(f"expected a function of seconds that gives a turn rate and a speed, got {self.wanted!r}")

    def steer(self, player: Player, time: float | int) -> Point:
        """The point for the request at this time, or the nearest to it."""
        words = f"expected a turn rate in rad/s and a speed in m/s at {time:g} s, both finite"
        wanted = finite_numbers(self.wanted(time), words)
        if len(wanted) != 2:
            raise MotionError(f"{words}; got {wanted}")
        turn, speed = wanted
        answer = self.rates.request(turn, speed)
        if not answer.feasible and not self._warned:
            self._warned = True
            asked, played = (
                f"{math.degrees(turn):+.1f} °/s at {speed:.2f} m/s"
                for turn, speed in ((turn, speed), (answer.turn_rate, answer.speed))
            )
            warn(f"{time:g} s: asked for {asked}, which the network has not; it plays {played}")
        return tuple(answer.point)


class _Turner:
    """Base of guides that need to know how tightly a network turns, and how it turns on the spot."""

    rates: Rates

    @cached_property
    def turning(self) -> Turning:
        """How tightly the network turns."""
        return Turning.of(self.rates)

    @cached_property
    def about_turn(self) -> AboutTurn:
        """How it turns on the spot, where the network can."""
        return AboutTurn(self.rates)

    def _bent(self, bend: float, wanted: float) -> Point:
        """The point for a curvature, per metre, near a speed, m/s."""
        speed, bend = self.turning.fitting(bend, wanted)
        return tuple(self.rates.request(bend * speed, speed).point)


def _refuse_other_rates(rates: object) -> None:
    if not isinstance(rates, Rates):
        raise MotionError(f"expected what answers to turn rates and speeds, such as a Calibration, got {rates!r}")


# Keep to a path.

_SWING = 0.5  # seconds in which a follower turns to where it should be heading
_WINDOW = 0.5  # metres ahead, beyond what was walked, in which a follower looks for where it is on its path
_BENT = 1.0  # radians between a way's heading and where it leads a little later: what is more is a corner, not a bend
_STUCK, _SKIPPING = 5.0, 0.3  # seconds on one spot of the way after which it is left, and at how many metres per second
_NEAR_TIP = 0.1  # metres before the tip of a way at which a turn on the spot may begin
_NEAR_END = 0.05  # metres before the end of a path that count as there


@dataclass
class Follower(_Turner):
    """A guide that follows a path: plans a way that the network can walk, and keeps to it.

    Where it cannot keep both, it keeps the way rather than the speed. It goes forward only, so that paths may meet and
    cross themselves. Where the network can turn on the spot, a character that is headed away from the way turns first,
    and so does one at a tip, from which the way nearly leads back.

    Parameters
    ----------
    path
        Where to go, and how fast where it says so.
    rates
        Converts turn rates and speeds into blending points, such as a ``Calibration``.
    speed
        Where the path says none, m/s.
    radius
        By which corners are rounded, metres; left out, as tightly as the network turns.
    every
        Seconds between two looks.

    Warns
    -----
    MotionWarning
        Of speeds and bends that the network does not have; once, at the first step.
    """

    path: Path
    rates: Rates
    speed: float | int = 1.2
    radius: float | int | None = None
    every: float | int = _EVERY
    reached: float = 0.0  # metres along the path
    _gone: float = field(default=0.0, repr=False)  # metres along the way
    _time: float | None = field(default=None, repr=False)
    _next: float = field(default=-math.inf, repr=False)
    _waited: float = field(default=0.0, repr=False)  # seconds on the way without getting any further
    _turning_left: bool = field(default=True, repr=False)
    _centre: tuple[float, float] | None = field(default=None, repr=False)  # where the character was seen last

    def __post_init__(self) -> None:
        if not isinstance(self.path, Path):
            raise MotionError(f"expected a path, which Path.of makes of rows of places, got {self.path!r}")
        _refuse_other_rates(self.rates)
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
        return self._gone >= self.plan.way.length - _NEAR_END

    @property
    def side(self) -> float:
        """How far to the left of the path the character is, metres."""
        return 0.0 if self._centre is None else self.path.nearest(self._centre, self.reached)[1]

    @property
    def asked(self) -> float:
        """The speed that the path asks for here, m/s."""
        return self.plan.asked(self._gone)

    def steer(self, player: Player, time: float | int) -> Point | None:
        """The goal of the blending point that keeps the character on its way."""
        if self._time is None:
            for doubt in self.plan.doubts(self.turning):
                warn(doubt)
        centre, speed = player.centre, player.speed
        self._look(centre, speed, float(time))
        if time < self._next:
            return None
        self._next = time + self.every
        way = self.plan.way
        # Everything is evaluated where the character will be when it has reacted.
        turn, going = player.turn_rate, player.course
        course = going + turn * _LAG
        ahead = speed * _LAG * cmath.exp(1j * (going + 0.5 * turn * _LAG))
        x, z = centre
        place = x + ahead.imag, z + ahead.real
        leg_end = self.plan.leg_end(self._gone)
        there, side = self._nearest(place, _WINDOW + 2.0 * speed * _LAG)
        wanted = way.speed(there) or self.speed
        look = 2.0 * _SWING * wanted  # where the way is met again: swings about it die out within a few metres
        foot, met = way.at(there), _straight_on(way, there + look, leg_end)
        # On the way its bend is followed; far off, the course is set for where it goes on, whichever way that leads.
        near = max(0.0, 1.0 - abs(side) / look)
        bent = math.remainder(way.heading(there) - _direction(foot, met), math.tau)
        approach = _direction(place, met) + near * max(-_BENT, min(_BENT, bent))
        off = self._shorter(math.remainder(approach - course, math.tau))
        if (on_the_spot := self.about_turn.point(off)) is not None:
            return on_the_spot
        return self._bent(near * self.plan.curvature(there) + off / (_SWING * wanted), wanted)

    def _look(self, centre: tuple[float, float], speed: float, time: float) -> None:
        """Update how far along the way the character is; never backwards, nor further than it can have come."""
        passed = 0.0 if self._time is None else max(0.0, time - self._time)
        self._time = time
        before, leg_end = self._gone, self.plan.leg_end(self._gone)
        there, side = self._nearest(centre, _WINDOW + 2.0 * speed * passed)
        self._gone = max(self._gone, there)
        self._waited = 0.0 if self._gone > before or abs(side) > _WINDOW else self._waited + passed
        if self._waited > _STUCK:  # in a bend that is too tight for it, it would go round and round
            self._gone = min(self._gone + _SKIPPING * passed, leg_end)
        if self._gone >= leg_end - _NEAR_TIP:
            self._gone = math.nextafter(leg_end, math.inf)
        self.reached = self.plan.reached(self._gone)
        self._centre = centre

    def _nearest(self, place: tuple[float, float], ahead: float) -> tuple[float, float]:
        """How far along the way is nearest to a place, and how far to the left that is; not beyond the next tip."""
        leg_end = self.plan.leg_end(self._gone)
        there, side = self.plan.way.nearest(place, self._gone, back=0.0, ahead=min(ahead, leg_end - self._gone))
        return min(max(there, self._gone), leg_end), side

    def _shorter(self, off: float) -> float:
        """An angle to turn by; where it is nearly half a turn, to the side that is being turned to already."""
        if abs(off) > 0.8 * math.pi and (off > 0.0) != self._turning_left:
            off -= math.copysign(math.tau, off)
        self._turning_left = off > 0.0
        return off


def _straight_on(way: Path, distance: float, leg_end: float) -> tuple[float, float]:
    """Where a way leads after some metres, straight on behind the end of a leg."""
    if distance <= leg_end:
        return way.at(distance)
    (x, z), heading, beyond = way.at(leg_end), way.heading(leg_end), distance - leg_end
    return x + beyond * math.sin(heading), z + beyond * math.cos(heading)


def _direction(start: tuple[float, float], end: tuple[float, float]) -> float:
    """Which way a place lies from another, radians, 0 towards +z, left positive."""
    return math.atan2(end[0] - start[0], end[1] - start[1])


# Go to a place.


@dataclass
class GoTo(_Turner):
    """A guide that goes to a place; it is done when it is there, or when it has tried for too long.

    It turns round to a place behind it, on the spot where the network can. It turns in the same way to one that lies
    too near to its side to be met by a turn, or, where there is no turn on the spot, walks away from it first. A
    recording ends when it is done. Played on, it stands if the network has a motion that stands; otherwise it goes
    round on the smallest circle, which keeps it near the goal; and where no motion turns either, it goes straight on as
    slowly as possible.

    Parameters
    ----------
    goal
        The place (x, z), metres.
    rates
        Converts turn rates and speeds into blending points, such as a ``Calibration``.
    speed
        m/s.
    near
        Metres from the goal that count as there.
    every
        Seconds between two looks.
    patience
        It gives up after this multiple of the time that the straight way should take, plus ten seconds.

    Raises
    ------
    MotionError
        For a goal that is no place, a speed or a nearness not above 0, or times that are none.

    Warns
    -----
    MotionWarning
        When it gives up; when it is played on although the network cannot stand.
    """

    goal: Coordinates
    rates: Rates
    speed: float | int = 1.2
    near: float | int = 0.4
    every: float | int = _EVERY
    patience: float | int = 4.0
    done: bool = False
    arrived: bool = False
    _next: float = field(default=-math.inf, repr=False)
    _until: float | None = field(default=None, repr=False)
    _rest: Point | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.goal = checked_place(self.goal)
        _refuse_other_rates(self.rates)
        finite_number(self.speed, "a speed above 0 m/s", above=0.0)
        finite_number(self.near, "a nearness above 0 m that counts as there", above=0.0)
        finite_number(self.every, "a look every so many seconds, 0 or more", least=0.0)
        finite_number(self.patience, "a patience of 0 or more", least=0.0)

    def steer(self, player: Player, time: float | int) -> Point | None:
        """The goal of the blending point that leads to the place, slowing down on the last metres."""
        if self.done:
            return self._stay(player)
        apart = math.dist(player.centre, self.goal)
        if self._until is None:
            self._until = time + 10.0 + self.patience * apart / self.speed
        self.arrived = apart <= self.near
        self.done = self.arrived or time >= self._until
        if self.done and not self.arrived:
            warn(f"gave up after {time:.0f} s, {apart:.1f} m from the goal")
        if self.done or time < self._next:
            return None
        self._next = time + self.every
        wanted = min(self.speed, math.sqrt(2.0 * PACE.braking * apart))
        # A turn on the spot is evaluated for the heading it will have when it has reacted.
        off = math.remainder(cmath.phase(_seen_from(player, self.goal)) - _LAG * player.turn_rate, math.tau)
        on_the_spot = self.about_turn.point(off, away=0.0 if self._too_near(player, wanted) else TURNS.away)
        return self._bent(self._bend(player, wanted), wanted) if on_the_spot is None else on_the_spot

    def _stay(self, player: Player) -> Point:
        """The goal of the blending point when it is done: a motion that stands, or stays near."""
        if self._rest is not None:
            return self._rest
        answer = self.rates.request(0.0, 0.0)
        if answer.speed >= STANDING:
            speed, bend = self.turning.tightest(left=_seen_from(player, self.goal).imag > 0.0)
            doing = f"goes round on a circle of {1.0 / abs(bend):.1f} m" if bend else "walks on"
            text = f"the network has no motion that stands, its slowest goes {self.rates.speeds[0]:.2f} m/s"
            warn(f"{text}: a character that is done {doing}")
            answer = self.rates.request(bend * speed, speed)
        self._rest = tuple(answer.point)
        return self._rest

    def _circle(self, player: Player, speed: float) -> complex:
        """The middle of the tightest circle to the side of the goal, left positive imaginary; it may be infinite."""
        left, right = self.turning.radii(speed)
        return complex(0.0, left if _seen_from(player, self.goal).imag > 0.0 else -right)

    def _bend(self, player: Player, speed: float) -> float:
        """The curvature of the circle that leads to the goal, or of the way to where there is one."""
        if self._too_near(player, speed):
            return 0.0
        if _seen_from(player, self.goal).real > 0.0:
            return turn_towards(player, (self.goal[0], self.goal[1]), 1.0)
        return 1.0 / self._circle(player, speed).imag

    def _too_near(self, player: Player, speed: float) -> bool:
        """Whether the goal lies inside the tightest circle to its side, so that no turn meets it."""
        circle = self._circle(player, speed)
        radius = abs(circle.imag)
        return math.isfinite(radius) and abs(_seen_from(player, self.goal) - circle) < radius - self.near


def _seen_from(player: Player, place: Coordinates) -> complex:
    """Where a place lies from a character: how far ahead, and how far to the left."""
    x, z = player.centre
    return complex(place[1] - z, place[0] - x) * cmath.exp(-1j * player.course)


def turn_towards(player: Player, place: tuple[float, float], speed: float) -> float:
    """The turn rate of the circle that leads a character from its place and course to a place.

    For a place behind it, it turns as if the place lay at a right angle to its course. Metres, m/s and rad/s, left
    positive.
    """
    apart = _seen_from(player, place)
    if abs(apart) < 1e-6:
        return 0.0
    angle = max(-0.5 * math.pi, min(0.5 * math.pi, cmath.phase(apart)))
    return 2.0 * speed * math.sin(angle) / abs(apart)
