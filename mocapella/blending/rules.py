"""Blend rules: how magnitudes and phase angles of several motions become those of one.

Every rule takes the harmonics of some nodes and their weights and returns mixed harmonics. All agree that harmonic 0 is
the weighted mean: it has a sign, not a phase angle. They differ in the magnitude of a harmonic whose phase angles
disagree. A harmonic that cancels out entirely has no direction; its phase angle is then 0.

``RULES`` has them by name. A new rule is a function and a line there: specs, the command line, messages and stored
networks read that dictionary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.checks import named, real_or_nan, shown
from mocapella.errors import MotionError, NetworkError
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import Layout
from mocapella.motion.spectrum import NO_MAGNITUDE
from mocapella.rig.legs import leg_roles
from mocapella.rig.parts import Part

Stacked = Complex[np.ndarray, "nodes harmonics dofs"]
Weights = Float[np.ndarray, "*batch nodes"]
Mixed = Complex[np.ndarray, "*batch harmonics dofs"]

# Harmonics of some nodes and the nodes' weights, mixed; leading axes of the weights come first in the result.
BlendRule = Callable[[Stacked, Weights], Mixed]


class FittedRule(ABC):
    """A blend rule for the dofs of one layout, as a bank of nodes uses it.

    A rule that needs more than the plain function overrides ``needed`` and ``mix``: one matrix product then gives the
    weighted means of all numbers that it needs.
    """

    by_feet: bool = False  # whether motions are first shifted so that their footfalls coincide
    trusted: bool = False  # whether its results are known to be finite harmonics, which need no check

    @abstractmethod
    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Mix the harmonics of some nodes."""

    def needed(self, coefficients: Stacked) -> Float[np.ndarray, "nodes numbers"]:
        """Numbers of each node whose weighted means ``mix`` needs; none by default."""
        return np.empty((len(coefficients), 0))

    def mix(self, nodes: NodeRows, weights: Weights, n_rows: int) -> tuple[Mixed, Float[np.ndarray, "*batch"]]:
        """The first ``n_rows`` harmonics of a blend, and its mean lateness (radians of the cycle)."""
        return self(nodes.coefficients(n_rows), weights), np.asarray(weights.dot(nodes.values[:, 0]))


class LayoutRule(ABC):
    """A blend rule that treats dofs by what they move: it is fitted to a layout before it mixes."""

    @abstractmethod
    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Fallback without a layout: treat all dofs alike."""

    @abstractmethod
    def for_layout(self, layout: Layout) -> FittedRule:
        """The rule for the dofs of a layout; the same object for the same layout."""


@dataclass(frozen=True, eq=False)
class NodeRows:
    """Some nodes of a bank as rows of numbers: one product with their weights gives the means of all of them."""

    # The node's lateness, what the rule needs, then real and imaginary parts of all coefficients by turns.
    values: Float[np.ndarray, "nodes parts"]
    n_needed: int
    n_dofs: int

    def coefficients(self, n_rows: int) -> Stacked:
        """The first ``n_rows`` harmonics of each node."""
        parts = self.values[:, 1 + self.n_needed :].view(np.complex128)
        return parts.reshape(len(parts), -1, self.n_dofs)[:, :n_rows]

    def means(
        self, weights: Weights, n_rows: int
    ) -> tuple[Float[np.ndarray, "*batch"], Float[np.ndarray, "*batch numbers"], Mixed]:
        """Weighted means of lateness, of the numbers needed, and of the first ``n_rows`` harmonics."""
        first = 1 + self.n_needed
        means = weights.dot(self.values[:, : first + 2 * n_rows * self.n_dofs])
        phasors = means[..., first:].view(np.complex128).reshape(*weights.shape[:-1], n_rows, self.n_dofs)
        return means[..., 0], means[..., 1:first], phasors


@dataclass(frozen=True, eq=False)
class _PlainRule(FittedRule):
    """A function that treats all dofs alike."""

    rule: BlendRule

    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        return self.rule(coefficients, weights)


def fitted(rule: BlendRule, layout: Layout | None) -> FittedRule:
    """The rule as a bank of nodes with this layout uses it; functions, and dofs without a layout, need no fitting."""
    return rule.for_layout(layout) if isinstance(rule, LayoutRule) and layout is not None else _PlainRule(rule)


def phasor_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Mix harmonics as phasors: the same as averaging the motions phase by phase."""
    # Weights are real, so one real product does it; einsum takes three times as long.
    flat = np.ascontiguousarray(coefficients).reshape(len(coefficients), -1)
    mixed = weights.dot(flat.view(flat.real.dtype))
    kind = np.promote_types(coefficients.dtype, mixed.dtype)
    return np.asarray(mixed.view(kind).reshape(*weights.shape[:-1], *coefficients.shape[1:]))


def streamlined_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Direction of the mixed phasors, magnitudes averaged as if the phase angles agreed (the thesis, eqs 5.2 to 5.4).

    Keeps swings large where motions are out of step; discontinuous where two equal magnitudes have opposite phase.
    """
    return _resized(phasor_blend(coefficients, weights), coefficients, weights, 0.0)


def unit_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Phase angles averaged as directions whatever their magnitudes, magnitudes averaged (the 2010 paper, eq. 2).

    A harmonic without magnitude has no phase angle and does not affect the direction.
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


def _resized(mixed: Mixed, coefficients: Stacked, weights: Weights, gamma: float) -> Mixed:
    """Mixed phasors, each brought to the length |Σ w c|^γ (Σ w |c|)^(1 − γ); the mean stays as it is."""
    lengths = np.abs(mixed)
    # Weights below zero, outside the triangle, can make the sum negative; a magnitude is at least 0.
    sums = np.maximum(np.einsum("...n,nhd->...hd", weights, np.abs(coefficients)), 0.0)
    directions = np.divide(mixed, lengths, out=np.ones_like(mixed), where=lengths > NO_MAGNITUDE * sums + 1e-290)
    out = directions * (lengths**gamma * sums ** (1.0 - gamma))
    out[..., 0, :] = mixed[..., 0, :]
    return np.asarray(out)


def phase_agreement(coefficients: Stacked, weights: Weights) -> Float[np.ndarray, "*batch harmonics dofs"]:
    """How far the phase angles of nodes agree: |Σ w c| / Σ w |c|, 1 for all alike, 0 where they cancel.

    It is 1 where all magnitudes are 0. Weights below zero count as 0.
    """
    shares = np.maximum(weights, 0.0)
    lengths = np.abs(phasor_blend(coefficients, shares))
    sums = np.einsum("...n,nhd->...hd", shares, np.abs(coefficients))
    return np.asarray(np.divide(lengths, sums, out=np.ones_like(lengths), where=sums > NO_MAGNITUDE))


# Phase angles of upper harmonics are nearly independent between two captures, so blends lose about half of
# their energy and motions become soft. Making them larger again in the legs would move planted feet; the other joints
# hold five sixths of that energy and move no ankle.

UPPER = 6  # the lowest harmonic that synchronisation does not align
_MOST = 10.0  # largest factor of the energy: where less than a tenth is left, noise would be amplified
_NOTHING = 1e-290  # less energy than that is none


@dataclass(frozen=True)
class LivelyBlend(LayoutRule):
    """Phasors; outside of the legs each harmonic from ``first`` on has the mean energy of the nodes' own.

    The energy of a harmonic is the sum of its squared magnitudes over the dofs that move no ankle. All of these are
    scaled by one factor, at most √10, so that they stay coordinated and nothing jumps where a single dof cancels. The
    factor is never below 1, which negative weights could ask for. Without a layout or without legs the rule is that of
    phasors.

    Parameters
    ----------
    first
        The lowest harmonic whose energy is kept.
    by_feet
        Whether motions are first shifted so that their footfalls coincide.
    """

    first: int = UPPER
    by_feet: bool = True

    def __post_init__(self) -> None:
        if self.first < 1:
            raise MotionError(f"the upper band begins at harmonic 1 or above, got {self.first}")

    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Mix as phasors: without a layout it is not known which dofs move feet."""
        return phasor_blend(coefficients, weights)

    def for_layout(self, layout: Layout) -> FittedLively:
        """The rule for the dofs of a layout."""
        return _fitted_lively(layout, self)


lively_blend = LivelyBlend()


@dataclass(frozen=True, eq=False)
class FittedLively(FittedRule):
    """The lively rule for the dofs of one layout."""

    first: int
    free: Float[np.ndarray, " dofs"]  # 1 for dofs that move no ankle, 0 for others
    by_feet: bool = True

    trusted = True

    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Mix as phasors, and restore the energy that upper harmonics lose by that."""
        return self.enlivened(phasor_blend(coefficients, weights), weights.dot(self.needed(coefficients)))

    def mix(self, nodes: NodeRows, weights: Weights, n_rows: int) -> tuple[Mixed, Float[np.ndarray, "*batch"]]:
        """The first ``n_rows`` harmonics of a blend, and its mean lateness."""
        late, energies, phasors = nodes.means(weights, n_rows)
        return self.enlivened(phasors, energies[..., : max(n_rows - self.first, 0)]), late

    def enlivened(self, mixed: Mixed, energies: Float[np.ndarray, "*batch upper"]) -> Mixed:
        """Mixed harmonics, the upper ones brought to these energies, in place."""
        upper = mixed[..., self.first :, :].view(np.float64)
        if upper.size:
            gains = energies / np.maximum(np.square(upper).dot(self._both), _NOTHING)
            np.minimum(np.maximum(gains, 1.0, out=gains), _MOST, out=gains)
            gains = np.sqrt(gains, out=gains)
            gains -= 1.0
            factors = gains[..., None] * self._both
            factors += 1.0
            upper *= factors
        return mixed

    def needed(self, coefficients: Mixed) -> Float[np.ndarray, "*batch upper"]:
        """The energies of upper harmonics over the dofs that move no ankle."""
        # A product with all dofs; selecting some first would double the time.
        upper = np.ascontiguousarray(coefficients[..., self.first :, :])
        return np.asarray(np.square(upper.view(np.float64)).dot(self._both))

    @cached_property
    def _both(self) -> Float[np.ndarray, " parts"]:
        """``free`` for real and imaginary parts by turns: as real numbers harmonics take half the time."""
        return owned(np.repeat(self.free, 2))


@lru_cache(maxsize=32)
def _fitted_lively(layout: Layout, rule: LivelyBlend) -> FittedLively:
    return FittedLively(rule.first, footless(layout), rule.by_feet)


def footless(layout: Layout) -> Float[np.ndarray, " dofs"]:
    """1 for every dof of a rotation that moves no ankle, 0 for all others; 0 for all where legs are not known."""
    out = np.zeros(layout.n_dofs)
    try:
        roles = leg_roles(layout.skeleton)
    except MotionError:
        return owned(out)
    skeleton = layout.skeleton
    legs = Part.of(layout, [int(skeleton.parents[roles[f"{side}_ankle"]]) for side in FEET])
    out[:] = 1.0
    out[legs.columns] = 0.0
    return owned(out)


def naive_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Magnitudes and phase angles (0 … 2π) averaged as plain numbers (Unuma 1995): 10° and 350° make 180°."""
    angles = np.where(np.abs(coefficients) < NO_MAGNITUDE, 0.0, np.angle(coefficients) % TURN)
    sizes = np.einsum("...n,nhd->...hd", weights, np.abs(coefficients))
    mixed = sizes * np.exp(1j * np.einsum("...n,nhd->...hd", weights, angles))
    mixed[..., 0, :] = phasor_blend(coefficients[:, :1], weights)[..., 0, :]
    return np.asarray(mixed)


def series_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Cosine and sine coefficients averaged each on its own (Pettré and Laumond 2006); the phasor rule in other words.

    Their series runs over cos(kπt/T) and sin(kπt/T) of a period 2T, with half the first coefficient for the mean.
    """
    cosines, sines = 2.0 * coefficients.real, -2.0 * coefficients.imag
    alphas = np.einsum("...n,nhd->...hd", weights, cosines)
    betas = np.einsum("...n,nhd->...hd", weights, sines)
    return np.asarray(0.5 * (alphas - 1j * betas))


def approximate_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """The streamlined rule with the approximate arctangent of the thesis: phase angles are up to 0.92° wrong."""
    phasors = phasor_blend(coefficients, weights)
    sizes = np.maximum(np.einsum("...n,nhd->...hd", weights, np.abs(coefficients)), 0.0)
    mixed = sizes * np.exp(1j * approximate_arctan2(phasors.imag, phasors.real))
    mixed[..., 0, :] = phasors[..., 0, :]
    return np.asarray(mixed)


def approximate_arctan2(y: Float[np.ndarray, "*shape"], x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The angle of (x, y) by p − q/(t + r), t = |y/x|, carried to all quadrants (eq. 5.5; eq. 3 prints a wrong sign).

    At most 0.92° off, and a little below 0 for y = 0, so never to be used where the sign matters; 0 at the origin.
    """
    across, up = np.abs(x), np.abs(y)
    low = 2.0 * up <= across
    p, q, r = (np.where(low, a, b) for a, b in ((1.597, 1.583), (1.992, 1.259), (1.237, 0.609)))
    # Both sides of the fraction times |x|, so that a point straight above needs no division by zero.
    beneath = up + r * across
    angle = p - np.divide(q * across, beneath, out=np.zeros_like(beneath), where=beneath > 0.0)
    angle = np.where(x < 0.0, np.pi - angle, angle)
    return np.asarray(np.where(beneath > 0.0, np.where(y < 0.0, -angle, angle), 0.0))


RULES: dict[str, BlendRule] = {
    "lively": lively_blend,
    "phasor": phasor_blend,
    "streamlined": streamlined_blend,
    "unit": unit_blend,
    "naive": naive_blend,
    "series": series_blend,
    "approximate": approximate_blend,
    "between": between_blend(0.5),
}


def rule_name(rule: BlendRule) -> str:
    """The name of a blend rule in files; ``NetworkError`` for one that is not in ``RULES``."""
    for name, member in RULES.items():
        if member is rule:
            return name
    raise NetworkError(f"a rule made by hand cannot be stored; those with a name are {', '.join(RULES)}")


def rule_of(rule: BlendRule | str) -> BlendRule:
    """A blend rule by its name in ``RULES``, or the function itself."""
    return named(rule, RULES, "a blend rule")
