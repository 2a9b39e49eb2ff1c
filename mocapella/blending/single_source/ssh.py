"""Settings of single-source harmonics: upper harmonics that come whole from one node, because blending distorts them.

The NB band below is blended; in the SSH band every harmonic is taken from one node. The stack says from which: it
changes one harmonic at a time as the blending point moves, and on an edge it is the same from both its triangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import readonly
from mocapella.blending.single_source.stacks import ROUNDINGS, STRUCTURES, consistent_winners
from mocapella.checks import explained, shown
from mocapella.errors import NetworkError, warn


@dataclass(frozen=True, eq=False)
class Override:
    """A grid over the plane of a network: 0 keeps single-source harmonics, 1 overrides them, between it fades.

    ``low`` and ``high`` are the opposite corners of the grid. Points beyond it have what its nearest place has.
    ``amounts`` are one per crossing of the grid, 0 … 1, an axis of the array per axis of the plane; linear in between.
    ``instead`` is what replaces them: ``"blend"``, ordinary blending, or ``"clip"``, nothing.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    amounts: Float[np.ndarray, "*crossings"]
    instead: Literal["blend", "clip"] = "blend"

    def __post_init__(self) -> None:
        amounts = readonly(self.amounts, np.float64)
        object.__setattr__(self, "amounts", amounts)
        for name in ("low", "high"):
            object.__setattr__(self, name, tuple(map(float, getattr(self, name))))
        if self.instead not in ("blend", "clip"):
            raise NetworkError(f"expected 'blend' or 'clip' instead of single-source harmonics, got {self.instead!r}")
        if not len(self.low) == len(self.high) == amounts.ndim or not all(amounts.shape):
            raise NetworkError(
                f"a map from {self.low} to {self.high} needs one axis of amounts each, got shape {amounts.shape}"
            )
        if not ((amounts >= 0.0) & (amounts <= 1.0)).all():
            raise NetworkError("amounts of a map lie between 0, which keeps single-source harmonics, and 1")
        if not all(-np.inf < a <= b < np.inf for a, b in zip(self.low, self.high, strict=True)):
            raise NetworkError(f"a map goes from its lowest to its highest corner, got {self.low} and {self.high}")

    def amount(self, point: Sequence[float | int] | Float[np.ndarray, " axes"]) -> float:
        """How far single-source harmonics are overridden at a point."""
        corners: list[tuple[Any, float]] = [(self._nested, 1.0)]
        for x, low, high, size in zip(point, self.low, self.high, self.amounts.shape, strict=True):
            along = min(max((x - low) / (high - low), 0.0), 1.0) * (size - 1) if high > low else 0.0
            i = min(int(along), max(size - 2, 0))
            rest = along - i
            steps = ((i, 1.0 - rest), (i + 1, rest)) if rest > 0.0 else ((i, 1.0),)
            corners = [(part[j], share * step_share) for part, share in corners for j, step_share in steps]
        return float(sum(share * value for value, share in corners))

    @cached_property
    def _nested(self) -> Any:
        return self.amounts.tolist()  # plain numbers: four of them are read at every blend


@explained
@dataclass(frozen=True, eq=False)
class SingleSource:
    """Settings of single-source harmonics: the band, and how nodes share it.

    Parameters
    ----------
    first, last
        The SSH band; None goes up to the highest harmonic that the network has. What lies outside is blended.
    winners
        Pairs of names, the winner first: half-way between two joined nodes the winner fills the whole band, and its
        harmonics lie above the other's. Pairs that share no triangle have no effect. In a network every edge has a
        winner: the earlier node where none was named.
    abstaining
        Nodes from which no single-source harmonics are taken: harmonics that would come from them are blended.
    override
        A map of where single-source harmonics are not used after all.
    joints
        Joints to which all this applies, others are blended; None means all, and the root's way too.
    agreement
        Where phase angles agree, blending does no harm: a dof's harmonic with a ``phase_agreement`` above this is
        blended, the more the better it agrees. None switches all.
    structure
        A name of ``stacks.STRUCTURES``: ``"half ramp"``, or for comparison one of those that the thesis rejects.
    rounding
        A name of ``stacks.ROUNDINGS``: ``"largest remainder"``, or ``"thesis"``, by which counts can change by two.

    Raises
    ------
    NetworkError
        For a band that begins below harmonic 1 or ends before it begins, or names of no structure or rounding.

    Examples
    --------
    >>> SingleSource(first=6, winners=(("fast", "slow"),)).structure
    'half ramp'
    """

    first: int = 6
    last: int | None = None
    winners: tuple[tuple[str, str], ...] = ()
    abstaining: tuple[str, ...] = ()
    override: Override | None = None
    joints: tuple[str, ...] | None = None
    agreement: float | None = None
    structure: str = "half ramp"
    rounding: str = "largest remainder"

    def __post_init__(self) -> None:
        if self.structure not in STRUCTURES:
            raise NetworkError(f"no structure {self.structure!r} of stacks; there are {', '.join(STRUCTURES)}")
        if self.rounding not in ROUNDINGS:
            raise NetworkError(f"no rounding {self.rounding!r}; there are {', '.join(ROUNDINGS)}")
        for key, value in (("first", self.first), ("last", self.last)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
                raise NetworkError(f"expected {key} as the number of a harmonic, got {shown(value)}")
        if self.first < 1:
            raise NetworkError(f"the SSH band begins at harmonic 1 or above, for the mean is blended; got {self.first}")
        if self.last is not None and self.last < self.first:
            raise NetworkError(f"the SSH band goes up from harmonic {self.first}, not to {self.last}")
        if self.agreement is not None and not 0.0 <= self.agreement < 1.0:
            raise NetworkError(f"expected an agreement from 0 to below 1, got {self.agreement}")
        if any(isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1] for pair in self.winners):
            raise NetworkError("winners come as pairs of two different names, the winner first")

    def settled(
        self, names: Sequence[str], corners: Int[np.ndarray, "triangles corners"], n_harmonics: int
    ) -> SingleSource:
        """The same for a network: every edge has a winner, and no triangle's winners go round in a circle.

        ``names`` are those of its nodes, ``corners`` the nodes of its triangles, and ``n_harmonics`` how many it has.

        Warns
        -----
        MotionWarning
            Naming the edges that were turned against what was asked for, to break a circle.

        Raises
        ------
        NetworkError
            Where names are not those of nodes, or the band lies beyond the harmonics there are.
        """
        for name in (*self.abstaining, *(name for pair in self.winners for name in pair)):
            if name not in names:
                raise NetworkError(f"no node {name!r} to win or abstain; there are {', '.join(names)}")
        if max(self.first, self.last or 0) > n_harmonics:
            band = f"from harmonic {self.first}" if self.last is None else f"of harmonics {self.first} to {self.last}"
            raise NetworkError(
                f"an SSH band {band} needs more than the {n_harmonics} harmonics of this network; "
                "keep more of them, or let it begin lower"
            )
        number = {name: i for i, name in enumerate(names)}
        demands = [(number[winner], number[loser]) for winner, loser in self.winners]
        won, turned = consistent_winners(corners.tolist(), demands, names)
        if turned:
            said = ", ".join(f"{names[winner]!r} over {names[loser]!r}" for winner, loser in turned)
            warn(f"the winners go round in a circle; turned round to break it: {said}")
        return replace(self, winners=tuple((names[winner], names[loser]) for winner, loser in won))
