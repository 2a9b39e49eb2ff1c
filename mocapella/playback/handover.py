"""One motion gives way to another: the body, the feet, the way over the ground."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.geometry import quaternions, scalar
from mocapella.geometry.curves import smoothstep
from mocapella.playback.feet.plants import Plant
from mocapella.playback.feet.reach import Grip, Stand, stand_of
from mocapella.playback.motion_on_ground import Footfalls, Playhead, Posture, Touch, advance
from mocapella.rig.legs import Leg

# What the hold on the feet has over the next one when another motion takes over, let go gently.
#
# Two motions that meet do not agree to the frame on when a foot comes down, how high, and where. What the old hold does
# to a foot at that moment, and how fast that changes, is laid over the new hold and fades.

MOMENT = 1e-3  # seconds, over which rates are measured
SOONEST = 0.12  # seconds that it takes at least until nothing is left
_LITTLE = (1e-4, 1e-4, 1e-3, 1e-3, 1e-3, 1e-3)  # metres and shares in a grip's order: a foot with more does not rest
_NUMBERS = len(_LITTLE)

Grips = tuple[Grip, Grip]


class Moment(NamedTuple):
    """A motion on its way at one moment, and the legs as its pose has them."""

    way: Footfalls
    head: Playhead
    stands: tuple[Stand, Stand]


@dataclass(frozen=True)
class Leftover:
    """What is left of the hold that another one took over from.

    Numbers stand in the order of a grip's: how heel and toe are displaced, how firmly they are held, how far the foot
    is let down and its heel against its toe, of the left foot and then of the right.
    """

    gaps: tuple[complex, ...]  # between the two holds at the moment of taking over
    rates: tuple[complex, ...]  # how fast these changed, per second
    seconds: tuple[float, ...]  # in which they are gone
    age: float = 0.0  # seconds

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.age >= max(self.seconds)

    def after(self, dt: float) -> Leftover:
        """The same, ``dt`` seconds later."""
        return Leftover(self.gaps, self.rates, self.seconds, self.age + dt)

    def of(self, point: int) -> complex:
        """By how much a foot point is still displaced over the ground."""
        return self._left(_column(point))

    def settled(self, point: int) -> bool:
        """Whether next to nothing is left that moves the foot of a point."""
        first = _NUMBERS * (point // 2)
        return all(abs(self._left(first + i)) <= most for i, most in enumerate(_LITTLE))

    def without(self, point: int) -> Leftover:
        """The same, with nothing left of the displacement of one foot point."""
        at = _column(point)
        gaps, rates = list(self.gaps), list(self.rates)
        gaps[at] = rates[at] = 0j
        return Leftover(tuple(gaps), tuple(rates), self.seconds, self.age)

    def over(self, grips: Grips) -> Grips:
        """The new hold with what is left of the old one."""
        numbers = [value + self._left(i) for i, value in enumerate(_numbers(grips))]
        return _grip(numbers[:_NUMBERS]), _grip(numbers[_NUMBERS:])

    def _left(self, i: int) -> complex:
        share = self.age / self.seconds[i]
        if share >= 1.0:
            return 0j
        left = (1.0 - share) ** 2
        return left * ((1.0 + 2.0 * share) * self.gaps[i] + self.age * self.rates[i])


def leftover(old: tuple[Grips, Grips], new: tuple[Grips, Grips], seconds: Sequence[float]) -> Leftover:
    """What one hold has over another, both given at the moment of taking over and a ``MOMENT`` later.

    ``seconds`` are those in which it is gone for each foot point; what belongs to the whole foot goes with the earlier.
    """
    now = [a - b for a, b in zip(_numbers(old[0]), _numbers(new[0]), strict=True)]
    then = [a - b for a, b in zip(_numbers(old[1]), _numbers(new[1]), strict=True)]
    times: list[float] = []
    for heel, toe in ((seconds[0], seconds[1]), (seconds[2], seconds[3])):
        times += [heel, toe, heel, toe, *[min(heel, toe)] * (_NUMBERS - 4)]
    return Leftover(tuple(now), tuple((b - a) / MOMENT for a, b in zip(now, then, strict=True)), tuple(times))


def _column(point: int) -> int:
    """Where the displacement of a foot point stands among the numbers."""
    return _NUMBERS * (point // 2) + point % 2


def _numbers(grips: Grips) -> list[complex]:
    return [complex(value) for grip in grips for value in grip]


def _grip(numbers: list[complex]) -> Grip:
    heel_shift, toe_shift, *rest = numbers
    heel_hold, toe_hold = (min(max(value.real, 0.0), 1.0) for value in rest[:2])
    return Grip(heel_shift, toe_shift, heel_hold, toe_hold, rest[2].real, rest[3].real)


# What one motion has over the next when they meet, carried over and let go gently.
#
# A blend and the frame of a capture that follows it are never quite the same. The difference in pose, and in how fast
# it changes, is laid over the new motion and decays: nothing jumps, and after a fraction of a second the new motion is
# played as it is.

_MOMENT = 1e-3  # seconds, over which rates are measured
_AGILITY = 4.0  # rad/s at which joints that are far apart go over, mean of a join
_LONGEST = 0.8  # seconds that a join may take for that
_BRAKED = 0.4  # of a join, in which the old rate of change is gone: carried on for longer it would lead astray


@dataclass(frozen=True, eq=False)
class Join:
    """The displacement of a new motion at the moment it begins, and how fast that changes."""

    seconds: float  # in which it is gone
    turns: Float[np.ndarray, "joints 3"]  # half a rotation vector for each joint, in its own frame
    spins: Float[np.ndarray, "joints 3"]  # the same, per second
    height: float  # of the root, metres
    rise: float  # m/s
    velocity: complex  # of the root over the ground, ahead real and left imaginary, m/s
    turning: float  # of its heading, rad/s

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", readonly(self.turns, np.float64))
        object.__setattr__(self, "spins", readonly(self.spins, np.float64))

    def over(self, posture: Posture, time: float) -> Posture:
        """A posture of the new motion with what is left of the displacement ``time`` seconds after it began.

        Before that the displacement goes on as it would have, for those who ask where a foot came from.
        """
        if time >= self.seconds:
            return posture
        rotations, height = posture
        if time < 0.0:
            place, rate = 1.0, time
        else:
            left, braked = 1.0 - time / self.seconds, max(0.0, 1.0 - time / (_BRAKED * self.seconds))
            place, rate = smoothstep(left), time * braked * braked
        turned = quaternions.turned_on(rotations, place * self.turns + rate * self.spins)
        return turned, height + place * self.height + rate * self.rise

    def carried(self, head: Playhead, start: float, end: float) -> Playhead:
        """A playhead moved on by what is left of the old velocity over the ground, between two times of the join."""
        share = self._run_out(end) - self._run_out(start)
        if share == 0.0:
            return head
        moved = head.moved(cmath.exp(1j * head.yaw) * self.velocity * share)
        return Playhead(moved.phase, moved.position, moved.yaw + self.turning * share)

    def remaining(self, time: float) -> float:
        """How much of the old velocity is left, 1 … 0."""
        return max(0.0, 1.0 - max(time, 0.0) / self.seconds) ** 2

    def _run_out(self, time: float) -> float:
        """How far a velocity of 1 that falls to 0 in this way has led since the join began."""
        left = max(0.0, 1.0 - time / self.seconds)
        return self.seconds / 3.0 * (1.0 - left * left * left)


@dataclass(frozen=True, eq=False)
class Joined:
    """A motion on its way with a join laid over it: feet come down where the displaced pose has them."""

    base: Footfalls
    join: Join
    phase: float  # of the motion,
    time: float  # when the join was so old, seconds
    legs: tuple[Leg, Leg] | None
    _touches: dict[tuple[int, float], Touch] = field(default_factory=dict)
    _legs: dict[float, tuple[list[list[float]], float]] = field(default_factory=dict)  # what its feet are told by

    @property
    def plants(self) -> tuple[tuple[Plant, ...], ...]:
        """The plants of each of ``FOOT_POINTS``."""
        return self.base.plants

    @property
    def rate(self) -> float:
        """Phase per second."""
        return self.base.rate

    @property
    def lap(self) -> float:
        """The phase after which everything comes round again."""
        return self.base.lap

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading and the path of the motion itself."""
        return self.base.way(phase)

    def bearing(self, phase: float) -> list[float]:
        """How much of the body each foot point carries, 0 … 1."""
        return self.base.bearing(phase)

    def age(self, phase: float) -> float:
        """How old the join is at a phase, seconds, negative before it began."""
        half = 0.5 * self.lap
        return self.time + ((phase - self.phase + half) % self.lap - half) / self.rate

    def posture(self, phase: float) -> Posture:
        """The displaced joints and the displaced height of the root."""
        return self.join.over(self.base.posture(phase), self.age(phase))

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a phase, metres."""
        if self.legs is None or self.age(phase) >= self.join.seconds:
            return self.base.height(point, phase)
        return self._foot(point, phase)[1]

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a phase, and how fast; worked out once for each moment."""
        if self.legs is None or self.age(phase) >= self.join.seconds:
            return self.base.touch(point, phase)
        known = self._touches.get((point, phase))
        if known is None:
            step = _MOMENT * self.rate
            place, height = self._foot(point, phase)
            (before, low), (after, high) = self._foot(point, phase - step), self._foot(point, phase + step)
            speed, rise = (after - before) / (2.0 * step), (high - low) / (2.0 * step)
            known = self._touches[point, phase] = Touch(place, speed, height, rise)
        return known

    def _foot(self, point: int, phase: float) -> tuple[complex, float]:
        """Place and height of a foot point on the path."""
        assert self.legs is not None
        known = self._legs.get(phase)  # heel and toe of both feet are asked for at the same moments
        if known is None:
            rotations, height = self.posture(phase)
            known = self._legs[phase] = rotations.tolist(), height
        turns, height = known
        leg = self.legs[point // 2]
        w, x, y, z = turns[0]
        places, world = leg.pose((0.0, height, 0.0), (w, x, y, z), turns)
        x, y, z = scalar.add(places[-1], scalar.rotate(world[-1], leg.toe if point % 2 else leg.heel))
        yaw, path = self.base.way(phase)
        return path + cmath.exp(1j * yaw) * complex(z, x), y


def join_of(old: Footfalls, old_phase: float, new: Footfalls, new_phase: float, seconds: float) -> Join:
    """What the old motion at its phase has over the new one at its own.

    It is gone in ``seconds``, or in as many as it takes joints that are far apart to get there.
    """
    (turns, height), (earlier, lower), (later, higher) = (
        _apart(old.posture(old_phase + time * old.rate), new.posture(new_phase + time * new.rate))
        for time in (0.0, -_MOMENT, _MOMENT)
    )
    (old_velocity, old_turning), (velocity, turning) = _going(old, old_phase), _going(new, new_phase)
    furthest = 2.0 * float(np.linalg.norm(turns, axis=-1).max())
    return Join(
        seconds=max(seconds, min(furthest / _AGILITY, _LONGEST)),
        turns=turns,
        spins=(later - earlier) / (2.0 * _MOMENT),
        height=height,
        rise=(higher - lower) / (2.0 * _MOMENT),
        velocity=old_velocity - velocity,
        turning=old_turning - turning,
    )


def _apart(old: Posture, new: Posture) -> tuple[Float[np.ndarray, "joints 3"], float]:
    """By what a new posture has to be displaced to be the old one."""
    between = quaternions.multiply(quaternions.conjugate(new[0]), old[0])
    return quaternions.log(quaternions.shortest(between)), old[1] - new[1]


def _going(motion: Footfalls, phase: float) -> tuple[complex, float]:
    """The velocity of the root in its heading, m/s, and its turn rate, rad/s."""
    step = _MOMENT * motion.rate
    (yaw, path), (yaw_after, path_after) = motion.way(phase - step), motion.way(phase + step)
    heading = cmath.exp(-0.5j * (yaw + yaw_after))
    velocity, turning = heading * (path_after - path) / (2.0 * _MOMENT), (yaw_after - yaw) / (2.0 * _MOMENT)
    if isinstance(motion, Joined):
        share = motion.join.remaining(motion.age(phase))
        velocity, turning = velocity + share * motion.join.velocity, turning + share * motion.join.turning
    return velocity, turning


# The motion that carries a body over the ground, and how far it has got.

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
        root_turn = scalar.multiply(upright, tuple(turns[0]))
        root = (head.position[0], height, head.position[1])
        left, right = (stand_of(leg, root, root_turn, turns) for leg in legs)
        return Moment(self.way, head, (left, right))

    def _lay_over(self) -> None:
        self.way = self.base
        if self.join is not None:
            self.way = Joined(self.base, self.join, self.head.phase, self.age, self.legs)
