"""The pictures that ``mocapella measure`` draws."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.measure.distortion import Yardstick
from mocapella.measure.registry import MeasuredNetwork
from mocapella.measure.traces import distortion_by_harmonics, save_traces
from mocapella.pictures.maps import draw_columns, draw_distortion
from mocapella.pictures.signals import draw_contributions, draw_foot_traces, draw_phase_angles
from mocapella.rig.roles import find_roles

_SOME = 400  # points at which harmonics are added one by one: enough for a mean


def draw(
    subject: MeasuredNetwork,
    asked: Mapping[str, Path],
    *,
    at: tuple[float, float] | None,
    dof: str | None,
    labels: tuple[str, str],
) -> None:
    """Draw the pictures asked for by name; a network that is the one to compare with is drawn once.

    Parameters
    ----------
    subject
        The network, with its maps.
    asked
        Name (``map``, ``columns``, ``traces``, ``contributions``, ``phases``) → file to write.
    at
        The blending point of the last three; where distortion before is largest, if None.
    dof
        The dof of ``phases``; the left hip's last one if None.
    labels
        Of the network to compare with, and of the network.
    """
    network, before, change, joint = subject.network, subject.before, subject.change, subject.joint
    alone = network.rule is before.rule and network.single_source is None
    point = change.before.worst if at is None else at
    for name, path in asked.items():
        if name in ("map", "columns"):
            draw_maps = draw_distortion if name == "map" else draw_columns
            draw_maps(network, change.before, path, after=None if alone else change.after, labels=labels)
        elif name == "traces":
            both = {labels[1]: network} if alone else {labels[0]: before, labels[1]: network}
            if path.suffix.lower() == ".csv":
                save_traces(
                    {label: Yardstick(one, [point], joint=joint).traces(0) for label, one in both.items()}, path
                )
            else:
                draw_foot_traces(both, point, path, joint=joint)
        elif name == "contributions":
            points = change.after.points[np.isfinite(change.after.values)]
            growing = distortion_by_harmonics(network, points[:: max(1, len(points) // _SOME)], joint=joint)
            draw_contributions(network, point, growing, path, joint=joint)
        else:
            _draw_phases(network, point, dof, path)


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
