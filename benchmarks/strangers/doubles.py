"""Make doubles of captures: the same motion as another studio, rig or program would have stored it.

Each double keeps the motion of its original, so that what is found in the original is the truth about the double.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.geometry import quaternions as q
from mocapella.rig.standing import TO_Y

DOWN, ALONG = np.array([0.0, -1.0, 0.0]), np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Double:
    """A stored double, and how its frames relate to those of its original."""

    kind: str
    path: Path
    original: mo.Clip
    frames_per_frame: float = 1.0  # frames of the double to one of the original


def still_root(path: Path, out: Path, name: str = "joint_Root") -> Path:
    """A BVH file whose root never moves; the hips below it carry travel and turn."""
    head, _, motion = path.read_text().partition("MOTION")
    body = re.sub(r"^\s*ROOT\s+(\S+)", r"JOINT \1", head.partition("HIERARCHY")[2].lstrip(), count=1)
    channels = "Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    wrapped = f"HIERARCHY\nROOT {name}\n{{\nOFFSET 0 0 0\nCHANNELS 6 {channels}\n{body.rstrip()}\n}}\n"
    lines = motion.strip().splitlines()
    rows = [f"0 0 0 0 0 0 {line.strip()}" for line in lines[2:] if line.strip()]
    out.write_text("\n".join([f"{wrapped}MOTION", *(line.strip() for line in lines[:2]), *rows]) + "\n")
    return out


def with_axes(clip: mo.Clip, axes: np.ndarray) -> mo.Clip:
    """The same motion with other joint axes, so that identity rotations show another pose.

    ``axes`` are wxyz per joint: the new axes of each joint in its old ones.
    """
    skeleton = clip.skeleton
    above = np.where(skeleton.parents < 0, 0, skeleton.parents)
    inverse = q.conjugate(axes)
    parents = np.where((skeleton.parents < 0)[:, None], q.IDENTITY, inverse[above])
    offsets = np.where((skeleton.parents < 0)[:, None], skeleton.offsets, q.rotate(inverse[above], skeleton.offsets))
    posed = replace(skeleton, offsets=offsets, end_offsets=q.rotate(inverse[skeleton.end_joints], skeleton.end_offsets))
    rotations = q.multiply(q.multiply(parents, clip.rotations_wxyz), axes)
    return replace(clip, skeleton=posed, rotations_wxyz=rotations)


def in_room(clip: mo.Clip, up: str, *, rest: bool) -> mo.Clip:
    """The same motion in a room whose axis ``up`` points up, its rest pose turned along or standing along y still."""
    turn = q.from_matrix(TO_Y[up].T)
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = q.multiply(turn, rotations[:, 0])
    turned = replace(clip, root_positions=clip.root_positions @ TO_Y[up], rotations_wxyz=rotations)
    axes = np.tile(q.conjugate(turn), (clip.skeleton.n_joints, 1))
    return with_axes(turned, axes) if rest else turned


def tilted(clip: mo.Clip, degrees: float, axis: int) -> mo.Clip:
    """The same motion on ground that is tilted about an axis, 0 for x and 2 for z."""
    turn = q.from_rotvec(np.radians(degrees) * np.eye(3)[axis])
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = q.multiply(turn, rotations[:, 0])
    return replace(clip, root_positions=q.rotate(turn, clip.root_positions), rotations_wxyz=rotations)


def lying(skeleton: mo.Skeleton) -> np.ndarray:
    """Axes by which identity rotations lie on their back."""
    return np.tile(q.from_rotvec(np.array([np.pi / 2, 0.0, 0.0])), (skeleton.n_joints, 1))


def bones_along(skeleton: mo.Skeleton, axis: np.ndarray) -> np.ndarray:
    """Axes by which every bone points along one axis of its joint, as many modelling programs have it."""
    axes = np.tile(q.IDENTITY, (skeleton.n_joints, 1))
    for joint in range(skeleton.n_joints):
        children = np.flatnonzero(skeleton.parents == joint)
        ends = skeleton.end_offsets[skeleton.end_joints == joint]
        bones = [*skeleton.offsets[children], *ends]
        longest = max(bones, key=lambda bone: float(np.linalg.norm(bone)), default=np.zeros(3))
        if np.linalg.norm(longest) > 1e-6:
            axes[joint] = q.between(axis, longest / np.linalg.norm(longest))
    return axes


def crossed(skeleton: mo.Skeleton) -> np.ndarray:
    """Axes by which identity rotations cross the legs and lift the arms."""
    axes = np.tile(q.IDENTITY, (skeleton.n_joints, 1))
    roles = mo.find_roles(skeleton)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for joint, angle in (("hip", 0.5), ("shoulder", -1.2)):
            if (name := f"{side}_{joint}") in roles:
                axes[_below(skeleton, roles[name])] = q.from_rotvec(np.array([0.0, 0.0, sign * angle]))
    return axes


ZERO_POSES: dict[str, Callable[[mo.Skeleton], np.ndarray]] = {
    "lying": lying,
    "hanging": lambda skeleton: bones_along(skeleton, DOWN),
    "bones along x": lambda skeleton: bones_along(skeleton, ALONG),
    "crossed": crossed,
}


def one_leg_longer(clip: mo.Clip, share: float = 1.04) -> mo.Clip:
    """A body whose left leg is longer, with the joint angles it was captured with."""
    roles = mo.find_roles(clip.skeleton)
    offsets = clip.skeleton.offsets.copy()
    offsets[[roles["left_knee"], roles["left_ankle"]]] *= share
    return replace(clip, skeleton=replace(clip.skeleton, offsets=offsets))


def straight_kneed(clip: mo.Clip, degrees: float) -> mo.Clip:
    """The same motion with knees bent by less, so that standing legs pass through straight and beyond."""
    roles = mo.find_roles(clip.skeleton)
    rotations = np.array(clip.rotations_wxyz)
    back, half = (q.from_rotvec(np.radians([angle, 0.0, 0.0])) for angle in (-degrees, 0.5 * degrees))
    for side in ("left", "right"):
        hip, knee, ankle = (roles[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        rotations[:, hip] = q.multiply(rotations[:, hip], half)
        rotations[:, knee] = q.multiply(back, rotations[:, knee])
        rotations[:, ankle] = q.multiply(half, rotations[:, ankle])
    return replace(clip, rotations_wxyz=rotations)


def long_take(clips: list[mo.Clip]) -> mo.Clip:
    """Several motions of one person in one file, each going on where the one before stopped."""
    parts, place = [], np.zeros(3)
    for clip in clips:
        shift = np.array([place[0] - clip.root_positions[0, 0], 0.0, place[2] - clip.root_positions[0, 2]])
        parts.append(replace(clip, root_positions=clip.root_positions + shift))
        place = parts[-1].root_positions[-1]
    return mo.concatenate(parts)


def _below(skeleton: mo.Skeleton, joint: int) -> list[int]:
    """A joint and all that hang on it."""
    found = [joint]
    for child in range(joint + 1, skeleton.n_joints):
        if skeleton.parents[child] in found:
            found.append(child)
    return found


def seated(clip: mo.Clip) -> mo.Clip:
    """The same upper body on a chair: thighs level, shanks upright, hips at the height of the knees."""
    roles = mo.find_roles(clip.skeleton)
    rotations, roots = np.array(clip.rotations_wxyz), np.array(clip.root_positions)
    up, down = q.from_rotvec(np.radians([[-90.0, 0.0, 0.0], [90.0, 0.0, 0.0]]))
    for side in ("left", "right"):
        for part, turn in (("hip", up), ("knee", down)):
            joint = roles[f"{side}_{part}"]
            rotations[:, joint] = q.multiply(rotations[:, joint], turn)
    shank = float(np.linalg.norm(clip.skeleton.offsets[roles["left_ankle"]]))
    roots[:, 1] += 1.25 * shank - roots[:, 1].mean()
    return replace(clip, root_positions=roots, rotations_wxyz=rotations)


def laughing(clip: mo.Clip, *, seed: int) -> mo.Clip:
    """The same, shaken by fits of laughter: bursts of 3 to 5 Hz in the spine at odd times, arms thrown about."""
    rng, roles = np.random.default_rng(seed), mo.find_roles(clip.skeleton)
    times = np.arange(clip.n_frames) / clip.frame_rate
    rotations = np.array(clip.rotations_wxyz)
    for role in ("spine", "chest", "neck", "left_shoulder", "right_shoulder"):
        if role not in roles:
            continue
        turns = np.zeros((len(times), 3))
        for _ in range(max(int(times[-1]), 3)):
            middle, width, rate = rng.uniform(0.0, times[-1]), rng.uniform(0.2, 0.8), rng.uniform(3.0, 5.0)
            burst = np.exp(-(((times - middle) / width) ** 2)) * np.sin(
                2.0 * np.pi * rate * times + rng.uniform(0.0, 6.0)
            )
            turns += burst[:, None] * rng.normal(0.0, 0.25, 3)
        rotations[:, roles[role]] = q.multiply(rotations[:, roles[role]], q.from_rotvec(turns))
    return replace(clip, rotations_wxyz=rotations)


def lying_down(clip: mo.Clip) -> mo.Clip:
    """The same body on its back, on the ground: what a dancer does on the floor."""
    back = q.from_rotvec(np.array([-0.5 * np.pi, 0.0, 0.0]))
    rotations, roots = np.array(clip.rotations_wxyz), np.array(clip.root_positions)
    rotations[:, 0] = q.multiply(rotations[:, 0], back)
    roots[:, 1] += 0.25 - roots[:, 1].mean()
    return replace(clip, root_positions=roots, rotations_wxyz=rotations)
