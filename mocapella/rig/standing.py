"""The standing pose of a skeleton: its zero pose if that stands, else one derived from its motion.

It is the mean pose of the motion with trunk upright, legs straight down and feet flat, facing +z.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import SIDES

_UP, _AHEAD = np.eye(3)[1:]
# The rotation of a room whose axis of this name points up, after which it is y: what faced −y faces +z where z was up.
TO_Y = {
    "x": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "y": np.eye(3),
    "z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    "-x": np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "-y": np.diag([-1.0, -1.0, 1.0]),
    "-z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}
_UPRIGHT = 0.8  # cosine between a leg at rest and straight down
_STRAIGHT = 0.85  # of thigh and shank: how far a standing hip is from its ankle
_POINTED = 0.9  # cosine between a foot and straight down: such a foot hangs
_SLOPE = 0.36  # how far the ball of a flat foot is below its ankle, in distances between the two

_LEG_TARGETS = {"hip": -_UP, "knee": -_UP, "ankle": np.sqrt(1 - _SLOPE**2) * _AHEAD - _SLOPE * _UP, "toe": _AHEAD}


def zero_pose_stands(skeleton: Skeleton, roles: Mapping[str, int]) -> bool:
    """Whether identity rotations show a body that stands, its feet flat and left and right alike.

    Returns True as well where the roles of legs and trunk are too few to tell.
    """
    wanted = [f"{side}{part}" for side in SIDES for part in ("hip", "knee", "ankle")]
    top = _top(roles)
    if top is None or not all(role in roles for role in wanted):
        return True
    rest = skeleton.rest_positions
    hips, knees, ankles = (rest[[roles[f"{side}{part}"] for side in SIDES]] for part in ("hip", "knee", "ankle"))
    trunk = rest[top] - hips.mean(axis=0)
    axis = int(np.argmax(np.abs(trunk)))
    up = np.sign(trunk[axis]) * np.eye(3)[axis]
    legs = ankles - hips
    lengths = np.linalg.norm(knees - hips, axis=1) + np.linalg.norm(ankles - knees, axis=1)
    if lengths.min() <= 0.0 or np.linalg.norm(trunk) <= 0.0:
        return True
    stretched = np.linalg.norm(legs, axis=1)
    down = -(legs @ up) >= _UPRIGHT * np.maximum(stretched, 1e-12)
    if not (down.all() and (stretched >= _STRAIGHT * lengths).all() and trunk @ up >= 0.7 * np.linalg.norm(trunk)):
        return False
    crossed = (ankles[0] - ankles[1]) @ (hips[0] - hips[1]) < 0.0
    return not crossed and not any(_hangs(skeleton, roles, side, up) for side in SIDES)


def standing_pose(
    skeleton: Skeleton, roles: Mapping[str, int], rotations_wxyz: Float[np.ndarray, "frames joints 4"]
) -> Float[np.ndarray, "joints 4"] | None:
    """The orientation of every joint in a standing pose that faces +z, with y up.

    ``rotations_wxyz`` are the local rotations of some frames. Orientations are in the world; None where roles of the
    legs or of the trunk are missing, or the hips have no left and up.
    """
    top = _top(roles)
    if top is None or not all(f"{side}{part}" in roles for side in SIDES for part in ("hip", "knee", "ankle")):
        return None
    mean = quaternions.mean(np.moveaxis(rotations_wxyz, 0, 1))
    hips = roles.get("hips", 0)
    upright = _basis(skeleton, mean, hips, roles["left_hip"], roles["right_hip"], top)
    if upright is None:
        return None
    targets = _targets(skeleton, roles, hips, top)
    carriers = set(skeleton.path(hips))  # what is above the hips moves with them
    world = np.tile(quaternions.IDENTITY, (skeleton.n_joints, 1))
    for joint in range(skeleton.n_joints):
        if joint in carriers:
            world[joint] = upright
            continue
        posed = quaternions.multiply(world[skeleton.parents[joint]], mean[joint])
        direction, onward = targets.get(joint, (None, None))
        bone = None if direction is None else _bone(skeleton, joint, onward)
        if direction is not None and bone is not None:
            pointed = quaternions.rotate(posed, bone / np.linalg.norm(bone))
            posed = quaternions.multiply(quaternions.between(pointed, direction), posed)
        world[joint] = posed
    return world


def _top(roles: Mapping[str, int]) -> int | None:
    return next((roles[role] for role in ("head", "neck", "chest", "spine") if role in roles), None)


def _hangs(skeleton: Skeleton, roles: Mapping[str, int], side: str, up: Float[np.ndarray, 3]) -> bool:
    """Whether a foot at rest points straight down."""
    bone = _bone(skeleton, roles[side + "ankle"], roles.get(side + "toe"))
    return bone is not None and float(-(bone @ up)) > _POINTED * float(np.linalg.norm(bone))


def _bone(skeleton: Skeleton, joint: int, towards: int | None) -> Float[np.ndarray, 3] | None:
    """From a joint to its child on the way to another joint, else to its farthest child or end site."""
    child = None if towards is None else _child_on_way(skeleton, joint, towards)
    if child is not None and np.any(skeleton.offsets[child]):
        return np.asarray(skeleton.offsets[child])
    if towards is not None and child is None:
        return None
    bones = [*skeleton.offsets[skeleton.children(joint)], *skeleton.end_offsets[skeleton.end_joints == joint]]
    longest = max(bones, key=lambda bone: float(np.linalg.norm(bone)), default=np.zeros(3))
    return longest if np.any(longest) else None


def _child_on_way(skeleton: Skeleton, upper: int, lower: int) -> int | None:
    way = skeleton.path(lower)
    place = way.index(upper) if upper in way else 0
    return way[place - 1] if place > 0 else None


def _targets(
    skeleton: Skeleton, roles: Mapping[str, int], hips: int, top: int
) -> dict[int, tuple[Float[np.ndarray, 3], int | None]]:
    """Joint → where its bone points in the standing pose, and the joint that the bone leads to."""
    targets: dict[int, tuple[Float[np.ndarray, 3], int | None]] = {}
    for side in SIDES:
        parts = [part for part in _LEG_TARGETS if side + part in roles]
        leg = [roles[side + part] for part in parts]
        for part, joint, onward in zip(parts, leg, [*leg[1:], None], strict=True):
            targets[joint] = _LEG_TARGETS[part], onward
            if onward is not None and joint in (way := skeleton.path(onward)):
                for between in way[1 : way.index(joint)]:
                    targets[between] = _LEG_TARGETS[part], onward
    column = [joint for joint in reversed(skeleton.path(top)) if joint != hips and hips in skeleton.path(joint)]
    for joint, onward in zip(column, [*column[1:], None], strict=True):
        targets[joint] = _UP, onward
    return targets


def _basis(
    skeleton: Skeleton, mean: Float[np.ndarray, "joints 4"], joint: int, left: int, right: int, top: int
) -> Float[np.ndarray, 4] | None:
    """The orientation of a joint in which what hangs left and right of it and above it does so along x and y."""
    aside = _seen_from(skeleton, mean, joint, left) - _seen_from(skeleton, mean, joint, right)
    child = _child_on_way(skeleton, joint, top)
    up = np.zeros(3) if child is None else np.array(skeleton.offsets[child])
    if not np.any(up):
        up = _seen_from(skeleton, mean, joint, top)
    aside_size = float(np.linalg.norm(aside))
    if aside_size <= 0.0:
        return None
    aside = aside / aside_size
    up = up - (up @ aside) * aside
    if np.linalg.norm(up) <= 1e-6 * aside_size:
        return None
    up = up / np.linalg.norm(up)
    return np.asarray(quaternions.from_matrix(np.stack([aside, up, np.cross(aside, up)])))


def _seen_from(skeleton: Skeleton, mean: Float[np.ndarray, "joints 4"], joint: int, other: int) -> Float[np.ndarray, 3]:
    """Where a joint lies in the frame of one above it, in the mean pose."""
    place = np.zeros(3)
    for step in skeleton.path(other):
        if step == joint:
            return place
        turned = quaternions.rotate(mean[step], place) if step != other else 0.0
        place = skeleton.offsets[step] + turned
    return np.zeros(3)
