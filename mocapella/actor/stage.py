"""From a course to a clip: feet along it, the pelvis over them, legs between, the rest above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.actor import assemble, feet, footsteps, pelvis, trunk
from mocapella.actor.body import leg_length
from mocapella.actor.course import Course
from mocapella.actor.footsteps import Footsteps
from mocapella.actor.imperfections import Quirks
from mocapella.geometry import quaternions
from mocapella.motion.skeleton import Skeleton

INTERNAL_RATE = 120.0  # frames per second at least, in which a performance is worked out
MARGIN = 1.6  # seconds worked out before and after what is shown, so that nothing starts or ends on stage
Gesture = Callable[[Float[np.ndarray, "times joints 4"], Course, Float[np.ndarray, "times 4"]], None]


@dataclass(frozen=True, eq=False)
class Poses:
    """A performance in all its times, those in the wings included."""

    roots: Float[np.ndarray, "times 3"]
    local_wxyz: Float[np.ndarray, "times joints 4"]
    steps: tuple[Footsteps, Footsteps]


def grid(seconds: float, frame_rate: float) -> tuple[Float[np.ndarray, " times"], slice]:
    """Times to work in, wings included, and which of them are the frames of ``seconds`` at ``frame_rate``."""
    finer = int(np.ceil(INTERNAL_RATE / frame_rate - 1e-9))
    margin = finer * int(np.ceil(MARGIN * frame_rate))
    n_frames = max(round(seconds * frame_rate), 1)
    times = np.arange(-margin, (n_frames - 1) * finer + 1 + margin) / (frame_rate * finer)
    return times, slice(margin, margin + (n_frames - 1) * finer + 1, finer)


def pose(
    course: Course, skeleton: Skeleton, quirks: Quirks, *, slope: float = 0.0, gesture: Gesture | None = None
) -> Poses:
    """Pose the whole body along a course; a ``gesture`` may rewrite the arms, told which way the chest faces."""
    leg = leg_length(skeleton)
    effort = quirks.effort(course.times)
    swinging = ("arm_swing", "elbow_swing", "chest_turn", "hip_turn", "hip_drop", "chest_rock")
    course = replace(course, gait=replace(course.gait, **{n: effort * getattr(course.gait, n) for n in swinging}))
    # On a slope the feet walk a level course of the same length and the ground is tilted under them afterwards.
    level = replace(course, places=course.places / np.cos(slope), speeds=course.speeds / np.cos(slope))
    left, right = (
        footsteps.plan(level, side, leg, timing=quirks.timing(name, 99), shifts=quirks.shifts(name, 99))
        for side, name in ((1.0, "left"), (-1.0, "right"))
    )
    tilt = quaternions.from_rotvec(np.array([-slope, 0.0, 0.0]))
    moves = [feet.move(steps, course.times, skeleton, leg) for steps in (left, right)]
    if slope != 0.0:
        moves = [feet.tilted(move, tilt) for move in moves]
    placed = (moves[0], moves[1])
    root = pelvis.carry(course, placed, skeleton, slope=slope, wobble=quirks.wobble("Hips", course.cycles))

    local = np.tile(quaternions.IDENTITY, (len(course.times), skeleton.n_joints, 1))
    assemble.stand_on(local, skeleton, root, placed)
    chest = trunk.chest_in_world(course)
    trunk.bend_spine(local, skeleton, root.rotations_wxyz, chest, trunk.head_in_world(course))
    trunk.swing_arms(local, skeleton, course)
    if gesture is not None:
        gesture(local, course, chest)
    for joint, name in enumerate(skeleton.names[1:], start=1):
        wobble = quirks.wobble(name, course.cycles)
        if wobble is not None:
            local[:, joint] = quaternions.multiply(local[:, joint], quaternions.from_rotvec(wobble))
    return Poses(root.positions, local, (left, right))
