"""VMD files read: the keys of MikuMikuDance on a usual body, its legs bent towards their targets.

A VMD names bones and holds no skeleton; it is made for models of one build. The body here has the bones that all such
models share, in their usual proportions: 20 units tall, which is 1.6 m, arms 37 degrees below the horizontal. Bones
that only move others (全ての親, センター, グルーブ, 腰) are taken into the hips, twists of the arms into the arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.checks import MOST_FRAMES
from mocapella.errors import FormatError
from mocapella.files.conventions import UNITS, Parsed
from mocapella.files.vmd.vmd_keys import VmdMotion, is_on, read_keys
from mocapella.geometry import quaternions
from mocapella.geometry.limbs import bend_towards
from mocapella.motion import kinematics
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT, Skeleton
from mocapella.rig.names import SIDES

_RATE = 30.0  # frames per second of all VMD files
_NAMED = 12  # bones that are listed, before the rest is only counted

# Bone, the bone above it and its place at rest, in units; of the left side where {} stands for one. Facing +z.
_BONES = (
    ("全ての親", "", (0.0, 0.0, 0.0)),
    ("センター", "全ての親", (0.0, 8.0, 0.0)),
    ("グルーブ", "センター", (0.0, 8.4, 0.0)),
    ("腰", "グルーブ", (0.0, 12.2, 0.0)),
    ("下半身", "腰", (0.0, 12.2, 0.0)),
    ("上半身", "腰", (0.0, 12.2, 0.0)),
    ("上半身2", "上半身", (0.0, 13.7, 0.0)),
    ("首", "上半身2", (0.0, 16.3, 0.0)),
    ("頭", "首", (0.0, 17.2, 0.0)),
    ("{}肩P", "上半身2", (0.4, 15.9, 0.0)),
    ("{}肩", "{}肩P", (0.4, 15.9, 0.0)),
    ("{}肩C", "{}肩", (1.5, 15.6, 0.0)),
    ("{}腕", "{}肩C", (1.5, 15.6, 0.0)),
    ("{}腕捩", "{}腕", (1.5, 15.6, 0.0)),
    ("{}ひじ", "{}腕捩", (3.7, 13.94, 0.0)),
    ("{}手捩", "{}ひじ", (3.7, 13.94, 0.0)),
    ("{}手首", "{}手捩", (5.6, 12.51, 0.0)),
    ("{}足", "下半身", (0.9, 11.2, 0.0)),
    ("{}ひざ", "{}足", (0.9, 6.5, 0.1)),
    ("{}足首", "{}ひざ", (0.9, 1.3, -0.2)),
    ("{}つま先", "{}足首", (0.9, 0.0, 1.2)),
    ("{}足IK親", "全ての親", (0.9, 0.0, -0.2)),
    ("{}足IK", "{}足IK親", (0.9, 1.3, -0.2)),
    ("{}つま先IK", "{}足IK", (0.9, 0.0, 1.2)),
)
# Joint of the body, its parent, the bone whose rotation it has, and its role; the hips carry the back.
_JOINTS = (
    ("下半身", "", "下半身", "hips"),
    ("上半身", "下半身", "上半身", "spine"),
    ("上半身2", "上半身", "上半身2", "chest"),
    ("首", "上半身2", "首", "neck"),
    ("頭", "首", "頭", "head"),
    ("{}肩", "上半身2", "{}肩", "clavicle"),
    ("{}腕", "{}肩", "{}腕捩", "shoulder"),
    ("{}ひじ", "{}腕", "{}手捩", "elbow"),
    ("{}手首", "{}ひじ", "{}手首", "wrist"),
    ("{}足", "下半身", "{}足", "hip"),
    ("{}ひざ", "{}足", "{}ひざ", "knee"),
    ("{}足首", "{}ひざ", "{}足首", "ankle"),
    ("{}つま先", "{}足首", "{}つま先", "toe"),
)
_ENDS = (("頭", (0.0, 2.8, 0.0)), ("{}手首", (1.2, -0.9, 0.0)), ("{}つま先", (0.0, 0.0, 0.5)))  # units
_SIDES = dict(zip(SIDES, "左右", strict=True))
_HINGE = np.array([1.0, 0.0, 0.0])  # about which knees bend at rest

_World = Float[np.ndarray, "frames bones 4"]


def read_vmd(path: Path, *, partial: bool = False) -> Parsed:
    """The motion of a ``.vmd`` file on the usual body of MikuMikuDance, at its 30 frames per second.

    Raises ``FormatError`` with the byte where it is no VMD or is cut short, or where it moves no body.
    """
    motion, budget = read_keys(path, partial=partial)
    rig, body = _rig(), _body()
    if not set(rig.names) & set(motion.bones):
        shown = ", ".join(list(motion.bones)[:_NAMED]) or "none"
        raise FormatError(path, 0, f"moves no body: expected keys of センター, 上半身, 左足IK …, found {shown}")
    n_frames = 1 + max(int(keys.frames[-1]) for bone, keys in motion.bones.items() if bone in rig.names)
    if n_frames > MOST_FRAMES:
        raise FormatError(path, 0, f"its last key is that of frame {n_frames - 1:,}; at most {MOST_FRAMES:,} are read")
    budget.take_motion(n_frames, body.n_joints)
    places, world, by_targets = _posed(rig, motion, n_frames)
    source = {joint: bone for name, _, turned, _ in _JOINTS for joint, bone in _both(name, turned)}
    world = world[:, [rig.index(source[name]) for name in body.names]]
    return Parsed(
        body,
        owned(places[:, rig.index("下半身")]),
        owned(quaternions.unroll(quaternions.normalise(kinematics.local_rotations(body, world)))),
        _RATE,
        findings=(*motion.findings, *_told(by_targets, [name for name in motion.bones if name not in rig.names])),
        metres_per_unit=UNITS["mmd"],
        up_axis="y",
    )


def _both(*patterns: str) -> list[list[str]]:
    """Names of both sides by patterns with {} for one; once where there is none."""
    letters = _SIDES.values() if "{}" in patterns[0] else ("",)
    return [[pattern.format(letter) for pattern in patterns] for letter in letters]


def _places() -> dict[str, Float[np.ndarray, 3]]:
    """Where bones are at rest, in units."""
    out = {}
    for pattern, _, (x, y, z) in _BONES:
        for (name,), sign in zip(_both(pattern), (1.0, -1.0), strict=False):
            out[name] = np.array([sign * x, y, z])
    return out


def _tree(rows: Sequence[tuple[str, str]]) -> Skeleton:
    """Bones hung on each other by patterns of names."""
    places, pairs = _places(), [pair for row in rows for pair in _both(*row)]
    names = [name for name, _ in pairs]
    parents = [names.index(above) if above else NO_PARENT for _, above in pairs]
    offsets = [places[name] - (places[above] if above else 0.0) for name, above in pairs]
    ends = [
        (name, np.array([sign * x, y, z]))
        for pattern, (x, y, z) in _ENDS
        for (name,), sign in zip(_both(pattern), (1.0, -1.0), strict=False)
    ]
    return Skeleton.of(names, parents, offsets, ends=ends)


def _rig() -> Skeleton:
    """All bones that keys may move."""
    return _tree([(name, above) for name, above, _ in _BONES])


def _body() -> Skeleton:
    """The joints of the body, with their roles."""
    roles = {}
    for name, _, _, role in _JOINTS:
        for (joint,), side in zip(_both(name), SIDES if "{}" in name else ("",), strict=True):
            roles[side + role] = joint
    return _tree([(name, above) for name, above, _, _ in _JOINTS]).with_roles(roles)


def _posed(
    rig: Skeleton, motion: VmdMotion, n_frames: int
) -> tuple[Float[np.ndarray, "frames bones 3"], _World, list[str]]:
    """Where bones are and how they are turned in the room, and which legs follow targets."""
    offsets = np.tile(rig.offsets, (n_frames, 1, 1))
    local = np.tile(quaternions.IDENTITY, (n_frames, rig.n_joints, 1))
    for bone, keys in motion.bones.items():
        if bone in rig.names:
            moved, local[:, rig.index(bone)] = keys.at(n_frames)
            offsets[:, rig.index(bone)] += moved
    for letter in _SIDES.values():  # what moves a shoulder does not turn its arm
        local[:, rig.index(f"{letter}肩C")] = quaternions.conjugate(local[:, rig.index(f"{letter}肩P")])
    places, world = kinematics.forward(rig, offsets[:, 0], local, offsets)
    by_targets = [letter for letter in _SIDES.values() if _has_targets(motion, letter)]
    for letter in by_targets:
        on = is_on(motion.switches.get(f"{letter}足IK", []), n_frames)
        _reach(rig, places, world, letter, on, on & is_on(motion.switches.get(f"{letter}つま先IK", []), n_frames))
    return places, world, by_targets


def _has_targets(motion: VmdMotion, letter: str) -> bool:
    """Whether a leg follows a target: not where only the leg itself has keys, as captured motions may have it."""
    return f"{letter}足IK" in motion.bones or not {f"{letter}足", f"{letter}ひざ"} & set(motion.bones)


def _reach(
    rig: Skeleton,
    places: Float[np.ndarray, "frames bones 3"],
    world: _World,
    letter: str,
    ankle_on: Bool[np.ndarray, " frames"],
    toe_on: Bool[np.ndarray, " frames"],
) -> None:
    """Bend a leg so that its ankle is at its target, and turn the foot towards that of the toe.

    As in MikuMikuDance the knee bends about its own hinge, and the thigh takes the shortest way from how its keys turn
    it; so does the foot.
    """
    hip, knee, ankle, toe = (rig.index(letter + bone) for bone in ("足", "ひざ", "足首", "つま先"))
    goal, toe_goal = (places[:, rig.index(letter + bone)] for bone in ("足IK", "つま先IK"))
    start, middle, end = places[:, hip], places[:, knee], places[:, ankle]
    folded, swing, _ = bend_towards(start, middle, end, quaternions.rotate(world[:, hip], _HINGE), goal)
    swing = np.where(ankle_on[:, None], swing, quaternions.IDENTITY)
    shank = np.where(ankle_on[:, None], quaternions.multiply(swing, folded), quaternions.IDENTITY)
    reached = start + quaternions.rotate(swing, middle - start) + quaternions.rotate(shank, end - middle)
    pointing = quaternions.rotate(shank, places[:, toe] - end)
    aim = np.where(toe_on[:, None], quaternions.between(pointing, toe_goal - reached), quaternions.IDENTITY)
    foot = quaternions.multiply(aim, shank)
    for joint, turn in ((hip, swing), (knee, shank), (ankle, foot), (toe, foot)):
        world[:, joint] = quaternions.multiply(turn, world[:, joint])


def _told(by_targets: list[str], unused: list[str]) -> list[Finding]:
    """Which body the motion is shown on, how its legs are moved, and which bones it has not."""
    legs = "its legs follow their targets" if by_targets else "its legs are turned by their own keys"
    message = f"a VMD holds no skeleton: it is shown on a body of 20 units, 1.6 m; {legs}"
    out = [Finding("default-body", message, doubtful=False)]
    if unused:
        shown = ", ".join(unused[:_NAMED]) + (f" and {len(unused) - _NAMED} more" if len(unused) > _NAMED else "")
        out.append(Finding("bones-unused", f"bones that this body has not are left out: {shown}", doubtful=False))
    return out
