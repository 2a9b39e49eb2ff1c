"""Where the root has to go while a manner comes in or goes out, so that planted feet stay put."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Complex, Float
from scipy.ndimage import gaussian_filter1d

from mocapella.analysis.feet import foot_places, leg_roles
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

_SOFT = 0.025  # seconds over which the load passes from foot to foot


def fading_travel(
    clip: Clip,
    own: Float[np.ndarray, "frames joints 4"],
    manner: Float[np.ndarray, "frames joints 4"],
    shares: Float[np.ndarray, " frames"],
    plants: Contacts,
) -> Complex[np.ndarray, " frames"]:
    """How far the root has to go to the next frame beside its blended travel, metres ahead and left of the heading.

    Blended travel keeps a foot where it is as long as poses are blended in a constant share: both motions do, so what
    lies between them does. A share that changes also moves the foot from where one has it towards where the other
    does, as seen from the root, and the root gives way by that. Both are local rotations seen from the course.
    """
    fading = np.diff(shares, append=shares[-1])
    if not fading.any():
        return np.zeros(len(shares), dtype=np.complex128)
    apart = _feet(clip, manner) - _feet(clip, own)
    soft = _SOFT * clip.frame_rate
    load = np.stack([gaussian_filter1d(plants.planted(foot).astype(np.float64), soft) for foot in FEET], axis=1)
    load /= np.maximum(load.sum(axis=1, keepdims=True), 1.0)  # in flight there is none
    return np.asarray(-fading * np.sum(load * apart, axis=1))


def _feet(clip: Clip, rotations: Float[np.ndarray, "frames joints 4"]) -> Complex[np.ndarray, "frames 2"]:
    """Where both feet are on the ground, seen from the root: the middle of heel and toe, z + ix."""
    posed = replace(clip, root_positions=np.zeros((len(rotations), 3)), rotations_wxyz=rotations)
    places = foot_places(posed, leg_roles(clip.skeleton))
    ground = places[..., 2] + 1j * places[..., 0]
    return np.stack([ground[:, :2].mean(axis=1), ground[:, 2:].mean(axis=1)], axis=1)
