"""Blending and synthesis of whole cycles, beside the tables of the papers: their formulas literally, and ours."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import BlendRule, lively_blend, naive_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source.settings import SingleSource
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, whole_cycle
from mocapella.studies.benches.measuring import Row, fastest
from mocapella.studies.published import literal_blend, literal_series_synthesis, literal_synthesis

# Table 5.1: µs per dof, 33 frames blended from 30, 34 and 42; blending includes finding triangle and weights.
TABLE_5_1 = {1: (0.14, 2.68), 2: (0.24, 5.01), 3: (0.37, 7.44), 4: (0.49, 9.84), 5: (0.59, 12.30), 10: (1.18, 24.23)}
# Table 5.2: the compact formula against that of Pettré and Laumond (2006).
_TABLE_5_2 = {1: 0.807, 2: 0.726, 3: 0.718, 4: 0.691, 5: 0.702, 10: 0.689}
# Tables 6.2 and 6.3: ns per dof and frame, 69 dofs, 140 frames; Euler angles and quaternions.
TABLE_6_2 = {1: (1.97, 86.1), 2: (3.01, 168), 3: (3.95, 259), 4: (5.08, 335), 5: (6.10, 427), 10: (11.5, 849)}
TABLE_6_2[20] = (21.7, 1760)
TABLE_6_3 = {1: (2.59, 115), 2: (3.92, 208), 3: (5.28, 311), 4: (6.74, 402), 5: (8.17, 500), 10: (15.0, 977)}
TABLE_6_3[20] = (28.9, 1967)
_POSTURE = 38.0  # µs: one posture, 62 dofs, 8 harmonics; Pettré and Laumond (2006) had reported 920 on an older machine
_PER_FRAME = "ns a dof and frame"
# Four components a joint make 92 dofs of quaternions, and the tables share their cost by 69 all the same.
_DOFS = 69
_LAYOUTS = {"euler": 69, "quaternion": 92}
_WEIGHTS = np.array([0.2, 0.3, 0.5])


def rows(*, quick: bool = False) -> list[Row]:
    """The goals first, then the tables."""
    rounds = 1 if quick else 15
    found = [*_goals(rounds, 12 if quick else 71), *_table_5_1(rounds), *_tables_6(rounds)]
    for kind, dofs in _LAYOUTS.items():
        costs = blending_costs(_random_network(dofs, 10, 2), kind, _DOFS, rounds=1 if quick else 40)
        found += [replace(row, name=f"table 7.5 {kind}, {row.name}") for row in costs]
    return [*found, *_contributions(rounds)]


def _goals(rounds: int, side: int) -> list[Row]:
    net, coefficients = _random_network(_DOFS, 10, 2), _random_harmonics(3, 10, _DOFS)
    mixed = phasor_blend(coefficients, _WEIGHTS)
    posture = _random_harmonics(1, 8, 62)[0]
    sizes, angles = np.abs(posture), np.angle(posture)
    steps = [tuple(at) for at in np.random.default_rng(0).uniform(0.2, 0.8, size=(100, 2)).tolist()]
    body = _random_body_network(31)
    small, large = _random_network(1, 1, 7), _random_network(1, 1, side)
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
    cells = _DOFS * 113 * 20
    few, many = (f"{len(network.corners):,} triangles" for network in (small, large))
    return [
        Row("whole cycle, 69 dofs × 113 frames, 10 harmonics", best["synth"] / cells * 1e9, _PER_FRAME, published=849),
        Row("the same, blending included", best["both"] / cells * 1e9, _PER_FRAME, published=861),
        Row("one posture, 62 dofs, 8 harmonics: product", best["posture"] / 20 * 1e6, "µs", published=_POSTURE),
        Row("one posture, 62 dofs, 8 harmonics: literal", best["literal posture"] * 1e6, "µs", published=_POSTURE),
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
        net, coefficients = _random_network(_DOFS, harmonics, 2), _random_harmonics(3, harmonics, _DOFS)
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
        title, a_dof = f"table 5.1, {_counted(harmonics)}", 1e6 / _DOFS
        found += [
            Row(f"{title}: blend", best["blend"] * a_dof, "µs a dof", published=published_blend),
            Row(f"{title}: synthesis, literal", best["literal"] * a_dof, "µs a dof", published=published_synth),
            Row(f"{title}: synthesis, product", best["product"] * a_dof, "µs a dof", published=published_synth),
            Row(
                f"table 5.2, {_counted(harmonics)}: literal against PL06's formula",
                best["literal"] / best["series"],
                "×",
                published=_TABLE_5_2[harmonics],
            ),
        ]
    return found


def _tables_6(rounds: int) -> list[Row]:
    found = []
    for title, dofs, table in (("6.2 euler", 69, TABLE_6_2), ("6.3 quaternion", 92, TABLE_6_3)):
        for harmonics, (published_blend, published_synth) in table.items():
            coefficients = _random_harmonics(3, harmonics, dofs)
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
                value = best[name] / (_DOFS * 140) * 1e9
                found.append(Row(f"table {title}, {_counted(harmonics)}: {name}", value, _PER_FRAME, published))
    return found


def _contributions(rounds: int) -> list[Row]:
    """Synthesis with the contribution of every single-source harmonic computed beforehand (001, section 7.9.6)."""
    coefficients, frames = _random_harmonics(3, 10, _DOFS), 113
    mixed, stack = coefficients[0], [2, 2, 1, 1, 0]
    sizes, angles = np.abs(mixed), np.angle(mixed)
    tables = {}
    for i, h in itertools.product(range(3), range(6, 11)):
        alone = np.zeros_like(mixed)
        alone[h] = coefficients[i, h]
        tables[i, h] = whole_cycle(alone, frames)

    whole = sum(tables[i, h] for h, i in enumerate(stack, start=6))

    def with_stack(lower: np.ndarray) -> np.ndarray:
        lower += whole
        return lower

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
            "product with one table a stack": lambda: with_stack(whole_cycle(mixed[:6], frames)),
        },
        4 * rounds,
    )
    a_cell = 1e9 / (_DOFS * frames)
    found = [Row(f"single-source contributions: {name}", best[name] * a_cell, _PER_FRAME) for name in best]
    return [*found, *_upper_tables(rounds)]


def _upper_tables(rounds: int) -> list[Row]:
    """A blend by phasors whose upper harmonics are gathered anew, and taken from the table kept for its stack."""
    network = _random_network(_LAYOUTS["quaternion"], 10, 2).with_single_source(SingleSource())
    place, coefficients = network.place((0.4, 0.3)), network.bank.coefficients
    switch = network.switch(place)
    assert switch is not None

    def blended(rows: int | None) -> Any:
        return network.bank.mixed(place.nodes, place.weights, phasor_blend, rows)

    runs: dict[str, Callable[[], Any]] = {
        "blended": partial(blended, None),
        "gathered": partial(replace(switch, upper=None).mixed, coefficients, blended),
        "from the stack's table": partial(switch.mixed, coefficients, blended),
        "stack found": partial(network.switch, place),
    }
    best = fastest(runs, 4 * rounds, times=_TIMES)
    return [Row(f"upper harmonics of a blend, 92 dofs: {name}", 1e6 * best[name], "µs") for name in best]


def _counted(harmonics: int) -> str:
    return f"{harmonics} harmonic{'s' if harmonics > 1 else ''}"


def _wander(net: Network) -> None:
    side = float(net.points.max())
    place = net.place((0.5 * side, 0.5 * side))
    for angle in np.linspace(0.0, 25.0, 500).tolist():
        place = net.place((0.5 * side + 1.4 * np.cos(angle), 0.5 * side + 1.4 * np.sin(angle)), place)


# Table 7.5: what blending costs with and without single-source harmonics.

# µs a dof, ten harmonics. The streamlined system took 1.18, hybrid networks 1.61 and 2.10.
_TABLE_7_5 = {
    "euler": {"literal": 1.81, "literal + SSH": 1.27},
    "quaternion": {"literal": 2.24, "literal + SSH": 1.64},
}
_STACK_DESIGN = 2.9  # µs
_ROUNDS = 40
_TIMES = 20


def blending_costs(network: Network, kind: str, dofs: int, *, rounds: int = _ROUNDS) -> list[Row]:
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
        rows.append(Row(name, 1e6 * seconds / dofs, "µs a dof", published=_TABLE_7_5[kind].get(name), note=note))
    return [*rows, Row("stack design", 1e6 * stack, "µs a blend", published=_STACK_DESIGN)]


# Networks of random harmonics: the cost of a blend does not depend on the motions.

_SECONDS = 1.13  # the thesis's walk: 113 frames at 100 a second


def _random_harmonics(nodes: int, harmonics: int, dofs: int) -> Complex[np.ndarray, "nodes rows dofs"]:
    """The same random numbers each time."""
    rng = np.random.default_rng(7)
    shape = (nodes, harmonics + 1, dofs)
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape))


def _random_network(dofs: int, harmonics: int, side: int) -> Network:
    """Nodes on a square grid, ``side`` along each edge, one apart."""
    return _on_grid(Spectrum(_random_harmonics(1, harmonics, dofs)[0], _SECONDS), side)


def _random_body_network(joints: int) -> Network:
    """Nine nodes that make poses, with foot plants."""
    offsets = np.tile([0.0, 0.1, 0.0], (joints, 1)).tolist()
    skeleton = Skeleton.of([f"j{i}" for i in range(joints)], [i - 1 for i in range(joints)], offsets)
    layout = QuaternionLayout(skeleton)
    contacts = CycleContacts(((0.0, 2.0),), ((0.4, 3.0),), ((3.1, 2.0),), ((3.5, 3.0),))
    coefficients = _random_harmonics(1, 10, layout.n_dofs)[0]
    coefficients[0].imag = 0.0
    return _on_grid(Spectrum(coefficients, _SECONDS, layout, contacts), 3)


def _on_grid(spectrum: Spectrum, side: int) -> Network:
    places = [(x, y) for x in range(side) for y in range(side)]
    return Network([Node(f"{x} {y}", (float(x), float(y)), spectrum) for x, y in places])
