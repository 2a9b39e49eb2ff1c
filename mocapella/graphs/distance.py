"""Distances between frames of motions over a window of time: by clouds of joints, or by joint angles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.gpu import cuda_arrays
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles

_LOOKS = 5  # times within a window: velocity and acceleration count through them
_ROLE_WEIGHTS: Mapping[str, float] = MappingProxyType(  # LCR+02: these joints determine a pose, others are ignored
    dict.fromkeys(("hip", "knee", "shoulder", "elbow"), 1.0) | {"spine": 0.5, "chest": 0.5, "ankle": 0.25}
)


@dataclass(frozen=True, eq=False)
class Clouds:
    """For each frame the joints over a window of time, the weighted mean taken out of their places on the ground."""

    ground: Complex[np.ndarray, "frames points"]  # z + ix, metres, times the root of the weights
    heights: Float[np.ndarray, "frames points"]  # metres, times the root of the weights
    stride: int  # frames of the clip from one row to the next

    def __len__(self) -> int:
        return len(self.ground)

    def rows(self, first: int, last: int) -> Clouds:
        """Some of the rows."""
        return Clouds(self.ground[first:last], self.heights[first:last], self.stride)


@dataclass(frozen=True, eq=False)
class Angles:
    """For each frame the turns of joints over a window of time, and how they change."""

    turns_wxyz: Float[np.ndarray, "frames looks joints 4"]
    changes: Float[np.ndarray, "frames looks joints 3"]  # rotation vectors within a twelfth of a second, radians
    weights: Float[np.ndarray, " joints"]  # sum 1
    stride: int  # frames of the clip from one row to the next

    def __len__(self) -> int:
        return len(self.turns_wxyz)

    def rows(self, first: int, last: int) -> Angles:
        """Some of the rows."""
        return Angles(self.turns_wxyz[first:last], self.changes[first:last], self.weights, self.stride)


Windows = Clouds | Angles
DISTANCES: Mapping[str, tuple[float, str]] = MappingProxyType(  # below which windows are alike enough, and its unit
    {"clouds": (0.08, "m"), "angles": (0.13, "radians")}
)


def windows_of(clip: Clip, *, distance: str = "clouds", window: float = 0.33, stride: int = 1) -> Windows:
    """Descriptors of a clip's frames, each with the frames that follow it within a window.

    ``distance`` is ``"clouds"`` of joints or their ``"angles"`` (LCR+02); ``window`` is in seconds. Every ``stride``-th
    frame is described; frames near the end, whose window would go beyond it, are not. Raises ``MotionError`` where the
    clip is shorter than the window, and for other distances.
    """
    if distance not in DISTANCES:
        raise MotionError(expected=f"a distance by {' or '.join(DISTANCES)}", got=shown(distance))
    if distance == "clouds":
        return clouds_of(clip, window=window, stride=stride)
    looks = _looks(clip, window, stride)
    joints, weights = _weighted_joints(clip)
    changes = np.stack([_changes(clip, joint) for joint in joints], axis=1)
    return Angles(clip.rotations_wxyz[:, joints][looks], changes[looks], weights, stride)


def distances(windows: Windows, others: Windows, *, device: str = "cpu") -> Float[np.ndarray, "ones others"]:
    """How far windows are apart, all pairs of them.

    ``device`` is ``"cpu"``, or ``"cuda"`` for clouds. Returns metres for clouds; radians for angles, the root of the
    mean square over the window. Raises ``MotionError`` for a device that cannot do it.
    """
    if isinstance(windows, Clouds) and isinstance(others, Clouds):
        return cloud_distances(windows, others, device=device)
    assert isinstance(windows, Angles)
    assert isinstance(others, Angles)
    if device != "cpu":
        raise MotionError("angles are compared on the CPU alone", helps="compare clouds on a GPU")
    total = np.zeros((len(windows), len(others)))
    n_looks = windows.turns_wxyz.shape[1]
    for look in range(n_looks):
        for joint, weight in enumerate(windows.weights.tolist()):
            angles = _angles(windows.turns_wxyz[:, look, joint], others.turns_wxyz[:, look, joint])
            a, b = windows.changes[:, look, joint], others.changes[:, look, joint]
            moved = _squares(a)[:, None] + _squares(b) - 2.0 * (a @ b.T)  # squares of the difference of changes
            total += weight * (angles**2 + np.maximum(moved, 0.0))
    return np.asarray(np.sqrt(total / n_looks))


def clouds_of(clip: Clip, *, window: float = 0.33, stride: int = 1) -> Clouds:
    """The clouds of a clip's frames, each with the frames that follow it within the window.

    ``window`` is in seconds. Every ``stride``-th frame gets a cloud; frames near the end, whose window would go beyond
    it, have none. Raises ``MotionError`` where the clip is shorter than the window.
    """
    looks = _looks(clip, window, stride)
    points = clip.positions[looks].reshape(len(looks), -1, 3)
    root = np.sqrt(1.0 / points.shape[1])  # all points count alike; distances are means over them
    ground = points[..., 2] + 1j * points[..., 0]
    ground = ground - ground.mean(axis=1, keepdims=True)
    return Clouds(root * ground, root * points[..., 1], stride)


def cloud_distances(clouds: Clouds, others: Clouds, *, device: str = "cpu") -> Float[np.ndarray, "ones others"]:
    """How far clouds are apart when one is laid over the other by a turn about the vertical and a level shift.

    The best turn has a closed form (KGP02), and what is left after it is a difference of sums: with the means taken out
    it is |a|² + |b|² − 2 |⟨a, b⟩| on the ground. So all pairs of frames are one complex and one real matrix product.

    ``device`` is ``"cpu"``, or ``"cuda"``: the same products on a GPU, by CuPy. Returns the root mean square distance
    of the points, metres; 0 for a copy that was moved and turned on the ground. Raises ``MotionError`` for other
    devices, and without CuPy or a GPU.
    """
    if device not in ("cpu", "cuda"):
        raise MotionError(expected="device 'cpu' or 'cuda'", got=shown(device))
    if device == "cpu":
        return np.asarray(_distances(np, clouds.ground, clouds.heights, others.ground, others.heights))
    cupy = cuda_arrays("distances on a GPU", "device='cpu'")
    arrays = (cupy.asarray(part) for part in (clouds.ground, clouds.heights, others.ground, others.heights))
    return np.asarray(_distances(cupy, *arrays).get())


def _distances(xp: Any, ground: Any, heights: Any, other_ground: Any, other_heights: Any) -> Any:
    """The distances, by the functions of NumPy or of CuPy."""

    def squares(values: Any) -> Any:
        return (values * values.conj()).real.sum(axis=1)

    level = squares(ground)[:, None] + squares(other_ground) - 2.0 * xp.abs(ground @ other_ground.conj().T)
    upright = squares(heights)[:, None] + squares(other_heights) - 2.0 * (heights @ other_heights.T)
    return xp.sqrt(xp.maximum(level + upright, 0.0))


def _looks(clip: Clip, window: float, stride: int) -> Int[np.ndarray, "frames looks"]:
    """The frames that a window looks at, for each frame that has a whole one."""
    length = round(window * clip.frame_rate)
    starts = np.arange(0, clip.n_frames - length, stride)
    if not len(starts):
        raise MotionError(f"{clip!r} is shorter than the window of {window:g} s", helps="a shorter window helps")
    return np.asarray(starts[:, None] + np.round(np.linspace(0, length, _LOOKS)).astype(np.int64))


def _weighted_joints(clip: Clip) -> tuple[list[int], Float[np.ndarray, " joints"]]:
    """The joints that shape a pose, and how much each counts; all but the root where no role is known."""
    parts = [(role.rpartition("_")[2], joint) for role, joint in find_roles(clip.skeleton).items()]
    weights = {joint: _ROLE_WEIGHTS[part] for part, joint in parts if part in _ROLE_WEIGHTS}
    weights = weights or dict.fromkeys(range(1, clip.skeleton.n_joints), 1.0)
    sizes = np.array([*weights.values()])
    return [*weights], sizes / sizes.sum()


def _changes(clip: Clip, joint: int) -> Float[np.ndarray, "frames 3"]:
    """How far a joint turns within a twelfth of a second, as rotation vectors; the last frames go on as they did."""
    ahead = np.minimum(np.arange(clip.n_frames) + max(round(clip.frame_rate / 12.0), 1), clip.n_frames - 1)
    turns = clip.rotations_wxyz[:, joint]
    return quaternions.to_rotvec(quaternions.seen_from(turns, turns[ahead]))


def _angles(a: Float[np.ndarray, "ones 4"], b: Float[np.ndarray, "others 4"]) -> Float[np.ndarray, "ones others"]:
    """The angles between all pairs of rotations, radians."""
    return np.asarray(2.0 * np.arccos(np.clip(np.abs(a @ b.T), 0.0, 1.0)))


def _squares(values: Float[np.ndarray, "frames points"]) -> Float[np.ndarray, " frames"]:
    return np.asarray(np.einsum("fp,fp->f", values, values))
