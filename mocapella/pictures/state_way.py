"""The way of a character through a hybrid network: from above, and what it did when."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from mocapella.analysis.root import headings
from mocapella.motion.clip import Clip
from mocapella.pictures import canvas
from mocapella.playback.transit import Entry

COLOURS = {"network": "#3c4454", "waiting": "#c79a2b", "change": "#2f7d4f"}
_DOTS = 0.25  # seconds between the dots on a way
_ARROW = 0.35  # metres: how long the arrows are that show where it faces


def draw_states(clip: Clip, states: Sequence[Entry], path: str | PathLike[str], *, title: str = "") -> None:
    """Draw the way of the root, coloured by what the player did: blending, waiting for a change, playing one.

    ``states`` is a player's log since the clip's first frame. Arrows show where the body faces, a dot every quarter of
    a second how fast it goes; below, the speed over time with the same colours and the names of blocks and arcs. z goes
    to the right of the paper, x up, so that a left turn goes up from a start to the right.
    """
    figure = canvas.figure(11.0, 5.4)
    above, below = figure.subplots(2, 1, height_ratios=(1.5, 1.0))
    root, rate = clip.root_positions, clip.frame_rate
    yaws = headings(clip)
    times = np.arange(clip.n_frames) / rate
    speeds = _smoothed(rate * np.linalg.norm(np.diff(root[:, ::2], axis=0), axis=1), round(0.25 * rate))
    low = -0.2 * float(speeds.max())
    every = max(1, round(_DOTS * rate))
    ends = [*(entry.time for entry in states[1:]), clip.n_frames / rate]
    for entry, end in zip(states, ends, strict=True):
        first, last = int(entry.time * rate), min(int(end * rate), clip.n_frames - 1)
        colour = COLOURS[entry.state]
        above.plot(root[first : last + 1, 2], root[first : last + 1, 0], color=colour, linewidth=2.2, zorder=3)
        dots = np.arange(-(-first // every) * every, last + 1, every)
        above.scatter(root[dots, 2], root[dots, 0], s=16, color=colour, zorder=4)
        above.quiver(
            root[dots, 2], root[dots, 0], _ARROW * np.cos(yaws[dots]), _ARROW * np.sin(yaws[dots]),
            color=colour, angles="xy", scale_units="xy", scale=1.0, width=0.0018, alpha=0.7, zorder=3,
        )  # fmt: skip
        below.plot(times[first : last + 1], speeds[first : last + 1], color=colour, linewidth=1.8)
        below.axvspan(times[first], times[last], color=colour, alpha=0.08, linewidth=0)
        word = entry.arc if entry.state == "change" else entry.block if entry.state == "network" else ""
        middle = (first + last) // 2
        raised = -26.0 if entry.state == "change" else 16.0  # who changes on the spot has no room for both
        _name(above, root[middle, 2], root[middle, 0], word, colour, raised)
        _name(below, times[middle], low, word, colour, 3.0)
    above.plot(root[0, 2], root[0, 0], marker="o", color=canvas.INK, markersize=7, zorder=5)
    for state, colour in COLOURS.items():
        above.plot([], [], color=colour, linewidth=2.2, label=state)
    above.legend(fontsize=7, frameon=False, loc="best")
    above.set_aspect("equal", adjustable="datalim")
    above.set_xlabel("z, metres", fontsize=8)
    above.set_ylabel("x, metres", fontsize=8)
    below.set_xlabel("seconds", fontsize=8)
    below.set_ylabel("speed, m/s", fontsize=8)
    below.set_ylim(bottom=low)
    for axes in (above, below):
        axes.grid(color="#eef0f4", zorder=0)
        axes.tick_params(labelsize=7)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.suptitle(title or clip.name, fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _name(axes: Any, x: float, y: float, word: str, colour: str, above: float) -> None:
    axes.annotate(
        word, (x, y), xytext=(0, above), textcoords="offset points", fontsize=8, ha="center", color=colour, zorder=6
    )


def _smoothed(values: Any, width: int) -> Any:
    """Without the sway of the steps; as long as the clip."""
    padded = np.pad(values, (width // 2 + 1, width - width // 2 - 1), mode="edge")
    return np.convolve(padded, np.full(width, 1.0 / width), mode="valid")[: len(values) + 1]
