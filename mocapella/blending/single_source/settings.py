"""What each dof and harmonic takes from one source instead of a blend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from jaxtyping import Bool, Complex, Float, Int

from mocapella.arrays import owned, readonly
from mocapella.blending.places import Place
from mocapella.blending.rules import phase_agreement
from mocapella.blending.single_source.stacks import ROUNDINGS, STRUCTURES, consistent_winners, ranks, totals
from mocapella.checks import shown
from mocapella.errors import NetworkError, warn
from mocapella.motion.layout import Layout

if TYPE_CHECKING:
    from mocapella.blending.network import Network


# Where a network does without single-source harmonics after all: a map, smooth so that nothing pops at its borders.


@dataclass(frozen=True, eq=False)
class Override:
    """A grid over the plane of a network: 0 keeps single-source harmonics, 1 overrides them, between it fades.

    Parameters
    ----------
    low, high
        Opposite corners of the grid. Points beyond it have what its nearest place has.
    amounts
        One per crossing of the grid, 0 … 1, an axis of the array per axis of the plane; linear in between.
    instead
        What takes their place: ``"blend"``, ordinary blending, or ``"clip"``, nothing.
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
        part = self._nested
        corners: list[tuple[Any, float]] = [(part, 1.0)]
        for x, low, high, size in zip(point, self.low, self.high, self.amounts.shape, strict=True):
            along = min(max((x - low) / (high - low), 0.0), 1.0) * (size - 1) if high > low else 0.0
            i = min(int(along), max(size - 2, 0))
            rest = along - i
            steps = ((i, 1.0 - rest), (i + 1, rest)) if rest > 0.0 else ((i, 1.0),)
            corners = [(part[j], share * own) for part, share in corners for j, own in steps]
        return float(sum(share * value for value, share in corners))

    @cached_property
    def _nested(self) -> Any:
        return self.amounts.tolist()  # plain numbers: a place asks for four of them, at every blend


# Single-source harmonics: upper harmonics that come whole from one node, because blending them distorts.
#
# The NB band below is blended as ever; in the SSH band every harmonic is one node's own. Which node's, the stack says:
# it changes one harmonic at a time as the blending point moves, and on an edge it is the same from both its triangles.

BLENDED = -1  # in a stack: this harmonic is blended

Stack = Int[np.ndarray, " harmonics"]


@dataclass(frozen=True, eq=False)
class SingleSource:
    """Which harmonics of a network are single-source, and how nodes share them.

    Parameters
    ----------
    first, last
        The SSH band; None goes up to the highest harmonic that the network has. What lies outside is blended.
    winners
        Pairs of names, the winner first: half-way between two joined nodes the winner fills the whole band, and its
        harmonics lie above the other's. Pairs that share no triangle have no say. In a network every edge has a winner:
        the earlier node where none was named.
    abstaining
        Nodes that give no single-source harmonics: those that would fall to them are blended.
    override
        A map of where single-source harmonics are not used after all.
    joints
        Joints to which all this applies, others are blended; None means all, and the root's way too.
    agreement
        Where phase angles agree there is nothing to switch: a dof's harmonic that agrees (``phase_agreement``) by more
        than this is blended, the more the better it agrees. None switches all.
    structure
        ``"half ramp"``, or for comparison one of those that the thesis rejects: ``"low last"``, ``"full ramp"``,
        ``"interleaved"``.
    rounding
        ``"largest remainder"``, or ``"thesis"``, by which counts can change by two at once.
    """

    first: int = 6
    last: int | None = None
    winners: tuple[tuple[str, str], ...] = ()
    abstaining: tuple[str, ...] = ()
    override: Override | None = None
    joints: tuple[str, ...] | None = None
    agreement: float | None = None
    structure: Literal["half ramp", "low last", "full ramp", "interleaved"] = "half ramp"
    rounding: Literal["largest remainder", "thesis"] = "largest remainder"

    def __post_init__(self) -> None:
        if self.structure not in STRUCTURES:
            raise NetworkError(f"no structure {self.structure!r} of stacks; there are {', '.join(STRUCTURES)}")
        if self.rounding not in ROUNDINGS:
            raise NetworkError(f"no rounding {self.rounding!r}; there are {', '.join(ROUNDINGS)}")
        for key, value in (("first", self.first), ("last", self.last)):
            if value is not None and not isinstance(value, int | np.integer):
                raise NetworkError(f"expected {key} as the number of a harmonic, got {shown(value)}")
        if self.first < 1:
            raise NetworkError(f"the SSH band begins at harmonic 1 or above, for the mean is blended; got {self.first}")
        if self.last is not None and self.last < self.first:
            raise NetworkError(f"the SSH band goes up from harmonic {self.first}, not to {self.last}")
        if self.agreement is not None and not 0.0 <= self.agreement < 1.0:
            raise NetworkError(f"expected an agreement from 0 to below 1, got {self.agreement}")
        if any(len(pair) != 2 or pair[0] == pair[1] for pair in self.winners):
            raise NetworkError("winners come as pairs of two different names, the winner first")

    def settled(
        self, names: Sequence[str], corners: Int[np.ndarray, "triangles corners"], n_harmonics: int
    ) -> SingleSource:
        """The same for a network: every edge has a winner, and no triangle's winners go round in a circle.

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
            text = f"the winners go round in a circle; turned round to break it: {said}"
            warn(text)
        return replace(self, winners=tuple((names[winner], names[loser]) for winner, loser in won))


@dataclass(frozen=True, eq=False)
class Switch:
    """What is switched at one place."""

    stack: Stack
    first: int  # the lowest harmonic that may be switched
    columns: Bool[np.ndarray, " dofs"] | None = None  # dofs that are switched; None means all
    blended: Float[np.ndarray, "harmonics dofs"] | None = None  # how much of what is switched is blended after all
    overridden: float = 0.0  # how far the single-source harmonics give way …
    instead: Literal["blend", "clip"] = "blend"  # … and to what
    blended_above: bool = True  # whether there may be blended harmonics above the lowest one

    @property
    def whole(self) -> bool:
        """Whether every harmonic is either blended or one node's own, with nothing in between."""
        return self.columns is None and self.blended is None and self.overridden == 0.0

    def mixed(
        self,
        coefficients: Complex[np.ndarray, "nodes harmonics dofs"],
        blended: Callable[[int | None], Complex[np.ndarray, "rows dofs"]],
    ) -> Complex[np.ndarray, "harmonics dofs"]:
        """The harmonics at this place: of all nodes what the stack says, elsewhere those of an ordinary blend.

        ``blended`` gives the first so many harmonics of that blend, or all for None.
        """
        if self.blended_above or not self.whole:
            return self.applied(blended(None), coefficients)
        # What is not blended costs next to nothing: the rule sees the NB band only.
        upper = coefficients[self.stack[self.first :], _numbers(self.first, len(self.stack))]
        return np.concatenate([blended(self.first), upper])

    def applied(
        self, mixed: Complex[np.ndarray, "harmonics dofs"], coefficients: Complex[np.ndarray, "nodes harmonics dofs"]
    ) -> Complex[np.ndarray, "harmonics dofs"]:
        """Harmonics that are mixed already, switched where the stack says so."""
        out = single_source(mixed, coefficients, self.stack)
        switched = self.stack != BLENDED
        if self.blended is not None:
            out[switched] += self.blended[switched] * (mixed[switched] - out[switched])
        if self.overridden > 0.0:
            other = mixed[switched] if self.instead == "blend" else 0.0
            out[switched] = (1.0 - self.overridden) * out[switched] + self.overridden * other
        if self.columns is not None:
            out[:, ~self.columns] = mixed[:, ~self.columns]
        return out


def single_source(
    mixed: Complex[np.ndarray, "harmonics dofs"],
    coefficients: Complex[np.ndarray, "nodes harmonics dofs"],
    stack: Stack,
) -> Complex[np.ndarray, "harmonics dofs"]:
    """Take each harmonic from the node the stack names; keep the mix where it names none."""
    rows = np.flatnonzero(stack != BLENDED)
    out = mixed.copy()
    out[rows] = coefficients[stack[rows], rows]
    return out


class Switching:
    """Single-source harmonics made ready for a network: every place has its stack.

    Weights below zero, outside of an extrapolating network, count as none: the NB band extrapolates, the SSH band is
    that of the nearest nodes. Nodes that are not synchronised have no harmonics on the common clock; the others share
    the band as if these did not count.
    """

    def __init__(self, settings: SingleSource, network: Network) -> None:
        number = {name: i for i, name in enumerate(network.names)}
        won = {(number[winner], number[loser]) for winner, loser in settings.winners}
        override = settings.override
        if override is not None and len(override.low) != network.n_axes:
            raise NetworkError(f"a map of {len(override.low)} axes does not fit a network of {network.n_axes}")
        self._settings = settings
        self._ranks = [ranks(triangle, won) for triangle in network.corners.tolist()]
        self._abstaining = frozenset(number[name] for name in settings.abstaining)
        self._out_of_step = frozenset(i for i, node in enumerate(network.nodes) if not node.synchronised)
        self._coefficients = network.bank.coefficients
        self._highest = network.n_harmonics
        self._last = self._highest if settings.last is None else settings.last
        self._columns = None if settings.joints is None else _columns(settings.joints, network.layout)
        self._structure = STRUCTURES[settings.structure]
        self._rounding = ROUNDINGS[settings.rounding]

    def stack(self, place: Place) -> Stack:
        """For every harmonic from 0 on the node it comes from, −1 where it is blended."""
        return self._stack(self._band(place))

    def at(self, place: Place) -> Switch:
        """What is switched at a place."""
        override, blended = self._settings.override, self._blended(place)
        amount = 0.0 if override is None else override.amount(place.point)
        instead = "blend" if override is None else override.instead
        band = self._band(place)
        above = self._last < self._highest or BLENDED in band
        return Switch(self._stack(band), self._settings.first, self._columns, blended, amount, instead, above)

    def _band(self, place: Place) -> list[int]:
        nodes: list[int] = place.nodes.tolist()
        weights = [weight if weight > 0.0 else 0.0 for weight in place.weights.tolist()]
        if self._out_of_step and any(w for n, w in zip(nodes, weights, strict=True) if n not in self._out_of_step):
            weights = [0.0 if n in self._out_of_step else w for n, w in zip(nodes, weights, strict=True)]
        place_ranks = self._ranks[place.triangle]
        first, last = self._settings.first, self._last
        amounts = totals(weights, place_ranks, last - first + 1, self._structure.stop)
        band = self._structure.pattern(nodes, self._rounding(amounts, place_ranks), place_ranks)
        if self._abstaining:
            band = [BLENDED if node in self._abstaining else node for node in band]
        return band

    def _stack(self, band: list[int]) -> Stack:
        stack = [BLENDED] * self._settings.first + band + [BLENDED] * (self._highest - self._last)
        return owned(np.array(stack, dtype=np.intp))

    def _blended(self, place: Place) -> Float[np.ndarray, "harmonics dofs"] | None:
        least = self._settings.agreement
        if least is None:
            return None
        weights = np.where([node in self._out_of_step for node in place.nodes.tolist()], 0.0, place.weights)
        agreement = phase_agreement(self._coefficients[place.nodes], weights)
        return np.asarray(np.maximum(agreement - least, 0.0) / (1.0 - least))


@cache
def _numbers(first: int, after: int) -> Stack:
    return owned(np.arange(first, after))


def _columns(joints: Sequence[str], layout: Layout | None) -> Bool[np.ndarray, " dofs"]:
    if layout is None:
        raise NetworkError("these motions carry no layout, so there are no joints to apply single-source harmonics to")
    unknown = [joint for joint in joints if joint not in layout.skeleton.names]
    if unknown:
        raise NetworkError(f"no joint {unknown[0]!r} to switch; there are {', '.join(layout.skeleton.names)}")
    out = np.zeros(layout.n_dofs, dtype=bool)
    for joint in joints:
        out[layout.columns(layout.skeleton.names.index(joint))] = True
    return owned(out)
