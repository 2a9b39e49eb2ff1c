"""The pictures of ``mocapella reproduce single-source``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mocapella.blending.network import Network
from mocapella.blending.rules import lively_blend, streamlined_blend
from mocapella.blending.single_source.settings import SingleSource
from mocapella.pictures.maps import draw_columns, draw_distortion, draw_trade_off
from mocapella.pictures.signals import draw_foot_traces, draw_phase_angles
from mocapella.studies.demo import make_folder
from mocapella.studies.rules import by_rule
from mocapella.studies.upper_harmonics import Verdict


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
