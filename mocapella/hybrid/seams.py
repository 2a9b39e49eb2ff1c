"""Seams: how far a cycle is from a clip where one is played after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cycles.search import pose_distance
from mocapella.analysis.fourier import synthesise
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import ground_alignment
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.kinematics import without_heading
from mocapella.motion.pose import Pose


@dataclass(frozen=True)
class Seam:
    """The jump of a body where a cycle and a clip meet."""

    pose: float  # metres: joints, one pose laid over the other on the ground, mean
    turn: float  # radians: the joint furthest off
    velocity: float  # radians per second: the change of the joint that changes most

    def __str__(self) -> str:
        return f"{100 * self.pose:.1f} cm, at most {np.degrees(self.turn):.1f}°, and {np.degrees(self.velocity):.0f}°/s"


def _seam_at(cycle: Cycle, phase: float, clip: Clip, frame: int, *, into: bool) -> Seam:
    """How a cycle at a phase differs from a clip at a frame.

    ``into``: the cycle leads to the clip, so movement is compared over the frame time before they meet; otherwise the
    clip leads to the cycle, and it is the one after. Heading and place on the ground are left out: both are carried on.
    """
    at = 1 if into else 0  # which of two frames is the one where they meet
    own = cycle.starting_at(phase - at * TURN / cycle.n_frames).to_clip()[:2]
    other = clip[frame - at : frame - at + 2]
    mine, theirs = without_heading(own.rotations_wxyz), without_heading(other.rotations_wxyz)
    return Seam(
        pose=pose_distance(own.positions[at], other.positions[at]),
        turn=float(np.max(quaternions.angle_between(mine[at], theirs[at]))),
        velocity=float(np.linalg.norm(_velocities(own, mine) - _velocities(other, theirs), axis=-1).max()),
    )


def measured(transition: Transition) -> Transition:
    """The transition with its seams on record, those where the change is left for and where it is arrived from."""
    into, out = _seams(transition, transition.before, transition.after)
    numbers = {
        f"{end}_{key}": value
        for end, seam in (("leave", into), ("arrive", out))
        for key, value in (("pose_m", seam.pose), ("turn_rad", seam.turn), ("velocity_rad_s", seam.velocity))
    }
    note = Decision("seam", f"left with a seam of {into}, arrived at with one of {out}", numbers)
    return replace(transition, decisions=(*transition.decisions, note))


def _seams(change: Transition, old: Cycle, new: Cycle) -> tuple[Seam, Seam]:
    """Where a change is left for from one cycle, and where another is arrived at."""
    return (
        _seam_at(old, change.leave_phase, change.clip, change.leave, into=True),
        _seam_at(new, change.arrive_phase, change.clip, change.arrive, into=False),
    )


def _velocities(clip: Clip, local: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "joints 3"]:
    """How fast joints turn from the first of two frames to the second, each in its own frame, radians per second."""
    moves = quaternions.multiply(quaternions.conjugate(local[0]), local[1])
    return np.asarray(2.0 * clip.frame_rate * quaternions.log(quaternions.shortest(moves)))


@dataclass(frozen=True, eq=False)
class SeamPoses:
    """Both poses where a cycle and a clip meet, the clip's laid over the cycle's on the ground."""

    cycle: Pose
    clip: Pose
    apart: Float[np.ndarray, " joints"]  # metres between the places of each joint
    turned: Float[np.ndarray, " joints"]  # radians between the rotations of each joint, headings left out


def arc_seam_poses(hybrid: HybridNetwork, arc: Arc) -> tuple[SeamPoses, SeamPoses]:
    """The poses that meet where an arc is left for and where it is arrived from, as ``arc_seams`` measures them."""
    change = arc.transition
    old, new = _cycles_beside(hybrid, arc)
    return (
        _poses_at(old, change.leave_phase, change.clip, change.leave),
        _poses_at(new, change.arrive_phase, change.clip, change.arrive),
    )


def _poses_at(cycle: Cycle, phase: float, clip: Clip, frame: int) -> SeamPoses:
    own, other = cycle.starting_at(phase).to_clip()[:1], clip[frame : frame + 1]
    laid = ground_alignment(own.positions[0], other.positions[0])
    over = other.turned(laid.yaw, about=laid.pivot).moved(laid.x - laid.pivot[0], laid.z - laid.pivot[1])
    mine, theirs = without_heading(own.rotations_wxyz), without_heading(other.rotations_wxyz)
    return SeamPoses(
        own.pose(0),
        over.pose(0),
        np.linalg.norm(own.positions[0] - over.positions[0], axis=-1),
        np.asarray(quaternions.angle_between(mine[0], theirs[0])),
    )


def _cycles_beside(hybrid: HybridNetwork, arc: Arc) -> tuple[Cycle, Cycle]:
    """The motion on an arc's source node, and the one that follows it, as cycles."""
    network = hybrid.block(arc.source.block).network
    shown = network.node(arc.source.node).spectrum.truncated(network.n_harmonics)
    change = arc.transition
    return synthesise(shown, change.before.n_frames), synthesise(hybrid.after(arc), change.after.n_frames)


def arc_seams(hybrid: HybridNetwork, arc: Arc) -> tuple[Seam, Seam]:
    """How far the motion on an arc's source node is from its clip, and the clip from the motion that follows.

    Measured at the node itself, weight 1, with as many harmonics as the blocks have. The arc is one of the network's or
    of their versions. A node that several arcs share shows the motion of the first.
    """
    return _seams(arc.transition, *_cycles_beside(hybrid, arc))
