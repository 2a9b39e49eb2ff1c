"""Bend a leg so that its foot stands where it is held."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mocapella.playback import single
from mocapella.playback.legs import Leg
from mocapella.playback.single import Quaternion, Vector

STRAIGHTEST = 0.9995  # of the leg's length: how far a foot may be held from its hip
_UNMOVED = 1e-9  # metres
_NEARLY_STRAIGHT = 0.3  # radians


@dataclass(frozen=True)
class Grip:
    """Where one point of a foot is held, and how firmly: 0 not at all, 1 exactly."""

    place: Vector
    hold: float  # over the ground
    press: float  # down to its height; it ends before the other, so that a foot rolls off as it was captured


FREE = Grip((0.0, 0.0, 0.0), 0.0, 0.0)


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


def held(leg: Leg, stand: Stand, heel: Grip, toe: Grip, aside: Vector) -> dict[int, Quaternion]:
    """New local rotations, by joint, that bring the foot to its grips; none where it is there already.

    A point that is free goes along with the other, so that a foot held at one point is shifted, not turned; held at
    both, its sole turns into the line between them. No point goes below the ground. ``aside`` points to the left of the
    body and says which way a knee that is straight would bend.
    """
    heel_goal, toe_goal = _goals(leg, stand, heel, toe)
    moved = max(single.length(single.minus(heel_goal, stand.heel)), single.length(single.minus(toe_goal, stand.toe)))
    if moved < _UNMOVED:
        return {}
    turn = single.between(single.minus(stand.toe, stand.heel), single.minus(toe_goal, heel_goal))
    foot = single.multiply(turn, stand.world[-1])
    firm_heel, firm_toe = heel.hold / (1.0 - heel.hold + 1e-9), toe.hold / (1.0 - toe.hold + 1e-9)
    share = firm_toe / (firm_heel + firm_toe) if firm_heel + firm_toe > 0.0 else 0.5
    by_heel = single.minus(heel_goal, single.rotate(foot, leg.heel))
    by_toe = single.minus(toe_goal, single.rotate(foot, leg.toe))
    return _reached(leg, stand, single.lerp(by_heel, by_toe, share), foot, aside)


def _goals(leg: Leg, stand: Stand, heel: Grip, toe: Grip) -> tuple[Vector, Vector]:
    """Where heel and toe are wanted."""
    ax, ay, az = single.minus(heel.place, stand.heel)
    bx, by, bz = single.minus(toe.place, stand.toe)
    h, t, p, q = heel.hold, toe.hold, heel.press, toe.press
    free_h, free_t, free_p, free_q = (1.0 - h) * t, (1.0 - t) * h, (1.0 - p) * q, (1.0 - q) * p
    hx, hy, hz = stand.heel
    tx, ty, tz = stand.toe
    heel_goal = hx + h * ax + free_h * bx, max(hy + p * ay + free_p * by, leg.heel_height), hz + h * az + free_h * bz
    toe_goal = tx + t * bx + free_t * ax, max(ty + q * by + free_q * ay, leg.toe_height), tz + t * bz + free_t * az
    return heel_goal, toe_goal


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
