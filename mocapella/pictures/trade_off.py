"""Candidates in one plane: how much they distort, and how lively they are."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from mocapella.pictures import canvas

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
