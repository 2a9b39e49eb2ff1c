"""Maps: a network's nodes and triangles in its plane, and the way of a character over the ground."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.axes import turn_and_speed
from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.pictures import canvas
from mocapella.pictures.axis_titles import axis_titles
from mocapella.pictures.stick_figure import draw_figure, links
from mocapella.playback.played import played_speed

_DOTS = 0.25  # seconds between the dots on a way
_TRACK = "#2f7d4f"
_MOST_FIGURES = 60  # more would be a crowd
_PHASES = 24  # of the cycle, one of which is drawn


def draw_network(
    network: Network,
    path: str | PathLike[str],
    *,
    track: Sequence[Sequence[float]] | Float[np.ndarray, "steps 2"] = (),
    title: str = "",
) -> None:
    """Draw a network: triangles, nodes by name with their speed and turn, and the way a blending point took.

    Beside each node hangs a figure in its pose, all at one cycle phase: the one with the longest strides. Where nodes
    lie at their turn and speed the picture is turned so that left turns lie left.
    """
    if network.n_axes != 2 or network.layout is None:
        raise MotionError("a map shows a network in the plane, of motions that make a pose")
    measured = np.array([(turn_and_speed(node.spectrum)[0], played_speed(node.spectrum)) for node in network.nodes])
    figure = canvas.figure(9.0, 7.0)
    axes = figure.add_subplot()
    for row in network.corners:
        corners = network.points[row]
        if len(row) == 3:
            axes.fill(corners[:, 0], corners[:, 1], facecolor="#f1f4f9", edgecolor=canvas.PALE, linewidth=0.8)
        else:
            axes.plot(corners[:, 0], corners[:, 1], color=canvas.PALE, linewidth=1.2)
    for loop in network.outline if network.corners.shape[1] == 3 else ():
        border = network.points[[*loop, loop[0]]]
        axes.plot(border[:, 0], border[:, 1], color=canvas.INK, linewidth=1.8, zorder=2)
    if len(track):
        way = np.asarray(track, dtype=np.float64)
        axes.plot(way[:, 0], way[:, 1], color=_TRACK, linewidth=1.2, zorder=3)
        axes.plot(*way[0], marker="o", color=_TRACK, markersize=4, zorder=3)
    dots = axes.scatter(
        network.points[:, 0],
        network.points[:, 1],
        c=measured[:, 1],
        cmap="RdYlBu",
        s=60,
        edgecolors=canvas.INK,
        zorder=4,
    )
    if len(network.nodes) <= _MOST_FIGURES:
        _draw_figures(figure, axes, network)
    for node, (turn_rate, speed) in zip(network.nodes, measured, strict=True):
        text = f"{node.name}\n{speed:.2f} m/s, {turn_rate:+.0f}°/s, {node.spectrum.duration:.2f} s"
        axes.annotate(
            text,
            (node.at[0], node.at[1]),
            xytext=(0, 8),
            textcoords="offset points",
            fontsize=6.5,
            ha="center",
            color=canvas.INK,
            zorder=5,
            bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
        )
    figure.colorbar(dots, ax=axes, shrink=0.5, label="speed of the nodes, m/s")
    axes.margins(0.14, 0.2)
    axis_titles(network.nodes).write(axes, size=8.0)
    _finish(axes)
    figure.suptitle(title or f"{network!r}", fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _draw_figures(figure: Any, axes: Any, network: Network) -> None:
    """A small figure beside each node, seen from its right."""
    from matplotlib.transforms import Affine2D, ScaledTranslation

    layout = network.layout
    assert layout is not None
    skeleton = layout.skeleton
    phases = 2.0 * np.pi * np.arange(_PHASES) / _PHASES
    dofs = np.stack([node.spectrum.at(phases) for node in network.nodes])
    rotations = np.stack([layout.rotations(own) for own in dofs])
    positions, world = kinematics.forward(skeleton, np.zeros((*dofs.shape[:2], 3)), rotations)
    points = np.concatenate([positions, kinematics.end_positions(skeleton, positions, world)], axis=2)
    strides = np.ptp(points[..., 2], axis=2).sum(axis=0)
    poses = points[:, int(np.argmax(strides))]
    tall = float(np.ptp(poses[..., 1], axis=1).max())
    inches = 0.6 if len(network.nodes) <= 12 else 0.45
    joined = links(skeleton)
    for pose, node in zip(poses, network.nodes, strict=True):
        onto = Affine2D().scale(inches / tall).translate(0.22, -0.04) + figure.dpi_scale_trans
        onto = onto + ScaledTranslation(node.at[0], node.at[1], axes.transData)
        draw_figure(axes, pose[:, 2], pose[:, 1] - pose[:, 1].max(), joined, width=0.9, transform=onto)


def draw_way(
    clip: Clip,
    path: str | PathLike[str],
    *,
    wanted: Float[np.ndarray, "points 2"] | None = None,
    speeds: Float[np.ndarray, " points"] | None = None,
    title: str = "",
) -> None:
    """Draw the way of a character from above, a dot every quarter of a second, over the path it was to follow.

    ``wanted`` are places (x, z) on the ground, coloured by ``speeds`` in m/s where given: red slow, blue fast. z goes
    to the right of the paper, x up, so that a left turn goes up from a start to the right.
    """
    figure = canvas.figure(10.0, 6.5)
    axes = figure.add_subplot()
    if wanted is not None:
        _draw_wanted(figure, axes, wanted, speeds)
    root = clip.root_positions
    axes.plot(root[:, 2], root[:, 0], color=canvas.INK, linewidth=0.9, label="root", zorder=3)
    every = max(1, round(_DOTS * clip.frame_rate))
    axes.scatter(
        root[::every, 2], root[::every, 0], s=14, color="#f2c230", edgecolors=canvas.INK, linewidths=0.4, zorder=4,
        label=f"every {_DOTS:g} s",
    )  # fmt: skip
    axes.plot(root[0, 2], root[0, 0], marker="o", color=canvas.INK, markersize=6, zorder=5)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("z, metres", fontsize=8)
    axes.set_ylabel("x, metres", fontsize=8)
    axes.legend(fontsize=7, frameon=False, loc="best")
    _finish(axes)
    figure.suptitle(title or clip.name, fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


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


def _finish(axes: Any) -> None:
    axes.grid(color="#eef0f4", zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
