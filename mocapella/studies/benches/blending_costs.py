"""What blending costs with and without single-source harmonics, beside the thesis's table 7.5."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.rules import BlendRule, lively_blend, naive_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source.settings import SingleSource
from mocapella.studies.benches.measuring import Row, fastest
from mocapella.studies.rules import literal_blend

# µs a dof, ten harmonics. The streamlined system took 1.18, hybrid networks 1.61 and 2.10.
TABLE_7_5 = {
    "euler": {"literal": 1.81, "literal + SSH": 1.27},
    "quaternion": {"literal": 2.24, "literal + SSH": 1.64},
}
STACK_DESIGN = 2.9  # µs
ROUNDS = 40
_TIMES = 20


def blending_costs(network: Network, kind: str, dofs: int, *, rounds: int = ROUNDS) -> list[Row]:
    """µs a dof of a blend in the middle of a network's largest triangle, rule by rule, and µs of finding a stack.

    ``kind`` says which row of the table stands beside, ``dofs`` by how many the cost is shared: the thesis counts three
    a joint also where quaternions have four.
    """
    switched = network.with_single_source(SingleSource())
    corners = network.points[network.corners]
    sizes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) if corners.shape[1] == 3 else np.ones(len(corners))
    place = network.place(corners[int(np.argmax(sizes))].mean(axis=0))
    nodes, weights, coefficients = place.nodes, place.weights, network.bank.coefficients
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
    for name, rule in (rules | {"naive": naive_blend}).items():

        def blended(rows: int | None = None, rule: BlendRule = rule) -> Any:
            return network.bank.mixed(nodes, weights, rule, rows)

        runs[name] = blended
        if name in rules:
            runs[f"{name} + SSH"] = partial(switch.mixed, coefficients, blended)
    best = fastest(runs, rounds, times=_TIMES)
    stack = fastest({"stack": lambda: switched.stack(place)}, rounds, times=_TIMES)["stack"]
    rows = []
    for name, seconds in best.items():
        plain = name.removesuffix(" + SSH")
        note = "" if plain == name else f"{seconds / best[plain] - 1.0:+.0%} against without"
        rows.append(Row(name, 1e6 * seconds / dofs, "µs a dof", published=TABLE_7_5[kind].get(name), note=note))
    return [*rows, Row("stack design", 1e6 * stack, "µs a blend", published=STACK_DESIGN)]
