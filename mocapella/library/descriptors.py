"""Motions as short vectors: descriptors of windows for search, and a signature that identifies a motion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Shaped

from mocapella.geometry import quaternions

if TYPE_CHECKING:  # a search by words starts without what motions need
    from mocapella.motion.clip import Clip

# The joints that tell motions apart on any skeleton; a role that a skeleton lacks stays at the root.
_LEGS = ("left_knee", "left_ankle", "right_knee", "right_ankle")
_POINTS = (*_LEGS, "head", "left_elbow", "left_wrist", "right_elbow", "right_wrist")
WINDOW = 1.0  # seconds that a window looks at
_HOP = 0.5  # seconds from one window to the next
LOOKS = 5  # times within a window
N_TIMES = 16  # times, a quarter of a second apart, that tell a motion
_QUARTER = 0.25  # s
_BUCKET_TIMES = [0, 2]  # which of these times decide where a signature is looked for
N_POINTS = len(_POINTS)
N_NUMBERS = LOOKS * len(_POINTS) * 3 + 2 * LOOKS  # of a window: places of joints, and the course


def windows_of(
    clip: Clip, *, hop: float = _HOP
) -> tuple[Shaped[np.ndarray, "windows numbers"], Shaped[np.ndarray, " windows"]]:
    """The descriptors of a clip, window by window.

    Windows begin ``hop`` seconds apart. The returned ``numbers`` are places of knees, ankles, head,
    elbows and wrists about the root and the way of the root, at five times of a second, seen from the course in the
    middle of the window, in leg lengths; 16-bit floats. Equal motions of bodies of unlike size, wherever on the ground,
    have equal numbers. The returned ``starts`` are the first frame of each window. A clip that is shorter than a window
    has one, as long as the clip.
    """
    from mocapella.motion.loops import smooth_course

    course = smooth_course(clip)
    length = min(round(WINDOW * clip.frame_rate), clip.n_frames - 1)
    starts = np.arange(0, clip.n_frames - length, max(round(hop * clip.frame_rate), 1))
    looks = starts[:, None] + np.round(np.linspace(0, length, LOOKS)).astype(np.int64)
    middle = looks[:, LOOKS // 2]
    scale = leg_length(clip) or 1.0
    joints = _places(clip, _POINTS)[looks]  # about the root, in world axes
    back = quaternions.about_y(-course.headings[middle])
    joints = quaternions.rotate(back[:, None, None], joints) / scale
    way = (course.places[looks] - course.places[middle][:, None]) * np.exp(-1j * course.headings[middle])[:, None]
    ground = np.stack([way.real, way.imag], axis=-1) / scale
    numbers = np.concatenate([joints.reshape(len(starts), -1), ground.reshape(len(starts), -1)], axis=-1)
    return np.clip(numbers, -1e4, 1e4).astype(np.float16), starts


def pose_of(clip: Clip) -> Float[np.ndarray, "points 3"]:
    """The pose in the middle of a clip.

    Returns places of knees, ankles, head, elbows and wrists about the root, in leg lengths, in axes of the world.
    """
    return np.asarray(_places(clip, _POINTS)[clip.n_frames // 2] / (leg_length(clip) or 1.0))


def signature_of(clip: Clip) -> Float[np.ndarray, " numbers"]:
    """The signature of a motion, independent of file name, joint names and frame rate.

    Returns places of knees and ankles about the root every quarter of a second, 16 times, in its heading, in leg
    lengths; NaN beyond the end. 32 bits.
    """
    frames = np.arange(N_TIMES) * _QUARTER * clip.frame_rate
    inside = np.minimum(frames, clip.n_frames - 1)
    before = np.floor(inside).astype(np.int64)
    after = np.minimum(before + 1, clip.n_frames - 1)
    seen = quaternions.rotate(quaternions.about_y(-clip.headings)[:, None], _places(clip, _LEGS))
    places = seen[before] + (inside - before)[:, None, None] * (seen[after] - seen[before])
    places[frames > clip.n_frames - 1] = np.nan
    return np.asarray((places / (leg_length(clip) or 1.0)).astype(np.float32).ravel())


def same_signature(first: Float[np.ndarray, " numbers"], second: Float[np.ndarray, " numbers"], within: float) -> bool:
    """Whether two signatures are of one motion.

    ``first`` and ``second`` are as ``signature_of`` gives them. ``within`` is how far they may be apart, leg lengths.
    Returns False where nothing moves in either, or they share less than half a second.
    """
    common = np.isfinite(first) & np.isfinite(second)
    if common.sum() < 3 * 3 * len(_LEGS) or not np.abs(first[common]).any():
        return False
    still = np.ptp(first.reshape(N_TIMES, -1)[common.reshape(N_TIMES, -1).all(axis=1)], axis=0).max() < within
    return not still and bool(np.abs(first[common] - second[common]).max() < within)


def buckets_of(signature: Float[np.ndarray, " numbers"], *, width: float, within: float = 0.0) -> list[str]:
    """The buckets in which a signature, and those no further from it, may lie.

    The signature's own bucket comes first. ``width`` of a bucket and ``within``, the distance of others from the
    signature, are leg lengths; ``within`` is less than half of the width. A bucket is where both ankles are, ahead and
    up, at the beginning and a little later; times beyond the end of a short clip count for nothing.
    """
    places = signature.reshape(N_TIMES, len(_LEGS), 3)[:, [_LEGS.index("left_ankle"), _LEGS.index("right_ankle")]]
    names = [""]
    for value in places[_BUCKET_TIMES][..., 1:].ravel().tolist():
        near = (value, value - within, value + within)
        choices = dict.fromkeys(math.floor(place / width) for place in near) if math.isfinite(value) else ("-",)
        names = [f"{name} {choice}" for name in names for choice in choices]
    return names


def leg_length(clip: Clip) -> float:
    """The length of thigh and shin, the mean of both sides. The result is in metres; 0 for a body without legs."""
    from mocapella.rig.roles import find_roles

    roles = find_roles(clip.skeleton)
    lengths = []
    for side in ("left", "right"):
        names = [f"{side}_{part}" for part in ("hip", "knee", "ankle")]
        if all(name in roles for name in names):
            rest = clip.skeleton.rest_positions[[roles[name] for name in names]]
            lengths.append(float(np.linalg.norm(np.diff(rest, axis=0), axis=-1).sum()))
    return math.fsum(lengths) / len(lengths) if lengths else 0.0


def _places(clip: Clip, names: tuple[str, ...]) -> Float[np.ndarray, "frames points 3"]:
    """Where joints are about the root, in world axes; at the root where there is none of that role."""
    from mocapella.rig.roles import find_roles

    roles = find_roles(clip.skeleton)
    return np.asarray(clip.positions[:, [roles.get(name, 0) for name in names]] - clip.root_positions[:, None])
