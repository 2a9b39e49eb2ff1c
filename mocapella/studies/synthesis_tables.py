"""Tables of the papers about the cost of blending and synthesis, measured again: their formulas literally, and ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import BlendRule, lively_blend, naive_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.motion.spectrum import Spectrum, whole_cycle
from mocapella.studies.benches.measuring import Row, fastest
from mocapella.studies.published import literal_blend, literal_series_synthesis, literal_synthesis

# Table 5.1: µs per dof, 33 frames blended from 30, 34 and 42; blending includes finding triangle and weights.
TABLE_5_1 = {1: (0.14, 2.68), 2: (0.24, 5.01), 3: (0.37, 7.44), 4: (0.49, 9.84), 5: (0.59, 12.30), 10: (1.18, 24.23)}
# Table 5.2: the compact formula against that of Pettré and Laumond (2006).
_TABLE_5_2 = {1: 0.807, 2: 0.726, 3: 0.718, 4: 0.691, 5: 0.702, 10: 0.689}
# Tables 6.2 and 6.3: ns per dof and frame, 69 dofs, 140 frames; Euler angles and quaternions.
TABLE_6_2 = {
    1: (1.97, 86.1), 2: (3.01, 168), 3: (3.95, 259), 4: (5.08, 335), 5: (6.10, 427), 10: (11.5, 849), 20: (21.7, 1760)
}  # fmt: skip
TABLE_6_3 = {
    1: (2.59, 115), 2: (3.92, 208), 3: (5.28, 311), 4: (6.74, 402), 5: (8.17, 500), 10: (15.0, 977), 20: (28.9, 1967)
}  # fmt: skip
PER_FRAME = "ns a dof and frame"
# Four components a joint make 92 dofs of quaternions, and the tables share their cost by 69 all the same.
DOFS = 69
LAYOUTS = {"euler": 69, "quaternion": 92}
WEIGHTS = np.array([0.2, 0.3, 0.5])  # of three nodes, none of them special
# µs a dof, ten harmonics. The streamlined system took 1.18, hybrid networks 1.61 and 2.10.
_TABLE_7_5 = {"euler": {"literal": 1.81, "literal + SSH": 1.27}, "quaternion": {"literal": 2.24, "literal + SSH": 1.64}}
_STACK_DESIGN = 2.9  # µs


def table_rows(*, quick: bool = False) -> list[Row]:
    """Tables 5.1, 5.2, 6.2, 6.3 and 7.5."""
    rounds = 1 if quick else 15
    measured = [*_table_5_1(rounds), *_tables_6(rounds)]
    for kind, dofs in LAYOUTS.items():
        costs = blending_costs(random_network(dofs, 10, 2), kind, DOFS, rounds=1 if quick else 40)
        measured += [replace(row, name=f"table 7.5 {kind}, {row.name}") for row in costs]
    return measured


def posture_rows(rounds: int) -> list[Row]:
    """One posture, beside the thesis's figure; Pettré and Laumond (2006) had reported 920 µs on an older machine."""
    posture = random_harmonics(1, 8, 62)[0]
    sizes, angles = np.abs(posture), np.angle(posture)
    best = fastest(
        {
            "product": lambda: [whole_cycle(posture, 1) for _ in range(20)],
            "literal": lambda: [literal_synthesis(sizes, angles, 1) for _ in range(20)],
        },
        rounds,
    )
    title = "one posture, 62 dofs, 8 harmonics"
    return [Row(f"{title}: {name}", best[name] / 20 * 1e6, "µs", published=38.0) for name in best]


def _table_5_1(rounds: int) -> list[Row]:
    measured = []
    for harmonics, (published_blend, published_synth) in TABLE_5_1.items():
        net, coefficients = random_network(DOFS, harmonics, 2), random_harmonics(3, harmonics, DOFS)
        mixed = phasor_blend(coefficients, WEIGHTS)

        def placed_blend(net: Network = net, coefficients: np.ndarray = coefficients) -> None:
            phasor_blend(coefficients, net.place((0.4, 0.3), 0).weights)

        best = fastest(
            {
                "blend": placed_blend,
                "product": partial(whole_cycle, mixed, 33),
                "literal": partial(literal_synthesis, np.abs(mixed), np.angle(mixed), 33),
                "series": partial(literal_series_synthesis, 2.0 * mixed.real, -2.0 * mixed.imag, 33),
            },
            rounds,
            times=5,
        )
        title, a_dof = f"table 5.1, {_counted(harmonics)}", 1e6 / DOFS
        against = f"table 5.2, {_counted(harmonics)}: literal against PL06's formula"
        measured += [
            Row(f"{title}: blend", best["blend"] * a_dof, "µs a dof", published=published_blend),
            Row(f"{title}: synthesis, literal", best["literal"] * a_dof, "µs a dof", published=published_synth),
            Row(f"{title}: synthesis, product", best["product"] * a_dof, "µs a dof", published=published_synth),
            Row(against, best["literal"] / best["series"], "×", published=_TABLE_5_2[harmonics]),
        ]
    return measured


def _tables_6(rounds: int) -> list[Row]:
    measured = []
    for title, dofs, table in (("6.2 euler", 69, TABLE_6_2), ("6.3 quaternion", 92, TABLE_6_3)):
        for harmonics, (published_blend, published_synth) in table.items():
            coefficients = random_harmonics(3, harmonics, dofs)
            mixed = phasor_blend(coefficients, WEIGHTS)
            best = fastest(
                {
                    "blend": partial(phasor_blend, coefficients, WEIGHTS),
                    "literal": partial(literal_synthesis, np.abs(mixed), np.angle(mixed), 140),
                    "product": partial(whole_cycle, mixed, 140),
                },
                rounds,
            )
            for name, published in zip(best, (published_blend, published_synth, published_synth), strict=True):
                value = best[name] / (DOFS * 140) * 1e9
                measured.append(Row(f"table {title}, {_counted(harmonics)}: {name}", value, PER_FRAME, published))
    return measured


def _counted(harmonics: int) -> str:
    return f"{harmonics} harmonic{'s' if harmonics > 1 else ''}"


def blending_costs(network: Network, kind: str, dofs: int, *, rounds: int = 40) -> list[Row]:
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
    best = fastest(runs, rounds, times=20)
    stack = fastest({"stack": lambda: switched.stack(place)}, rounds, times=20)["stack"]
    rows = []
    for name, seconds in best.items():
        plain = name.removesuffix(" + SSH")
        note = "" if plain == name else f"{seconds / best[plain] - 1.0:+.0%} against without"
        rows.append(Row(name, 1e6 * seconds / dofs, "µs a dof", published=_TABLE_7_5[kind].get(name), note=note))
    return [*rows, Row("stack design", 1e6 * stack, "µs a blend", published=_STACK_DESIGN)]


# Networks of random harmonics: the cost of a blend does not depend on the motions.

SECONDS = 1.13  # the thesis's walk: 113 frames at 100 a second


def random_harmonics(nodes: int, harmonics: int, dofs: int) -> Complex[np.ndarray, "nodes rows dofs"]:
    """The same random numbers each time."""
    rng = np.random.default_rng(7)
    shape = (nodes, harmonics + 1, dofs)
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape))


def random_network(dofs: int, harmonics: int, side: int) -> Network:
    """Nodes on a square grid, ``side`` along each edge, one apart."""
    return on_grid(Spectrum(random_harmonics(1, harmonics, dofs)[0], SECONDS), side)


def on_grid(spectrum: Spectrum, side: int) -> Network:
    """The same motion at every node of a square grid, ``side`` along each edge, one apart."""
    places = [(x, y) for x in range(side) for y in range(side)]
    return Network([Node(f"{x} {y}", (float(x), float(y)), spectrum) for x, y in places])
