"""glTF 2.0 files read: the joints of a skin, or the nodes that an animation moves, as a skeleton in motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.files.conventions import NO_ANIMATION, Animation, Parsed, uneven_keys
from mocapella.files.gltf.gltf_document import GltfAnimation, GltfDocument, GltfSampler, GltfSkin, read_document
from mocapella.files.keys import OFF_GRID, USUAL_RATE, frame_times
from mocapella.files.nodes import (
    MOST_JOINTS,
    MOST_ROTATIONS,
    Frames,
    Places,
    bound_turns,
    decomposed,
    nodes_above,
    posed,
    with_root,
)
from mocapella.geometry import quaternions
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton, in_order
from mocapella.rig.names import ARM, LEG, SIDES
from mocapella.rig.naming import NAMINGS

_DEEPEST = 1000  # nodes above one


def gltf_animations(path: Path, *, frame_rate: float | None = None) -> list[Animation]:
    """The animations of a ``.glb`` or ``.gltf`` file.

    ``frame_rate`` is in frames per second; that of the keys if None, 60 where they lie at uneven times. Motions are in
    metres, as glTF has them. A file without animations gives its rest pose. Raises ``FormatError`` where it is not
    glTF; reading a motion does where it holds no joints.
    """
    file = _GltfFile(read_document(path))
    animations = file.document.json.animations
    if not animations:
        return [Animation("", 0, partial(file.parsed, None, frame_rate))]
    counts = _channel_counts(animations, file.skin)
    return [
        Animation(animation.name, counts[i], partial(file.parsed, i, frame_rate))
        for i, animation in enumerate(animations)
    ]


@dataclass(frozen=True, eq=False)
class _GltfFile:
    """A file with its largest skin, from which animations are read."""

    document: GltfDocument

    @cached_property
    def skin(self) -> GltfSkin | None:
        return _largest_skin(self.document)

    @cached_property
    def parents(self) -> list[int]:
        return node_parents(self.document)

    def parsed(self, number: int | None, frame_rate: float | None) -> Parsed:
        """The motion of an animation; the rest pose if None."""
        document, parents, skin = self.document, self.parents, self.skin
        tracks = {} if number is None else _read_tracks(document, document.json.animations[number])
        joints = _skin_joints(document, skin, parents) if skin is not None else _moved_joints(document, parents)
        body = {*joints, *nodes_above(joints[0], parents)}
        used = [track for (node, _), track in tracks.items() if node in body]
        still = (np.zeros(1), frame_rate or USUAL_RATE, True)
        keys = [track.times for track in dict.fromkeys(used)]
        curved = any(track.tangents is not None for track in used)
        times, rate, even = (
            frame_times(document.path, np.concatenate(keys), frame_rate, curved=curved) if keys else still
        )
        if len(times) * len(joints) > MOST_ROTATIONS:
            document.fail(f"has {len(times):,} frames of {len(joints):,} joints; that is more than is read")
        document.budget.take_motion(len(times), len(body))
        noted = [*([NO_ANIMATION] if number is None else []), *_noted(document, skin, even, rate)]
        if number is not None and not used:
            noted.append(Finding("no-animation", "its animation moves no joint: its rest pose alone is read"))
        parsed, odd = posed(_Moved(document, tracks, times), joints, parents, _bind_rotations(document, skin))
        return replace(
            parsed,
            skeleton=parsed.skeleton.with_roles(vrm_roles(document, joints, parsed.skeleton)),
            frame_rate=rate,
            findings=(*noted, *odd),
        )


def read_rest(path: Path) -> tuple[GltfDocument, Parsed, list[int]]:
    """The character of a file in the pose in which it stands there: the file, one frame in metres, nodes of joints.

    Raises ``FormatError`` where it is not glTF, or has no skin.
    """
    document = read_document(path)
    parents, skin = node_parents(document), _largest_skin(document)
    if skin is None:
        document.fail("holds no skinned character: no skin says which nodes are joints")
    joints = _skin_joints(document, skin, parents)
    pose, odd = posed(_Moved(document, {}, np.zeros(1)), joints, parents, _bind_rotations(document, skin))
    return document, replace(pose, findings=tuple(odd)), joints


def _largest_skin(document: GltfDocument) -> GltfSkin | None:
    return max(document.json.skins, key=lambda skin: len(skin.joints), default=None)


def rest_matrices(document: GltfDocument) -> Float[np.ndarray, "nodes 4 4"]:
    """Where nodes are at rest."""
    out = np.tile(np.eye(4), (len(document.json.nodes), 1, 1))
    parents = node_parents(document)
    for node in sorted(range(len(parents)), key=lambda node: len(nodes_above(node, parents))):
        place, turn, size = rest_of(document, node)
        local = np.eye(4)
        local[:3, :3] = quaternions.to_matrix(turn[[3, 0, 1, 2]]) * size
        local[:3, 3] = place
        out[node] = local if parents[node] == -1 else out[parents[node]] @ local
    return out


def _channel_counts(animations: Sequence[GltfAnimation], skin: GltfSkin | None) -> list[int]:
    """How many channels of each animation are for joints of a skin."""
    joints = set() if skin is None else set(skin.joints)
    return [sum(c.target.node in joints or not joints for c in animation.channels) for animation in animations]


def _noted(document: GltfDocument, skin: GltfSkin | None, even: bool, rate: float) -> list[Finding]:
    findings = []
    if len(document.json.skins) > 1 and skin is not None:
        message = f"of {len(document.json.skins)} skins the one with most joints is read, {skin.name or 'unnamed'!r}"
        findings.append(Finding("skins", message, doubtful=False))
    if not even:
        findings.append(uneven_keys(rate))
    return findings


def vrm_roles(document: GltfDocument, nodes: Sequence[int], skeleton: Skeleton) -> dict[str, str]:
    """Role → joint name, as the humanoid of a VRM file (0.x or 1.0) or VRM animation states; empty for other files."""
    bones: dict[str, Any] = {}
    for extension in ("VRMC_vrm", "VRM", "VRMC_vrm_animation"):
        bones |= _human_bones(document.extensions.get(extension))
    joint_of = {node: joint for joint, node in enumerate(nodes)}
    named = {role: bones.get(bone) for role, bone in NAMINGS["vrm"].items()}
    joints = {role: joint_of[node] for role, node in named.items() if isinstance(node, int) and node in joint_of}
    return {role: skeleton.names[joint] for role, joint in _in_line(skeleton, joints).items()}


def _human_bones(extension: Any) -> dict[str, Any]:
    """Bone → node of a VRM extension; nothing where it is not made as it should be."""
    humanoid = extension.get("humanoid") if isinstance(extension, dict) else None
    bones = humanoid.get("humanBones") if isinstance(humanoid, dict) else None
    rows = list(bones.items()) if isinstance(bones, dict) else []
    if isinstance(bones, list):  # version 0
        rows = [(bone.get("bone"), bone) for bone in bones if isinstance(bone, dict)]
    return {str(name): bone.get("node") for name, bone in rows if isinstance(bone, dict)}


def _in_line(skeleton: Skeleton, joints: dict[str, int]) -> dict[str, int]:
    """The roles of a file that can be: each of another joint, and joints of a limb below each other."""
    out: dict[str, int] = {}
    above: dict[str, int] = {}
    for role, joint in joints.items():
        limb = next((f"{side}{part[0]}" for side in SIDES for part in (LEG, ARM) if role[len(side) :] in part), "")
        if joint not in out.values() and (limb not in above or above[limb] in skeleton.path(joint)):
            out[role] = joint
            if limb:
                above[limb] = joint
    return out


# Keys of animations: times, values, and what lies between them.

_KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}

_Times = Float[np.ndarray, " keys"]
_Values = Float[np.ndarray, "keys columns"]


@dataclass(frozen=True, eq=False)
class _Track:
    """One channel: values at times, and the interpolation between them."""

    times: _Times  # seconds, rising
    values: _Values
    tangents: tuple[_Values, _Values] | None = None  # in and out, of cubic splines
    step: bool = False
    turns: bool = False  # whether the values are rotations, x, y, z, w

    def at(self, times: Float[np.ndarray, " frames"]) -> Float[np.ndarray, "frames columns"]:
        """The values at some times; those of the first and the last key outside."""
        if len(self.times) == 1:
            return np.repeat(self.values, len(times), axis=0)
        # Keys are stored with seven digits: a step that is due at this very time is taken.
        slack = OFF_GRID * float(np.diff(self.times).min()) if self.step else 0.0
        later = np.clip(np.searchsorted(self.times, times + slack, side="right"), 1, len(self.times) - 1)
        before, after = self.times[later - 1], self.times[later]
        share = np.clip((times - before) / (after - before), 0.0, 1.0)[:, None]
        first, second = self.values[later - 1], self.values[later]
        if self.step:
            return np.where((times + slack >= self.times[-1])[:, None], self.values[-1], first)
        if self.tangents is not None:
            span = (after - before)[:, None]
            leaving, arriving = span * self.tangents[1][later - 1], span * self.tangents[0][later]
            mixed = (
                (2.0 * share**3 - 3.0 * share**2 + 1.0) * first
                + (share**3 - 2.0 * share**2 + share) * leaving
                + (3.0 * share**2 - 2.0 * share**3) * second
                + (share**3 - share**2) * arriving
            )
            return _unit(mixed) if self.turns else mixed
        if self.turns:
            start, end = (values[:, [3, 0, 1, 2]] for values in (first, second))
            return np.asarray(quaternions.slerp(start, end, share[:, 0])[:, [1, 2, 3, 0]])
        return np.asarray(first + share * (second - first))


def _unit(values: _Values) -> _Values:
    sizes = np.linalg.norm(values, axis=1, keepdims=True)
    return np.where(sizes > 1e-9, values / np.maximum(sizes, 1e-9), [0.0, 0.0, 0.0, 1.0])


def _read_tracks(document: GltfDocument, animation: GltfAnimation) -> dict[tuple[int, str], _Track]:
    """The tracks of an animation, by node and by what moves: ``translation``, ``rotation`` or ``scale``.

    Weights of meshes are left out. Raises ``FormatError`` where times do not rise, or there are more or fewer values
    than keys.
    """
    tracks: dict[tuple[int, str], _Track] = {}
    shared: dict[tuple[GltfSampler, str], _Track] = {}  # channels may name the same keys
    for channel in animation.channels:
        path, node = channel.target.path, channel.target.node
        if node is None or path not in _KINDS:
            continue
        if not channel.sampler < len(animation.samplers) or not node < len(document.json.nodes):
            document.fail("an animation names a sampler or a node that is not there")
        keys = animation.samplers[channel.sampler], path
        if keys not in shared:
            shared[keys] = _read_track(document, *keys)
        tracks[node, path] = shared[keys]
    return tracks


def _read_track(document: GltfDocument, sampler: GltfSampler, path: str) -> _Track:
    times = document.numbers(sampler.input, "SCALAR")[:, 0]
    values = document.numbers(sampler.output, _KINDS[path])
    cubic = sampler.interpolation == "CUBICSPLINE"
    if sampler.interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        document.fail(f"keys go by {sampler.interpolation[:20]!r}; expected STEP, LINEAR or CUBICSPLINE")
    if len(times) == 0 or len(values) != len(times) * (3 if cubic else 1):
        document.fail(f"an animation has {len(values):,} values for {len(times):,} keys")
    if (np.diff(times) <= 0.0).any():
        document.fail("the times of an animation's keys do not rise")
    document.budget.take_numbers(values.size + len(times), f"a track of {len(times):,} keys")
    tangents = (values[0::3], values[2::3]) if cubic else None
    points = values[1::3] if cubic else values
    turns = path == "rotation"
    if turns:
        points = _unit(points)
    return _Track(times, points, tangents, sampler.interpolation == "STEP", turns)


# Which nodes are joints.


def node_parents(document: GltfDocument) -> list[int]:
    """The parent of each node, −1 of those that have none. Raises ``FormatError`` where nodes are no trees."""
    nodes = document.json.nodes
    parents = [-1] * len(nodes)
    for i, node in enumerate(nodes):
        for child in node.children:
            if not child < len(nodes) or parents[child] != -1:
                document.fail(f"node {i} has the child {child}, which is not there or another's")
            parents[child] = i
    level, seen, depth = [i for i, parent in enumerate(parents) if parent == -1], 0, 0
    while level:
        seen, depth = seen + len(level), depth + 1
        if depth > _DEEPEST:
            document.fail(f"node {level[0]} is nested more than {_DEEPEST} deep")
        level = [child for node in level for child in nodes[node].children]
    if seen < len(nodes):  # a ring has no top
        document.fail("some nodes are their own ancestors")
    return parents


def _skin_joints(document: GltfDocument, skin: GltfSkin, parents: Sequence[int]) -> list[int]:
    """The joints of a skin and what lies between them, parents before children, from one root."""
    if not skin.joints or not all(joint < len(document.json.nodes) for joint in skin.joints):
        document.fail("a skin has no joints, or joints that are not there")
    joints = list(dict.fromkeys(skin.joints))
    _refuse_more_joints(document, len(joints))
    wanted = with_root(joints, parents)
    if not wanted:
        document.fail("the joints of its skin have no root in common")
    return _in_order(document, wanted[0], set(wanted))


def _refuse_more_joints(document: GltfDocument, count: int) -> None:
    if count > MOST_JOINTS:
        document.fail(f"has {count:,} joints; at most {MOST_JOINTS:,} are read")


def _moved_joints(document: GltfDocument, parents: Sequence[int]) -> list[int]:
    """Without a skin: the topmost node below which most moves, and all below that is no mesh or camera alone.

    All animations count, so that each has the same joints.
    """
    channels = (channel.target for animation in document.json.animations for channel in animation.channels)
    moving = {
        target.node
        for target in channels
        if target.node is not None and target.node < len(parents) and target.path == "rotation"
    }
    if not moving:
        document.fail("holds no skin, and no animation that turns anything: there is no body in it")
    root = _top_of_most(moving, parents)
    nodes = document.json.nodes
    wanted, waiting = {root}, [root]
    while waiting:
        for child in nodes[waiting.pop()].children:
            alone = not nodes[child].children and (nodes[child].mesh is not None or nodes[child].camera is not None)
            if not alone or child in moving:
                wanted.add(child)
                waiting.append(child)
    return _in_order(document, root, wanted)


def _top_of_most(moving: set[int], parents: Sequence[int]) -> int:
    """The topmost of some nodes below which most of them are; the first of several."""
    tops = [node for node in moving if not moving.intersection(nodes_above(node, parents))]
    counts = dict.fromkeys(tops, 0)
    for node in moving:
        counts[next(above for above in (*nodes_above(node, parents), node) if above in counts)] += 1
    return max(tops, key=lambda top: (counts[top], -top))


def _in_order(document: GltfDocument, root: int, wanted: set[int]) -> list[int]:
    _refuse_more_joints(document, len(wanted))
    return in_order(root, wanted, [node.children for node in document.json.nodes])


# Where they are.


@dataclass(frozen=True, eq=False)
class _Moved:
    """Nodes at some times: places, turns and scales relative to their parents."""

    document: GltfDocument
    tracks: dict[tuple[int, str], _Track]
    times: Float[np.ndarray, " frames"]

    @property
    def n_frames(self) -> int:
        return len(self.times)

    def name(self, node: int) -> str:
        return self.document.json.nodes[node].name

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        place, turn, size = rest_of(self.document, node)
        return place, turn[[3, 0, 1, 2]], size

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        """Translation, rotation (w, x, y, z) and scale."""
        rest = rest_of(self.document, node)
        place, turn, size = (
            self.tracks[node, path].at(self.times)
            if (node, path) in self.tracks
            else np.tile(value, (len(self.times), 1))
            for path, value in zip(("translation", "rotation", "scale"), rest, strict=True)
        )
        return place, turn[:, [3, 0, 1, 2]], size


def rest_of(
    document: GltfDocument, number: int
) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
    """Translation, rotation (x, y, z, w) and scale of a node that nothing moves, relative to its parent.

    Raises ``FormatError`` where it is placed by values that are not numbers, or by a matrix that does more.
    """
    node = document.json.nodes[number]
    values = [*node.translation, *node.rotation, *node.scale, *(node.matrix or ())]
    if not all(abs(value) <= 1e12 for value in values):
        document.fail(f"node {node.name[:40]!r} is placed by values that are not numbers")
    if node.matrix is not None:
        if len(node.matrix) != 16:
            document.fail(f"node {node.name[:40]!r} has a matrix of {len(node.matrix)} numbers")
        try:
            place, wxyz, sizes = decomposed(np.array(node.matrix).reshape(4, 4).T)  # glTF writes column after column
        except ValueError as error:
            document.fail(f"node {node.name[:40]!r} has {error}")
        return place, wxyz[[1, 2, 3, 0]], sizes
    turn = np.array(node.rotation)
    size = float(np.linalg.norm(turn))
    turn = turn / size if size > 1e-9 else np.array([0.0, 0.0, 0.0, 1.0])
    return np.array(node.translation), turn, np.array(node.scale)


def _bind_rotations(document: GltfDocument, skin: GltfSkin | None) -> dict[int, Float[np.ndarray, 4]]:
    """How joints were turned when a mesh was bound to them (w, x, y, z); none where a skin does not say."""
    if skin is None or skin.inverse_bind_matrices is None:
        return {}
    matrices = document.numbers(skin.inverse_bind_matrices, "MAT4")
    if len(matrices) < len(skin.joints):
        document.fail(f"a skin has {len(skin.joints)} joints and {len(matrices)} matrices")
    # Transposed as stored, so each is the inverse's inverse where it only turns.
    return bound_turns({joint: row.reshape(4, 4)[:3, :3] for joint, row in zip(skin.joints, matrices, strict=False)})
