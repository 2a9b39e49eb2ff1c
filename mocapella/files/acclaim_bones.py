"""Joints as Acclaim bones: each starts where its parent ends, so some offsets need a bone of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.files.asf_bones import ROOT
from mocapella.files.asf_words import is_number
from mocapella.motion.skeleton import Skeleton

NO_JOINT = -1
_SAME = 1e-9  # metres within which two places are one
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("(),#", "_"))


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone to be written; the root is not among them."""

    name: str
    parent: str
    reach: Float[np.ndarray, 3]  # from its start to its end in the rest pose
    joint: int  # the joint it turns with; −1 where it only carries an offset


def bones_of(skeleton: Skeleton) -> list[Bone]:
    """The bones that put every joint and end site of a skeleton in its place, parents before children.

    A bone reaches to where all that hangs on its joint starts. Where that is more than one place, and always at the
    root, which has no length, the bone has none either, and stiff bones ``…_base`` and ``…_end`` carry the offsets.
    """
    names = _bone_names(skeleton)
    taken = set(names)
    hanging: list[list[Float[np.ndarray, 3]]] = [[] for _ in names]
    for joint in range(1, skeleton.n_joints):
        hanging[skeleton.parents[joint]].append(skeleton.offsets[joint])
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        hanging[joint].append(offset)
    reaches = [np.zeros(3), *(_common_place(places) for places in hanging[1:])]
    bones: list[Bone] = []
    for joint in range(1, skeleton.n_joints):
        above = int(skeleton.parents[joint])
        parent, offset = names[above], skeleton.offsets[joint]
        if not _same(offset, reaches[above]):
            base = _unique(f"{names[joint]}_base", taken)
            bones.append(Bone(base, parent, offset, NO_JOINT))
            parent = base
        bones.append(Bone(names[joint], parent, reaches[joint], joint))
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        if not _same(offset, reaches[joint]):
            bones.append(Bone(_unique(f"{names[joint]}_end", taken), names[joint], offset, NO_JOINT))
    return bones


def one_word(name: str) -> str:
    """A name as files can hold it: no blanks, and nothing that means something else there."""
    word = "_".join(name.split()).translate(_NOT_IN_NAMES)
    return f"_{word}" if not word or word.startswith(":") or is_number(word) else word


def _bone_names(skeleton: Skeleton) -> list[str]:
    taken = {ROOT}
    return [ROOT, *(_unique(one_word(name), taken) for name in skeleton.names[1:])]


def _unique(name: str, taken: set[str]) -> str:
    """The name, or the first of name_2, name_3, … that nobody has; it is taken from now on."""
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def _common_place(places: list[Float[np.ndarray, 3]]) -> Float[np.ndarray, 3]:
    """Where all places are; the origin where they differ or there are none."""
    if not places or not all(_same(place, places[0]) for place in places):
        return np.zeros(3)
    return places[0]


def _same(a: Float[np.ndarray, 3], b: Float[np.ndarray, 3]) -> bool:
    return bool(np.abs(a - b).max() <= _SAME)
