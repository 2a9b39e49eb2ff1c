"""The path of a character over the ground, seen from above: z to the right, x up, so that left turns go up."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float, Float32

from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.pictures import canvas
from mocapella.pictures.canvas import GRID, INK, PALE, page
from mocapella.playback.modes import Entry

COLOURS = {"network": canvas.MIDDLE, "waiting": canvas.GOLD, "change": canvas.GREEN}

_INTERVAL = 0.25  # seconds between dots
_ARROW = 0.35  # metres: length of the arrows that show the heading
_LENS = 1.4  # of half a picture's width: how long the lens is
_HUES = ("#1f77b4", "#d6483b", "#2f7d4f", "#c79a2b", "#7a5195", "#3c8d93")


def draw_way(
    clip: Clip,
    path: str | PathLike[str],
    *,
    wanted: Float[np.ndarray, "points 2"] | None = None,
    speeds: Float[np.ndarray, " points"] | None = None,
    title: str = "",
) -> None:
    """Draw the path of the root, a dot every quarter of a second, over the path it was to follow.

    The picture of ``clip`` is written to ``path``. ``wanted`` are places (x, z) of the path to follow, metres;
    ``speeds`` wanted along it, m/s, are colours: red slow, blue fast. The ``title`` is the name of the clip if empty.
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
    of a second the speed. Below, speed over time in the same colours with the names of blocks and arcs. ``states`` are
    the player's log since the first frame of ``clip``, a recording; the picture is written to ``path``. The ``title``
    is the name of the clip if empty.
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


def draw_crowd(
    skeleton: Skeleton,
    poses: Float32[np.ndarray, "characters joints 3 4"],
    ways: Float[np.ndarray, "frames characters 2"],
    path: str | PathLike[str],
    *,
    title: str = "",
) -> None:
    """Draw a crowd twice: from above, with the ways it went, and in perspective.

    ``poses`` of the ``skeleton`` are world rotations and positions (last column, metres) of all joints at one moment,
    ``ways`` where roots went on the ground (x, z), metres, up to that moment. The picture is written to ``path``,
    ``title`` above it.
    """
    with page(path, 12.0, 6.2, title) as figure:
        above, seen = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
        _draw_above(above, poses, ways)
        draw_perspective(seen, skeleton, poses)


def _draw_above(
    axes: Any, poses: Float32[np.ndarray, "characters joints 3 4"], ways: Float[np.ndarray, "frames characters 2"]
) -> None:
    from matplotlib.collections import LineCollection

    lines = np.swapaxes(ways, 0, 1)
    colours = [_HUES[i % len(_HUES)] for i in range(len(lines))]
    axes.add_collection(LineCollection(list(lines), colors=colours, linewidths=0.5, alpha=0.45))
    size = max(1.0, 110.0 / np.sqrt(len(poses)))
    axes.scatter(poses[:, 0, 0, 3], poses[:, 0, 2, 3], s=0.6 * size, c=colours, linewidths=0, zorder=3)
    facing = poses[:, 0, :, 2]
    arrows = 0.9 * min(1.0, 300.0 / len(poses))
    axes.quiver(
        poses[:, 0, 0, 3], poses[:, 0, 2, 3], facing[:, 0], facing[:, 2], color=INK, alpha=arrows, angles="xy",
        width=0.0015, scale=45.0, zorder=4,
    )  # fmt: skip
    axes.set(xlabel="x, m", ylabel="z, m", title="from above: ways, places and headings")
    axes.set_aspect("equal")
    axes.invert_xaxis()  # +x is to the left when facing +z
    axes.autoscale_view()


def draw_perspective(
    axes: Any,
    skeleton: Skeleton,
    poses: Float32[np.ndarray, "characters joints 3 4"],
    *,
    seen: Float32[np.ndarray, "characters joints 3 4"] | None = None,
) -> None:
    """Stick figures as a camera sees them, far ones paler and first.

    ``poses`` are the world rotations and positions (last column, metres) of all joints. ``seen`` consists of poses that
    the camera is put before; the same if None.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb

    ground = (poses if seen is None else seen)[:, 0, ::2, 3].astype(np.float64)
    centre = np.median(ground, axis=0)
    radius = float(np.quantile(np.linalg.norm(ground - centre, axis=1), 0.95)) + 2.0
    eye = np.array([centre[0] - 0.35 * radius, 2.2 + 0.16 * radius, centre[1] - 0.95 * radius - 2.0])
    aim = np.array([centre[0], 0.6, centre[1]])
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(right, ahead), ahead])
    _draw_floor(axes, eye, frame, centre, radius)
    ends = np.array([(int(parent), joint) for joint, parent in enumerate(skeleton.parents.tolist()) if parent >= 0])
    tips = poses[:, skeleton.end_joints]
    tips = np.einsum("njab,jb->nja", tips[..., :3], skeleton.end_offsets) + tips[..., 3]
    numbers = skeleton.n_joints + np.arange(len(skeleton.end_joints))
    ends = np.concatenate([ends, np.stack([skeleton.end_joints, numbers], axis=-1)])
    places = (np.concatenate([poses[..., 3], tips], axis=1).astype(np.float64) - eye) @ frame.T
    order = np.argsort(-places[:, 0, 2])
    order = order[places[order, :, 2].min(axis=1) > 0.5]
    flat = _LENS * places[order, :, :2] / places[order, :, 2:]
    depth = places[order, 0, 2]
    segments = flat[:, ends].reshape(-1, 2, 2)
    near = np.clip(np.quantile(depth, 0.05) / depth, 0.12, 1.0) if len(depth) else depth
    hues = np.array([to_rgb(_HUES[int(i) % len(_HUES)]) for i in order]).reshape(-1, 3)
    colours = 1.0 - (0.35 + 0.65 * near)[:, None] * (1.0 - hues)
    widths = np.repeat(np.clip(26.0 / np.maximum(depth, 1.0), 0.35, 3.0), len(ends))
    axes.add_collection(LineCollection(segments, colors=np.repeat(colours, len(ends), axis=0), linewidths=widths))
    axes.set(xlim=(-1.0, 1.0), ylim=(-0.72, 0.42), xticks=[], yticks=[], title="in perspective")
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _draw_floor(axes: Any, eye: np.ndarray, frame: np.ndarray, centre: np.ndarray, radius: float) -> None:
    """A grid on the ground, two metres apart."""
    from matplotlib.collections import LineCollection

    step = 2.0 if radius < 40.0 else 10.0
    count = int(1.6 * radius / step)
    lines = []
    for k in range(-count, count + 1):
        for axis in (0, 1):
            along = np.linspace(-count * step, count * step, 120)
            ends = np.zeros((len(along), 3))
            ends[:, 2 * axis] = np.round(centre[axis] / step) * step + k * step
            ends[:, 2 - 2 * axis] = centre[1 - axis] + along
            seen = (ends - eye) @ frame.T
            seen = seen[seen[:, 2] > 1.0]
            if len(seen) > 1:
                lines.append(_LENS * seen[:, :2] / seen[:, 2:])
    axes.add_collection(LineCollection(lines, colors=GRID if step < 5.0 else PALE, linewidths=0.5))
