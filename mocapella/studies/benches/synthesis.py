"""Blending and synthesis of whole cycles, beside the tables of the papers: their formula literally, and ours."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.rules import phasor_blend
from mocapella.motion.spectrum import whole_cycle
from mocapella.studies.benches.blending_costs import blending_costs
from mocapella.studies.benches.measuring import Row, fastest
from mocapella.studies.benches.random_networks import random_body_network, random_harmonics, random_network
from mocapella.studies.rules import literal_series_synthesis, literal_synthesis

# Table 5.1: µs per dof, 33 frames blended from 30, 34 and 42; blending includes finding triangle and weights.
TABLE_5_1 = {1: (0.14, 2.68), 2: (0.24, 5.01), 3: (0.37, 7.44), 4: (0.49, 9.84), 5: (0.59, 12.30), 10: (1.18, 24.23)}
# Table 5.2: the compact formula against that of Pettré and Laumond (2006).
TABLE_5_2 = {1: 0.807, 2: 0.726, 3: 0.718, 4: 0.691, 5: 0.702, 10: 0.689}
# Tables 6.2 and 6.3: ns per dof and frame, 69 dofs, 140 frames; Euler angles and quaternions.
TABLE_6_2 = {1: (1.97, 86.1), 2: (3.01, 168), 3: (3.95, 259), 4: (5.08, 335), 5: (6.10, 427), 10: (11.5, 849)}
TABLE_6_2[20] = (21.7, 1760)
TABLE_6_3 = {1: (2.59, 115), 2: (3.92, 208), 3: (5.28, 311), 4: (6.74, 402), 5: (8.17, 500), 10: (15.0, 977)}
TABLE_6_3[20] = (28.9, 1967)
POSTURE = 38.0  # µs: one posture, 62 dofs, 8 harmonics; Pettré and Laumond (2006) had reported 920 on an older machine
PER_FRAME = "ns a dof and frame"
# Four components a joint make 92 dofs of quaternions, and the tables share their cost by 69 all the same.
DOFS = 69
_LAYOUTS = {"euler": 69, "quaternion": 92}
_WEIGHTS = np.array([0.2, 0.3, 0.5])


def rows(*, quick: bool = False) -> list[Row]:
    """The goals first, then the tables."""
    rounds = 1 if quick else 15
    found = [*_goals(rounds, 12 if quick else 71), *_table_5_1(rounds), *_tables_6(rounds)]
    for kind, dofs in _LAYOUTS.items():
        costs = blending_costs(random_network(dofs, 10, 2), kind, DOFS, rounds=1 if quick else 40)
        found += [replace(row, name=f"table 7.5 {kind}, {row.name}") for row in costs]
    return [*found, *_contributions(rounds)]


def _goals(rounds: int, side: int) -> list[Row]:
    net, coefficients = random_network(DOFS, 10, 2), random_harmonics(3, 10, DOFS)
    mixed = phasor_blend(coefficients, _WEIGHTS)
    posture = random_harmonics(1, 8, 62)[0]
    sizes, angles = np.abs(posture), np.angle(posture)
    steps = [tuple(at) for at in np.random.default_rng(0).uniform(0.2, 0.8, size=(100, 2)).tolist()]
    body = random_body_network(31)
    small, large = random_network(1, 1, 7), random_network(1, 1, side)
    best = fastest(
        {
            "synth": lambda: [whole_cycle(mixed, 113) for _ in range(20)],
            "both": lambda: [whole_cycle(phasor_blend(coefficients, _WEIGHTS), 113) for _ in range(20)],
            "posture": lambda: [whole_cycle(posture, 1) for _ in range(20)],
            "literal posture": lambda: literal_synthesis(sizes, angles, 1),
            "point": lambda: [net.blend(point) for point in steps],
            "body": lambda: [body.blend(point) for point in steps],
            "small": lambda: _wander(small),
            "large": lambda: _wander(large),
            "small cold": lambda: [small.place(point) for point in steps],
            "large cold": lambda: [large.place(point) for point in steps],
        },
        rounds,
    )
    cells = DOFS * 113 * 20
    few, many = (f"{len(network.corners):,} triangles" for network in (small, large))
    return [
        Row("whole cycle, 69 dofs × 113 frames, 10 harmonics", best["synth"] / cells * 1e9, PER_FRAME, published=849),
        Row("the same, blending included", best["both"] / cells * 1e9, PER_FRAME, published=861),
        Row("one posture, 62 dofs, 8 harmonics: product", best["posture"] / 20 * 1e6, "µs", published=POSTURE),
        Row("one posture, 62 dofs, 8 harmonics: literal", best["literal posture"] * 1e6, "µs", published=POSTURE),
        Row("network.blend, 69 dofs, 10 harmonics, no layout", best["point"] / 100 * 1e6, "µs"),
        Row("network.blend, 31 joints, with foot plants", best["body"] / 100 * 1e6, "µs"),
        Row(f"lookup near the last, {few}", best["small"] / 500 * 1e6, "µs"),
        Row(f"lookup near the last, {many}", best["large"] / 500 * 1e6, "µs"),
        Row(f"lookup anywhere, {few}", best["small cold"] / 100 * 1e6, "µs"),
        Row(f"lookup anywhere, {many}", best["large cold"] / 100 * 1e6, "µs"),
    ]


def _table_5_1(rounds: int) -> list[Row]:
    found = []
    for harmonics, (published_blend, published_synth) in TABLE_5_1.items():
        net, coefficients = random_network(DOFS, harmonics, 2), random_harmonics(3, harmonics, DOFS)
        mixed = phasor_blend(coefficients, _WEIGHTS)

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
        found += [
            Row(f"{title}: blend", best["blend"] * a_dof, "µs a dof", published=published_blend),
            Row(f"{title}: synthesis, literal", best["literal"] * a_dof, "µs a dof", published=published_synth),
            Row(f"{title}: synthesis, product", best["product"] * a_dof, "µs a dof", published=published_synth),
            Row(
                f"table 5.2, {_counted(harmonics)}: literal against PL06's formula",
                best["literal"] / best["series"],
                "×",
                published=TABLE_5_2[harmonics],
            ),
        ]
    return found


def _tables_6(rounds: int) -> list[Row]:
    found = []
    for title, dofs, table in (("6.2 euler", 69, TABLE_6_2), ("6.3 quaternion", 92, TABLE_6_3)):
        for harmonics, (published_blend, published_synth) in table.items():
            coefficients = random_harmonics(3, harmonics, dofs)
            mixed = phasor_blend(coefficients, _WEIGHTS)
            best = fastest(
                {
                    "blend": partial(phasor_blend, coefficients, _WEIGHTS),
                    "literal": partial(literal_synthesis, np.abs(mixed), np.angle(mixed), 140),
                    "product": partial(whole_cycle, mixed, 140),
                },
                rounds,
            )
            for name, published in zip(best, (published_blend, published_synth, published_synth), strict=True):
                value = best[name] / (DOFS * 140) * 1e9
                found.append(Row(f"table {title}, {_counted(harmonics)}: {name}", value, PER_FRAME, published))
    return found


def _contributions(rounds: int) -> list[Row]:
    """Tables in time of what every single-source harmonic adds, ready before it is asked for (001, section 7.9.6)."""
    coefficients, frames = random_harmonics(3, 10, DOFS), 113
    mixed, stack = coefficients[0], [2, 2, 1, 1, 0]
    sizes, angles = np.abs(mixed), np.angle(mixed)
    tables = {}
    for i, h in itertools.product(range(3), range(6, 11)):
        alone = np.zeros_like(mixed)
        alone[h] = coefficients[i, h]
        tables[i, h] = whole_cycle(alone, frames)

    def with_tables(lower: np.ndarray) -> np.ndarray:
        for h, i in enumerate(stack, start=6):
            lower += tables[i, h]
        return lower

    best = fastest(
        {
            "literal": lambda: literal_synthesis(sizes, angles, frames),
            "literal with tables": lambda: with_tables(literal_synthesis(sizes[:6], angles[:6], frames)),
            "product": lambda: whole_cycle(mixed, frames),
            "product with tables": lambda: with_tables(whole_cycle(mixed[:6], frames)),
        },
        4 * rounds,
    )
    a_cell = 1e9 / (DOFS * frames)
    return [Row(f"single-source contributions: {name}", best[name] * a_cell, PER_FRAME) for name in best]


def _counted(harmonics: int) -> str:
    return f"{harmonics} harmonic{'s' if harmonics > 1 else ''}"


def _wander(net: Network) -> None:
    side = float(net.points.max())
    place = net.place((0.5 * side, 0.5 * side))
    for angle in np.linspace(0.0, 25.0, 500).tolist():
        place = net.place((0.5 * side + 1.4 * np.cos(angle), 0.5 * side + 1.4 * np.sin(angle)), place)
