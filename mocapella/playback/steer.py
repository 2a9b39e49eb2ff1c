"""What sends the blending point where: turn rate and speed on request, towards a goal, along a path."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, runtime_checkable

from mocapella.errors import MotionError
from mocapella.motion.layout import Layout
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.easing import Point
from mocapella.playback.legs import LegDofs, legs_of
from mocapella.playback.path import Path
from mocapella.playback.player import Player
from mocapella.playback.stride import footed_gait

LOOK_AHEAD = 0.9  # seconds of the way by which a follower looks ahead, at least
SHORTEST_LOOK = 0.8  # metres
EVERY = 0.1  # seconds between two looks
_BRAKING = 0.6  # m/s²: how gently a goal is approached


@runtime_checkable
class Answer(Protocol):
    """What a network has for a request."""

    @property
    def point(self) -> Point:
        """The blending point."""
        ...


@runtime_checkable
class Rates(Protocol):
    """What turns a turn rate (rad/s, left positive) and a speed (m/s) into a blending point: a ``Calibration``."""

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend turns and goes as asked, or comes nearest to it."""
        ...


@runtime_checkable
class Guide(Protocol):
    """What may take a player by the hand."""

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs, ``time`` seconds into the recording; None leaves it where it is."""
        ...


def played_rates(spectrum: Spectrum) -> tuple[float, float]:
    """The turn rate (rad/s, left positive) and the speed (m/s) that a player makes of a motion by its feet.

    For ``Calibration(network, measure=played_rates)``: requests are then met as they are seen, not as roots were
    captured.
    """
    if spectrum.layout is None:
        raise MotionError("these harmonics carry no layout, so they go nowhere")
    gait = footed_gait(spectrum, _leg_dofs(spectrum.layout))
    return spectrum.turn / spectrum.duration, abs(gait.velocity)


@lru_cache(maxsize=16)
def _leg_dofs(layout: Layout) -> LegDofs:
    return LegDofs.of(layout, legs_of(layout.skeleton))


@dataclass
class Request:
    """Turn rates and speeds by time, asked of a network.

    ``wanted`` maps seconds to a turn rate (rad/s, left positive) and a speed (m/s).
    """

    rates: Rates
    wanted: Callable[[float], tuple[float, float]]

    def steer(self, player: Player, time: float | int) -> Point:
        """The point that does what is wanted at this time."""
        return tuple(self.rates.request(*self.wanted(time)).point)


@dataclass
class Follower:
    """Follows a path: looks some way ahead on it and turns towards what it sees.

    Parameters
    ----------
    path
        Where to go, and how fast where it says so.
    rates
        What turns turn rates and speeds into blending points.
    speed
        Where the path says none, m/s.
    """

    path: Path
    rates: Rates
    speed: float = 1.2
    look_ahead: float = LOOK_AHEAD
    every: float = EVERY
    reached: float = 0.0  # metres along the path
    side: float = 0.0  # metres to the left of it
    _next: float = field(default=-math.inf, repr=False)

    @property
    def done(self) -> bool:
        """Whether the end of the path is reached."""
        return self.reached >= self.path.length - 0.05

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs so that the character keeps to the path."""
        first = self._next == -math.inf
        self.reached, self.side = self.path.nearest(player.centre, None if first else self.reached)
        if time < self._next:
            return None
        self._next = time + self.every
        lag = max(player.speed, 0.3) * 0.3  # what is asked for now is done a little later
        wanted = self.path.speed(self.reached + lag)
        speed = self.speed if wanted is None else wanted
        look = max(self.look_ahead * speed, SHORTEST_LOOK)
        return tuple(self.rates.request(turn_towards(player, self.path.at(self.reached + look), speed), speed).point)


@dataclass
class GoTo:
    """Goes to a place (x, z) and is done when it is there."""

    goal: tuple[float, float]
    rates: Rates
    speed: float = 1.2
    near: float = 0.4  # metres: so near is there
    every: float = EVERY
    done: bool = False
    _next: float = field(default=-math.inf, repr=False)

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs so that the character gets there, slowing down on the last metres."""
        apart = math.dist(player.centre, self.goal)
        self.done = self.done or apart <= self.near
        if time < self._next:
            return None
        self._next = time + self.every
        if self.done:
            return tuple(self.rates.request(0.0, 0.0).point)
        speed = min(self.speed, math.sqrt(2.0 * _BRAKING * apart))
        return tuple(self.rates.request(turn_towards(player, self.goal, speed), speed).point)


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
