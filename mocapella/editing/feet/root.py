"""The root, moved as little and as smoothly as brings held feet within reach of their legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Bool, Float

Track = Float[np.ndarray, "frames 3"]

_ROUNDS = 60  # of projecting and smoothing
_FURTHER = 1.6  # times the smoothed correction that is applied: smoothing takes off the peaks
_CLOSE = 1e-4  # metres beyond reach at which the rounds end
_ALTERNATIONS = 8  # between two spheres


@dataclass(frozen=True, eq=False)
class Reach:
    """The sphere in which the root must lie for a leg to reach its held foot."""

    centres: Track  # metres
    radii: Float[np.ndarray, " frames"]
    held: Bool[np.ndarray, " frames"]  # frames in which it counts


def within_reach(roots: Track, spheres: Sequence[Reach], width: float) -> Track:
    """How far the root is moved in every frame so that it lies within all spheres that count.

    The root is projected onto the intersection, the correction smoothed by a Gaussian and applied, until nothing is
    left to correct: a path that changes slowly, not one that jumps onto a sphere.

    Parameters
    ----------
    roots
        The path of the root, metres.
    spheres
        One for each leg.
    width
        Standard deviation of the Gaussian, frames.

    Returns
    -------
    array of shape (frames, 3)
        Metres; 0 where nothing near is out of reach. Where spheres do not meet, the root lies between them.
    """
    shift = np.zeros(roots.shape)
    for _ in range(_ROUNDS):
        off = projected(roots + shift, spheres) - roots - shift
        sizes = np.linalg.norm(off, axis=-1)
        if sizes.max(initial=0.0) < _CLOSE:
            break
        shift += _FURTHER * scipy.ndimage.gaussian_filter1d(off, width, axis=0, mode="nearest", truncate=4.0)
    return np.asarray(projected(roots + shift, spheres) - roots) if shift.any() else shift


def projected(places: Track, spheres: Sequence[Reach]) -> Track:
    """The nearest places within all spheres that count, by projecting onto each in turn.

    Parameters
    ----------
    places
        Metres.
    spheres
        Those of all legs.

    Returns
    -------
    array of shape (frames, 3)
        Where spheres do not meet, about midway between them.
    """
    out = np.array(places)
    for _ in range(_ALTERNATIONS):
        before = out.copy()
        for sphere in spheres:
            off = out - sphere.centres
            far = np.linalg.norm(off, axis=-1)
            beyond = sphere.held & (far > sphere.radii)
            out[beyond] = sphere.centres[beyond] + off[beyond] * (sphere.radii[beyond] / far[beyond])[:, None]
        if np.array_equal(before, out):
            break
    return out
