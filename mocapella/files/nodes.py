"""Nodes of a scene as a skeleton in motion: which are joints, where they are, and what stands above them.

Local rotations of a node are relative to its parent's axes, which may be any. Here they are taken relative to the pose
in which a mesh was bound, so that a skeleton at rest stands as its character does; every joint is where the file puts
it. What stands above the joints (nodes that turn an up axis, or scale centimetres) goes into the root.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.files.conventions import Parsed
from mocapella.geometry import quaternions
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton, in_order
from mocapella.quoting import whole_characters

MOST_JOINTS = 4096  # of one skeleton; characters with hair and clothes have some hundreds
MOST_ROTATIONS = 20_000_000  # frames times joints
_STILL = 1e-5  # of the skeleton's size: a joint that slides less keeps its place
_EVEN = 1e-3  # by which the three factors of a scale may differ
_FLAT = 1e-12  # of a scale: nothing is that small
_SHEARED = 0.5  # determinant of three directions that are too far from square to each other for a rotation

Frames = Float[np.ndarray, "frames 4"]
Places = Float[np.ndarray, "frames 3"]


@runtime_checkable
class Scene(Protocol):
    """Nodes by number, relative to their parents."""

    @property
    def n_frames(self) -> int: ...  # noqa: D102

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        """Translation, rotation (w, x, y, z) and scale in each frame."""

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        """The same where nothing moves it."""

    def name(self, node: int) -> str:
        """Its name, or ""."""


def nodes_above(node: int, parents: Sequence[int]) -> list[int]:
    """The nodes above one, the topmost first. ``parents`` are the parent of each node, −1 of those that have none."""
    chain: list[int] = []
    while (node := parents[node]) != -1:
        chain.append(node)
    return chain[::-1]


def with_root(nodes: Sequence[int], parents: Sequence[int]) -> list[int]:
    """Some nodes and what lies between them, the root first; empty where they have no root in common."""
    paths = [[*nodes_above(node, parents), node] for node in nodes]
    shared = 0
    while all(len(path) > shared and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    if shared == 0:
        return []
    root = paths[0][shared - 1]
    return [root, *({node for path in paths for node in path[shared - 1 :]} - {root})]


def largest_skeleton(
    bones: Collection[int], parents: Sequence[int], name: Callable[[int], str]
) -> tuple[list[int], list[Finding]]:
    """The bones of the largest skeleton and what lies between them, parents before children; others are told."""
    wanted = set(bones)
    tops: dict[int, list[int]] = {}
    for bone in sorted(wanted):
        top = next((node for node in nodes_above(bone, parents) if node in wanted), bone)
        tops.setdefault(top, []).append(bone)
    groups = sorted(tops.values(), key=len, reverse=True)
    findings = []
    if len(groups) > 1:
        names = ", ".join(name(min(group)) for group in groups[1:6])
        message = f"of {len(groups)} skeletons the largest is read, {name(groups[0][0])!r}; others begin at {names}"
        findings.append(Finding("skeletons", message, doubtful=False))
    chosen = with_root(groups[0], parents)
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    return in_order(chosen[0], set(chosen), children), findings


def decomposed(
    matrices: Float[np.ndarray, "*batch 4 4"],
) -> tuple[Float[np.ndarray, "*batch 3"], Float[np.ndarray, "*batch 4"], Float[np.ndarray, "*batch 3"]]:
    """Places, rotations (w, x, y, z) and scales of matrices; ``ValueError`` where one does more, or is flat."""
    turns = matrices[..., :3, :3]
    sizes = np.linalg.norm(turns, axis=-2)
    with np.errstate(over="ignore", invalid="ignore"):
        if not (sizes > _FLAT).all() or not (np.linalg.det(turns) > 0.0).all():
            raise ValueError("a matrix that is not a place, turn and scale")
    return matrices[..., :3, 3], quaternions.from_matrix(turns / sizes[..., None, :]), sizes


def bound_turns(matrices: Mapping[int, Float[np.ndarray, "3 3"]]) -> dict[int, Float[np.ndarray, 4]]:
    """How nodes were turned in the room when a mesh was bound to them; none where one of these is no rotation."""
    turns = {}
    for node, matrix in matrices.items():
        sizes = np.linalg.norm(matrix, axis=0)
        if not (np.isfinite(sizes) & (sizes > _FLAT)).all() or not np.linalg.det(matrix / sizes) >= _SHEARED:
            return {}
        turns[node] = quaternions.from_matrix(matrix / sizes)
    return turns


def posed(
    scene: Scene, joints: Sequence[int], parents: Sequence[int], bound: Mapping[int, Float[np.ndarray, 4]]
) -> tuple[Parsed, list[Finding]]:
    """The skeleton of some nodes at rest and in motion.

    ``parents`` are the parent of each node of the scene, −1 of those that have none. ``bound`` is how nodes were turned
    in the room when a mesh was bound to them (w, x, y, z), where that is known. Returns ``parsed`` and ``findings``:
    the motion, in units of the scene taken for metres, at 1 frame per second; and what of the file it cannot hold.
    """
    uneven: list[str] = []
    n = scene.n_frames
    spot, turned, size = np.zeros((n, 3)), np.tile(quaternions.IDENTITY, (n, 1)), np.ones(n)
    rest_above, rest_spot, rest_size = quaternions.IDENTITY, np.zeros(3), 1.0
    for node in nodes_above(joints[0], parents):
        place, turn, scale = scene.local(node)
        spot = spot + size[:, None] * quaternions.rotate(turned, place)
        turned, size = quaternions.multiply(turned, turn), size * _mean(scale)
        rest_place, rest_turn, rest_scale = scene.rest(node)
        rest_spot = rest_spot + rest_size * quaternions.rotate(rest_above, rest_place)
        rest_above = quaternions.multiply(rest_above, rest_turn)
        rest_size *= float(_mean(rest_scale[None])[0])
        uneven += _uneven(scene, node, scale)
    worlds: dict[int, Frames] = {}
    sizes: dict[int, Float[np.ndarray, " frames"]] = {}
    rests: dict[int, Float[np.ndarray, 4]] = {}
    number = {node: i for i, node in enumerate(joints)}
    offsets, slides, rotations = np.zeros((len(joints), 3)), {}, np.zeros((n, len(joints), 4))
    roots = np.zeros((n, 3))
    for node in joints:
        i, (place, turn, scale) = number[node], scene.local(node)
        rest_place, rest_turn, _ = scene.rest(node)
        uneven += _uneven(scene, node, scale)
        if i == 0:
            roots = spot + size[:, None] * quaternions.rotate(turned, place)
            parent_world, parent_size, parent_rest = turned, size, rest_above
            offsets[0] = rest_spot + rest_size * quaternions.rotate(rest_above, rest_place)
        else:
            parent = parents[node]
            parent_world, parent_size, parent_rest = worlds[parent], sizes[parent], rests[parent]
            away = parent_size[:, None] * quaternions.rotate(parent_rest, place)
            offsets[i] = away[0] if np.ptp(away, axis=0).max() == 0.0 else np.median(away, axis=0)
            slides[i] = away
        worlds[node], sizes[node] = quaternions.multiply(parent_world, turn), parent_size * _mean(scale)
        rests[node] = bound.get(node, quaternions.multiply(parent_rest, rest_turn))
        # Relative to the pose at rest: what the parent does is taken off, in the axes of the room.
        turned_by = quaternions.multiply(worlds[node], quaternions.conjugate(rests[node]))
        before = quaternions.multiply(parent_world, quaternions.conjugate(parent_rest))
        rotations[:, i] = quaternions.seen_from(before, turned_by) if i else turned_by
    reach = float(np.linalg.norm(offsets[1:], axis=1).sum()) if len(joints) > 1 else 1.0
    sliding = [i for i, away in slides.items() if np.abs(away - offsets[i]).max() > _STILL * max(reach, 1e-9)]
    tree = [-1, *(number[parents[node]] for node in joints[1:])]
    parsed = Parsed(
        Skeleton.of(_names(scene, joints), tree, offsets),
        owned(roots),
        owned(quaternions.unroll(quaternions.normalise(rotations))),
        1.0,
        sliding_joints=np.array(sliding, dtype=np.int64),
        slides=np.stack([slides[i] for i in sliding], axis=1) if sliding else np.zeros((0, 0, 3)),
        metres_per_unit=1.0,
    )
    findings = []
    if uneven:
        message = f"{', '.join(dict.fromkeys(uneven[:6]))} are scaled unevenly, which a skeleton cannot hold"
        findings.append(Finding("uneven-scale", message))
    return parsed, findings


def _mean(scale: Float[np.ndarray, "frames 3"]) -> Float[np.ndarray, " frames"]:
    return np.asarray(np.cbrt(np.prod(scale, axis=1)))


def _uneven(scene: Scene, node: int, scale: Float[np.ndarray, "frames 3"]) -> list[str]:
    """The name of a node that is scaled otherwise than alike in all directions."""
    odd = (np.ptp(scale, axis=1) > _EVEN * np.abs(scale).max(axis=1)).any() or (scale <= 0.0).any()
    return [scene.name(node) or f"node {node}"] if odd else []


def _names(scene: Scene, joints: Sequence[int]) -> list[str]:
    names: dict[str, int] = {}
    for node in joints:
        names[numbered(whole_characters(scene.name(node)) or f"joint_{node}", names)] = node
    return list(names)


def numbered(name: str, taken: Container[str]) -> str:
    """The name, or the first of name_2, name_3, … that is not taken."""
    free, count = name, 2
    while free in taken:
        free, count = f"{name}_{count}", count + 1
    return free
