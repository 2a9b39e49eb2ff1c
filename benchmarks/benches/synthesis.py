"""Blending and synthesis of whole cycles: goals, the tables of the papers, and tables of single-source harmonics."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.rules import phasor_blend
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, whole_cycle
from mocapella.studies.benches.measuring import Row, fastest
from mocapella.studies.published import literal_synthesis
from mocapella.studies.synthesis_tables import (
    DOFS,
    LAYOUTS,
    PER_FRAME,
    SECONDS,
    WEIGHTS,
    on_grid,
    posture_rows,
    random_harmonics,
    random_network,
    table_rows,
)

_TIMES = 20  # runs in a row that one count covers


def rows(*, quick: bool = False) -> list[Row]:
    """The goals first, then the tables."""
    rounds = 1 if quick else 15
    goals = [*_goals(rounds, 12 if quick else 71), *posture_rows(rounds)]
    return [*goals, *table_rows(quick=quick), *_contributions(rounds)]


def _goals(rounds: int, side: int) -> list[Row]:
    net, coefficients = random_network(DOFS, 10, 2), random_harmonics(3, 10, DOFS)
    mixed = phasor_blend(coefficients, WEIGHTS)
    steps = [tuple(at) for at in np.random.default_rng(0).uniform(0.2, 0.8, size=(100, 2)).tolist()]
    body = _random_body_network(31)
    small, large = random_network(1, 1, 7), random_network(1, 1, side)
    best = fastest(
        {
            "synth": lambda: [whole_cycle(mixed, 113) for _ in range(20)],
            "both": lambda: [whole_cycle(phasor_blend(coefficients, WEIGHTS), 113) for _ in range(20)],
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
        Row("network.blend, 69 dofs, 10 harmonics, no layout", best["point"] / 100 * 1e6, "µs"),
        Row("network.blend, 31 joints, with foot plants", best["body"] / 100 * 1e6, "µs"),
        Row(f"lookup near the last, {few}", best["small"] / 500 * 1e6, "µs"),
        Row(f"lookup near the last, {many}", best["large"] / 500 * 1e6, "µs"),
        Row(f"lookup anywhere, {few}", best["small cold"] / 100 * 1e6, "µs"),
        Row(f"lookup anywhere, {many}", best["large cold"] / 100 * 1e6, "µs"),
    ]


def _contributions(rounds: int) -> list[Row]:
    """Synthesis with the contribution of every single-source harmonic computed beforehand (001, section 7.9.6)."""
    coefficients, frames = random_harmonics(3, 10, DOFS), 113
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
    a_cell = 1e9 / (DOFS * frames)
    found = [Row(f"single-source contributions: {name}", best[name] * a_cell, PER_FRAME) for name in best]
    return [*found, *_upper_tables(rounds)]


def _upper_tables(rounds: int) -> list[Row]:
    """A blend by phasors whose upper harmonics are gathered anew, and taken from the table kept for its stack."""
    network = random_network(LAYOUTS["quaternion"], 10, 2).with_single_source(SingleSource())
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


def _wander(net: Network) -> None:
    side = float(net.points.max())
    place = net.place((0.5 * side, 0.5 * side))
    for angle in np.linspace(0.0, 25.0, 500).tolist():
        place = net.place((0.5 * side + 1.4 * np.cos(angle), 0.5 * side + 1.4 * np.sin(angle)), place)


def _random_body_network(joints: int) -> Network:
    """Nine nodes that make poses, with foot plants."""
    offsets = np.tile([0.0, 0.1, 0.0], (joints, 1)).tolist()
    skeleton = Skeleton.of([f"j{i}" for i in range(joints)], [i - 1 for i in range(joints)], offsets)
    layout = QuaternionLayout(skeleton)
    contacts = CycleContacts(((0.0, 2.0),), ((0.4, 3.0),), ((3.1, 2.0),), ((3.5, 3.0),))
    coefficients = random_harmonics(1, 10, layout.n_dofs)[0]
    coefficients[0].imag = 0.0
    return on_grid(Spectrum(coefficients, SECONDS, layout, contacts), 3)
