"""Blend rules for upper harmonics that were tried and lost, kept so that the experiment can be made again.

They differ from the plain rules in what becomes of a harmonic that two motions have in opposite directions.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Complex

from mocapella.blending.agreement import phase_agreement
from mocapella.blending.lively import UPPER
from mocapella.blending.rules import BlendRule, Mixed, Stacked, Weights, phasor_blend
from mocapella.errors import MotionError
from mocapella.geometry.angles import wrap
from mocapella.motion.spectrum import NO_MAGNITUDE

_LEAST_LEFT = 0.05  # of a harmonic's size: where less is left, what would be made larger is noise


def arc_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Magnitudes averaged, phase angles turned from one to the other along the shorter arc.

    Of several, the phase angle is the one from which all arcs, weighted, cancel. Between two it goes evenly, as those
    of the other rules do not. It leaps where directions stand opposite each other and count alike.
    """
    sizes = np.abs(coefficients)
    angles = np.angle(coefficients)
    known = sizes >= NO_MAGNITUDE  # no magnitude, no phase angle, and no say
    directions = np.where(known, np.exp(1j * angles), 0.0)
    mean = np.angle(np.einsum("...n,nhd->...hd", weights, directions))
    shares = np.einsum("...n,nhd->...nhd", weights, known.astype(np.float64))
    whole = shares.sum(axis=-3)
    whole = whole[..., None, :, :]
    shares = np.divide(shares, whole, out=np.zeros_like(shares), where=np.abs(whole) > NO_MAGNITUDE)
    for _ in range(2):  # exact at once, unless an arc becomes the longer one on the way
        mean = mean + (shares * wrap(angles - mean[..., None, :, :])).sum(axis=-3)
    mixed = np.maximum(np.einsum("...n,nhd->...hd", weights, sizes), 0.0) * np.exp(1j * mean)
    mixed[..., 0, :] = phasor_blend(coefficients[:, :1], weights)[..., 0, :]
    return np.asarray(mixed)


def aligned_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Phasors, those from harmonic 6 on first brought into step: each node's harmonic is turned, all its dofs alike.

    It is turned to where it goes best with the blend as it is; a node's own, or one that all have alike, stays.
    """
    mixed = phasor_blend(coefficients, weights)
    upper = coefficients[:, UPPER:]
    goal = mixed[..., UPPER:, :]
    sizes = np.einsum("...n,nhd->...hd", np.maximum(weights, 0.0), np.abs(upper))
    # Dofs count by how they agree, whatever their units: radians, metres and quaternion parts go into one sum.
    scaled = np.divide(goal, sizes**2, out=np.zeros_like(goal), where=sizes > NO_MAGNITUDE)
    turns = np.einsum("nhd,...hd->...nh", upper.conj(), scaled)
    lengths = np.abs(turns)
    turns = np.divide(turns, lengths, out=np.ones_like(turns), where=lengths > NO_MAGNITUDE)
    mixed[..., UPPER:, :] = np.einsum("...n,...nh,nhd->...hd", weights, turns, upper)
    return mixed


def sharpened_blend(power: float | int = 4.0) -> BlendRule:
    """A rule by which the node that counts most decides the more, the less phase angles agree.

    Phasors, with the weights of every harmonic and dof raised to a power between 1 (full agreement) and ``power``
    (none). Continuous everywhere. Weights below zero count as none.
    """
    if not 1.0 <= power <= 64.0:
        raise MotionError(f"expected a power from 1 (the phasor rule) to 64, got {power}")

    def rule(coefficients: Stacked, weights: Weights) -> Mixed:
        shares = np.maximum(weights, 0.0)
        powers = 1.0 + (power - 1.0) * (1.0 - phase_agreement(coefficients, weights))
        raised = shares[..., :, None, None] ** powers[..., None, :, :]
        raised /= raised.sum(axis=-3, keepdims=True)
        mixed: Complex[np.ndarray, "*batch harmonics dofs"] = np.einsum("...nhd,nhd->...hd", raised, coefficients)
        mixed[..., 0, :] = phasor_blend(coefficients[:, :1], weights)[..., 0, :]
        return mixed

    return rule


def revived_blend(share: float | int = 0.5) -> BlendRule:
    """Phasors, those from harmonic 6 on made larger again, each as a whole, so that dofs go on fitting together.

    With ``share`` 1 a harmonic has the mean energy of the nodes' own, with 0 what phasors leave of it; energies are
    sums over dofs, each in units of its own size. Continuous wherever a harmonic does not cancel in all dofs at once.
    """
    if not 0.0 <= share <= 1.0:
        raise MotionError(f"expected a share from 0 (the phasor rule) to 1, got {share}")

    def rule(coefficients: Stacked, weights: Weights) -> Mixed:
        mixed = phasor_blend(coefficients, weights)
        upper = coefficients[:, UPPER:]
        agreement = phase_agreement(upper, weights)
        left = np.sqrt(np.mean(agreement**2, axis=-1))
        gains = np.maximum(left, _LEAST_LEFT) ** -float(share)
        mixed[..., UPPER:, :] *= gains[..., None]
        return mixed

    return rule


def in_bands(lower: BlendRule, upper: BlendRule, first: int = UPPER) -> BlendRule:
    """One rule below harmonic ``first`` and another from there on."""
    if first < 1:
        raise MotionError(f"the upper band begins at harmonic 1 or above, got {first}")

    def rule(coefficients: Stacked, weights: Weights) -> Mixed:
        above = np.concatenate(
            [coefficients[:, :1], coefficients[:, first:]], axis=1
        )  # rules know the mean by its place
        return np.concatenate([lower(coefficients[:, :first], weights), upper(above, weights)[..., 1:, :]], axis=-2)

    return rule
