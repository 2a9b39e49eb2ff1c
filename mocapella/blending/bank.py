"""The spectra of nodes stacked for mixing: one blend, or those of many places at once.

Nodes that are not synchronised, such as idles, keep their own time: only their mean posture enters the common blend,
and ``NodeBank.parts`` gives each of them with its own cycle phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Complex, Float, Int

from mocapella.arrays import owned
from mocapella.blending.paired_plants import Schedule, Stances, paired
from mocapella.blending.places import Place
from mocapella.blending.rules import BlendRule, FittedRule, Mixed, NodeRows, fitted, lively_blend, rule_of
from mocapella.blending.single_source.switching import BLENDED, Switch
from mocapella.checks import reals, refuse_other, shown
from mocapella.errors import NetworkError, warn
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import Layout
from mocapella.motion.spectrum import Spectrum


def spectra_given(spectra: Any) -> list[Spectrum]:
    """Any iterable of spectra as a list."""
    try:
        motions = list(spectra)
    except TypeError:
        raise NetworkError(f"expected a list of spectra, got {shown(spectra)}; put a single one in [ ]") from None
    for motion in motions:
        refuse_other(motion, Spectrum, "spectra, such as analyse(cycle) makes one")
    return motions


_SUM_TOLERANCE = 1e-6  # by which a sum of weights may differ from 1
_REMEMBERED = 8  # triangles whose rows are kept side by side


def blend(
    spectra: Sequence[Spectrum],
    weights: Sequence[float] | Float[np.ndarray, " nodes"],
    *,
    rule: BlendRule | str = lively_blend,
    name: str = "",
) -> Spectrum:
    """One motion from several that are in step; the duration is the weighted mean of theirs.

    Signs of quaternions and whole turns of angles are made to agree first. Only harmonics that all spectra have are
    mixed. Foot plants are blended where all spectra know theirs.

    Parameters
    ----------
    spectra
        Of one layout.
    weights
        One each, sum 1.
    rule
        How harmonics are mixed: a function, or its name in ``mocapella.blending.rules.RULES``.
    name
        Of the blend.

    Returns
    -------
    Spectrum
        The blend.

    Raises
    ------
    NetworkError
        Where the spectra have different dofs, the weights do not sum to 1, or the blend would last no time.

    Examples
    --------
    >>> swings = [Spectrum(np.array([[0.0], [size]]), duration=1.0) for size in (0.1 + 0j, 0.3 + 0j)]
    >>> blend(swings, (0.5, 0.5)).coefficients[1, 0].round(6).item()
    (0.2+0j)
    """
    motions = spectra_given(spectra)
    bank = NodeBank.of(with_like_signs(motions))
    return bank.mix(np.arange(len(motions)), _checked_weights(weights, len(motions)), rule_of(rule), name)


class _Ready(NamedTuple):
    """A blend rule fitted to the nodes of a bank."""

    rule: FittedRule
    by_feet: bool  # whether motions are shifted so that their footfalls coincide
    nodes: NodeRows  # all of the bank
    taken: dict[tuple[int, ...], _Taken]  # rows of some nodes, taken lately


class _Taken(NamedTuple):
    """The rows of some nodes: a blending point that moves stays among them for many steps."""

    timing: Float[np.ndarray, "some times"]
    nodes: NodeRows


@dataclass(frozen=True, eq=False)
class NodeBank:
    """The spectra of a network's nodes, ready to be mixed: stacked, with like signs, their foot plants paired."""

    coefficients: Complex[np.ndarray, "nodes harmonics dofs"]
    durations: Float[np.ndarray, " nodes"]  # seconds
    layout: Layout | None
    schedule: Schedule | None  # None where a node does not know its foot plants
    lateness: Float[np.ndarray, " nodes"]  # how much later than the others each takes its steps, radians of the cycle
    in_step: Bool[np.ndarray, " nodes"]  # which are synchronised

    @classmethod
    def of(
        cls, alike: Sequence[Spectrum], harmonics: int | None = None, in_step: Sequence[bool] | None = None
    ) -> NodeBank:
        """The bank of spectra written ``with_like_signs``; with the harmonics all have, or at most ``harmonics``.

        Warns with ``MotionWarning`` where more harmonics are asked for than all spectra have.
        """
        most = min(spectrum.n_harmonics for spectrum in alike)
        if harmonics is not None and harmonics < 0:
            raise NetworkError(f"expected a number of harmonics from 0 on, got {harmonics}")
        if harmonics is not None and harmonics > most:
            warn(f"{harmonics} harmonics were asked for, but not all nodes have more than {most}; these are used")
        rows = most + 1 if harmonics is None else min(harmonics, most) + 1
        contacts = [spectrum.contacts for spectrum in alike if spectrum.contacts is not None]
        return cls(
            owned(np.stack([spectrum.coefficients[:rows] for spectrum in alike])),
            owned(np.array([spectrum.duration for spectrum in alike], dtype=np.float64)),
            alike[0].layout,
            paired(contacts) if len(contacts) == len(alike) else None,
            Stances.of([spectrum.contacts or CycleContacts() for spectrum in alike]).lateness,
            owned(np.ones(len(alike), dtype=bool) if in_step is None else np.array(in_step, dtype=bool)),
        )

    def blend(self, place: Place, rule: BlendRule, switch: Switch | None = None) -> Spectrum:
        """The blend at a place as a single spectrum: the synchronised nodes, and the mean posture of the others.

        Where no synchronised node has weight, the others are blended as if they were synchronised.
        """
        if self._all_in_step or not (self.in_step[place.nodes] & (place.weights != 0.0)).any():
            return self.mix(place.nodes, place.weights, rule, switch=switch)
        first, *others = self.parts(place, rule, switch)
        coefficients = first.coefficients.copy()
        for other in others:
            coefficients[0] += other.coefficients[0]
        return replace(first, coefficients=owned(coefficients))

    def parts(self, place: Place, rule: BlendRule, switch: Switch | None = None) -> tuple[Spectrum, ...]:
        """The blend at a place as motions with their own time: the synchronised nodes together, then each other node.

        Coefficients hold the weights. ``switch`` is for the nodes in step; others have single-source harmonics only.
        """
        nodes, weights = place.nodes, place.weights
        together = self.in_step[nodes] & (weights != 0.0)
        out: list[Spectrum] = []
        share = float(weights[together].sum())
        if together.any() and abs(share) > 1e-12:
            common = self.mix(nodes[together], weights[together] / share, rule, switch=switch)
            out.append(replace(common, coefficients=owned(share * common.coefficients)))
        for node, weight in zip(nodes[~together].tolist(), weights[~together].tolist(), strict=True):
            if weight != 0.0 and not self.in_step[node]:
                alone = self.mix(np.array([node]), np.ones(1), rule)
                out.append(replace(alone, coefficients=owned(weight * alone.coefficients)))
        return tuple(out)

    def shares_at(self, places: Sequence[Place]) -> Float[np.ndarray, "places nodes"]:
        """The weight of every node on the common clock; own-time nodes have weight only where no other node has."""
        shares = np.zeros((len(places), len(self.in_step)))
        for row, place in zip(shares, places, strict=True):
            row[place.nodes] = place.weights
        together = np.where(self.in_step, shares, 0.0)
        own_time = ~(together != 0.0).any(axis=1)
        together[own_time] = shares[own_time]
        return np.asarray(together / together.sum(axis=1, keepdims=True))

    def coefficients_at(
        self, places: Sequence[Place], rule: BlendRule, switches: Sequence[Switch] | None = None
    ) -> Complex[np.ndarray, "places harmonics dofs"]:
        """The coefficients of the blends at many places; the rule is asked once per triangle."""
        out = np.empty((len(places), *self.coefficients.shape[1:]), dtype=np.complex128)
        shares = self.shares_at(places)
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, place in enumerate(places):
            groups.setdefault(tuple(place.nodes.tolist()), []).append(i)
        for nodes, rows in groups.items():
            out[rows] = self.mixed(list(nodes), shares[np.ix_(rows, nodes)], rule)
        if switches is not None:
            _switch_all(out, self.coefficients, switches)
        for mixed, place in zip(out, places, strict=True):
            others = ~self.in_step[place.nodes]
            if others.any() and (~others & (place.weights != 0.0)).any():
                weights = place.weights[others]
                mixed *= 1.0 - weights.sum()  # the synchronised nodes, and the mean posture of the others
                mixed[0] += weights @ self.coefficients[place.nodes[others], 0]
        return out

    def mix(
        self,
        nodes: Int[np.ndarray, " some"],
        weights: Float[np.ndarray, " some"],
        rule: BlendRule = lively_blend,
        name: str = "",
        *,
        switch: Switch | None = None,
    ) -> Spectrum:
        """The blend of some of the spectra, named by index; with ``switch`` some harmonics come whole from one."""
        ready = self._ready(rule)
        taken = self._taken(ready, nodes)
        duration, *edges = weights.dot(taken.timing).tolist()
        if not duration > 0.0:
            raise NetworkError(f"the blend would last {duration:g} s; stay nearer to the nodes")
        if switch is None:
            mixed = self._mixed(ready, taken, weights)
        else:
            mixed = switch.mixed(self.coefficients, lambda rows: self._mixed(ready, taken, weights, rows))
        contacts = None if self.schedule is None else self.schedule.contacts(edges)
        spectrum_of = Spectrum.unchecked if ready.rule.trusted else Spectrum
        return spectrum_of(owned(mixed), duration, self.layout, contacts, name)

    def mixed(
        self,
        nodes: Int[np.ndarray, " some"] | list[int],
        weights: Float[np.ndarray, "*batch some"],
        rule: BlendRule,
        rows: int | None = None,
    ) -> Mixed:
        """The harmonics of blends of some of the spectra, or the first ``rows`` of them; one blend or many.

        If the rule asks for it, each motion is shifted so that its footfalls coincide with the others', and the blend
        is shifted back by the mean: foot plants are where ``schedule`` has them, and do not blur.
        """
        ready = self._ready(rule)
        return self._mixed(ready, self._taken(ready, nodes), weights, rows)

    def fitted(self, rule: BlendRule) -> tuple[FittedRule, bool, NodeRows]:
        """A rule fitted to this bank, whether it aligns footfalls, and the numbers of all nodes."""
        ready = self._ready(rule)
        return ready.rule, ready.by_feet, ready.nodes

    @cached_property
    def timing(self) -> Float[np.ndarray, "nodes times"]:
        """What is blended by weighted means: the duration of each node, then starts and lengths of its foot plants."""
        edges = np.empty((len(self.durations), 0)) if self.schedule is None else self.schedule.edges
        return owned(np.concatenate([self.durations[:, None], edges], axis=1))

    def _mixed(
        self, ready: _Ready, taken: _Taken, weights: Float[np.ndarray, "*batch some"], rows: int | None = None
    ) -> Mixed:
        most = self.coefficients.shape[1]
        n_rows = most if rows is None else min(rows, most)
        mixed, late = ready.rule.mix(taken.nodes, weights, n_rows)
        return mixed * _turns(np.asarray(-late), n_rows)[..., None] if ready.by_feet else mixed

    def _ready(self, rule: BlendRule) -> _Ready:
        """A rule fitted to these nodes, once."""
        ready = self._rules.get(rule)
        if ready is None:
            fitted_rule = fitted(rule, self.layout)
            by_feet = fitted_rule.by_feet and self._uneven
            needed = fitted_rule.needed(self.coefficients)
            coefficients = self._by_feet if by_feet else self.coefficients
            parts = coefficients.reshape(len(coefficients), -1).view(np.float64)
            values = owned(np.concatenate([self.lateness[:, None], needed, parts], axis=1))
            nodes = NodeRows(values, needed.shape[1], coefficients.shape[2])
            self._rules[rule] = ready = _Ready(fitted_rule, by_feet, nodes, {})
        return ready

    def _taken(self, ready: _Ready, nodes: Int[np.ndarray, " some"] | list[int]) -> _Taken:
        """The rows of some nodes, side by side in memory."""
        key = tuple(nodes) if isinstance(nodes, list) else tuple(nodes.tolist())
        taken = ready.taken.get(key)
        if taken is None:
            if len(ready.taken) >= _REMEMBERED:
                ready.taken.clear()
            some = replace(ready.nodes, values=owned(ready.nodes.values.take(nodes, axis=0)))
            ready.taken[key] = taken = _Taken(owned(self.timing.take(nodes, axis=0)), some)
        return taken

    @cached_property
    def _all_in_step(self) -> bool:
        return bool(self.in_step.all())

    @cached_property
    def _rules(self) -> dict[BlendRule, _Ready]:
        return {}

    @cached_property
    def _uneven(self) -> bool:
        return self.layout is not None and bool(self.lateness.any())

    @cached_property
    def _by_feet(self) -> Complex[np.ndarray, "nodes harmonics dofs"]:
        """The coefficients of all motions, shifted so that their footfalls coincide."""
        return owned(self.coefficients * _turns(self.lateness, self.coefficients.shape[1])[..., None])


def _turns(phases: Float[np.ndarray, "*batch"], rows: int) -> Complex[np.ndarray, "*batch rows"]:
    """The factors of harmonics for a motion begun so much later."""
    return np.asarray(np.exp(phases[..., None] * _turning(rows)))


@cache
def _turning(rows: int) -> Complex[np.ndarray, " rows"]:
    return owned(1j * np.arange(rows))


def with_like_signs(spectra: Sequence[Spectrum]) -> list[Spectrum]:
    """The same motions with consistent signs: similar poses have similar dofs in all of them.

    Blending components of quaternions with opposite signs would give rotations far from both motions. Spectra without a
    layout are left as they are.
    """
    if not spectra:
        raise NetworkError("there is nothing to blend; give at least one spectrum")
    first = spectra[0]
    for other in spectra[1:]:
        _refuse_unlike(first, other)
    layout = first.layout
    if layout is None or len(spectra) == 1:
        return list(spectra)
    common = layout.common_reference(np.stack([spectrum.coefficients[0].real for spectrum in spectra]))
    return [_matched(spectrum, layout, common) for spectrum in spectra]


def _checked_weights(
    weights: Sequence[float] | Float[np.ndarray, " nodes"], n_nodes: int
) -> Float[np.ndarray, " nodes"]:
    """Weights as an array, one per node, finite, with the sum 1."""
    try:
        shares = np.array(reals(weights))
    except (TypeError, OverflowError):
        raise NetworkError(f"expected {n_nodes} weights, one number per spectrum, got {shown(weights)}") from None
    if shares.shape != (n_nodes,):
        raise NetworkError(f"expected {n_nodes} weights, one per spectrum, got shape {shares.shape}")
    if not abs(shares.sum() - 1.0) <= _SUM_TOLERANCE:
        raise NetworkError(f"weights sum to 1, these to {shares.sum():g}")
    return shares


def _matched(spectrum: Spectrum, layout: Layout, reference: Float[np.ndarray, " dofs"]) -> Spectrum:
    """A spectrum rewritten near a reference pose.

    What a layout may change are signs and whole turns, so enough frames to hold all harmonics give the exact answer.
    """
    frames = 2 * spectrum.n_harmonics + 1
    dofs = spectrum.frames(frames)
    near = layout.matched(dofs, reference)
    if np.array_equal(near, dofs):
        return spectrum
    return replace(spectrum, coefficients=np.fft.rfft(near, axis=0, norm="forward"))


def _refuse_unlike(first: Spectrum, other: Spectrum) -> None:
    if first.layout is not None and other.layout is not None:
        alike = other.layout.same_as(first.layout)
    else:
        alike = first.layout is None and other.layout is None and first.n_dofs == other.n_dofs
    if not alike:
        raise NetworkError(f"{other!r} has other dofs than {first!r}; only motions of one skeleton and one layout mix")


def _switch_all(
    mixed: Complex[np.ndarray, "places harmonics dofs"],
    coefficients: Complex[np.ndarray, "nodes harmonics dofs"],
    switches: Sequence[Switch],
) -> None:
    """Put single-source harmonics into blends, each by its own switch."""
    plain = [i for i, switch in enumerate(switches) if switch.whole]
    if plain:
        stacks = np.stack([switches[i].stack for i in plain])
        rows, harmonics = np.nonzero(stacks != BLENDED)
        mixed[np.array(plain)[rows], harmonics] = coefficients[stacks[rows, harmonics], harmonics]
    for i, switch in enumerate(switches):
        if not switch.whole:
            mixed[i] = switch.applied(mixed[i], coefficients)
