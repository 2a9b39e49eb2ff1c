"""Bodies drawn: stick figures, contact sheets, moving pictures."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from mocapella.body.mesh import BodyMesh, body_mesh
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.pictures import canvas
from mocapella.rig.roles import find_roles

# Stick figures: a line for every joint, blue on the left side of the body, red on the right.

Links = list[tuple[int, int, str]]


def links(skeleton: Skeleton) -> Links:
    """Pairs of points to join, joints first and then end sites, with a colour for their side."""
    roles = {joint: role for role, joint in find_roles(skeleton).items()}
    found = []
    for joint in range(1, skeleton.n_joints):
        found.append((int(skeleton.parents[joint]), joint, _colour(skeleton.path(joint), roles)))
    for end, joint in enumerate(skeleton.end_joints):
        found.append((int(joint), skeleton.n_joints + end, _colour(skeleton.path(int(joint)), roles)))
    return found


def draw_figure(
    axes: Any,
    across: Float[np.ndarray, " points"],
    up: Float[np.ndarray, " points"],
    joined: Links,
    *,
    width: float = 1.6,
    transform: Any = None,
) -> None:
    """Draw one figure from its points, joints first and then end sites; into ``transform`` instead of the axes' own."""
    from matplotlib.collections import LineCollection

    ends = [[(across[i], up[i]) for i in pair] for *pair, _ in joined]
    placed = {} if transform is None else {"transform": transform}
    lines = LineCollection(ends, colors=[link[2] for link in joined], linewidths=width, capstyle="round", **placed)
    axes.add_collection(lines, autolim=transform is None)


def _colour(path: list[int], roles: dict[int, str]) -> str:
    """Blue for a joint that is, or hangs on, a left one; red for a right one."""
    for joint in path:
        role = roles.get(joint, "")
        if role.startswith("left_"):
            return canvas.LEFT
        if role.startswith("right_"):
            return canvas.RIGHT
    return canvas.MIDDLE


# A contact sheet: evenly spaced poses from the side, the front and above, over the ground they stand on.

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


# A moving picture: the body walking over a grid, seen by a camera that goes along.

MOST_FRAMES = 600
_LIGHT = np.array([-0.45, 0.65, 0.6])  # over the left shoulder of whoever looks: right, up, towards the eye
_BODY = np.array([0.36, 0.58, 0.86])
_GRID = 0.5  # metres between the lines on the ground


def draw_moving_picture(
    clip: Clip,
    path: str | PathLike[str],
    *,
    frame_rate: float = 20.0,
    size: tuple[int, int] = (420, 320),
    yaw: float = 0.9,
    pitch: float = 0.22,
) -> None:
    """Draw a clip as an animated GIF that repeats for ever.

    The camera looks down by ``pitch`` radians from ``yaw`` radians beside the way ahead, and goes along at the clip's
    own mean speed, so that the body stays in the picture and the ground passes by.
    """
    if Path(path).suffix.lower() != ".gif":
        raise MotionError(f"cannot draw {Path(path).name}: a moving picture is a .gif")
    sampled = clip.captured.resampled(frame_rate)
    if sampled.n_frames > MOST_FRAMES:
        raise MotionError(f"a moving picture has at most {MOST_FRAMES} frames, not {sampled.n_frames}; cut the clip")
    figure = canvas.figure(size[0] / 100, size[1] / 100)
    figure.set_layout_engine(None)
    axes = figure.add_axes((0, 0, 1, 1))
    body = body_mesh(clip.skeleton)
    vertices = body.posed(*sampled.world)
    eye = _camera(yaw, pitch)
    floor = float(np.percentile(vertices[..., 1].min(axis=1), 5))
    way = _steady_way(sampled)
    height = float(np.ptp(vertices[..., 1]))
    pictures = []
    for frame in range(sampled.n_frames):
        axes.clear()
        canvas.plain(axes)
        centre = np.array([way[frame, 0], floor + 0.5 * height, way[frame, 1]])
        _draw_ground(axes, centre, floor, eye)
        _draw_body(axes, vertices[frame] - centre, body, eye)
        half = 0.6 * height
        axes.set_xlim(-half * size[0] / size[1], half * size[0] / size[1])
        axes.set_ylim(-half, half)
        figure.canvas.draw()
        pictures.append(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())  # type: ignore[attr-defined]
    _save(pictures, path, frame_rate)


def _camera(yaw: float, pitch: float) -> Float[np.ndarray, "3 3"]:
    """Rows: to the right of the picture, up in it, and towards the eye."""
    towards = np.array([-np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)])
    right = np.cross([0.0, 1.0, 0.0], towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def _steady_way(clip: Clip) -> Float[np.ndarray, "frames 2"]:
    """A smooth way over the ground near the root's: its sway is motion of the body, not of the camera."""
    ground = clip.root_positions[:, [0, 2]]
    width = max(1, min(clip.n_frames // 2, round(0.5 * clip.frame_rate)))
    padded = np.concatenate(
        [2 * ground[0] - ground[width:0:-1], ground, 2 * ground[-1] - ground[-2 : -width - 2 : -1]]
        if clip.n_frames > width
        else [np.repeat(ground[:1], width, axis=0), ground, np.repeat(ground[-1:], width, axis=0)]
    )
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    return np.stack([np.convolve(padded[:, axis], kernel, "valid") for axis in range(2)], axis=1)


def _draw_ground(axes: Any, centre: Float[np.ndarray, "3"], floor: float, eye: Float[np.ndarray, "3 3"]) -> None:
    reach = 4.0
    first = np.ceil((centre - reach) / _GRID) * _GRID
    steps = np.arange(int(2 * reach / _GRID) + 1) * _GRID
    for axis, along in ((0, 2), (2, 0)):
        for at in first[axis] + steps:
            ends = np.array([[0.0, floor, 0.0]] * 2)
            ends[:, axis] = at
            ends[:, along] = centre[along] - reach, centre[along] + reach
            flat = (ends - centre) @ eye[:2].T
            axes.plot(flat[:, 0], flat[:, 1], color="#e3e6ec", linewidth=0.8, zorder=0)


def _draw_body(
    axes: Any, vertices: Float[np.ndarray, "vertices 3"], body: BodyMesh, eye: Float[np.ndarray, "3 3"]
) -> None:
    """The faces that look at the eye, far ones first, lit from above."""
    from matplotlib.collections import PolyCollection

    corners = vertices[body.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    order = np.argsort(corners.mean(axis=1) @ eye[2])
    order = order[normals[order] @ eye[2] > 0.0]
    light = 0.5 + 0.6 * np.clip(normals[order] @ (_LIGHT @ eye), 0.0, 1.0)
    colours = np.clip(light[:, None] * _BODY, 0.0, 1.0)
    flat = corners[order] @ eye[:2].T
    axes.add_collection(PolyCollection(flat, facecolors=colours, edgecolors=colours, linewidths=0.4))


def _save(pictures: list[np.ndarray], path: str | PathLike[str], frame_rate: float) -> None:
    from PIL import Image

    palette = Image.fromarray(np.concatenate(pictures[:: max(1, len(pictures) // 4)])).quantize(32)
    images = [Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    milliseconds = round(1000 / frame_rate)
    with replacing(path) as file:
        images[0].save(file, format="GIF", save_all=True, append_images=images[1:], duration=milliseconds, loop=0)
