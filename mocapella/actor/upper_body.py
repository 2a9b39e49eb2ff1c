"""Pelvis, trunk and arms over the feet, and all of it put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.actor.course import GRAVITY, Course, forward, leftward
from mocapella.actor.feet import FootMotion
from mocapella.geometry import euler, limbs, quaternions
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import bell_smooth, ease, smooth_above
from mocapella.motion.skeleton import Skeleton

# The pelvis over the feet: riding on the standing leg in a walk, bouncing from flight to flight in a run.

STRAIGHTEST = np.radians(5.0)  # a knee straighter than this would snap
_EARLY, _SHIFT = 0.08, 0.16  # cycles: the pelvis turns to the next leg before its strike, and takes this long


@dataclass(frozen=True, eq=False)
class Pelvis:
    """The root over time."""

    positions: Float[np.ndarray, "times 3"]
    rotations_wxyz: Float[np.ndarray, "times 4"]


def carry(
    course: Course,
    feet: tuple[FootMotion, FootMotion],
    skeleton: Skeleton,
    *,
    slope: float = 0.0,
    wobble: Float[np.ndarray, "times 3"] | None = None,
) -> Pelvis:
    """Place the pelvis along the course, as high as the legs want it and never higher than they reach.

    The ground rises with ``slope`` radians along +z. ``wobble`` are small turns besides, as rotation vectors.
    """
    g, cycles = course.gait, course.cycles
    yaw = course.headings - g.hip_turn * np.cos(TURN * (cycles + 0.02))
    pitch = g.tilt + g.tilt_swing * np.sin(TURN * (2.0 * cycles - 0.1))
    roll = g.hip_drop * np.sin(TURN * (cycles + 0.06)) - 0.8 * course.banks
    rotations = _euler("YXZ", yaw, pitch, roll)
    if wobble is not None:
        rotations = quaternions.multiply(rotations, quaternions.from_rotvec(wobble))

    leg = sum(_segments(skeleton))
    sway = g.sway * leg * np.sin(TURN * (cycles - 0.06))
    surge = g.surge * leg * np.sin(TURN * (2.0 * cycles - 0.35))
    positions = np.empty((len(cycles), 3))
    positions[:, ::2] = (
        course.places + sway[:, None] * leftward(course.headings) + surge[:, None] * forward(course.headings)
    )
    positions[:, 1] = 0.0
    hips = [
        positions + quaternions.rotate(rotations, skeleton.offsets[skeleton.index(f"{s}UpLeg")])
        for s in ("Left", "Right")
    ]
    riding = _riding_height(course, feet, hips, skeleton)
    bouncing = _bouncing_height(course, skeleton) + np.tan(slope) * positions[:, 2]
    height = riding + g.flight * (bouncing - riding)
    positions[:, 1] = height - smooth_above(_too_high(height, feet, hips, skeleton), round(0.10 / course.step))
    return Pelvis(positions, rotations)


def _segments(skeleton: Skeleton) -> tuple[float, float]:
    thigh, shank = skeleton.index("LeftLeg"), skeleton.index("LeftFoot")
    return -float(skeleton.offsets[thigh, 1]), -float(skeleton.offsets[shank, 1])


def _riding_height(
    course: Course, feet: tuple[FootMotion, FootMotion], hips: list[Float[np.ndarray, "times 3"]], skeleton: Skeleton
) -> Float[np.ndarray, " times"]:
    """As high as makes the standing knee bend as it should: a little at the strike, more under load, less later on."""
    g = course.gait
    total, weights = np.zeros(len(course.times)), np.zeros(len(course.times))
    for foot, hip, half in zip(feet, hips, (0.0, 0.5), strict=True):
        since = (course.cycles - half + _EARLY) % 1.0 - _EARLY
        stance = since / g.toe_off
        knee = (
            g.knee_strike
            + (g.knee_load - g.knee_strike) * ease(stance / 0.26)
            + (g.knee_late - g.knee_load) * ease((stance - 0.26) / 0.4)
        )
        reach = limbs.reach_at(knee, *_segments(skeleton))
        weight = ease((since + _EARLY) / _SHIFT) * (1.0 - ease((since + _EARLY - 0.5) / _SHIFT))
        in_the_air = ease(foot.swings / 0.2) * (1.0 - ease((foot.swings - 0.7) / 0.25))
        weight = weight * (1.0 - in_the_air) + 1e-6
        total += weight * _height_for(reach, foot, hip)
        weights += weight
    between = weights < 0.5  # neither foot will do: pass from one stance to the next
    height = total / weights
    if between.any() and not between.all():
        height = np.interp(course.times, course.times[~between], height[~between])
    return bell_smooth(height, round(0.05 / course.step))


def _bouncing_height(course: Course, skeleton: Skeleton) -> Float[np.ndarray, " times"]:
    """A parabola through the air, an arc on the ground that takes up its speed, and a little deeper."""
    g = course.gait
    leg = sum(_segments(skeleton))
    step = 0.5 * g.period
    ground = np.minimum(g.toe_off, 0.48) * g.period
    air = step - ground
    since = (2.0 * course.cycles) % 1.0 * step
    down = np.clip(since / ground, 0.0, 1.0)
    up = np.maximum(since - ground, 0.0)
    arc = -(0.5 * GRAVITY * air) * (ground / np.pi) * np.sin(np.pi * down) - g.sink * leg * np.sin(np.pi * down) ** 2
    flight = 0.5 * GRAVITY * up * (air - up)
    reach = limbs.reach_at(g.knee_strike, *_segments(skeleton))
    ahead = course.speeds * g.over * ground
    ankle = skeleton.rest_positions[skeleton.index("LeftFoot"), 1]
    drop = skeleton.offsets[skeleton.index("LeftUpLeg"), 1]
    touchdown = ankle - drop + np.sqrt(np.maximum(reach**2 - ahead**2, (0.6 * leg) ** 2)) * np.cos(course.banks)
    return np.asarray(touchdown + arc + flight)


def _height_for(
    reach: Float[np.ndarray, "*#times"], foot: FootMotion, hip: Float[np.ndarray, "times 3"]
) -> Float[np.ndarray, " times"]:
    """The root's height at which hip and ankle are ``reach`` apart; ``hip`` is given for a root at height 0."""
    aside = foot.ankles[:, ::2] - hip[:, ::2]
    up = np.sqrt(np.maximum(reach**2 - np.einsum("ti,ti->t", aside, aside), (0.3 * reach) ** 2))
    return np.asarray(foot.ankles[:, 1] + up - hip[:, 1])


def _too_high(
    height: Float[np.ndarray, " times"],
    feet: tuple[FootMotion, FootMotion],
    hips: list[Float[np.ndarray, "times 3"]],
    skeleton: Skeleton,
) -> Float[np.ndarray, " times"]:
    """By how much the root has to come down for both legs to reach their feet without snapping straight."""
    reach = limbs.reach_at(np.asarray(STRAIGHTEST), *_segments(skeleton))
    lowest = np.minimum(*(_height_for(reach, foot, hip) for foot, hip in zip(feet, hips, strict=True)))
    return np.asarray(np.maximum(height - lowest, 0.0))


# Trunk, head and arms: the chest turns against the pelvis, the head stays level, the arms swing against the legs.

SPINE = ("Spine", "Spine1", "Spine2", "Chest")
_LOOK_AHEAD = 0.35  # seconds; eyes turn before feet do


def chest_in_world(course: Course) -> Float[np.ndarray, "times 4"]:
    """Where the chest faces."""
    g, cycles = course.gait, course.cycles
    yaw = course.headings + g.chest_turn * np.cos(TURN * (cycles - 0.02)) + 0.08 * course.turns
    pitch = g.lean + g.nod * np.sin(TURN * (2.0 * cycles - 0.2))
    roll = -g.chest_rock * np.sin(TURN * (cycles + 0.04)) - 0.9 * course.banks
    return _euler("YXZ", yaw, pitch, roll)


def head_in_world(course: Course) -> Float[np.ndarray, "times 4"]:
    """Where the head faces: ahead along the way, nearly level, turned into curves early."""
    g = course.gait
    yaw = course.headings + np.clip(_LOOK_AHEAD * course.turns, -0.5, 0.5) + g.look * np.sin(TURN * course.cycles)
    roll = -0.4 * course.banks
    pitch = g.head_down - 0.3 * g.nod * np.sin(TURN * (2.0 * course.cycles - 0.2))
    return _euler("YXZ", yaw, pitch, roll)


def bend_spine(
    local_wxyz: Float[np.ndarray, "times joints 4"],
    skeleton: Skeleton,
    pelvis: Float[np.ndarray, "times 4"],
    chest: Float[np.ndarray, "times 4"],
    head: Float[np.ndarray, "times 4"],
) -> None:
    """Write the spine, neck and head that lead from the pelvis to this chest and on to this head."""
    share = _part(quaternions.multiply(quaternions.conjugate(pelvis), chest), 1.0 / len(SPINE))
    for name in SPINE:
        local_wxyz[:, skeleton.index(name)] = share
    nod = quaternions.multiply(quaternions.conjugate(chest), head)
    local_wxyz[:, skeleton.index("Neck")] = _part(nod, 0.45)
    local_wxyz[:, skeleton.index("Head")] = _part(nod, 0.55)


def swing_arms(local_wxyz: Float[np.ndarray, "times joints 4"], skeleton: Skeleton, course: Course) -> None:
    """Write shoulders, arms and hands; each arm goes forward with the opposite leg."""
    g = course.gait
    for side, half, mirror in (("Left", 0.5, 1.0), ("Right", 0.0, -1.0)):
        beat, late, last = (np.cos(TURN * (course.cycles - half - lag)) for lag in (0.04, 0.10, 0.18))
        flex, out = g.arm_forward + g.arm_swing * beat, g.arm_out - 0.1 * g.arm_swing * beat
        twist, shrug = g.arm_twist + 0.2 * g.arm_swing * beat, g.shrug + 0.06 * g.arm_swing * beat
        elbow = g.elbow + g.elbow_swing * late
        hand = 0.35 * g.elbow_swing * last + np.radians(6.0)
        for joint, order, angles in (
            ("Shoulder", "ZY", (mirror * shrug, -mirror * 0.15 * flex)),
            ("Arm", "XZX", (-flex, -mirror * (0.5 * np.pi - out), twist)),
            ("ForeArm", "YX", (-mirror * elbow, np.zeros_like(flex))),
            ("Hand", "ZY", (-mirror * hand, -mirror * 0.3 * hand)),
        ):
            local_wxyz[:, skeleton.index(f"{side}{joint}")] = _euler(order, *angles)


def _euler(order: str, *angles: Float[np.ndarray, " times"]) -> Float[np.ndarray, "times 4"]:
    return euler.to_quaternion(np.stack(angles, axis=-1), order)


def _part(q: Float[np.ndarray, "times 4"], share: float) -> Float[np.ndarray, "times 4"]:
    return quaternions.from_rotvec(share * quaternions.to_rotvec(q))


# From feet, pelvis, trunk and arms to the joint rotations of a clip: legs by inverse kinematics.

DOWN, SIDEWAYS = np.array([0.0, -1.0, 0.0]), np.array([1.0, 0.0, 0.0])  # axes of the body, y up and x left
_KNEE_FOLLOWS_FOOT = 0.75  # the rest of a turn between pelvis and foot is left to the ankle


def stand_on(
    local_wxyz: Float[np.ndarray, "times joints 4"],
    skeleton: Skeleton,
    pelvis: Pelvis,
    feet: tuple[FootMotion, FootMotion],
) -> None:
    """Write the root and the legs, so that the feet are where they were planned."""
    local_wxyz[:, 0] = pelvis.rotations_wxyz
    sideways = quaternions.rotate(pelvis.rotations_wxyz, SIDEWAYS)
    for side, foot in zip(("Left", "Right"), feet, strict=True):
        hip, knee, ankle, toe = (skeleton.index(side + name) for name in ("UpLeg", "Leg", "Foot", "ToeBase"))
        start = pelvis.positions + quaternions.rotate(pelvis.rotations_wxyz, skeleton.offsets[hip])
        foot_sideways = quaternions.rotate(foot.rotations_wxyz, SIDEWAYS)
        hinge = sideways + _KNEE_FOLLOWS_FOOT * (foot_sideways - sideways)
        first, second, axis = limbs.bend(start, foot.ankles, hinge, *_segments(skeleton))
        thigh = limbs.rotation_to(first, axis, DOWN, SIDEWAYS)
        shank = limbs.rotation_to(second, axis, DOWN, SIDEWAYS)
        local_wxyz[:, hip] = quaternions.multiply(quaternions.conjugate(pelvis.rotations_wxyz), thigh)
        local_wxyz[:, knee] = quaternions.multiply(quaternions.conjugate(thigh), shank)
        local_wxyz[:, ankle] = quaternions.multiply(quaternions.conjugate(shank), foot.rotations_wxyz)
        local_wxyz[:, toe] = quaternions.from_rotvec(foot.toe_bends[:, None] * SIDEWAYS)
