"""Motions beside each other: one before and after it was edited, or one on several bodies."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from mocapella.editing.edits import Edited, Motion
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.pictures import canvas
from mocapella.pictures.bodies import VIEWS, draw_figure, draw_row, links, poses_facing_ahead, poses_of


class _Look(NamedTuple):
    """Sizes of a picture of edited motions."""

    most_poses: int = 40  # figures in a row that can still be told apart
    uneven: float = 0.6180339887  # the golden section: its multiples fill an interval evenly
    rounds: int = 2  # of a cycle that are drawn
    margin: float = 0.3  # metres round the path
    least_ground: float = 1.6  # inches: height of the view from above
    most_ground: float = 7.0  # inches, likewise


_LOOK = _Look()


def draw_edited(done: Edited, path: str | PathLike[str], *, poses: int = 10, title: str = "") -> None:
    """Draw a motion before and after its edits, ``done``, to ``path``: ``poses`` evenly spaced ones of each.

    The ``title`` is that of the picture; the names of the edits if empty.
    """
    motions = [("before", _clip(done.original)), ("after", _clip(done.result))]
    chosen = [_evenly(clip, poses) for _, clip in motions]
    posed = [poses_facing_ahead(clip, frames) for (_, clip), frames in zip(motions, chosen, strict=True)]
    floor = min(0.0, *(float(places[..., 1].min()) for places in posed))
    height = max(float(places[..., 1].max()) for places in posed) - floor
    size = max(0.35, *(0.5 * float(np.percentile(np.ptp(places[..., 2], axis=1), 90)) for places in posed))
    step = 2.2 * size
    width = max(8.0, 1.2 * poses)
    view = width * (height + 0.3) / (step * poses + 0.2 * size)
    box = _box(motions)
    ground = float(np.clip(width * np.ptp(box[:, 1]) / np.ptp(box[:, 0]), _LOOK.least_ground, _LOOK.most_ground))
    named = title or f"{done.original.name or 'motion'}: {', '.join(edit.name for edit in done.edits) or 'no edits'}"
    with canvas.page(path, width, 2.0 * view + ground + 1.6, named) as figure:
        grid = figure.add_gridspec(3, 1, height_ratios=(view, view, ground))
        for row, ((label, clip), frames, places) in enumerate(zip(motions, chosen, posed, strict=True)):
            axes = figure.add_subplot(grid[row])
            numbers, told = (frames + clip.first_row).tolist(), f"{label}, from the right"
            draw_row(axes, places, 2, links(clip.skeleton), step, title=told, numbers=numbers, below=floor - 0.08)
            axes.set(xlim=(-1.2 * size, step * (poses - 1) + 1.2 * size), ylim=(floor - 0.25, floor + height + 0.05))
        _draw_above(figure.add_subplot(grid[2]), motions, chosen, box)


def draw_beside(
    clips: Sequence[Clip], path: str | PathLike[str], *, titles: Sequence[str] = (), poses: int = 8, title: str = ""
) -> None:
    """Draw poses of several clips at the same share of their length, one clip below the other, all to one scale.

    Every pose is turned to the heading of its body and drawn from the right and from the front. ``clips`` are one or
    more, of any skeletons; artificial rest poses at the start are left out. ``poses`` evenly spaced ones of each are
    drawn to ``path``; ``titles`` are those of the clips, their names where there are none, and ``title`` stands above
    all.
    """
    if not clips or not 1 <= poses <= _LOOK.most_poses:
        raise MotionError(
            expected=f"one clip or more, and 1 to {_LOOK.most_poses} poses", got=f"{len(clips)} and {poses}"
        )
    captured = [clip.captured for clip in clips]
    chosen = [np.linspace(0, clip.n_frames - 1, poses).round().astype(np.int64) for clip in captured]
    places = [poses_facing_ahead(clip, frames) for clip, frames in zip(captured, chosen, strict=True)]
    height = max(float(points[..., 1].max()) for points in places)
    floor = min(0.0, *(float(points[..., 1].min()) for points in places))
    step = 0.25 + max(float(np.ptp(points[..., (0, 2)], axis=1).max()) for points in places)
    width = max(7.0, 1.1 * poses)
    row = width * (height - floor + 0.2) / (step * poses)
    names = [*titles, *(clip.name for clip in clips[len(titles) :])]
    with canvas.page(path, width, 2.0 * row * len(clips) + 0.8, title) as figure:
        grid = figure.add_gridspec(2 * len(clips), 1)
        for i, (clip, frames, points) in enumerate(zip(captured, chosen, places, strict=True)):
            joined = links(clip.skeleton)
            for j, (view, axis) in enumerate(VIEWS):
                axes = figure.add_subplot(grid[2 * i + j])
                numbers: list[int] = (frames + clip.first_row).tolist() if j else []
                told, below = f"{names[i]}, {view}", floor - 0.05
                draw_row(axes, points, axis, joined, step, title=told, numbers=numbers, below=below, sizes=(8.0, 6.0))
                axes.set(xlim=(-0.6 * step, step * (poses - 0.4)), ylim=(floor - 0.15, height + 0.05))


def _draw_above(axes: Any, motions: list[tuple[str, Clip]], chosen: list[Any], box: Any) -> None:
    """Both paths over the ground, and the poses of the edited motion on its own."""
    (_, before), (_, after) = motions
    axes.plot(*before.root_positions[:, [2, 0]].T, color=canvas.PALE, linewidth=2.0, label="root before")
    axes.plot(*after.root_positions[:, [2, 0]].T, color=canvas.INK, linewidth=1.0, label="root after")
    joined = links(after.skeleton)
    for points in poses_of(after, chosen[1]):
        draw_figure(axes, points[:, 2], points[:, 0], joined, width=1.0)
    axes.set(xlim=box[:, 0], ylim=box[:, 1], xlabel="z, metres", ylabel="x")
    axes.set_title("from above", fontsize=9, loc="left")
    axes.legend(loc="best")
    axes.set_aspect("equal")


def _box(motions: list[tuple[str, Clip]]) -> Any:
    places = np.concatenate([clip.root_positions[:, [2, 0]] for _, clip in motions])
    return np.stack([places.min(axis=0) - 2.0 * _LOOK.margin, places.max(axis=0) + 2.0 * _LOOK.margin])


def _evenly(clip: Clip, poses: int) -> Int[np.ndarray, " poses"]:
    """Frames spread over a clip, a little unevenly: even ones would show the same moment of every step."""
    places = np.arange(poses, dtype=np.float64)
    places[1:-1] += 0.7 * ((places[1:-1] * _LOOK.uneven) % 1.0 - 0.5)
    return (places / max(poses - 1, 1) * (clip.n_frames - 1)).round().astype(np.int64)


def _clip(motion: Motion) -> Clip:
    return motion.captured if isinstance(motion, Clip) else motion.to_clip(rounds=_LOOK.rounds)
