"""Trunk, head and arms: the chest turns against the pelvis, the head stays level, the arms swing against the legs."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.actor.course import Course
from mocapella.geometry import euler, quaternions
from mocapella.motion.skeleton import Skeleton

SPINE = ("Spine", "Spine1", "Spine2", "Chest")
_TURN = 2.0 * np.pi
_LOOK_AHEAD = 0.35  # seconds; eyes turn before feet do


def chest_in_world(course: Course) -> Float[np.ndarray, "times 4"]:
    """Where the chest faces."""
    g, cycles = course.gait, course.cycles
    yaw = course.headings + g.chest_turn * np.cos(_TURN * (cycles - 0.02)) + 0.08 * course.turns
    pitch = g.lean + g.nod * np.sin(_TURN * (2.0 * cycles - 0.2))
    roll = -g.chest_rock * np.sin(_TURN * (cycles + 0.04)) - 0.9 * course.banks
    return euler.to_quaternion(np.stack([yaw, pitch, roll], axis=-1), "YXZ")


def head_in_world(course: Course) -> Float[np.ndarray, "times 4"]:
    """Where the head faces: ahead along the way, nearly level, turned into curves early."""
    g = course.gait
    yaw = course.headings + np.clip(_LOOK_AHEAD * course.turns, -0.5, 0.5) + g.look * np.sin(_TURN * course.cycles)
    roll = -0.4 * course.banks
    pitch = g.head_down - 0.3 * g.nod * np.sin(_TURN * (2.0 * course.cycles - 0.2))
    return euler.to_quaternion(np.stack([yaw, pitch, roll], axis=-1), "YXZ")


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
    for side, half in (("Left", 0.5), ("Right", 0.0)):
        beat = np.cos(_TURN * (course.cycles - half - 0.04))
        late = np.cos(_TURN * (course.cycles - half - 0.10))
        hang(
            local_wxyz,
            skeleton,
            side,
            flex=g.arm_forward + g.arm_swing * beat,
            out=g.arm_out - 0.1 * g.arm_swing * beat,
            twist=g.arm_twist + 0.2 * g.arm_swing * beat,
            elbow=g.elbow + g.elbow_swing * late,
            shrug=g.shrug + 0.06 * g.arm_swing * beat,
            hand=0.35 * g.elbow_swing * np.cos(_TURN * (course.cycles - half - 0.18)) + np.radians(6.0),
        )


def hang(
    local_wxyz: Float[np.ndarray, "times joints 4"],
    skeleton: Skeleton,
    side: str,
    *,
    flex: Float[np.ndarray, " times"],
    out: Float[np.ndarray, " times"],
    twist: Float[np.ndarray, " times"],
    elbow: Float[np.ndarray, " times"],
    shrug: Float[np.ndarray, " times"],
    hand: Float[np.ndarray, " times"],
) -> None:
    """Write one arm from its hanging pose: forward, out, twisted inwards, elbow and wrist bent; radians."""
    mirror = 1.0 if side == "Left" else -1.0
    down = -mirror * (0.5 * np.pi - out)
    index = skeleton.index
    zeros = np.zeros_like(flex)
    local_wxyz[:, index(f"{side}Shoulder")] = _euler("ZY", mirror * shrug, -mirror * 0.15 * flex)
    local_wxyz[:, index(f"{side}Arm")] = _euler("XZX", -flex, down, twist)
    local_wxyz[:, index(f"{side}ForeArm")] = _euler("YX", -mirror * elbow, zeros)
    local_wxyz[:, index(f"{side}Hand")] = _euler("ZY", -mirror * hand, -mirror * 0.3 * hand)


def _euler(order: str, *angles: Float[np.ndarray, " times"]) -> Float[np.ndarray, "times 4"]:
    return euler.to_quaternion(np.stack(angles, axis=-1), order)


def _part(q: Float[np.ndarray, "times 4"], share: float) -> Float[np.ndarray, "times 4"]:
    return quaternions.from_rotvec(share * quaternions.to_rotvec(q))
