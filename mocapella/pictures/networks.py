"""Networks drawn as maps: in a plane, in space, joined by changes, and the way through their states."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.hybrid.network import Arc, ArcEnd, Block, HybridNetwork, Triangle
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.rates import turn_and_speed
from mocapella.pictures import canvas
from mocapella.pictures.bodies import draw_figure, links
from mocapella.pictures.canvas import Titles, axis_titles
from mocapella.playback.gaits import played_speed
from mocapella.playback.modes import Entry

# Maps: a network's nodes and triangles in its plane, and the way of a character over the ground.

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
    dofs = np.stack([node.spectrum.frames(_PHASES) for node in network.nodes])
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


# A map of a hybrid network: its blocks side by side, the way into its transitions, and where they lead.

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


def _on_paper(figure: Any, hybrid: HybridNetwork, stop: ArcEnd, shown: dict[str, Any]) -> Float[np.ndarray, " 2"]:
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


# Networks in space, drawn: nodes and tetrahedra seen from the side, a little from above.

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


# The way of a character through a hybrid network: from above, and what it did when.

COLOURS = {"network": "#3c4454", "waiting": "#c79a2b", "change": "#2f7d4f"}
_STATE_WAY_DOTS = 0.25  # seconds between the dots on a way
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
    yaws = clip.headings
    times = np.arange(clip.n_frames) / rate
    speeds = _smoothed(rate * np.linalg.norm(np.diff(root[:, ::2], axis=0), axis=1), round(0.25 * rate))
    low = -0.2 * float(speeds.max())
    every = max(1, round(_STATE_WAY_DOTS * rate))
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
