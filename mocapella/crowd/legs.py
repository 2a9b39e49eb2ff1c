"""Legs of many characters bent so that feet stand where they are held, as ``playback.feet.reach`` does for one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mocapella.crowd import vectors
from mocapella.crowd.vectors import Array, between, column, cross, dot, product, smooth_clipped, turned
from mocapella.motion.skeleton import Skeleton
from mocapella.playback.feet.reach import FURTHEST, STRAIGHTEST
from mocapella.rig.legs import Leg

_SOFT, _SHARP, _FAR, _TOO_SHORT = 1.5, 8.0, 0.06, 0.03  # as those of playback.feet.reach
_STRAIGHT, _BENT = math.radians(5.0), math.radians(25.0)  # fold between which the pose comes to tell a knee's axis
_FOLLOW, _TOES_SOFT, _FREE = 0.35, 0.19, 5.0
_BACK, _FOLDED = math.radians(225.0), math.radians(270.0)


@dataclass(frozen=True, eq=False)
class LegTable:
    """One leg of a skeleton: its joints by what becomes of them when it bends."""

    leg: Leg
    hip: int
    knee: int
    ankle: int
    above_knee: tuple[int, ...]  # joints from the hip to above the knee
    below_knee: tuple[int, ...]  # from the knee to above the ankle
    hanging: tuple[int, ...]  # all that hangs on the hip, those that carry others first

    @classmethod
    def of(cls, skeleton: Skeleton, leg: Leg) -> LegTable:
        """The leg of a skeleton."""
        chain = leg.joints
        hip = chain[leg.hip]
        hanging = [j for j in range(skeleton.n_joints) if j != hip and hip in skeleton.path(j)]
        upper, lower = chain[leg.hip : leg.knee], chain[leg.knee : -1]
        return cls(leg, hip, chain[leg.knee], chain[-1], tuple(upper), tuple(lower), tuple(hanging))


@dataclass
class Skeletons:
    """Joints of many characters in the world; legs bend them in place."""

    parents: list[int]
    offsets: Array  # (joints, 3)
    local: Array  # (3, 3, joints, lanes): rotations against the parents
    whole: Array  # (joints, 3, 4, lanes): rotations in the world and places, of which the next two are parts
    turns: Array  # (3, 3, joints, lanes): in the world
    places: Array  # (3, joints, lanes): metres

    def hang(self, joint: int) -> None:
        """Place a joint where its parent has it."""
        parent = self.parents[joint]
        offset = column(tuple(self.offsets[joint].tolist()))
        self.places[:, joint] = self.places[:, parent] + turned(self.turns[:, :, parent], offset)


@dataclass
class Target:
    """By how much heel and toe are displaced (x, z) and how firmly they are held, as a player's ``FootTarget``."""

    heel_shift: Array
    toe_shift: Array
    heel_hold: Array
    toe_hold: Array
    sink: Array
    turned: Array


def foot_ends(body: Skeletons, table: LegTable) -> tuple[Array, Array]:
    """Where heel and toe of a foot are.

    Parameters
    ----------
    body
        The characters.
    table
        The leg.

    Returns
    -------
    heel, toe
        (3, lanes), metres.
    """
    foot, at = body.turns[:, :, table.ankle], body.places[:, table.ankle]
    return at + turned(foot, column(table.leg.heel)), at + turned(foot, column(table.leg.toe))


def goals(leg: Leg, heel: Array, toe: Array, target: Target) -> tuple[Array, Array]:
    """Where heel and toe are wanted.

    Parameters
    ----------
    leg
        The leg.
    heel, toe
        Where the pose has them.
    target
        How they are held.

    Returns
    -------
    heel, toe
        (3, lanes), metres; not below the ground.
    """
    heel_over = target.heel_shift + (1.0 - target.heel_hold) * target.toe_shift
    toe_over = target.toe_shift + (1.0 - target.toe_hold) * target.heel_shift
    heel_up, toe_up = heel[1] - leg.heel_height - target.sink, toe[1] - leg.toe_height - target.sink
    lower, tilt = np.minimum(heel_up, toe_up), heel_up - toe_up - target.turned
    tilted = target.turned != 0.0
    heel_up = np.where(tilted, lower + np.maximum(tilt, 0.0), heel_up)
    toe_up = np.where(tilted, lower - np.minimum(tilt, 0.0), toe_up)
    heel_up, toe_up = np.maximum(heel_up, 0.0), np.maximum(toe_up, 0.0)
    return (
        np.stack([heel[0] + heel_over[0], leg.heel_height + heel_up, heel[2] + heel_over[1]]),
        np.stack([toe[0] + toe_over[0], leg.toe_height + toe_up, toe[2] + toe_over[1]]),
    )


def still_down(body: Skeletons, table: LegTable, heel: Array, toe: Array, target: Target) -> Array:
    """The strength of a heel's lock where the leg is too short for a flat foot.

    Parameters
    ----------
    body, table
        The characters, and the leg.
    heel, toe, target
        Where the pose has both ends, and how they would be held.

    Returns
    -------
    array
        From 1 to 0.
    """
    leg = table.leg
    heel_goal, toe_goal = goals(leg, heel, toe, target)
    share = leg.ankle_share
    moved = (1.0 - share) * (heel_goal - heel) + share * (toe_goal - toe)
    wanted = body.places[:, table.ankle] + moved - body.places[:, table.hip]
    short = np.sqrt(dot(wanted, wanted)) - np.float32(STRAIGHTEST * leg.length)
    return 1.0 - smooth_clipped(short / np.float32(_TOO_SHORT))


def bend(body: Skeletons, table: LegTable, heel: Array, toe: Array, target: Target) -> Array:
    """Bring a foot to its target, in place, and tell how high its lower end is then.

    Parameters
    ----------
    body, table
        The characters, and the leg.
    heel, toe
        Where the pose has both ends.
    target
        How they are held.

    Returns
    -------
    array
        Metres above the ground.
    """
    leg = table.leg
    heel_goal, toe_goal = goals(leg, heel, toe, target)
    foot = product(between(toe - heel, toe_goal - heel_goal), body.turns[:, :, table.ankle])
    firm_heel = target.heel_hold / (1.0 - target.heel_hold + np.float32(1e-6))
    firm_toe = target.toe_hold / (1.0 - target.toe_hold + np.float32(1e-6))
    total = firm_heel + firm_toe
    share = np.where(total > 0.0, firm_toe / np.maximum(total, 1e-12), np.float32(0.5))
    to_heel, to_toe = turned(foot, column(leg.heel)), turned(foot, column(leg.toe))
    ankle = (1.0 - share) * (heel_goal - to_heel) + share * (toe_goal - to_toe)
    by_toe = share >= 0.5
    ankle, roll = _rolled(body, table, ankle, np.where(by_toe, to_toe, to_heel), _sharpness(target))
    foot, to_heel, to_toe = product(roll, foot), turned(roll, to_heel), turned(roll, to_toe)
    # A foot that rolls is shorter on the ground: its ends share what they miss.
    miss = np.minimum(share, 1.0 - share)
    missed = np.where(by_toe, heel_goal - to_heel, toe_goal - to_toe) - ankle
    missed[1] = 0.0
    ankle = ankle + miss * missed
    high = _reach(body, table, ankle, foot)
    ball = ankle + to_toe
    height = high + np.minimum(ankle[1] + to_heel[1] - leg.heel_height, ball[1] - leg.toe_height)
    _hang_rest(body, table)
    _bend_toes(body, table, ball)
    return np.asarray(height)


def _sharpness(target: Target) -> Array:
    far = np.minimum(np.hypot(*target.heel_shift), np.hypot(*target.toe_shift))
    far = np.minimum(far, np.float32(_FAR)) / np.float32(_FAR)
    return np.asarray(_SOFT + (_SHARP - _SOFT) * target.heel_hold * target.toe_hold * far)


def _rolled(body: Skeletons, table: LegTable, ankle: Array, to_pivot: Array, sharpness: Array) -> tuple[Array, Array]:
    """The ankle turned about a point of the foot so far that the leg need not stretch to reach it, and that turn."""
    hip = body.places[:, table.hip]
    off, pose = ankle - hip, body.places[:, table.ankle] - hip
    wanted, now = np.sqrt(dot(off, off)), np.sqrt(dot(pose, pose))
    more = np.maximum(wanted - now, 0.0)
    room = np.maximum(np.float32(STRAIGHTEST * table.leg.length) - now, 1e-5)
    part = np.minimum(more / room, np.float32(1e4))
    reach = now + more / np.power(1.0 + np.power(part, sharpness), 1.0 / sharpness)
    pivot = ankle + to_pivot
    to_hip = hip - pivot
    short2, far2 = dot(to_pivot, to_pivot), dot(to_hip, to_hip)
    axis = -cross(to_pivot, to_hip)
    size = np.sqrt(dot(axis, axis))
    rolls = (more > 0.0) & (size > 1e-7)
    both = np.sqrt(np.maximum(short2 * far2, 1e-14))
    # The angle at the pivot as it is, and as it has to be.
    cosine_now, sine_now = -dot(to_pivot, to_hip) / both, size / both
    cosine = np.clip((short2 + far2 - reach * reach) / (2.0 * both), -1.0, 1.0)
    sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    angle = np.arctan2(sine_now * cosine - cosine_now * sine, cosine_now * cosine + sine_now * sine)
    sixth = np.square(angle / np.float32(FURTHEST)) ** 3
    angle = np.where(rolls, angle / np.power(1.0 + sixth, np.float32(1.0 / 6.0)), 0.0).astype(np.float32)
    axis = np.where(rolls, axis / np.maximum(size, 1e-12), column((1.0, 0.0, 0.0)))
    turn = vectors.about(axis, np.cos(angle), np.sin(angle))
    return np.where(rolls, pivot - turned(turn, to_pivot), ankle), turn


def _reach(body: Skeletons, table: LegTable, ankle: Array, foot: Array) -> Array:
    """Turn hip, knee and ankle so that the ankle is in a place; how far above it a leg too short stays, metres."""
    hip = body.places[:, table.hip]
    thigh, shank = body.places[:, table.knee] - hip, body.places[:, table.ankle] - body.places[:, table.knee]
    wanted = ankle - hip
    upper2, lower2, far2 = dot(thigh, thigh), dot(shank, shank), dot(wanted, wanted)
    upper, lower, far = np.sqrt(upper2), np.sqrt(lower2), np.sqrt(far2)
    longest = np.float32(STRAIGHTEST) * (upper + lower)
    reach = np.minimum(np.maximum(far, np.abs(upper - lower) + np.float32(1e-6)), longest)
    hinge = turned(body.turns[:, :, table.hip], column(table.leg.hinge))
    hinge = vectors.unit(hinge - dot(hinge, thigh) / upper2 * thigh)
    axis = _knee_axis(thigh, shank, hinge)
    along, across = dot(thigh, shank), dot(thigh, cross(axis, shank))
    both = np.maximum(np.hypot(along, across), 1e-9)
    cosine = np.clip((reach * reach - upper2 - lower2) / (2.0 * both), -1.0, 1.0)
    sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    c, s = along / both, across / both  # turned on by the fold that is wanted
    bent = vectors.about(axis, c * cosine - s * sine, s * cosine + c * sine)
    swing = between(thigh + turned(bent, shank), wanted)
    folded = product(swing, bent)
    for joint in table.above_knee:
        body.turns[:, :, joint] = product(swing, body.turns[:, :, joint])
    for joint in table.below_knee:
        body.turns[:, :, joint] = product(folded, body.turns[:, :, joint])
    body.turns[:, :, table.ankle] = foot
    return np.where(far > reach, (reach / np.maximum(far, 1e-9) - 1.0) * wanted[1], 0.0)


def _knee_axis(thigh: Array, shank: Array, hinge: Array) -> Array:
    """The axis that a knee bends about: that of its pose where it is bent, else its hinge."""
    pose = cross(thigh, shank)
    size = np.sqrt(dot(pose, pose))
    fold = np.arctan2(size, dot(thigh, shank))
    share = smooth_clipped((fold - np.float32(_STRAIGHT)) / np.float32(_BENT - _STRAIGHT))
    share = np.where(dot(hinge, pose) > 0.0, share, 0.0)
    return vectors.unit(share / np.maximum(size, 1e-9) * pose + (1.0 - share) * hinge)


def _hang_rest(body: Skeletons, table: LegTable) -> None:
    """Place all that hangs on the hip anew."""
    led = {*table.above_knee, *table.below_knee, table.ankle}
    for joint in table.hanging:
        body.hang(joint)
        if joint not in led:
            parent = body.parents[joint]
            body.turns[:, :, joint] = product(body.turns[:, :, parent], body.local[:, :, joint])


def _bend_toes(body: Skeletons, table: LegTable, ball: Array) -> None:
    """Bend the toes of a foot so that their tips stay above the ground."""
    leg = table.leg
    if leg.tip is None or leg.toe_joint is None:
        return
    size, height = np.float32(leg.tip_length), ball[1] - leg.toe_height
    toes = body.turns[:, :, leg.toe_joint]
    tip, across = turned(toes, column(leg.tip)), turned(body.turns[:, :, table.ankle], column(leg.across))
    level = across[1] * dot(across, tip)
    high, ahead = tip[1] - level, across[2] * tip[0] - across[0] * tip[2]
    reach = np.maximum(np.hypot(high, ahead), 1e-6)
    upright = np.arctan2(ahead, high)
    upright = np.where(upright < -0.5 * math.pi, upright + np.float32(math.tau), upright)
    flat = np.arccos(np.clip((leg.tip_height - leg.toe_height - level) / reach, -1.0, 1.0))
    angle = upright - flat - _FOLLOW * np.maximum(height, 0.0) / size
    soft = 0.25 * np.square(np.maximum(angle + np.float32(_TOES_SOFT), 0.0)) / np.float32(_TOES_SOFT)
    angle = np.where(angle < _TOES_SOFT, soft, angle)
    share = smooth_clipped((_FREE * size - height) / ((_FREE - 1.0) * size))
    share = share * smooth_clipped((np.float32(_FOLDED) - upright) / np.float32(_FOLDED - _BACK))
    angle = (share * angle).astype(np.float32)
    body.turns[:, :, leg.toe_joint] = product(vectors.about(across, np.cos(angle), np.sin(angle)), toes)
    parents = body.parents
    for joint in table.hanging:
        if joint != leg.toe_joint and leg.toe_joint in _above(parents, joint):
            body.hang(joint)
            body.turns[:, :, joint] = product(body.turns[:, :, parents[joint]], body.local[:, :, joint])


def _above(parents: list[int], joint: int) -> list[int]:
    """The joints that a joint hangs on."""
    out = []
    while parents[joint] >= 0:
        joint = parents[joint]
        out.append(joint)
    return out
