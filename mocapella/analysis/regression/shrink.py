"""Harmonics by their worth against noise: what stands above it stays, what does not goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Complex, Float, Int

from mocapella.analysis.regression.signals import groups_of, other_side
from mocapella.motion.skeleton import Skeleton

Harmonics = Complex[np.ndarray, "harmonics signals"]
Powers = Float[np.ndarray, "harmonics groups"]


@dataclass(frozen=True)
class _Shrinkage:
    """How much of the noise is taken off. Accelerations weigh noise by the fourth power of the harmonic."""

    low: int = 2  # harmonics from which just the noise is taken off
    upper: float = 3.0  # times the noise that is taken off those above
    root: float = 6.0  # likewise of the root's place and heading
    smoothing: float = 2.0  # harmonics over which the noise is averaged


_SHRINKAGE = _Shrinkage()


def between_harmonics(
    residual: Float[np.ndarray, "frames signals"],
    phases: Float[np.ndarray, " frames"],
    weights: Float[np.ndarray, " frames"],
    skeleton: Skeleton,
    n_harmonics: int,
) -> Powers:
    """The noise power in each harmonic of each joint, read halfway between it and its neighbours.

    It holds noise of any colour and what differs from cycle to cycle alike, so it is the variance of the error of a
    harmonic. ``weights`` sum to 1.
    """
    halfway = np.arange(n_harmonics + 1) + 0.5
    spectrum = 2.0 * np.exp(-1j * np.outer(halfway, phases)) @ (weights[:, None] * residual)
    powers = _grouped(np.abs(spectrum) ** 2, groups_of(skeleton))
    smooth = scipy.ndimage.gaussian_filter1d(powers, _SHRINKAGE.smoothing, axis=0, mode="nearest")
    return np.asarray(0.5 * (smooth[1:] + smooth[:-1]))


def shrunk(
    harmonics: Harmonics, noise: Powers, mean: Float[np.ndarray, " signals"], skeleton: Skeleton
) -> tuple[Harmonics, float]:
    """Harmonics less their noise, and the mean square of the error that is left in all signals together.

    The mirror image half a cycle later is a second estimate of the same motion, with noise of its own. The half sum and
    the half difference of the two are shrunk each by its own signal-to-noise ratio, joint by joint: an asymmetry stays
    where it stands above the noise.
    """
    groups = groups_of(skeleton)
    image = other_side(harmonics, mean, skeleton)
    if image is None:
        parts, shared = [harmonics], noise
    else:
        mirrored, counterparts = image
        parts = [0.5 * (harmonics + mirrored), 0.5 * (harmonics - mirrored)]
        shared = 0.25 * (noise + noise[:, counterparts])
    total, error = np.zeros_like(harmonics), 0.25 * noise[0].sum()  # of the mean pose
    for part in parts:
        powers = _grouped(np.abs(part) ** 2, groups)
        keep = _keep(powers, shared)
        total += part * keep[:, groups]
        missing = (1.0 - keep) ** 2 * np.maximum(powers - shared, 0.0)
        error += 0.5 * (missing + keep**2 * shared).sum()
    return total, float(error)


def _keep(powers: Powers, noise: Powers) -> Powers:
    """The share of each harmonic of each joint that stays, 0 … 1."""
    low, n_joints, smooth = _SHRINKAGE.low, noise.shape[1] - 3, powers.copy()
    if len(powers) > low + 1:
        smooth[low:-1] = 0.6 * powers[low:-1] + 0.4 * powers[low + 1 :]  # one alone is strong by chance
    times = np.ones(noise.shape)
    times[low:], times[low:, n_joints:] = _SHRINKAGE.upper, _SHRINKAGE.root
    return np.asarray(np.clip(1.0 - times * noise / np.maximum(smooth, 1e-18), 0.0, 1.0))


def _grouped(
    values: Float[np.ndarray, "rows signals"], groups: Int[np.ndarray, " signals"]
) -> Float[np.ndarray, "rows groups"]:
    """Sums over the signals of each group."""
    return np.add.reduceat(values, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)
