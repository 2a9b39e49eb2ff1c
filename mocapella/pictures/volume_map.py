"""Networks in space, drawn: nodes and tetrahedra seen from the side, a little from above."""

from __future__ import annotations

import itertools
from os import PathLike

import numpy as np
from jaxtyping import Int

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.pictures import canvas

_FROM = (18.0, -62.0)  # degrees above the plane and round the third axis, from where little hides behind something else


def draw_volume(network: Network, path: str | PathLike[str], *, title: str = "") -> None:
    """Draw a network in space: the edges of its tetrahedra, those of its outline darker, and its nodes by name."""
    if network.n_axes != 3:
        raise MotionError("this picture shows a network in space; one in the plane has a map")
    figure = canvas.figure(9.0, 8.0)
    from mpl_toolkits.mplot3d.art3d import Line3DCollection  # comes with what figures need

    axes = figure.add_subplot(projection="3d")
    shell = _edges(np.array(network.outline))
    inner = np.array([row for row in _edges(network.corners).tolist() if row not in shell.tolist()], dtype=np.intp)
    for rows, colour, width in ((inner, canvas.PALE, 0.7), (shell, canvas.INK, 1.1)):
        if len(rows):
            axes.add_collection3d(Line3DCollection(network.points[rows], colors=colour, linewidths=width))
    x, y, z = network.points.T
    used = np.unique(network.corners)
    dots = axes.scatter(x[used], y[used], z[used], c=z[used], cmap="RdYlBu_r", s=45, edgecolors=canvas.INK, alpha=1.0)
    for node in network.nodes:
        axes.text(*node.at, f"  {node.name}", fontsize=6.5, color=canvas.INK)
    figure.colorbar(dots, ax=axes, shrink=0.5, label="z")
    axes.set_xlabel("x", fontsize=8)
    axes.set_ylabel("y", fontsize=8)
    axes.set_zlabel("z", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.view_init(*_FROM)
    figure.suptitle(title or f"{network!r}", fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _edges(simplices: Int[np.ndarray, "simplices corners"]) -> Int[np.ndarray, "edges 2"]:
    """The edges of triangles or tetrahedra, each once."""
    pairs = list(itertools.combinations(range(simplices.shape[1]), 2))
    return np.unique(np.sort(simplices[:, pairs].reshape(-1, 2), axis=1), axis=0)
