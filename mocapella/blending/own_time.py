"""Motions that keep their own time in a blend: standing about is not hurried by the steps it is mixed with.

Nodes in step sound together as one voice; each node that is not synchronised is a voice of its own. The dofs at an
instant are the sum of all voices, each at its own cycle phase.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.arrays import owned
from mocapella.blending.bank import NodeBank
from mocapella.blending.rules import BlendRule
from mocapella.blending.single_source.settings import Switch
from mocapella.motion.spectrum import Spectrum

Nodes = Int[np.ndarray, " some"]
Weights = Float[np.ndarray, " some"]


def own_time_parts(
    bank: NodeBank,
    in_step: Bool[np.ndarray, " nodes"],
    nodes: Nodes,
    weights: Weights,
    rule: BlendRule,
    switch: Switch | None = None,
) -> tuple[Spectrum, ...]:
    """The voices of a blend, that of the nodes in step first if any of them counts; coefficients hold the weights.

    ``switch`` is for the nodes in step; a voice of one node has single-source harmonics only.
    """
    together = in_step[nodes] & (weights != 0.0)
    out: list[Spectrum] = []
    share = float(weights[together].sum())
    if together.any() and abs(share) > 1e-12:
        whole = bank.mix(nodes[together], weights[together] / share, rule, switch=switch)
        out.append(replace(whole, coefficients=owned(share * whole.coefficients)))
    for node, weight in zip(nodes[~together].tolist(), weights[~together].tolist(), strict=True):
        if weight != 0.0 and not in_step[node]:
            alone = bank.mix(np.array([node]), np.ones(1), rule)
            out.append(replace(alone, coefficients=owned(weight * alone.coefficients)))
    return tuple(out)


def on_one_clock(
    bank: NodeBank,
    in_step: Bool[np.ndarray, " nodes"],
    nodes: Nodes,
    weights: Weights,
    rule: BlendRule,
    switch: Switch | None = None,
) -> Spectrum:
    """A blend as a single spectrum: the nodes in step, and of the others the mean posture.

    Where no node in step counts the others are blended as if they were.
    """
    if not (in_step[nodes] & (weights != 0.0)).any():
        return bank.mix(nodes, weights, rule, switch=switch)
    first, *others = own_time_parts(bank, in_step, nodes, weights, rule, switch)
    coefficients = first.coefficients.copy()
    for other in others:
        coefficients[0] += other.coefficients[0]
    return replace(first, coefficients=owned(coefficients))
