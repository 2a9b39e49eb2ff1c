"""Legs of many characters bent so that feet stand where they are held, as ``playback.feet.reach`` does for one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mocapella.crowd import vectors
from mocapella.crowd.vectors import (
    Array,
    arctan2,
    between,
    chosen,
    cross,
    dot,
    length,
    power,
    product,
    smooth_clipped,
    turned,
)
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


class Legs:
    """Both legs of a skeleton: their numbers side by side (…, feet, 1), and their joints in the order of their work.

    Parameters
    ----------
    skeleton
        Whose legs.
    legs
        The left and the right one.
    """

    def __init__(self, skeleton: Skeleton, legs: tuple[Leg, Leg]) -> None:
        tables = [LegTable.of(skeleton, leg) for leg in legs]
        self.hip, self.knee, self.ankle = (
            np.array([getattr(table, name) for table in tables]) for name in ("hip", "knee", "ankle")
        )
        self.ends = np.stack([_beside(legs, name) for name in ("heel", "toe")], axis=2)
        self.heights = np.stack([_beside(legs, name) for name in ("heel_height", "toe_height")], axis=1)
        self.hinge, self.flat_length, self.ankle_share, self.length = (
            _beside(legs, name) for name in ("hinge", "flat_length", "ankle_share", "length")
        )
        feet = range(len(tables))
        self.above_knee = [(joint, foot) for foot in feet for joint in tables[foot].above_knee]
        self.below_knee = [(joint, foot) for foot in feet for joint in tables[foot].below_knee]
        led = {j for table in tables for j in (*table.above_knee, *table.below_knee, table.ankle)}
        self.hanging = [joint for table in tables for joint in table.hanging]
        self.loose = frozenset(self.hanging) - led  # joints that hang on a leg and move with it
        toed = [foot for foot in feet if legs[foot].tip is not None and legs[foot].toe_joint is not None]
        own = tuple(legs[foot] for foot in toed)
        self.toed, self.toe_joint = np.array(toed, dtype=np.intp), np.array([leg.toe_joint for leg in own])
        if toed:
            self.tip, self.across = _beside(own, "tip"), _beside(own, "across")
            self.tip_height, self.tip_length = _beside(own, "tip_height"), _beside(own, "tip_length")
        toes = {leg.toe_joint for leg in own}
        self.on_toes = [j for j in self.hanging if toes & set(skeleton.path(j)) - {j}]


def _beside(legs: Sequence[Leg], name: str) -> Array:
    """A number or a vector of legs, side by side: (feet, 1) or (3, feet, 1)."""
    return np.array([getattr(leg, name) for leg in legs], dtype=np.float32).T[..., None]


@dataclass
class Skeletons:
    """Joints of many characters in the world; legs bend them in place."""

    parents: list[int]
    offsets: Array  # (joints, 3)
    local: Sequence[Array]  # of each joint (3, 4, lanes): rotation and place against its parent
    whole: Array  # (joints, 3, 4, lanes): rotations in the world and places, of which the next two are parts
    turns: Array = field(init=False)  # (3, 3, joints, lanes): in the world
    places: Array = field(init=False)  # (3, joints, lanes): metres

    def __post_init__(self) -> None:
        self.turns = self.whole[:, :, :3].transpose(1, 2, 0, 3)
        self.places = self.whole[:, :, 3].transpose(1, 0, 2)

    def hang(self, joint: int) -> None:
        """Turn a joint with its parent, and place it where that has it."""
        above, own = self.whole[self.parents[joint]], self.whole[joint]
        product(above[:, :3], self.local[joint], out=own)
        own[:, 3] += above[:, 3]

    def place(self, joint: int) -> None:
        """Place a joint where its parent has it."""
        above = self.whole[self.parents[joint]]
        np.add(above[:, 3], turned(above[:, :3], self.offsets[joint]), out=self.whole[joint, :, 3])


@dataclass
class Target:
    """By how much heels and toes are displaced (x, z) and how firmly they are held, as a player's ``FootTarget``."""

    shift: Array  # (2, feet, ends, lanes)
    hold: Array  # (feet, ends, lanes)
    sink: Array  # (feet, lanes), as the next
    turned: Array


def foot_ends(body: Skeletons, legs: Legs) -> Array:
    """Where heels and toes of both feet are.

    Parameters
    ----------
    body
        The characters.
    legs
        Theirs.

    Returns
    -------
    array of shape (3, feet, ends, lanes)
        Metres.
    """
    return np.asarray(body.places[:, legs.ankle, None] + _from_ankles(body.turns[:, :, legs.ankle], legs))


def _from_ankles(foot: Array, legs: Legs) -> Array:
    """Where heels and toes of feet turned so are, seen from their ankles."""
    return turned(foot[:, :, :, None], legs.ends)


def goals(legs: Legs, ends: Array, target: Target) -> Array:
    """Where heels and toes are wanted.

    Parameters
    ----------
    legs
        Both legs.
    ends
        Where the pose has them.
    target
        How they are held.

    Returns
    -------
    array of shape (3, feet, ends, lanes)
        Metres; not below the ground.
    """
    out = np.empty_like(ends)
    up = ends[1] - legs.heights
    up -= target.sink[:, None]
    lower, tilt = np.minimum(up[:, 0], up[:, 1]), up[:, 0] - up[:, 1] - target.turned
    np.add(lower, np.maximum(tilt, 0.0), out=up[:, 0])
    np.subtract(lower, np.minimum(tilt, 0.0), out=up[:, 1])
    np.add(np.maximum(up, 0.0, out=up), legs.heights, out=out[1])
    shift = (1.0 - target.hold) * target.shift[:, :, ::-1]
    shift += target.shift
    np.add(ends[::2], shift, out=out[::2])
    return out


def too_short(body: Skeletons, legs: Legs, ends: Array, target: Target) -> Array:
    """How much of heels' holds is lost where legs are too short for feet that lie flat.

    Parameters
    ----------
    body, legs
        The characters, and their legs.
    ends, target
        Where the pose has heels and toes, and how they would be held.

    Returns
    -------
    array of shape (feet, lanes)
        From 0 to 1.
    """
    moved = goals(legs, ends, target) - ends
    moved = moved[:, :, 0] + legs.ankle_share * (moved[:, :, 1] - moved[:, :, 0])
    short = (
        length(body.places[:, legs.ankle] + moved - body.places[:, legs.hip]) - np.float32(STRAIGHTEST) * legs.length
    )
    return smooth_clipped(short * np.float32(1.0 / _TOO_SHORT))


def bend(body: Skeletons, legs: Legs, ends: Array, target: Target) -> Array:
    """Bring feet to their targets, in place, and tell how high their lower ends are then.

    Parameters
    ----------
    body, legs
        The characters, and their legs.
    ends
        Where the pose has heels and toes.
    target
        How they are held.

    Returns
    -------
    array of shape (feet, lanes)
        Metres above the ground.
    """
    goal = goals(legs, ends, target)
    along, wanted = ends[:, :, 1] - ends[:, :, 0], goal[:, :, 1] - goal[:, :, 0]
    foot = product(between(along, wanted), body.turns[:, :, legs.ankle])
    firm = target.hold / (np.float32(1.0 + 1e-6) - target.hold) + np.float32(1e-12)  # half each where none is held
    share = firm[:, 1] / (firm[:, 0] + firm[:, 1])
    to_ends = _from_ankles(foot, legs)
    aims = goal - to_ends
    ankle = aims[:, :, 0] + share * (aims[:, :, 1] - aims[:, :, 0])
    by_toe = share >= 0.5
    to_pivot = chosen(by_toe, to_ends[:, :, 1], to_ends[:, :, 0])
    ankle, roll = _rolled(body, legs, ankle, to_pivot, _sharpness(target))
    foot, to_ends = product(roll, foot), turned(roll[:, :, :, None], to_ends)
    # A foot that rolls is shorter on the ground: its ends share what they miss.
    aims = goal[::2] - to_ends[::2]
    missed = chosen(by_toe, aims[:, :, 0], aims[:, :, 1]) - ankle[::2]
    ankle[::2] += np.minimum(share, 1.0 - share) * missed
    high = _reach(body, legs, ankle, foot)
    over = ankle[1, :, None] + to_ends[1] - legs.heights
    for joint in legs.hanging:
        (body.hang if joint in legs.loose else body.place)(joint)
    if legs.toed.size:
        _bend_toes(body, legs, over[legs.toed, 1])
    return np.asarray(high + np.minimum(over[:, 0], over[:, 1]))


def _sharpness(target: Target) -> Array:
    far = length(target.shift)
    far = np.minimum(np.minimum(far[:, 0], far[:, 1]) * np.float32(1.0 / _FAR), 1.0)
    return np.asarray(_SOFT + (_SHARP - _SOFT) * target.hold[:, 0] * target.hold[:, 1] * far)


def _rolled(body: Skeletons, legs: Legs, ankle: Array, to_pivot: Array, sharpness: Array) -> tuple[Array, Array]:
    """Ankles turned about a point of their feet so far that legs need not stretch to reach them, and those turns."""
    hip = body.places[:, legs.hip]
    now = length(body.places[:, legs.ankle] - hip)
    more = np.maximum(length(ankle - hip) - now, 0.0)
    room = np.maximum(np.float32(STRAIGHTEST) * legs.length - now, 1e-5)
    part = np.minimum(more / room, np.float32(1e4))
    reach = now + more / power(1.0 + power(part, sharpness), 1.0 / sharpness)
    pivot = ankle + to_pivot
    to_hip = hip - pivot
    short2, far2 = dot(to_pivot, to_pivot), dot(to_hip, to_hip)
    axis = cross(to_hip, to_pivot)
    size = length(axis)
    rolls = (more > 0.0) & (size > 1e-7)
    per_both = 1.0 / np.sqrt(np.maximum(short2 * far2, 1e-14))
    # The angle at the pivot as it is, and as it has to be.
    cosine_now, sine_now = -dot(to_pivot, to_hip) * per_both, size * per_both
    cosine = np.minimum(np.maximum(0.5 * (short2 + far2 - reach * reach) * per_both, -1.0), 1.0)
    sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    angle = arctan2(sine_now * cosine - cosine_now * sine, cosine_now * cosine + sine_now * sine)
    part = np.square(angle * np.float32(1.0 / FURTHEST))
    angle = rolls * angle / power(1.0 + part * part * part, np.float32(1.0 / 6.0))
    turn = vectors.about(axis / np.maximum(size, np.float32(1e-12)), np.cos(angle), np.sin(angle))
    return ankle + (to_pivot - turned(turn, to_pivot)), turn


def _reach(body: Skeletons, legs: Legs, ankle: Array, foot: Array) -> Array:
    """Turn hips, knees and ankles so that ankles are in a place; how far above it legs too short stay, metres."""
    hip, knee = body.places[:, legs.hip], body.places[:, legs.knee]
    thigh, shank = knee - hip, body.places[:, legs.ankle] - knee
    wanted = ankle - hip
    upper2, lower2, far = dot(thigh, thigh), dot(shank, shank), length(wanted)
    upper, lower = np.sqrt(upper2), np.sqrt(lower2)
    longest = np.float32(STRAIGHTEST) * (upper + lower)
    reach = np.minimum(np.maximum(far, np.abs(upper - lower) + np.float32(1e-6)), longest)
    hinge = turned(body.turns[:, :, legs.hip], legs.hinge)
    hinge = vectors.unit(hinge - dot(hinge, thigh) / upper2 * thigh)
    axis = _knee_axis(thigh, shank, hinge)
    along, across = dot(thigh, shank), dot(thigh, cross(axis, shank))
    per_both = 1.0 / np.maximum(np.sqrt(along * along + across * across), 1e-9)
    cosine = np.minimum(np.maximum(0.5 * (reach * reach - upper2 - lower2) * per_both, -1.0), 1.0)
    sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    c, s = along * per_both, across * per_both  # turned on by the fold that is wanted
    bent = vectors.about(axis, c * cosine - s * sine, s * cosine + c * sine)
    swing = between(thigh + turned(bent, shank), wanted)
    for joints, by in ((legs.above_knee, swing), (legs.below_knee, product(swing, bent))):
        for joint, side in joints:
            body.whole[joint, :, :3] = product(by[:, :, side], body.whole[joint, :, :3])
    body.turns[:, :, legs.ankle] = foot
    return np.asarray(np.minimum(reach / np.maximum(far, 1e-9) - 1.0, 0.0) * wanted[1])


def _knee_axis(thigh: Array, shank: Array, hinge: Array) -> Array:
    """The axis that knees bend about: that of the pose where it is bent, else the hinge."""
    pose = cross(thigh, shank)
    size = length(pose)
    fold = arctan2(size, dot(thigh, shank))
    share = smooth_clipped((fold - np.float32(_STRAIGHT)) * np.float32(1.0 / (_BENT - _STRAIGHT)))
    share = share * (dot(hinge, pose) > 0.0)
    return vectors.unit(share / np.maximum(size, 1e-9) * pose + (1.0 - share) * hinge)


def _bend_toes(body: Skeletons, legs: Legs, height: Array) -> None:
    """Bend toes so that their tips stay above the ground; ``height``: of the balls of these feet."""
    size = legs.tip_length
    toes = body.turns[:, :, legs.toe_joint]
    tip, across = turned(toes, legs.tip), turned(body.turns[:, :, legs.ankle[legs.toed]], legs.across)
    level = across[1] * dot(across, tip)
    high, ahead = tip[1] - level, across[2] * tip[0] - across[0] * tip[2]
    reach = np.maximum(np.sqrt(high * high + ahead * ahead), 1e-6)
    upright = arctan2(ahead, high)
    upright = upright + (upright < -0.5 * math.pi) * np.float32(math.tau)
    low = legs.tip_height - legs.heights[legs.toed, 1] - level
    flat = arctan2(np.sqrt(np.maximum((reach - low) * (reach + low), 0.0)), low)
    angle = upright - flat - _FOLLOW * np.maximum(height, 0.0) / size
    soft = np.square(np.maximum(angle + np.float32(_TOES_SOFT), 0.0)) * np.float32(0.25 / _TOES_SOFT)
    angle = chosen(angle < _TOES_SOFT, soft, angle)
    share = smooth_clipped((_FREE * size - height) / ((_FREE - 1.0) * size))
    angle = share * smooth_clipped((np.float32(_FOLDED) - upright) * np.float32(1.0 / (_FOLDED - _BACK))) * angle
    body.turns[:, :, legs.toe_joint] = product(vectors.about(across, np.cos(angle), np.sin(angle)), toes)
    for joint in legs.on_toes:
        body.hang(joint)
