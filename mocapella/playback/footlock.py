"""Bend a leg so that its foot stands where it is held."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mocapella.playback import single
from mocapella.playback.legs import Leg
from mocapella.playback.single import Quaternion, Vector
from mocapella.playback.toes import bent_toes

STRAIGHTEST = 0.9999  # of the leg's length: how far a foot may be held from its hip
_UNMOVED = 1e-9  # metres
_FLAT = 0.012  # metres: how high one end of a foot may be while both are planted
_SOFT, _SHARP = 1.5, 8.0  # how suddenly a leg stops stretching when it is nearly straight
_NEARLY_STRAIGHT = 0.3  # radians


@dataclass(frozen=True)
class Grip:
    """By how much heel and toe of a foot are displaced, and how firmly they are held: 0 not at all, 1 exactly."""

    heel_shift: complex = 0j  # over the ground, z + ix, metres
    toe_shift: complex = 0j
    heel_hold: float = 0.0
    toe_hold: float = 0.0
    flatness: float = 0.0  # 1 while both are planted
    sink: float = 0.0  # how far the foot is let down, metres


@dataclass(frozen=True)
class Stand:
    """One leg in one pose: its joints, and heel and toe of its foot, in the world."""

    root_turn: Quaternion
    places: list[Vector]
    world: list[Quaternion]
    heel: Vector
    toe: Vector


def stand_of(leg: Leg, root: Vector, root_turn: Quaternion, turns: list[list[float]]) -> Stand:
    """A leg as the pose has it."""
    places, world = leg.pose(root, root_turn, turns)
    heel = single.add(places[-1], single.rotate(world[-1], leg.heel))
    toe = single.add(places[-1], single.rotate(world[-1], leg.toe))
    return Stand(root_turn, places, world, heel, toe)


def held(leg: Leg, stand: Stand, grip: Grip, aside: Vector, toes: Quaternion = single.NO_TURN) -> dict[int, Quaternion]:
    """New local rotations, by joint, that bring a foot into its grip; none where it is there already.

    A point that is free goes along with the other, so that a foot held at one point is shifted, not turned; held at
    both, its sole turns into the line between them. No point goes below the ground. A leg that would have to stretch
    lets the foot roll over the point that is held more firmly. ``aside`` points to the left of the body and says which
    way a knee that is straight would bend; ``toes`` is how the toes are turned against the foot.
    """
    heel, toe = _goals(leg, stand, grip)
    moved = max(math.dist(heel, stand.heel), math.dist(toe, stand.toe))
    if moved < _UNMOVED:
        return _with_toes({}, leg, stand.places[-1], stand.world[-1], toes)
    turn = single.between(single.minus(stand.toe, stand.heel), single.minus(toe, heel))
    foot = single.multiply(turn, stand.world[-1])
    firm_heel, firm_toe = (hold / (1.0 - hold + 1e-9) for hold in (grip.heel_hold, grip.toe_hold))
    share = firm_toe / (firm_heel + firm_toe) if firm_heel + firm_toe > 0.0 else 0.5
    by_heel = single.minus(heel, single.rotate(foot, leg.heel))
    by_toe = single.minus(toe, single.rotate(foot, leg.toe))
    both = grip.flatness
    pivot, far_end, left = (leg.toe, leg.heel, heel) if share >= 0.5 else (leg.heel, leg.toe, toe)
    ankle, foot = _rolled(leg, stand, single.lerp(by_heel, by_toe, share), foot, pivot, both)
    if both > 0.0:  # a foot that rolls is shorter on the ground: its ends share what they miss
        x, _, z = single.minus(left, single.add(ankle, single.rotate(foot, far_end)))
        miss = both * min(share, 1.0 - share)
        ankle = single.add(ankle, (miss * x, 0.0, miss * z))
    return _with_toes(_reached(leg, stand, ankle, foot, aside), leg, ankle, foot, toes)


def _with_toes(
    turns: dict[int, Quaternion], leg: Leg, ankle: Vector, foot: Quaternion, toes: Quaternion
) -> dict[int, Quaternion]:
    """The same rotations, and that of the toes where the ground bends them."""
    bent = bent_toes(leg, single.add(ankle, single.rotate(foot, leg.toe)), foot, toes)
    if bent is not None and leg.toe_joint is not None:
        turns[leg.toe_joint] = bent
    return turns


def _goals(leg: Leg, stand: Stand, grip: Grip) -> tuple[Vector, Vector]:
    """Where heel and toe are wanted."""
    heel_over = grip.heel_shift + (1.0 - grip.heel_hold) * grip.toe_shift
    toe_over = grip.toe_shift + (1.0 - grip.toe_hold) * grip.heel_shift
    hx, hy, hz = stand.heel
    tx, ty, tz = stand.toe
    heel_up = max(hy - leg.heel_height - grip.sink, 0.0)
    toe_up = max(ty - leg.toe_height - grip.sink, 0.0)
    both = grip.flatness
    if both > 0.0:
        heel_up += both * (_FLAT * math.tanh(heel_up / _FLAT) - heel_up)
        toe_up += both * (_FLAT * math.tanh(toe_up / _FLAT) - toe_up)
    return (
        (hx + heel_over.imag, leg.heel_height + heel_up, hz + heel_over.real),
        (tx + toe_over.imag, leg.toe_height + toe_up, tz + toe_over.real),
    )


def _rolled(
    leg: Leg, stand: Stand, ankle: Vector, foot: Quaternion, pivot: Vector, both: float
) -> tuple[Vector, Quaternion]:
    """Ankle and foot turned about a point of the foot, so far that the leg need not stretch to reach the ankle.

    The nearer the leg is to being straight the less it stretches, so a knee never snaps. A foot that is held
    at both ends (``both`` near 1) rolls as little as possible.
    """
    hip = stand.places[leg.hip]
    wanted = math.dist(ankle, hip)
    now = math.dist(stand.places[-1], hip)
    if wanted <= now:
        return ankle, foot
    room = max(STRAIGHTEST * leg.length - now, 1e-6)
    sharpness = _SOFT + (_SHARP - _SOFT) * both
    reach = now + (wanted - now) / (1.0 + ((wanted - now) / room) ** sharpness) ** (1.0 / sharpness)
    fixed = single.add(ankle, single.rotate(foot, pivot))
    to_ankle, to_hip = single.minus(ankle, fixed), single.minus(hip, fixed)
    short, far = single.length(to_ankle), single.length(to_hip)
    axis = single.cross(to_ankle, to_hip)
    size = single.length(axis)
    if size < 1e-9:
        return ankle, foot
    cosine = (short * short + far * far - reach * reach) / (2.0 * short * far)
    angle = math.atan2(size, single.dot(to_ankle, to_hip)) - math.acos(min(max(cosine, -1.0), 1.0))
    turn = single.about((axis[0] / size, axis[1] / size, axis[2] / size), angle)
    return single.add(fixed, single.rotate(turn, to_ankle)), single.multiply(turn, foot)


def _reached(leg: Leg, stand: Stand, ankle: Vector, foot: Quaternion, aside: Vector) -> dict[int, Quaternion]:
    """Local rotations of hip, knee and ankle that bring the ankle to a place and the foot into a direction."""
    hip, knee = stand.places[leg.hip], stand.places[leg.knee]
    thigh, shank = single.minus(knee, hip), single.minus(stand.places[-1], knee)
    upper, lower = single.length(thigh), single.length(shank)
    wanted = single.minus(ankle, hip)
    reach = min(max(single.length(wanted), abs(upper - lower) + 1e-6), STRAIGHTEST * (upper + lower))
    axis = single.cross(thigh, shank)
    size = single.length(axis)
    fold_now = math.atan2(size, single.dot(thigh, shank))
    if size < 1e-9 * upper * lower:
        axis = _square(aside, thigh)
    else:
        if fold_now < _NEARLY_STRAIGHT and single.dot(axis, aside) < 0.0:  # bent forwards, as captures sometimes are
            size, fold_now = -size, -fold_now
        axis = (axis[0] / size, axis[1] / size, axis[2] / size)
    cosine = (reach * reach - upper * upper - lower * lower) / (2.0 * upper * lower)
    bent = single.about(axis, math.acos(min(max(cosine, -1.0), 1.0)) - fold_now)
    swing = single.between(single.add(thigh, single.rotate(bent, shank)), wanted)

    def above(place: int) -> Quaternion:
        """The world rotation of the joint above, as the pose has it."""
        return stand.world[place - 1] if place > 0 else stand.root_turn

    joints = leg.joints
    hip_turn = single.multiply(single.conjugate(above(leg.hip)), single.multiply(swing, stand.world[leg.hip]))
    knee_turn = single.multiply(single.conjugate(above(leg.knee)), single.multiply(bent, stand.world[leg.knee]))
    carried = single.multiply(swing, single.multiply(bent, above(len(joints) - 1)))
    return {
        joints[leg.hip]: hip_turn,
        joints[leg.knee]: knee_turn,
        joints[-1]: single.multiply(single.conjugate(carried), foot),
    }


def _square(aside: Vector, along: Vector) -> Vector:
    """The part of ``aside`` that is square to a rod, brought to length one."""
    share = single.dot(aside, along) / single.dot(along, along)
    x, y, z = single.minus(aside, (share * along[0], share * along[1], share * along[2]))
    size = math.sqrt(x * x + y * y + z * z) or 1.0
    return x / size, y / size, z / size
