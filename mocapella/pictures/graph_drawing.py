"""Pictures of motion graphs: clips as lines in time, joins as arcs between them."""

from __future__ import annotations

from os import PathLike

import numpy as np

from mocapella.graphs.graph import MotionGraph
from mocapella.pictures.canvas import figure, save_figure

_MOST_ARCS = 120  # the best joins that are drawn; more are a grey cloud


def draw_graph(graph: MotionGraph, path: str | PathLike[str]) -> None:
    """Draw a motion graph: a line for each clip, an arc for each join, darker where poses are more alike.

    ``path`` ends in ``.png``, ``.svg`` or ``.pdf``. Raises ``MotionError`` for other suffixes, and where matplotlib is
    missing.
    """
    used = sorted({int(clip) for clip in graph.nodes[:, 0]})
    row = {clip: place for place, clip in enumerate(used)}
    picture = figure(11.0, 1.2 + 0.28 * len(used))
    axes = picture.subplots()
    rate = graph.clips[0].frame_rate
    worst = max(join.distance for join in graph.joins)
    for clip, place in row.items():
        motion = graph.clips[clip]
        axes.plot([0, motion.seconds], [place, place], color="0.75", linewidth=3, solid_capstyle="butt", zorder=1)
        axes.text(-0.08, place, motion.name, ha="right", va="center", fontsize=8)
    nodes = graph.nodes
    axes.scatter(nodes[:, 1] / rate, [row[int(clip)] for clip in nodes[:, 0]], s=8, color="0.25", zorder=3)
    joins = sorted(graph.joins, key=lambda join: join.distance)[:_MOST_ARCS]
    share = np.linspace(0.0, 1.0, 24)
    for join in joins:
        x0, x1 = join.leave / rate, (join.enter + graph.n_blend) / rate
        y0, y1 = row[join.source], row[join.target]
        bow = 0.35 * np.sin(np.pi * share) * (1.0 if x1 >= x0 else -1.0)
        x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0) - (bow if y0 == y1 else 0.0)
        alike = 1.0 - join.distance / worst
        axes.plot(x, y, color="#0a7d5a", alpha=0.08 + 0.5 * alike, linewidth=0.9, zorder=2)
    axes.set_ylim(len(used) - 0.3, -0.7)
    axes.set_xlabel("seconds")
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    drawn = "" if len(joins) == len(graph.joins) else f", the best {len(joins)} drawn"
    axes.set_title(f"{len(nodes)} nodes, {len(graph.joins)} joins{drawn}", loc="left", fontsize=10)
    save_figure(picture, path)
