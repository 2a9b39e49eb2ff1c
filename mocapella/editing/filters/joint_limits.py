"""Joint limits: those of the file, defaults for knees and elbows, and motions kept within them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.editing.rounds import through_rounds
from mocapella.geometry import euler, quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import EulerLayout, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.limb_ik import hinge_axis
from mocapella.rig.names import SIDES
from mocapella.rig.roles import find_roles

_FOLDS = np.radians([-10.0, 170.0])  # of knees and elbows, where a file has no limits
_CHAINS = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))
_NONE = np.zeros(2)  # radians: an axis that may not turn
_BEYOND = 1e-9  # radians: a smaller excess is rounding


def clamp_limits(motion: Clip | Cycle, *, defaults: bool = True) -> Clip | Cycle:
    """The motion with every joint within its limits.

    Limits of an Acclaim skeleton are kept angle by angle. Knees and elbows without any fold from −10° to 170° about the
    axis they fold about in this motion.

    Joints that keep their limits keep every bit.

    Parameters
    ----------
    defaults
        Limit knees and elbows for which the file says nothing.
    """
    if isinstance(motion, Cycle):
        return through_rounds(motion, lambda clip: _clamped(clip, defaults))
    return _clamped(motion, defaults)


def limited_joints(skeleton: Skeleton) -> Bool[np.ndarray, " joints"]:
    """The joints for which a file gives limits. Returns True where an angle is limited."""
    return np.asarray(np.isfinite(skeleton.limits).any(axis=(1, 2)))


def _clamped(clip: Clip, defaults: bool) -> Clip:
    rotations = np.array(clip.rotations_wxyz)
    limited = limited_joints(clip.skeleton)
    limited[0] = False  # the root is free in the world
    _clamp_angles(clip.skeleton, rotations, np.flatnonzero(limited))
    clip = replace(clip, rotations_wxyz=rotations)
    for joint, chain in hinge_chains(clip.skeleton).items() if defaults else ():
        if not limited[joint]:
            clip = _clamp_fold(clip, chain)
    return clip


def hinge_chains(skeleton: Skeleton) -> dict[int, list[int]]:
    """For every knee and elbow: the joints above it, at it and below it."""
    roles = find_roles(skeleton)
    chains = [[roles[side + part] for part in parts if side + part in roles] for parts in _CHAINS for side in SIDES]
    return {chain[1]: chain for chain in chains if len(chain) == 3}


def hinge_folds(clip: Clip, chain: list[int]) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, " frames"]]:
    """The axis that a knee or elbow folds about, in the frame of what it hangs on, and its folds, radians."""
    top, middle, end = (clip.positions[:, joint] for joint in chain)
    frames_wxyz = clip.world[1][:, clip.skeleton.parents[chain[1]]]
    axis = hinge_axis(middle - top, end - middle, frames_wxyz)
    across = quaternions.rotate(frames_wxyz, axis)
    upper, lower = (rod - np.einsum("fi,fi->f", rod, across)[:, None] * across for rod in (middle - top, end - middle))
    sines, cosines = np.einsum("fi,fi->f", np.cross(upper, lower), across), np.einsum("fi,fi->f", upper, lower)
    return axis, np.arctan2(sines, cosines)


def _clamp_angles(
    skeleton: Skeleton, rotations: Float[np.ndarray, "frames joints 4"], joints: Int[np.ndarray, " some"]
) -> None:
    """Clamp angles in the order and frame of the file, in place."""
    layout = layout_of("euler", skeleton)
    assert isinstance(layout, EulerLayout)
    for joint in joints:
        order, axes = layout.orders[joint], skeleton.axes_wxyz[joint]
        local = quaternions.seen_from(axes, quaternions.multiply(rotations[:, joint], axes))
        angles = euler.unroll(euler.from_quaternion(local, order), order)
        angles -= 2.0 * np.pi * np.round(np.median(angles, axis=0) / (2.0 * np.pi))
        free = skeleton.rotation_orders[joint] or order  # an axis that the file's joint lacks stays at 0
        bounds = np.stack([skeleton.limits[joint, "XYZ".index(axis)] if axis in free else _NONE for axis in order])
        other = euler.other_set(angles, order) if len(set(order)) == 3 else angles
        other = other - 2.0 * np.pi * np.round(other / (2.0 * np.pi))
        beyond, beyond_other = (
            np.maximum(bounds[:, 0] - a, a - bounds[:, 1]).clip(0.0).sum(axis=1) for a in (angles, other)
        )
        angles = np.where((beyond_other < beyond)[:, None], other, angles)  # a rotation has two sets of angles
        clamped = np.clip(angles, bounds[:, 0], bounds[:, 1])
        off = (np.abs(clamped - angles) > _BEYOND).any(axis=1)
        if off.any():
            turned = euler.to_quaternion(clamped[off], order)
            rotations[off, joint] = quaternions.multiply(
                axes, quaternions.multiply(turned, quaternions.conjugate(axes))
            )


def _clamp_fold(clip: Clip, chain: list[int]) -> Clip:
    """Keep the fold of a hinge between limits, by turning what hangs on it about the hinge's axis."""
    axis, fold = hinge_folds(clip, chain)
    least, most = _FOLDS
    # A fold just beyond half a turn is one that went too far, not one that went backwards.
    fold = np.where(fold < least - 0.5 * (2.0 * np.pi - (most - least)), fold + 2.0 * np.pi, fold)
    turn = np.clip(fold, least, most) - fold
    off = turn != 0.0
    if not off.any():
        return clip
    rotations = np.array(clip.rotations_wxyz)
    by = quaternions.from_rotvec(turn[off, None] * axis)
    rotations[off, chain[1]] = quaternions.multiply(by, rotations[off, chain[1]])
    return replace(clip, rotations_wxyz=rotations)
