"""Inertialisation: one motion takes over from another, and the difference in pose and velocity fades out."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.gait.cycle_on_ground import Touch
from mocapella.gait.resting import Plant, Span
from mocapella.geometry import quaternions, scalar
from mocapella.geometry.curves import smoothstep
from mocapella.playback.feet.leg_ik import LegPose, Legs, leg_pose
from mocapella.playback.feet.locks import FootLocks, LaidPath, PointLock, at_distance, foot_targets, plant_under_way
from mocapella.playback.feet.offset import MOMENT, Targets, foot_offset
from mocapella.playback.playhead import GroundMotion, Playhead, Posture, advance
from mocapella.playback.settings import DEFAULTS, Number, PlayerSettings

_BRAKED = 0.4  # of a hand-over, in which the old rate of change fades: kept for longer it would overshoot
_NOTHING = 1e-9  # metres

_HalfTurn = Annotated[float, msgspec.Meta(ge=-math.pi, le=math.pi)]


class PoseOffset(msgspec.Struct, frozen=True):
    """The offset of the old pose from the new motion's pose when that begins, and its rate of change."""

    seconds: Span  # in which it is gone
    turns: tuple[tuple[_HalfTurn, _HalfTurn, _HalfTurn], ...]  # half a rotation vector for each joint, in its own frame
    spins: tuple[tuple[Number, Number, Number], ...]  # the same, per second
    height: Number  # of the root, metres
    rise: Number  # m/s
    velocity: complex  # of the root over the ground, ahead real and left imaginary, m/s
    turning: Number  # of its heading, rad/s

    def carried(self, head: Playhead, start: float, end: float) -> Playhead:
        """A playhead moved on by the fading old velocity, between two ages of the offset, seconds."""
        share = self._run_out(end) - self._run_out(start)
        if share == 0.0:
            return head
        moved = head.moved(cmath.exp(1j * head.yaw) * self.velocity * share)
        return Playhead(moved.phase, moved.position, moved.yaw + self.turning * share)

    def remaining(self, age: float) -> float:
        """How much of the old velocity is left, 1 … 0."""
        return max(0.0, 1.0 - max(age, 0.0) / self.seconds) ** 2

    def _run_out(self, age: float) -> float:
        """The distance covered since the beginning by a velocity of 1 that fades in this way."""
        left = max(0.0, 1.0 - age / self.seconds)
        return self.seconds / 3.0 * (1.0 - left * left * left)


class RootMotion(msgspec.Struct, frozen=True):
    """Root motion of one character: phase, place and heading, and the fading remainder of the motion before."""

    head: Playhead
    owed: complex = 0j  # metres over the ground by which it has yet to move so that planted feet stay in place
    offset: PoseOffset | None = None
    age: Number = 0.0  # of the offset, seconds
    laid: tuple[Number, Number] = (0.0, 0.0)  # phase of the motion and age at which the offset was laid over it

    def at(self, head: Playhead) -> RootMotion:
        """The same with another playhead."""
        return RootMotion(head, self.owed, self.offset, self.age, self.laid)

    def laid_over(self) -> RootMotion:
        """The same with its offset laid, from now on, over another motion at the same phase."""
        if self.offset is None:
            return self
        return RootMotion(self.head, self.owed, self.offset, self.age, (self.head.phase, self.age))


def advance_root(root: RootMotion, motion: GroundMotion, settings: PlayerSettings, dt: float) -> RootMotion:
    """The root ``dt`` seconds later, with part of its pending shift and of the fading old velocity."""
    head, owed, offset, age = advance(root.head, motion, dt), root.owed, root.offset, root.age
    if owed:
        shift = owed if abs(owed) < _NOTHING else -math.expm1(-dt / settings.root_shift_time) * owed
        owed -= shift
        head = head.moved(shift)
    if offset is None:
        return RootMotion(head, owed)
    head = offset.carried(head, age, age + dt)
    age += dt
    return RootMotion(head, owed) if age >= offset.seconds else RootMotion(head, owed, offset, age, root.laid)


class OffsetMotion:
    """A motion with a fading pose offset; feet come down where the offset pose has them.

    At ``phase`` of the motion the offset is ``age`` seconds old. ``legs`` is None where feet are not locked.
    """

    def __init__(self, base: GroundMotion, offset: PoseOffset, phase: float, age: float, legs: Legs | None) -> None:
        self.base, self.offset, self.legs = base, offset, legs
        self.plants: tuple[tuple[Plant, ...], ...] = base.plants
        self.rate, self.lap = base.rate, base.lap
        self.way, self.bearing = base.way, base.bearing
        self._phase, self._age = phase, age
        self._turns, self._spins = np.array(offset.turns), np.array(offset.spins)
        self._touches: dict[tuple[int, float], Touch] = {}
        self._legs: dict[float, tuple[list[list[float]], float]] = {}  # poses of the legs, cached by phase

    def age(self, phase: float) -> float:
        """How old the offset is at a phase, seconds, negative before it began."""
        half = 0.5 * self.lap
        return self._age + ((phase - self._phase + half) % self.lap - half) / self.rate

    def posture(self, phase: float) -> Posture:
        """The displaced joints and the displaced height of the root."""
        return self.displaced(self.base.posture(phase), self.age(phase))

    def displaced(self, posture: Posture, age: float) -> Posture:
        """A posture of the new motion with what is left of the offset at an age, seconds.

        Before it began the displacement is extrapolated, so that the approach of a foot is known.
        """
        offset = self.offset
        if age >= offset.seconds:
            return posture
        rotations, height = posture
        if age < 0.0:
            place, rate = 1.0, age
        else:
            left, braked = 1.0 - age / offset.seconds, max(0.0, 1.0 - age / (_BRAKED * offset.seconds))
            place, rate = smoothstep(left), age * braked * braked
        turned = quaternions.turned_on(rotations, place * self._turns + rate * self._spins)
        return turned, height + place * offset.height + rate * offset.rise

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a phase, metres."""
        if self.legs is None or self.age(phase) >= self.offset.seconds:
            return self.base.height(point, phase)
        return self._foot(point, phase)[1]

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a phase, and how fast it moves; cached."""
        if self.legs is None or self.age(phase) >= self.offset.seconds:
            return self.base.touch(point, phase)
        cached = self._touches.get((point, phase))
        if cached is None:
            step = MOMENT * self.rate
            place, height = self._foot(point, phase)
            (before, low), (after, high) = self._foot(point, phase - step), self._foot(point, phase + step)
            speed, rise = (after - before) / (2.0 * step), (high - low) / (2.0 * step)
            cached = self._touches[point, phase] = Touch(place, speed, height, rise)
        return cached

    def _foot(self, point: int, phase: float) -> tuple[complex, float]:
        """Place and height of a foot point on the path."""
        assert self.legs is not None
        legs = self._legs.get(phase)  # heel and toe of both feet are asked for at the same moments
        if legs is None:
            rotations, height = self.posture(phase)
            legs = self._legs[phase] = rotations.tolist(), height
        turns, height = legs
        leg = self.legs[point // 2]
        w, x, y, z = turns[0]
        places, world = leg.pose((0.0, height, 0.0), (w, x, y, z), turns)
        x, y, z = scalar.add(places[-1], scalar.rotate(world[-1], leg.toe if point % 2 else leg.heel))
        yaw, path = self.base.way(phase)
        return path + cmath.exp(1j * yaw) * complex(z, x), y


def pose_offset(
    old: GroundMotion,
    old_phase: float,
    new: GroundMotion,
    new_phase: float,
    seconds: float,
    settings: PlayerSettings = DEFAULTS,
) -> PoseOffset:
    """The offset of the old pose from the new one; it fades in ``seconds``, or more where joints are far apart."""
    (turns, height), (earlier, lower), (later, higher) = (
        _apart(old.posture(old_phase + time * old.rate), new.posture(new_phase + time * new.rate))
        for time in (0.0, -MOMENT, MOMENT)
    )
    (old_velocity, old_turning), (velocity, turning) = _going(old, old_phase), _going(new, new_phase)
    furthest = 2.0 * float(np.linalg.norm(turns, axis=-1).max())
    return PoseOffset(
        seconds=max(seconds, min(furthest / settings.join_agility, settings.longest_join)),
        turns=tuple(map(tuple, turns.tolist())),
        spins=tuple(map(tuple, ((later - earlier) / (2.0 * MOMENT)).tolist())),
        height=height,
        rise=(higher - lower) / (2.0 * MOMENT),
        velocity=old_velocity - velocity,
        turning=old_turning - turning,
    )


def _apart(old: Posture, new: Posture) -> tuple[Float[np.ndarray, "joints 3"], float]:
    """The displacement that turns the new posture into the old one."""
    between = quaternions.multiply(quaternions.conjugate(new[0]), old[0])
    return quaternions.log(quaternions.shortest(between)), old[1] - new[1]


def _going(motion: GroundMotion, phase: float) -> tuple[complex, float]:
    """The velocity of the root in its heading, m/s, and its turn rate, rad/s."""
    step = MOMENT * motion.rate
    (yaw, path), (yaw_after, path_after) = motion.way(phase - step), motion.way(phase + step)
    heading = cmath.exp(-0.5j * (yaw + yaw_after))
    velocity, turning = heading * (path_after - path) / (2.0 * MOMENT), (yaw_after - yaw) / (2.0 * MOMENT)
    if isinstance(motion, OffsetMotion):
        share = motion.offset.remaining(motion.age(phase))
        velocity, turning = velocity + share * motion.offset.velocity, turning + share * motion.offset.turning
    return velocity, turning


class _Moment(NamedTuple):
    """A motion at one moment, and the legs as its pose has them."""

    motion: GroundMotion
    head: Playhead
    legs: tuple[LegPose, LegPose]


_Moments = tuple[_Moment, _Moment]  # now and a ``MOMENT`` later


def moments(
    root: RootMotion, base: GroundMotion, motion: GroundMotion, legs: Legs, settings: PlayerSettings
) -> _Moments:
    """A character now and ``MOMENT`` later; ``motion`` is its ``base`` with the offset laid over it."""
    later = advance_root(root.laid_over(), base, settings, MOMENT)
    again = base if later.offset is None else OffsetMotion(base, later.offset, *later.laid, legs)
    return _moment(root, base, motion, legs), _moment(later, base, again, legs)


def _moment(root: RootMotion, base: GroundMotion, motion: GroundMotion, legs: Legs) -> _Moment:
    head, posture = root.head, base.posture(root.head.phase)
    if isinstance(motion, OffsetMotion):
        posture = motion.displaced(posture, root.age)
    rotations, height = posture
    turns, (x, z) = rotations.tolist(), head.position
    root_turn = scalar.multiply(scalar.about((0.0, 1.0, 0.0), head.yaw), tuple(turns[0]))
    left, right = (leg_pose(leg, (x, height, z), root_turn, turns) for leg in legs)
    return _Moment(motion, head, (left, right))


def handed_over(
    locks: FootLocks, old: _Moments, new: _Moments, legs: Legs, settings: PlayerSettings, dt: float, seconds: float
) -> FootLocks:
    """The foot locks when another motion takes over, ``dt`` seconds after the last targets.

    Both motions are given at that moment and a ``MOMENT`` later; in ``seconds`` the old lock has faded.
    """

    def at(locks: FootLocks, moment: _Moment, dt: float) -> tuple[Targets, FootLocks]:
        return foot_targets(locks, moment.motion, moment.head, legs, moment.legs, settings, dt)[:2]

    held, locks = at(locks, old[0], dt)
    before = held, at(locks, old[1], MOMENT)[0]
    laid = LaidPath(new[0].motion, new[0].head, settings)
    # No foot is locked again at a place of the old motion.
    points = [PointLock(hold=lock.hold, shift=lock.shift) if lock.leaving else lock for lock in locks.points]
    placed = [lock.place is not None for lock in points]
    times = []
    for point, lock in enumerate(points):
        places = [
            _place(moment.legs, point) + _shifted(targets, point) for moment, targets in zip(old, before, strict=True)
        ]
        time, points[point] = _taken_over(laid, point, lock, places, seconds)
        times.append(time)
    for heel, leg, pose in zip((0, 2), legs, old[0].legs, strict=True):
        # The foot is rigid: both ends come to rest a foot's length apart; the one that stands, or is lower, decides.
        first = heel + (placed[heel + 1] or (not placed[heel] and pose.toe[1] < pose.heel[1]))
        last = 2 * heel + 1 - first
        place, other = points[first].place, points[last].place
        if place is not None and other is not None and not placed[last]:
            points[last] = msgspec.structs.replace(points[last], place=at_distance(other, place, leg.flat_length))
    a, b, c, d = points
    after, now = at(msgspec.structs.replace(locks, points=(a, b, c, d), begun=False, offset=None), new[0], 0.0)
    return msgspec.structs.replace(now, offset=foot_offset(before, (after, at(now, new[1], MOMENT)[0]), times))


def _taken_over(
    laid: LaidPath, point: int, lock: PointLock, places: Sequence[complex], seconds: float
) -> tuple[float, PointLock]:
    """Seconds until a point is locked by the new motion, and its lock.

    If it is to rest too soon, it stops near where it is; ``places`` are where it is held now and a ``MOMENT`` later.
    """
    soonest = laid.settings.foot_join
    now, place, leaving = plant_under_way(laid, point, lock)
    lock = PointLock(place, lock.hold, lock.shift, leaving)
    if now is None or now[1] >= now[0].length:
        return max(seconds, soonest), lock
    wait = -now[1] / laid.motion.rate
    if wait >= soonest:
        return max(min(seconds, wait), soonest), lock
    if place is None:
        here, there = places
        braked = here + (there - here) / MOMENT * soonest / 3.0  # the way on which it slows down
        lock = PointLock(braked, lock.hold, lock.shift, leaving)
    return soonest, lock


def _place(poses: tuple[LegPose, LegPose], point: int) -> complex:
    """Where the pose has a foot point on the ground."""
    pose = poses[point // 2]
    x, _, z = pose.toe if point % 2 else pose.heel
    return complex(z, x)


def _shifted(targets: Targets, point: int) -> complex:
    """By how much a target displaces it."""
    target = targets[point // 2]
    return target.toe_shift if point % 2 else target.heel_shift
