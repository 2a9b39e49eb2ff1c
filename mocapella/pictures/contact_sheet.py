"""A contact sheet: evenly spaced poses from the side, the front and above, over the ground they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.pictures import canvas
from mocapella.pictures.stick_figure import Links, draw_figure, links

MOST_POSES = 60
LEAST_GROUND, MOST_GROUND = 1.6, 9.0  # inches of paper for the way seen from above


def draw_contact_sheet(
    clip: Clip, path: str | PathLike[str], *, poses: int = 10, frames: Sequence[int] | None = None
) -> None:
    """Draw ``poses`` evenly spaced poses, or the given frames, and the way of the root.

    Poses are turned to the heading the body has in each, so that the side view is always a side view. Frames are named
    by the source's own rows; an artificial rest pose at the start is left out.
    """
    captured = clip.captured
    chosen = _choose(captured, poses, frames)
    joined = links(clip.skeleton)
    places = _turned_to_heading(captured, chosen)
    heights = np.concatenate([captured.positions[..., 1], captured.end_positions[..., 1]], axis=1)
    floor = float(np.percentile(heights.min(axis=1), 5))
    size = _reach(places)
    height = float(places[..., 1].max()) - floor

    columns = len(chosen)
    width = max(7.0, 1.15 * columns)
    # A view is as high as a pose at the scale at which all of them fill its width; the ground is as high as its way.
    view = width * (height + 0.3) / (2.2 * size * columns + 0.2 * size)
    box = _ground(captured, chosen)
    ground = float(np.clip(width * np.ptp(box[:, 1]) / np.ptp(box[:, 0]), LEAST_GROUND, MOST_GROUND))
    figure = canvas.figure(width, 2.0 * view + ground + 1.6)
    grid = figure.add_gridspec(3, 1, height_ratios=(view, view, ground))
    views = (("from the right", 2), ("from the front", 0))  # z, or x, to the right of the paper
    for row, (title, axis) in enumerate(views):
        axes = figure.add_subplot(grid[row])
        for column in range(columns):
            draw_figure(axes, places[column][:, axis] + 2.2 * size * column, places[column][:, 1], joined)
            row_number = str(int(chosen[column]) + captured.first_row)
            axes.text(2.2 * size * column, floor - 0.1, row_number, ha="center", va="top", fontsize=7)
        axes.axhline(floor, color=canvas.GROUND, linewidth=1.2, zorder=0)
        axes.set_xlim(-1.2 * size, 2.2 * size * (columns - 1) + 1.2 * size)
        axes.set_ylim(floor - 0.25, floor + height + 0.05)
        axes.set_title(title, fontsize=9, color=canvas.INK, loc="left")
        axes.set_aspect("equal")
        canvas.plain(axes)
    _draw_from_above(figure.add_subplot(grid[2]), captured, chosen, joined, box)
    figure.suptitle(_title(clip), fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _choose(clip: Clip, poses: int, frames: Sequence[int] | None) -> Int[np.ndarray, " poses"]:
    if frames is not None:
        chosen = np.asarray(frames, dtype=np.int64) - clip.first_row
        if len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= clip.n_frames:
            last = clip.first_row + clip.n_frames - 1
            raise MotionError(f"expected frames from {clip.first_row} to {last}, got {list(frames)}")
        return chosen
    if not 1 <= poses <= MOST_POSES:
        raise MotionError(f"expected 1 to {MOST_POSES} poses, got {poses}")
    return np.unique(np.linspace(0, clip.n_frames - 1, min(poses, clip.n_frames)).round().astype(np.int64))


def _points(clip: Clip, frames: Int[np.ndarray, " poses"]) -> Float[np.ndarray, "poses points 3"]:
    return np.concatenate([clip.positions[frames], clip.end_positions[frames]], axis=1)


def _turned_to_heading(clip: Clip, frames: Int[np.ndarray, " poses"]) -> Float[np.ndarray, "poses points 3"]:
    """The poses over the origin, facing +z."""
    points = _points(clip, frames)
    root = clip.root_positions[frames] * np.array([1.0, 0.0, 1.0])
    back = quaternions.about_y(-quaternions.yaw(clip.rotations_wxyz[frames, 0]))
    return quaternions.rotate(back[:, None], points - root[:, None])


def _reach(places: Float[np.ndarray, "poses points 3"]) -> float:
    """Half the width a pose takes up on the sheet."""
    return max(0.35, 0.5 * float(np.percentile(np.ptp(places[..., (0, 2)], axis=1).max(axis=1), 90)))


def _ground(clip: Clip, frames: Int[np.ndarray, " poses"]) -> Float[np.ndarray, "2 2"]:
    """What the way and the poses on it take up, seen from above: the least and the greatest z and x, with a margin."""
    places = np.concatenate([clip.root_positions, _points(clip, frames).reshape(-1, 3)])[:, [2, 0]]
    margin = max(0.2, 0.03 * float(np.ptp(places, axis=0).max()))
    return np.stack([places.min(axis=0) - margin, places.max(axis=0) + margin])


def _draw_from_above(
    axes: Any, clip: Clip, frames: Int[np.ndarray, " poses"], joined: Links, box: Float[np.ndarray, "2 2"]
) -> None:
    """The way of the root over the ground and the poses on it: z to the right of the paper, x up."""
    path = clip.root_positions
    axes.plot(path[:, 2], path[:, 0], color=canvas.PALE, linewidth=1.0)
    for points in _points(clip, frames):
        draw_figure(axes, points[:, 2], points[:, 0], joined)
    axes.plot(*path[0, [2, 0]], marker="o", color=canvas.INK, markersize=4)
    axes.set_title("from above: the way of the root, a dot where it starts", fontsize=9, color=canvas.INK, loc="left")
    axes.set_xlim(*box[:, 0])
    axes.set_ylim(*box[:, 1])
    axes.set_aspect("equal")
    axes.grid(color="#eef0f4")
    axes.set_xlabel("z, metres", fontsize=7)
    axes.set_ylabel("x", fontsize=7)
    axes.tick_params(labelsize=6)


def _title(clip: Clip) -> str:
    report = clip.report
    parts = [
        clip.name or "clip",
        f"{clip.n_frames} frames at {clip.frame_rate:g} Hz",
        f"{clip.skeleton.n_joints} joints",
        f"{report.height:.2f} m tall" if report.height else "",
    ]
    return " · ".join(part for part in parts if part)
