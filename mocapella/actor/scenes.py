"""From a request to poses: scenes laid out in time, and the body posed along their course."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.actor import course as footsteps
from mocapella.actor import feet, upper_body
from mocapella.actor.body import leg_length
from mocapella.actor.course import Course, Footsteps, course
from mocapella.actor.gait import Gait
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import STRAY, Request
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.skeleton import Skeleton

_INTERNAL_RATE = 120.0  # frames per second at least, at which a performance is computed
_MARGIN = 1.6  # seconds computed before and after the clip, so that nothing starts or ends within it
_Gesture = Callable[[Float[np.ndarray, "times joints 4"], Course, Float[np.ndarray, "times 4"]], None]


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses at all times of a course, its margins included."""

    roots: Float[np.ndarray, "times 3"]
    local_wxyz: Float[np.ndarray, "times joints 4"]
    steps: tuple[Footsteps, Footsteps]


def grid(seconds: float, frame_rate: float) -> tuple[Float[np.ndarray, " times"], slice]:
    """Times to compute, margins included, and which of them are the frames of ``seconds`` at ``frame_rate``."""
    finer = int(np.ceil(_INTERNAL_RATE / frame_rate - 1e-9))
    margin = finer * int(np.ceil(_MARGIN * frame_rate))
    n_frames = max(round(seconds * frame_rate), 1)
    times = np.arange(-margin, (n_frames - 1) * finer + 1 + margin) / (frame_rate * finer)
    return times, slice(margin, margin + (n_frames - 1) * finer + 1, finer)


def pose(
    course: Course, skeleton: Skeleton, quirks: Quirks, *, slope: float = 0.0, gesture: _Gesture | None = None
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
    root = upper_body.carry(course, placed, skeleton, slope=slope, wobble=quirks.wobble("Hips", course.cycles))

    local = np.tile(quaternions.IDENTITY, (len(course.times), skeleton.n_joints, 1))
    upper_body.stand_on(local, skeleton, root, placed)
    chest = upper_body.chest_in_world(course)
    upper_body.bend_spine(local, skeleton, root.rotations_wxyz, chest, upper_body.head_in_world(course))
    upper_body.swing_arms(local, skeleton, course)
    if gesture is not None:
        gesture(local, course, chest)
    for joint, name in enumerate(skeleton.names[1:], start=1):
        wobble = quirks.wobble(name, course.cycles)
        if wobble is not None:
            local[:, joint] = quaternions.multiply(local[:, joint], quaternions.from_rotvec(wobble))
    return Poses(root.positions, local, (left, right))


# Scenes.


@dataclass(frozen=True, eq=False)
class Scene:
    """A course, the part of it that is shown, and what is true of it."""

    course: Course
    shown: slice  # of the course's times
    period: float | None
    period_after: float | None = None
    change: tuple[float, float] | None = None  # of a transition: when it starts and ends to change, seconds
    gesture: _Gesture | None = None
    phases: Float[np.ndarray, " times"] | None = None  # cycle phases, where they are not the course's own


def travel(request: Request, quirks: Quirks) -> Scene:
    """A steady walk or run, straight or round a curve."""
    gait = _in_a_turn(request.gait(request.action, request.speed), request.speed * request.turn)
    if request.slope > 0.0:  # the steeper, the sooner the heel has to come up
        gait = gait.changed({}, {"heel_off": -0.6 * request.slope, "knee_strike": request.slope})
    period = float(gait.period)
    times, shown = steady_times(request, quirks, period)
    pace = quirks.pace(times)
    way = course(
        times,
        request.speed * pace,
        request.turn + quirks.wander(times) + _stray(request, quirks, times),
        gait.spread(len(times)),
        cadence=np.sqrt(pace) / period,  # faster is half longer steps, half quicker ones
        start=start_cycle(quirks),
    )
    return Scene(way, shown, period)


def _in_a_turn(gait: Gait, side_force: float) -> Gait:
    """The gait in a curve: the outer leg has a longer way, so feet leave sooner and knees bend more."""
    k = min(abs(side_force), 4.0)  # metres per second squared
    if gait.flight > 0.5:
        return gait.changed({}, {"knee_strike": 0.05 * k, "toe_off": -0.005 * k})
    shift = {"toe_off": -0.015 * k, "heel_off": -0.012 * k, "knee_late": 0.02 * k}
    return gait.changed({"off_pitch": 1.0 + 0.10 * k}, shift)


def steady_times(
    request: Request, quirks: Quirks, period: float, *, usual: float = 4.0
) -> tuple[Float[np.ndarray, " times"], slice]:
    """The times of a steady motion, and those of them that are shown; ``usual`` is the default number of cycles."""
    cycles = extra_cycles(quirks) + (usual if request.cycles is None else request.cycles)
    return grid(cycles * period if request.seconds is None else request.seconds, request.frame_rate)


def start_cycle(quirks: Quirks) -> float:
    """Where in its cycle a clip starts."""
    return quirks.strength.framing * float(quirks.draw("start").uniform(0.0, 1.0))


def extra_cycles(quirks: Quirks) -> float:
    """How much longer than asked for a clip runs on, so that its ends do not match."""
    return quirks.strength.framing * float(quirks.draw("length").uniform(0.05, 0.85))


def _stray(request: Request, quirks: Quirks, times: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
    """Turn rates of a staggering walk, rad/s; they cancel out in the long run."""
    if request.manner.stagger == 0.0:
        return np.zeros_like(times)
    first, second = quirks.draw("stray").uniform(0.0, TURN, 2)
    sway = 0.6 * np.sin(TURN * times / 3.1 + first) + 0.4 * np.sin(TURN * times / 1.9 + second)
    return np.asarray(STRAY * request.manner.stagger * sway)
