"""Foot locks: where planted feet are held, and how each lock sets in and ends.

Before a plant, the foot is slowed down so that it comes to rest where its motion would have it touch down; it stays
there, whatever the blending point does. After the plant its displacement from the pose fades. Places on the ground are
complex numbers, z + ix, metres.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec

from mocapella.gait.foot_constants import FOOT
from mocapella.gait.resting import Plant, Share
from mocapella.geometry.curves import smoothstep
from mocapella.playback.feet.leg_ik import FootTarget, LegPose, Legs, still_down
from mocapella.playback.feet.offset import FootOffset, Targets
from mocapella.playback.playhead import GroundMotion, Playhead
from mocapella.playback.settings import Number, PlayerSettings
from mocapella.rig.legs import Leg

_FootPhase = Literal["coming", "down", "leaving"]  # a foot that is planted or not: not yet, now, no longer
_Holding = tuple[Plant, float, float]  # a plant, the phase since it began, and how firmly it holds its point
_Now = _Holding | None
_Bearing = tuple[bool, bool]  # whether a foot is in a plant, and whether it may roll off
_FREE = FootTarget()


class PointLock(msgspec.Struct, frozen=True):
    """How one foot point is held."""

    place: complex | None = None  # where it came to rest; kept until its release is over
    hold: Share = 0.0  # how firmly it was held a step ago
    shift: complex = 0j  # its displacement from the pose a step ago, metres
    leaving: bool = False  # whether its plant is over


_Ends = tuple[PointLock, PointLock]  # heel and toe of a foot
_Points = tuple[PointLock, PointLock, PointLock, PointLock]  # those of both feet


class FootLocks(msgspec.Struct, frozen=True):
    """How the feet of one character are held."""

    points: _Points = (PointLock(),) * 4  # in the order of FOOT_POINTS
    begun: bool = False  # whether there was a hold a step ago
    strain: Number = 0.0  # metres: how far planted points are from where the pose has them
    offset: FootOffset | None = None  # of the hold before another motion took over
    standing: tuple[_FootPhase, _FootPhase] = ("down", "down")  # of each foot
    anchor: Annotated[int, msgspec.Meta(ge=0, le=3)] | None = None  # the foot point by which an anchored body is placed
    anchor_place: complex = 0j  # and where that is kept

    def give(self, settings: PlayerSettings) -> float:
        """The share of a change of motion that planted feet allow, 0 … 1, without sliding or overstretched legs."""
        easy, taut = settings.strain_from, settings.strain_to
        return 1.0 if self.strain <= easy else smoothstep(max(0.0, (taut - self.strain) / (taut - easy)))

    def rests(self, point: int) -> bool:
        """Whether a point is held as firmly as planted ones are, and its foot on the ground.

        A point whose plant came early has yet to settle; a foot that rolls off its toes is still held while it rises.
        """
        if self.offset is not None and not self.offset.settled(point):
            return False
        return not self.begun or (self.points[point].hold > FOOT.firm and self.standing[point // 2] == "down")


class LaidPath:
    """A motion's own path laid into the world so that it passes through the playhead."""

    def __init__(self, motion: GroundMotion, head: Playhead, settings: PlayerSettings) -> None:
        self.motion, self.phase, self.settings = motion, head.phase, settings
        yaw, path = motion.way(head.phase)
        self._turn = cmath.exp(1j * (head.yaw - yaw))
        self._origin = head.place - self._turn * path

    def world(self, place: complex, rounds: float) -> complex:
        """A place of the path, or of the round before or after (``rounds`` of −2π, 0 or 2π), in the world."""
        turn, way = self._round(rounds)
        return self._origin + self._turn * (way + turn * place)

    def turned(self, speed: complex, rounds: float) -> complex:
        """A velocity on the path, in the world's axes."""
        return self._turn * self._round(rounds)[0] * speed

    def _round(self, rounds: float) -> tuple[complex, complex]:
        if abs(rounds) < 1.0:
            return 1.0 + 0j, 0j
        yaw, path = self.motion.way(math.copysign(math.tau, rounds))
        return cmath.exp(1j * yaw), path


def foot_targets(
    locks: FootLocks,
    motion: GroundMotion,
    head: Playhead,
    legs: Legs,
    poses: tuple[LegPose, LegPose],
    settings: PlayerSettings,
    dt: float,
) -> tuple[Targets, FootLocks, tuple[_Bearing, _Bearing]]:
    """How the left and the right foot are held now.

    ``locks`` are those of ``dt`` seconds ago, ``poses`` the left and the right leg as the pose has them. Returns the
    targets of both feet, the locks now, and for each foot whether it is in a plant and whether it may roll off.
    """
    laid = LaidPath(motion, head, settings)
    points, offset = locks.points, locks.offset
    if offset is not None and (offset := offset.after(dt)).done:
        offset = None
    if dt > settings.long_step:
        points = _after_long_step(points, laid, dt - settings.long_step)
    if not locks.begun:
        a, b, c, d = (PointLock(lock.place, 0.0, lock.shift, lock.leaving) for lock in points)
        points, dt = (a, b, c, d), math.inf
    left, (a, b), offset, strain, first = _foot(laid, legs[0], poses[0], 0, (points[0], points[1]), offset, dt)
    right, (c, d), offset, other, second = _foot(laid, legs[1], poses[1], 2, (points[2], points[3]), offset, dt)
    now = FootLocks((a, b, c, d), True, max(strain, other), offset, locks.standing, locks.anchor, locks.anchor_place)
    return (left, right) if offset is None else offset.over((left, right)), now, (first, second)


def _foot(
    laid: LaidPath, leg: Leg, pose: LegPose, heel: int, locks: _Ends, offset: FootOffset | None, dt: float
) -> tuple[FootTarget, _Ends, FootOffset | None, float, _Bearing]:
    """The target of one foot, its locks, what is left of an old hold, the strain on it, and how it bears."""
    heel_lock, toe_lock = locks
    heel_now, heel_place, heel_leaving = plant_under_way(laid, heel, heel_lock)
    toe_now, toe_place, toe_leaving = plant_under_way(laid, heel + 1, toe_lock)
    heel_stands, toe_stands = _stands(heel_now), _stands(toe_now)
    bearing = heel_stands or toe_stands, _may_roll_off(heel_now) and _may_roll_off(toe_now)
    if heel_now is None and toe_now is None and not heel_lock.hold and not toe_lock.hold:
        heel_lock = PointLock(heel_place, heel_lock.hold, heel_lock.shift, heel_leaving)
        toe_lock = PointLock(toe_place, toe_lock.hold, toe_lock.shift, toe_leaving)
        return _FREE, (heel_lock, toe_lock), offset, 0.0, bearing
    tilt = pose.heel[1] - leg.heel_height - pose.toe[1] + leg.toe_height  # of the heel over the toe, as the pose has it
    sole = sole_of(laid.motion, leg, heel, (heel_now, toe_now), tilt, laid.settings)
    apart = sole.apart(leg)
    # The foot is rigid: where one point has come to rest, the other can only be a foot's length away.
    at_heel, at_toe = complex(pose.heel[2], pose.heel[0]), complex(pose.toe[2], pose.toe[0])
    rest = _resting_place(toe_now, toe_place)
    heel_shift, heel_place, offset = _shift(laid, heel, heel_now, heel_place, at_heel, rest, apart, offset)
    rest = _resting_place(heel_now, heel_place)
    toe_shift, toe_place, offset = _shift(laid, heel + 1, toe_now, toe_place, at_toe, rest, apart, offset)
    sink = _sink(laid, leg, pose, heel, (heel_now, toe_now))
    down = 1.0
    if heel_stands and toe_stands:
        down = still_down(leg, pose, FootTarget(heel_shift, toe_shift, 1.0, 1.0, sink, sole.turned))
    wanted = PointLock(heel_place, down * heel_now[2] if heel_now else 0.0, down * heel_shift, heel_leaving)
    heel_lock = _gradual(laid, heel_now, heel_lock, wanted, at_heel, dt)
    wanted = PointLock(toe_place, toe_now[2] if toe_now else 0.0, toe_shift, toe_leaving)
    toe_lock = _gradual(laid, toe_now, toe_lock, wanted, at_toe, dt)
    heel_shift, toe_shift = heel_lock.shift, toe_lock.shift
    part = min(_slack(heel_shift, laid.settings), _slack(toe_shift, laid.settings))
    strain = max(abs(heel_shift) if heel_stands else 0.0, abs(toe_shift) if toe_stands else 0.0)
    heel_hold, toe_hold = part * _target_hold(heel_lock, heel_stands), part * _target_hold(toe_lock, toe_stands)
    target = FootTarget(part * heel_shift, part * toe_shift, heel_hold, toe_hold, sink, part * sole.turned)
    return target, (heel_lock, toe_lock), offset, strain, bearing


def _resting_place(now: _Now, place: complex | None) -> complex | None:
    """The place at which a point rests, or comes to rest; None once its plant is over."""
    return None if now is None or now[1] >= now[0].length else place


def _target_hold(lock: PointLock, stands: bool) -> float:
    """How firmly a point is held: where the other one stands and this one does not, that one decides."""
    return lock.hold if stands else min(lock.hold, FOOT.firm)


def plant_under_way(laid: LaidPath, point: int, lock: PointLock) -> tuple[_Now, complex | None, bool]:
    """The plant that holds a point now, the place it keeps, and whether it leaves that."""
    place, leaving = lock.place, lock.leaving
    best, holding = 0.0, None
    for plant in laid.motion.plants[point]:
        since = plant.since(laid.phase)
        hold = plant.hold(since)
        if hold > best and (since < plant.length or place is not None):
            best, holding = hold, (plant, since, hold)
    if holding is not None:
        plant, since, _ = holding
        if since >= plant.length:
            leaving = True
        elif leaving:
            if 0.5 * plant.length <= since and plant.length < plant.lap:
                return None, place, leaving  # its end moved with the blending point: it is not locked again
            leaving, place = False, None  # the next plant has a place of its own
    return holding, place, leaving


def _stands(now: _Now) -> bool:
    """Whether a point is in the midst of its plant."""
    return now is not None and 0.0 <= now[1] < now[0].length


def _may_roll_off(now: _Now) -> bool:
    """Whether a point does not keep its foot from rolling off: not planted, or near the end of its plant."""
    return now is None or not _stands(now) or now[0].rolls_off(now[1])


class _Sole(NamedTuple):
    """How a foot stands on heel and toe, and the tilt correction that this takes now.

    A captured sole never lies quite flat, and rocks a little while it stands. It is kept near the tilt that the pose
    has in the middle of the stand, and what that takes is eased in before and out after it: laid flat in one frame, a
    foot would pull its ankle down and straighten the knee.
    """

    tilt: float = 0.0  # metres by which the heel is higher than the toe, over their soles
    turned: float = 0.0  # metres by which the heel is let down against the toe now

    def apart(self, leg: Leg) -> float:
        """How far heel and toe are from each other over the ground."""
        rise = leg.heel_height - leg.toe_height
        return math.sqrt(max(leg.flat_length**2 + rise**2 - (rise + self.tilt) ** 2, 0.0))


def sole_of(
    motion: GroundMotion, leg: Leg, heel: int, now: tuple[_Now, _Now], tilt: float, settings: PlayerSettings
) -> _Sole:
    """How the foot of a heel lies; ``tilt`` is what its pose has now."""
    at_heel, at_toe = now
    if at_heel is None or at_toe is None:
        return _Sole()
    later, sooner = (at_heel, at_toe) if at_heel[1] < at_toe[1] else (at_toe, at_heel)
    gap = round(sooner[1] - later[1], 9)  # to the last digit the same in every step, so that moments are known again
    length = min(later[0].length, sooner[0].length - gap)
    if length <= 0.0:
        return _Sole()
    middle, soles = later[0].start + 0.5 * length, leg.heel_height - leg.toe_height
    stands = motion.height(heel, middle) - motion.height(heel + 1, middle) - soles
    stands = settings.sole_tilt * math.tanh(stands / settings.sole_tilt)
    since = later[1]
    if 0.0 <= since < length:
        turned = _beyond(tilt - stands, settings.rocking)[0]
        return _Sole(stands, min(at_heel[0].firmness, at_toe[0].firmness) * turned)
    last = later if since < 0.0 or later[0].length <= length + 1e-9 else sooner
    edge = later[0].start + (0.0 if since < 0.0 else length)
    back, front = motion.touch(heel, edge), motion.touch(heel + 1, edge)
    beyond, slope = _beyond(back.height - front.height - soles - stands, settings.rocking)
    plant, since, hold = last
    return _Sole(stands, hold * beyond + plant.brake(since) * slope * (back.rise - front.rise))


def _beyond(tilt: float, rocking: float) -> tuple[float, float]:
    """The part of a tilt beyond what a foot may rock, and its derivative with respect to the tilt."""
    part = math.tanh(tilt / rocking)
    return tilt - rocking * part, part * part


def _shift(
    laid: LaidPath,
    point: int,
    now: _Now,
    place: complex | None,
    at: complex,
    other: complex | None,
    apart: float,
    offset: FootOffset | None,
) -> tuple[complex, complex | None, FootOffset | None]:
    """The displacement of a foot point over the ground, the place where it is locked, and the rest of an older lock."""
    if now is None:
        return 0j, place, offset
    plant, since, hold = now
    if place is None or since < 0.0:
        start = laid.motion.touch(point, plant.start)
        rounds = laid.phase - since - plant.start
        foretold = laid.world(start.place, rounds)
        aim, locked = place, place
        # The place is kept although the plant has not begun: its start moved later with the blending point.
        if aim is None or abs(aim - foretold) > laid.settings.release_from:
            aim = foretold
            if since >= 0.0 and offset is not None:  # what is left of an old hold where a point comes to rest stays
                aim += offset.of(point)
                offset = offset.without(point)
            aim = aim if other is None else at_distance(aim, other, apart)
            locked = None if since < 0.0 else aim
        if since < 0.0:
            braked = plant.brake(since) * laid.turned(start.speed, rounds)
            return hold * (aim - foretold) - braked, locked, offset
        place = aim
    if since < plant.length:
        return plant.firmness * (place - at), place, offset
    end = plant.edges[1]
    rounds = laid.phase - since + plant.length - end
    left = laid.motion.touch(point, end)
    braked = plant.brake(since) * laid.turned(left.speed, rounds)
    return hold * (place - laid.world(left.place, rounds)) - braked, place, offset


def at_distance(place: complex, other: complex, reach: float) -> complex:
    """A place moved along the ground to the distance from the other one that heel and toe have."""
    apart = place - other
    return other + apart * (reach / abs(apart)) if abs(apart) > 1e-9 else place


def _sink(laid: LaidPath, leg: Leg, pose: LegPose, heel: int, under_way: Sequence[_Now]) -> float:
    """How far the foot is let down so that the lower one of heel and toe stands on the ground, metres."""
    settings = laid.settings
    best, longest, sink = 0.0, 0.0, 0.0
    for now in under_way:
        if now is None:
            continue
        plant, since, _ = now
        press = plant.press(since)
        if press < best or (press == best and since <= longest):  # a foot that is down need not come down again
            continue
        best, longest = press, since
        over = min(pose.heel[1] - leg.heel_height, pose.toe[1] - leg.toe_height)
        landing = min(settings.touchdown * laid.motion.rate, settings.touchdown_share * plant.length)
        if since < landing and plant.length < plant.lap:  # still coming down: its height at touchdown
            high, low = _over(laid, leg, heel, plant.start), _over(laid, leg, heel, plant.start + landing)
            low = max(low, high - settings.hover)
            over = low + (smoothstep(since / landing) * (over - low) if since > 0.0 else 0.0)
        sink = best * over
    return sink


def _over(laid: LaidPath, leg: Leg, heel: int, phase: float) -> float:
    """How far above the ground the lower one of heel and toe of a foot is at a phase."""
    heel_height, toe_height = laid.motion.touch(heel, phase).height, laid.motion.touch(heel + 1, phase).height
    return min(heel_height - leg.heel_height, toe_height - leg.toe_height)


def _gradual(laid: LaidPath, now: _Now, before: PointLock, wanted: PointLock, at: complex, dt: float) -> PointLock:
    """The lock of a point, changed towards its target at a limited rate.

    Plants shift in time while the blending point moves; locks must not jump because of that.
    """
    settings, place, last, hold, shift = laid.settings, wanted.place, before.hold, wanted.hold, wanted.shift
    if now is not None and now[1] >= now[0].length and hold > last:  # off the ground before its plant ended
        shift *= last / hold
        hold = last
    quickest = settings.hold_rate * dt
    if now is not None and abs(hold - last) > quickest:
        steepest = now[0].slope(now[1]) * laid.motion.rate
        quickest = min(max(settings.hold_rate, steepest), settings.steepest_hold_rate) * dt
    if hold < last - quickest and place is not None:
        hold = last - quickest
        shift = hold * (place - at)
        most = abs(before.shift) + settings.release_speed * dt
        if abs(shift) > most:  # it is in its swing already: it is not locked again
            shift *= most / abs(shift)
    elif hold > last + quickest:
        shift *= (last + quickest) / hold
        hold = last + quickest
    elif now is None:
        place = None
    return PointLock(place, hold, shift, wanted.leaving)


def _slack(shift: complex, settings: PlayerSettings) -> float:
    """The strength of a lock, 0 … 1, that displaces a foot so far; a far displacement releases it."""
    loose, torn = settings.release_from, settings.release_at
    return 1.0 if abs(shift) <= loose else smoothstep(max(0.0, (torn - abs(shift)) / (torn - loose)))


def _after_long_step(points: _Points, laid: LaidPath, seconds: float) -> _Points:
    """The locks without places of plants that are over, where those under way have begun within some seconds.

    After a long step a point may stand again in what is the same plant of the cycle, a round later and metres on.
    """
    locks = list(points)
    for point, plants in enumerate(laid.motion.plants):
        firmest = max(plants, key=lambda plant: plant.hold(plant.since(laid.phase)), default=None)
        if firmest is None or firmest.length >= firmest.lap:
            continue
        if firmest.since(laid.phase) < seconds * laid.motion.rate:
            locks[point] = PointLock(hold=points[point].hold)
    first, second, third, fourth = locks
    return first, second, third, fourth


def noticed(
    locks: FootLocks, bearings: tuple[_Bearing, _Bearing], heights: tuple[float, float], settings: PlayerSettings
) -> FootLocks:
    """The locks after it is known how high over the ground, metres, the lower end of each foot is.

    A foot stands from when it has come down to when it rolls off, without a break for what a leg lifts it in between.
    """
    left, right = (
        _phase_of(was, held, rolling, height, settings)
        for was, (held, rolling), height in zip(locks.standing, bearings, heights, strict=True)
    )
    return msgspec.structs.replace(locks, standing=(left, right))


def _phase_of(was: _FootPhase, held: bool, rolling: bool, height: float, settings: PlayerSettings) -> _FootPhase:
    if not held or (was == "down" and height > settings.lifted and not rolling):
        return "coming"
    if was == "coming" and height <= settings.down:
        return "down"
    if was == "down" and rolling and height > settings.down:
        return "leaving"
    return was
