"""Motions saved onto a user's character: retargeted with feet locked, written into a copy of its file."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from mocapella.editing.retarget import carried_to
from mocapella.errors import MotionError
from mocapella.files.gltf.character_writer import write_onto
from mocapella.files.gltf.skinned_character import CHARACTERS, Character, read_character
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts


def save_onto(
    clips: Sequence[Clip],
    path: str | PathLike[str],
    character: Character | str | PathLike[str],
    *,
    contacts: Sequence[Contacts] | None = None,
    loop: bool = False,
    in_place: bool = False,
    root_motion: str = "hips",
    animations: str = "keep",
) -> list[Clip]:
    """Write a copy of a character that moves as some clips do.

    ``path`` is a ``.glb`` or ``.vrm`` file. ``contacts`` are the foot plants of each clip; found if None. ``loop``,
    ``in_place``, ``root_motion`` and ``animations`` are as ``write_onto`` takes them. Raises ``MotionError`` where the
    suffix is another, a skeleton lacks legs, or the file would replace the character.
    """
    place = Path(path)
    if place.suffix.lower() not in CHARACTERS:
        raise MotionError(f"cannot write {place.name}: a character is written as {' or '.join(CHARACTERS)}")
    target = character if isinstance(character, Character) else read_character(character)
    if place.exists() and place.samefile(target.path):
        raise MotionError(f"{place} would replace the character that is read; write to another name")
    plants = [None] * len(clips) if contacts is None else list(contacts)
    moved = [
        carried_to(clip, target.skeleton, contacts=held, loop=loop) for clip, held in zip(clips, plants, strict=True)
    ]
    write_onto(moved, target, place, loop=loop, in_place=in_place, root_motion=root_motion, animations=animations)
    return moved
