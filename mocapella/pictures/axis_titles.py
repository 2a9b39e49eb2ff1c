"""What stands beside the axes of a picture of a network: what its places tell of motions, if they do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mocapella.blending.axes import AXES
from mocapella.blending.network import Node
from mocapella.playback.played import played_speed

_NEAR = 0.05  # of the spread: a motion evened out, or made of others, need not lie exactly where it is


class Titles(NamedTuple):
    """Words for both axes, empty where places are no measure, and whether x is to be drawn with left turns left."""

    x: str = ""
    y: str = ""
    turned: bool = False

    def write(self, axes: Any, *, size: float) -> None:
        """Put them beside the axes of a picture."""
        axes.set_xlabel(self.x, fontsize=size)
        axes.set_ylabel(self.y, fontsize=size)
        if self.turned:
            axes.invert_xaxis()


def axis_titles(nodes: Iterable[Node]) -> Titles:
    """What x and y measure, where all nodes lie at what was measured of them."""
    own = list(nodes)
    points = np.array([node.at for node in own])
    near = _NEAR * np.ptp(points, axis=0) + 1e-6
    as_played = np.abs(points[:, 1] - [played_speed(node.spectrum) for node in own]).max()  # y is a speed in all axes
    found: dict[int, tuple[str, bool]] = {}
    for axes in AXES.values():
        off = np.abs(points - [axes.measure(node.spectrum) for node in own]).max(axis=0)
        off[1] = min(off[1], as_played)
        for i in np.flatnonzero(off <= near).tolist():
            found.setdefault(i, (axes.titles[i], axes.turns))
    x, turned = found.get(0, ("", False))
    return Titles(x, found.get(1, ("", False))[0], turned)
