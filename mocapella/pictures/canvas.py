"""Figures on paper: matplotlib without a screen, and a whole file or none."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mocapella.errors import MotionError
from mocapella.files.disk import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
