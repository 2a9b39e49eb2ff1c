"""Bodies: stick figures, contact sheets of poses, and moving pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.body.skin import BodyMesh, body_mesh
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.pictures import canvas
from mocapella.rig.roles import find_roles

_Links = list[tuple[int, int, str]]  # two points to join, and a colour: blue left, red right

VIEWS = (("from the right", 2), ("from the front", 0))  # and the axis of places that they show across
_LIGHT = np.array([-0.45, 0.65, 0.6])  # direction to the light: right, up, towards the camera
_BODY = np.array([0.36, 0.58, 0.86])  # red, green and blue of a body in full light


class _Sheet(NamedTuple):
    """Limits of a contact sheet."""

    most_poses: int = 60  # figures in a row that can still be told apart
    least_ground: float = 1.6  # inches: height of the view from above
    most_ground: float = 9.0  # inches, likewise
    crowded: float = 0.35  # of a body's reach: nearer poses lie over each other when seen from above


class _Film(NamedTuple):
    """Limits of a moving picture, and the grid on its ground."""

    most_frames: int = 600  # half a minute
    lines: float = 0.5  # metres between the lines on the ground
    reach: float = 4.0  # metres from the body to the last of them


_SHEET, _FILM = _Sheet(), _Film()


def links(skeleton: Skeleton) -> _Links:
    """The lines of a stick figure: pairs of points, joints first, then end sites, and a colour."""
    roles = {joint: role for role, joint in find_roles(skeleton).items()}
    colours = [_colour(skeleton.path(joint), roles) for joint in range(skeleton.n_joints)]
    joints = [(int(skeleton.parents[joint]), joint, colours[joint]) for joint in range(1, skeleton.n_joints)]
    ends = [(joint, skeleton.n_joints + i, colours[joint]) for i, joint in enumerate(skeleton.end_joints.tolist())]
    return joints + ends


def draw_figure(
    axes: Any,
    across: Float[np.ndarray, " points"],
    up: Float[np.ndarray, " points"],
    joined: _Links,
    *,
    width: float = 1.6,
    transform: Any = None,
) -> None:
    """Draw one stick figure from its points, joints first and then end sites.

    The points are at ``across`` and ``up`` in the matplotlib ``axes``; ``joined`` are lines as ``links`` gives them, of
    a ``width`` in points. ``transform`` maps the points to the picture; the axes' own if None.
    """
    from matplotlib.collections import LineCollection

    ends = [[(across[i], up[i]) for i in pair] for *pair, _ in joined]
    placed = {} if transform is None else {"transform": transform}
    lines = LineCollection(ends, colors=[link[2] for link in joined], linewidths=width, capstyle="round", **placed)
    axes.add_collection(lines, autolim=transform is None)


def draw_row(
    axes: Any,
    poses: Float[np.ndarray, "poses points 3"],
    axis: int,
    joined: _Links,
    step: float,
    *,
    title: str,
    numbers: Sequence[int] = (),
    below: float = 0.0,
    ground: float = 0.0,
    sizes: tuple[float, float] = (9, 7),
) -> None:
    """Draw poses beside each other on the ground, ``step`` apart, across by an ``axis`` of their places.

    ``numbers`` stand at the height ``below``; ``sizes`` are those of the letters of title and numbers, in points.
    """
    for column, points in enumerate(poses):
        draw_figure(axes, points[:, axis] + step * column, points[:, 1], joined)
    for column, number in enumerate(numbers):
        axes.text(step * column, below, str(number), ha="center", va="top", fontsize=sizes[1])
    axes.axhline(ground, color=canvas.GROUND, zorder=0)
    axes.set_title(title, fontsize=sizes[0], loc="left")
    axes.set_aspect("equal")
    axes.set_axis_off()


def _colour(path: list[int], roles: dict[int, str]) -> str:
    """Blue for a joint that is, or hangs on, a left one; red for a right one."""
    sides = (roles.get(joint, "").partition("_")[0] for joint in path)
    colours = {"left": canvas.LEFT, "right": canvas.RIGHT}
    return next((colours[side] for side in sides if side in colours), canvas.MIDDLE)


def draw_contact_sheet(
    clip: Clip, path: str | PathLike[str], *, poses: int = 10, frames: Sequence[int] | None = None
) -> None:
    """Draw poses of a clip from the right, the front and above, and the path of the root.

    Poses are turned to the heading of the body, so that the side view is a side view throughout. An artificial rest
    pose at the start is left out. ``clip`` is drawn to ``path`` in ``poses`` evenly spaced poses, or in those of
    ``frames``, rows of the source.
    """
    captured = clip.captured
    chosen = _choose(captured, poses, frames)
    joined = links(clip.skeleton)
    places = poses_facing_ahead(captured, chosen)
    heights = np.concatenate([captured.positions[..., 1], captured.end_positions[..., 1]], axis=1)
    floor = float(np.percentile(heights.min(axis=1), 5))
    size = _reach(places)
    height = float(places[..., 1].max()) - floor

    rows = (chosen + captured.first_row).tolist()
    step = 2.2 * size
    width = max(7.0, 1.15 * len(rows))
    # A view is as high as a pose at the scale at which all of them fill its width; the ground is as high as its path.
    left, right = _sheet(places, step, size)
    view = width * (height + 0.3) / (right - left)
    box = _ground(captured, chosen)
    ground = float(np.clip(width * np.ptp(box[:, 1]) / np.ptp(box[:, 0]), _SHEET.least_ground, _SHEET.most_ground))
    with canvas.page(path, width, 2.0 * view + ground + 1.6, _title(clip)) as figure:
        grid = figure.add_gridspec(3, 1, height_ratios=(view, view, ground))
        for i, (title, axis) in enumerate(VIEWS):
            axes = figure.add_subplot(grid[i])
            draw_row(axes, places, axis, joined, step, title=title, numbers=rows, below=floor - 0.1, ground=floor)
            axes.set(xlim=(left, right), ylim=(floor - 0.25, floor + height + 0.05))
        _draw_from_above(figure.add_subplot(grid[2]), captured, chosen, joined, box)


def _choose(clip: Clip, poses: int, frames: Sequence[int] | None) -> Int[np.ndarray, " poses"]:
    if frames is not None:
        first, last = clip.first_row, clip.first_row + clip.n_frames - 1
        if len(frames) == 0 or min(frames) < first or max(frames) > last:
            raise MotionError(f"expected frames from {first} to {last}, got {list(frames)}")
        return np.asarray(frames, dtype=np.int64) - first
    if not 1 <= poses <= _SHEET.most_poses:
        raise MotionError(f"expected 1 to {_SHEET.most_poses} poses, got {poses}")
    return np.unique(np.linspace(0, clip.n_frames - 1, min(poses, clip.n_frames)).round().astype(np.int64))


def poses_of(clip: Clip, frames: Int[np.ndarray, " poses"]) -> Float[np.ndarray, "poses points 3"]:
    """Places of joints, then end sites, in some frames, in metres."""
    return np.concatenate([clip.positions[frames], clip.end_positions[frames]], axis=1)


def poses_facing_ahead(clip: Clip, frames: Int[np.ndarray, " poses"]) -> Float[np.ndarray, "poses points 3"]:
    """The poses over the origin, facing +z."""
    points = poses_of(clip, frames)
    root = clip.root_positions[frames] * np.array([1.0, 0.0, 1.0])
    back = quaternions.about_y(-quaternions.yaw(clip.rotations_wxyz[frames, 0]))
    return quaternions.rotate(back[:, None], points - root[:, None])


def _reach(places: Float[np.ndarray, "poses points 3"]) -> float:
    """Half the width a pose takes up on the sheet."""
    return max(0.35, 0.5 * float(np.percentile(np.ptp(places[..., (0, 2)], axis=1).max(axis=1), 90)))


def _sheet(places: Float[np.ndarray, "poses points 3"], step: float, size: float) -> tuple[float, float]:
    """Where the sheet begins and ends: the first and the last pose lie in it, however far they reach."""
    across, margin = places[..., (0, 2)], 0.1 * size
    begins, ends = min(-size, float(across[0].min())), max(size, float(across[-1].max()))
    return begins - 2.0 * margin, step * (len(places) - 1) + ends + 2.0 * margin


def _ground(clip: Clip, frames: Int[np.ndarray, " poses"]) -> Float[np.ndarray, "2 2"]:
    """The least and the greatest z and x of the root's path and the poses on it, with a margin."""
    places = np.concatenate([clip.root_positions, poses_of(clip, frames).reshape(-1, 3)])[:, [2, 0]]
    margin = max(0.2, 0.03 * float(np.ptp(places, axis=0).max()))
    return np.stack([places.min(axis=0) - margin, places.max(axis=0) + margin])


def _draw_from_above(
    axes: Any, clip: Clip, frames: Int[np.ndarray, " poses"], joined: _Links, box: Float[np.ndarray, "2 2"]
) -> None:
    """The path of the root over the ground and the poses on it: z to the right of the paper, x up."""
    path = clip.root_positions
    axes.plot(path[:, 2], path[:, 0], color=canvas.PALE, linewidth=1.0)
    poses = poses_of(clip, frames)
    title = "from above: the path of the root, a dot where it starts"
    apart = np.linalg.norm(np.diff(path[frames][:, [0, 2]], axis=0), axis=1)
    size = _reach(poses - poses[:, :1])
    if len(apart) and np.sort(apart)[len(apart) // 4] < _SHEET.crowded * size:  # bodies over each other cannot be read
        title += "; arrows where the body faces, with frames"
        for frame in frames:
            (x, _, z), yaw = path[frame], clip.headings[frame]
            ahead = 0.25 * size * np.array([np.cos(yaw), np.sin(yaw)])
            style = {"color": canvas.GREEN, "width": 0.003, "headwidth": 4, "zorder": 3}
            axes.quiver(z, x, *ahead, angles="xy", scale_units="xy", scale=1.0, **style)
            aside = 0.32 * size * np.array([np.cos(yaw), np.sin(yaw)])
            axes.text(
                z + aside[0], x + aside[1], str(int(frame) + clip.first_row), fontsize=6, ha="center", va="center"
            )
    else:
        for points in poses:
            draw_figure(axes, points[:, 2], points[:, 0], joined)
    axes.plot(*path[0, [2, 0]], marker="o", color=canvas.INK, markersize=4)
    axes.set_title(title, fontsize=9, loc="left")
    axes.set(xlim=box[:, 0], ylim=box[:, 1], xlabel="z, metres", ylabel="x")
    axes.set_aspect("equal")


def _title(clip: Clip) -> str:
    frames, joints = f"{clip.n_frames} frames at {clip.frame_rate:g} Hz", f"{clip.skeleton.n_joints} joints"
    tall = f" · {clip.report.height:.2f} m tall" if clip.report.height else ""
    return f"{clip.name or 'clip'} · {frames} · {joints}{tall}"


MOVING_RATE = 20.0  # frames per second of a moving picture


def draw_moving_picture(
    clip: Clip,
    path: str | PathLike[str],
    *,
    frame_rate: float = MOVING_RATE,
    size: tuple[int, int] = (420, 320),
    yaw: float = 0.9,
    pitch: float = 0.22,
    progress: Callable[[], None] = lambda: None,
) -> None:
    """Draw a clip as an animated GIF that repeats, seen by a camera that follows the body over a grid.

    The picture has ``frame_rate`` frames per second, 600 at most, and a ``size`` in pixels, width and height. ``yaw``
    and ``pitch`` are radians from the direction ahead to the camera, and down from it to the body. ``progress`` is
    called after each frame.
    """
    if Path(path).suffix.lower() != ".gif":
        raise MotionError(f"cannot draw {Path(path).name}: a moving picture is a .gif")
    sampled = clip.captured.resampled(frame_rate)
    if sampled.n_frames > _FILM.most_frames:
        raise MotionError(
            f"a moving picture has at most {_FILM.most_frames} frames, not {sampled.n_frames}; cut the clip"
        )
    figure = canvas.figure(size[0] / 100, size[1] / 100)
    figure.set_layout_engine(None)
    body = body_mesh(clip.skeleton)
    vertices = body.posed(*sampled.world)
    eye = _camera(yaw, pitch)
    floor = float(np.percentile(vertices[..., 1].min(axis=1), 5))
    way = _camera_path(sampled)
    height = float(np.ptp(vertices[..., 1]))
    half = 0.6 * height
    ground, shape = _stage(figure, half * size[0] / size[1], half)
    pictures = []
    for frame in range(sampled.n_frames):
        centre = np.array([way[frame, 0], floor + 0.5 * height, way[frame, 1]])
        ground.set_segments(_ground_lines(centre, floor, eye))
        _shade(shape, vertices[frame] - centre, body, eye)
        figure.canvas.draw()
        pictures.append(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())  # type: ignore[attr-defined]
        progress()
    _save(pictures, path, frame_rate)


def _camera(yaw: float, pitch: float) -> Float[np.ndarray, "3 3"]:
    """Rows: to the right of the picture, up in it, and towards the eye."""
    towards = np.array([-np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)])
    right = np.cross([0.0, 1.0, 0.0], towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def _camera_path(clip: Clip) -> Float[np.ndarray, "frames 2"]:
    """The path of the camera: that of the root over the ground, without the sway of steps."""
    ground = clip.root_positions[:, [0, 2]]
    width = max(1, min(clip.n_frames // 2, round(0.5 * clip.frame_rate)))
    padded = np.pad(ground, ((width, width), (0, 0)), mode="reflect", reflect_type="odd")
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    return np.stack([np.convolve(padded[:, axis], kernel, "valid") for axis in range(2)], axis=1)


def _stage(figure: Any, width: float, height: float) -> tuple[Any, Any]:
    """The lines on the ground and the faces of the body, in axes that reach so far from the middle.

    They are made once and moved from frame to frame: making them anew takes several times as long as drawing them.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(-width, width), ylim=(-height, height))
    ground = LineCollection([], colors="#e3e6ec", linewidths=0.8, zorder=0)
    shape = PolyCollection([], linewidths=0.4)
    for collection in (ground, shape):
        axes.add_collection(collection, autolim=False)
    return ground, shape


def _ground_lines(
    centre: Float[np.ndarray, "3"], floor: float, eye: Float[np.ndarray, "3 3"]
) -> Float[np.ndarray, "lines 2 2"]:
    """Both ends of the lines on the ground about a place, as the eye sees them from there."""
    steps = np.arange(int(2 * _FILM.reach / _FILM.lines) + 1) * _FILM.lines
    ends = np.empty((2, len(steps), 2, 3))
    ends[..., 1] = floor
    for lines, axis, along in ((ends[0], 0, 2), (ends[1], 2, 0)):
        lines[..., axis] = (np.ceil((centre[axis] - _FILM.reach) / _FILM.lines) * _FILM.lines + steps)[:, None]
        lines[..., along] = centre[along] - _FILM.reach, centre[along] + _FILM.reach
    return np.asarray((ends.reshape(-1, 2, 3) - centre) @ eye[:2].T)


def _shade(
    shape: Any, vertices: Float[np.ndarray, "vertices 3"], body: BodyMesh, eye: Float[np.ndarray, "3 3"]
) -> None:
    """Draw the faces that look at the eye, far ones first, lit from above."""
    corners = vertices[body.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    order = np.argsort(corners.mean(axis=1) @ eye[2])
    order = order[normals[order] @ eye[2] > 0.0]
    light = 0.5 + 0.6 * np.clip(normals[order] @ (_LIGHT @ eye), 0.0, 1.0)
    colours = np.clip(light[:, None] * _BODY, 0.0, 1.0)
    shape.set_verts(corners[order] @ eye[:2].T)
    shape.set(facecolors=colours, edgecolors=colours)


def _save(pictures: list[np.ndarray], path: str | PathLike[str], frame_rate: float) -> None:
    from PIL import Image

    palette = Image.fromarray(np.concatenate(pictures[:: max(1, len(pictures) // 4)])).quantize(32)
    images = [Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    milliseconds = round(1000 / frame_rate)
    with replacing(path) as file:
        images[0].save(file, format="GIF", save_all=True, append_images=images[1:], duration=milliseconds, loop=0)
