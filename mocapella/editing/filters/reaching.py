"""A joint brought to a place at one moment: a chain of joints is solved there, and the change spread over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from jaxtyping import Float, Int

from mocapella.editing.edits import UNREACHABLE, with_findings
from mocapella.editing.filters.dof_columns import joint_named
from mocapella.editing.filters.joint_limits import limited_joints
from mocapella.editing.parameters import Domain, EditError, Frame, JointName, Place, Seconds
from mocapella.editing.rounds import ROUNDS, through_rounds
from mocapella.geometry import quaternions
from mocapella.geometry.curves import ease
from mocapella.geometry.solvers import SOLVERS, Chain, solve_chain
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.report import Finding
from mocapella.stages import refuse_no_motion

_FURTHEST = np.pi  # radians that a joint without limits turns at most
_NEAR = 1e-3  # metres: a miss that is reported
_DEFAULT_CHAIN = 3  # joints above the end that turn, where no base is named


def reach(
    motion: Clip | Cycle,
    *,
    joint: JointName,
    frame: Frame,
    place: Place,
    base: JointName = "",
    span: Seconds = 0.5,
    solver: Annotated[str, Domain(choices=tuple(SOLVERS))] = "damped_least_squares",
) -> Clip | Cycle:
    """The motion with a joint at a place in one frame, led there and back over some time.

    The joints between ``base`` and ``joint`` are turned by a general solver, within about the limits of the skeleton.

    A place out of reach is a finding in the report of a clip. Raises ``EditError`` where frame, joints or place do not
    exist, or ``base`` does not carry ``joint``.

    Parameters
    ----------
    motion
        A clip, or a cycle, in which the joint goes there in every round.
    joint
        By name or role.
    frame
        A row of the file. For a cycle one of its frames.
    place
        X, y, z (m). For a cycle in its first round, which begins at the origin.
    base
        The first joint that turns; the third above if left out.
    span
        Before and after over which the change grows and goes (s).
    solver
        How the chain is solved.
    """
    if solver not in SOLVERS:
        raise EditError(expected=f"a solver of {', '.join(SOLVERS)}", got=solver)
    rows, places = in_every_round(motion, frame, place) if isinstance(motion, Cycle) else dragged(motion, frame, place)

    def reached(clip: Clip) -> Clip:
        for row, goal in zip(rows.tolist(), places, strict=True):
            clip = _reached(clip, joint, row, goal, base, span, solver)
        return clip

    return through_rounds(motion, reached) if isinstance(motion, Cycle) else reached(motion)


def dragged(
    motion: Clip | Cycle, frame: int, place: Sequence[float | int]
) -> tuple[Int[np.ndarray, "1"], Float[np.ndarray, "1 3"]]:
    """When and where a joint is to be: one frame of the motion, from 0, and one place.

    ``frame`` is a row of the source of a clip, or a frame of a cycle. Raises ``EditError`` where the motion has no such
    frame, or the place is not three finite numbers.
    """
    refuse_no_motion(motion)
    first = motion.first_row if isinstance(motion, Clip) else 0
    if not 0 <= frame - first < motion.n_frames:
        raise EditError(expected=f"a frame from {first} to {first + motion.n_frames - 1}", got=frame)
    goal = np.asarray(place, dtype=np.float64)
    if goal.shape != (3,) or not np.isfinite(goal).all():
        raise EditError(expected="a place of three numbers, x, y, z", got=tuple(place))
    return np.array([frame - first]), goal[None]


def in_every_round(
    cycle: Cycle, frame: int, place: Sequence[float | int]
) -> tuple[Int[np.ndarray, " rounds"], Float[np.ndarray, "rounds 3"]]:
    """``dragged`` of a cycle, once in every round that ``through_rounds`` edits.

    Returns a frame and a place for each round; the places move on with the cycle.
    """
    (row,), (goal,) = dragged(cycle, frame, place)
    rounds = np.arange(ROUNDS)
    clip = cycle.to_clip(rounds=ROUNDS)
    begins = rounds * cycle.n_frames
    turned = np.exp(1j * (clip.headings[begins] - clip.headings[0]))
    along = clip.ground_path[begins] + turned * (complex(goal[2], goal[0]) - clip.ground_path[0])
    return row + begins, np.stack([along.imag, np.full(ROUNDS, goal[1]), along.real], axis=1)


def _reached(motion: Clip, joint: str, at: int, goal: np.ndarray, base: str, span: float, solver: str) -> Clip:
    """A clip with the joint at a place in a frame."""
    joints = _chain(motion, joint, base)
    chain = _posed(motion, joints, joint_named(motion.skeleton, joint), at)
    solution = solve_chain(chain, goal - motion.positions[at, joints[0]], solver=solver)
    turns = _rotvecs(solution.angles.reshape(-1, 3))
    shares = ease(1.0 - np.abs(np.arange(motion.n_frames) - at) / max(span * motion.frame_rate, 1.0))
    rotations = np.array(motion.rotations_wxyz)
    active = np.flatnonzero(shares > 0.0)
    where = np.ix_(active, np.array(joints))
    by = quaternions.from_rotvec(shares[active, None, None] * turns)
    rotations[where] = quaternions.multiply(rotations[where], by)
    reached = replace(motion, rotations_wxyz=rotations)
    if solution.error <= _NEAR:
        return reached
    text = f"{joint} misses its place by {1000.0 * solution.error:.0f} mm"
    return with_findings(reached, Finding(UNREACHABLE, text, (at + motion.first_row,)))


def _chain(motion: Clip, joint: str, base: str) -> list[int]:
    """The joints that turn, from the base to the one above the end."""
    skeleton = motion.skeleton
    path = skeleton.path(joint_named(skeleton, joint))[1:]  # what hangs on the joint itself does not move it
    if not path:
        raise EditError(f"{joint} is the root, which no joint turns", helps="move the clip instead")
    if not base:
        return ([above for above in path if above != 0][:_DEFAULT_CHAIN] or path)[::-1]
    first = joint_named(skeleton, base)
    if first not in path:
        raise EditError(f"{base} does not carry {joint}", helps="name a joint between the root and it")
    return path[: path.index(first) + 1][::-1]


def _posed(motion: Clip, joints: list[int], end: int, at: int) -> Chain:
    """A chain in the pose of one frame: three hinges a joint, about its own axes; angles are turns from there."""
    positions, world = motion.positions[at], motion.world[1][at]
    axes, rods, limits = [], [], []
    limited = limited_joints(motion.skeleton)
    for i, joint in enumerate(joints):
        following = joints[i + 1] if i + 1 < len(joints) else end
        for axis in range(3):
            axes.append(quaternions.rotate(world[joint], np.eye(3)[axis]))
            rods.append(positions[following] - positions[joint] if axis == 2 else np.zeros(3))
            limits.append(_room(motion, joint, axis, at) if limited[joint] else (-_FURTHEST, _FURTHEST))
    return Chain.of(axes, rods, limits=limits)


def _room(motion: Clip, joint: int, axis: int, at: int) -> tuple[float, float]:
    """How far a joint may turn further about an axis of its own, from its limits and its turn about it now."""
    least, most = motion.skeleton.limits[joint, axis].tolist()
    now = float(quaternions.to_rotvec(motion.rotations_wxyz[at, joint])[axis])
    return float(np.clip(least - now, -_FURTHEST, 0.0)), float(np.clip(most - now, 0.0, _FURTHEST))


def _rotvecs(angles: Float[np.ndarray, "joints 3"]) -> Float[np.ndarray, "joints 3"]:
    """Turns about x, then the turned y, then the turned z, each as one rotation vector."""
    out = np.tile(quaternions.IDENTITY, (len(angles), 1))
    for axis in range(3):
        out = quaternions.multiply(out, quaternions.from_rotvec(angles[:, axis, None] * np.eye(3)[axis]))
    return quaternions.to_rotvec(out)
