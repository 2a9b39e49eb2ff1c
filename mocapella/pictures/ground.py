"""The path of a character over the ground, seen from above: z to the right, x up, so that left turns go up."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.motion.clip import Clip
from mocapella.pictures import canvas
from mocapella.playback.modes import Entry

COLOURS = {"network": canvas.MIDDLE, "waiting": canvas.GOLD, "change": canvas.GREEN}

_INTERVAL = 0.25  # seconds between dots
_ARROW = 0.35  # metres: length of the arrows that show the heading


def draw_way(
    clip: Clip,
    path: str | PathLike[str],
    *,
    wanted: Float[np.ndarray, "points 2"] | None = None,
    speeds: Float[np.ndarray, " points"] | None = None,
    title: str = "",
) -> None:
    """Draw the path of the root, a dot every quarter of a second, over the path it was to follow.

    Parameters
    ----------
    clip
        The motion.
    path
        The picture to write.
    wanted
        Places (x, z) of the path to follow, metres.
    speeds
        Wanted speeds along it, m/s, as colours: red slow, blue fast.
    title
        Of the picture; the name of the clip if empty.
    """
    with canvas.page(path, 10.0, 6.5, title or clip.name) as figure:
        axes = figure.add_subplot()
        if wanted is not None:
            _draw_wanted(figure, axes, wanted, speeds)
        x, _, z = clip.root_positions.T
        axes.plot(z, x, color=canvas.INK, linewidth=0.9, label="root", zorder=3)
        every = max(1, round(_INTERVAL * clip.frame_rate))
        dots = {"s": 14, "color": "#f2c230", "edgecolors": canvas.INK, "linewidths": 0.4, "zorder": 4}
        axes.scatter(z[::every], x[::every], label=f"every {_INTERVAL:g} s", **dots)
        axes.plot(z[0], x[0], marker="o", color=canvas.INK, markersize=6, zorder=5)
        _finish(axes)


def draw_states(clip: Clip, states: Sequence[Entry], path: str | PathLike[str], *, title: str = "") -> None:
    """Draw the path of the root, coloured by the state of the player.

    States are blending in a network, waiting for a change, and playing one. Arrows show the heading, dots every quarter
    of a second the speed. Below, speed over time in the same colours with the names of blocks and arcs.

    Parameters
    ----------
    clip
        A recorded motion.
    states
        The player's log since the clip's first frame.
    path
        The picture to write.
    title
        Of the picture; the name of the clip if empty.
    """
    rate, yaws = clip.frame_rate, clip.headings
    x, _, z = clip.root_positions.T
    times = np.arange(clip.n_frames) / rate
    speeds = _smoothed(rate * np.hypot(np.diff(x), np.diff(z)), round(0.25 * rate))
    low = -0.2 * float(speeds.max())
    every = max(1, round(_INTERVAL * rate))
    ends = [*(entry.time for entry in states[1:]), clip.n_frames / rate]
    with canvas.page(path, 11.0, 5.4, title or clip.name) as figure:
        above, below = figure.subplots(2, 1, height_ratios=(1.5, 1.0))
        for entry, end in zip(states, ends, strict=True):
            first, last = int(entry.time * rate), min(int(end * rate), clip.n_frames - 1)
            frames, middle = slice(first, last + 1), (first + last) // 2
            dots = np.arange(-(-first // every) * every, last + 1, every)
            colour = COLOURS[entry.state]
            above.plot(z[frames], x[frames], color=colour, linewidth=2.2, zorder=3)
            above.scatter(z[dots], x[dots], s=16, color=colour, zorder=4)
            arrows = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "width": 0.0018, "alpha": 0.7, "zorder": 3}
            ahead, left = _ARROW * np.cos(yaws[dots]), _ARROW * np.sin(yaws[dots])
            above.quiver(z[dots], x[dots], ahead, left, color=colour, **arrows)
            below.plot(times[frames], speeds[frames], color=colour, linewidth=1.8)
            below.axvspan(times[first], times[last], color=colour, alpha=0.08, linewidth=0)
            word = entry.arc if entry.state == "change" else entry.block if entry.state == "network" else ""
            raised = -26 if entry.state == "change" else 16  # names of a change on the spot must not meet
            words = {"fontsize": 8, "color": colour, "zorder": 6, "bbox": None}
            canvas.label(above, word, (z[middle], x[middle]), (0, raised), **words)
            canvas.label(below, word, (times[middle], low), (0, 3), **words)
        above.plot(z[0], x[0], marker="o", color=canvas.INK, markersize=7, zorder=5)
        for state, colour in COLOURS.items():
            above.plot([], [], color=colour, linewidth=2.2, label=state)
        _finish(above)
        below.set(xlabel="seconds", ylabel="speed, m/s")
        below.set_ylim(bottom=low)


def _finish(axes: Any) -> None:
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel="z, metres", ylabel="x, metres")
    axes.legend(loc="best")


def _draw_wanted(
    figure: Any, axes: Any, wanted: Float[np.ndarray, "points 2"], speeds: Float[np.ndarray, " points"] | None
) -> None:
    from matplotlib.collections import LineCollection

    ends = list(np.stack([wanted[:-1, ::-1], wanted[1:, ::-1]], axis=1))
    if speeds is None:
        axes.add_collection(LineCollection(ends, colors=canvas.PALE, linewidths=7, alpha=0.6, label="path"))
        return
    lines = LineCollection(ends, cmap="RdYlBu", linewidths=7, capstyle="butt", label="path")
    lines.set_array(0.5 * (speeds[:-1] + speeds[1:]))
    axes.add_collection(lines)
    figure.colorbar(lines, ax=axes, shrink=0.6, label="wanted speed, m/s")


def _smoothed(values: Float[np.ndarray, " steps"], width: int) -> Float[np.ndarray, " frames"]:
    """The mean over ``width`` steps, without the sway of walking, for every frame."""
    padded = np.pad(values, (width // 2 + 1, width - width // 2 - 1), mode="edge")
    return np.convolve(padded, np.full(width, 1.0 / width), mode="valid")[: len(values) + 1]
