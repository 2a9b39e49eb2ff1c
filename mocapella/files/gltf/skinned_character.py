"""Users' characters in glTF and VRM files: their skeletons, and how motions are written back to their nodes.

A character's skeleton begins at its hips and stands in its zero pose, facing +z. ``Character`` keeps, for each joint,
its node and the orientation of that node in the zero pose, which is all that is needed to turn rotations of joints into
rotations of nodes, whatever axes the file has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import FormatError, MotionError
from mocapella.files.conventions import Parsed
from mocapella.files.gltf.gltf_document import GltfDocument
from mocapella.files.gltf.gltf_reader import node_parents, read_rest, rest_matrices, vrm_roles
from mocapella.files.nodes import nodes_above
from mocapella.files.orientation import find_up, rest_basis, stood_upright
from mocapella.geometry import quaternions
from mocapella.motion.kinematics import forward
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.binding import bound, stood
from mocapella.rig.names import SIDES, Roles
from mocapella.rig.roles import find_roles, read_roles
from mocapella.rig.standing import TO_Y

CHARACTERS = (".glb", ".vrm")
_MOST_OF_IT = 0.5  # of the weight of a vertex: a joint with more moves it
_ROUNDING = 1e-4  # metres by which a character read here may differ from its file


@dataclass(frozen=True, eq=False)
class Character:
    """A skinned character as a file has it, and the skeleton that its motions are made for."""

    document: GltfDocument
    skeleton: Skeleton  # from the hips on, standing and facing +z, in metres
    nodes: Int[np.ndarray, " joints"]  # the node of each joint
    axes_wxyz: Float[np.ndarray, "joints 4"]  # the orientation of each node in the skeleton's zero pose
    room_wxyz: Float[np.ndarray, " 4"]  # from the axes of the file's scene to y up
    matrices: Float[np.ndarray, "nodes 4 4"]  # of all nodes at rest, in the scene
    above: tuple[int, ...]  # the nodes above the hips, the topmost first
    carrier: int | None  # the one of them that carries the whole character; None where there is none

    @property
    def path(self) -> Path:
        """The file."""
        return self.document.path


def read_character(
    path: str | PathLike[str], *, roles: str | PathLike[str] | Mapping[str, str] | None = None
) -> Character:
    """A skinned character, to be given motions.

    ``path`` is a ``.glb`` or ``.vrm`` file that holds all of the character. ``roles`` say which joint plays which role,
    role → joint name, or a TOML file that says so. A VRM file says so itself. Raises ``FormatError`` where it is no
    such file, or parts of it lie in other files; ``MotionError`` where it cannot be told which joint the hips are.
    """
    place = Path(path)
    if place.suffix.lower() not in CHARACTERS:
        raise FormatError(place, 0, f"a character is one file, {' or '.join(CHARACTERS)}; save it as one")
    document, pose, nodes = read_rest(place)
    if pose.findings:
        document.fail(f"{pose.findings[0].message}; apply the scale of the character first")
    _refuse_parts_elsewhere(document)
    given = vrm_roles(document, nodes, pose.skeleton)
    if roles is not None:
        given |= read_roles(roles) if isinstance(roles, str | PathLike) else roles
    pose = replace(pose, skeleton=pose.skeleton.with_roles(given))
    hips = find_roles(pose.skeleton).get("hips")
    if hips is None:
        raise MotionError(
            f"{place}: it cannot be told which joint the hips of the character are",
            helps="say so in a file of roles, --onto-roles",
        )
    below = np.array([joint for joint in range(pose.skeleton.n_joints) if hips in pose.skeleton.path(joint)])
    names = {"", *(pose.skeleton.names[joint] for joint in below)}
    left = {role: name for role, name in pose.skeleton.role_names.items() if name in names}
    pose = replace(pose, skeleton=pose.skeleton.with_roles(left))
    pose = bound(pose, below, np.tile(quaternions.IDENTITY, (len(below), 1)))
    standing, turn = _standing(pose)
    return _described(document, standing, np.array(nodes)[below], turn)


def _refuse_parts_elsewhere(document: GltfDocument) -> None:
    """A copy in another folder would lose them."""
    buffers = document.json.buffers
    inside = document.binary is not None and buffers and buffers[0].uri is None
    if document.binary is not None and buffers and len(document.binary) < buffers[0].byte_length:
        document.fail(f"is cut short: {buffers[0].byte_length:,} bytes are to be in it, found {len(document.binary):,}")
    images = document.everything().get("images", ())
    images = images if isinstance(images, list) else ()
    uris = [image.get("uri", "data:") for image in images if isinstance(image, dict)]
    uris += [buffer.uri for buffer in buffers if buffer.uri is not None]
    if not inside or not all(str(uri).startswith("data:") for uri in uris):
        document.fail("parts of the character are in other files; save it as one binary file")


def _standing(pose: Parsed) -> tuple[Parsed, Float[np.ndarray, 4]]:
    """The pose on a skeleton that stands and faces +z, and the turn of the room that makes y up."""
    pose, _ = stood(pose, find_roles(pose.skeleton))
    roles = find_roles(pose.skeleton)
    world = TO_Y[find_up(pose, roles).axis or "y"]
    pose = stood_upright(pose, world, rest_basis(pose.skeleton, roles))
    return pose, quaternions.from_matrix(world)


def _described(
    document: GltfDocument, pose: Parsed, nodes: Int[np.ndarray, " joints"], turn: Float[np.ndarray, " 4"]
) -> Character:
    matrices = rest_matrices(document)
    places, world = forward(pose.skeleton, pose.root_positions, pose.rotations_wxyz)
    there = quaternions.rotate(turn, matrices[nodes, :3, 3])
    off = np.abs(there - places[0]).max()
    if off > _ROUNDING * max(float(np.ptp(there, axis=0).max()), 1.0):
        document.fail(f"its joints are scaled or bent in a way that a skeleton cannot hold: {off:.3g} m are lost")
    turns = _turns(matrices[nodes])
    axes = quaternions.normalise(quaternions.seen_from(world[0], quaternions.multiply(turn, turns)))
    above = nodes_above(int(nodes[0]), node_parents(document))
    joints = {joint for skin in document.json.skins for joint in skin.joints}
    carrier = next(iter([node for node in above if node in joints] or above[-1:]), None)
    character = Character(document, pose.skeleton, nodes, axes, turn, matrices, tuple(above), carrier)
    return replace(character, skeleton=_with_soles(character))


def _turns(matrices: Float[np.ndarray, "*batch 4 4"]) -> Float[np.ndarray, "*batch 4"]:
    """The rotations of matrices that also scale, alike in all directions."""
    sizes = np.cbrt(np.linalg.det(matrices[..., :3, :3]))
    return quaternions.from_matrix(matrices[..., :3, :3] / sizes[..., None, None])


def node_frames(
    character: Character, node: int | None
) -> tuple[Float[np.ndarray, " 3"], Float[np.ndarray, " 4"], float]:
    """Where a node is at rest. ``node`` is its number; None for the scene itself."""
    if node is None:
        return np.zeros(3), quaternions.IDENTITY, 1.0
    matrix = character.matrices[node]
    return matrix[:3, 3], _turns(matrix), float(np.cbrt(np.linalg.det(matrix[:3, :3])))


# The soles, which joints do not define.


def _with_soles(character: Character) -> Skeleton:
    """The skeleton with end sites at the heels and the tips of the toes of its mesh, so that soles reach the ground."""
    skeleton = character.skeleton
    roles = find_roles(skeleton)
    ends, offsets = list(skeleton.end_joints), list(skeleton.end_offsets)
    try:
        points = _foot_vertices(character, roles)
    except (FormatError, AttributeError, LookupError, TypeError, ValueError):  # packed, or of a kind that is not read
        points = {}
    rest = skeleton.rest_positions
    for side, places in points.items():
        ankle = roles[side + "ankle"]
        toe = roles.get(side + "toe", ankle)
        sole, front, back = places[:, 1].min(), places[:, 2].max(), places[:, 2].min()
        for joint, place, outside in ((toe, front, front > rest[toe, 2]), (ankle, back, back < rest[ankle, 2])):
            if outside:
                ends.append(joint)
                offsets.append(np.array([0.0, sole - rest[joint, 1], place - rest[joint, 2]]))
    return replace(skeleton, end_joints=np.array(ends, dtype=np.int64), end_offsets=np.array(offsets).reshape(-1, 3))


def _foot_vertices(character: Character, roles: Roles) -> dict[str, Float[np.ndarray, "vertices 3"]]:
    """By side, the vertices of the mesh that a foot moves, in the skeleton's zero pose."""
    skeleton = character.skeleton
    feet = {
        side: [j for j in range(skeleton.n_joints) if roles[side + "ankle"] in skeleton.path(j)]
        for side in SIDES
        if side + "ankle" in roles
    }
    vertices: dict[str, list[np.ndarray]] = {side: [] for side in feet}
    everything = character.document.everything()
    for node in everything["nodes"]:
        if "mesh" not in node or "skin" not in node:
            continue
        for primitive in everything["meshes"][node["mesh"]]["primitives"]:
            if "KHR_draco_mesh_compression" in primitive.get("extensions", {}):
                continue
            places, owner = _owned_vertices(character, node["skin"], primitive["attributes"])
            for side, joints in feet.items():
                vertices[side].append(places[np.isin(owner, joints)])
    return {side: np.concatenate(parts) for side, parts in vertices.items() if sum(map(len, parts))}


def _owned_vertices(
    character: Character, skin_number: int, attributes: Mapping[str, Any]
) -> tuple[Float[np.ndarray, "vertices 3"], Int[np.ndarray, " vertices"]]:
    """The vertices of a mesh that follow one joint for the most part, in the zero pose, and that joint."""
    document = character.document
    accessors = [attributes[name] for name in ("POSITION", "JOINTS_0", "WEIGHTS_0")]
    if not all(isinstance(index, int) for index in accessors):
        raise TypeError("an accessor is a whole number")
    vertices, slots, weights = (
        document.numbers(index, kind) for index, kind in zip(accessors, ("VEC3", "VEC4", "VEC4"), strict=True)
    )
    skin = document.json.skins[skin_number]
    joint_of = {int(node): joint for joint, node in enumerate(character.nodes)}
    moving = [joint_of.get(joint, -1) for joint in skin.joints]
    binds = _zero_binds(character, skin.inverse_bind_matrices, moving)
    rows = np.arange(len(vertices))
    most = weights.argmax(axis=1)
    clear = weights[rows, most] > _MOST_OF_IT
    slot = slots.astype(np.int64)[rows, most][clear]
    places = np.einsum("vij,vj->vi", binds[slot, :3, :3], vertices[clear]) + binds[slot, :3, 3]
    return places, np.array(moving)[slot]


def _zero_binds(character: Character, accessor: int | None, moving: list[int]) -> Float[np.ndarray, "slots 4 4"]:
    """From a mesh to the skeleton's zero pose, for each joint of a skin; identities for those of other skeletons."""
    inverse = np.tile(np.eye(4), (len(moving), 1, 1))
    if accessor is not None:
        rows = character.document.numbers(accessor, "MAT4")[: len(moving)]
        inverse[: len(rows)] = rows.reshape(-1, 4, 4).transpose(0, 2, 1)
    out = np.tile(np.eye(4), (len(moving), 1, 1))
    for slot, joint in enumerate(moving):
        if joint >= 0:
            size = np.cbrt(np.linalg.det(character.matrices[character.nodes[joint], :3, :3]))
            out[slot, :3, :3] = size * quaternions.to_matrix(character.axes_wxyz[joint])
            out[slot, :3, 3] = character.skeleton.rest_positions[joint]
    return out @ inverse
