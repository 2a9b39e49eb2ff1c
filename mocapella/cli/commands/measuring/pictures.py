"""The pictures of ``mocapella measure``: a new one is a function and an entry in ``PICTURES``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mocapella.blending.network import Network
from mocapella.cli.options.outputs import PICTURES as DRAWN
from mocapella.errors import MotionError
from mocapella.measure.distortion import Yardstick
from mocapella.measure.distortion_maps import DistortionMap
from mocapella.measure.measures import MeasuredNetwork
from mocapella.measure.traces import distortion_by_harmonics, save_traces
from mocapella.pictures.maps import draw_columns, draw_distortion
from mocapella.pictures.signals import draw_contributions, draw_foot_traces, draw_phase_angles
from mocapella.rig.roles import find_roles

_SOME = 400  # points at which harmonics are added one by one: enough for a mean


@dataclass(frozen=True)
class Shown:
    """A measured network, and what its pictures need besides."""

    measured: MeasuredNetwork
    labels: tuple[str, str]  # of the network to compare with, and of the network
    at: tuple[float, float] | None = None  # a blending point
    dof: str | None = None

    @property
    def network(self) -> Network:
        """The network that was measured."""
        return self.measured.network

    @property
    def point(self) -> tuple[float, float]:
        """The blending point of pictures that show one; where distortion before is largest, if none was given."""
        return self.measured.change.before.worst if self.at is None else self.at

    @property
    def alone(self) -> bool:
        """Whether the network is the one to compare with, and is drawn once."""
        return self.network.rule is self.measured.before.rule and self.network.single_source is None

    @property
    def after(self) -> DistortionMap | None:
        """The network's map, beside that of the network to compare with."""
        return None if self.alone else self.measured.change.after


def _map(shown: Shown, path: Path) -> None:
    draw_distortion(shown.network, shown.measured.change.before, path, after=shown.after, labels=shown.labels)


def _columns(shown: Shown, path: Path) -> None:
    draw_columns(shown.network, shown.measured.change.before, path, after=shown.after, labels=shown.labels)


def _traces(shown: Shown, path: Path) -> None:
    before, after = shown.labels
    networks = ({} if shown.alone else {before: shown.measured.before}) | {after: shown.network}
    point, joint = shown.point, shown.measured.joint
    if path.suffix.lower() == ".csv":
        save_traces(
            {label: Yardstick(network, [point], joint=joint).traces(0) for label, network in networks.items()}, path
        )
    else:
        draw_foot_traces(networks, point, path, joint=joint)


def _contributions(shown: Shown, path: Path) -> None:
    measured, joint = shown.measured.change.after, shown.measured.joint
    points = measured.points[np.isfinite(measured.values)]
    growing = distortion_by_harmonics(shown.network, points[:: max(1, len(points) // _SOME)], joint=joint)
    draw_contributions(shown.network, shown.point, growing, path, joint=joint)


def _phases(shown: Shown, path: Path) -> None:
    network, layout = shown.network, shown.network.layout
    if len(network.nodes) < 2:
        raise MotionError("phase angles are compared between two nodes, and this network has one")
    assert layout is not None  # without one nothing could have been measured
    dof = shown.dof or layout.names[layout.columns(find_roles(layout.skeleton)["left_hip"]).stop - 1]
    place = network.place(shown.point)
    nodes = [network.nodes[index] for index in place.nodes[np.argsort(-place.weights)[:2]].tolist()]
    draw_phase_angles([node.spectrum for node in nodes], [dof], path, labels=[node.name for node in nodes])


class _Picture(NamedTuple):
    """An option of ``mocapella measure`` that draws something."""

    about: str
    draw: Callable[[Shown, Path], None]
    metavar: str = "OUT.png"
    suffixes: tuple[str, ...] = DRAWN


PICTURES = {
    "map": _Picture("Draw the maps of distortion, before and after.", _map),
    "columns": _Picture("Draw the largest and mean distortion by column.", _columns),
    "traces": _Picture("Draw the foot traces at --at, or write them as .csv.", _traces, "OUT", (*DRAWN, ".csv")),
    "contributions": _Picture("Draw what each harmonic adds at --at.", _contributions),
    "phases": _Picture("Draw phase angles of the two nodes nearest to --at.", _phases),
}
