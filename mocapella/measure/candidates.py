"""What could be done about upper harmonics: every way of blending that the experiment holds against the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex

from mocapella.blending.lively import LivelyBlend, footless, lively_blend
from mocapella.blending.network import Network, Point
from mocapella.blending.rules import BlendRule, between_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source import SingleSource
from mocapella.measure.candidate_rules import aligned_blend, arc_blend, in_bands, revived_blend, sharpened_blend
from mocapella.measure.registered import Registered

Blends = Complex[np.ndarray, "points harmonics dofs"]


@dataclass(frozen=True)
class Candidate:
    """A way of blending, by name."""

    name: str
    about: str
    blends: Callable[[Network, Sequence[Point]], Blends]  # of a network's nodes and triangles, whatever its own rule


def by_rule(network: Network, rule: BlendRule, single_source: SingleSource | None = None) -> Network:
    """The same nodes and triangles blended by another rule."""
    return Network(
        network.nodes,
        network.triangles,
        rule=rule,
        harmonics=network.harmonics,
        outside=network.outside,
        single_source=single_source,
    )


def _rule(name: str, about: str, rule: BlendRule) -> Candidate:
    return Candidate(name, about, lambda network, points: by_rule(network, rule).coefficients_at(points))


def _switched(name: str, about: str, rule: BlendRule, settings: SingleSource) -> Candidate:
    return Candidate(name, about, lambda network, points: by_rule(network, rule, settings).coefficients_at(points))


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
    return rule.enlivened(mixed, shares @ rule.energies(network.ensemble.coefficients))


STREAMLINED = _rule("streamlined", "linear magnitudes, the thesis", streamlined_blend)
LIVELY = _rule("lively", "feet in step, phasors, upper harmonics kept large where they move no ankle", lively_blend)

CANDIDATES = (
    STREAMLINED,
    _switched("streamlined + SSH", "… from harmonic 6 on from one node", streamlined_blend, SingleSource()),
    _rule("phasor", "the mean of the motions, phase by phase", phasor_blend),
    _switched("phasor + SSH", "… from harmonic 6 on from one node", phasor_blend, SingleSource()),
    LIVELY,
    Candidate("phasor, SSH off the legs", "single-source only where no ankle is moved", _switched_above),
    _rule("lively, hips in step", "… without putting feet in step first", LivelyBlend(by_feet=False)),
    _rule("lively from 4", "… large from harmonic 4 on", LivelyBlend(4)),
    _rule("revived", "phasors, upper harmonics made as large as they were, legs too", revived_blend(1.0)),
    _rule("revived ½", "… half-way", revived_blend(0.5)),
    _rule("two bands", "phasors below harmonic 6, linear magnitudes above", in_bands(phasor_blend, streamlined_blend)),
    _rule("between ½", "magnitudes Σ w m · √ρ, ρ the phase agreement", between_blend(0.5)),
    _rule("arc", "phase angles along the shorter arc", arc_blend),
    _rule("aligned", "each node's upper harmonics turned into step", aligned_blend),
    _rule("sharpened", "the nearer node decides where phase angles disagree", sharpened_blend(4.0)),
    Candidate("registered", "strikes and lift-offs brought together first", _registered),
    Candidate("registered, lively", "… and upper harmonics as in lively", _registered_and_lively),
)
