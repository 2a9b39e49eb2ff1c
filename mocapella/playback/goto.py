"""Send the blending point where it has to be to get to a place."""

from __future__ import annotations

import cmath
import math
import warnings
from dataclasses import dataclass, field

from mocapella.blending.axes import STANDING
from mocapella.errors import MotionWarning
from mocapella.playback.about_turn import AWAY
from mocapella.playback.checks import finite_number
from mocapella.playback.easing import Coordinates, Point
from mocapella.playback.path import checked_place
from mocapella.playback.plan import BRAKING
from mocapella.playback.player import Player
from mocapella.playback.steer import EVERY, LAG, Turner, refuse_other_rates
from mocapella.playback.turning import Rates


@dataclass
class GoTo(Turner):
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
        refuse_other_rates(self.rates)
        finite_number(self.speed, "a speed above 0 m/s", above=0.0)
        finite_number(self.near, "a nearness above 0 m that counts as there", above=0.0)
        finite_number(self.every, "a look every so many seconds, 0 or more", least=0.0)
        finite_number(self.patience, "a patience of 0 or more", least=0.0)

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
