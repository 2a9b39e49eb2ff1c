"""The figure that a picture is drawn on: size, style, title, file, and what its axes measure."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mocapella.blending.places import Node
from mocapella.building.layout.placement import AXES
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.gait.root_motion import played_speed
from mocapella.motion.travel import STANDING
from mocapella.pictures import check_matplotlib
from mocapella.quoting import picture_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, PALE, GRID, GROUND = "#1d2433", "#9aa5b8", "#eef0f4", "#b9a58a"
LEFT, RIGHT, MIDDLE = "#1f77b4", "#d6483b", "#3c4454"  # sides of the body
GREEN, GOLD, FILL = "#2f7d4f", "#c79a2b", "#f1f4f9"
BOX_PAD = 0.6  # points of white round words
BOX = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": BOX_PAD}  # under words
_SUFFIXES = (".png", ".svg", ".pdf")
_DPI = 110  # dots per inch of pictures that are made of pixels

_STYLE: dict[Any, Any] = {
    "figure.titlesize": 10, "axes.titlesize": 8, "axes.titlecolor": INK, "axes.labelsize": 8,
    "axes.grid": True, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "grid.color": GRID,
    "xtick.labelsize": 7, "ytick.labelsize": 7, "legend.fontsize": 7, "legend.frameon": False, "lines.linewidth": 1.2,
}  # fmt: skip
_NEAR = 0.05  # of the spread of nodes: so near to its measured place a node may lie and still be placed by it


@contextmanager
def page(path: str | PathLike[str], width: float, height: float, title: str = "") -> Iterator[Any]:
    """A figure to draw on, in one style for all pictures; it is written when the block ends.

    Its suffix is one of ``_SUFFIXES``. Raises ``MotionError`` where matplotlib is not installed, or the suffix names no
    format of pictures.
    """
    _suffix(path)
    drawn = figure(width, height)
    from matplotlib import rc_context

    with rc_context(_STYLE):
        drawn.suptitle(title, color=INK, ha="left", x=0.01)
        yield drawn
        save_figure(drawn, path)


def figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches; ``MotionError`` where matplotlib is not installed."""
    check_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    empty = Figure(figsize=(width, height), facecolor="white", layout="constrained")
    FigureCanvasAgg(empty)
    setattr(empty, "_repr_png_", partial(_png, empty))  # noqa: B010 - notebooks show what has it, without pyplot as well
    return empty


def _png(drawn: Figure) -> bytes:
    with io.BytesIO() as file:
        drawn.savefig(file, format="png", dpi=_DPI)
        return file.getvalue()


_kept: ContextVar[list[Figure] | None] = ContextVar("kept", default=None)


@contextmanager
def kept() -> Iterator[list[Figure]]:
    """Figures that would be written within the block are kept in a list instead."""
    figures: list[Figure] = []
    token = _kept.set(figures)
    try:
        yield figures
    finally:
        _kept.reset(token)


def save_figure(drawn: Figure, path: str | PathLike[str], dpi: int = _DPI) -> None:
    """Write a figure in the format that its suffix names, or keep it where that was asked for."""
    suffix = _suffix(path)
    make_texts_plain(drawn)
    figures = _kept.get()
    if figures is not None:
        figures.append(drawn)
        return
    with replacing(path) as file:
        drawn.savefig(file, format=suffix[1:], dpi=dpi)


def make_texts_plain(drawn: Figure) -> None:
    """Draw names as they are: no formula between dollars, and nothing that SVG cannot hold."""
    from matplotlib.text import Text

    for text in drawn.findobj(Text):
        if text.get_text():  # ticks are empty as yet, and those of logarithmic axes are formulas of matplotlib
            text.set_parse_math(False)
            text.set_text(picture_text(text.get_text()))


def _suffix(path: str | PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise MotionError(f"cannot draw {Path(path).name}: expected a suffix of {', '.join(_SUFFIXES)}")
    return suffix


def label(axes: Any, text: str, at: Any, offset: tuple[float | int, float | int], **style: Any) -> None:
    """Write text beside a place, ``offset`` points from it, on a white ground."""
    given = {"fontsize": 6.5, "ha": "center", "color": INK, "zorder": 5, "bbox": BOX, **style}
    axes.annotate(text, at, xytext=offset, textcoords="offset points", **given)


class Titles(NamedTuple):
    """Titles of the axes in a picture of a network, empty where places are not measured."""

    x: str = ""
    y: str = ""
    turned: bool = False  # x is a turn, and is drawn with left turns on the left

    def write(self, axes: Any) -> None:
        """Put the titles beside the axes, and turn them round where x is a turn."""
        axes.set(xlabel=self.x, ylabel=self.y)
        if self.turned:
            axes.invert_xaxis()


def axis_titles(nodes: Iterable[Node]) -> Titles:
    """The titles of x and y, where all nodes lie at their measured values."""
    placed = list(nodes)
    points = np.array([node.at for node in placed])
    near = _NEAR * np.ptp(points, axis=0) + 1e-6
    played = np.array([played_speed(node.spectrum) for node in placed])
    as_played = np.abs(points[:, 1] - played).max()  # y is a speed in all axes but those that tell of ways
    outwards = played / np.maximum([node.spectrum.speed for node in placed], STANDING)
    titles: dict[int, tuple[str, bool]] = {}
    for axes in AXES.values():
        places = np.array([axes.measure(node.spectrum) for node in placed])
        if axes.ways:  # as far out as they are played
            off = np.minimum(np.abs(points - places), np.abs(points - outwards[:, None] * places)).max(axis=0)
        else:
            off = np.abs(points - places).max(axis=0)
            off[1] = min(off[1], as_played)
        for i in np.flatnonzero(off <= near).tolist():
            titles.setdefault(i, (axes.titles[i], axes.middle is not None))
    x, turned = titles.get(0, ("", False))
    return Titles(x, titles.get(1, ("", False))[0], turned)
