"""ASF and AMC files, written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.files.acclaim.asf import CMU_LENGTH, KNOWN_LENGTHS, ROOT, is_number
from mocapella.files.conventions import INCH
from mocapella.files.disk import replacing
from mocapella.files.nodes import numbered
from mocapella.geometry import euler, quaternions
from mocapella.geometry.euler import fit
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.quoting import whole_characters

# Joints as bones: each starts where its parent ends, so some offsets need a bone of their own.

_NO_JOINT = -1  # in place of a joint's number
_SAME = 1e-9  # metres within which two places are one
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("(),#", "_"))


@dataclass(frozen=True, eq=False)
class _Bone:
    """A bone to be written; the root is not among them."""

    name: str
    parent: str
    reach: Float[np.ndarray, 3]  # from its start to its end in the rest pose
    joint: int  # the joint it turns with; −1 where it only carries an offset


def _bones_of(skeleton: Skeleton) -> list[_Bone]:
    """The bones that put every joint and end site of a skeleton in its place, parents before children.

    A bone reaches to where all that hangs on its joint starts. Where that is more than one place, and always at the
    root, which has no length, the bone has none either, and stiff bones ``…_base`` and ``…_end`` carry the offsets.
    """
    names = [ROOT]
    for name in skeleton.names[1:]:
        names.append(numbered(_one_word(name), names))
    taken = set(names)
    hanging: list[list[Float[np.ndarray, 3]]] = [[] for _ in names]
    for joint in range(1, skeleton.n_joints):
        hanging[skeleton.parents[joint]].append(skeleton.offsets[joint])
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        hanging[joint].append(offset)
    reaches = [np.zeros(3), *(_common_place(places) for places in hanging[1:])]
    bones: list[_Bone] = []
    for joint in range(1, skeleton.n_joints):
        above = int(skeleton.parents[joint])
        parent, offset = names[above], skeleton.offsets[joint]
        if not _same(offset, reaches[above]):
            bones.append(_Bone(numbered(f"{names[joint]}_base", taken), parent, offset, _NO_JOINT))
            parent = bones[-1].name
            taken.add(parent)
        bones.append(_Bone(names[joint], parent, reaches[joint], joint))
    for joint, offset in zip(skeleton.end_joints, skeleton.end_offsets, strict=True):
        if not _same(offset, reaches[joint]):
            bones.append(_Bone(numbered(f"{names[joint]}_end", taken), names[joint], offset, _NO_JOINT))
            taken.add(bones[-1].name)
    return bones


def _one_word(name: str) -> str:
    """A name as files can hold it: blanks, and letters that mean something else there, become ``_``."""
    word = "_".join(whole_characters(name).split()).translate(_NOT_IN_NAMES)
    return f"_{word}" if not word or word.startswith(":") or is_number(word) else word


def _common_place(places: list[Float[np.ndarray, 3]]) -> Float[np.ndarray, 3]:
    """Where all places are; the origin where they differ or there are none."""
    return places[0] if places and all(_same(place, places[0]) for place in places) else np.zeros(3)


def _same(a: Float[np.ndarray, 3], b: Float[np.ndarray, 3]) -> bool:
    return bool(np.abs(a - b).max() <= _SAME)


# The pair of files: a skeleton and its motion.

_ALL_DOFS = "ZYX"  # dof rx ry rz, which every program reads
_FITS = 1e-7  # radians a rotation may be off its dofs before it gets all three
_DECIMALS = 8  # of degrees and file units
_BLOCK = 1000  # frames made text at a time


def write_amc(clip: Clip, path: str | PathLike[str], *, skeleton: str | PathLike[str] | None = None) -> None:
    """Write a clip as an AMC file, and the ASF file of its skeleton.

    A skeleton that came from an ASF file goes back with its bones, axes, dofs and limits, in its own unit where that is
    sure to be understood; others get three dofs per joint and CMU's unit. A bone whose motion no longer fits its dofs
    gets all three. The root is called ``root``, and a preset of its place is worked into the motion. The frame rate
    goes into a line ``:SAMPLES-PER-SECOND``. Raises ``MotionError`` for joints that slide.
    """
    if len(clip.sliding_joints):
        names = ", ".join(clip.skeleton.names[joint] for joint in clip.sliding_joints[:5])
        raise MotionError(f"Acclaim bones cannot slide, and {names} do; write BVH, or clips whose joints only turn")
    goal = Path(path)
    asf_goal = goal.with_suffix(".asf") if skeleton is None else Path(skeleton)
    if asf_goal == goal:
        raise MotionError(f"skeleton and motion are two files, both were to be {goal}; motion files end in .amc")
    from_acclaim = Path(clip.source).suffix.lower() == ".amc"
    length = _length_unit(clip.report.metres_per_unit) if from_acclaim else CMU_LENGTH
    bones = _bones_of(clip.skeleton)
    orders, angles = _angles(clip, from_acclaim)
    with replacing(asf_goal) as skeleton_file, replacing(goal) as file:
        skeleton_file.write(_skeleton_text(clip, bones, orders, length).encode())
        for text in _motion_text(clip, bones, angles, length, asf_goal.name):
            file.write(text.encode())


def _length_unit(metres_per_unit: float) -> float:
    """The ``length`` that tells a reader the unit, CMU's where it would not believe the clip's own."""
    stated = INCH / metres_per_unit
    return next((length for length in KNOWN_LENGTHS if math.isclose(stated, length, rel_tol=1e-6)), CMU_LENGTH)


def _angles(clip: Clip, from_acclaim: bool) -> tuple[list[str], list[Float[np.ndarray, "frames _"]]]:
    """Per joint its order and its angles in degrees, both in the order of the matrix product."""
    skeleton = clip.skeleton
    orders, angles = [], []
    for joint, order in enumerate(skeleton.rotation_orders):
        # The root's axes are the world's.
        turn = quaternions.to_matrix(skeleton.axes_wxyz[joint]) if joint else np.eye(3)
        stated = np.array(clip.rotations_wxyz[:, joint])
        stated[:, 1:] = stated[:, 1:] @ turn  # C⁻¹ · L · C turns x, y, z as a vector
        full = len(order) == 3 and (not from_acclaim or order[0] == order[2])
        fitted = None if full or (joint == 0 and len(order) < 3) else fit(stated, order, within=_FITS)
        if fitted is None:
            order = _ALL_DOFS
            fitted = euler.unroll(euler.from_quaternion(stated, order), order)
        orders.append(order)
        angles.append(np.round(np.degrees(fitted), _DECIMALS) + 0.0)  # no −0
    return orders, angles


def _skeleton_text(clip: Clip, bones: list[_Bone], orders: list[str], length: float) -> str:
    skeleton = clip.skeleton
    children: dict[str, list[str]] = {}
    for bone in bones:
        children.setdefault(bone.parent, []).append(bone.name)
    lines = [
        "# written by mocapella",
        ":version 1.10",
        f":name {_one_word(clip.name)}",
        ":units",
        "  mass 1.0",
        f"  length {length:g}",
        "  angle deg",
        ":documentation",
        f"  {skeleton.n_joints} joints, {len(bones)} bones",
        ":root",
        f"  order TX TY TZ {' '.join(f'R{letter}' for letter in reversed(orders[0]))}",
        "  axis XYZ",
        "  position 0 0 0",
        "  orientation 0 0 0",
        ":bonedata",
    ]
    for number, bone in enumerate(bones, start=1):
        lines += _bone_lines(number, bone, skeleton, orders, length)
    lines += [":hierarchy", "  begin"]
    lines += [f"    {parent} {' '.join(names)}" for parent, names in children.items()]
    return "\n".join([*lines, "  end", ""])


def _bone_lines(number: int, bone: _Bone, skeleton: Skeleton, orders: list[str], length: float) -> list[str]:
    reach = float(np.linalg.norm(bone.reach))
    direction = bone.reach / reach if reach > 0.0 else np.array([0.0, 1.0, 0.0])
    stiff = bone.joint == _NO_JOINT
    axis_wxyz = quaternions.IDENTITY if stiff else skeleton.axes_wxyz[bone.joint]
    axis = np.degrees(euler.from_quaternion(axis_wxyz, "ZYX"))[::-1]
    lines = [
        "  begin",
        f"    id {number}",
        f"    name {bone.name}",
        f"    direction {_words(direction)}",
        f"    length {_words(np.array([reach * length / INCH]))}",
        f"    axis {_words(axis)} XYZ",
    ]
    if not stiff and (order := orders[bone.joint]):
        dofs = order[::-1].lower()
        limits = np.degrees([skeleton.limits[bone.joint, "xyz".index(letter)] for letter in dofs])
        lines.append(f"    dof {' '.join(f'r{letter}' for letter in dofs)}")
        if np.isfinite(limits).any():
            pairs = [f"({_words(pair)})" for pair in limits]
            lines += [f"    limits {pairs[0]}", *(f"           {pair}" for pair in pairs[1:])]
    return [*lines, "  end"]


def _words(values: Float[np.ndarray, " values"]) -> str:
    return " ".join(f"{value:.12g}" for value in np.asarray(values + 0.0).tolist())


def _motion_text(
    clip: Clip, bones: list[_Bone], angles: list[Float[np.ndarray, "frames _"]], length: float, skeleton_name: str
) -> Iterator[str]:
    """The motion file piece by piece, all frames in one pattern."""
    named = [(ROOT, 3 + angles[0].shape[1])]
    columns = [np.round(clip.root_positions * (length / INCH), _DECIMALS) + 0.0, angles[0][:, ::-1]]
    for bone in bones:
        if bone.joint != _NO_JOINT and (count := angles[bone.joint].shape[1]):
            named.append((bone.name, count))
            columns.append(angles[bone.joint][:, ::-1])  # a line states first what turns first
    pattern = "\n".join(f"{name.replace('%', '%%')}{' %.12g' * count}" for name, count in named)
    pattern = f"%d\n{pattern}\n"
    table = np.concatenate([np.arange(1.0, clip.n_frames + 1)[:, None], *columns], axis=1)
    skeleton_words = " ".join(whole_characters(skeleton_name).split())
    yield f"#!OML:ASF {skeleton_words}\n:FULLY-SPECIFIED\n:SAMPLES-PER-SECOND {float(clip.frame_rate)!r}\n:DEGREES\n"
    for start in range(0, clip.n_frames, _BLOCK):
        yield "".join(pattern % tuple(row) for row in table[start : start + _BLOCK].tolist())
