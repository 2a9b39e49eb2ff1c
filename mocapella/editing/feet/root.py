"""The root, moved as little and as smoothly as brings held feet within reach of their legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Bool, Float

Track = Float[np.ndarray, "frames 3"]


class _RootSettings(NamedTuple):
    """How the root is moved within reach of held feet."""

    most_rounds: int = 300  # of projecting and smoothing
    calm: float = 1.15  # times the acceleration of the given path: with more the correction is smoothed more widely
    wider: float = 1.5  # times the width of the smoothing at each further try
    tries: int = 4  # widths of the smoothing
    further: float = 1.6  # times the smoothed correction that is applied: smoothing takes off the peaks
    close: float = 1e-4  # metres beyond reach at which the rounds end
    alternations: int = 8  # between two spheres


_ROOT = _RootSettings()


@dataclass(frozen=True, eq=False)
class Reach:
    """The sphere in which the root must lie for a leg to reach its held foot."""

    centres: Track  # metres
    radii: Float[np.ndarray, " frames"]
    held: Bool[np.ndarray, " frames"]  # frames in which it counts


def within_reach(roots: Track, spheres: Sequence[Reach], width: float) -> Track:
    """Shifts of the root, in metres, that bring it within all spheres that count.

    The root is projected onto the intersection of the spheres, and the correction is smoothed by a Gaussian and
    applied, until nothing is left to correct: the path changes slowly instead of jumping onto a sphere. If the root is
    still accelerated more than before, a wider Gaussian is tried. The shift is 0 far from frames that are out of reach.
    Where spheres do not meet, the root lies between them.
    """
    best, least = np.zeros(roots.shape), np.inf
    given = _acceleration(roots)
    for attempt in range(_ROOT.tries):
        shift = _corrected(roots, spheres, width * _ROOT.wider**attempt)
        found = _acceleration(roots + shift)
        if found < least:
            best, least = shift, found
        if least <= _ROOT.calm * given:
            break
    return best


def _acceleration(roots: Track) -> float:
    """The 99th percentile over frames, metres per frame and frame."""
    if len(roots) < 3:
        return 0.0
    return float(np.percentile(np.linalg.norm(np.diff(roots, n=2, axis=0), axis=-1), 99.0))


def _corrected(roots: Track, spheres: Sequence[Reach], width: float) -> Track:
    shift = np.zeros(roots.shape)
    for _ in range(_ROOT.most_rounds):
        off = projected(roots + shift, spheres) - roots - shift
        sizes = np.linalg.norm(off, axis=-1)
        if sizes.max(initial=0.0) < _ROOT.close:
            break
        shift += _ROOT.further * scipy.ndimage.gaussian_filter1d(off, width, axis=0, mode="nearest", truncate=4.0)
    return np.asarray(projected(roots + shift, spheres) - roots) if shift.any() else shift


def projected(places: Track, spheres: Sequence[Reach]) -> Track:
    """The nearest places within all spheres that count, by projecting onto each in turn.

    Where spheres do not meet, about midway between them.
    """
    out = np.array(places)
    for _ in range(_ROOT.alternations):
        before = out.copy()
        for sphere in spheres:
            off = out - sphere.centres
            far = np.linalg.norm(off, axis=-1)
            beyond = sphere.held & (far > sphere.radii)
            out[beyond] = sphere.centres[beyond] + off[beyond] * (sphere.radii[beyond] / far[beyond])[:, None]
        if np.array_equal(before, out):
            break
    return out
