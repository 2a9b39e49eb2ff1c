"""Maps of networks: nodes, what joins them and what they do, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.gait.root_motion import played_speed
from mocapella.measure.coherence import edges
from mocapella.motion import kinematics
from mocapella.motion.travel import turn_and_speed
from mocapella.pictures import canvas
from mocapella.pictures.bodies import draw_figure, links
from mocapella.pictures.labels import write_labels

_MOST_FIGURES = 60  # nodes of which figures are drawn; more would cover each other
_PAGE_NODES = 25  # nodes that a page of the usual size has room for
_WIDEST = 1.6  # times the usual size of a page, for more nodes
_PHASES = 24  # of the cycle, one of which is drawn
_VIEW = (18.0, -62.0)  # degrees above the plane and round the third axis, from where little is hidden


def draw_network(
    network: Network,
    path: str | PathLike[str],
    *,
    track: Sequence[Sequence[float]] | Float[np.ndarray, "steps 2"] = (),
    title: str = "",
) -> None:
    """Draw a network in the plane: triangles, outline, and nodes by name with speed, turn and duration.

    Beside each node stands a figure in its pose, all at the cycle phase with the longest strides. Where nodes are
    placed by turn, left turns lie on the left. The motions of ``network`` make a pose; its picture is written to
    ``path``. ``track`` are blending points (x, y) of a player, drawn as a line. The ``title`` is a description of the
    network if empty.
    """
    if network.n_axes != 2 or network.layout is None:
        raise MotionError("expected a network in the plane whose motions have a layout")
    measured = np.array([(turn_and_speed(node.spectrum)[0], played_speed(node.spectrum)) for node in network.nodes])
    wider = min(max(1.0, (len(network.nodes) / _PAGE_NODES) ** 0.5), _WIDEST)
    with canvas.page(path, 9.0 * wider, 7.0 * wider, title or repr(network)) as figure:
        axes = figure.add_subplot()
        for row in network.corners:
            x, y = network.points[row].T
            if len(row) == 3:
                axes.fill(x, y, facecolor=canvas.FILL, edgecolor=canvas.PALE, linewidth=0.8)
            else:
                axes.plot(x, y, color=canvas.PALE)
        for loop in network.outline if network.corners.shape[1] == 3 else ():
            axes.plot(*network.points[[*loop, loop[0]]].T, color=canvas.INK, linewidth=1.8, zorder=2)
        if len(track):
            way = np.asarray(track, dtype=np.float64)
            axes.plot(*way.T, color=canvas.GREEN, zorder=3)
            axes.plot(*way[0], marker="o", color=canvas.GREEN, markersize=4, zorder=3)
        nodes = {"c": measured[:, 1], "cmap": "RdYlBu", "s": 60, "edgecolors": canvas.INK, "zorder": 4}
        dots = axes.scatter(*network.points.T, **nodes)
        has_figures = len(network.nodes) <= _MOST_FIGURES
        if has_figures:
            _draw_figures(figure, axes, network)
        figure.colorbar(dots, ax=axes, shrink=0.5, label="speed of the nodes, m/s")
        axes.margins(0.14, 0.2)
        canvas.axis_titles(network.nodes).write(axes)
        texts = [
            f"{node.name}\n{speed:.2f} m/s, {turn_rate:+.0f}°/s, {node.spectrum.duration:.2f} s"
            for node, (turn_rate, speed) in zip(network.nodes, measured, strict=True)
        ]
        tall = 72.0 * _figure_height(len(network.nodes))
        bodies = [(6.0, -tall, 28.0, -3.0)] * len(texts) if has_figures else []
        write_labels(axes, texts, network.points, bodies)


def draw_volume(network: Network, path: str | PathLike[str], *, title: str = "") -> None:
    """Draw a network in space: its nodes by name, and the edges of tetrahedra, darker on the outline.

    The picture of ``network`` is written to ``path``; its ``title`` is a description of the network if empty.
    """
    if network.n_axes != 3:
        raise MotionError("expected a network in space; draw_network draws one in the plane")
    with canvas.page(path, 9.0, 8.0, title or repr(network)) as figure:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        axes: Any = figure.add_subplot(projection="3d")
        shell = edges(np.array(network.outline))
        inner = np.array([row for row in edges(network.corners).tolist() if row not in shell.tolist()], dtype=np.intp)
        for rows, colour, width in ((inner, canvas.PALE, 0.7), (shell, canvas.INK, 1.1)):
            if len(rows):
                axes.add_collection3d(Line3DCollection(network.points[rows], colors=colour, linewidths=width))
        x, y, z = network.points[np.unique(network.corners)].T
        dots = axes.scatter(x, y, z, c=z, cmap="RdYlBu_r", s=45, edgecolors=canvas.INK, alpha=1.0)
        figure.colorbar(dots, ax=axes, shrink=0.5, label="z")
        axes.set(xlabel="x", ylabel="y", zlabel="z")
        axes.view_init(*_VIEW)
        canvas.make_texts_plain(figure)
        figure.draw_without_rendering()  # the view is known once axes have their size
        seen = proj_transform(*network.points.T, axes.get_proj())[:2]
        write_labels(axes, network.names, np.array(seen).T)


def _figure_height(n_nodes: int) -> float:
    """The height of the figures beside nodes, inches."""
    return 0.6 if n_nodes <= 12 else 0.45


def _draw_figures(figure: Any, axes: Any, network: Network) -> None:
    """A small figure beside each node, seen from its right."""
    from matplotlib.transforms import Affine2D, ScaledTranslation

    layout = network.layout
    assert layout is not None
    skeleton = layout.skeleton
    rotations = np.stack([layout.rotations(node.spectrum.frames(_PHASES)) for node in network.nodes])
    positions, world = kinematics.forward(skeleton, np.zeros((*rotations.shape[:2], 3)), rotations)
    points = np.concatenate([positions, kinematics.end_positions(skeleton, positions, world)], axis=2)
    strides = np.ptp(points[..., 2], axis=2).sum(axis=0)
    poses = points[:, int(np.argmax(strides))]
    tall = float(np.ptp(poses[..., 1], axis=1).max())
    inches = _figure_height(len(network.nodes))
    joined = links(skeleton)
    for pose, node in zip(poses, network.nodes, strict=True):
        onto = Affine2D().scale(inches / tall).translate(0.22, -0.04) + figure.dpi_scale_trans
        onto = onto + ScaledTranslation(node.at[0], node.at[1], axes.transData)
        draw_figure(axes, pose[:, 2], pose[:, 1] - pose[:, 1].max(), joined, width=0.9, transform=onto)
