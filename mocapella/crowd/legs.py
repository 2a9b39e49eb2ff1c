"""Legs of many characters bent so that feet stand where they are held, as ``playback.feet.reach`` does for one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mocapella.crowd import vectors
from mocapella.crowd.vectors import Array, between, cross, dot, length, power, product, smooth_clipped, turned
from mocapella.motion.skeleton import Skeleton
from mocapella.playback.feet.reach import FURTHEST, STRAIGHTEST
from mocapella.rig.legs import Leg

_SOFT, _SHARP, _FAR, _TOO_SHORT = 1.5, 8.0, 0.06, 0.03  # as those of playback.feet.reach
_STRAIGHT, _BENT = math.radians(5.0), math.radians(25.0)  # fold between which the pose comes to tell a knee's axis
_FOLLOW, _TOES_SOFT, _FREE = 0.35, 0.19, 5.0
_BACK, _FOLDED = math.radians(225.0), math.radians(270.0)
_ALONG_X = np.array([1.0, 0.0, 0.0], dtype=np.float32)[:, None, None]


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
        self.heel, self.toe, self.hinge = (_beside(legs, name) for name in ("heel", "toe", "hinge"))
        self.heel_height, self.toe_height, self.flat_length, self.ankle_share, self.length = (
            _beside(legs, name) for name in ("heel_height", "toe_height", "flat_length", "ankle_share", "length")
        )
        feet = range(len(tables))
        self.above_knee = _numbered([(joint, foot) for foot in feet for joint in tables[foot].above_knee])
        self.below_knee = _numbered([(joint, foot) for foot in feet for joint in tables[foot].below_knee])
        led = {j for table in tables for j in (*table.above_knee, *table.below_knee, table.ankle)}
        hanging = [joint for table in tables for joint in table.hanging]
        self.loose = frozenset(hanging) - led  # joints that hang on a leg and move with it
        self.levels = [(*level, _kept(level, self.loose)) for level in levels_of(skeleton, hanging)]
        toed = [foot for foot in feet if legs[foot].tip is not None and legs[foot].toe_joint is not None]
        own = tuple(legs[foot] for foot in toed)
        self.toed, self.toe_joint = np.array(toed, dtype=np.intp), np.array([leg.toe_joint for leg in own])
        if toed:
            self.tip, self.across = _beside(own, "tip"), _beside(own, "across")
            self.tip_height, self.tip_length = _beside(own, "tip_height"), _beside(own, "tip_length")
        on_toes = [j for j in hanging if any(leg.toe_joint != j and leg.toe_joint in skeleton.path(j) for leg in own)]
        self.toe_levels = levels_of(skeleton, on_toes)


def _beside(legs: Sequence[Leg], name: str) -> Array:
    """A number or a vector of legs, side by side: (feet, 1) or (3, feet, 1)."""
    return np.array([getattr(leg, name) for leg in legs], dtype=np.float32).T[..., None]


def _numbered(pairs: list[tuple[int, int]]) -> tuple[Array, Array]:
    """Joints, and which leg each belongs to."""
    return np.array([joint for joint, _ in pairs], dtype=np.intp), np.array([foot for _, foot in pairs], dtype=np.intp)


def _kept(level: tuple[Array, Array], some: frozenset[int]) -> Array:
    """Which joints of a level are among some."""
    return np.flatnonzero([joint in some for joint in level[0].tolist()])


def levels_of(skeleton: Skeleton, joints: Iterable[int]) -> list[tuple[Array, Array]]:
    """Joints by how many they hang on, those that carry others first, and their parents.

    Parameters
    ----------
    skeleton
        Whose joints.
    joints
        Which of them, without the root.

    Returns
    -------
    list of two arrays each
        Joints of one level, and their parents.
    """
    by_depth: dict[int, list[int]] = {}
    for joint in joints:
        by_depth.setdefault(len(skeleton.path(joint)), []).append(joint)
    return [(np.array(own), skeleton.parents[own]) for _, own in sorted(by_depth.items())]


@dataclass
class Skeletons:
    """Joints of many characters in the world; legs bend them in place."""

    offsets: Array  # (3, joints, 1)
    local: Array  # (3, 3, joints, lanes): rotations against the parents
    whole: Array  # (joints, 3, 4, lanes): rotations in the world and places, of which the next two are parts
    turns: Array = field(init=False)  # (3, 3, joints, lanes): in the world
    places: Array = field(init=False)  # (3, joints, lanes): metres

    def __post_init__(self) -> None:
        self.turns = self.whole[:, :, :3].transpose(1, 2, 0, 3)
        self.places = self.whole[:, :, 3].transpose(1, 0, 2)

    def hang(self, joints: Array, parents: Array) -> None:
        """Place joints where their parents have them."""
        above = self.turns[:, :, parents]
        self.places[:, joints] = self.places[:, parents] + turned(above, self.offsets[:, joints])

    def turn(self, joints: Array, parents: Array) -> None:
        """Turn joints with their parents."""
        self.turns[:, :, joints] = product(self.turns[:, :, parents], self.local[:, :, joints])


@dataclass
class Target:
    """By how much heels and toes are displaced (x, z) and how firmly they are held, as a player's ``FootTarget``."""

    heel_shift: Array  # (2, feet, lanes)
    toe_shift: Array
    heel_hold: Array | np.float32  # (feet, lanes), as the others
    toe_hold: Array | np.float32
    sink: Array
    turned: Array


def foot_ends(body: Skeletons, legs: Legs) -> tuple[Array, Array]:
    """Where heels and toes of both feet are.

    Parameters
    ----------
    body
        The characters.
    legs
        Theirs.

    Returns
    -------
    heel, toe
        (3, feet, lanes), metres.
    """
    foot, at = body.turns[:, :, legs.ankle], body.places[:, legs.ankle]
    return at + turned(foot, legs.heel), at + turned(foot, legs.toe)


def goals(legs: Legs, heel: Array, toe: Array, target: Target) -> tuple[Array, Array]:
    """Where heels and toes are wanted.

    Parameters
    ----------
    legs
        Both legs.
    heel, toe
        Where the pose has them.
    target
        How they are held.

    Returns
    -------
    heel, toe
        (3, feet, lanes), metres; not below the ground.
    """
    heel_up, toe_up = heel[1] - legs.heel_height - target.sink, toe[1] - legs.toe_height - target.sink
    lower, tilt = np.minimum(heel_up, toe_up), heel_up - toe_up - target.turned
    tilted = target.turned != 0.0
    heel_up = np.where(tilted, lower + np.maximum(tilt, 0.0), heel_up)
    toe_up = np.where(tilted, lower - np.minimum(tilt, 0.0), toe_up)
    heel_goal, toe_goal = np.empty_like(heel), np.empty_like(toe)
    heel_goal[1], toe_goal[1] = legs.heel_height + np.maximum(heel_up, 0.0), legs.toe_height + np.maximum(toe_up, 0.0)
    heel_goal[::2] = heel[::2] + (target.heel_shift + (1.0 - target.heel_hold) * target.toe_shift)
    toe_goal[::2] = toe[::2] + (target.toe_shift + (1.0 - target.toe_hold) * target.heel_shift)
    return heel_goal, toe_goal


def still_down(body: Skeletons, legs: Legs, heel: Array, toe: Array, target: Target) -> Array:
    """How much of heels' holds is left where legs are too short for feet that lie flat.

    Parameters
    ----------
    body, legs
        The characters, and their legs.
    heel, toe, target
        Where the pose has both ends, and how they would be held.

    Returns
    -------
    array
        From 1 to 0.
    """
    heel_goal, toe_goal = goals(legs, heel, toe, target)
    share = legs.ankle_share
    moved = (1.0 - share) * (heel_goal - heel) + share * (toe_goal - toe)
    short = (
        length(body.places[:, legs.ankle] + moved - body.places[:, legs.hip]) - np.float32(STRAIGHTEST) * legs.length
    )
    return 1.0 - smooth_clipped(short * np.float32(1.0 / _TOO_SHORT))


def bend(body: Skeletons, legs: Legs, heel: Array, toe: Array, target: Target) -> Array:
    """Bring feet to their targets, in place, and tell how high their lower ends are then.

    Parameters
    ----------
    body, legs
        The characters, and their legs.
    heel, toe
        Where the pose has both ends.
    target
        How they are held.

    Returns
    -------
    array of shape (feet, lanes)
        Metres above the ground.
    """
    heel_goal, toe_goal = goals(legs, heel, toe, target)
    foot = product(between(toe - heel, toe_goal - heel_goal), body.turns[:, :, legs.ankle])
    firm_heel = target.heel_hold / (1.0 - target.heel_hold + np.float32(1e-6))
    firm_toe = target.toe_hold / (1.0 - target.toe_hold + np.float32(1e-6))
    total = firm_heel + firm_toe
    share = np.where(total > 0.0, firm_toe / np.maximum(total, 1e-12), np.float32(0.5))
    to_heel, to_toe = turned(foot, legs.heel), turned(foot, legs.toe)
    ankle = (1.0 - share) * (heel_goal - to_heel) + share * (toe_goal - to_toe)
    by_toe = share >= 0.5
    ankle, roll = _rolled(body, legs, ankle, np.where(by_toe, to_toe, to_heel), _sharpness(target))
    foot, to_heel, to_toe = product(roll, foot), turned(roll, to_heel), turned(roll, to_toe)
    # A foot that rolls is shorter on the ground: its ends share what they miss.
    missed = np.where(by_toe, heel_goal - to_heel, toe_goal - to_toe) - ankle
    ankle[::2] += np.minimum(share, 1.0 - share) * missed[::2]
    high = _reach(body, legs, ankle, foot)
    ball = ankle[1] + to_toe[1] - legs.toe_height
    height = high + np.minimum(ankle[1] + to_heel[1] - legs.heel_height, ball)
    for joints, parents, loose in legs.levels:
        body.hang(joints, parents)
        if loose.size:
            body.turn(joints[loose], parents[loose])
    if legs.toed.size:
        _bend_toes(body, legs, ball[legs.toed])
    return np.asarray(height)


def _sharpness(target: Target) -> Array:
    far = np.sqrt(np.minimum((target.heel_shift**2).sum(axis=0), (target.toe_shift**2).sum(axis=0)))
    far = np.minimum(far * np.float32(1.0 / _FAR), 1.0)
    return np.asarray(_SOFT + (_SHARP - _SOFT) * target.heel_hold * target.toe_hold * far)


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
    angle = np.arctan2(sine_now * cosine - cosine_now * sine, cosine_now * cosine + sine_now * sine)
    part = np.square(angle * np.float32(1.0 / FURTHEST))
    angle = rolls * angle / power(1.0 + part * part * part, np.float32(1.0 / 6.0))
    axis = np.where(rolls, axis / np.maximum(size, 1e-12), _ALONG_X)
    turn = vectors.about(axis, np.cos(angle), np.sin(angle))
    return np.where(rolls, pivot - turned(turn, to_pivot), ankle), turn


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
    for (joints, feet), by in ((legs.above_knee, swing), (legs.below_knee, product(swing, bent))):
        body.turns[:, :, joints] = product(by[:, :, feet], body.turns[:, :, joints])
    body.turns[:, :, legs.ankle] = foot
    return np.asarray(np.minimum(reach / np.maximum(far, 1e-9) - 1.0, 0.0) * wanted[1])


def _knee_axis(thigh: Array, shank: Array, hinge: Array) -> Array:
    """The axis that knees bend about: that of the pose where it is bent, else the hinge."""
    pose = cross(thigh, shank)
    size = length(pose)
    fold = np.arctan2(size, dot(thigh, shank))
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
    upright = np.arctan2(ahead, high)
    upright = upright + (upright < -0.5 * math.pi) * np.float32(math.tau)
    low = (legs.tip_height - legs.toe_height[legs.toed] - level) / reach
    flat = np.arccos(np.minimum(np.maximum(low, -1.0), 1.0))
    angle = upright - flat - _FOLLOW * np.maximum(height, 0.0) / size
    soft = np.square(np.maximum(angle + np.float32(_TOES_SOFT), 0.0)) * np.float32(0.25 / _TOES_SOFT)
    angle = np.where(angle < _TOES_SOFT, soft, angle)
    share = smooth_clipped((_FREE * size - height) / ((_FREE - 1.0) * size))
    angle = share * smooth_clipped((np.float32(_FOLDED) - upright) * np.float32(1.0 / (_FOLDED - _BACK))) * angle
    body.turns[:, :, legs.toe_joint] = product(vectors.about(across, np.cos(angle), np.sin(angle)), toes)
    for joints, parents in legs.toe_levels:
        body.hang(joints, parents)
        body.turn(joints, parents)
