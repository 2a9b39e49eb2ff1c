"""The motions of one file end to end, so that skeleton, root, axes and unit are decided for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.files.conventions import Parsed
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

_STILL = 1e-5  # of the skeleton's size: a joint that is no further from its place keeps it


def end_to_end(motions: Sequence[Parsed]) -> Parsed:
    """Motions of the same joints as one; the motion itself where there is only one.

    Each motion has a vote on the length of bones, for animations may stretch some: the median counts.
    """
    first = motions[0]
    if len(motions) == 1:
        return first
    offsets = np.median([motion.skeleton.offsets for motion in motions], axis=0)
    skeleton = replace(first.skeleton, offsets=offsets)
    sliding = np.unique(np.concatenate([_moved(motion, skeleton) for motion in motions]))
    return replace(
        first,
        skeleton=skeleton,
        root_positions=np.concatenate([motion.root_positions for motion in motions]),
        rotations_wxyz=np.concatenate([motion.rotations_wxyz for motion in motions]),
        sliding_joints=sliding,
        slides=np.concatenate([_offsets(motion)[:, sliding] for motion in motions]),
    )


def cut_out(whole: Clip, start: int, n_frames: int, frame_rate: float) -> Clip:
    """A motion of a file out of all that ``end_to_end`` has joined, with the joints that slide in it."""
    part = whole[start : start + n_frames]
    away = np.abs(part.slides - part.skeleton.offsets[part.sliding_joints]).max(axis=(0, 2), initial=0.0)
    slides = away > _STILL * _size(part.skeleton)
    return replace(
        part,
        frame_rate=frame_rate,
        first_row=0,
        sliding_joints=part.sliding_joints[slides],
        slides=part.slides[:, slides],
    )


def _offsets(motion: Parsed) -> Float[np.ndarray, "frames joints 3"]:
    """The offsets of all joints in every frame."""
    offsets = np.tile(motion.skeleton.offsets, (len(motion.root_positions), 1, 1))
    if len(motion.sliding_joints):
        offsets[:, motion.sliding_joints] = motion.slides
    return offsets


def _moved(motion: Parsed, skeleton: Skeleton) -> np.ndarray:
    """The joints below the root that are not where a skeleton has them."""
    away = np.abs(_offsets(motion) - skeleton.offsets).max(axis=(0, 2))
    return 1 + np.flatnonzero(away[1:] > _STILL * _size(skeleton))


def _size(skeleton: Skeleton) -> float:
    return max(float(np.linalg.norm(skeleton.offsets[1:], axis=1).sum()), 1e-9)
