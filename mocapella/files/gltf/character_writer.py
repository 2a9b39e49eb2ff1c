"""Motions written into a copy of a user's character: mesh, skin, materials and textures stay byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from mocapella.errors import MotionError
from mocapella.files.gltf.bones import AT_REST, free_name
from mocapella.files.gltf.gltf_reader import rest_of
from mocapella.files.gltf.gltf_writer import Buffer, animation_of, write_binary
from mocapella.files.gltf.skinned_character import Character, node_frames
from mocapella.files.gltf.style import LOOP, GltfStyle, GltfTrack, ground_places
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.loops import Course

_ANIMATIONS = ("keep", "replace")


class Written(NamedTuple):
    """The names in a file into which motions were written."""

    names: tuple[str, ...]  # of their animations
    root: str  # of the node that can travel for the character
    root_is_bone: bool  # whether that is a joint of its skin


def write_onto(
    clips: Sequence[Clip],
    character: Character,
    path: str | PathLike[str],
    *,
    loop: bool = False,
    in_place: bool = False,
    root_motion: str = "hips",
    animations: str = "keep",
) -> Written:
    """Write a copy of a character with motions.

    ``clips`` are motions of the character's skeleton, each an animation of its own. ``character`` is as
    ``read_character`` gives it. An existing file is replaced once the new one is complete. ``root_motion`` names the
    node that travels: the ``hips``; the ``root`` above them, a new one where there is none; ``none``. ``animations``
    is ``keep`` or ``replace``, for those that the character has. Raises ``MotionError`` where a clip is of another
    skeleton, or an option is none.
    """
    style = GltfStyle(loop=loop, in_place=in_place, root_motion=root_motion)
    if animations not in _ANIMATIONS:
        raise MotionError(expected=f"animations {' or '.join(_ANIMATIONS)}", got=repr(animations))
    _refuse_other_skeletons(clips, character)
    document = character.document.everything()
    assert character.document.binary is not None  # read_character refuses others
    size = document["buffers"][0]["byteLength"]
    content = np.frombuffer(character.document.binary[:size] + bytes(-size % 4), dtype=np.uint8)
    buffer = Buffer(views=document.get("bufferViews", []), accessors=document.get("accessors", []), size=len(content))
    moved = character.carrier
    if style.root_motion == "root" and not style.in_place and moved is None:
        moved = _with_root(document, int(character.nodes[0]))
    earlier = document.get("animations", []) if animations == "keep" else []
    added = [animation_of(clip, buffer, style, partial(_tracks, character, moved)) for clip in clips]
    _name_apart(added, [str(animation.get("name", "")) for animation in earlier])
    targets = {channel["target"]["node"] for animation in added for channel in animation["channels"]}
    _without_matrices(document, targets, character)
    document |= {"animations": [*earlier, *added], "accessors": buffer.accessors, "bufferViews": buffer.views}
    document["buffers"][0]["byteLength"] = buffer.size
    write_binary(document, [content, *buffer.arrays], path)
    joints = {joint for skin in character.document.json.skins for joint in skin.joints}
    root = "" if moved is None else str(document["nodes"][moved].get("name", ""))
    return Written(tuple(animation["name"] for animation in added), root, moved in joints)


def _refuse_other_skeletons(clips: Sequence[Clip], character: Character) -> None:
    for clip in clips:
        if not clip.skeleton.same_as(character.skeleton):
            raise MotionError(f"{clip!r} has another skeleton than the character; retarget it first")


def _name_apart(added: list[dict[str, Any]], names: list[str]) -> None:
    """Give new animations names that none has; Godot drops their ending on import, so they differ without it."""
    taken = [name.removesuffix(LOOP) for name in names]
    for animation in added:
        stem = animation["name"].removesuffix(LOOP)
        ending = animation["name"][len(stem) :]
        taken.append(free_name(stem, taken))
        animation["name"] = taken[-1] + ending


def _with_root(document: dict[str, Any], hips: int) -> int:
    """Put a new node above the hips; its number."""
    nodes = document["nodes"]
    root = len(nodes)
    name = free_name("root", [str(node.get("name", "")) for node in nodes])
    nodes.append({"name": name, "children": [hips]})
    scenes = document.get("scenes")
    for scene in scenes if isinstance(scenes, list) else ():
        if isinstance(scene, dict) and isinstance(scene.get("nodes"), list):
            scene["nodes"] = [root if node == hips else node for node in scene["nodes"]]
    return root


def _without_matrices(document: dict[str, Any], moved: set[int], character: Character) -> None:
    """Give nodes that move a place, turn and scale where they have a matrix, which glTF lets nothing move."""
    for number in moved:
        node = document["nodes"][number]
        if node.pop("matrix", None) is not None:
            place, turn, size = rest_of(character.document, number)
            node |= {"translation": place.tolist(), "rotation": turn.tolist(), "scale": size.tolist()}


def _tracks(character: Character, moved: int | None, clip: Clip, course: Course | None) -> list[GltfTrack]:
    """Keys of the hips' place, of each joint that turns, and of the node on the ground where there is a course."""
    axes, nodes = character.axes_wxyz, character.nodes
    back = quaternions.conjugate(character.room_wxyz)
    spot, above, size = node_frames(character, character.above[-1] if character.above else None)
    places = quaternions.rotate(quaternions.conjugate(above), quaternions.rotate(back, clip.root_positions) - spot)
    tracks: list[GltfTrack] = [] if course is None or moved is None else _carried(character, moved, course)
    tracks.append((int(nodes[0]), "translation", places / size))
    parents = clip.skeleton.parents
    for joint in range(clip.skeleton.n_joints):
        undone = quaternions.conjugate(axes[parents[joint]]) if joint else quaternions.seen_from(above, back)
        wxyz = quaternions.multiply(quaternions.multiply(undone, clip.rotations_wxyz[:, joint]), axes[joint])
        if joint == 0 or np.abs(wxyz - _rest(character, joint, wxyz[0])).max() > AT_REST:
            tracks.append((int(nodes[joint]), "rotation", np.roll(quaternions.unroll(wxyz), -1, axis=-1)))
    return tracks


def _rest(character: Character, joint: int, near: np.ndarray) -> np.ndarray:
    """The rotation that a joint's node has at rest, with the sign of one next to it."""
    node, parent = character.nodes[[joint, character.skeleton.parents[joint]]].tolist()
    turn = quaternions.seen_from(node_frames(character, parent)[1], node_frames(character, node)[1])
    return -turn if float(turn @ near) < 0.0 else turn


def _carried(character: Character, moved: int, course: Course) -> list[GltfTrack]:
    """Keys of the node that carries the character along a course."""
    back = quaternions.conjugate(character.room_wxyz)
    turns = quaternions.multiply(quaternions.multiply(back, quaternions.about_y(course.headings)), character.room_wxyz)
    new = moved >= len(character.matrices)
    place, wxyz, _ = node_frames(character, None if new else moved)
    at = () if new else character.above[: character.above.index(moved)]
    spot, above, size = node_frames(character, at[-1] if at else None)
    there = quaternions.rotate(turns, place) + quaternions.rotate(back, ground_places(course))
    undone = quaternions.conjugate(above)
    return [
        (moved, "translation", quaternions.rotate(undone, there - spot) / size),
        (moved, "rotation", np.roll(quaternions.multiply(undone, quaternions.multiply(turns, wxyz)), -1, axis=-1)),
    ]
