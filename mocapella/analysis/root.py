"""The root taken apart: its heading and its way over the ground on one side, its tilt and height on the other."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.geometry import euler
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import ROOT_ORDER, Layout
from mocapella.motion.travel import rates_of_path


def resequenced(angles: Float[np.ndarray, "frames axes"], order: str) -> Float[np.ndarray, "frames 3"]:
    """The root's Euler angles of any order as YXZ angles of the same rotations, running on from frame to frame.

    With Y leftmost, it is applied last and turns the whole character about the vertical: no joint changes its height.
    """
    return euler.unroll(euler.resequence(angles, order, ROOT_ORDER), ROOT_ORDER)


def yaw_increments(yaws: Float[np.ndarray, " frames"], *, closing: float | None = None) -> Float[np.ndarray, " frames"]:
    """The change of heading into every frame of a cycle, radians; they add up to the turn per cycle.

    The first frame's increment leads from the last frame over the seam. ``closing`` is the yaw of the frame after the
    last, where it is known; without it that increment is taken midway between its neighbours (eq 5.7).
    """
    if len(yaws) < 2:
        raise MotionError(f"increments need at least two frames, got {len(yaws)}")
    inner = np.diff(yaws)
    first = 0.5 * (inner[-1] + inner[0]) if closing is None else closing - yaws[-1]
    return np.concatenate([[first], inner])


def cut_dofs(cut: Clip, layout: Layout) -> Float[np.ndarray, "closed dofs"]:
    """The dofs of one round as captured, its closing frame included; rates of travel and turn close by nature.

    The rates of the closing frame are those of the first: they are periodic, as no other dof is yet.
    """
    velocities, yaw_rates = rates_of_path(cut.ground_path, cut.headings, cut.frame_rate)
    rates = np.stack([velocities.real, velocities.imag, yaw_rates], axis=-1)
    root = np.concatenate([cut.root_positions[:, 1:2], np.concatenate([rates, rates[:1]])], axis=-1)
    return layout.dofs(without_heading(cut.rotations_wxyz), root)


def neighbour_dofs(clip: Clip, layout: Layout) -> Float[np.ndarray, "frames dofs"]:
    """The dofs of frames beside a round, which have poses and heights; their rates are left at 0."""
    root = np.zeros((clip.n_frames, 4))
    root[:, 0] = clip.root_positions[:, 1]
    return layout.dofs(without_heading(clip.rotations_wxyz), root)
