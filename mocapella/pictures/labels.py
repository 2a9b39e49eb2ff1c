"""Labels of points in a picture, placed so that none covers another, a point, or the border.

Each label goes to the free place nearest to its point, with a line to it where that is not beside it. Labels that find
no place near enough are numbers instead, and a list below the picture says what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.pictures import canvas
from mocapella.quoting import picture_text

Boxes = Float[np.ndarray, "_ 4"]  # left, bottom, right and top, in points


class _LabelSettings(NamedTuple):
    """Sizes of labels and where they are tried, all in points but where it is said."""

    size: float = 6.5  # of letters
    dot: float = 5.0  # half the size of a marked point, with its border
    gap: float = 1.5  # between labels
    rings: tuple[float, ...] = (3.0, 9.0, 18.0, 30.0, 44.0, 60.0)  # from the point's border to the label's
    far: tuple[float, ...] = tuple(range(3, 400, 8))  # likewise, for numbers
    ways: int = 16  # directions that are tried
    led: float = 6.0  # a label that is further off has a line to its point
    covered: float = 25.0  # distance that covering a figure counts as
    columns: int = 3  # of the list


_LABEL = _LabelSettings()


def write_labels(
    axes: Any, texts: Sequence[str], points: Float[np.ndarray, "labels 2"], figures: Sequence[Sequence[float]] = ()
) -> None:
    """Write a label for each point, in the units of ``axes``, whose limits and direction must be set before.

    ``figures`` are boxes (left, bottom, right, top) in points from each point, such as a drawn body has; they are
    covered only where there is no other place near.
    """
    texts = [picture_text(text) for text in texts]
    listed: list[int] = []
    places: dict[int, tuple[float, float]] = {}
    while len(places) < len(texts):
        words = [str(listed.index(i) + 1) if i in listed else text for i, text in enumerate(texts)]
        legend = _list_below(axes, [f"{words[i]}  {' · '.join(texts[i].splitlines())}" for i in listed])
        places = _placed(axes, words, points, figures, listed)
        if len(places) < len(texts):  # the list takes room, so that all are placed again
            listed += [i for i in range(len(texts)) if i not in places]
            if legend is not None:
                legend.remove()
    for i, (x, y) in places.items():
        away = float(np.hypot(*np.maximum(np.abs([x, y]) - 0.5 * _sizes(axes, [words[i]])[0], 0.0)))
        line = {"arrowstyle": "-", "color": canvas.GOLD, "linewidth": 0.7, "shrinkA": 0.0, "shrinkB": 3.0}
        leader = {"arrowprops": line} if away > _LABEL.led + _LABEL.dot else {}
        canvas.label(axes, words[i], points[i], (x, y), va="center", in_layout=False, **leader)


def _list_below(axes: Any, rows: list[str]) -> Any:
    """The list of what numbers mean, below the picture; None where there are none."""
    if not rows:
        return None
    from matplotlib.lines import Line2D

    empty = [Line2D([], [], linestyle="none") for _ in rows]
    look = {"fontsize": _LABEL.size, "handlelength": 0.0, "handletextpad": 0.0, "ncols": _LABEL.columns}
    return axes.figure.legend(empty, rows, loc="outside lower center", **look)


def _sizes(axes: Any, texts: Sequence[str]) -> Float[np.ndarray, "texts 2"]:
    """Width and height of texts as they are drawn, points."""
    figure = axes.figure
    renderer = figure.canvas.get_renderer()
    sizes = []
    for text in texts:
        drawn = figure.text(0.0, 0.0, text, fontsize=_LABEL.size, parse_math=False)
        sizes.append(drawn.get_window_extent(renderer).size)
        drawn.remove()
    return np.asarray(np.array(sizes) * 72.0 / figure.dpi + 2.0 * canvas.BOX_PAD)


def _placed(
    axes: Any,
    texts: Sequence[str],
    points: Float[np.ndarray, "labels 2"],
    figures: Sequence[Sequence[float]],
    listed: Sequence[int],
) -> dict[int, tuple[float, float]]:
    """By its number where the middle of each label goes, points from its point; without those that find no place."""
    canvas.make_texts_plain(axes.figure)
    axes.figure.draw_without_rendering()  # axes get their final size
    to_points = 72.0 / axes.figure.dpi
    at = axes.transData.transform(points) * to_points
    border = np.array(axes.get_tightbbox().extents) * to_points
    sizes = _sizes(axes, texts)
    dots = np.concatenate([at - _LABEL.dot, at + _LABEL.dot], axis=1)
    soft = np.array([np.tile(point, 2) + box for point, box in zip(at, figures, strict=False)]).reshape(-1, 4)
    hard = dots
    places: dict[int, tuple[float, float]] = {}
    crowded = np.linalg.norm(at[:, None] - at, axis=-1)
    for i in np.argsort(np.sort(crowded, axis=1)[:, : min(4, len(at))].sum(axis=1), kind="stable").tolist():
        offsets = _offsets(sizes[i], _LABEL.far if i in listed else _LABEL.rings)
        boxes = np.concatenate([at[i] + offsets - 0.5 * sizes[i], at[i] + offsets + 0.5 * sizes[i]], axis=1)
        inside = (boxes[:, :2] >= border[:2]).all(axis=1) & (boxes[:, 2:] <= border[2:]).all(axis=1)
        free = inside & ~_overlaps(boxes, hard, _LABEL.gap).any(axis=1)
        if free.any():
            beyond = np.linalg.norm(np.maximum(np.abs(offsets) - 0.5 * sizes[i], 0.0), axis=1)
            cost = beyond + _LABEL.covered * _overlaps(boxes, soft, 0.0).sum(axis=1)
            best = int(np.argmin(np.where(free, cost, np.inf)))
            places[i] = (float(offsets[best, 0]), float(offsets[best, 1]))
            hard = np.concatenate([hard, boxes[best : best + 1]])
    return places


def _offsets(size: Float[np.ndarray, "2"], rings: Sequence[float]) -> Float[np.ndarray, "tries 2"]:
    """Middles of a label round a point, nearest first, above before below."""
    turns = np.pi / 2 + 2.0 * np.pi * np.arange(_LABEL.ways) / _LABEL.ways
    ways = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    to_edge = 0.5 * size / np.abs(ways).max(axis=1, keepdims=True)  # the label's box touches a square round the point
    return np.concatenate([ways * (to_edge + _LABEL.dot + ring) for ring in rings])


def _overlaps(boxes: Boxes, others: Boxes, gap: float) -> np.ndarray:
    """Which of ``boxes`` come nearer than ``gap`` to which of the others."""
    before = boxes[:, None, 2:] + gap <= others[None, :, :2]
    after = boxes[:, None, :2] - gap >= others[None, :, 2:]
    return np.asarray(~(before | after).any(axis=-1))
