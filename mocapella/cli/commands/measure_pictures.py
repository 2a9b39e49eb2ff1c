"""The pictures that ``mocapella measure`` draws."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.measure.distortion import FootJoint, Yardstick
from mocapella.measure.left_out import Improvement
from mocapella.measure.traces import distortion_by_harmonics, save_traces
from mocapella.pictures.maps import draw_columns, draw_distortion
from mocapella.pictures.signals import draw_contributions, draw_foot_traces, draw_phase_angles
from mocapella.rig.roles import find_roles

_SOME = 400  # points at which harmonics are added one by one: enough for a mean


def draw(
    network: Network,
    before: Network,
    change: Improvement,
    asked: Mapping[str, Path],
    *,
    at: tuple[float, float] | None,
    dof: str | None,
    joint: FootJoint,
    labels: tuple[str, str],
) -> None:
    """Draw what was asked for by name: map, columns, traces, contributions, phases.

    A network that is itself what counts as before is drawn once.
    """
    alone = network.rule is before.rule and network.single_source is None
    after = None if alone else change.after
    point = change.before.worst if at is None else at
    if "map" in asked:
        draw_distortion(network, change.before, asked["map"], after=after, labels=labels)
    if "columns" in asked:
        draw_columns(network, change.before, asked["columns"], after=after, labels=labels)
    if "traces" in asked:
        both = {labels[1]: network} if alone else {labels[0]: before, labels[1]: network}
        if asked["traces"].suffix.lower() == ".csv":
            found = {label: Yardstick(each, [point], joint=joint).traces(0) for label, each in both.items()}
            save_traces(found, asked["traces"])
        else:
            draw_foot_traces(both, point, asked["traces"], joint=joint)
    if "contributions" in asked:
        points = change.after.points[np.isfinite(change.after.values)]
        growing = distortion_by_harmonics(network, points[:: max(1, len(points) // _SOME)], joint=joint)
        draw_contributions(network, point, growing, asked["contributions"], joint=joint)
    if "phases" in asked:
        _draw_phases(network, point, dof, asked["phases"])


def _draw_phases(network: Network, point: tuple[float, float], dof: str | None, path: Path) -> None:
    """The phase angles of the two nodes that count most at a point; of the left hip's last dof if none is named."""
    if len(network.nodes) < 2:
        raise MotionError("phase angles are compared between two nodes, and this network has one")
    assert network.layout is not None  # without one nothing could have been measured
    hip = find_roles(network.layout.skeleton)["left_hip"]
    name = network.layout.names[network.layout.columns(hip).stop - 1] if dof is None else dof
    place = network.place(point)
    first, second = place.nodes[np.argsort(-place.weights)[:2]].tolist()
    nodes = network.nodes[first], network.nodes[second]
    labels = nodes[0].name, nodes[1].name
    draw_phase_angles([node.spectrum for node in nodes[:2]], [name], path, labels=labels)
