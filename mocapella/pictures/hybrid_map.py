"""A map of a hybrid network: its blocks side by side, the way into its transitions, and where they lead."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.block import Block, Triangle
from mocapella.blending.hybrid import Arc, HybridNetwork, Stop
from mocapella.errors import MotionError
from mocapella.pictures import canvas
from mocapella.pictures.axis_titles import Titles, axis_titles

PLAIN, BUFFER, ZONE, ARC = "#f1f4f9", "#fbe7b8", "#d6483b", "#2f7d4f"
_TALL, _WIDE, _NARROW = 6.6, 6.6, 2.2  # inches: of the picture, of a block, of one that is a point or a line
_ROOM = 0.16  # of a block's size, kept free round it
_BEND = 0.18  # of an arrow, so that ways there and back lie apart
_SHARES = (0.5, 0.42, 0.58, 0.34, 0.66)  # of an arrow, where its words may stand
_WORDS = (1.2, 0.4)  # inches: how wide and tall they are
_LOOP = 0.16  # inches: the radius of an arrow back to its own node


def draw_hybrid(hybrid: HybridNetwork, path: str | PathLike[str], *, mode: str | None = None, title: str = "") -> None:
    """Draw all blocks with their nodes and triangles, buffer triangles and trigger zones apart, and arcs as arrows.

    Arrows carry an arc's name, its key in brackets and how long its change lasts. With ``mode`` only what that mode
    opens is filled and only its arcs are drawn; without, everything there is. Left turns lie left where nodes lie at
    their turn and speed.

    Raises
    ------
    MotionError
        Where a block does not lie in a plane.
    """
    opened = None if mode is None else hybrid.mode(mode)
    arcs = [arc for arc in hybrid.arcs if opened is None or arc.name in opened.arcs]
    blocks = hybrid.blocks
    if any(block.network.n_axes != 2 for block in blocks.values()):
        raise MotionError("a map shows blocks in the plane")
    widths = [_WIDE if len(block.network.nodes) > 2 else _NARROW for block in blocks.values()]
    figure = canvas.figure(sum(widths) + 0.6 * (len(widths) - 1), _TALL)
    grid = figure.add_gridspec(1, len(widths), width_ratios=widths, wspace=0.12)
    shown = {}
    for i, (name, block) in enumerate(blocks.items()):
        axes = shown[name] = figure.add_subplot(grid[i])
        triangles = (*block.plain, *block.buffers) if mode is None else hybrid.network(name, mode).triangles
        _draw_block(axes, block, triangles, [arc for arc in arcs if arc.source.block == name])
        axes.set_title(name, fontsize=11, color=canvas.INK, loc="left", weight="bold")
    words = "everything" if opened is None else f"mode {opened.name}" + (f" [{opened.key}]" if opened.key else "")
    keys = ", ".join(f"{one.name} [{one.key}]" if one.key else one.name for one in hybrid.modes)
    figure.suptitle(f"{title or repr(hybrid)}: {words}; modes {keys}", fontsize=10, color=canvas.INK, ha="left", x=0.01)
    _explain(next(iter(shown.values())), hybrid)
    figure.draw_without_rendering()  # blocks have their places from here on, so arrows can be laid between them
    figure.set_layout_engine("none")
    words_at: list[Float[np.ndarray, " 2"]] = []
    for arc in arcs:
        words_at.append(_draw_arc(figure, hybrid, arc, shown, words_at))
    canvas.save_figure(figure, path)


def _draw_block(axes: Any, block: Block, triangles: tuple[Triangle, ...], leaving: list[Arc]) -> None:
    network = block.network
    points = network.points
    buffers = {frozenset(names) for names in block.buffers}
    for names in (*block.plain, *block.buffers):
        corners = _corners(block, names)
        if len(corners) < 3:
            axes.plot(corners[:, 0], corners[:, 1], color=canvas.PALE, linewidth=1.2, zorder=1)
            continue
        is_buffer = frozenset(names) in buffers
        is_open = any(frozenset(names) == frozenset(one) for one in triangles)
        if is_open or not is_buffer:
            axes.fill(
                corners[:, 0],
                corners[:, 1],
                facecolor=(BUFFER if is_buffer else PLAIN) if is_open else "none",
                edgecolor="#c79a2b" if is_buffer else canvas.PALE,
                linewidth=0.9 if is_open else 0.5,
                linestyle="-" if is_open else (0, (2, 3)),
                zorder=1.5 if is_buffer else 1,
            )
    for arc in leaving:
        for names in triangles:
            if arc.source.node in names and len(names) == 3:
                node = np.array(network.node(arc.source.node).at)
                zone = node + (1.0 - arc.zone) * (_corners(block, names) - node)
                axes.fill(zone[:, 0], zone[:, 1], facecolor=ZONE, edgecolor=ZONE, linewidth=0.8, zorder=3)
    _draw_nodes(axes, block, {names for own in triangles for names in own})
    size = np.where(np.ptp(points, axis=0) > 1e-9, np.ptp(points, axis=0), 1.0)
    low, high = points.min(axis=0) - (_ROOM, 1.6 * _ROOM) * size, points.max(axis=0) + _ROOM * size
    plain = [node for node in network.nodes if node.name not in block.transition_nodes]
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    titles = axis_titles(plain) if len(plain) > 2 else Titles()
    titles.write(axes, size=8.0)
    if not titles.x:
        axes.set_xticks([])
        axes.set_yticks([])
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _draw_nodes(axes: Any, block: Block, open_nodes: set[str]) -> None:
    drawn = [block.network.node(name).at for name in block.transition_nodes & open_nodes]
    centre = np.mean(drawn, axis=0) if drawn else np.zeros(2)
    for node in block.network.nodes:
        special = node.name in block.transition_nodes
        alive = node.name in open_nodes or len(block.network.nodes) < 3
        if special and not alive:
            continue  # nothing leads there in this mode
        axes.plot(
            *node.at,
            marker="s" if special else "o",
            color="#c79a2b" if special else canvas.MIDDLE,
            markeredgecolor=canvas.INK,
            markersize=3 if special else 5,
            alpha=1.0 if alive else 0.3,
            zorder=4,
        )
        aside = (
            0 if not special or len(block.network.nodes) < 3 else (-1 if node.at[0] > centre[0] else 1)
        )  # x runs to the left
        axes.annotate(
            node.name,
            (node.at[0], node.at[1]),
            xytext=(7 * aside, 6) if aside == 0 else (7 * aside, -2.5),
            textcoords="offset points",
            fontsize=6.5,
            ha=("right", "center", "left")[aside + 1],
            color="#7a5a10" if special else canvas.INK,
            alpha=1.0 if alive else 0.4,
            zorder=5,
            bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5},
        )


def _draw_arc(
    figure: Any, hybrid: HybridNetwork, arc: Arc, shown: dict[str, Any], taken: list[Float[np.ndarray, " 2"]]
) -> Float[np.ndarray, " 2"]:
    """An arrow from node to node over the whole picture; its words stand where no others are, and that is given."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Outline

    start, end = (_on_paper(figure, hybrid, stop, shown) for stop in (arc.source, arc.target))
    style: dict[str, Any] = {
        "arrowstyle": "-|>,head_length=6,head_width=3",
        "color": ARC,
        "linewidth": 1.5,
        "zorder": 10,
    }
    if arc.stays:
        angles = np.radians(np.linspace(105.0, 425.0, 40))
        circle = start - (0.0, _LOOP) + _LOOP * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        arrow = FancyArrowPatch(path=Outline(circle), shrinkA=0, shrinkB=0, **style)
        middle = start - np.array([0.0, 2.0 * _LOOP + 0.14])
    else:
        way = end - start
        side = np.array([way[1], -way[0]])
        arrow = FancyArrowPatch(
            tuple(start), tuple(end), connectionstyle=f"arc3,rad={-_BEND}", shrinkA=5, shrinkB=6, **style
        )
        along = [start + share * way - 2.0 * share * (1.0 - share) * _BEND * side for share in _SHARES]
        apart = [min((float(np.hypot(*((here - other) / _WORDS))) for other in taken), default=1.0) for here in along]
        middle = along[int(np.argmax(np.minimum(apart, 1.0)))]
    arrow.set_transform(figure.dpi_scale_trans)
    figure.add_artist(arrow)
    key = f" [{arc.key}]" if arc.key else ""
    both = ", or mirrored" if arc.mirrored is not None else ""
    figure.text(
        *middle,
        f"{arc.name}{key}\n{arc.transition.seconds:.2f} s{both}",
        transform=figure.dpi_scale_trans,
        fontsize=8,
        color=ARC,
        ha="center",
        va="center",
        zorder=11,
        bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
    )
    return np.asarray(middle)


def _on_paper(figure: Any, hybrid: HybridNetwork, stop: Stop, shown: dict[str, Any]) -> Float[np.ndarray, " 2"]:
    """Where a node is in the picture, inches."""
    node = hybrid.block(stop.block).network.node(stop.node)
    return np.asarray(shown[stop.block].transData.transform(node.at)) / float(figure.dpi)


def _explain(axes: Any, hybrid: HybridNetwork) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    zones = ", ".join(sorted({f"{arc.zone:g}" for arc in hybrid.arcs}))
    axes.legend(
        handles=[
            Patch(facecolor=PLAIN, edgecolor=canvas.PALE, label="blending triangle"),
            Patch(facecolor=BUFFER, edgecolor="#c79a2b", label="buffer triangle"),
            Patch(facecolor=ZONE, label=f"trigger zone: weight from {zones} on"),
            Line2D([], [], color=ARC, marker=">", label="arc: what is played"),
        ],
        fontsize=7,
        frameon=False,
        loc="lower left",
    )


def _corners(block: Block, names: Triangle) -> Float[np.ndarray, "corners 2"]:
    return np.asarray(block.network.points[[block.network.index(name) for name in names]])
