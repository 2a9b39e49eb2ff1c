"""The lively rule: phasors, with what blending takes from upper harmonics given back wherever no foot is moved by it.

Upper harmonics of two captures have phase angles that have little to do with each other, so blends lose about half of
their energy: motions become soft. Making them larger again distorts the way of planted feet, if it is done in the legs.
Hands, arms, spine, head, feet and toes hold five sixths of that energy, and move no ankle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Float

from mocapella.analysis.feet import leg_roles
from mocapella.arrays import owned
from mocapella.blending.rules import LayoutRule, Mixed, Stacked, Weights, phasor_blend
from mocapella.errors import MotionError
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import Layout
from mocapella.motion.part import Part

UPPER = 6  # the lowest harmonic that does not have to be in step for motions to be so
_MOST = 10.0  # times the energy: where less than a tenth is left, what would be made larger is noise
_NOTHING = 1e-290  # less energy than that is none


@dataclass(frozen=True)
class LivelyBlend(LayoutRule):
    """Phasors; outside of the legs each harmonic from ``first`` on has the mean energy of the nodes' own.

    The energy of a harmonic is the sum of its squared magnitudes over the dofs that move no ankle, and all of these are
    made larger by one factor, so that they go on fitting together and nothing leaps where a single dof cancels. The
    factor ends at √10, where phasors leave a tenth. Weights below zero may ask for less than phasors make: then these
    stay as they are. So do harmonics of which no layout says what they move, and skeletons without legs.
    """

    first: int = UPPER
    by_feet: bool = True  # whether motions are first moved until their feet come down together, see ``Ensemble.mixed``

    def __post_init__(self) -> None:
        if self.first < 1:
            raise MotionError(f"the upper band begins at harmonic 1 or above, got {self.first}")

    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Mix as phasors: nobody knows which of these dofs move feet."""
        return phasor_blend(coefficients, weights)

    def for_layout(self, layout: Layout) -> FittedLively:
        """The rule for dofs of a layout."""
        return _fitted(layout, self.first)


lively_blend = LivelyBlend()


@dataclass(frozen=True, eq=False)
class FittedLively:
    """The lively rule for the dofs of one layout."""

    first: int
    free: Float[np.ndarray, " dofs"]  # 1 for dofs that move no ankle, 0 for others

    def __call__(self, coefficients: Stacked, weights: Weights) -> Mixed:
        """Mix as phasors, and give upper harmonics back what that took from them."""
        return self.enlivened(phasor_blend(coefficients, weights), weights.dot(self.energies(coefficients)))

    def enlivened(self, mixed: Mixed, energies: Float[np.ndarray, "*batch upper"]) -> Mixed:
        """Harmonics that are mixed already, the upper ones brought to these energies, in place."""
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

    def energies(self, coefficients: Mixed) -> Float[np.ndarray, "*batch upper"]:
        """The energies of upper harmonics outside of the legs, which blends of them are to have."""
        # A product with all dofs; taking some out first costs as much again.
        return np.asarray(
            np.square(np.ascontiguousarray(coefficients[..., self.first :, :]).view(np.float64)).dot(self._both)
        )

    @cached_property
    def _both(self) -> Float[np.ndarray, " parts"]:
        """``free`` for real and imaginary parts by turns: as real numbers harmonics take half the time."""
        return owned(np.repeat(self.free, 2))


@lru_cache(maxsize=32)
def _fitted(layout: Layout, first: int) -> FittedLively:
    return FittedLively(first, footless(layout))


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
