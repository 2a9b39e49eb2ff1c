"""Blend rules for upper harmonics that were tried and lost, kept so that the experiment can be repeated.

They differ from the plain rules in what becomes of a harmonic that two motions have in opposite directions.
``python -m benchmarks.upper_harmonics`` measures them beside the rules of the package.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex, Float

from benchmarks.tables.upper_harmonics import CANDIDATES, Blends, Candidate
from mocapella.blending.network import Network
from mocapella.blending.paired_plants import Stances
from mocapella.blending.places import Point
from mocapella.blending.rules import (
    UPPER,
    BlendRule,
    LivelyBlend,
    Mixed,
    Stacked,
    Weights,
    between_blend,
    footless,
    lively_blend,
    phase_agreement,
    phasor_blend,
    streamlined_blend,
)
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN, wrap
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import AHEAD
from mocapella.motion.spectrum import NO_MAGNITUDE, waves
from mocapella.studies.published import by_rule

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


# Blends of motions whose foot strikes and lift-offs were brought to the same moments first.
#
# Stance takes a smaller share of a faster step, so motions that are in step as a whole are not so at every moment. Here
# each node gets a smooth warp from a common phase to its own, by which all feet come down and leave together; the
# warped motions are averaged, and so are the warps, which bring the average back to time. One of the candidates that
# lost: what it gains a plain shift gains too, and upper harmonics do not agree any better.

_WARP = 2  # harmonics of a warp
_STIFFNESS = 1.0  # how much a bend of a warp costs against missing an event
_SLOPES = (0.6, 1.6)  # how much a warp may slow a motion down, or hurry it
_MOMENTS = 64  # of the common phase at which motions are averaged: enough for ten harmonics to come back exactly


class Registered:
    """A network's nodes made ready to be averaged event by event.

    Raises
    ------
    MotionError
        Where no foot takes a step in all nodes, so that there is nothing to bring together.
    """

    def __init__(self, network: Network) -> None:
        stances = Stances.of([node.spectrum.contacts or CycleContacts() for node in network.nodes])
        steps = stances.known.all(axis=0)
        if not steps.any():
            raise MotionError("no foot takes a step in all of these motions, so no events can be brought together")
        begins = stances.starts[:, steps]
        events = np.concatenate([begins, begins + stances.lengths[:, steps]], axis=1)
        common = events.mean(axis=0)
        self._own = network.bank.coefficients
        moments = TURN * np.arange(_MOMENTS) / _MOMENTS
        bends = _limited(_fit(common, events - common), moments)
        self._warps = moments + bends @ _bending(moments).T
        self._slopes = 1.0 + bends @ _bending(moments, slope=True).T
        self._motions = np.real(waves(self._warps, self._own.shape[1] - 1) @ self._own)
        self._missed = self._own - self._averaged(np.eye(len(self._own)))

    def blends(self, weights: Float[np.ndarray, "points nodes"]) -> Complex[np.ndarray, "points harmonics dofs"]:
        """The coefficients of the blends with these weights; a node's own where it alone counts."""
        out = self._averaged(weights) + np.tensordot(weights, self._missed, axes=1)
        # How far and how much it turns in a cycle is no matter of when.
        out[:, 0, AHEAD:] = weights @ self._own[:, 0, AHEAD:]
        return np.asarray(out)

    def _averaged(self, weights: Float[np.ndarray, "points nodes"]) -> Complex[np.ndarray, "points harmonics dofs"]:
        # With y(u) the average and t(u) its time, a coefficient is the mean of y exp(−iht) t' over the common phase u:
        # the warp need not be turned round.
        motion = np.tensordot(weights, self._motions, axes=1)
        time, slope = weights @ self._warps, weights @ self._slopes
        turning = np.exp(-1j * time[:, None, :] * np.arange(self._own.shape[1])[:, None])
        return np.asarray((turning * (slope / _MOMENTS)[:, None, :]) @ motion)


def _bending(phases: Float[np.ndarray, " some"], *, slope: bool = False) -> Float[np.ndarray, "some terms"]:
    """A constant, cosines and sines at some phases, or their slopes."""
    numbers = np.arange(1, _WARP + 1)
    cosines, sines = np.cos(np.outer(phases, numbers)), np.sin(np.outer(phases, numbers))
    if slope:
        return np.concatenate([np.zeros((len(phases), 1)), -numbers * sines, numbers * cosines], axis=1)
    return np.concatenate([np.ones((len(phases), 1)), cosines, sines], axis=1)


def _fit(
    common: Float[np.ndarray, " events"], late: Float[np.ndarray, "nodes events"]
) -> Float[np.ndarray, "nodes terms"]:
    """For every node the smooth bend that comes near to how late its events are."""
    terms = _bending(common)
    stiff = np.concatenate([[1e-9], *2 * [np.arange(1.0, _WARP + 1) ** 4]])
    return np.asarray(np.linalg.solve(terms.T @ terms + _STIFFNESS * np.diag(stiff), terms.T @ late.T).T)


def _limited(
    bends: Float[np.ndarray, "nodes terms"], moments: Float[np.ndarray, " moments"]
) -> Float[np.ndarray, "nodes terms"]:
    """Bends made flatter where a warp would go too slowly or too fast."""
    slopes = bends @ _bending(moments, slope=True).T
    slow = (_SLOPES[0] - 1.0) / np.minimum(slopes.min(axis=1), _SLOPES[0] - 1.0)
    fast = (_SLOPES[1] - 1.0) / np.maximum(slopes.max(axis=1), _SLOPES[1] - 1.0)
    out = bends.copy()
    out[:, 1:] *= np.minimum(slow, fast)[:, None]
    return out


# The candidates.


def _switched_above(network: Network, points: Sequence[Point]) -> Blends:
    """Single-source harmonics in joints that move no ankle."""
    layout = network.layout
    if layout is None:
        return by_rule(network, phasor_blend).coefficients_at(points)
    free = footless(layout)
    joints = [name for j, name in enumerate(layout.skeleton.names) if free[layout.columns(j)].all()]
    return by_rule(network, phasor_blend, SingleSource(joints=tuple(joints))).coefficients_at(points)


def _registered(network: Network, points: Sequence[Point]) -> Blends:
    return Registered(network).blends(network.shares_at(points))


def _registered_and_lively(network: Network, points: Sequence[Point]) -> Blends:
    shares, mixed = network.shares_at(points), _registered(network, points)
    if network.layout is None:
        return mixed
    rule = lively_blend.for_layout(network.layout)
    return rule.enlivened(mixed, shares @ rule.needed(network.bank.coefficients))


LOSERS = (
    Candidate("phasor, SSH off the legs", "single-source only where no ankle is moved", _switched_above),
    Candidate.of("lively, hips in step", "… without putting feet in step first", LivelyBlend(by_feet=False)),
    Candidate.of("lively from 4", "… large from harmonic 4 on", LivelyBlend(4)),
    Candidate.of("revived", "phasors, upper harmonics made as large as they were, legs too", revived_blend(1.0)),
    Candidate.of("revived ½", "… half-way", revived_blend(0.5)),
    Candidate.of(
        "two bands", "phasors below harmonic 6, linear magnitudes above", in_bands(phasor_blend, streamlined_blend)
    ),
    Candidate.of("between ½", "magnitudes Σ w m · √ρ, ρ the phase agreement", between_blend(0.5)),
    Candidate.of("arc", "phase angles along the shorter arc", arc_blend),
    Candidate.of("aligned", "each node's upper harmonics turned into step", aligned_blend),
    Candidate.of("sharpened", "the nearer node decides where phase angles disagree", sharpened_blend(4.0)),
    Candidate("registered", "strikes and lift-offs brought together first", _registered),
    Candidate("registered, lively", "… and upper harmonics as in lively", _registered_and_lively),
)
ALL = (*CANDIDATES, *LOSERS)
