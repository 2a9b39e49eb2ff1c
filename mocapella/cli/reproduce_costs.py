"""What blending costs with and without single-source harmonics, beside the thesis's table 7.5."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from mocapella.blending.baselines import literal_blend
from mocapella.blending.lively import lively_blend
from mocapella.blending.network import Network
from mocapella.blending.rules import BlendRule, phasor_blend, streamlined_blend
from mocapella.blending.single_source import SingleSource

PUBLISHED = {"literal": 2.24, "literal + SSH": 1.64, "stack design": 2.9}  # µs a dof, quaternions; a stack, µs
_TIMES, _ROUNDS = 20, 40


def blending_costs(network: Network) -> list[dict[str, Any]]:
    """µs a dof of a blend in the middle of a network's largest triangle, rule by rule, and µs of finding a stack."""
    switched = network.with_single_source(SingleSource())
    corners = network.points[network.corners]
    sizes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) if corners.shape[1] == 3 else np.ones(len(corners))
    place = network.place(corners[int(np.argmax(sizes))].mean(axis=0))
    nodes, weights, coefficients = place.nodes, place.weights, network.ensemble.coefficients
    switch = switched.switch(place)
    assert switch is not None
    some = coefficients[nodes]
    lengths, angles = np.abs(some), np.angle(some)
    own = np.array([nodes.tolist().index(node) if node >= 0 else node for node in switch.stack.tolist()])
    runs: dict[str, Callable[[], Any]] = {
        "literal": lambda: literal_blend(lengths, angles, weights, np.full_like(own, -1)),
        "literal + SSH": lambda: literal_blend(lengths, angles, weights, own),
    }
    rules: dict[str, BlendRule] = {"streamlined": streamlined_blend, "phasor": phasor_blend, "lively": lively_blend}
    for name, rule in rules.items():

        def blended(rows: int | None = None, rule: BlendRule = rule) -> Any:
            return network.ensemble.mixed(nodes, weights, rule, rows)

        runs[name] = blended
        runs[f"{name} + SSH"] = partial(switch.mixed, coefficients, blended)
    runs["stack design"] = lambda: switched.stack(place)
    best = _fastest(runs)
    dofs = coefficients.shape[2]
    rows = []
    for name, seconds in best.items():
        a_stack = name == "stack design"
        value = 1e6 * seconds / (1 if a_stack else dofs)
        unit = "µs a blend" if a_stack else "µs a dof"
        rows.append({"name": name, "value": value, "unit": unit, "published": PUBLISHED.get(name)})
    return rows


def _fastest(runs: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Seconds of the fastest of many rounds, all taken in turn so that a busy machine favours nobody."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(_ROUNDS):
        for name, run in runs.items():
            start = time.perf_counter()
            for _ in range(_TIMES):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / _TIMES)
    return best
