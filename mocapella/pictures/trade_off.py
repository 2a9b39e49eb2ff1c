"""Candidates in one plane: how much they distort, and how lively they are."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from mocapella.pictures import canvas


def draw_trade_off(
    found: Mapping[str, tuple[float, float]], path: str | PathLike[str], *, chosen: str = "", title: str = ""
) -> None:
    """Draw every candidate at its mean distortion (rad, across) and liveliness (up); the best are at the upper left."""
    figure = canvas.figure(9.0, 6.0)
    axes = figure.add_subplot()
    places: list[tuple[float, float]] = []
    most = max(distortion for distortion, _ in found.values())
    for name, (distortion, liveliness) in found.items():
        colour = canvas.LEFT if name == chosen else canvas.INK
        axes.plot(distortion, liveliness, "o", color=colour, markersize=8 if name == chosen else 4)
        near = sum(abs(distortion - x) < 0.1 * most and abs(liveliness - y) < 0.02 for x, y in places)
        places.append((distortion, liveliness))
        axes.annotate(name, (distortion, liveliness), (7, -3 - 9 * near), textcoords="offset points", fontsize=7,
                      color=colour)  # fmt: skip
    axes.axhline(1.0, color=canvas.PALE, linewidth=0.8)
    axes.set_xlim(0.0, 1.25 * most)
    axes.set_xlabel("mean distortion, rad", fontsize=8)
    axes.set_ylabel("liveliness: energy of harmonics 6 to 10 over the nodes' own", fontsize=8)
    axes.grid(color="#eef0f4")
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=7)
    figure.suptitle(title or "what upper harmonics cost and give", fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)
