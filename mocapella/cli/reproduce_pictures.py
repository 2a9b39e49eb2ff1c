"""The pictures of ``mocapella reproduce single-source``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mocapella.blending.lively import lively_blend
from mocapella.blending.network import Network
from mocapella.blending.rules import streamlined_blend
from mocapella.blending.single_source import SingleSource
from mocapella.cli.captures import make_folder
from mocapella.measure.candidates import by_rule
from mocapella.measure.upper_study import Verdict
from mocapella.pictures.distortion_map import draw_columns, draw_distortion
from mocapella.pictures.foot_traces import draw_foot_traces
from mocapella.pictures.harmonics import draw_phase_angles
from mocapella.pictures.trade_off import draw_trade_off


def draw_single_source(
    folder: Path, network: Network, verdicts: Mapping[str, Verdict], opposed: Mapping[str, Network]
) -> list[str]:
    """Draw maps before and after, columns, foot traces, the opposed pair and the candidates; their paths."""
    make_folder(folder)
    before, after = verdicts["streamlined"].change.after, verdicts["lively"].change.after
    switched = verdicts["streamlined + SSH"].change.after
    labels = ("streamlined", "lively")
    draw_distortion(network, before, folder / "map.png", after=after, labels=labels)
    with_ssh = ("streamlined", "streamlined + SSH")
    draw_distortion(network, before, folder / "map-single-source.png", after=switched, labels=with_ssh)
    draw_columns(network, before, folder / "columns.png", after=after, labels=labels)
    ways = {
        "streamlined": by_rule(network, streamlined_blend),
        "streamlined + SSH": by_rule(network, streamlined_blend, SingleSource()),
        "lively": by_rule(network, lively_blend),
    }
    draw_foot_traces(ways, before.worst, folder / "traces.png")
    middle = tuple(next(iter(opposed.values())).points.mean(axis=0).tolist())
    draw_foot_traces(opposed, middle, folder / "opposed-traces.png", title="sixth harmonics opposed")
    one, two = next(iter(opposed.values())).nodes
    draw_phase_angles([one.spectrum, two.spectrum], ["Hips.z"], folder / "opposed-phases.png")
    draw_trade_off(
        {name: (one.change.after.mean, one.liveliness[0]) for name, one in verdicts.items()},
        folder / "candidates.png",
        chosen="lively",
    )
    names = ("map", "map-single-source", "columns", "traces", "opposed-traces", "opposed-phases", "candidates")
    return [str(folder / f"{name}.png") for name in names]
