"""A map of a hybrid network: its blocks side by side, the ways into its transitions, and arcs as arrows."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.hybrid.block import Block, Triangle
from mocapella.hybrid.hybrid_network import Arc, ArcEnd, HybridNetwork, Mode
from mocapella.pictures import canvas

_BUFFER, _ZONE, _BUFFER_INK = "#fbe7b8", "#d6483b", "#7a5a10"


class _Look(NamedTuple):
    """Sizes of the picture."""

    tall: float = 6.6  # inches: of the picture
    wide: float = 6.6  # inches: of a block
    narrow: float = 2.2  # inches: of a block that is a point or a line
    letter: float = 0.0125  # width of a letter, as a share of a block as it is drawn
    line: float = 0.05  # height of a line of words, likewise
    margin: float = 0.16  # of a block's size, round its nodes
    bend: float = 0.18  # of an arrow's length, so that arrows there and back lie apart
    shares: tuple[float, ...] = (0.5, 0.42, 0.58, 0.34, 0.66)  # of an arrow, where its words may stand
    words: tuple[float, float] = (1.2, 0.4)  # inches: width and height of these words
    loop: float = 0.16  # inches: radius of an arrow back to its own node


_LOOK = _Look()


def draw_hybrid(hybrid: HybridNetwork, path: str | PathLike[str], *, mode: str | None = None, title: str = "") -> None:
    """Draw all blocks with nodes and triangles, buffer triangles and trigger zones, and arcs as arrows.

    Arrows carry an arc's name, its key in brackets and the duration of its change. Where nodes are placed by turn, left
    turns lie on the left. The picture of ``hybrid`` is written to ``path``. ``mode`` names an operating mode: only what
    it opens is filled, and only its arcs are drawn; everything if None. The ``title`` is a description of the network
    if empty. Raises ``MotionError`` where a block does not lie in a plane.
    """
    opened = None if mode is None else hybrid.mode(mode)
    arcs = [arc for arc in hybrid.arcs if opened is None or arc.name in opened.arcs]
    if any(block.network.n_axes != 2 for block in hybrid.blocks.values()):
        raise MotionError("expected blocks in the plane")
    widths = [_LOOK.wide if len(block.network.nodes) > 2 else _LOOK.narrow for block in hybrid.blocks.values()]
    heading = _heading(hybrid, opened, title)
    with canvas.page(path, sum(widths) + 0.6 * (len(widths) - 1), _LOOK.tall, heading) as figure:
        grid = figure.add_gridspec(1, len(widths), width_ratios=widths, wspace=0.12)
        shown = {}
        for i, (name, block) in enumerate(hybrid.blocks.items()):
            axes = shown[name] = figure.add_subplot(grid[i])
            triangles = (*block.plain, *block.buffers) if mode is None else hybrid.network(name, mode).triangles
            _draw_block(axes, block, triangles, [arc for arc in arcs if arc.source.block == name])
            axes.set_title(name, fontsize=11, loc="left", weight="bold")
        _explain(next(iter(shown.values())), hybrid)
        figure.draw_without_rendering()  # gives blocks their places, so that arrows can be laid between them
        figure.set_layout_engine("none")
        words_at: list[Float[np.ndarray, " 2"]] = []
        for arc in arcs:
            words_at.append(_draw_arc(figure, hybrid, arc, shown, words_at))


def _heading(hybrid: HybridNetwork, opened: Mode | None, title: str) -> str:
    """The title, the mode that is drawn, and all modes with their keys."""
    drawn = "everything" if opened is None else f"mode {_with_key(opened.name, opened.key)}"
    modes = ", ".join(_with_key(mode.name, mode.key) for mode in hybrid.modes)
    return f"{title or repr(hybrid)}: {drawn}; modes {modes}"


def _with_key(name: str, key: str | None) -> str:
    return f"{name} [{key}]" if key else name


def _draw_block(axes: Any, block: Block, triangles: tuple[Triangle, ...], leaving: list[Arc]) -> None:
    _draw_triangles(axes, block, {frozenset(names) for names in triangles})
    _draw_zones(axes, block, triangles, leaving)
    _draw_nodes(axes, block, {name for names in triangles for name in names})
    network = block.network
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    size = np.where(high - low > 1e-9, high - low, 1.0)
    low, high = low - (_LOOK.margin, 1.6 * _LOOK.margin) * size, high + _LOOK.margin * size
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.grid(False)
    plain = [node for node in network.nodes if node.name not in block.transition_nodes]
    titles = canvas.axis_titles(plain) if len(plain) > 2 else canvas.Titles()
    titles.write(axes)
    if not titles.x:
        axes.set(xticks=[], yticks=[])


def _draw_triangles(axes: Any, block: Block, opened: set[frozenset[str]]) -> None:
    """Draw triangles and buffer triangles, those that are open filled; blocks that are lines as lines."""
    for names in (*block.plain, *block.buffers):
        x, y = _corners(block, names).T
        if len(x) < 3:
            axes.plot(x, y, color=canvas.PALE, zorder=1)
            continue
        is_buffer = names in block.buffers
        colour, fill = (canvas.GOLD, _BUFFER) if is_buffer else (canvas.PALE, canvas.FILL)
        if frozenset(names) in opened:
            axes.fill(x, y, facecolor=fill, edgecolor=colour, linewidth=0.9, zorder=1.5 if is_buffer else 1)
        elif not is_buffer:
            axes.fill(x, y, facecolor="none", edgecolor=colour, linewidth=0.5, linestyle=(0, (2, 3)), zorder=1)


def _draw_zones(axes: Any, block: Block, triangles: tuple[Triangle, ...], leaving: list[Arc]) -> None:
    """Draw the trigger zones of the arcs that leave a block."""
    for arc in leaving:
        for names in triangles:
            if arc.source.node in names and len(names) == 3:
                node = np.array(block.network.node(arc.source.node).at)
                x, y = (node + (1.0 - arc.zone) * (_corners(block, names) - node)).T
                axes.fill(x, y, facecolor=_ZONE, edgecolor=_ZONE, linewidth=0.8, zorder=3)


def _draw_nodes(axes: Any, block: Block, open_nodes: set[str]) -> None:
    """Draw nodes by name; nodes of transitions that nothing leads to in this mode are left out."""
    few = len(block.network.nodes) < 3
    changing = [block.network.node(name).at[0] for name in block.transition_nodes & open_nodes]
    middle = float(np.mean(changing)) if changing else 0.0
    size = np.maximum(np.ptp(block.network.points, axis=0), 1e-9)
    dots = {
        False: {"marker": "o", "color": canvas.MIDDLE, "markersize": 5},
        True: {"marker": "s", "color": canvas.GOLD, "markersize": 3},
    }
    written: list[tuple[float, float, float]] = []  # middle and half width of words, as shares of the block
    for node in sorted(block.network.nodes, key=lambda node: node.name in block.transition_nodes):
        changes, is_open = node.name in block.transition_nodes, few or node.name in open_nodes
        if changes and not is_open:
            continue
        axes.plot(*node.at, **dots[changes], markeredgecolor=canvas.INK, alpha=1.0 if is_open else 0.3, zorder=4)
        words: dict[str, Any] = {"offset": (0, 6), "ha": "center", "color": canvas.INK}
        if changes:
            words = _words_beside(0 if few else -1 if node.at[0] > middle else 1)  # x runs to the left
        if words["ha"] == "center":  # below the dot where words above it would run into others
            x, y = (np.array(node.at) / size).tolist()
            half = 0.5 * _LOOK.letter * len(node.name)
            if _run_into(x, y, half, written):
                words["offset"] = (0, -12)
            else:
                written.append((x, y, half))
        canvas.label(axes, node.name, node.at, alpha=1.0 if is_open else 0.4, **words)


def _run_into(x: float, y: float, half: float, written: list[tuple[float, float, float]]) -> bool:
    """Whether words at a place, of half a width, would run into others that are written already."""
    return any(abs(x - other) < half + wide and abs(y - level) < _LOOK.line for other, level, wide in written)


def _words_beside(aside: int) -> dict[str, Any]:
    """How the name of a transition's node is written: above it, 0, or to a side, away from the others."""
    align = ("center", "left", "right")[aside]
    return {"offset": (7 * aside, -2.5 if aside else 6), "ha": align, "color": _BUFFER_INK}


def _draw_arc(
    figure: Any, hybrid: HybridNetwork, arc: Arc, shown: dict[str, Any], taken: list[Float[np.ndarray, " 2"]]
) -> Float[np.ndarray, " 2"]:
    """Draw an arrow from node to node; returns where its words stand, away from those ``taken``."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Outline

    start, end = (_on_paper(figure, hybrid, stop, shown) for stop in (arc.source, arc.target))
    if arc.stays:
        angles = np.radians(np.linspace(105.0, 425.0, 40))
        circle = start - (0.0, _LOOK.loop) + _LOOK.loop * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        shape: dict[str, Any] = {"path": Outline(circle), "shrinkA": 0, "shrinkB": 0}
        middle = start - np.array([0.0, 2.0 * _LOOK.loop + 0.14])
    else:
        way = end - start
        side = np.array([way[1], -way[0]])
        shape = {"posA": tuple(start), "posB": tuple(end), "connectionstyle": f"arc3,rad={-_LOOK.bend}"}
        shape |= {"shrinkA": 5, "shrinkB": 6}
        along = [start + share * way - 2.0 * share * (1.0 - share) * _LOOK.bend * side for share in _LOOK.shares]
        apart = [
            min((float(np.hypot(*((here - other) / _LOOK.words))) for other in taken), default=1.0) for here in along
        ]
        middle = along[int(np.argmax(np.minimum(apart, 1.0)))]
    arrow = FancyArrowPatch(
        **shape, arrowstyle="-|>,head_length=6,head_width=3", color=canvas.GREEN, linewidth=1.5, zorder=10
    )
    arrow.set_transform(figure.dpi_scale_trans)
    figure.add_artist(arrow)
    both = ", or mirrored" if arc.mirrored is not None else ""
    text = f"{_with_key(arc.name, arc.key)}\n{arc.transition.seconds:.2f} s{both}"
    where = {"transform": figure.dpi_scale_trans, "ha": "center", "va": "center", "zorder": 11}
    figure.text(*middle, text, fontsize=8, color=canvas.GREEN, bbox=canvas.BOX, **where)
    return np.asarray(middle)


def _on_paper(figure: Any, hybrid: HybridNetwork, stop: ArcEnd, shown: dict[str, Any]) -> Float[np.ndarray, " 2"]:
    """Where a node is in the picture, inches."""
    node = hybrid.block(stop.block).network.node(stop.node)
    return np.asarray(shown[stop.block].transData.transform(node.at)) / float(figure.dpi)


def _explain(axes: Any, hybrid: HybridNetwork) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    zones = ", ".join(sorted({f"{arc.zone:g}" for arc in hybrid.arcs}))
    handles = [
        Patch(facecolor=canvas.FILL, edgecolor=canvas.PALE, label="blending triangle"),
        Patch(facecolor=_BUFFER, edgecolor=canvas.GOLD, label="buffer triangle"),
        Patch(facecolor=_ZONE, label=f"trigger zone: weight from {zones} on"),
        Line2D([], [], color=canvas.GREEN, marker=">", label="arc: what is played"),
    ]
    axes.legend(handles=handles, loc="lower left")


def _corners(block: Block, names: Triangle) -> Float[np.ndarray, "corners 2"]:
    return np.asarray(block.network.points[[block.network.index(name) for name in names]])
