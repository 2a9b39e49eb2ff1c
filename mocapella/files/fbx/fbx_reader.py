"""FBX files read: what ufbx says of their nodes, made a skeleton in motion.

ufbx settles what FBX leaves open: units, axes, rotation orders, pre- and post-rotations, pivots, inherited scales and
curves. It is a library in C with a young binding, and files come from strangers, so it runs in a process of its own
that may crash; see ``mocapella.files.apart``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.checks import MOST_FRAMES, is_usable
from mocapella.errors import FormatError
from mocapella.files.apart.run import read_apart
from mocapella.files.conventions import NO_ANIMATION, Animation, Parsed, uneven_keys
from mocapella.files.fbx import fbx_worker
from mocapella.files.nodes import MOST_JOINTS, Frames, Places, bound_turns, largest_skeleton, posed
from mocapella.geometry import quaternions

_ROTATIONS = 3_000_000  # frames times nodes: some 20 seconds
_PER_ROTATION = 1000  # bytes of memory for each: 600 in both processes, the rest stands for time
_DEEPEST = 1000  # nodes above one
_FURTHEST = 1e9  # metres
_COLUMNS = 10  # numbers of a node: translation, rotation x, y, z, w, scale


def fbx_animations(path: Path, *, frame_rate: float | None = None) -> list[Animation]:
    """The animations of an ``.fbx`` file, its stacks.

    ``frame_rate`` is in frames per second; the scene's if None, or that of keys which are even at another. Motions are
    in metres, y up. A file without animation gives its rest pose. Those that are too much for one process are read by
    one each. Raises ``FormatError`` where it is no FBX, or ufbx crashes on it; reading a motion does where it holds no
    joints.
    """
    return [_animation(scene, frame_rate) for scene in _opened(path, None, frame_rate)]


def _animation(scene: _Scene, frame_rate: float | None) -> Animation:
    number = scene.take["number"]
    if number is None:
        return Animation("", 0, partial(_parsed, scene))

    def read() -> Parsed:
        return _parsed(scene if scene.n_frames else _opened(scene.path, [number], frame_rate)[0])

    header = scene.header
    return Animation(header["stacks"][number], header["keys"][number], read, opens_again=not scene.n_frames)


def _parsed(scene: _Scene) -> Parsed:
    """The motion of a scene."""
    if not scene.header["bones"]:
        raise FormatError(scene.path, 0, "holds no bones: there is no skeleton in it")
    joints, findings = largest_skeleton(scene.header["bones"], scene.header["parents"], scene.name)
    number, rate = scene.take["number"], float(scene.take["rate"])
    if number is None or not scene.header["keys"][number]:
        findings.append(NO_ANIMATION)
    if not scene.take["even"]:
        findings.append(uneven_keys(rate))
    parsed, odd = posed(scene, joints, scene.header["parents"], scene.bound)
    return replace(parsed, frame_rate=rate, findings=(*findings, *odd), up_axis="y")


@dataclass(frozen=True, eq=False)
class _Scene:
    """The nodes of a file in one of its animations, as the process told them."""

    path: Path
    header: dict[str, Any]
    take: dict[str, Any]
    at_rest: Float[np.ndarray, "nodes 10"]
    moved: Float[np.ndarray, "nodes frames 10"]
    bound: dict[int, Float[np.ndarray, 4]]

    @property
    def n_frames(self) -> int:
        return int(self.take["frames"])

    def name(self, node: int) -> str:
        return str(self.header["names"][node])

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        row = self.at_rest[node]
        return row[:3], row[[6, 3, 4, 5]], row[7:]

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        rows = self.moved[node]
        return rows[:, :3], rows[:, [6, 3, 4, 5]], rows[:, 7:]


def _opened(path: Path, numbers: list[int] | None, frame_rate: float | None) -> list[_Scene]:
    """Animations of a file as ufbx reads them, all if None, with numbers that are some."""
    options = {
        "numbers": numbers,
        "frame_rate": frame_rate,
        "nodes": MOST_JOINTS,
        "rotations": _ROTATIONS,
        "per_rotation": _PER_ROTATION,
        "depth": _DEEPEST,
    }
    header, values = read_apart(path, str(fbx_worker.__file__), options, name="FBX", library="ufbx")
    n_nodes, takes = len(header["names"]), header["takes"]
    counts = [n_nodes * take["frames"] * _COLUMNS for take in takes]
    odd = any(take["frames"] > MOST_FRAMES or not is_usable(take["rate"]) for take in takes)
    if odd or len(values) != n_nodes * _COLUMNS + sum(counts):
        raise FormatError(path, 0, "ufbx, which reads FBX, gave no whole answer for it")
    if not (np.abs(values) <= _FURTHEST).all():
        raise FormatError(path, 0, "holds places or rotations that are not numbers")
    at_rest, *parts = np.split(values, np.cumsum([n_nodes * _COLUMNS, *counts])[:-1])
    at_rest = at_rest.reshape(n_nodes, _COLUMNS)
    bound = bound_turns({int(node): np.array(columns).T for node, columns in header["bound"].items()})
    scenes = []
    for take, part in zip(takes, parts, strict=True):
        moved = np.array(part.reshape(n_nodes, take["frames"], _COLUMNS))
        moved[..., 3:7] = quaternions.normalise(moved[..., 3:7])
        scenes.append(_Scene(path, header, take, at_rest, moved, bound))
    return scenes
