"""Blending and synthesis of whole cycles, beside the tables of the papers: their formula literally, and ours."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.measuring import Row, fastest
from mocapella.blending.baselines import literal_blend, literal_series_synthesis, literal_synthesis, naive_blend
from mocapella.blending.network import Network, Node
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.blending.single_source import SingleSource
from mocapella.blending.synthesis import whole_cycle
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum

# Table 5.1: µs per dof, 33 frames blended from 30, 34 and 42; blending includes finding triangle and weights.
TABLE_5_1 = {1: (0.14, 2.68), 2: (0.24, 5.01), 3: (0.37, 7.44), 4: (0.49, 9.84), 5: (0.59, 12.30), 10: (1.18, 24.23)}
# Tables 6.2 and 6.3: ns per dof and frame, 69 dofs, 140 frames; Euler angles and quaternions.
TABLE_6_2 = {1: (1.97, 86.1), 2: (3.01, 168), 3: (3.95, 259), 4: (5.08, 335), 5: (6.10, 427), 10: (11.5, 849)}
TABLE_6_2[20] = (21.7, 1760)
TABLE_6_3 = {1: (2.59, 115), 2: (3.92, 208), 3: (5.28, 311), 4: (6.74, 402), 5: (8.17, 500), 10: (15.0, 977)}
TABLE_6_3[20] = (28.9, 1967)
# Table 7.5: µs per dof, 10 harmonics; the streamlined system 1.18, hybrid networks 1.61 and 2.10.
TABLE_7_5 = (
    ("Euler", 69, {"single-source off": "1.81", "single-source on": "1.27"}),
    ("quaternion", 92, {"single-source off": "2.24", "single-source on": "1.64"}),
)
RELATIVE = {
    1: 0.807,
    2: 0.726,
    3: 0.718,
    4: 0.691,
    5: 0.702,
    10: 0.689,
}  # table 5.2: the compact formula against PL06's


def rows() -> list[Row]:
    """The goals first, then the tables."""
    return [*_goals(), *_table_5_1(), *_tables_6(), *_table_7_5()]


def _goals() -> list[Row]:
    net, coefficients = _network(69, 10, 2), _stack(3, 10, 69)
    weights = np.array([0.2, 0.3, 0.5])
    mixed = phasor_blend(coefficients, weights)
    steps = [tuple(at) for at in np.random.default_rng(0).uniform(0.2, 0.8, size=(100, 2)).tolist()]

    def blend_and_synthesise() -> None:
        whole_cycle(phasor_blend(coefficients, weights), 113)

    body = _body_network(31)
    small, large = _network(1, 1, 7), _network(1, 1, 71)
    best = fastest(
        {
            "synth": lambda: [whole_cycle(mixed, 113) for _ in range(20)],
            "both": lambda: [blend_and_synthesise() for _ in range(20)],
            "point": lambda: [net.blend(point) for point in steps],
            "body": lambda: [body.blend(point) for point in steps],
            "small": lambda: _wander(small),
            "large": lambda: _wander(large),
            "small cold": lambda: [small.place(point) for point in steps],
            "large cold": lambda: [large.place(point) for point in steps],
        }
    )
    cells = 69 * 113 * 20
    return [
        Row(
            "whole cycle, 69 dofs × 113 frames, 10 harmonics",
            best["synth"] / cells * 1e9,
            "ns a dof and frame",
            published="849",
        ),
        Row("the same, blending included", best["both"] / cells * 1e9, "ns a dof and frame", published="861"),
        Row("network.blend, 69 dofs, 10 harmonics, no layout", best["point"] / 100 * 1e6, "µs"),
        Row("network.blend, 31 joints, with foot plants", best["body"] / 100 * 1e6, "µs"),
        Row(f"lookup near the last, {len(small.corners)} triangles", best["small"] / 500 * 1e6, "µs"),
        Row(f"lookup near the last, {len(large.corners)} triangles", best["large"] / 500 * 1e6, "µs"),
        Row(f"lookup anywhere, {len(small.corners)} triangles", best["small cold"] / 100 * 1e6, "µs"),
        Row(f"lookup anywhere, {len(large.corners)} triangles", best["large cold"] / 100 * 1e6, "µs"),
    ]


def _table_5_1() -> list[Row]:
    out = []
    for harmonics, (published_blend, published_synth) in TABLE_5_1.items():
        net, coefficients = _network(69, harmonics, 2), _stack(3, harmonics, 69)
        weights = np.array([0.2, 0.3, 0.5])
        mixed = phasor_blend(coefficients, weights)
        sizes, angles = np.abs(mixed), np.angle(mixed)
        cosines, sines = 2.0 * mixed.real, -2.0 * mixed.imag

        def placed_blend(net: Network = net, coefficients: np.ndarray = coefficients) -> None:
            place = net.place((0.4, 0.3), 0)
            phasor_blend(coefficients, place.weights)

        def many_products(mixed: np.ndarray = mixed) -> None:
            for _ in range(20):
                whole_cycle(mixed, 33)

        def literal(sizes: np.ndarray = sizes, angles: np.ndarray = angles) -> None:
            literal_synthesis(sizes, angles, 33)

        def series(cosines: np.ndarray = cosines, sines: np.ndarray = sines) -> None:
            literal_series_synthesis(cosines, sines, 33)

        best = fastest({"blend": placed_blend, "product": many_products, "literal": literal, "series": series})
        per_dof = 1e6 / 69
        ratio = f"literal against PL06's form {best['literal'] / best['series']:.2f}, published {RELATIVE[harmonics]}"
        out += [
            Row(
                f"table 5.1, {harmonics} harmonics: blend",
                best["blend"] * per_dof,
                "µs a dof",
                published=f"{published_blend}",
            ),
            Row(
                f"table 5.1, {harmonics} harmonics: synthesis, literal",
                best["literal"] * per_dof,
                "µs a dof",
                published=f"{published_synth}",
                peer=ratio,
            ),
            Row(
                f"table 5.1, {harmonics} harmonics: synthesis, product",
                best["product"] / 20 * per_dof,
                "µs a dof",
                published=f"{published_synth}",
            ),
        ]
    return out


def _tables_6() -> list[Row]:
    out = []
    for title, dofs, table in (("6.2 Euler", 69, TABLE_6_2), ("6.3 quaternion", 92, TABLE_6_3)):
        for harmonics, (published_blend, published_synth) in table.items():
            coefficients, weights = _stack(3, harmonics, dofs), np.array([0.2, 0.3, 0.5])
            mixed = phasor_blend(coefficients, weights)
            sizes, angles = np.abs(mixed), np.angle(mixed)
            best = fastest(
                {
                    "blend": lambda c=coefficients, w=weights: phasor_blend(c, w),
                    "product": lambda m=mixed: whole_cycle(m, 140),
                    "literal": lambda s=sizes, a=angles: literal_synthesis(s, a, 140),
                }
            )
            # Both tables count 69 dofs; four components a joint make 92 of them, whose cost is shared by the 69.
            cells = 69 * 140
            for name, published in (
                ("blend", published_blend),
                ("literal", published_synth),
                ("product", published_synth),
            ):
                out.append(
                    Row(
                        f"table {title}, {harmonics} harmonics: {name}",
                        best[name] / cells * 1e9,
                        "ns a dof and frame",
                        published=f"{published:g}",
                    )
                )
    return out


def _table_7_5() -> list[Row]:
    out = []
    for title, dofs, published in TABLE_7_5:
        net = _network(dofs, 10, 2).with_single_source(SingleSource())
        place = net.place((0.3, 0.2))
        nodes, weights = place.nodes, place.weights
        coefficients = net.ensemble.coefficients
        sizes, angles = np.abs(coefficients[nodes]), np.angle(coefficients[nodes])
        switch = net.switch(place)
        assert switch is not None
        local = np.array([nodes.tolist().index(i) if i >= 0 else i for i in switch.stack.tolist()])
        candidates = {
            "literal, single-source off": lambda s=sizes, a=angles, w=weights, k=local: literal_blend(
                s, a, w, np.full_like(k, -1)
            ),
            "literal, single-source on": lambda s=sizes, a=angles, w=weights, k=local: literal_blend(s, a, w, k),
        }
        for name, rule in {"streamlined": streamlined_blend, "phasor": phasor_blend}.items():
            candidates[f"{name}, single-source off"] = lambda c=coefficients, n=nodes, w=weights, r=rule: r(c[n], w)
            candidates[f"{name}, single-source on"] = lambda c=coefficients, n=nodes, w=weights, r=rule, k=switch: (
                k.mixed(c, lambda rows: r(c[n, :rows], w))
            )
        candidates["naive"] = lambda c=coefficients, n=nodes, w=weights: naive_blend(c[n], w)
        best = fastest(
            {name: lambda run=run: [run() for _ in range(10)] for name, run in candidates.items()}, rounds=50
        )
        for name, seconds in best.items():
            mark = published.get(name.partition(", ")[2], "") if name.startswith("literal") else ""
            note = ""
            if name.endswith(" on"):
                note = f"{best[name] / best[name.replace(' on', ' off')] - 1.0:+.0%} against off"
            # Both layouts count 69 dofs; four components a joint make 92 of them, whose cost is shared by the 69.
            out.append(
                Row(f"table 7.5 {title}, {name}", seconds / 10 / 69 * 1e6, "µs a dof", published=mark, note=note)
            )
    return [*out, *_stack_design(), *_contributions()]


def _stack_design() -> list[Row]:
    net = _network(1, 10, 2).with_single_source(SingleSource())
    places = net.places(np.random.default_rng(3).uniform(0.0, 1.0, (100, 2)))
    best = fastest({"stack": lambda: [net.stack(place) for place in places]})
    return [Row("stack design", best["stack"] / 100 * 1e6, "µs a blend", published="2.9")]


def _contributions() -> list[Row]:
    """Tables in time of what every single-source harmonic adds, ready before it is asked for (001, section 7.9.6)."""
    coefficients, frames = _stack(3, 10, 69), 113
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
        rounds=60,
    )
    per_cell = 1e9 / (69 * frames)
    return [
        Row(f"single-source contributions: {name}", seconds * per_cell, "ns a dof and frame")
        for name, seconds in best.items()
    ]


def _wander(net: Network) -> None:
    side = float(net.points.max())
    place = net.place((0.5 * side, 0.5 * side))
    for angle in np.linspace(0.0, 25.0, 500).tolist():
        place = net.place((0.5 * side + 1.4 * np.cos(angle), 0.5 * side + 1.4 * np.sin(angle)), place)


def _stack(nodes: int, harmonics: int, dofs: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    shape = (nodes, harmonics + 1, dofs)
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape))


def _network(dofs: int, harmonics: int, side: int) -> Network:
    """Nodes on a square grid, ``side`` along each edge."""
    spectrum = Spectrum(_stack(1, harmonics, dofs)[0], 1.13)
    places = [(x, y) for x in range(side) for y in range(side)]
    return Network([Node(f"{x} {y}", (float(x), float(y)), spectrum) for x, y in places])


def _body_network(joints: int) -> Network:
    skeleton = Skeleton.of(
        [f"j{i}" for i in range(joints)], [i - 1 for i in range(joints)], np.tile([0.0, 0.1, 0.0], (joints, 1)).tolist()
    )
    layout = QuaternionLayout(skeleton)
    contacts = CycleContacts(((0.0, 2.0),), ((0.4, 3.0),), ((3.1, 2.0),), ((3.5, 3.0),))
    coefficients = _stack(1, 10, layout.n_dofs)[0]
    coefficients[0].imag = 0.0
    spectrum = Spectrum(coefficients, 1.13, layout, contacts)
    places = [(x, y) for x in range(3) for y in range(3)]
    return Network([Node(f"{x} {y}", (float(x), float(y)), spectrum) for x, y in places])
