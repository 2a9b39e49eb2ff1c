"""How programs are given motions: which bones they get, what travels, and the body round them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PureWindowsPath
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.body.skin import BodyMesh, body_mesh, sole_thickness
from mocapella.errors import MotionError
from mocapella.files.gltf.bones import AT_REST, BONES, Bones, captured_bones, limb_bones, one_skeleton
from mocapella.geometry import quaternions
from mocapella.motion import loops
from mocapella.motion.clip import Clip
from mocapella.motion.loops import Course
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.binding import unbound

ROOT_MOTIONS = ("hips", "root", "none")
LOOP = "-loop"  # what ends the name of an animation that Godot repeats

GltfTrack = tuple[int, str, Float[np.ndarray, "keys components"]]  # a node, what of it moves, the keys


@dataclass(frozen=True)
class GltfStyle:
    """How motions are written as glTF.

    A ``loop`` is closed by a last key at ``clip.seconds`` that repeats the first frame, and the animation's name ends
    in ``-loop``. Where the root travels, it is carried on to where the next round begins, so that an engine that moves
    its character by the root goes on without a hitch.

    ``in_place`` takes out the root's way over the ground: of a loop its steady travel and turn, so that sway stays and
    the last key equals the first; of other motions all of it. The bone that travels is ``root_motion``: the ``hips`` as
    captured, a ``root`` on the ground with a smooth way and heading, or ``none``, which is the same as ``in_place``.
    ``bones`` lie along the ``limbs``, the rest pose standing on the ground, or ``as-captured``.
    """

    loop: bool = False
    in_place: bool = False
    root_motion: str = "hips"
    bones: str = "limbs"
    body: bool = True

    def __post_init__(self) -> None:
        for name, value, choices in (("root_motion", self.root_motion, ROOT_MOTIONS), ("bones", self.bones, BONES)):
            if value not in choices:
                raise MotionError(expected=f"{name} {', '.join(choices[:-1])} or {choices[-1]}", got=repr(value))
        if self.root_motion == "none":
            object.__setattr__(self, "in_place", True)
        if self.root_motion == "root" and self.bones != "limbs":
            raise MotionError("a root on the ground needs bones of our own; write them along the limbs")


class _Rig(NamedTuple):
    """Motions of one skeleton, the bones that are written for it, and a plain body."""

    clips: list[Clip]
    bones: Bones
    body: BodyMesh


def rigged(clips: Sequence[Clip], style: GltfStyle) -> _Rig:
    """The bones and the body that some motions get; with bones along limbs it stands on the ground above the origin.

    Raises ``MotionError`` where skeletons differ, or there is no motion.
    """
    given = [unbound(clip) for clip in clips] if style.bones == "as-captured" else list(clips)
    skeleton = one_skeleton(given)
    mesh = body_mesh(skeleton, soles=sole_thickness(given))
    if style.bones != "limbs":
        return _Rig(given, captured_bones(skeleton), mesh)
    floor = float(mesh.vertices[:, 1].min())
    bones = limb_bones(given, floor, root=style.root_motion == "root")
    x, _, z = skeleton.rest_positions[0]
    return _Rig(given, bones, replace(mesh, vertices=mesh.vertices - [x, floor, z]))


def nearest_bones(skeleton: Skeleton, bones: Bones) -> Int[np.ndarray, " joints"]:
    """The bone that moves each joint: its own, or that of the nearest joint above it."""
    bone_of = bones.of_joint
    paths = [skeleton.path(joint) for joint in range(skeleton.n_joints)]
    return np.array([next(bone_of[joint] for joint in path if joint in bone_of) for path in paths])


class _Played(NamedTuple):
    """A motion as joints have it in a file, and its way over the ground."""

    clip: Clip
    course: Course | None  # of a root on the ground; None where there is none
    whole: Clip  # with its travel; of a loop with its closing frame
    way: Course


def as_played(clip: Clip, style: GltfStyle) -> _Played:
    """A motion divided between its joints and a root on the ground; a loop ends as it begins, but for the travel."""
    whole = loops.close_loop(clip.captured) if style.loop else clip
    way = loops.steady_course(whole) if style.loop else loops.smooth_course(whole)
    if style.in_place:
        still = loops.close_loop_in_place(clip.captured) if style.loop else loops.in_place(clip)
        return _Played(still, None, whole, way)
    if style.root_motion == "root":
        return _Played(way.taken_out_of(whole), way, whole, way)
    return _Played(whole, None, whole, way)


def motion_name(clip: Clip, style: GltfStyle) -> str:
    """The name of a motion in a file: the clip's name, or that of its source; loops end in ``-loop``."""
    name = clip.name or PureWindowsPath(clip.source).stem or "motion"
    return name if not style.loop or name.endswith(LOOP) else name + LOOP


def bone_tracks(bones: Bones, clip: Clip, course: Course | None) -> list[GltfTrack]:
    """Keys of the root's place and of each joint that turns or slides, in the axes of the bones.

    ``bones`` are nodes from 0 on. The first lies on the ground and follows ``course``, where there is one.
    """
    bone_of = bones.of_joint
    tracks: list[GltfTrack] = []
    if course is not None:
        turns = np.roll(quaternions.about_y(course.headings), -1, axis=-1)
        tracks += [(0, "translation", ground_places(course)), (0, "rotation", turns)]
    tracks.append((bone_of[0], "translation", clip.root_positions))
    turning = np.flatnonzero(np.abs(clip.rotations_wxyz[..., 1:]).max(axis=(0, 2)) > AT_REST)
    for joint in turning.tolist():
        wxyz = bones.local(bone_of[joint], clip.rotations_wxyz[:, joint])
        tracks.append((bone_of[joint], "rotation", np.roll(wxyz, -1, axis=-1)))
    for joint, slide in zip(clip.sliding_joints.tolist(), np.moveaxis(clip.slides, 1, 0), strict=True):
        if np.abs(slide - clip.skeleton.offsets[joint]).max() > AT_REST:
            above = quaternions.conjugate(bones.above_wxyz[bone_of[joint]])
            tracks.append((bone_of[joint], "translation", quaternions.rotate(above, slide)))
    return tracks


def ground_places(course: Course) -> Float[np.ndarray, "keys 3"]:
    """The places of a course on the ground, as x, y, z."""
    return np.stack([course.places.imag, np.zeros(len(course.places)), course.places.real], axis=-1)
