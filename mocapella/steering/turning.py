"""How tightly a network turns at which speed, and turns on the spot."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.playback.pointer import Point
from mocapella.steering.calibration import Answer
from mocapella.steering.path import Numbers, between


class _TurnSettings(NamedTuple):
    """How bends are walked, and when a character turns on the spot."""

    tightest: float = 0.25  # metres: tighter circles are turns on the spot, which make no progress along a path
    margin: float = 1.1  # times the tightest radius: at the very limit nothing is left for corrections
    corner_speeds: float = 0.3  # of the speed wanted: so much slower or faster a corner is taken, if it is tighter then
    n_speeds: int = 48  # that are looked at
    creeping: float = 0.05  # m/s: what goes no faster stands or turns on the spot
    loose: float = 0.1  # per metre: a bend this slight is left to corrections
    strict: float = 0.5  # per metre beyond what can be turned, as bad as going at a third of the speed wanted
    away: float = 0.5 * math.pi  # radians between course and goal from which on a turn on the spot begins
    towards: float = math.radians(20.0)  # radians between them at which it ends; the rest of the turn is walked
    slowing: float = 0.5  # seconds: the turn is slowed down so that what is left of it would take that long
    slowest: float = math.radians(25.0)  # rad/s; what turns more slowly is no way to turn round


TURNS = _TurnSettings()


@runtime_checkable
class Rates(Protocol):
    """Converts turn rates (rad/s, left positive) and speeds (m/s) into blending points, as a ``Calibration``."""

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend has, or comes nearest to, the requested turn rate and speed."""
        ...

    @property
    def speeds(self) -> tuple[float, float]:
        """The lowest and the highest speed, m/s."""
        ...

    def turns_at(self, speed: float) -> tuple[float, float] | None:
        """The sharpest turns to the right and to the left at a speed, rad/s; None where no blend has that speed."""
        ...


@dataclass(frozen=True, eq=False)
class Turning:
    """Speeds of a network, m/s, and the curvatures that can be walked at each, per metre, left positive."""

    speeds: Float[np.ndarray, " speeds"]
    least: Float[np.ndarray, " speeds"]
    most: Float[np.ndarray, " speeds"]

    def __post_init__(self) -> None:
        for name in ("speeds", "least", "most"):
            object.__setattr__(self, name, readonly(getattr(self, name), np.float64))

    @classmethod
    def of(cls, rates: Rates) -> Turning:
        """The sharpest curvatures at speeds from the slowest to the fastest."""
        slowest, fastest = rates.speeds
        speeds = np.unique(np.linspace(max(slowest, min(TURNS.creeping, fastest)), fastest, TURNS.n_speeds))
        sharpest = [(speed, *turns) for speed in speeds.tolist() if (turns := rates.turns_at(speed)) is not None]
        speeds, right, left = np.array(sharpest).T
        bends = np.stack([right, left]) * (1.0 / np.maximum(speeds, TURNS.creeping))
        return cls(speeds, *np.clip(bends, -1.0 / TURNS.tightest, 1.0 / TURNS.tightest))

    def radii(self, speed: float) -> tuple[float, float]:
        """The tightest radii to the left and to the right, metres, near a speed; infinite where there are none."""
        speed = float(np.clip(speed, self.speeds[0], self.speeds[-1]))
        near = np.abs(self.speeds - speed) <= TURNS.corner_speeds * speed + 1e-9
        sharpest = float(self.most[near].max()), -float(self.least[near].min())
        left, right = (TURNS.margin / turn if turn > TURNS.loose else math.inf for turn in sharpest)
        return left, right

    def tightest(self, *, left: bool) -> tuple[float, float]:
        """A speed, m/s, and the curvature, per metre, of the smallest circle, to one side if there is any.

        Where nothing turns, it is the slowest speed and 0.
        """
        for bends, side in ((self.most, 1.0), (self.least, -1.0))[:: 1 if left else -1]:
            best = int(np.argmax(side * bends))
            if side * bends[best] > TURNS.loose:
                return float(self.speeds[best]), float(bends[best])
        return float(self.speeds[0]), 0.0

    def speed_for(self, curvatures: Numbers, wanted: Numbers) -> Numbers:
        """The speeds to go at, m/s: those wanted, or the nearest at which such bends can be turned.

        Where no speed will do, it is the one at which least is missing.
        """
        bends = curvatures[:, None]
        beyond = np.maximum(np.maximum(bends - self.most, self.least - bends) - TURNS.loose, 0.0) / TURNS.strict
        best = np.argmin(1.5 * beyond + np.abs(self.speeds / wanted[:, None] - 1.0), axis=1)
        held = np.minimum(np.maximum(wanted, self.speeds[0]), self.speeds[-1])
        nearest = self.speeds[best]
        return np.asarray(np.where(np.abs(nearest - held) <= self._half_step, held, nearest))

    @cached_property
    def _half_step(self) -> float:
        """Half of what two speeds differ by at most, m/s."""
        return 0.5 * float(np.diff(self.speeds).max()) if len(self.speeds) > 1 else 0.0

    def fitting(self, curvature: float, wanted: float) -> tuple[float, float]:
        """A speed, m/s, and a curvature, per metre, that the network has, near to those wanted."""
        speed = float(self.speed_for(np.array([curvature]), np.array([wanted]))[0])
        speeds, *bounds = self._lists
        least, most = (between(speed, speeds, bound) for bound in bounds)
        return speed, min(max(curvature, least), most)

    @cached_property
    def _lists(self) -> tuple[list[float], ...]:
        return tuple(array.tolist() for array in (self.speeds, self.least, self.most))


@dataclass
class AboutTurn:
    """Turns on the spot towards a direction: begun where the course is far off it, ended where it is near."""

    rates: Rates
    under_way: bool = field(default=False, init=False)
    fastest: tuple[float, float] = field(init=False)  # to the right and to the left, rad/s; 0 where it cannot be done

    def __post_init__(self) -> None:
        creeps = self.rates.speeds[0] <= TURNS.creeping
        right, left = (creeps and self.rates.turns_at(TURNS.creeping)) or (0.0, 0.0)
        self.fastest = (right if right <= -TURNS.slowest else 0.0), (left if left >= TURNS.slowest else 0.0)

    def point(self, off: float, *, away: float = TURNS.away) -> Point | None:
        """The blending point that turns on the spot, or None where the character may go.

        ``off`` is the angle by which the course has to turn, radians, left positive; a turn begins where it is more
        than ``away``.
        """
        fastest = self.fastest[1 if off > 0.0 else 0]
        self.under_way = fastest != 0.0 and abs(off) > (TURNS.towards if self.under_way else max(away, TURNS.towards))
        if not self.under_way:
            return None
        turn = math.copysign(min(abs(fastest), abs(off) / TURNS.slowing), off)
        return tuple(self.rates.request(turn, 0.0).point)
