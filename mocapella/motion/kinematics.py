"""Forward kinematics: from local rotations to positions in the world, of many poses at once or of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.geometry.scalar import Quaternion, Vector
from mocapella.motion.skeleton import Skeleton

Positions = Float[np.ndarray, "*batch joints 3"]
Rotations = Float[np.ndarray, "*batch joints 4"]

_BLOCK = 2048  # poses worked on together: enough to hide the calls, few enough for the cache (measured)


def forward(
    skeleton: Skeleton,
    root_positions: Float[np.ndarray, "*batch 3"],
    rotations_wxyz: Rotations,
    offsets: Positions | None = None,
) -> tuple[Positions, Rotations]:
    """World positions and world rotations of every joint, for many poses.

    Positions are in metres; ``rotations_wxyz`` are local unit quaternions. ``offsets`` replace the skeleton's where
    joints slide as well as turn; the root's entry is not used.
    """
    batch, n_joints = rotations_wxyz.shape[:-2], skeleton.n_joints
    if rotations_wxyz.shape[-2] != n_joints:
        raise ValueError(f"the skeleton has {n_joints} joints, the rotations are of {rotations_wxyz.shape[-2]}")
    local = rotations_wxyz.reshape(-1, n_joints, 4)
    roots = root_positions.reshape(-1, 3)
    if len(roots) != len(local):
        raise ValueError(f"expected a root position for each of {len(local)} poses, got {len(roots)}")
    slid = (skeleton.offsets if offsets is None else offsets).reshape(-1, n_joints, 3).transpose(2, 1, 0)
    positions = np.empty((len(local), n_joints, 3))
    world = np.empty((len(local), n_joints, 4))
    for start in range(0, len(local), _BLOCK):
        block = slice(start, start + _BLOCK)
        block_offsets = slid if offsets is None else slid[..., block]
        positions[block], world[block] = _pose_block(skeleton, roots[block], local[block], block_offsets)
    return positions.reshape(*batch, n_joints, 3), world.reshape(*batch, n_joints, 4)


def forward_pose(
    skeleton: Skeleton, root_position: Float[np.ndarray, 3], rotations_wxyz: Float[np.ndarray, "joints 4"]
) -> tuple[Float[np.ndarray, "joints 3"], Float[np.ndarray, "joints 4"]]:
    """``forward`` for a single pose, in a tenth of the time: plain floats instead of arrays of one."""
    (px, py, pz), ((w, x, y, z), *turns) = root_position.tolist(), rotations_wxyz.tolist()
    positions, world = place_joints(skeleton.links, (px, py, pz), (w, x, y, z), turns)
    return np.array(positions), np.array(world)


def place_joints(
    links: Iterable[tuple[int, Vector]], root: Vector, root_turn: Quaternion, turns: Iterable[Sequence[float]]
) -> tuple[list[Vector], list[Quaternion]]:
    """World positions and rotations of the root and of joints that hang on it, of one pose in plain floats.

    ``links`` give for each joint but the root: which of the joints before it, the root being 0, it hangs on, and its
    offset. ``root`` and ``root_turn`` are the position (metres) and rotation of the root in the world. ``turns`` are
    the joints' local rotations.
    """
    positions, world = [root], [root_turn]
    # Written out: a player does this for both legs at every step, and calls would double the time.
    for (parent, (a, b, c)), (i, j, k, m) in zip(links, turns, strict=True):
        px, py, pz = positions[parent]
        w, x, y, z = world[parent]
        tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
        ox, oy, oz = a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx
        positions.append((px + ox, py + oy, pz + oz))
        qw, qx = w * i - x * j - y * k - z * m, w * j + x * i + y * m - z * k
        qy, qz = w * k - x * m + y * i + z * j, w * m + x * k - y * j + z * i
        world.append((qw, qx, qy, qz))
    return positions, world


def end_positions(
    skeleton: Skeleton, positions: Positions, world_wxyz: Rotations
) -> Float[np.ndarray, "*batch ends 3"]:
    """World positions of the end sites, from what ``forward`` returned."""
    at = skeleton.end_joints
    return np.asarray(positions[..., at, :] + quaternions.rotate(world_wxyz[..., at, :], skeleton.end_offsets))


def local_rotations(skeleton: Skeleton, world_wxyz: Rotations) -> Rotations:
    """Local rotations from world rotations, the inverse of ``forward``; the root's stays as it is."""
    local = np.array(world_wxyz)
    local[..., 1:, :] = quaternions.seen_from(world_wxyz[..., skeleton.parents[1:], :], world_wxyz[..., 1:, :])
    return local


def without_heading(
    rotations_wxyz: Float[np.ndarray, "frames joints 4"], headings: Float[np.ndarray, " frames"] | None = None
) -> Float[np.ndarray, "frames joints 4"]:
    """Local rotations with the heading taken off the root's, which is then a tilt.

    ``headings`` are the yaws to take off, radians; the root's own if None. All other joints are as they were.
    """
    out = np.array(rotations_wxyz)
    yaws = quaternions.yaw(out[:, 0]) if headings is None else headings
    out[:, 0] = quaternions.multiply(quaternions.about_y(-yaws), out[:, 0])
    return out


def _pose_block(
    skeleton: Skeleton,
    roots: Float[np.ndarray, "poses 3"],
    local: Float[np.ndarray, "poses joints 4"],
    offsets: Float[np.ndarray, "3 joints _"],
) -> tuple[Float[np.ndarray, "poses joints 3"], Float[np.ndarray, "poses joints 4"]]:
    """Positions and world rotations of some poses, whose offsets may differ or be one for all.

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
        ox, oy, oz = offsets[:, level]
        tx, ty, tz = 2.0 * (py * oz - pz * oy), 2.0 * (pz * ox - px * oz), 2.0 * (px * oy - py * ox)
        places[0, level] = places[0, above] + ox + pw * tx + (py * tz - pz * ty)
        places[1, level] = places[1, above] + oy + pw * ty + (pz * tx - px * tz)
        places[2, level] = places[2, above] + oz + pw * tz + (px * ty - py * tx)
    return places.transpose(2, 1, 0), planes.transpose(2, 1, 0)
