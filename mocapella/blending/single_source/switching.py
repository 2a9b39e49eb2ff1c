"""Single-source harmonics at a place: which node each harmonic comes from, and a blend with these put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Complex, Float, Int

from mocapella.arrays import owned
from mocapella.blending.places import Place
from mocapella.blending.rules import phase_agreement
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.blending.single_source.stacks import ROUNDINGS, STRUCTURES, ranks, totals
from mocapella.errors import NetworkError
from mocapella.motion.layout import Layout

BLENDED = -1  # in a stack: this harmonic is blended
_MOST_TABLES = 256  # stacks whose upper harmonics are kept at hand: a few megabytes at most

Stack = Int[np.ndarray, " harmonics"]


@dataclass(frozen=True, eq=False)
class Switch:
    """The single-source harmonics at one place."""

    stack: Stack
    first: int  # the lowest harmonic that may be switched
    columns: Bool[np.ndarray, " dofs"] | None = None  # dofs that are switched; None means all
    blended: Float[np.ndarray, "harmonics dofs"] | None = None  # how much of what is switched is blended after all
    overridden: float = 0.0  # how far the single-source harmonics are overridden …
    instead: Literal["blend", "clip"] = "blend"  # … and by what
    blended_above: bool = True  # whether there may be blended harmonics above the lowest one
    upper: Complex[np.ndarray, "upper dofs"] | None = None  # harmonics from ``first`` on, where none of them is blended

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
        # The rule mixes the NB band only; the rest costs next to nothing.
        upper = upper_harmonics(coefficients, self.stack, self.first) if self.upper is None else self.upper
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


def upper_harmonics(
    coefficients: Complex[np.ndarray, "nodes harmonics dofs"], stack: Stack, first: int
) -> Complex[np.ndarray, "upper dofs"]:
    """The harmonics from ``first`` on, each from the node that the stack names."""
    return np.asarray(coefficients[stack[first:], np.arange(first, len(stack))])


class _Table(NamedTuple):
    """The upper harmonics that places with the same stack share."""

    stack: Stack
    above: bool  # whether harmonics above the lowest one of the band are blended
    upper: Complex[np.ndarray, "upper dofs"] | None


class Switching:
    """Single-source harmonics made ready for a network: every place has its stack.

    Weights below zero, outside of an extrapolating network, count as none: the NB band extrapolates, the SSH band is
    that of the nearest nodes. While weights fade from triangle to triangle, the nodes that count most share the band.
    Nodes that are not synchronised have no harmonics on the common clock; the others share the band as if these did not
    count.

    ``settings`` have a winner for every edge, see ``SingleSource.settled``. ``layout`` is needed where the settings
    name joints.
    """

    def __init__(
        self,
        settings: SingleSource,
        names: Sequence[str],
        corners: Int[np.ndarray, "triangles corners"],
        coefficients: Complex[np.ndarray, "nodes harmonics dofs"],
        in_step: Bool[np.ndarray, " nodes"],
        layout: Layout | None,
    ) -> None:
        number = {name: i for i, name in enumerate(names)}
        self._won = {(number[winner], number[loser]) for winner, loser in settings.winners}
        self._settings = settings
        self._n_corners = corners.shape[1]
        self._abstaining = frozenset(number[name] for name in settings.abstaining)
        self._out_of_step = frozenset(np.flatnonzero(~in_step).tolist())
        self._coefficients = coefficients
        self._highest = coefficients.shape[1] - 1
        self._last = self._highest if settings.last is None else settings.last
        self._columns = None if settings.joints is None else _columns(settings.joints, layout)
        self._structure = STRUCTURES[settings.structure]
        self._rounding = ROUNDINGS[settings.rounding]
        self._tables: dict[tuple[int, ...], _Table] = {}

    def stack(self, place: Place) -> Stack:
        """For every harmonic from 0 on the node it comes from, −1 where it is blended."""
        return self._table(self._band(place)).stack

    def at(self, place: Place) -> Switch:
        """The single-source harmonics at a place."""
        override, blended = self._settings.override, self._blended(place)
        amount = 0.0 if override is None else override.amount(place.point)
        instead = "blend" if override is None else override.instead
        stack, above, upper = self._table(self._band(place))
        return Switch(stack, self._settings.first, self._columns, blended, amount, instead, above, upper)

    def _band(self, place: Place) -> list[int]:
        nodes: list[int] = place.nodes.tolist()
        weights = [weight if weight > 0.0 else 0.0 for weight in place.weights.tolist()]
        if self._out_of_step and any(w for n, w in zip(nodes, weights, strict=True) if n not in self._out_of_step):
            weights = [0.0 if n in self._out_of_step else w for n, w in zip(nodes, weights, strict=True)]
        if len(nodes) > self._n_corners:  # weights fade from one triangle to another
            most = sorted(range(len(nodes)), key=weights.__getitem__)[-self._n_corners :]
            nodes, weights = [nodes[i] for i in most], [weights[i] for i in most]
        place_ranks = ranks(nodes, self._won)
        first, last = self._settings.first, self._last
        amounts = totals(weights, place_ranks, last - first + 1, self._structure.stop)
        band = self._structure.pattern(nodes, self._rounding(amounts, place_ranks), place_ranks)
        if self._abstaining:
            band = [BLENDED if node in self._abstaining else node for node in band]
        return band

    def _table(self, band: list[int]) -> _Table:
        """The stack of a band and its upper harmonics, made once: a moving point stays in one stack for many steps."""
        table = self._tables.get(tuple(band))
        if table is not None:
            return table
        first = self._settings.first
        rows = [BLENDED] * first + band + [BLENDED] * (self._highest - self._last)
        stack = owned(np.array(rows, dtype=np.intp))
        above = self._last < self._highest or BLENDED in band
        table = _Table(stack, above, None if above else owned(upper_harmonics(self._coefficients, stack, first)))
        if len(self._tables) >= _MOST_TABLES:
            self._tables.clear()
        self._tables[tuple(band)] = table
        return table

    def _blended(self, place: Place) -> Float[np.ndarray, "harmonics dofs"] | None:
        least = self._settings.agreement
        if least is None:
            return None
        weights = np.where([node in self._out_of_step for node in place.nodes.tolist()], 0.0, place.weights)
        agreement = phase_agreement(self._coefficients[place.nodes], weights)
        return np.asarray(np.maximum(agreement - least, 0.0) / (1.0 - least))


def _columns(joints: Sequence[str], layout: Layout | None) -> Bool[np.ndarray, " dofs"]:
    if layout is None:
        raise NetworkError("these motions have no layout, so there are no joints to apply single-source harmonics to")
    unknown = [joint for joint in joints if joint not in layout.skeleton.names]
    if unknown:
        raise NetworkError(f"no joint {unknown[0]!r} to switch; there are {', '.join(layout.skeleton.names)}")
    out = np.zeros(layout.n_dofs, dtype=bool)
    for joint in joints:
        out[layout.columns(layout.skeleton.names.index(joint))] = True
    return owned(out)
