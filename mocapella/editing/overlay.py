"""An averaged motion laid over the stances of a clip, without jumps where one follows another."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float
from scipy.ndimage import gaussian_filter1d

from mocapella.editing.averaged import AveragedMotion, AveragedStance
from mocapella.editing.pace import SOFT, Pace, eased
from mocapella.editing.stances import Stance
from mocapella.geometry import quaternions

_SETTLING = 0.15  # of a stance: over how much of it, about a landing, turning passes to the speed of the next
_SPEED = 0.03  # of a stance: over how much of it, at an end, the speed of turning is told


@dataclass(frozen=True, eq=False)
class Overlay:
    """What an averaged motion does in every frame of a clip, seen from the clip's course."""

    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction
    heights: Float[np.ndarray, " frames"]  # of the root above the ground, metres


def laid_over(averaged: AveragedMotion, stances: Sequence[Stance], pace: Pace) -> Overlay:
    """The averaged motion, each stance stretched over those of the same foot.

    Averages of different frames, the end of one stance and the beginning of the next never agree quite. So where one
    follows another both are bent towards what lies halfway, poses and the speeds they turn with, the less the further
    from there; and about that moment rotations are smoothed, since nothing else agrees either.
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
        halfway = quaternions.slerp(ending.rotations_wxyz[-1], starting.rotations_wxyz[0], 0.5)
        turns = [_turn(own.rotations_wxyz[at], halfway) for own, at in ((ending, -1), (starting, 0))]
        speeds = [
            quaternions.rotate(quaternions.from_rotvec(turn), _speed(own, at))
            for turn, own, at in zip(turns, (ending, starting), (-1, 0), strict=True)
        ]
        quicker = 0.5 * (speeds[1] - speeds[0])
        higher = 0.5 * (starting.heights[0] - ending.heights[-1])
        for stance, turn, sign in ((before, turns[0], 1.0), (after, turns[1], -1.0)):
            frames = slice(stance.first, stance.last + 1)
            away = 0.5 - sign * (pace.shares[frames] - 0.5)  # from where they meet, in stances
            near, x = eased(np.clip(1.0 - 2.0 * away, 0.0, 1.0)), np.clip(1.0 - away / _SETTLING, 0.0, 1.0)
            settling = _SETTLING * x * x * (x - 1.0)  # bends no pose where they meet, only the speed, by 1
            bent = near[:, None, None] * turn + settling[:, None, None] * quicker
            rotations[frames] = quaternions.multiply(quaternions.from_rotvec(bent), rotations[frames])
            heights[frames] += sign * higher * near
    return Overlay(_smoothed(rotations, stances), ways[:, 0] + 1j * ways[:, 1], heights)


def _turn(own: Float[np.ndarray, "joints 4"], to: Float[np.ndarray, "joints 4"]) -> Float[np.ndarray, "joints 3"]:
    """The turns that lead from one pose to another, seen from the joints' parents."""
    return quaternions.to_rotvec(quaternions.multiply(to, quaternions.conjugate(own)))


def _speed(stance: AveragedStance, at: int) -> Float[np.ndarray, "joints 3"]:
    """How fast joints turn at the beginning (0) or at the end (−1) of a stance, radians per stance."""
    last = len(stance.heights) - 1
    over = max(round(_SPEED * last), 1)
    first, second = (0, over) if at == 0 else (last - over, last)
    return _turn(stance.rotations_wxyz[first], stance.rotations_wxyz[second]) * (last / over)


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
