"""Measures of a network drawn: maps of distortion, and sweeps across it."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.interpolants import natural_neighbours
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.measure.coherence import sweep
from mocapella.measure.distortion_maps import HOTSPOT, DistortionMap
from mocapella.pictures import canvas
from mocapella.pictures.canvas import Titles, axis_titles

BLUE, RED = (0.16, 0.35, 0.86, 1.0), (0.86, 0.12, 0.12, 1.0)  # red, green, blue and opacity
_LEAST, _MOST = 0.01, 0.99  # of the scale of a map: smaller values are blue, larger ones red
_OUTSIDE = (0.96, 0.92, 0.83, 1.0)  # sand, likewise
_MESH = "#3f8f6b"


def shades(
    values: Float[np.ndarray, "rows columns"], scale: float, *, clamp: bool = False
) -> Float[np.ndarray, "rows columns 4"]:
    """Colours of a map: white at 0 to black at ``scale``.

    The lowest hundredth of the scale is blue, the highest and beyond red. With ``clamp`` values from 67 % of the scale
    on are black, and nothing is blue or red. NaN is sand.
    """
    finite = np.isfinite(values)
    shares = np.where(finite, values, 0.0) / (scale if scale > 0.0 else 1.0)
    grey = 1.0 - np.clip(shares / (HOTSPOT if clamp else 1.0), 0.0, 1.0)
    out = np.stack([grey, grey, grey, np.ones_like(grey)], axis=-1)
    if not clamp:
        out[shares < _LEAST] = BLUE
        out[shares >= _MOST] = RED
    out[~finite] = _OUTSIDE
    return out


def draw_distortion(
    network: Network,
    before: DistortionMap,
    path: str | PathLike[str],
    *,
    after: DistortionMap | None = None,
    labels: tuple[str, str] = ("before", "after"),
    title: str = "",
) -> None:
    """Draw one map or two: plain, with triangles, and hotspots only (thesis, figures 7.19 to 7.23).

    Both are on the scale of the first. The title is a description of the network if empty.
    """
    maps = [before] if after is None else [before, after]
    legend = "white 0 … black largest before; blue: lowest 1 % of the scale, red: top 1 %; sand: outside"
    with canvas.page(path, 7.5 * len(maps), 10.0, f"{title or repr(network)}\n{legend}") as figure:
        grid = figure.subplots(3, len(maps), squeeze=False)
        for column, (measured, label) in enumerate(zip(maps, labels, strict=False)):
            hot = measured.hotspots(before.max)
            told = (
                f"{label}: mean {measured.mean:.4f}, max {measured.max:.4f} rad, {hot} hotspots of {measured.samples}"
            )
            for axes, kind in zip(grid[:, column], ("plain", "mesh", "hotspots"), strict=True):
                _draw_map(axes, network, measured, before.max, kind)
            grid[0, column].set_title(told, loc="left")
        grid[2, 0].set_title(f"pure black: at least 67 % of {before.max:.4f} rad", loc="left")


def draw_columns(
    network: Network,
    before: DistortionMap,
    path: str | PathLike[str],
    *,
    after: DistortionMap | None = None,
    labels: tuple[str, str] = ("before", "after"),
    title: str = "",
) -> None:
    """Draw the largest and the mean distortion of every column of a map, or of two (thesis, figure 7.23)."""
    maps = [before] if after is None else [before, after]
    along = before.points[0, :, 0]
    at = along if np.ptp(along) > 0.0 else np.arange(len(along))
    titles = Titles() if network.layout is None else axis_titles(network.nodes)
    with canvas.page(path, 9.0, 6.0, title or "distortion by column") as figure:
        upper, lower = figure.subplots(2, 1, sharex=True)
        for measured, label, colour in zip(maps, labels, (canvas.RIGHT, canvas.LEFT), strict=False):
            upper.plot(at, measured.column_max, color=colour, label=label)
            lower.plot(at, measured.column_mean, color=colour)
        for axes, name in ((upper, "largest"), (lower, "mean")):
            axes.set_ylabel(f"{name} of a column, rad")
            axes.set_ylim(bottom=0.0)
        upper.legend()
        lower.set_xlabel((titles.x or "x of the column") if at is along else "column")
        if titles.turned and at is along:
            upper.invert_xaxis()


def _draw_map(axes: Any, network: Network, measured: DistortionMap, scale: float, kind: str) -> None:
    colours = shades(measured.values, scale, clamp=kind == "hotspots")
    axes.grid(False)
    if len(measured.values) == 1:
        _draw_chain(axes, network, measured, colours, kind)
        return
    low, high = measured.points[0, 0], measured.points[-1, -1]
    margin = 0.5 * (high - low) / np.maximum([measured.values.shape[1] - 1, measured.values.shape[0] - 1], 1)
    extent = (low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1])
    axes.imshow(colours, origin="lower", extent=extent, aspect="auto", interpolation="nearest")
    if kind == "mesh":
        for row in network.corners:
            axes.plot(*network.points[[*row, row[0]]].T, color=_MESH, linewidth=0.6, alpha=0.8)
        axes.plot(*network.points.T, "o", color=_MESH, markersize=3)
    if network.layout is not None:
        axis_titles(network.nodes).write(axes)


def _draw_chain(
    axes: Any, network: Network, measured: DistortionMap, colours: Float[np.ndarray, "1 columns 4"], kind: str
) -> None:
    """A network on one line as a band from one end to the other, its nodes as strokes."""
    axes.imshow(colours, extent=(0.0, 1.0, 0.0, 1.0), aspect="auto", interpolation="nearest")
    axes.set_yticks([])
    axes.set_xlabel("from one end of the network, 0, to the other, 1")
    first, last = measured.points[0, 0], measured.points[0, -1]
    along = last - first
    if kind == "mesh" and along @ along > 0.0:
        for node in network.nodes:
            share = float((np.array(node.at) - first) @ along / (along @ along))
            axes.axvline(share, color=_MESH)
            canvas.label(axes, f" {node.name} ", (share, 0.5), (0, 0), color=_MESH, rotation=90, va="center")


def draw_sweep(network: Network, path: str | PathLike[str], stops: Sequence[Point]) -> None:
    """Draw how pose, turn and speed change as the blending point goes from stop to stop.

    Vertical lines show where the point enters another triangle. Where the network blends by triangles, the same sweep
    with natural neighbours' weights, which have no edges to cross, is drawn beside it. There are two stops or more.
    """
    sweeps = {"triangles" if network.interpolant is None else "as stored": sweep(network, stops)}
    if network.interpolant is None and network.corners.shape[1] == 3:
        smooth = Network(network.nodes, network.triangles, rule=network.rule, interpolant=natural_neighbours)
        sweeps["natural neighbours"] = sweep(smooth, stops)
    first = next(iter(sweeps.values()))
    start, end = (tuple(round(float(x), 2) for x in stop) for stop in (stops[0], stops[-1]))
    with canvas.page(path, 9.0, 7.0, f"{network!r}: what a blending point changes on its way") as figure:
        rows = figure.subplots(3, 1, sharex=True)
        for axes, label in zip(rows, ("joints move, cm per unit", "turn, °/s", "speed, m/s"), strict=True):
            axes.grid(axis="x", visible=False)
            axes.set_ylabel(label)
            for crossing in first.crossings:
                axes.axvline(first.travelled[crossing], color="#dfe3ea", linewidth=0.9, zorder=0)
        for (name, course), colour in zip(sweeps.items(), (canvas.INK, canvas.GREEN), strict=False):
            middles = 0.5 * (course.travelled[1:] + course.travelled[:-1])
            told = f"{name}: changes by {100 * course.roughness:.0f} % at once"
            rows[0].plot(middles, 100.0 * course.pose_speeds, color=colour, label=told)
            rows[1].plot(course.travelled, course.turn_rates, color=colour)
            rows[2].plot(course.travelled, course.speeds, color=colour)
        rows[0].set_ylim(bottom=0.0)
        rows[0].legend()
        rows[-1].set_xlabel(f"way of the blending point from {start} to {end}, in units of the network")
