"""Joint names by which engines and character formats recognise a humanoid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles

_SPINE = ("hips", "spine", "chest", "neck", "head")
_SIDE = ("hip", "knee", "ankle", "toe", "clavicle", "shoulder", "elbow", "wrist")


def _sides(left: str, right: str, spine: tuple[str, ...], limbs: tuple[str, ...]) -> Mapping[str, str]:
    """Names by role: ``{}`` in a limb's name stands for the side."""
    names = dict(zip(_SPINE, spine, strict=True))
    for side, word in (("left", left), ("right", right)):
        names |= {f"{side}_{role}": limb.format(word) for role, limb in zip(_SIDE, limbs, strict=True)}
    return MappingProxyType(names)


NAMINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "vrm": _sides(
            "left",
            "right",
            ("hips", "spine", "chest", "neck", "head"),
            ("{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toes", "{}Shoulder", "{}UpperArm", "{}LowerArm", "{}Hand"),
        ),
        "godot": _sides(
            "Left",
            "Right",
            ("Hips", "Spine", "Chest", "Neck", "Head"),
            ("{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toes", "{}Shoulder", "{}UpperArm", "{}LowerArm", "{}Hand"),
        ),
        "unreal": _sides(
            "_l",
            "_r",
            ("pelvis", "spine_01", "spine_03", "neck_01", "head"),
            ("thigh{}", "calf{}", "foot{}", "ball{}", "clavicle{}", "upperarm{}", "lowerarm{}", "hand{}"),
        ),
        "mixamo": _sides(
            "Left",
            "Right",
            ("mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine2", "mixamorig:Neck", "mixamorig:Head"),
            tuple(
                f"mixamorig:{{}}{limb}"
                for limb in ("UpLeg", "Leg", "Foot", "ToeBase", "Shoulder", "Arm", "ForeArm", "Hand")
            ),
        ),
    }
)
"""Role → joint name, by naming convention."""


def named_for(clip: Clip, naming: str) -> Clip:
    """A clip whose joints have the names of a convention, as far as their roles are known.

    Parameters
    ----------
    clip
        Any clip.
    naming
        One of ``NAMINGS``, or ``"as-captured"``, which changes nothing.

    Returns
    -------
    Clip
        The same motion. Joints without a role keep their names, with underscores where another one has it now; roles
        stay with their joints.

    Raises
    ------
    MotionError
        Where there is no such convention, or the skeleton has no roles to go by.
    """
    if naming == "as-captured":
        return clip
    if naming not in NAMINGS:
        raise MotionError(expected=f"names {', '.join(NAMINGS)} or as-captured", got=repr(naming))
    skeleton = clip.skeleton
    roles = find_roles(skeleton)
    given = {joint: NAMINGS[naming][role] for role, joint in roles.items() if role in NAMINGS[naming]}
    if not given:
        raise MotionError(f"{clip!r} has no joints with known roles to be named for {naming}; keep its own names")
    taken = set(given.values())
    names = []
    for joint, old in enumerate(skeleton.names):
        name = given.get(joint, old)
        while joint not in given and name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    renamed = replace(skeleton, names=tuple(names), binding=None)
    return replace(clip, skeleton=renamed.with_roles({role: names[joint] for role, joint in roles.items()}))
