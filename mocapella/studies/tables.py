"""Published tables made again, ours beside theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.actor import capture
from mocapella.analysis.synchronise import shifted
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import RULES, lively_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source.settings import SingleSource
from mocapella.blending.single_source.setup import set_up
from mocapella.building.build import build_network
from mocapella.building.placement import TURN_AND_SPEED, Axes
from mocapella.building.sources import Source, cycles_of
from mocapella.errors import MotionError
from mocapella.files.formats import READABLE
from mocapella.measure.distortion import Yardstick
from mocapella.measure.left_out import left_out
from mocapella.measure.network import node_errors
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.studies.benches.blending_costs import blending_costs
from mocapella.studies.published import best_offset, difference_table
from mocapella.studies.rules import CANDIDATES, by_rule
from mocapella.studies.upper_harmonics import Study

# Whose motions published tables are made again of: CMU captures where there are some, else the embedded actor's.

_WALKS = (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 33, 47, 58)  # subject 16, straight to 90° turns
_RUNS = (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56)
_STYLES = ("normal", "tired", "brisk", "sad", "happy", "relaxed", "marching", "drunk")
_TURNS = ("straight", "left", "right", "sharp left", "sharp right")
SUBJECT_16 = tuple(f"16_{i}.bvh" for i in _WALKS)
# By title the captures of each set, and by what they lie; straight ones on a line by their speed.
LEFT_OUT: Mapping[str, tuple[tuple[str, ...], Axes | None]] = {
    "07, straight walks": (tuple(f"07_{i:02d}.amc" for i in range(1, 12)), None),
    "08, straight walks": (tuple(f"08_{i:02d}.bvh" for i in (1, 4, 7, 11)), None),
    "16, straight walks": (tuple(f"16_{i}.bvh" for i in (15, 21, 31, 47, 58)), None),
    "16, walks and turns": (tuple(f"16_{i}.bvh" for i in _WALKS if i != 33), TURN_AND_SPEED),
    "16, runs and turns": (tuple(f"16_{i}.bvh" for i in _RUNS), TURN_AND_SPEED),
}


@dataclass(frozen=True)
class Sources:
    """A folder of CMU's captures, with folders in it, or None for the actor."""

    folder: Path | None
    tell: Callable[[str], None] = lambda words: None

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise MotionError(f"{self.folder} is no folder; --captures names one that holds CMU's motion files")

    @property
    def real(self) -> bool:
        """Whether there is what a network of captured walks takes."""
        return self.found(SUBJECT_16) is not None

    @property
    def named(self) -> str:
        """Whose walks these are, in words."""
        return "CMU subject 16" if self.real else "the embedded actor"

    def found(self, names: Sequence[str]) -> list[Path] | None:
        """The files of these names; None where one of them is missing."""
        paths = [self._files.get(name) for name in names]
        there = [path for path in paths if path is not None]
        return there if len(there) == len(paths) else None

    def walks(self) -> Network:
        """A network of walks, all takes kept, none mirrored: straight to sharp turns, slow to fast."""
        self.tell("preparing walks")
        files = self.found(SUBJECT_16)
        takes: Sequence[Source] = _actor_walks() if files is None else files
        return build_network(takes, mirror=False, thin=False)

    def left_out(self) -> dict[str, tuple[list[Cycle], Axes | None]]:
        """Sets of cycles to leave one out of, and by what they lie."""
        if not self.real:
            return {"actor, walks and turns": (cycles_of(_actor_walks()), TURN_AND_SPEED)}
        out = {}
        for title, (names, axes) in LEFT_OUT.items():
            files = self.found(names)
            if files is not None:
                self.tell(f"preparing {title}")
                out[title] = (cycles_of(files), axes)
        return out

    def cycle(self, name: str, instead: str) -> Cycle:
        """The cycle of one capture by its file name, or of one of the actor's."""
        files = self.found([name]) if self.real else None
        return cycles_of([capture(instead)[0]] if files is None else files)[0]

    @cached_property
    def _files(self) -> dict[str, Path]:
        if self.folder is None:
            return {}
        inside = sorted(self.folder.rglob("*"), reverse=True)  # of two of one name the first counts
        return {path.name: path for path in inside if path.suffix.lower() in READABLE and path.is_file()}


def _actor_walks() -> list[Source]:
    names = [f"{speed} walk {turn}" for speed in ("slow", "medium", "fast") for turn in _TURNS]
    return [capture(name)[0] for name in (*names, *(f"{style} walk" for style in _STYLES))]


# Published tables that take seconds to make again: blend rules, harmonics, synchronisation.

COUNTS = (1, 2, 3, 4, 5, 10)
_TABLE_5_3 = (2.22, 0.83, 0.46, 0.38, 0.19, 0.08)  # cm, a walk of a person of 1.673 m
_PHASES = {"unit": 45.0, "streamlined": 5.711, "phasor": 5.711, "naive": 45.0}  # of 10 at 0° and 1 at 90°, degrees
_SUMS_6_1 = (7.20, 58.01)  # lowest and highest of table 6.1
_SIGNALS = 200


def blending(sources: Sources) -> dict[str, Any]:
    """Every rule on 10 at 0° with 1 at 90°, on 10° with 350°, and against averaging random motions in time."""
    half = np.array([0.5, 0.5])
    pair = np.array([[[0.0], [10.0]], [[0.0], [1j]]], dtype=complex)
    near = np.exp(1j * np.radians([[[0.0], [10.0]], [[0.0], [350.0]]]))
    near[:, 0] = 0.0
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(2, 11, _SIGNALS)) + 1j * rng.normal(size=(2, 11, _SIGNALS))
    noise[:, 0] = noise[:, 0].real
    moments = np.exp(2j * np.pi * np.outer(np.arange(64) / 64, np.arange(11))) * np.array([1.0, *10 * [2.0]])
    average = np.real(moments @ noise).mean(axis=0)
    rows = []
    for name, rule in RULES.items():
        mixed, turned = rule(pair, half)[1, 0], rule(near, half)[1, 0]
        apart = np.real(moments @ rule(noise, half)) - average
        rows.append(
            {
                "rule": name,
                "phase_deg": float(np.degrees(np.angle(mixed))),
                "magnitude": float(np.abs(mixed)),
                "published_phase_deg": _PHASES.get(name),
                "ten_and_350_deg": abs(float(np.degrees(np.angle(turned)))),
                "rms_from_time_domain": float(np.sqrt(np.mean(apart**2))),
            }
        )
    return {"rows": rows}


def harmonics(sources: Sources) -> dict[str, Any]:
    """Table 5.3: the mean error of joints by the number of harmonics, of one straight walk."""
    cycle = sources.cycle("07_01.amc", "medium walk straight")
    errors = 100.0 * node_errors(cycle, COUNTS)
    return {
        "motion": cycle.name,
        "rows": [
            {"harmonics": count, "error_cm": float(own), "published_cm": published}
            for count, own, published in zip(COUNTS, errors, _TABLE_5_3, strict=True)
        ],
    }


def sync(sources: Sources) -> dict[str, Any]:
    """Table 6.1's layout: sums of hip differences (radians) of a cycle, rotated, with two that are in step."""
    cycle = sources.cycle("16_58.bvh", "fast walk straight")
    names = [("16_15.bvh", "slow walk straight"), ("16_47.bvh", "medium walk straight")]
    first, second = (sources.cycle(*name) for name in names)
    second = shifted(second, best_offset(difference_table(second, [first])))
    table = difference_table(cycle, [first, second])
    return {
        "motion": cycle.name,
        "frames": cycle.n_frames,
        "references": [first.name, second.name],
        "best_offset": best_offset(table),
        "lowest": table.min(axis=0).tolist(),
        "highest": table.max(axis=0).tolist(),
        "published": {"lowest": _SUMS_6_1[0], "highest": _SUMS_6_1[1], "best_offset": 27, "frames": 102},
        "rows": [[offset, *row] for offset, row in enumerate(table.tolist())],
    }


def blending_tables(found: dict[str, Any]) -> list[Table | str]:
    """The rules, for people."""
    heads = ("rule", "phase °", "published", "magnitude", "10° with 350°", "RMS from the mean in time")
    table = _table("blend rules: 10 at 0° with 1 at 90° half and half; 10° with 350°; random motions", heads)
    for row in found["rows"]:
        published = row["published_phase_deg"]
        table.add_row(
            row["rule"],
            f"{row['phase_deg']:.3f}",
            "" if published is None else f"{published:g}",
            f"{row['magnitude']:.3f}",
            f"{row['ten_and_350_deg']:.1f}",
            f"{row['rms_from_time_domain']:.2g}",
        )
    return [table]


def harmonics_tables(found: dict[str, Any]) -> list[Table | str]:
    """Table 5.3, for people."""
    title = f"table 5.3: mean error of joints, cm, {found['motion']}"
    table = _table(title, ("", *(f"{row['harmonics']}" for row in found["rows"])))
    for name, key in (("ours", "error_cm"), ("published", "published_cm")):
        table.add_row(name, *(f"{row[key]:.2f}" for row in found["rows"]))
    return [table]


def sync_tables(found: dict[str, Any]) -> list[Table | str]:
    """Table 6.1 around its lowest rows, for people."""
    title = f"table 6.1: {found['motion']}, {found['frames']} frames, with {' and '.join(found['references'])}"
    table = _table(title, ("offset", *found["references"]))
    rows = found["rows"]
    # What drops are the offsets at which left stands in for right; half a cycle on is the best.
    drops = {int(np.argmin([row[column] for row in rows])) for column in (1, 2)}
    shown = {(offset + step) % len(rows) for offset in drops for step in range(-2, 3)} | {0, 1, len(rows) - 1}
    for offset in sorted(shown):
        table.add_row(f"{offset}", *(f"{value:.2f}" for value in rows[offset][1:]))
    low, high = (", ".join(f"{value:.2f}" for value in found[key]) for key in ("lowest", "highest"))
    own = found["published"]
    return [
        table,
        f"lowest {low}, highest {high}, best offset {found['best_offset']}; "
        f"published {own['lowest']}, {own['highest']}, {own['best_offset']} of {own['frames']}",
    ]


def _table(title: str, heads: tuple[str, ...]) -> Table:
    table = Table(
        title=title, title_justify="left", min_width=len(title), box=None, header_style="bold", padding=(0, 2, 0, 0)
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left")
    return table


# The thesis's chapter 7 made again, and what was tried beyond it: ``mocapella reproduce single-source``.

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
        from mocapella.studies.table_pictures import draw_single_source

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
    table = _single_source_table("table 7.4, against plain streamlined: % of samples by % of the largest before")
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
    table = _single_source_table(
        "candidates: distortion (rad), change against streamlined (%), liveliness, captures left out (cm)"
    )
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
    table = _single_source_table(
        "two walks whose sixth harmonics stand opposite each other: distortion from one to the other, rad"
    )
    for head in ("rule", "mean", "max"):
        table.add_column(head, justify="left" if head == "rule" else "right")
    for name, own in found.items():
        table.add_row(name, f"{own['mean']:.3f}", f"{own['max']:.3f}")
    return table


def _costs(rows: list[dict[str, Any]]) -> Table:
    table = _single_source_table("table 7.5: what a blend of ten harmonics costs")
    for head in ("", "ours", "thesis", "unit", ""):
        table.add_column(head, justify="left" if head in ("", "unit") else "right")
    for row in rows:
        published = f"{row['published']:g}" if "published" in row else ""
        table.add_row(row["name"], f"{row['value']:.3f}", published, row["unit"], row.get("note", ""))
    return table


def _single_source_table(title: str) -> Table:
    return Table(
        title=title, title_justify="left", min_width=len(title), box=None, header_style="bold", padding=(0, 2, 0, 0)
    )
