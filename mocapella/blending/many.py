"""The blends of many places at once: the rule is asked once per triangle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Complex, Float

from mocapella.blending.blend import Ensemble
from mocapella.blending.node import Place
from mocapella.blending.rules import BlendRule
from mocapella.blending.single_source import BLENDED, Switch


def shares_at(in_step: Bool[np.ndarray, " nodes"], places: Sequence[Place]) -> Float[np.ndarray, "places nodes"]:
    """How much every node counts on the common clock; nodes that keep their own time only where no other counts."""
    shares = np.zeros((len(places), len(in_step)))
    for row, place in zip(shares, places, strict=True):
        row[place.nodes] = place.weights
    together = np.where(in_step, shares, 0.0)
    own_time = ~(together != 0.0).any(axis=1)
    together[own_time] = shares[own_time]
    return np.asarray(together / together.sum(axis=1, keepdims=True))


def coefficients_at(
    ensemble: Ensemble,
    in_step: Bool[np.ndarray, " nodes"],
    places: Sequence[Place],
    rule: BlendRule,
    switches: Sequence[Switch] | None = None,
) -> Complex[np.ndarray, "places harmonics dofs"]:
    """The coefficients of a network's blends at many places."""
    out = np.empty((len(places), *ensemble.coefficients.shape[1:]), dtype=np.complex128)
    shares = shares_at(in_step, places)
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, place in enumerate(places):
        groups.setdefault(tuple(place.nodes.tolist()), []).append(i)
    for nodes, rows in groups.items():
        out[rows] = ensemble.mixed(list(nodes), shares[np.ix_(rows, nodes)], rule)
    if switches is not None:
        _switch_all(out, ensemble.coefficients, switches)
    for mixed, place in zip(out, places, strict=True):
        others = ~in_step[place.nodes]
        if others.any() and (in_step[place.nodes] & (place.weights != 0.0)).any():
            weights = place.weights[others]
            mixed *= 1.0 - weights.sum()  # the voice of the nodes in step; of the others only their mean posture
            mixed[0] += weights @ ensemble.coefficients[place.nodes[others], 0]
    return out


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
