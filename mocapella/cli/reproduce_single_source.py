"""The thesis's chapter 7 made again, and what was tried beyond it: ``mocapella reproduce single-source``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.actor import capture
from mocapella.benches.blending_costs import blending_costs
from mocapella.blending.build import build_network
from mocapella.blending.lively import lively_blend
from mocapella.blending.network import Network, Node
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.blending.single_source import SingleSource
from mocapella.blending.single_source_setup import set_up
from mocapella.cli.reproduce_sources import Sources
from mocapella.measure.candidates import CANDIDATES, by_rule
from mocapella.measure.distortion import Yardstick
from mocapella.measure.left_out import left_out
from mocapella.measure.upper_study import Study
from mocapella.motion.spectrum import Spectrum

THRESHOLDS = (0, 5, 10, 15, 20, 25)
PUBLISHED_7_4 = {
    "improved": (75.0, 41.0, 19.5, 7.1, 2.7, 1.2),
    "worsened": (24.3, 7.3, 2.1, 0.3, 0.0, 0.0),
    "unchanged": (0.6, 51.7, 78.4, 92.6, 97.3, 98.8),
}
PUBLISHED_HOTSPOTS = (257, 1)  # of 6601, before and after
_PUBLISHED_STACKS = {
    "7.2": ["aaaaa", "aaaab", "aaabb", "aabbb", "abbbb", *6 * ["bbbbb"]],
    "7.3": [*6 * ["aaaaa"], "baaaa", "bbaaa", "bbbaa", "bbbba", "bbbbb"],
}
_SHOWN = ("streamlined", "streamlined + SSH", "streamlined + SSH, set up", "phasor", "phasor + SSH",
          "phasor + SSH, set up", "lively")  # fmt: skip
_OPPOSED = ("sixth harmonic walk", "opposed sixth harmonic walk")


def single_source(sources: Sources, grid: tuple[int, int], output: Path | None) -> dict[str, Any]:
    """Measure it all, and draw it where there is a folder."""
    network = sources.walks()
    sets = {title: left_out(cycles, axes) for title, (cycles, axes) in sources.left_out().items()}
    study = Study(network, sets, columns=grid[0], rows=grid[1])
    verdicts = []
    for candidate in CANDIDATES:
        sources.tell(f"measuring {candidate.name}")
        verdicts.append(study.judge(candidate))
    for name, rule in (("streamlined", streamlined_blend), ("phasor", phasor_blend)):
        sources.tell(f"setting up single-source harmonics, {name}")
        made = _set_up(by_rule(network, rule), grid)
        about = "SSH with winners, band and a map chosen by the distortion"
        verdicts.append(study.verdict(f"{name} + SSH, set up", about, made.coefficients_at(study.points)))
    opposed = opposed_pair()
    default = next(one for one in verdicts if one.name == "lively")
    files: list[str] = []
    if output is not None:
        from mocapella.cli.reproduce_pictures import draw_single_source

        sources.tell("drawing")
        files = draw_single_source(output, network, {one.name: one for one in verdicts}, opposed_networks(opposed))
    return {
        "motions": sources.named,
        "network": {"nodes": len(network.nodes), "triangles": len(network.corners), "harmonics": network.n_harmonics},
        "tables": stack_tables(),
        "published": {"table_7_4": PUBLISHED_7_4, "hotspots": list(PUBLISHED_HOTSPOTS)},
        "candidates": [one.to_dict() for one in verdicts],
        "default": {"rule": default.name, "goals": default.goals},
        "opposed_sixth_harmonics": opposed_scores(opposed),
        "costs": costs_of(by_rule(network, streamlined_blend)),
        "files": files,
    }


def costs_of(network: Network) -> list[dict[str, Any]]:
    """Table 7.5, of a network that makes poses; dofs are counted as in the thesis, three a joint."""
    layout = network.layout
    assert layout is not None  # built of clips
    fourth = layout.skeleton.n_joints if layout.kind == "quaternion" else 0
    return [row.to_dict() for row in blending_costs(network, layout.kind, layout.n_dofs - fourth)]


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


def opposed_pair() -> Network:
    """Two walks of the actor whose sixth harmonics stand opposite each other: the effect that the thesis describes."""
    return build_network([capture(name)[0] for name in _OPPOSED], mirror=False, thin=False)


def opposed_networks(pair: Network) -> dict[str, Network]:
    """The pair blended in four ways."""
    return {
        "streamlined": by_rule(pair, streamlined_blend),
        "streamlined + SSH": by_rule(pair, streamlined_blend, SingleSource()),
        "phasor": by_rule(pair, phasor_blend),
        "lively": by_rule(pair, lively_blend),
    }


def opposed_scores(pair: Network) -> dict[str, dict[str, float]]:
    """Mean and largest distortion from one end of the pair to the other."""
    along = np.linspace(0.0, 1.0, 81)[:, None]
    points = (1.0 - along) * pair.points[0] + along * pair.points[1]
    yardstick = Yardstick(pair, points)
    found = {name: yardstick.measure(network).scores for name, network in opposed_networks(pair).items()}
    return {name: {"mean": float(scores.mean()), "max": float(scores.max())} for name, scores in found.items()}


def tables_of(found: dict[str, Any]) -> list[Table | str]:
    """What was found, as tables for people."""
    rows = {one["name"]: one for one in found["candidates"]}
    shape = "{nodes} nodes, {triangles} triangles, {harmonics} harmonics".format(**found["network"])
    told = ", ".join(f"{name} {'as published' if own['equal'] else 'NOT as published'}"
                     for name, own in found["tables"].items())  # fmt: skip
    goals = ", ".join(f"{key.replace('_', ' ')} {'reached' if met else 'missed'}"
                      for key, met in found["default"]["goals"].items())  # fmt: skip
    return [
        f"{found['motions']}: {shape}. Tables {told}.",
        _table_7_4(rows),
        _candidates(found["candidates"]),
        f"default: {found['default']['rule']}; goals against plain streamlined: {goals}",
        _opposed(found["opposed_sixth_harmonics"]),
        _costs(found["costs"]),
        *([f"pictures: {', '.join(found['files'])}"] if found["files"] else []),
    ]


def _set_up(network: Network, grid: tuple[int, int]) -> Network:
    def score(other: Network, points: Any) -> Any:
        return Yardstick(network, points).measure(other).scores

    return set_up(network, score, columns=(grid[0] + 1) // 2, rows=(grid[1] + 1) // 2)


def _table_7_4(rows: dict[str, dict[str, Any]]) -> Table:
    table = _table("table 7.4, against plain streamlined: % of samples by % of the largest before")
    table.add_column("")
    for threshold in THRESHOLDS:
        table.add_column(f"{threshold}", justify="right")
    for word, numbers in PUBLISHED_7_4.items():
        table.add_row(f"thesis, {word}", *(f"{number:.1f}" for number in numbers))
    before, after = PUBLISHED_HOTSPOTS
    table.add_row(f"thesis, hotspots {before} → {after}, {100 - 100 * after / before:.1f} % gone", end_section=True)
    hot = rows["streamlined"]["uhd"]["hotspots"]
    for name in _SHOWN[1:]:
        change = rows[name]["change"]
        for word in PUBLISHED_7_4:
            table.add_row(f"{name}, {word}", *(f"{row[f'{word}_percent']:.1f}" for row in change["table"]))
        now, gone = rows[name]["uhd"]["hotspots"], change["hotspots_gone_percent"]
        told = f"{gone:.1f} % gone" if gone >= 0.0 else f"{-gone:.1f} % more"
        table.add_row(f"{name}, hotspots {hot} → {now}, {told}", end_section=True)
    return table


def _candidates(rows: list[dict[str, Any]]) -> Table:
    table = _table("candidates: distortion (rad), change against streamlined (%), liveliness, captures left out (cm)")
    sets = list(rows[0]["left_out_cm"])
    heads = ("mean", "max", "toes", "hot", "improved", "> 5 % worse", "lively", "least", *sets)
    table.add_column("rule")
    for head in heads:
        table.add_column(head, justify="right")
    for row in rows:
        uhd, toes, lively, change = row["uhd"], row["uhd_toes"], row["liveliness"], row["change"]["table"]
        table.add_row(
            row["name"],
            f"{uhd['mean']:.3f}",
            f"{uhd['max']:.3f}",
            "–" if toes is None else f"{toes['mean']:.3f}",
            str(uhd["hotspots"]),
            f"{change[0]['improved_percent']:.1f}",
            f"{change[1]['worsened_percent']:.2f}",
            f"{lively['mean']:.2f}",
            f"{lively['min']:.2f}",
            *(f"{row['left_out_cm'][title]:.3f}" if title in row["left_out_cm"] else "–" for title in sets),
        )
    return table


def _opposed(found: dict[str, dict[str, float]]) -> Table:
    table = _table("two walks whose sixth harmonics stand opposite each other: distortion from one to the other, rad")
    for head in ("rule", "mean", "max"):
        table.add_column(head, justify="left" if head == "rule" else "right")
    for name, own in found.items():
        table.add_row(name, f"{own['mean']:.3f}", f"{own['max']:.3f}")
    return table


def _costs(rows: list[dict[str, Any]]) -> Table:
    table = _table("table 7.5: what a blend of ten harmonics costs")
    for head in ("", "ours", "thesis", "unit", ""):
        table.add_column(head, justify="left" if head in ("", "unit") else "right")
    for row in rows:
        published = f"{row['published']:g}" if "published" in row else ""
        table.add_row(row["name"], f"{row['value']:.3f}", published, row["unit"], row.get("note", ""))
    return table


def _table(title: str) -> Table:
    return Table(
        title=title, title_justify="left", min_width=len(title), box=None, header_style="bold", padding=(0, 2, 0, 0)
    )
