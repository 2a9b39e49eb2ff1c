"""Forward kinematics: from local rotations to places in the world, many poses at once."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.motion.skeleton import Skeleton

_BLOCK = 2048  # poses worked on together: enough to hide the calls, few enough for the cache (measured)


def forward(
    skeleton: Skeleton,
    root_positions: Float[np.ndarray, "*batch 3"],
    rotations_wxyz: Float[np.ndarray, "*batch joints 4"],
    offsets: Float[np.ndarray, "*batch joints 3"] | None = None,
) -> tuple[Float[np.ndarray, "*batch joints 3"], Float[np.ndarray, "*batch joints 4"]]:
    """World positions and world rotations of every joint.

    ``offsets`` replaces the skeleton's where joints slide as well as turn; the root's entry is not used.
    """
    batch, n_joints = rotations_wxyz.shape[:-2], skeleton.n_joints
    if rotations_wxyz.shape[-2] != n_joints:
        raise ValueError(f"the skeleton has {n_joints} joints, the rotations are of {rotations_wxyz.shape[-2]}")
    local = rotations_wxyz.reshape(-1, n_joints, 4)
    roots = root_positions.reshape(-1, 3)
    if len(roots) != len(local):
        raise ValueError(f"expected a root position for each of {len(local)} poses, got {len(roots)}")
    slid = None if offsets is None else offsets.reshape(-1, n_joints, 3)
    positions = np.empty((len(local), n_joints, 3))
    world = np.empty((len(local), n_joints, 4))
    for start in range(0, len(local), _BLOCK):
        block = slice(start, start + _BLOCK)
        _pose_block(
            skeleton, roots[block], local[block], None if slid is None else slid[block], positions[block], world[block]
        )
    return positions.reshape(*batch, n_joints, 3), world.reshape(*batch, n_joints, 4)


def end_positions(
    skeleton: Skeleton,
    positions: Float[np.ndarray, "*batch joints 3"],
    world_wxyz: Float[np.ndarray, "*batch joints 4"],
) -> Float[np.ndarray, "*batch ends 3"]:
    """World positions of the end sites, from what ``forward`` returned."""
    at = skeleton.end_joints
    return np.asarray(positions[..., at, :] + quaternions.rotate(world_wxyz[..., at, :], skeleton.end_offsets))


def local_rotations(
    skeleton: Skeleton, world_wxyz: Float[np.ndarray, "*batch joints 4"]
) -> Float[np.ndarray, "*batch joints 4"]:
    """Local rotations whose world rotations are these: what ``forward`` undoes."""
    local = np.array(world_wxyz)
    above = world_wxyz[..., skeleton.parents[1:], :]
    local[..., 1:, :] = quaternions.multiply(quaternions.conjugate(above), world_wxyz[..., 1:, :])
    return local


def without_heading(
    rotations_wxyz: Float[np.ndarray, "frames joints 4"], headings: Float[np.ndarray, " frames"] | None = None
) -> Float[np.ndarray, "frames joints 4"]:
    """Local rotations with the heading taken off the root's, which is then a tilt.

    Parameters
    ----------
    rotations_wxyz
        Local rotations, the root's first.
    headings
        The yaw to take off in each frame, radians; the root's own if None.

    Returns
    -------
    array of shape (frames, joints, 4)
        A new array; all joints but the root are as they were.
    """
    out = np.array(rotations_wxyz)
    yaws = quaternions.yaw(out[:, 0]) if headings is None else headings
    out[:, 0] = quaternions.multiply(quaternions.about_y(-yaws), out[:, 0])
    return out


def _pose_block(
    skeleton: Skeleton,
    roots: Float[np.ndarray, "poses 3"],
    local: Float[np.ndarray, "poses joints 4"],
    slid: Float[np.ndarray, "poses joints 3"] | None,
    positions: Float[np.ndarray, "poses joints 3"],
    world: Float[np.ndarray, "poses joints 4"],
) -> None:
    """Fill ``positions`` and ``world``.

    Components lie in planes of their own here, (joints, poses) each, and a whole level of the tree is multiplied out at
    once: every numpy call then runs over long contiguous rows.
    """
    planes = np.ascontiguousarray(local.transpose(2, 1, 0))
    places = np.empty((3, skeleton.n_joints, len(local)))
    places[:, 0] = roots.T
    for level in skeleton.levels[1:]:
        above = skeleton.parents[level]
        pw, px, py, pz = planes[:, above]  # already world rotations: their level is done
        w, x, y, z = planes[:, level]
        planes[0, level] = pw * w - px * x - py * y - pz * z
        planes[1, level] = pw * x + px * w + py * z - pz * y
        planes[2, level] = pw * y - px * z + py * w + pz * x
        planes[3, level] = pw * z + px * y - py * x + pz * w
        if slid is None:
            ox, oy, oz = skeleton.offsets[level].T[:, :, None]
        else:
            ox, oy, oz = slid[:, level].transpose(2, 1, 0)
        tx, ty, tz = 2.0 * (py * oz - pz * oy), 2.0 * (pz * ox - px * oz), 2.0 * (px * oy - py * ox)
        places[0, level] = places[0, above] + ox + pw * tx + (py * tz - pz * ty)
        places[1, level] = places[1, above] + oy + pw * ty + (pz * tx - px * tz)
        places[2, level] = places[2, above] + oz + pw * tz + (px * ty - py * tx)
    positions[:] = places.transpose(2, 1, 0)
    world[:] = planes.transpose(2, 1, 0)
