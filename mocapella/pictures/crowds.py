"""Pictures of crowds: from above with the ways they went, and in perspective."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float, Float32

from mocapella.motion.skeleton import Skeleton
from mocapella.pictures.canvas import GRID, INK, PALE, page

_LENS = 1.4  # of half a picture's width: how long the lens is
_HUES = ("#1f77b4", "#d6483b", "#2f7d4f", "#c79a2b", "#7a5195", "#3c8d93")


def draw_crowd(
    skeleton: Skeleton,
    poses: Float32[np.ndarray, "characters joints 3 4"],
    ways: Float[np.ndarray, "frames characters 2"],
    path: str | PathLike[str],
    *,
    title: str = "",
) -> None:
    """Draw a crowd twice: from above, with the ways it went, and in perspective.

    Parameters
    ----------
    skeleton
        Whose joints these are.
    poses
        World rotations and positions (last column, metres) of all joints at one moment.
    ways
        Where roots went on the ground (x, z), metres, up to that moment.
    path
        The picture to write.
    title
        Above it.
    """
    with page(path, 12.0, 6.2, title) as figure:
        above, seen = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
        _draw_above(above, poses, ways)
        _draw_perspective(seen, skeleton, poses)


def _draw_above(
    axes: Any, poses: Float32[np.ndarray, "characters joints 3 4"], ways: Float[np.ndarray, "frames characters 2"]
) -> None:
    from matplotlib.collections import LineCollection

    lines = np.swapaxes(ways, 0, 1)
    colours = [_HUES[i % len(_HUES)] for i in range(len(lines))]
    axes.add_collection(LineCollection(list(lines), colors=colours, linewidths=0.5, alpha=0.45))
    size = max(1.0, 110.0 / np.sqrt(len(poses)))
    axes.scatter(poses[:, 0, 0, 3], poses[:, 0, 2, 3], s=0.6 * size, c=colours, linewidths=0, zorder=3)
    facing = poses[:, 0, :, 2]
    arrows = 0.9 * min(1.0, 300.0 / len(poses))
    axes.quiver(
        poses[:, 0, 0, 3], poses[:, 0, 2, 3], facing[:, 0], facing[:, 2], color=INK, alpha=arrows, angles="xy",
        width=0.0015, scale=45.0, zorder=4,
    )  # fmt: skip
    axes.set(xlabel="x, m", ylabel="z, m", title="from above: ways, places and headings")
    axes.set_aspect("equal")
    axes.invert_xaxis()  # +x is to the left of who faces +z
    axes.autoscale_view()


def _draw_perspective(axes: Any, skeleton: Skeleton, poses: Float32[np.ndarray, "characters joints 3 4"]) -> None:
    """Stick figures as a camera sees them, far ones paler and first."""
    from matplotlib.collections import LineCollection

    ground = poses[:, 0, ::2, 3].astype(np.float64)
    centre = np.median(ground, axis=0)
    radius = float(np.quantile(np.linalg.norm(ground - centre, axis=1), 0.95)) + 2.0
    eye = np.array([centre[0] - 0.35 * radius, 2.2 + 0.16 * radius, centre[1] - 0.95 * radius - 2.0])
    aim = np.array([centre[0], 0.6, centre[1]])
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(right, ahead), ahead])
    _draw_floor(axes, eye, frame, centre, radius)
    ends = np.array([(int(parent), joint) for joint, parent in enumerate(skeleton.parents.tolist()) if parent >= 0])
    tips = poses[:, skeleton.end_joints]
    tips = np.einsum("njab,jb->nja", tips[..., :3], skeleton.end_offsets) + tips[..., 3]
    numbers = skeleton.n_joints + np.arange(len(skeleton.end_joints))
    ends = np.concatenate([ends, np.stack([skeleton.end_joints, numbers], axis=-1)])
    places = (np.concatenate([poses[..., 3], tips], axis=1).astype(np.float64) - eye) @ frame.T
    order = np.argsort(-places[:, 0, 2])
    order = order[places[order, :, 2].min(axis=1) > 0.5]
    flat = _LENS * places[order, :, :2] / places[order, :, 2:]
    depth = places[order, 0, 2]
    segments = flat[:, ends].reshape(-1, 2, 2)
    near = np.clip(np.quantile(depth, 0.05) / depth, 0.12, 1.0) if len(depth) else depth
    hues = np.array([_rgb(_HUES[int(i) % len(_HUES)]) for i in order]).reshape(-1, 3)
    colours = 1.0 - (0.35 + 0.65 * near)[:, None] * (1.0 - hues)
    widths = np.repeat(np.clip(26.0 / np.maximum(depth, 1.0), 0.35, 3.0), len(ends))
    axes.add_collection(LineCollection(segments, colors=np.repeat(colours, len(ends), axis=0), linewidths=widths))
    axes.set(xlim=(-1.0, 1.0), ylim=(-0.72, 0.42), xticks=[], yticks=[], title="in perspective")
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _draw_floor(axes: Any, eye: np.ndarray, frame: np.ndarray, centre: np.ndarray, radius: float) -> None:
    """A grid on the ground, two metres apart."""
    from matplotlib.collections import LineCollection

    step = 2.0 if radius < 40.0 else 10.0
    count = int(1.6 * radius / step)
    lines = []
    for k in range(-count, count + 1):
        for axis in (0, 1):
            along = np.linspace(-count * step, count * step, 120)
            ends = np.zeros((len(along), 3))
            ends[:, 2 * axis] = np.round(centre[axis] / step) * step + k * step
            ends[:, 2 - 2 * axis] = centre[1 - axis] + along
            seen = (ends - eye) @ frame.T
            seen = seen[seen[:, 2] > 1.0]
            if len(seen) > 1:
                lines.append(_LENS * seen[:, :2] / seen[:, 2:])
    axes.add_collection(LineCollection(lines, colors=GRID if step < 5.0 else PALE, linewidths=0.5))


def _rgb(colour: str) -> tuple[float, float, float]:
    return tuple(int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))  # type: ignore[return-value]
