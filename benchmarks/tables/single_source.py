"""``mocapella reproduce single-source``: chapter 7 of the thesis made again, beside the default rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.tables import known_bad_blend, upper_harmonic_walks
from benchmarks.tables.left_out import left_out
from benchmarks.tables.upper_harmonics import CANDIDATES, STREAMLINED, Candidate, Study, Verdict
from mocapella.actor import capture
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import lively_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source.setup import set_up
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.building.build import build
from mocapella.files.disk import make_folder
from mocapella.measure.distortion import Yardstick
from mocapella.motion.spectrum import Spectrum
from mocapella.pictures import canvas
from mocapella.pictures.maps import draw_columns, draw_distortion
from mocapella.pictures.signals import draw_foot_traces, draw_phase_angles
from mocapella.studies.paper_tables import Sources
from mocapella.studies.printed import table_of
from mocapella.studies.published import by_rule
from mocapella.studies.synthesis_tables import blending_costs

_THRESHOLDS = (0, 5, 10, 15, 20, 25)  # per cent
_PUBLISHED_7_4 = {
    "improved": (75.0, 41.0, 19.5, 7.1, 2.7, 1.2),
    "worsened": (24.3, 7.3, 2.1, 0.3, 0.0, 0.0),
    "unchanged": (0.6, 51.7, 78.4, 92.6, 97.3, 98.8),
}
_PUBLISHED_HOTSPOTS = (257, 1)  # of 6601, before and after
_TURNED = (4.5, 1.5)  # degrees, at most and on average
_PUBLISHED_STACKS = {
    "7.2": ["aaaaa", "aaaab", "aaabb", "aabbb", "abbbb", *6 * ["bbbbb"]],
    "7.3": [*6 * ["aaaaa"], "baaaa", "bbaaa", "bbbaa", "bbbba", "bbbbb"],
}
_SHOWN = (
    "streamlined + SSH",
    "streamlined + SSH, set up",
    "phasor",
    "phasor + SSH",
    "phasor + SSH, set up",
    "lively",
)
_OPPOSED = ("sixth harmonic walk", "opposed sixth harmonic walk")

_NAME_HEIGHT, _NAME_WIDTH = 11.0, 130.0  # room that a name takes, dots
_NAME_ROWS = [sign * _NAME_HEIGHT * step for step in range(40) for sign in (1.0, -1.0)]  # where it may go instead


def made(sources: Sources, *, candidates: Sequence[Candidate] = CANDIDATES) -> dict[str, Any]:
    """Measure the candidates and make the tables of chapter 7 again.

    Returns what ``reproduce single-source --json`` prints.
    """
    network = upper_harmonic_walks.walks(sources)
    cases = upper_harmonic_walks.left_out(sources)
    sets = {title: left_out(cycles, axes) for title, (cycles, axes) in cases.items()}
    study = Study(network, sets, columns=sources.grid[0], rows=sources.grid[1])
    verdicts = {}
    for candidate in candidates:
        sources.tell(f"measuring {candidate.name}")
        verdicts[candidate.name] = study.judge(candidate)
    for rule, blend in (("streamlined", streamlined_blend), ("phasor", phasor_blend)):
        sources.tell(f"setting up single-source harmonics, {rule}")
        tuned = _set_up(by_rule(network, blend), sources.grid)
        name, about = f"{rule} + SSH, set up", "SSH with winners, band and a map chosen by the distortion"
        verdicts[name] = study.verdict(name, about, tuned.coefficients_at(study.points))
    opposed = _opposed_networks()
    files: list[str] = []
    if sources.pictures is not None:
        sources.tell("drawing")
        files = _draw(sources.pictures, network, verdicts, opposed)
    return {
        "motions": sources.named,
        "network": {"nodes": len(network.nodes), "triangles": len(network.corners), "harmonics": network.n_harmonics},
        "tables": stack_tables(),
        "published": {"table_7_4": _PUBLISHED_7_4, "hotspots": list(_PUBLISHED_HOTSPOTS)},
        "candidates": [one.to_dict() for one in verdicts.values()],
        "default": {"rule": "lively", "goals": verdicts["lively"].goals},
        "orientation_deg": _orientation(study),
        "known_bad_blends": [known_bad_blend.measured(one) for one in (network, opposed["lively"])],
        "opposed_sixth_harmonics": _opposed_scores(opposed),
        "costs": _costs_of(by_rule(network, streamlined_blend)),
        "files": files,
    }


def stack_tables() -> dict[str, dict[str, Any]]:
    """Tables 7.1 to 7.3: what a network of two nodes takes from which, for weights 0.0 to 1.0 of the second."""
    motion = Spectrum(np.zeros((11, 1), dtype=complex), 1.0)
    pair = [Node("a", (0.0, 0.0), motion), Node("b", (1.0, 0.0), motion)]
    stacks = {}
    for number, winners in (("7.2", ("b", "a")), ("7.3", ("a", "b"))):
        network = Network(pair, single_source=SingleSource(winners=(winners,)))
        stacks[number] = [
            "".join("ab"[source] for source in network.stack((i / 10, 0.0))[6:].tolist()) for i in range(11)
        ]
    counts = [word.count("b") for word in stacks["7.2"]]
    published = [0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5]
    return {
        "7.1": {"ours": counts, "published": published, "equal": counts == published},
        **{
            number: {"ours": own, "published": _PUBLISHED_STACKS[number], "equal": own == _PUBLISHED_STACKS[number]}
            for number, own in stacks.items()
        },
    }


def _orientation(study: Study) -> dict[str, float]:
    """By how much traces of plain blends lie turned against their references, degrees: at most and on average."""
    blends = STREAMLINED.blends(study.network, study.points)
    turned = np.degrees(study.survey.yardstick.measure_blends(blends).turned)
    return {"max": float(np.nanmax(turned)), "mean": float(np.nanmean(turned))}


def _set_up(network: Network, grid: tuple[int, int]) -> Network:
    def score(other: Network, points: Any) -> Any:
        return Yardstick(network, points).measure(other).scores

    return set_up(network, score, columns=(grid[0] + 1) // 2, rows=grid[1])


def _opposed_networks() -> dict[str, Network]:
    """Two walks of the actor with opposite sixth harmonics, the effect that the thesis describes, blended four ways."""
    pair = build([capture(name)[0] for name in _OPPOSED], mirror=False, thin=False).network
    return {
        "streamlined": by_rule(pair, streamlined_blend),
        "streamlined + SSH": by_rule(pair, streamlined_blend, SingleSource()),
        "phasor": by_rule(pair, phasor_blend),
        "lively": by_rule(pair, lively_blend),
    }


def _opposed_scores(networks: Mapping[str, Network]) -> dict[str, dict[str, float]]:
    """Mean and largest distortion from one end of the pair to the other."""
    pair = networks["lively"]
    along = np.linspace(0.0, 1.0, 81)[:, None]
    points = (1.0 - along) * pair.points[0] + along * pair.points[1]
    yardstick = Yardstick(pair, points)
    found = {name: yardstick.measure(network).scores for name, network in networks.items()}
    return {name: {"mean": float(scores.mean()), "max": float(scores.max())} for name, scores in found.items()}


def _costs_of(network: Network) -> list[dict[str, Any]]:
    """Table 7.5 for a network that makes poses; dofs are counted as in the thesis, three a joint."""
    layout = network.layout
    assert layout is not None  # built of clips
    fourth = layout.skeleton.n_joints if layout.kind == "quaternion" else 0
    return [row.to_dict() for row in blending_costs(network, layout.kind, layout.n_dofs - fourth)]


def printed(found: dict[str, Any]) -> list[Table | str]:
    """The answer of ``made`` as tables for the terminal."""
    shape = "{nodes} nodes, {triangles} triangles, {harmonics} harmonics".format(**found["network"])
    equal = [
        f"{name} {'as published' if own['equal'] else 'NOT as published'}" for name, own in found["tables"].items()
    ]
    goals = [
        f"{key.replace('_', ' ')} {'reached' if met else 'missed'}" for key, met in found["default"]["goals"].items()
    ]
    return [
        f"{found['motions']}: {shape}. Tables {', '.join(equal)}.",
        _table_7_4({one["name"]: one for one in found["candidates"]}),
        _candidates(found["candidates"]),
        _points(found["candidates"]),
        f"default: {found['default']['rule']}; goals against plain streamlined: {', '.join(goals)}",
        f"§7.7.3: traces lie turned against their references by {found['orientation_deg']['max']:.1f}° at most, "
        f"{found['orientation_deg']['mean']:.1f}° on average; published {_TURNED[0]}° and {_TURNED[1]}°",
        "the worst half-and-half blend of two walks of the network, and two walks with opposed sixth harmonics:",
        *(part for one in found["known_bad_blends"] for part in known_bad_blend.printed(one)),
        table_of(
            "two walks whose sixth harmonics stand opposite each other: distortion from one to the other, rad",
            ("rule", "mean", "max"),
            [
                (name, f"{own['mean']:.3f}", f"{own['max']:.3f}")
                for name, own in found["opposed_sixth_harmonics"].items()
            ],
        ),
        table_of(
            "table 7.5: what a blend of ten harmonics costs",
            ("", "ours", "thesis", "unit", ""),
            [
                (
                    row["name"],
                    f"{row['value']:.3f}",
                    f"{row['published']:g}" if "published" in row else "",
                    row["unit"],
                    row.get("note", ""),
                )
                for row in found["costs"]
            ],
            left=("unit", ""),
        ),
        *([f"pictures: {', '.join(found['files'])}"] if found["files"] else []),
    ]


def _table_7_4(rows: dict[str, dict[str, Any]]) -> Table:
    table = table_of(
        "table 7.4, against plain streamlined: % of samples by % of the largest before",
        ("", *map(str, _THRESHOLDS)),
        [(f"thesis, {word}", *(f"{number:.1f}" for number in numbers)) for word, numbers in _PUBLISHED_7_4.items()],
    )
    before, after = _PUBLISHED_HOTSPOTS
    table.add_row(f"thesis, hotspots {before} → {after}, {100 - 100 * after / before:.1f} % gone", end_section=True)
    hot = rows["streamlined"]["uhd"]["hotspots"]
    for name in _SHOWN:
        change = rows[name]["change"]
        for word in _PUBLISHED_7_4:
            table.add_row(f"{name}, {word}", *(f"{row[f'{word}_percent']:.1f}" for row in change["table"]))
        now, gone = rows[name]["uhd"]["hotspots"], change["hotspots_gone_percent"]
        told = f"{gone:.1f} % gone" if gone >= 0.0 else f"{-gone:.1f} % more"
        table.add_row(f"{name}, hotspots {hot} → {now}, {told}", end_section=True)
    return table


def _candidates(found: list[dict[str, Any]]) -> Table:
    sets = list(found[0]["left_out_cm"])
    rows = []
    for row in found:
        uhd, lively, change = row["uhd"], row["liveliness"], row["change"]["table"]
        rows.append(
            (
                row["name"],
                f"{uhd['mean']:.3f}",
                f"{uhd['max']:.3f}",
                str(uhd["hotspots"]),
                f"{change[0]['improved_percent']:.1f}",
                f"{change[1]['worsened_percent']:.2f}",
                f"{lively['mean']:.2f}",
                f"{lively['min']:.2f}",
                *(f"{row['left_out_cm'][title]:.3f}" if title in row["left_out_cm"] else "–" for title in sets),
            )
        )
    return table_of(
        "candidates: distortion of ankles (rad), change against streamlined (%), liveliness, captures left out (cm)",
        ("rule", "mean", "max", "hot", "improved", "> 5 % worse", "lively", "least", *sets),
        rows,
    )


def _points(found: list[dict[str, Any]]) -> Table:
    """Distortion by what is traced; the other tables trace ankles."""
    points = list(found[0]["uhd_points"])
    rows = [
        (row["name"], *("{mean:.3f} / {max:.3f}".format(**row["uhd_points"][point]) for point in points))
        for row in found
    ]
    return table_of("distortion by what is traced, mean / max, rad", ("rule", *points), rows)


def _draw(folder: Path, network: Network, verdicts: Mapping[str, Verdict], opposed: Mapping[str, Network]) -> list[str]:
    """Draw maps before and after, columns, foot traces, the opposed pair and the candidates; their paths."""
    make_folder(folder)
    maps = {name: one.change.after for name, one in verdicts.items()}
    before, pair = maps["streamlined"], opposed["lively"]
    for name, rule in (("map", "lively"), ("map-single-source", "streamlined + SSH")):
        draw_distortion(network, before, folder / f"{name}.png", after=maps[rule], labels=("streamlined", rule))
    draw_columns(network, before, folder / "columns.png", after=maps["lively"], labels=("streamlined", "lively"))
    ways = {
        "streamlined": by_rule(network, streamlined_blend),
        "streamlined + SSH": by_rule(network, streamlined_blend, SingleSource()),
        "lively": by_rule(network, lively_blend),
    }
    draw_foot_traces(ways, before.worst, folder / "traces.png")
    middle = tuple(pair.points.mean(axis=0).tolist())
    draw_foot_traces(opposed, middle, folder / "opposed-traces.png", title="sixth harmonics opposed")
    draw_phase_angles([node.spectrum for node in pair.nodes], ["Hips.z"], folder / "opposed-phases.png")
    scores = {name: (one.change.after.mean, one.liveliness[0]) for name, one in verdicts.items()}
    _draw_trade_off(scores, folder / "candidates.png", chosen="lively")
    names = ("map", "map-single-source", "columns", "traces", "opposed-traces", "opposed-phases", "candidates")
    return [str(folder / f"{name}.png") for name in names]


def _draw_trade_off(scores: Mapping[str, tuple[float, float]], path: Path, *, chosen: str) -> None:
    """Draw candidates at their distortion (across) and liveliness (up); the best are at the upper left.

    ``scores`` has for each name its mean distortion, radians, and its liveliness.
    """
    most = max(distortion for distortion, _ in scores.values())
    with canvas.page(path, 9.0, 6.0, "what upper harmonics cost and give") as figure:
        axes = figure.add_subplot()
        colours = {name: canvas.LEFT if name == chosen else canvas.INK for name in scores}
        for name, place in scores.items():
            axes.plot(*place, "o", color=colours[name], markersize=8 if name == chosen else 4)
        axes.axhline(1.0, color=canvas.PALE, linewidth=0.8)
        axes.set(xlabel="mean distortion, rad", ylabel="liveliness: energy of harmonics 6 to 10 over the nodes' own")
        axes.set_xlim(0.0, 1.25 * most)
        figure.canvas.draw()  # so that places on the paper are known
        taken: list[tuple[float, float]] = []
        for name, place in scores.items():
            x, y = axes.transData.transform(place)
            row = next(
                row
                for row in _NAME_ROWS
                if all(abs(x - a) > _NAME_WIDTH or abs(y + row - b) > _NAME_HEIGHT for a, b in taken)
            )
            taken.append((x, y + row))
            style = {"fontsize": 7, "ha": "left", "color": colours[name], "bbox": None}
            canvas.label(axes, name, place, (9, 0.7 * row - 3), **style)
