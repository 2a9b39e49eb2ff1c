"""Liveliness: how much of the upper harmonics a blend keeps, for harmonics that cancel out do not wriggle either.

The energy of a band is the sum of squared magnitudes of all dofs that make rotations. What a blend has of it, over the
weighted mean of what the nodes have, is 1 where nothing is lost; opposed phase angles that cancel make it less.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Complex, Float

from mocapella.errors import MotionError
from mocapella.motion.layout import N_ROOT_DOFS

UPPER = (6, 10)  # the thesis's upper band, first and last harmonic
_NOTHING = 1e-18  # an energy below this is rounding


def energies(coefficients: Complex[np.ndarray, "*batch harmonics dofs"]) -> Float[np.ndarray, "*batch harmonics"]:
    """The energy of every harmonic in the dofs that make rotations; harmonic 0 is a posture and has none."""
    turning = coefficients[..., :-N_ROOT_DOFS]
    out = np.einsum("...hd,...hd->...h", turning.real, turning.real)
    out += np.einsum("...hd,...hd->...h", turning.imag, turning.imag)
    out[..., 0] = 0.0
    return np.asarray(out)


def liveliness(
    blended: Float[np.ndarray, "*batch harmonics"],
    nodes: Float[np.ndarray, "nodes harmonics_of_nodes"],
    weights: Float[np.ndarray, "*batch nodes"],
    band: tuple[int, int] = UPPER,
) -> Float[np.ndarray, "*batch"]:
    """Energies of blends over the weighted mean of their nodes', in a band of harmonics, both its ends included.

    1 where the nodes have nothing in the band, for there is nothing to lose. A band that ends above the highest
    harmonic ends there.
    """
    first, last = band
    if not 1 <= first <= last or first >= nodes.shape[-1]:
        raise MotionError(f"expected a band from harmonic 1 to at most {nodes.shape[-1] - 1}, got {first} to {last}")
    rows = slice(first, last + 1)
    there = weights @ nodes[:, rows].sum(axis=-1)
    kept = blended[..., rows].sum(axis=-1)
    return np.where(there > _NOTHING, kept / np.maximum(there, _NOTHING), 1.0)
