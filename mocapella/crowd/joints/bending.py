"""Legs of many characters bent so that feet stand where they are held, as ``playback.feet.leg_ik`` does for one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mocapella.crowd import vectors
from mocapella.crowd.joints.kinematics import Kinematics, LegPoses
from mocapella.crowd.legs import ANKLES, HIPS, KNEES, Legs
from mocapella.crowd.vectors import Array, arctan2, chosen, cross, dot, length, power, product, smooth_clipped, turned
from mocapella.gait.foot_constants import FOOT


@dataclass
class Target:
    """By how much heels and toes are displaced (x, z) and how firmly they are held, as a player's ``FootTarget``."""

    shift: Array  # (2, feet, ends, lanes)
    hold: Array  # (feet, ends, lanes)
    sink: Array  # (feet, lanes), as the next
    turned: Array


def goals(legs: Legs, ends: Array, target: Target) -> Array:
    """Where heels and toes are wanted (3, feet, ends, lanes), metres; not below the ground."""
    out = np.empty_like(ends)
    out[1] = _heights(legs, ends, target.sink, target.turned)
    # Shifts of the other ends come along as far as an end is not held itself.
    shift = (1.0 - target.hold) * target.shift[:, :, ::-1]
    shift += target.shift
    np.add(ends[::2], shift, out=out[::2])
    return out


def _heights(legs: Legs, ends: Array, sink: Array, turned: Array) -> Array:
    """How high heels and toes are wanted (feet, ends, lanes)."""
    up = ends[1] - legs.heights
    up -= sink[:, None]
    tilt = up[:, 0] - up[:, 1]
    tilt -= turned
    lower = np.minimum(up[:, 0], up[:, 1])
    np.add(lower, np.maximum(tilt, 0.0), out=up[:, 0])
    np.subtract(lower, np.minimum(tilt, 0.0), out=up[:, 1])
    np.maximum(up, 0.0, out=up)
    up += legs.heights
    return np.asarray(up)


def too_short(body: LegPoses, legs: Legs, ends: Array, target: Target) -> Array:
    """How much of heels' holds is lost where legs are too short for feet that lie flat.

    ``ends`` and ``target`` are where the pose has heels and toes, and where they would be held, both firmly. Returns an
    array of shape (feet, lanes): from 0 to 1.
    """
    risen = _heights(legs, ends, target.sink, target.turned)
    risen -= ends[1]
    to_ankle = body.places(ANKLES) - body.places(HIPS)
    to_ankle[::2] += _at_ankles(legs, target.shift)
    to_ankle[1] += _at_ankles(legs, risen)
    short = length(to_ankle)
    short -= np.float32(FOOT.straightest) * legs.length
    short *= np.float32(1.0 / FOOT.too_short)
    return smooth_clipped(short)


def _at_ankles(legs: Legs, moved: Array) -> Array:
    """By how much ankles move if heels and toes do (…, feet, ends, lanes)."""
    out = moved[..., 1, :] - moved[..., 0, :]
    out *= legs.ankle_share
    out += moved[..., 0, :]
    return np.asarray(out)


def bend(joints: Kinematics, body: LegPoses, ends: Array, target: Target) -> Array:
    """Bring feet to their targets, in place; returns how high their lower ends are then, metres (feet, lanes)."""
    legs, ankles = joints.legs, body.whole[ANKLES]
    goal = goals(legs, ends, target)
    along, wanted = ends[:, :, 1] - ends[:, :, 0], goal[:, :, 1] - goal[:, :, 0]
    foot = np.empty_like(ankles[:, :, :3])
    product(vectors.between(along, wanted), body.turns(ANKLES), out=foot.transpose(1, 2, 0, 3))
    firm = target.hold / (np.float32(1.0 + 1e-6) - target.hold)
    firm += np.float32(1e-12)  # half each where none is held
    share = firm[:, 1] / (firm[:, 0] + firm[:, 1])
    to_ends = np.matmul(legs.ends[..., :3], foot).swapaxes(0, 1)
    aims = goal - to_ends
    ankle = aims[:, :, 0] + share * (aims[:, :, 1] - aims[:, :, 0])
    by_toe = share >= 0.5
    to_pivot = chosen(by_toe, to_ends[:, :, 1], to_ends[:, :, 0])
    roll = _roll(body, legs, ankle, to_pivot, _sharpness(target))
    ankle += to_pivot
    ankle -= turned(roll, to_pivot)
    product(roll, foot.transpose(1, 2, 0, 3), out=body.turns(ANKLES))
    to_ends = np.matmul(legs.ends[..., :3], ankles[:, :, :3]).swapaxes(0, 1)
    # A foot that rolls is shorter on the ground: its ends share what they miss.
    aims = goal[::2] - to_ends[::2]
    missed = chosen(by_toe, aims[:, :, 0], aims[:, :, 1])
    missed -= ankle[::2]
    missed *= np.minimum(share, 1.0 - share)
    ankle[::2] += missed
    high = _reach(body, legs, ankle)
    over = ankle[1, :, None] + to_ends[1]
    over -= legs.heights
    for joint in legs.led:
        joints.place(body, joint)
    joints.hang(body, legs.loose)
    if legs.toed.size:
        _bend_toes(joints, body, over[legs.toed, 1])
    return np.asarray(high + np.minimum(over[:, 0], over[:, 1]))


def _sharpness(target: Target) -> Array:
    far = length(target.shift)
    far = np.minimum(far[:, 0], far[:, 1])
    far *= np.float32(1.0 / FOOT.far)
    np.minimum(far, 1.0, out=far)
    far *= target.hold[:, 0]
    far *= target.hold[:, 1]
    far *= np.float32(FOOT.sharp - FOOT.soft)
    far += np.float32(FOOT.soft)
    return np.asarray(far)


def _roll(body: LegPoses, legs: Legs, ankle: Array, to_pivot: Array, sharpness: Array) -> Array:
    """Rotations of ankles about a point of their feet, so far that legs need not stretch to reach them."""
    hip = body.places(HIPS)
    now = length(body.places(ANKLES) - hip)
    to_hip = hip - ankle
    more = length(to_hip)
    more -= now
    np.maximum(more, 0.0, out=more)
    room = np.maximum(np.float32(FOOT.straightest) * legs.length - now, 1e-5)
    part = np.minimum(np.divide(more, room, out=room), np.float32(1e4), out=room)
    reach = power(1.0 + power(part, sharpness), -1.0 / sharpness)
    reach *= more
    reach += now
    to_hip -= to_pivot
    short2, far2 = dot(to_pivot, to_pivot), dot(to_hip, to_hip)
    axis = cross(to_hip, to_pivot)
    size = length(axis)
    rolls = (more > 0.0) & (size > 1e-7)
    per_both = 1.0 / np.sqrt(np.maximum(short2 * far2, 1e-14))
    # The angle at the pivot as it is, and as it has to be.
    cosine_now, sine_now = -dot(to_pivot, to_hip) * per_both, size * per_both
    cosine = short2 + far2
    cosine -= reach * reach
    cosine *= per_both
    cosine *= np.float32(0.5)
    np.clip(cosine, -1.0, 1.0, out=cosine)
    sine = np.sqrt(1.0 - cosine * cosine)
    angle = arctan2(sine_now * cosine - cosine_now * sine, cosine_now * cosine + sine_now * sine)
    part = np.square(angle * np.float32(1.0 / FOOT.furthest))
    angle *= rolls
    angle *= power(1.0 + part * part * part, np.float32(-1.0 / 6.0))
    axis /= np.maximum(size, np.float32(1e-12))
    return vectors.about(axis, np.cos(angle), np.sin(angle))


def _reach(body: LegPoses, legs: Legs, ankle: Array) -> Array:
    """Turn hips and knees so that ankles are in a place; how far above it legs too short stay, metres."""
    hip, knee = body.places(HIPS), body.places(KNEES)
    thigh, shank = knee - hip, body.places(ANKLES) - knee
    wanted = ankle - hip
    upper2, lower2, far = dot(thigh, thigh), dot(shank, shank), length(wanted)
    upper, lower = np.sqrt(upper2), np.sqrt(lower2)
    longest = np.float32(FOOT.straightest) * (upper + lower)
    reach = np.minimum(np.maximum(far, np.abs(upper - lower) + np.float32(1e-6)), longest)
    hinge = np.matmul(legs.hinge, body.whole[HIPS, :, :3])[:, :, 0].swapaxes(0, 1)
    hinge = hinge - dot(hinge, thigh) / upper2 * thigh
    axis = _knee_axis(thigh, shank, vectors.unit(hinge))
    c, s = dot(thigh, shank), dot(thigh, cross(axis, shank))
    per_both = 1.0 / np.maximum(np.sqrt(c * c + s * s), 1e-9)
    c *= per_both
    s *= per_both
    cosine = reach * reach
    cosine -= upper2
    cosine -= lower2
    cosine *= per_both
    cosine *= np.float32(0.5)
    np.clip(cosine, -1.0, 1.0, out=cosine)
    sine = np.sqrt(1.0 - cosine * cosine)
    # Turned on by the fold that is wanted.
    bent = vectors.about(axis, c * cosine - s * sine, s * cosine + c * sine)
    straight = turned(bent, shank)
    straight += thigh
    swing = vectors.between(straight, wanted)
    for slots, by in ((legs.above_knee, swing), (legs.below_knee, product(swing, bent))):
        for slot, side in slots:
            body.whole[slot, :, :3] = product(by[:, :, side], body.whole[slot, :, :3])
    high = reach / np.maximum(far, 1e-9)
    high -= np.float32(1.0)
    return np.asarray(np.minimum(high, 0.0, out=high) * wanted[1])


def _knee_axis(thigh: Array, shank: Array, hinge: Array) -> Array:
    """The axis that knees bend about: that of the pose where it is bent, else the hinge."""
    pose = cross(thigh, shank)
    size = length(pose)
    fold = arctan2(size, dot(thigh, shank))
    fold -= np.float32(FOOT.knee_straight)
    fold *= np.float32(1.0 / (FOOT.knee_bent - FOOT.knee_straight))
    share = smooth_clipped(fold)
    share *= dot(hinge, pose) > 0.0
    pose *= share / np.maximum(size, 1e-9)
    pose += (1.0 - share) * hinge
    return vectors.unit(pose)


def _bend_toes(joints: Kinematics, body: LegPoses, height: Array) -> None:
    """Bend toes so that their tips stay above the ground; ``height``: of the balls of these feet."""
    legs = joints.legs
    size, toes = legs.tip_length, body.turns(legs.toes)
    tip = np.matmul(legs.tip, body.whole[legs.toes, :, :3])[:, :, 0].swapaxes(0, 1)
    feet = body.whole[ANKLES] if len(legs.toed) == 2 else body.whole[ANKLES][legs.toed]
    across = np.matmul(legs.across, feet[:, :, :3])[:, :, 0].swapaxes(0, 1)
    level = across[1] * dot(across, tip)
    high, ahead = tip[1] - level, across[2] * tip[0] - across[0] * tip[2]
    reach = np.maximum(np.sqrt(high * high + ahead * ahead), 1e-6)
    upright = arctan2(ahead, high)
    upright += (upright < -0.5 * math.pi) * np.float32(math.tau)
    low = legs.tip_height - legs.heights[legs.toed, 1] - level
    flat = arctan2(np.sqrt(np.maximum((reach - low) * (reach + low), 0.0)), low)
    angle = upright - flat
    angle -= np.maximum(height, 0.0) * (FOOT.follow / size)
    soft = np.square(np.maximum(angle + np.float32(FOOT.toes_soft), 0.0))
    soft *= np.float32(0.25 / FOOT.toes_soft)
    angle = chosen(angle < FOOT.toes_soft, soft, angle)
    angle *= smooth_clipped((FOOT.free * size - height) / ((FOOT.free - 1.0) * size))
    upright -= np.float32(FOOT.folded)
    upright *= np.float32(-1.0 / (FOOT.folded - FOOT.back))
    angle *= smooth_clipped(upright)
    toes[...] = product(vectors.about(across, np.cos(angle), np.sin(angle)), toes)
    joints.hang(body, legs.on_toes)
