"""Clips with noise that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip


def shaken(clip: Clip, *, degrees: float, centimetres: float = 0.0, correlation: float = 0.5, seed: int = 0) -> Clip:
    """Normal noise on every axis of every joint and on the root's place; correlated by this after 1/30 s."""
    keep, rng = correlation ** (30.0 / clip.frame_rate), np.random.default_rng(seed)
    noise = rng.normal(size=(clip.n_frames, clip.skeleton.n_joints + 1, 3))
    for row in range(1, len(noise)):
        noise[row] = keep * noise[row - 1] + np.sqrt(1.0 - keep**2) * noise[row]
    turns = quaternions.from_rotvec(np.radians(degrees) * noise[:, 1:])
    roots = clip.root_positions + 0.01 * centimetres * noise[:, 0]
    return replace(clip, root_positions=roots, rotations_wxyz=quaternions.multiply(turns, clip.rotations_wxyz))
