"""Measures drawn: distortion over a network, sweeps, trade-offs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.interpolants import natural_neighbours
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.measure.maps import HOTSPOT, DistortionMap
from mocapella.measure.network import Sweep, sweep
from mocapella.pictures import canvas
from mocapella.pictures.canvas import Titles, axis_titles

# Maps of distortion over a network: white is none, black the most there was before (thesis, figures 7.19 to 7.23).

LEAST, MOST = 0.01, 0.99  # of the scale: below it is blue, from there on red
BLUE, RED = (0.16, 0.35, 0.86, 1.0), (0.86, 0.12, 0.12, 1.0)
_OUTSIDE = (0.96, 0.92, 0.83, 1.0)
_MESH = "#3f8f6b"


def shades(
    values: Float[np.ndarray, "rows columns"], scale: float, *, clamp: bool = False
) -> Float[np.ndarray, "rows columns 4"]:
    """Colours of a map: white at 0 to black at ``scale``, its lowest hundredth blue, its highest red.

    With ``clamp`` all from 67 % of the scale on is pure black, and nothing is blue or red. Beyond the scale is red, or
    black where clamped; outside of the network is sand.
    """
    known = np.isfinite(values)
    shares = np.where(known, values, 0.0) / (scale if scale > 0.0 else 1.0)
    grey = 1.0 - np.clip(shares / (HOTSPOT if clamp else 1.0), 0.0, 1.0)
    out = np.stack([grey, grey, grey, np.ones_like(grey)], axis=-1)
    if not clamp:
        out[shares < LEAST] = BLUE
        out[shares >= MOST] = RED
    out[~known] = _OUTSIDE
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
    """Draw one map, or two side by side on the scale of the first: plain, with the triangles, and hotspots only."""
    maps = [before] if after is None else [before, after]
    figure = canvas.figure(7.5 * len(maps), 10.0)
    grid = figure.subplots(3, len(maps), squeeze=False)
    for column, (found, label) in enumerate(zip(maps, labels, strict=False)):
        hot = found.hotspots(before.max)
        told = f"{label}: mean {found.mean:.4f}, max {found.max:.4f} rad, {hot} hotspots of {found.samples}"
        for axes, kind in zip(grid[:, column], ("plain", "mesh", "hotspots"), strict=True):
            _draw_map(axes, network, found, before.max, kind)
            axes.set_title(told if kind == "plain" else "", fontsize=8, color=canvas.INK, loc="left")
    grid[2, 0].set_title(f"pure black: at least 67 % of {before.max:.4f} rad", fontsize=8, color=canvas.INK, loc="left")
    legend = "white 0 … black largest before; blue: lowest 1 % of the scale, red: top 1 %; sand: outside"
    figure.suptitle(f"{title or repr(network)}\n{legend}", fontsize=9, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def draw_columns(
    network: Network,
    before: DistortionMap,
    path: str | PathLike[str],
    *,
    after: DistortionMap | None = None,
    labels: tuple[str, str] = ("before", "after"),
    title: str = "",
) -> None:
    """Draw the largest and the mean distortion of every column of a map, or of two (figure 7.23)."""
    figure = canvas.figure(9.0, 6.0)
    upper, lower = figure.subplots(2, 1, sharex=True)
    maps = [before] if after is None else [before, after]
    along = before.points[0, :, 0]
    at = along if np.ptp(along) > 0.0 else np.arange(len(along))
    for found, label, colour in zip(maps, labels, (canvas.RIGHT, canvas.LEFT), strict=False):
        for axes, values, name in ((upper, found.column_max, "largest"), (lower, found.column_mean, "mean")):
            axes.plot(at, values, color=colour, linewidth=1.2, label=label)
            axes.set_ylabel(f"{name} of a column, rad", fontsize=8)
            axes.set_ylim(bottom=0.0)
            axes.grid(color="#eef0f4")
            axes.tick_params(labelsize=7)
    upper.legend(fontsize=8, frameon=False)
    titles = Titles() if network.layout is None else axis_titles(network.nodes)
    lower.set_xlabel((titles.x or "x of the column") if at is along else "column", fontsize=8)
    if titles.turned and at is along:
        upper.invert_xaxis()
    figure.suptitle(title or "distortion by column", fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _draw_map(axes: Any, network: Network, found: DistortionMap, scale: float, kind: str) -> None:
    colours = shades(found.values, scale, clamp=kind == "hotspots")
    axes.tick_params(labelsize=7)
    if len(found.values) == 1:
        _draw_chain(axes, network, found, colours, kind)
        return
    low, high = found.points[0, 0], found.points[-1, -1]
    margin = 0.5 * (high - low) / np.maximum([found.values.shape[1] - 1, found.values.shape[0] - 1], 1)
    extent = (low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1])
    axes.imshow(colours, origin="lower", extent=extent, aspect="auto", interpolation="nearest")
    if kind == "mesh":
        for row in network.corners:
            corners = network.points[[*row, row[0]]]
            axes.plot(corners[:, 0], corners[:, 1], color=_MESH, linewidth=0.6, alpha=0.8)
        axes.plot(network.points[:, 0], network.points[:, 1], "o", color=_MESH, markersize=3)
    if network.layout is not None:
        axis_titles(network.nodes).write(axes, size=7.0)


def _draw_chain(
    axes: Any, network: Network, found: DistortionMap, colours: Float[np.ndarray, "1 columns 4"], kind: str
) -> None:
    """A network on one line as a band from one end to the other, its nodes as strokes."""
    axes.imshow(colours, extent=(0.0, 1.0, 0.0, 1.0), aspect="auto", interpolation="nearest")
    axes.set_yticks([])
    axes.set_xlabel("from one end of the network, 0, to the other, 1", fontsize=7)
    first, last = found.points[0, 0], found.points[0, -1]
    along = last - first
    if kind == "mesh" and along @ along > 0.0:
        for node in network.nodes:
            share = float((np.array(node.at) - first) @ along / (along @ along))
            axes.axvline(share, color=_MESH, linewidth=1.2)
            axes.text(share, 0.5, f" {node.name} ", fontsize=6, color=_MESH, rotation=90, ha="center", va="center",
                      bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.4})  # fmt: skip


# How evenly a network answers: pose speed, turn and speed drawn over the way of a blending point.

_SMOOTH = "#2f7d4f"


def draw_sweep(network: Network, path: str | PathLike[str], stops: Sequence[Point]) -> None:
    """Draw what changes as the blending point goes from stop to stop, a line where it comes into another triangle.

    Where the network has triangles, and mixes by them, the same way with natural neighbours' weights is drawn with it:
    those have no edges to cross.
    """
    sweeps = {"triangles" if network.interpolant is None else "as stored": sweep(network, stops)}
    if network.interpolant is None and network.corners.shape[1] == 3:
        smooth = Network(network.nodes, network.triangles, rule=network.rule, interpolant=natural_neighbours)
        sweeps["natural neighbours"] = sweep(smooth, stops)
    first = next(iter(sweeps.values()))
    figure = canvas.figure(9.0, 7.0)
    rows = figure.subplots(3, 1, sharex=True)
    for axes, label in zip(rows, ("joints move, cm per unit", "turn, °/s", "speed, m/s"), strict=True):
        for crossing in first.crossings:
            axes.axvline(first.travelled[crossing], color="#dfe3ea", linewidth=0.9, zorder=0)
        axes.set_ylabel(label, fontsize=8)
        axes.tick_params(labelsize=7)
    for (name, found), colour in zip(sweeps.items(), (canvas.INK, _SMOOTH), strict=False):
        _draw(rows, found, f"{name}: changes by {100 * found.roughness:.0f} % at once", colour)
    rows[0].set_ylim(bottom=0.0)
    rows[0].legend(fontsize=7, frameon=False)
    start, end = (tuple(round(float(x), 2) for x in stop) for stop in (stops[0], stops[-1]))
    rows[-1].set_xlabel(f"way of the blending point from {start} to {end}, in units of the network", fontsize=8)
    figure.suptitle(
        f"{network!r}: what a blending point changes on its way", fontsize=10, color=canvas.INK, ha="left", x=0.01
    )
    canvas.save_figure(figure, path)


def _draw(rows: Any, found: Sweep, label: str, colour: str) -> None:
    pose, turn, speed = rows
    middles = 0.5 * (found.travelled[1:] + found.travelled[:-1])
    pose.plot(middles, 100.0 * found.pose_speeds, color=colour, linewidth=1.2, label=label)
    turn.plot(found.travelled, found.turn_rates, color=colour, linewidth=1.2)
    speed.plot(found.travelled, found.speeds, color=colour, linewidth=1.2)


# Candidates in one plane: how much they distort, and how lively they are.

_HIGH, _WIDE = 11.0, 130.0  # how much paper a name takes, dots
_ROWS = [sign * _HIGH * step for step in range(40) for sign in (1.0, -1.0)]  # where names go that would cover another


def draw_trade_off(
    found: Mapping[str, tuple[float, float]], path: str | PathLike[str], *, chosen: str = "", title: str = ""
) -> None:
    """Draw every candidate at its mean distortion (rad, across) and liveliness (up); the best are at the upper left."""
    figure = canvas.figure(9.0, 6.0)
    axes = figure.add_subplot()
    most = max(distortion for distortion, _ in found.values())
    for name, (distortion, liveliness) in found.items():
        colour = canvas.LEFT if name == chosen else canvas.INK
        axes.plot(distortion, liveliness, "o", color=colour, markersize=8 if name == chosen else 4)
    axes.axhline(1.0, color=canvas.PALE, linewidth=0.8)
    axes.set_xlim(0.0, 1.25 * most)
    axes.set_xlabel("mean distortion, rad", fontsize=8)
    axes.set_ylabel("liveliness: energy of harmonics 6 to 10 over the nodes' own", fontsize=8)
    axes.grid(color="#eef0f4")
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=7)
    figure.suptitle(title or "what upper harmonics cost and give", fontsize=10, color=canvas.INK, ha="left", x=0.01)
    figure.canvas.draw()  # so that places on the paper are known
    taken: list[tuple[float, float]] = []
    for name, place in found.items():
        x, y = axes.transData.transform(place)
        row = next(row for row in _ROWS if all(abs(x - a) > _WIDE or abs(y + row - b) > _HIGH for a, b in taken))
        taken.append((x, y + row))
        colour = canvas.LEFT if name == chosen else canvas.INK
        axes.annotate(name, place, (9, 0.7 * row - 3), textcoords="offset points", fontsize=7, color=colour)
    canvas.save_figure(figure, path)
