"""How tightly a network turns, on the spot too."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.playback.pointer import Point

# How tightly a network turns at which speed.

TIGHTEST = 0.25  # metres: rounder than a turn in place, which gets nowhere along a path
MARGIN = 1.1  # times the tightest radius: who steers at the very limit cannot correct himself
GIVE = 0.3  # of the speed wanted: so much slower or faster a corner is taken, if it is tighter then
_SPEEDS = 48  # that are looked at
_CREEPING = 0.05  # m/s: slower than that nothing counts as a radius
_LOOSE = 0.1  # per metre: a bend this slight is left to corrections
_STRICT = 0.5  # per metre beyond what can be turned, as bad as going at a third of the speed wanted


@runtime_checkable
class Answer(Protocol):
    """What a network has for a request."""

    @property
    def point(self) -> Point:
        """The blending point."""
        ...

    @property
    def turn_rate(self) -> float:
        """What its blend turns, rad/s, left positive."""
        ...

    @property
    def speed(self) -> float:
        """How fast its blend goes, m/s."""
        ...

    @property
    def feasible(self) -> bool:
        """Whether that is what was asked for."""
        ...


@runtime_checkable
class Rates(Protocol):
    """What turns a turn rate (rad/s, left positive) and a speed (m/s) into a blending point: a ``Calibration``."""

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend turns and goes as asked, or comes nearest to it."""
        ...

    @property
    def speeds(self) -> tuple[float, float]:
        """The slowest and the fastest there is, m/s."""
        ...

    def turns_at(self, speed: float) -> tuple[float, float] | None:
        """The sharpest turns to the right and to the left at a speed, rad/s; None where nothing goes so."""
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
        """What rates have at speeds from the slowest to the fastest."""
        slowest, fastest = rates.speeds
        speeds = np.unique(np.linspace(max(slowest, min(_CREEPING, fastest)), fastest, _SPEEDS))
        found = [(speed, *turns) for speed in speeds.tolist() if (turns := rates.turns_at(speed)) is not None]
        speeds, right, left = np.array(found).T
        most = 1.0 / TIGHTEST
        per_metre = 1.0 / np.maximum(speeds, _CREEPING)
        return cls(speeds, np.clip(right * per_metre, -most, most), np.clip(left * per_metre, -most, most))

    def radii(self, speed: float) -> tuple[float, float]:
        """The tightest radii to the left and to the right, metres, near a speed; infinite where there are none."""
        speed = float(np.clip(speed, self.speeds[0], self.speeds[-1]))
        near = np.abs(self.speeds - speed) <= GIVE * speed + 1e-9
        sharpest = float(self.most[near].max()), -float(self.least[near].min())
        left, right = (MARGIN / turn if turn > _LOOSE else math.inf for turn in sharpest)
        return left, right

    def tightest(self, *, left: bool) -> tuple[float, float]:
        """A speed, m/s, and the curvature, per metre, of the smallest circle, to one side if there is any.

        Where nothing turns, it is the slowest speed and 0.
        """
        for bends, side in ((self.most, 1.0), (self.least, -1.0))[:: 1 if left else -1]:
            best = int(np.argmax(side * bends))
            if side * bends[best] > _LOOSE:
                return float(self.speeds[best]), float(bends[best])
        return float(self.speeds[0]), 0.0

    def speed_for(
        self, curvatures: Float[np.ndarray, " places"], wanted: Float[np.ndarray, " places"]
    ) -> Float[np.ndarray, " places"]:
        """The speeds to go at, m/s: those wanted, or the nearest at which such bends can be turned.

        Where no speed will do, it is the one at which least is missing.
        """
        bends = curvatures[:, None]
        beyond = np.maximum(np.maximum(bends - self.most, self.least - bends) - _LOOSE, 0.0) / _STRICT
        off = np.abs(self.speeds / wanted[:, None] - 1.0)
        best = np.argmin(1.5 * beyond + off, axis=1)
        held = np.clip(wanted, self.speeds[0], self.speeds[-1])
        step = 0.5 * float(np.diff(self.speeds).max()) if len(self.speeds) > 1 else 0.0
        found = self.speeds[best]
        return np.asarray(np.where(np.abs(found - held) <= step, held, found))

    def fitting(self, curvature: float, wanted: float) -> tuple[float, float]:
        """A speed, m/s, and a curvature, per metre, that the network has, near to those wanted."""
        speed = float(self.speed_for(np.array([curvature]), np.array([wanted]))[0])
        least, most = (float(np.interp(speed, self.speeds, bound)) for bound in (self.least, self.most))
        return speed, min(max(curvature, least), most)


# Turning on the spot towards where one wants to go, in networks that can.

AWAY = 0.5 * math.pi  # who looks further away than this from where he wants to go turns before he goes
TOWARDS = math.radians(20.0)  # who looks nearer than this goes; the rest of the turn is walked
SLOWING = 0.5  # seconds: the turn is slowed down so that what is left of it would take that long
_ABOUT_TURN_CREEPING = 0.05  # m/s: who goes no faster turns on the spot
_LEAST = math.radians(25.0)  # per second; what turns more slowly is no way to turn round


@dataclass
class AboutTurn:
    """Whether to turn on the spot now, and how fast: begun by who looks away, done with when he nearly looks there."""

    rates: Rates
    under_way: bool = field(default=False, init=False)
    fastest: tuple[float, float] = field(init=False)  # to the right and to the left, rad/s; 0 where it cannot be done

    def __post_init__(self) -> None:
        right, left = self.rates.turns_at(max(_ABOUT_TURN_CREEPING, self.rates.speeds[0])) or (0.0, 0.0)
        creeps = self.rates.speeds[0] <= _ABOUT_TURN_CREEPING
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
