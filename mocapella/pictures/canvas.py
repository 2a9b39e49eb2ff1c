"""What pictures are drawn on, and the titles of their axes."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mocapella.blending.places import Node
from mocapella.building.placement import AXES
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.playback.gaits import played_speed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Figures on paper: matplotlib without a screen, and a whole file or none.

INK, PALE, GROUND = "#1d2433", "#9aa5b8", "#b9a58a"
LEFT, RIGHT, MIDDLE = "#1f77b4", "#d6483b", "#3c4454"
SUFFIXES = (".png", ".svg", ".pdf")


def figure(width: float, height: float) -> Figure:
    """An empty figure, inches; ``MotionError`` where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MotionError("pictures need an extra package: pip install 'mocapella[plots]'") from None
    made = Figure(figsize=(width, height), facecolor="white", layout="constrained")
    FigureCanvasAgg(made)
    return made


def plain(axes: Any) -> None:
    """No frame and no ticks."""
    axes.set_axis_off()


def save_figure(made: Figure, path: str | PathLike[str], dpi: int = 110) -> None:
    """Write a figure in the format its suffix names."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise MotionError(f"cannot draw {Path(path).name}: expected a suffix of {', '.join(SUFFIXES)}")
    with replacing(path) as file:
        made.savefig(file, format=suffix[1:], dpi=dpi)


# What stands beside the axes of a picture of a network: what its places tell of motions, if they do.

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
