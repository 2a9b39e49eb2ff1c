"""A moving picture: the body walking over a grid, seen by a camera that goes along."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.motion.body import BodyMesh, body_mesh
from mocapella.motion.clip import Clip
from mocapella.pictures import canvas

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
