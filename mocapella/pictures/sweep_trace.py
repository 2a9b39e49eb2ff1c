"""How evenly a network answers: pose speed, turn and speed drawn over the way of a blending point."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from mocapella.blending.interpolants import natural_neighbours
from mocapella.blending.network import Network, Point
from mocapella.measure.sweep import Sweep, sweep
from mocapella.pictures import canvas

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
