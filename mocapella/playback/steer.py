"""What sends the blending point where: turn rate and speed on request, towards a goal, along a path."""

from __future__ import annotations

import cmath
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

from mocapella.blending.axes import STANDING
from mocapella.errors import MotionError, MotionWarning
from mocapella.playback.about_turn import AWAY, AboutTurn
from mocapella.playback.checks import finite_number, finite_numbers
from mocapella.playback.easing import Coordinates, Point
from mocapella.playback.path import Path, checked_place
from mocapella.playback.plan import BRAKING, Plan
from mocapella.playback.player import Player
from mocapella.playback.turning import Rates, Turning

EVERY = 0.1  # seconds between two looks
LAG = 0.25  # seconds: what is asked for now is done so much later
SWING = 0.5  # seconds in which a follower turns to where it should be heading
WINDOW = 0.5  # metres ahead, beyond what was walked, in which a follower looks for where it is on its path
_BENT = 1.0  # radians between a way's heading and where it leads a little later: what is more is a corner, not a bend
NEAR_END = 0.05  # metres before the end of a path that count as there


@runtime_checkable
class Guide(Protocol):
    """What may take a player by the hand."""

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs, ``time`` seconds into the recording; None leaves it where it is."""
        ...


@dataclass
class Request:
    """Turn rates and speeds by time, asked of a network.

    ``wanted`` maps seconds to a turn rate (rad/s, left positive) and a speed (m/s). The first request that the network
    cannot meet is warned of; it keeps the turn then, and goes at the nearest speed.
    """

    rates: Rates
    wanted: Callable[[float], tuple[float, float]]
    _warned: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        _refuse_other_rates(self.rates)
        if not callable(self.wanted):
            raise MotionError(f"expected a function of seconds that gives a turn rate and a speed, got {self.wanted!r}")

    def steer(self, player: Player, time: float | int) -> Point:
        """The point that does what is wanted at this time, or comes nearest to it."""
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
            text = f"{time:g} s: asked for {asked}, which the network has not; it plays {played}"
            warnings.warn(text, MotionWarning, stacklevel=2)
        return tuple(answer.point)


@dataclass
class Follower:
    """Follows a path: plans a way that the network can walk, and keeps to it.

    It keeps to the way rather than to the speed, where it cannot have both, and goes forward only, so that paths may
    meet and cross themselves. Who looks away from it turns on the spot first, where the network can.

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
    _turning_left: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.path, Path):
            raise MotionError(f"expected a path, which Path.of makes of rows of places, got {self.path!r}")
        _refuse_other_rates(self.rates)
        finite_number(self.speed, "a speed above 0 m/s", above=0.0)
        finite_number(self.every, "a look every so many seconds, 0 or more", least=0.0)
        if self.radius is not None:
            finite_number(self.radius, "a radius of 0 m or more for corners", least=0.0)

    @cached_property
    def turning(self) -> Turning:
        """How tightly the network turns."""
        return Turning.of(self.rates)

    @cached_property
    def about_turn(self) -> AboutTurn:
        """How it turns on the spot, where the network can."""
        return AboutTurn(self.rates)

    @cached_property
    def plan(self) -> Plan:
        """The way that will be walked."""
        return Plan.of(self.path, self.turning, self.speed, self.radius)

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
        there, side = way.nearest(place, self._gone, back=0.0, ahead=WINDOW + 2.0 * speed * LAG)
        wanted = way.speed(there) or self.speed
        look = 2.0 * SWING * wanted  # where the way is met again: swings about it die out within a few metres
        foot, met = way.at(there), way.at(there + look)
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
        ahead = WINDOW + 2.0 * player.speed * passed
        self._gone = max(self._gone, self.plan.way.nearest(player.centre, self._gone, back=0.0, ahead=ahead)[0])
        self.reached = self.plan.reached(self._gone)
        _, self.side = self.path.nearest(player.centre, self.reached)

    def _shorter(self, off: float) -> float:
        """An angle to turn by; of who has to turn right round, on the side he is turning to already."""
        if abs(off) > 0.8 * math.pi and (off > 0.0) != self._turning_left:
            off -= math.copysign(math.tau, off)
        self._turning_left = off > 0.0
        return off

    def _answer(self, bend: float, wanted: float) -> Point:
        speed, bend = self.turning.fitting(bend, wanted)
        return tuple(self.rates.request(bend * speed, speed).point)


@dataclass
class GoTo:
    """Goes to a place (x, z) and is done when it is there, or when it has tried for too long.

    A place behind it is turned round to, on the spot where the network can. One too near to its side to be met by a
    turn is turned to in the same way, and walked away from first where there is no turn on the spot. A recording ends
    when it is done. Who plays on sees it stand where the network has a motion that stands; where everything walks, it
    goes round on the smallest circle there is, which keeps it near the goal; and where nothing turns either, on and
    on, as slowly as can be.

    Raises
    ------
    MotionError
        For a goal that is no place, a speed or a nearness not above 0, or times that are none.

    Warns
    -----
    MotionWarning
        When it gives up, after ``patience`` times as long as the straight way should take and ten seconds more; when
        it is played on although the network cannot stand.
    """

    goal: Coordinates
    rates: Rates
    speed: float | int = 1.2
    near: float | int = 0.4  # metres: so near is there
    every: float | int = EVERY
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

    @cached_property
    def turning(self) -> Turning:
        """How tightly the network turns."""
        return Turning.of(self.rates)

    @cached_property
    def about_turn(self) -> AboutTurn:
        """How it turns on the spot, where the network can."""
        return AboutTurn(self.rates)

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs so that the character gets there, slowing down on the last metres."""
        if self.done:
            return self._stay(player)
        apart = math.dist(player.centre, self.goal)
        if self._until is None:
            self._until = time + 10.0 + self.patience * apart / self.speed
        self.arrived = apart <= self.near
        self.done = self.arrived or time >= self._until
        if self.done and not self.arrived:
            text = f"gave up after {time:.0f} s, {apart:.1f} m from the goal"
            warnings.warn(text, MotionWarning, stacklevel=2)
        if self.done or time < self._next:
            return None
        self._next = time + self.every
        wanted = min(self.speed, math.sqrt(2.0 * BRAKING * apart))
        on_the_spot = self._turned_to(player, wanted)
        if on_the_spot is not None:
            return on_the_spot
        speed, bend = self.turning.fitting(self._bend(player, wanted), wanted)
        return tuple(self.rates.request(bend * speed, speed).point)

    def _turned_to(self, player: Player, speed: float) -> Point | None:
        """The point that turns it on the spot, where that is called for and can be done."""
        # Judged by where it will look when it answers.
        coming = LAG * player.spectrum.turn / player.spectrum.duration
        off = math.remainder(cmath.phase(self._apart(player)) - coming, math.tau)
        return self.about_turn.point(off, away=0.0 if self._too_near(player, speed) else AWAY)

    def _stay(self, player: Player) -> Point:
        """Where the blending point belongs when it is done: where it stands, or does not get far."""
        if self._rest is not None:
            return self._rest
        answer = self.rates.request(0.0, 0.0)
        if answer.speed >= STANDING:
            speed, bend = self.turning.tightest(left=self._apart(player).imag > 0.0)
            doing = f"goes round on a circle of {1.0 / abs(bend):.1f} m" if bend else "walks on"
            text = f"the network has no motion that stands, its slowest goes {self.rates.speeds[0]:.2f} m/s"
            warnings.warn(f"{text}: a character that is done {doing}", MotionWarning, stacklevel=3)
            answer = self.rates.request(bend * speed, speed)
        self._rest = tuple(answer.point)
        return self._rest

    def _apart(self, player: Player) -> complex:
        """Where the goal lies: how far ahead, and how far to the left."""
        x, z = player.centre
        return complex(self.goal[1] - z, self.goal[0] - x) * cmath.exp(-1j * player.course)

    def _bend(self, player: Player, speed: float) -> float:
        """The curvature of the circle that leads to the goal, or of the way to where there is one."""
        if self._too_near(player, speed):
            return 0.0
        apart = self._apart(player)
        side = 1.0 if apart.imag > 0.0 else -1.0
        radius = self.turning.radii(speed)[0 if side > 0.0 else 1]
        return turn_towards(player, (self.goal[0], self.goal[1]), 1.0) if apart.real > 0.0 else side / radius

    def _too_near(self, player: Player, speed: float) -> bool:
        """Whether the goal lies inside the tightest circle to its side, so that no turn meets it."""
        apart = self._apart(player)
        side = 1.0 if apart.imag > 0.0 else -1.0
        radius = self.turning.radii(speed)[0 if side > 0.0 else 1]
        return math.isfinite(radius) and abs(apart - 1j * side * radius) < radius - self.near


def _refuse_other_rates(rates: object) -> None:
    if not isinstance(rates, Rates):
        raise MotionError(f"expected what answers to turn rates and speeds, such as a Calibration, got {rates!r}")


def _direction(start: tuple[float, float], end: tuple[float, float]) -> float:
    """Which way a place lies from another, radians, 0 towards +z, left positive."""
    return math.atan2(end[0] - start[0], end[1] - start[1])


def turn_towards(player: Player, place: tuple[float, float], speed: float) -> float:
    """The turn rate, rad/s, of the circle that leads from where the character is and goes to a place.

    Behind it there is no such circle worth walking; it then turns as if the place lay square to its way.
    """
    x, z = player.centre
    apart = complex(place[1] - z, place[0] - x) * cmath.exp(-1j * player.course)
    if abs(apart) < 1e-6:
        return 0.0
    angle = max(-0.5 * math.pi, min(0.5 * math.pi, cmath.phase(apart)))
    return 2.0 * speed * math.sin(angle) / abs(apart)
