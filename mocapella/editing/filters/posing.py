"""A joint dragged to a place: the rest of the body follows as little as it must, and pinned joints stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.editing.edits import UNREACHABLE, with_findings
from mocapella.editing.filters.dof_columns import joint_named
from mocapella.editing.filters.joint_limits import hinge_chains, hinge_folds
from mocapella.editing.filters.reaching import dragged, in_every_round
from mocapella.editing.parameters import EditError, Frame, JointName, JointNames, Place, Seconds
from mocapella.editing.rounds import through_rounds
from mocapella.geometry import quaternions
from mocapella.geometry.curves import ease
from mocapella.geometry.projection import project
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.report import Finding
from mocapella.rig.names import SIDES
from mocapella.rig.roles import find_roles

_PINS = ("left_ankle", "right_ankle")
_FOLDS = np.radians([2.0, 170.0])  # what knees and elbows are kept within, where the capture is
_LIMBS = ("hip", "shoulder")  # joints that give way as easily as knees and elbows


class _PoseSettings(NamedTuple):
    """How the joints of a body give way to a joint that is dragged."""

    trunk: float = 0.2  # how easily joints of the trunk turn, beside 1 of limbs
    root_turns: float = 0.05  # the same of the root about its axes
    root_moves: float = 0.05  # the same of the root's place, in heights of the body
    damping: float = 0.02  # of the body's height, towards places out of reach
    steps: int = 40  # towards the place
    settling: int = 12  # steps after these, of the pins alone
    longest_step: float = 0.3  # radians
    tries: int = 5  # each less far than the one before
    near: float = 1e-3  # metres: a larger miss is reported


_POSE = _PoseSettings()


def pose(
    motion: Clip | Cycle, *, joint: JointName, frame: Frame, place: Place, pins: JointNames = _PINS, span: Seconds = 0.5
) -> Clip | Cycle:
    """The motion with a joint at a place in one frame; the whole body helps, and pinned joints stay where they are.

    In every frame the pose is the nearest to the captured one that has the joint where it should be and the pins where
    they were, by constraint projection: limbs give way more easily than the trunk, the trunk more easily than the root.
    Knees and elbows turn about their hinges only and do not fold backwards. Pinned joints keep how they are turned.

    A place out of reach is a finding in the report of a clip. Raises ``EditError`` where frame, joints or place do not
    exist, or a pin is the joint itself.

    Parameters
    ----------
    motion
        A clip, or a cycle, in which the joint goes there in every round.
    joint
        By name or role. The root can be one.
    frame
        A row of the file. For a cycle one of its frames.
    place
        X, y, z (m). For a cycle in its first round, which begins at the origin.
    pins
        Joints that stay where they are. By name or role, in every frame.
    span
        Before and after over which the change grows and goes (s).
    """
    if isinstance(motion, Cycle):
        rows, places = in_every_round(motion, frame, place)
        return through_rounds(motion, lambda clip: _posed(clip, joint, rows, places, pins, span))
    return _posed(motion, joint, *dragged(motion, frame, place), pins, span)


def _posed(
    clip: Clip,
    joint: str,
    rows: Int[np.ndarray, " keys"],
    places: Float[np.ndarray, "keys 3"],
    pins: Sequence[str],
    span: float,
) -> Clip:
    """A clip with the joint at each place in its frame."""
    skeleton = clip.skeleton
    moved = joint_named(skeleton, joint)
    held = [joint_named(skeleton, name) for name in pins]
    if moved in held:
        raise EditError(f"{joint} cannot both stay and be moved", helps="leave it out of pins")
    ends = [*dict.fromkeys(held), moved]
    rotations, roots = np.array(clip.rotations_wxyz), np.array(clip.root_positions)
    shares = ease(1.0 - np.abs(np.arange(clip.n_frames)[:, None] - rows) / max(span * clip.frame_rate, 1.0))
    active = np.flatnonzero(shares.max(axis=1) > 0.0)
    captured = clip.positions[active][:, ends]
    away = shares[active] @ (places - clip.positions[rows, moved])
    body = _Body.of(clip, active, ends)
    share = 1.0
    for _ in range(_POSE.tries):
        goals = captured.copy()
        goals[:, -1] += share * away
        rotations[active], roots[active], short = body.solved(goals)
        if not (short > _POSE.near).any():
            break
        # A body that is stretched to its limit shakes from frame to frame; a little less far it does not.
        far = np.linalg.norm(share * away, axis=-1)[short > _POSE.near]
        share *= float(np.clip(0.98 - (short[short > _POSE.near] / far), 0.1, 0.98).min())
    missed = (1.0 - share) * np.linalg.norm(away, axis=-1) + short
    posed = replace(clip, rotations_wxyz=rotations, root_positions=roots)
    off = active[missed > _POSE.near]
    if not len(off) or len(rows) > 1:  # of a cycle there is no report
        return posed
    text = f"{joint} misses its place by up to {1000.0 * missed.max():.0f} mm"
    return with_findings(posed, Finding(UNREACHABLE, text, tuple((off + clip.first_row).tolist())))


@dataclass(frozen=True, eq=False)
class _Body:
    """Frames of a clip, and the degrees of freedom that move some ends of it.

    First come the three of the root's place, then those of joints: each an axis in the frame of what the joint hangs
    on, or in the world for the root.
    """

    clip: Clip
    frames: Int[np.ndarray, " frames"]
    ends: tuple[int, ...]  # the last one is moved, the others stay
    joints: Int[np.ndarray, " axes"]  # of every axis
    axes: Float[np.ndarray, "axes 3"]
    compliance: Float[np.ndarray, " dofs"]
    lower: Float[np.ndarray, "frames axes"]  # how far each may turn from the captured pose, radians
    upper: Float[np.ndarray, "frames axes"]
    carries: Float[np.ndarray, "axes ends"]  # 1 where a joint moves an end

    @classmethod
    def of(cls, clip: Clip, frames: Int[np.ndarray, " frames"], ends: list[int]) -> _Body:
        """All joints between the root and the ends; knees and elbows as hinges."""
        chains, roles = hinge_chains(clip.skeleton), find_roles(clip.skeleton)
        soft = {*chains, *(roles[side + name] for name in _LIMBS for side in SIDES if side + name in roles)}
        paths = [clip.skeleton.path(end)[1:] for end in ends]
        joints, axes, lower, upper = [], [], [], []
        for joint in sorted({0}.union(*paths)):
            if joint in chains:
                axis, fold = hinge_folds(clip, chains[joint])
                joints.append(joint)
                axes.append(axis)
                lower.append(np.minimum(_FOLDS[0] - fold[frames], 0.0))
                upper.append(np.maximum(_FOLDS[1] - fold[frames], 0.0))
            else:
                joints += [joint] * 3
                axes += list(np.eye(3))
                lower += [np.full(len(frames), -np.inf)] * 3
                upper += [np.full(len(frames), np.inf)] * 3
        size = float(np.ptp(clip.positions[frames], axis=1).max())
        give = [_POSE.root_turns if joint == 0 else 1.0 if joint in soft else _POSE.trunk for joint in joints]
        return cls(
            clip,
            frames,
            tuple(ends),
            np.array(joints),
            np.array(axes),
            np.array([_POSE.root_moves * size**2] * 3 + give),
            np.stack(lower, axis=1),
            np.stack(upper, axis=1),
            np.array([[float(joint in path) for path in paths] for joint in joints]),
        )

    def solved(
        self, goals: Float[np.ndarray, "frames ends 3"]
    ) -> tuple[Float[np.ndarray, "frames joints 4"], Float[np.ndarray, "frames 3"], Float[np.ndarray, " frames"]]:
        """Rotations and root positions of the frames, and how far the moved end misses its place, metres."""
        clip = self.clip
        n_rows, n_pins = 3 * len(self.ends), 3 * (len(self.ends) - 1)
        angles = np.zeros((len(self.frames), len(self.joints)))
        roots = np.zeros((len(self.frames), 3))
        far = np.linalg.norm(goals[:, -1] - clip.positions[self.frames, self.ends[-1]], axis=-1)
        pulling = np.zeros(n_rows)
        pulling[n_pins:] = _POSE.damping * float(np.ptp(clip.positions[self.frames], axis=1).max())
        for step in range(_POSE.steps + _POSE.settling):
            places, world = self._placed(angles, roots)
            errors = (goals - places[:, list(self.ends)]).reshape(len(goals), -1)
            held = self._jacobian(places, world)
            free = np.concatenate([np.ones_like(roots), self._free(angles)], axis=1)
            state = np.concatenate([roots, angles], axis=1)
            compliance = self.compliance * free
            if step < _POSE.steps:
                near = np.clip(np.linalg.norm(errors[:, n_pins:], axis=-1) / np.maximum(far, _POSE.near), 0.0, 1.0)
                damping = pulling * near[:, None]
                change, _ = project(held, -state / self.compliance, compliance, errors, damping=damping)
            else:  # pins first: what is out of reach must not move them
                change, _ = project(held[:, :n_pins], np.zeros_like(state), compliance, errors[:, :n_pins])
            most = np.abs(change[:, 3:]).max(axis=1, initial=0.0)
            change = change * np.minimum(1.0, _POSE.longest_step / np.maximum(most, 1e-12))[:, None]
            roots = roots + change[:, :3]
            angles = np.clip(angles + change[:, 3:], self.lower, self.upper)
        places, world = self._placed(angles, roots)
        missed = np.linalg.norm(goals[:, -1] - places[:, self.ends[-1]], axis=-1)
        rotations = self._turned(angles)
        captured = clip.world[1][self.frames]
        for end in self.ends[:-1]:
            if end != 0:
                rotations[:, end] = quaternions.seen_from(world[:, clip.skeleton.parents[end]], captured[:, end])
        return rotations, clip.root_positions[self.frames] + roots, missed

    def _free(self, angles: Float[np.ndarray, "frames axes"]) -> Float[np.ndarray, "frames axes"]:
        """1 for axes that may turn on; 0 for hinges at a limit that were brought there."""
        return np.where(
            (angles <= self.lower) & (self.lower < 0.0) | (angles >= self.upper) & (self.upper > 0.0), 0.0, 1.0
        )

    def _turned(self, angles: Float[np.ndarray, "frames axes"]) -> Float[np.ndarray, "frames joints 4"]:
        rotations = np.array(self.clip.rotations_wxyz[self.frames])
        for joint in np.unique(self.joints):
            columns = self.joints == joint
            by = quaternions.from_rotvec(angles[:, columns] @ self.axes[columns])
            rotations[:, joint] = quaternions.multiply(by, rotations[:, joint])
        return rotations

    def _placed(
        self, angles: Float[np.ndarray, "frames axes"], roots: Float[np.ndarray, "frames 3"]
    ) -> tuple[Float[np.ndarray, "frames joints 3"], Float[np.ndarray, "frames joints 4"]]:
        clip = self.clip
        slid = clip.offsets_of(np.arange(clip.skeleton.n_joints))[self.frames] if len(clip.sliding_joints) else None
        at = clip.root_positions[self.frames] + roots
        return kinematics.forward(clip.skeleton, at, self._turned(angles), slid)

    def _jacobian(
        self, places: Float[np.ndarray, "frames joints 3"], world: Float[np.ndarray, "frames joints 4"]
    ) -> Float[np.ndarray, "frames rows dofs"]:
        """How the ends move with each degree of freedom; of a joint turned far, about, which steps make up for."""
        above = np.array([max(int(self.clip.skeleton.parents[joint]), 0) for joint in self.joints])
        frames_of = np.where((self.joints == 0)[None, :, None], quaternions.IDENTITY, world[:, above])
        turning = quaternions.rotate(frames_of, self.axes)
        arms = places[:, list(self.ends), None, :] - places[:, None, self.joints]
        moved = np.cross(turning[:, None], arms) * self.carries.T[None, :, :, None]  # (frames, ends, axes, 3)
        n_frames, n_ends = moved.shape[:2]
        rows = np.swapaxes(moved, -1, -2).reshape(n_frames, 3 * n_ends, -1)
        steady = np.broadcast_to(np.tile(np.eye(3), (n_ends, 1)), (n_frames, 3 * n_ends, 3))
        return np.concatenate([steady, rows], axis=-1)
