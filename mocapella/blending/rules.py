"""Blend rules: how magnitudes and phase angles of several motions become those of one.

Every rule takes the harmonics of some nodes and their weights and returns mixed harmonics. All agree that harmonic 0
is the weighted mean: it has a sign, not a phase angle. They differ in how large a harmonic comes out whose phase angles
disagree. A harmonic that cancels out entirely has no direction; its phase angle is then 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from jaxtyping import Complex, Float

from mocapella.errors import MotionError
from mocapella.motion.layout import Layout
from mocapella.motion.spectrum import NO_MAGNITUDE
from mocapella.reals import real_or_nan, shown

Stacked = Complex[np.ndarray, "nodes harmonics dofs"]
Weights = Float[np.ndarray, "*batch nodes"]
Mixed = Complex[np.ndarray, "*batch harmonics dofs"]


# Harmonics of some nodes and the nodes' weights, mixed; leading axes of the weights come first in the result.
BlendRule = Callable[[Stacked, Weights], Mixed]


class LayoutRule(ABC):
    """A blend rule that treats dofs by what they do, so that it has to be fitted to a layout before it mixes."""

    by_feet: bool = False  # whether motions are put in step by their feet first

    @abstractmethod
    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Mix harmonics of which nobody knows what they do."""

    @abstractmethod
    def for_layout(self, layout: Layout) -> BlendRule:
        """The rule for dofs of a layout; the same object for the same layout."""


def fitted(rule: BlendRule, layout: Layout | None) -> BlendRule:
    """A rule made ready for the dofs of a layout; plain rules, and dofs without a layout, need no fitting."""
    return rule.for_layout(layout) if isinstance(rule, LayoutRule) and layout is not None else rule


def phasor_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Mix harmonics as phasors: the same as averaging the motions phase by phase."""
    # Weights are real, so one real product does it; einsum takes three times as long.
    flat = np.ascontiguousarray(coefficients).reshape(len(coefficients), -1)
    mixed = weights.dot(flat.view(flat.real.dtype))
    kind = np.promote_types(coefficients.dtype, mixed.dtype)
    return np.asarray(mixed.view(kind).reshape(*weights.shape[:-1], *coefficients.shape[1:]))


def streamlined_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Direction of the mixed phasors, magnitudes averaged as if the phase angles agreed (the thesis, eqs 5.2 to 5.4).

    Keeps swings large where motions are out of step, and leaps where two of one size stand opposite each other.
    """
    return _resized(phasor_blend(coefficients, weights), coefficients, weights, 0.0)


def unit_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Phase angles averaged as directions whatever their magnitudes, magnitudes averaged (the 2010 paper, eq. 2).

    A harmonic without magnitude has no phase angle and no say in the direction.
    """
    sizes = np.abs(coefficients)
    directions = np.divide(coefficients, sizes, out=np.zeros_like(coefficients), where=sizes >= NO_MAGNITUDE)
    mixed = _resized(phasor_blend(directions, weights), coefficients, weights, 0.0)
    mixed[..., 0, :] = phasor_blend(coefficients[:, :1], weights)[..., 0, :]
    return mixed


def between_blend(gamma: float | int) -> BlendRule:
    """A rule between streamlined (``gamma`` 0) and phasor (1): magnitudes Σ w m · ρ^γ.

    ρ is the phase agreement ``|Σ w m exp(ip)| / Σ w m``: 1 where the phase angles agree, 0 where the phasors cancel.
    For any γ above 0 the blend is continuous everywhere, as streamlined is not.
    """
    share = real_or_nan(gamma)
    if not 0.0 <= share <= 1.0:
        raise MotionError(f"expected gamma from 0 (streamlined) to 1 (phasor), got {shown(gamma)}")

    def rule(coefficients: Stacked, weights: Weights) -> Mixed:
        return _resized(phasor_blend(coefficients, weights), coefficients, weights, share)

    return rule


def banded_blend(
    coefficients: Stacked,
    weights: Float[np.ndarray, "harmonics nodes"],
    *,
    rule: BlendRule = phasor_blend,
) -> Complex[np.ndarray, "harmonics dofs"]:
    """Mix every harmonic with weights of its own, one row per harmonic; other shapes are a ``MotionError``."""
    if not callable(rule):
        raise MotionError(f"expected a function that mixes harmonics, such as phasor_blend, got {shown(rule)}")
    expected = coefficients.shape[1], coefficients.shape[0]
    if np.shape(weights) != expected:
        raise MotionError(
            f"expected weights of shape {expected}, one row per harmonic, the mean first, and in it one weight per "
            f"node; got shape {np.shape(weights)}"
        )
    weights = np.asarray(weights, dtype=np.float64)
    rows = [rule(coefficients[:, [0, h]], weights[h])[min(h, 1)] for h in range(coefficients.shape[1])]
    return np.stack(rows)


def _resized(mixed: Mixed, coefficients: Stacked, weights: Weights, gamma: float) -> Mixed:
    """Mixed phasors, each brought to the length |Σ w c|^γ (Σ w |c|)^(1 − γ); the mean stays as it is."""
    lengths = np.abs(mixed)
    # Weights below zero, outside the triangle, can make the sum negative; no sinusoid is smaller than nothing.
    sums = np.maximum(np.einsum("...n,nhd->...hd", weights, np.abs(coefficients)), 0.0)
    directions = np.divide(mixed, lengths, out=np.ones_like(mixed), where=lengths > NO_MAGNITUDE * sums + 1e-290)
    out = directions * (lengths**gamma * sums ** (1.0 - gamma))
    out[..., 0, :] = mixed[..., 0, :]
    return np.asarray(out)
