"""The blending point on its way to where it was sent: at once, but never with a jerk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mocapella.errors import MotionError
from mocapella.playback.checks import finite_numbers

Point = tuple[float, ...]
Coordinates = Sequence[float | int] | np.ndarray

_ARRIVED = 1e-7  # of the distance it was sent over, or of 1 where that is less


class EasedPoint(NamedTuple):
    """A point that follows a goal like a weight on a damped spring that never overshoots.

    ``ease`` is the time in seconds after which nine tenths of the way are gone; 0 jumps. ``pace`` is the most it may
    move per second, in units of the plane.
    """

    point: Point
    goal: Point
    velocity: Point
    ease: float = 0.3
    pace: float = math.inf

    @property
    def resting(self) -> bool:
        """Whether the point is where it was sent."""
        return self.point == self.goal

    def sent(self, goal: Point) -> EasedPoint:
        """The same point with another goal."""
        return EasedPoint(self.point, goal, self.velocity, self.ease, self.pace)

    def after(self, dt: float) -> EasedPoint:
        """The point ``dt`` seconds later; without a pace, exactly the same in one step as in many."""
        point, goal, velocity, ease, pace = self
        if point == goal:
            return self
        still = (0.0,) * len(goal)
        if ease <= 0.0:
            wanted, velocity = goal, still
        else:
            stiffness = 3.89 / ease  # (1 + x) exp(−x) = 0.1 at x = 3.89
            decay = math.exp(-stiffness * dt)
            moved, slowed = [], []
            for p, g, v in zip(point, goal, velocity, strict=True):
                pull = v + stiffness * (p - g)
                moved.append(g + (p - g + pull * dt) * decay)
                slowed.append((v - stiffness * pull * dt) * decay)
            wanted, velocity = tuple(moved), tuple(slowed)
        step = math.dist(wanted, point)
        if step > pace * dt:
            share = pace * dt / step
            wanted = tuple(p + share * (w - p) for p, w in zip(point, wanted, strict=True))
            speed = math.hypot(*velocity)
            velocity = tuple(v * min(1.0, pace / speed) if speed else v for v in velocity)
        scale = max(1.0, max(map(abs, goal)))
        if math.dist(wanted, goal) < _ARRIVED * scale and math.hypot(*velocity) < 1e-4 * scale:
            wanted, velocity = goal, still
        return EasedPoint(wanted, goal, velocity, ease, pace)

    def held_back(self, ahead: EasedPoint, share: float) -> EasedPoint:
        """Only ``share`` of the way, 0 … 1, to where the point would have been."""
        point = tuple(p + share * (q - p) for p, q in zip(self.point, ahead.point, strict=True))
        return EasedPoint(point, ahead.goal, tuple(share * v for v in ahead.velocity), ahead.ease, ahead.pace)


def checked_point(point: Coordinates, like: Point | None = None) -> Point:
    """A blending point as floats; refuses what is no place in the plane."""
    place = finite_numbers(point, "a blending point is given by finite coordinates, such as (0.4, 0.3)")
    if not place or (like is not None and len(place) != len(like)):
        expected = f"{len(like)} coordinates" if like else "coordinates"
        raise MotionError(f"expected a blending point of {expected}, got {place}")
    return place
