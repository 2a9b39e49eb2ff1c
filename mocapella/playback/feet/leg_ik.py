"""Leg and toe IK: legs bent to the targets of their feet, toes bent by the ground."""

from __future__ import annotations

import math
from typing import NamedTuple

from mocapella.gait.foot_constants import FOOT
from mocapella.geometry import scalar
from mocapella.geometry.curves import smoothstep
from mocapella.geometry.limbs import bend_one_towards
from mocapella.geometry.scalar import Quaternion, Vector
from mocapella.rig.legs import Leg

Legs = tuple[Leg, Leg]  # the left and the right one

# Bend the toes of a foot so that their tips stay above the ground.


def bent_toes(leg: Leg, ball: Vector, foot: Quaternion, toes: Quaternion) -> Quaternion | None:
    """A new local rotation of the toes, or None where their tip is above the ground or not known.

    Captured toes point down when the ball of the foot rises; the ground bends real ones up. They bend forwards about
    the ball, which is a hinge across the foot, even where they point back already and could rise the other way, so that
    the direction of bending never flips.
    """
    if leg.tip is None:
        return None
    size, height = leg.tip_length, ball[1] - leg.toe_height
    if height >= FOOT.free * size:
        return None
    x, y, z = scalar.rotate(foot, scalar.rotate(toes, leg.tip))
    a, b, c = scalar.rotate(foot, leg.across)  # turned about this axis, which points to the right, tips rise
    # Turned by an angle the tip is at level + high · cos(angle) + ahead · sin(angle).
    level = b * (a * x + b * y + c * z)
    high, ahead = y - level, c * x - a * z
    reach = math.hypot(high, ahead)
    if reach < 1e-6:
        return None
    upright = math.atan2(ahead, high)  # how far they would have to turn to point up
    if upright < -0.5 * math.pi:
        upright += math.tau
    flat = math.acos(min(max((leg.tip_height - leg.toe_height - level) / reach, -1.0), 1.0))
    angle = upright - flat - FOOT.follow * max(height, 0.0) / size
    if angle <= -FOOT.toes_soft or upright >= FOOT.folded:
        return None
    if angle < FOOT.toes_soft:  # toes that touch the ground at the speed of a step would otherwise stop dead
        angle = 0.25 * (angle + FOOT.toes_soft) ** 2 / FOOT.toes_soft
    # A ball higher than the toes are long has no ground under them; until far above it they unbend.
    share = smoothstep(min((FOOT.free * size - height) / ((FOOT.free - 1.0) * size), 1.0))
    if upright > FOOT.back:
        share *= smoothstep((FOOT.folded - upright) / (FOOT.folded - FOOT.back))
    return scalar.multiply(scalar.about(leg.across, share * angle), toes)


# Bend a leg so that its foot stands where it is held.


class FootTarget(NamedTuple):
    """By how much heel and toe of a foot are displaced, and how firmly they are held: 0 not at all, 1 exactly."""

    heel_shift: complex = 0j  # over the ground, z + ix, metres
    toe_shift: complex = 0j
    heel_hold: float = 0.0
    toe_hold: float = 0.0
    sink: float = 0.0  # how far the foot is let down, metres
    turned: float = 0.0  # how far its heel is let down against its toe, metres


class LegPose(NamedTuple):
    """One leg in one pose: its joints, and heel and toe of its foot, in the world."""

    root_turn: Quaternion
    places: list[Vector]
    world: list[Quaternion]
    heel: Vector
    toe: Vector


def leg_pose(leg: Leg, root: Vector, root_turn: Quaternion, turns: list[list[float]]) -> LegPose:
    """A leg as the pose has it."""
    places, world = leg.pose(root, root_turn, turns)
    (x, y, z), foot = places[-1], world[-1]
    (a, b, c), (i, j, k) = scalar.rotate(foot, leg.heel), scalar.rotate(foot, leg.toe)
    return LegPose(root_turn, places, world, (x + a, y + b, z + c), (x + i, y + j, z + k))


def held(
    leg: Leg, pose: LegPose, target: FootTarget, toes: Quaternion = scalar.NO_TURN
) -> tuple[dict[int, Quaternion], float]:
    """New local rotations, by joint, that bring a foot to its target, and how high it is with them.

    There are none where it is there already. Its height is how far the lower one of heel and toe is above the ground,
    metres: a leg may be too short.

    A point that is free goes along with the other, so that a foot held at one point is shifted, not turned; held at
    both, its sole turns into the line between them. No point goes below the ground. A leg that would have to stretch
    lets the foot roll over the point that is held more firmly. ``toes`` is how the toes are turned against the foot.
    """
    # Sums are written out wherever a call of ``scalar`` would cost more than what it adds up.
    (hx, hy, hz), (tx, ty, tz) = heel, toe = goals(leg, pose, target)
    (ax, ay, az), (bx, by, bz) = pose.heel, pose.toe
    world = pose.world[-1]
    if max(math.dist(heel, pose.heel), math.dist(toe, pose.toe)) < FOOT.unmoved:
        return _with_toes({}, leg, pose.toe, world, toes), min(ay - leg.heel_height, by - leg.toe_height)
    turn = scalar.between((bx - ax, by - ay, bz - az), (tx - hx, ty - hy, tz - hz))
    foot = scalar.multiply(turn, world)
    _, _, heel_hold, toe_hold, _, _ = target
    firm_heel = heel_hold / (1.0 - heel_hold + 1e-9)
    firm_toe = toe_hold / (1.0 - toe_hold + 1e-9)
    share = firm_toe / (firm_heel + firm_toe) if firm_heel + firm_toe > 0.0 else 0.5
    rest = 1.0 - share
    to_heel, to_toe = scalar.rotate(foot, leg.heel), scalar.rotate(foot, leg.toe)
    ankle = (
        rest * (hx - to_heel[0]) + share * (tx - to_toe[0]),
        rest * (hy - to_heel[1]) + share * (ty - to_toe[1]),
        rest * (hz - to_heel[2]) + share * (tz - to_toe[2]),
    )
    rolled = _rolled(leg, pose, ankle, to_toe if share >= 0.5 else to_heel, _sharpness(target))
    if rolled is not None:
        ankle, turn = rolled
        foot = scalar.multiply(turn, foot)
        to_heel, to_toe = scalar.rotate(turn, to_heel), scalar.rotate(turn, to_toe)
    miss = min(share, rest)
    if miss > 0.0:  # a foot that rolls is shorter on the ground: its ends share what they miss
        (x, _, z), (ox, _, oz) = (heel, to_heel) if share >= 0.5 else (toe, to_toe)
        ankle = (ankle[0] + miss * (x - ankle[0] - ox), ankle[1], ankle[2] + miss * (z - ankle[2] - oz))
    ball = (ankle[0] + to_toe[0], ankle[1] + to_toe[1], ankle[2] + to_toe[2])
    turns, missed = _reached(leg, pose, ankle, foot)
    high = missed + min(ankle[1] + to_heel[1] - leg.heel_height, ball[1] - leg.toe_height)
    return _with_toes(turns, leg, ball, foot, toes), high


def still_down(leg: Leg, pose: LegPose, target: FootTarget) -> float:
    """The strength of a heel's lock, 0 … 1: less where the leg is too short for a flat foot.

    The toe alone is then held; with both held, the foot would rise all the same and both would slide.
    """
    heel, toe = goals(leg, pose, target)
    share = leg.ankle_share
    rest = 1.0 - share
    (hx, hy, hz), (ax, ay, az), (bx, by, bz) = pose.places[leg.hip], pose.heel, pose.toe
    x, y, z = pose.places[-1]
    x += rest * (heel[0] - ax) + share * (toe[0] - bx) - hx
    y += rest * (heel[1] - ay) + share * (toe[1] - by) - hy
    z += rest * (heel[2] - az) + share * (toe[2] - bz) - hz
    short = math.sqrt(x * x + y * y + z * z) - FOOT.straightest * leg.length
    return 1.0 if short <= 0.0 else 1.0 - smoothstep(min(1.0, short / FOOT.too_short))


def _with_toes(
    turns: dict[int, Quaternion], leg: Leg, ball: Vector, foot: Quaternion, toes: Quaternion
) -> dict[int, Quaternion]:
    """The same rotations, and that of the toes where the ground bends them."""
    bent = bent_toes(leg, ball, foot, toes)
    if bent is not None and leg.toe_joint is not None:
        turns[leg.toe_joint] = bent
    return turns


def goals(leg: Leg, pose: LegPose, target: FootTarget) -> tuple[Vector, Vector]:
    """Where heel and toe are wanted."""
    heel_shift, toe_shift, heel_hold, toe_hold, sink, turned = target
    heel_over = heel_shift + (1.0 - heel_hold) * toe_shift
    toe_over = toe_shift + (1.0 - toe_hold) * heel_shift
    hx, hy, hz = pose.heel
    tx, ty, tz = pose.toe
    heel_up, toe_up = hy - leg.heel_height - sink, ty - leg.toe_height - sink
    if turned:
        lower, tilt = min(heel_up, toe_up), heel_up - toe_up - turned
        heel_up, toe_up = (lower + tilt, lower) if tilt > 0.0 else (lower, lower - tilt)
    heel_up, toe_up = max(heel_up, 0.0), max(toe_up, 0.0)
    return (
        (hx + heel_over.imag, leg.heel_height + heel_up, hz + heel_over.real),
        (tx + toe_over.imag, leg.toe_height + toe_up, tz + toe_over.real),
    )


def _sharpness(target: FootTarget) -> float:
    """How sharply a leg stops stretching: a foot that is held at both ends, far from its pose, rolls least."""
    far = min(abs(target.heel_shift), abs(target.toe_shift), FOOT.far) / FOOT.far
    return FOOT.soft + (FOOT.sharp - FOOT.soft) * target.heel_hold * target.toe_hold * far


def _rolled(
    leg: Leg, pose: LegPose, ankle: Vector, to_pivot: Vector, sharpness: float
) -> tuple[Vector, Quaternion] | None:
    """The ankle turned about a point of the foot, so far that the leg need not stretch to reach it, and that turn.

    None where nothing has to turn. The nearer the leg is to being straight the less it stretches, so a knee never
    snaps.
    """
    hip = pose.places[leg.hip]
    wanted = math.dist(ankle, hip)
    now = math.dist(pose.places[-1], hip)
    if wanted <= now:
        return None
    room = max(FOOT.straightest * leg.length - now, 1e-6)
    reach = now + (wanted - now) / (1.0 + ((wanted - now) / room) ** sharpness) ** (1.0 / sharpness)
    fx, fy, fz = ankle[0] + to_pivot[0], ankle[1] + to_pivot[1], ankle[2] + to_pivot[2]  # what it turns about
    a, b, c = to_ankle = (-to_pivot[0], -to_pivot[1], -to_pivot[2])
    i, j, k = hip[0] - fx, hip[1] - fy, hip[2] - fz
    short, far = math.sqrt(a * a + b * b + c * c), math.sqrt(i * i + j * j + k * k)
    x, y, z = b * k - c * j, c * i - a * k, a * j - b * i
    size = math.sqrt(x * x + y * y + z * z)
    if size < 1e-9:
        return None
    cosine = (short * short + far * far - reach * reach) / (2.0 * short * far)
    angle = math.atan2(size, a * i + b * j + c * k) - math.acos(min(max(cosine, -1.0), 1.0))
    angle /= (1.0 + abs(angle / FOOT.furthest) ** 6) ** (1.0 / 6.0)
    turn = scalar.about((x / size, y / size, z / size), angle)
    a, b, c = scalar.rotate(turn, to_ankle)
    return (fx + a, fy + b, fz + c), turn


def _reached(leg: Leg, pose: LegPose, ankle: Vector, foot: Quaternion) -> tuple[dict[int, Quaternion], float]:
    """Local rotations of hip, knee and ankle that bring the ankle to a place and the foot into a direction.

    With them goes how far above that place the ankle of a leg stays that is too short, metres.
    """
    hip, knee = leg.hip, leg.knee
    places, world, joints = pose.places, pose.world, leg.joints
    hinge = scalar.rotate(world[hip], leg.hinge)
    bent, swing, reach = bend_one_towards(places[hip], places[knee], places[-1], ankle, hinge, FOOT.straightest)
    wx, wy, wz = scalar.minus(ankle, places[hip])
    far = math.sqrt(wx * wx + wy * wy + wz * wz)
    # The world rotations of the joints above, as the pose has them.
    above_hip = world[hip - 1] if hip > 0 else pose.root_turn
    shin = scalar.multiply(bent, world[knee])
    above_ankle = shin if knee == len(joints) - 2 else scalar.multiply(bent, world[-2])
    turns = {
        joints[hip]: scalar.seen_from(above_hip, scalar.multiply(swing, world[hip])),
        joints[knee]: scalar.seen_from(world[knee - 1], shin),
        joints[-1]: scalar.seen_from(scalar.multiply(swing, above_ankle), foot),
    }
    return turns, (0.0 if far <= reach else (reach / far - 1.0) * wy)
