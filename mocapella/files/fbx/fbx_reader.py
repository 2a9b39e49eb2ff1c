"""FBX files read: what ufbx says of their nodes, made a skeleton in motion.

ufbx settles what FBX leaves open: units, axes, rotation orders, pre- and post-rotations, pivots, inherited scales and
curves. It is a library in C with a young binding, and files come from strangers, so it runs in a process of its own
that may crash; see ``mocapella.files.apart``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.checks import MOST_FRAMES, is_usable
from mocapella.errors import FormatError
from mocapella.files.animations import Wanted, titles
from mocapella.files.apart.run import read_apart
from mocapella.files.conventions import Animation, Parsed, named_animation, uneven_keys
from mocapella.files.fbx import fbx_worker
from mocapella.files.nodes import MOST_JOINTS, MOST_ROTATIONS, Frames, Places, nodes_above, posed, with_root
from mocapella.geometry import quaternions
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import in_order

_ROTATIONS = 3_000_000  # frames times nodes: some 20 seconds
_PER_ROTATION = 1000  # bytes of memory for each: 600 in both processes, the rest stands for time
_DEEPEST = 1000  # nodes above one
_FURTHEST = 1e9  # metres
_COLUMNS = 10  # numbers of a node: translation, rotation x, y, z, w, scale


def read_fbx(path: Path, *, animation: Wanted = None, frame_rate: float | None = None) -> Parsed:
    """The motion of an ``.fbx`` file.

    ``animation`` is the name of an animation stack, or its number from 0 on; the first with keys if None.
    ``frame_rate`` is in frames per second; the scene's if None, or that of keys which are even at another. The result
    is in metres, y up. A file without animation gives its rest pose. Raises ``FormatError`` where it is no FBX, holds
    no joints, has not that animation, or ufbx crashes on it.
    """
    scene = _opened(path, animation, frame_rate, several=False)[0]
    names, number = scene.header["stacks"], scene.take["number"]
    return _parsed(scene, [] if number is not None and animation is not None else named_animation(names, number))


def fbx_animations(path: Path, *, animation: Wanted = None, frame_rate: float | None = None) -> list[Animation]:
    """The animations of a file that are asked for, all if None; options and errors are those of ``read_fbx``."""
    scenes = _opened(path, animation, frame_rate, several=True)
    ordered = sorted(scenes, key=lambda scene: scene.take["number"] or 0)
    return [Animation(scene.title, partial(_parsed, scene)) for scene in ordered]


def _parsed(scene: _Scene, named: Sequence[Finding] = ()) -> Parsed:
    """The motion of a scene."""
    if "error" in scene.take:
        raise FormatError(scene.path, 0, str(scene.take["error"]))
    joints, findings = _joints(scene)
    rate, uneven = float(scene.take["rate"]), [] if scene.take["even"] else [uneven_keys(scene.take["rate"])]
    parsed, odd = posed(scene, joints, scene.header["parents"], scene.bound)
    findings = [*findings, *named, *uneven, *odd]
    return replace(parsed, frame_rate=rate, findings=tuple(findings), up_axis="y", animation=scene.title)


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

    @property
    def title(self) -> str:
        """What the animation is called beside the name of the file."""
        number = self.take["number"]
        return "" if number is None else titles(self.header["stacks"], self.header["keys"])[number]

    def name(self, node: int) -> str:
        return str(self.header["names"][node])

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        row = self.at_rest[node]
        return row[:3], row[[6, 3, 4, 5]], row[7:]

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        rows = self.moved[node]
        return rows[:, :3], rows[:, [6, 3, 4, 5]], rows[:, 7:]


def _opened(path: Path, animation: Wanted, frame_rate: float | None, *, several: bool, n_read: int = 0) -> list[_Scene]:
    """The animations of a file as ufbx reads them, with numbers that are some.

    Those that are too much for one process are read by another, as long as ``n_read`` rotations leave room.
    """
    options = {
        "animation": animation,
        "several": several,
        "frame_rate": frame_rate,
        "nodes": MOST_JOINTS,
        "rotations": _ROTATIONS,
        "in_all": MOST_ROTATIONS,
        "per_rotation": _PER_ROTATION,
        "depth": _DEEPEST,
        "read": n_read,
    }
    header, numbers = read_apart(path, str(fbx_worker.__file__), options, name="FBX", library="ufbx")
    n_nodes, takes = len(header["names"]), header["takes"]
    counts = [n_nodes * take["frames"] * _COLUMNS for take in takes]
    odd = any(take["frames"] > MOST_FRAMES or not is_usable(take["rate"]) for take in takes)
    if odd or len(numbers) != n_nodes * _COLUMNS + sum(counts):
        raise FormatError(path, 0, "ufbx, which reads FBX, gave no whole answer for it")
    if not (np.abs(numbers) <= _FURTHEST).all():
        raise FormatError(path, 0, "holds places or rotations that are not numbers")
    at_rest, *parts = np.split(numbers, np.cumsum([n_nodes * _COLUMNS, *counts])[:-1])
    at_rest, bound = at_rest.reshape(n_nodes, _COLUMNS), _bound(header["bound"])
    scenes = []
    for take, part in zip(takes, parts, strict=True):
        moved = np.array(part.reshape(n_nodes, take["frames"], _COLUMNS))
        moved[..., 3:7] = quaternions.normalise(moved[..., 3:7])
        scenes.append(_Scene(path, header, take, at_rest, moved, bound))
    if header["left"]:
        n_read += n_nodes * sum(take["frames"] for take in takes)
        scenes += _opened(path, header["left"], frame_rate, several=True, n_read=n_read)
    return scenes


def _bound(matrices: dict[str, list[list[float]]]) -> dict[int, Float[np.ndarray, 4]]:
    """How bones were turned when a mesh was bound to them; none where that is no rotation."""
    turns = {}
    for node, columns in matrices.items():
        turn = np.array(columns, dtype=np.float64).T
        sizes = np.linalg.norm(turn, axis=0)
        if not (np.isfinite(sizes).all() and (sizes > 1e-12).all()) or not math.isfinite(np.linalg.det(turn)):
            return {}
        turn = turn / sizes
        if np.linalg.det(turn) < 0.5:
            return {}
        turns[int(node)] = quaternions.from_matrix(turn)
    return turns


def _joints(scene: _Scene) -> tuple[list[int], list[Finding]]:
    """The bones of the largest skeleton and what lies between them, parents before children."""
    parents: list[int] = scene.header["parents"]
    bones = set(scene.header["bones"])
    if not bones:
        raise FormatError(scene.path, 0, "holds no bones: there is no skeleton in it")
    tops: dict[int, list[int]] = {}
    for bone in sorted(bones):
        top = next((node for node in nodes_above(bone, parents) if node in bones), bone)
        tops.setdefault(top, []).append(bone)
    groups = sorted(tops.values(), key=len, reverse=True)
    findings = []
    if len(groups) > 1:
        names = ", ".join(scene.name(min(group)) for group in groups[1:6])
        message = (
            f"of {len(groups)} skeletons the largest is read, {scene.name(groups[0][0])!r}; others begin at {names}"
        )
        findings.append(Finding("skeletons", message, doubtful=False))
    chosen = with_root(groups[0], parents)
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    return in_order(chosen[0], set(chosen), children), findings
