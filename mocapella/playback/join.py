"""What one motion has over the next when they meet, carried over and let go gently.

A blend and the frame of a capture that follows it are never quite the same. The difference in pose, and in how fast it
changes, is laid over the new motion and decays: nothing jumps, and after a fraction of a second the new motion is
played as it is.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.geometry import planes, quaternions
from mocapella.geometry.smoothstep import smooth
from mocapella.playback import single
from mocapella.playback.footfalls import Footfalls, Posture
from mocapella.playback.gait import Touch
from mocapella.playback.holding import Plant
from mocapella.playback.legs import Leg
from mocapella.playback.playhead import Playhead

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
            place, rate = smooth(left), time * braked * braked
        turned = planes.turned_on(rotations, place * self.turns + rate * self.spins)
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
        x, y, z = single.add(places[-1], single.rotate(world[-1], leg.toe if point % 2 else leg.heel))
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
