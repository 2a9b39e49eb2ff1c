"""How the legs swing: angles of hips, knees and ankles, told from where the joints are."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.ndimage import gaussian_filter1d

from mocapella.analysis.feet import foot_places, leg_roles
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET

_SMOOTHING = 0.1  # seconds over which the direction across the hips is averaged


def leg_angles(clip: Clip) -> tuple[list[str], Float[np.ndarray, "frames 6"]]:
    """Swing of both thighs ahead, bend of both knees, bend of both ankles; radians, and the roles that name them.

    All are measured between places in the world, so they mean the same in every skeleton, whatever its joints call
    their axes, and a root that flips its angles does not show.
    """
    roles = leg_roles(clip.skeleton)
    hips, knees, ankles = (
        np.stack([clip.positions[:, roles[f"{side}_{part}"]] for side in FEET], axis=1)
        for part in ("hip", "knee", "ankle")
    )
    toes = foot_places(clip, roles)[:, [1, 3]]
    across = gaussian_filter1d(hips[:, 0] - hips[:, 1], _SMOOTHING * clip.frame_rate, axis=0, mode="nearest")
    ahead = np.stack([-across[:, 2], np.zeros(len(across)), across[:, 0]], axis=-1)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-12)
    thighs, shanks, feet = knees - hips, ankles - knees, toes - ankles
    swing = np.arctan2(np.einsum("fsi,fi->fs", thighs, ahead), -thighs[..., 1])
    angles = np.concatenate([np.unwrap(swing, axis=0), _between(thighs, shanks), _between(shanks, feet)], axis=1)
    return [f"{side}_{part}" for part in ("hip", "knee", "ankle") for side in FEET], angles


def _between(u: Float[np.ndarray, "frames 2 3"], v: Float[np.ndarray, "frames 2 3"]) -> Float[np.ndarray, "frames 2"]:
    """Angles between directions, 0 … π; 0 where one has no length."""
    return np.asarray(np.arctan2(np.linalg.norm(np.cross(u, v), axis=-1), np.einsum("fsi,fsi->fs", u, v)))
