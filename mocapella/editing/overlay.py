"""An averaged motion laid over the stances of a clip, without jumps where one follows another."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float
from scipy.ndimage import gaussian_filter1d

from mocapella.editing.averaged import AveragedMotion
from mocapella.editing.pace import SOFT, Pace, eased
from mocapella.editing.stances import Stance
from mocapella.geometry import quaternions


@dataclass(frozen=True, eq=False)
class Overlay:
    """What an averaged motion does in every frame of a clip, seen from the clip's course."""

    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction
    heights: Float[np.ndarray, " frames"]  # of the root above the ground, metres


def laid_over(averaged: AveragedMotion, stances: Sequence[Stance], pace: Pace) -> Overlay:
    """The averaged motion, each stance stretched over those of the same foot.

    Averages of different frames, the end of one stance and the beginning of the next never agree quite. So where one
    follows another both are bent towards what lies halfway, the less the further from there; and about that moment
    rotations are smoothed, since speeds do not agree either.
    """
    n_frames = len(pace.shares)
    rotations = np.empty((n_frames, averaged.skeleton.n_joints, 4))
    ways, heights = np.empty((n_frames, 2)), np.empty(n_frames)
    for foot, own in averaged.stances.items():
        frames = np.array([stance.foot == foot for stance in stances])[pace.stances]
        rotations[frames], here, heights[frames] = own.at(pace.shares[frames])
        ways[frames] = own.at(pace.onward[frames])[1] - here
    for before, after in itertools.pairwise(stances):
        ending, starting = averaged.stances[before.foot], averaged.stances[after.foot]
        end, start = ending.rotations_wxyz[-1], starting.rotations_wxyz[0]
        halfway = quaternions.slerp(end, start, 0.5)
        height = 0.5 * (ending.heights[-1] + starting.heights[0])
        for stance, pose, level, sign in (
            (before, end, ending.heights[-1], 1.0),
            (after, start, starting.heights[0], -1.0),
        ):
            frames = slice(stance.first, stance.last + 1)
            near = eased(np.clip(sign * (2.0 * pace.shares[frames] - 1.0), 0.0, 1.0))
            turns = quaternions.to_rotvec(quaternions.multiply(halfway, quaternions.conjugate(pose)))
            bent = quaternions.from_rotvec(near[:, None, None] * turns)
            rotations[frames] = quaternions.multiply(bent, rotations[frames])
            heights[frames] += (height - level) * near
    return Overlay(_smoothed(rotations, stances), ways[:, 0] + 1j * ways[:, 1], heights)


def _smoothed(
    rotations: Float[np.ndarray, "frames joints 4"], stances: Sequence[Stance]
) -> Float[np.ndarray, "frames joints 4"]:
    """Rotations that do not change their speed at once where one stance follows another; elsewhere as they were."""
    unrolled = quaternions.unroll(rotations)
    width = SOFT * float(np.median([stance.usual for stance in stances]))
    soft = quaternions.normalise(gaussian_filter1d(unrolled, width, axis=0, mode="nearest"))
    landings = np.array([stance.first for stance in stances[1:]])
    away = np.abs(np.arange(len(rotations))[:, None] - landings).min(axis=1)
    near = eased(np.clip(1.5 - away / (3.0 * width), 0.0, 1.0))
    return quaternions.slerp(unrolled, soft, near[:, None])
