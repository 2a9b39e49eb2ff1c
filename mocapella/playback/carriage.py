"""The motion that carries a body over the ground, and how far it has got."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from mocapella.playback import single
from mocapella.playback.footfalls import Footfalls, Posture
from mocapella.playback.footlock import stand_of
from mocapella.playback.handover import MOMENT, Moment
from mocapella.playback.join import Join, Joined, join_of
from mocapella.playback.legs import Leg
from mocapella.playback.playhead import Playhead, advance

MAKING_WAY = 0.03  # seconds in which two thirds of a way that is owed are made: at once, the root would jerk
_NOTHING = 1e-9  # metres


@dataclass
class Carriage:
    """A blend or a capture on its way, and what is left of the motion that it took over from."""

    base: Footfalls
    head: Playhead
    legs: tuple[Leg, Leg] | None = None  # where feet are looked after
    join: Join | None = None
    age: float = 0.0  # of the join, seconds
    owed: complex = 0j  # metres over the ground that it has yet to make way by for feet that stand
    way: Footfalls = field(init=False)  # the motion with the join laid over it

    def __post_init__(self) -> None:
        self._lay_over()

    @property
    def posture(self) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root, now."""
        return self.displaced(self.base.posture(self.head.phase))

    def displaced(self, posture: Posture) -> Posture:
        """A posture with what the join lays over it now."""
        return posture if self.join is None else self.join.over(posture, self.age)

    def go_over(self, motion: Footfalls, phase: float, seconds: float) -> None:
        """From now on another motion, begun at a phase of its own, with what this one has over it on top."""
        self.join = join_of(self.way, self.head.phase, motion, phase, seconds) if seconds > 0.0 else None
        self.base, self.age = motion, 0.0
        self.head = replace(self.head, phase=phase)
        self._lay_over()

    def take_up(self, motion: Footfalls) -> None:
        """From now on a motion that differs little, at the same phase."""
        self.base = motion
        self._lay_over()

    def advance(self, dt: float) -> None:
        """Go on for ``dt`` seconds, and make way as far as that is owed."""
        head = advance(self.head, self.base, dt)
        if self.owed:
            made = self.owed if abs(self.owed) < _NOTHING else -math.expm1(-dt / MAKING_WAY) * self.owed
            self.owed -= made
            head = head.moved(made)
        if self.join is not None:
            head = self.join.carried(head, self.age, self.age + dt)
            self.age += dt
            if self.age >= self.join.seconds:
                self.join = None
                self.way = self.base
        self.head = head

    def moments(self, legs: tuple[Leg, Leg]) -> tuple[Moment, Moment]:
        """The motion now and a moment later; it stays where it is."""
        later = replace(self)
        later.advance(MOMENT)
        return self._moment(legs), later._moment(legs)

    def _moment(self, legs: tuple[Leg, Leg]) -> Moment:
        rotations, height = self.posture
        head, turns = self.head, rotations.tolist()
        upright = (math.cos(0.5 * head.yaw), 0.0, math.sin(0.5 * head.yaw), 0.0)
        root_turn = single.multiply(upright, tuple(turns[0]))
        root = (head.position[0], height, head.position[1])
        left, right = (stand_of(leg, root, root_turn, turns) for leg in legs)
        return Moment(self.way, head, (left, right))

    def _lay_over(self) -> None:
        self.way = self.base
        if self.join is not None:
            self.way = Joined(self.base, self.join, self.head.phase, self.age, self.legs)
