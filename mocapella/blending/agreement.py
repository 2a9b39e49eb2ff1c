"""How far the phase angles of several motions agree, harmonic by harmonic."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.blending.rules import Stacked, Weights, phasor_blend
from mocapella.motion.spectrum import NO_MAGNITUDE


def phase_agreement(coefficients: Stacked, weights: Weights) -> Float[np.ndarray, "*batch harmonics dofs"]:
    """How far the phase angles of nodes agree: |Σ w c| / Σ w |c|, 1 for all alike, 0 where they cancel.

    1 also where there is nothing to agree about. Weights below zero count as none.
    """
    shares = np.maximum(weights, 0.0)
    lengths = np.abs(phasor_blend(coefficients, shares))
    sums = np.einsum("...n,nhd->...hd", shares, np.abs(coefficients))
    return np.asarray(np.divide(lengths, sums, out=np.ones_like(lengths), where=sums > NO_MAGNITUDE))
