"""Joint names by which engines and character formats recognise a humanoid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEFT, LEG, MIDDLE, RIGHT
from mocapella.rig.roles import find_roles


def _sides(left: str, right: str, middle: str, limbs: str, prefix: str = "") -> Mapping[str, str]:
    """Names by role, those of the roles of ``MIDDLE``, ``LEG`` and ``ARM`` in order; ``{}`` stands for the side."""
    names = {role: prefix + name for role, name in zip(MIDDLE, middle.split(), strict=True)}
    for side, word in ((LEFT, left), (RIGHT, right)):
        parts = zip(LEG + ARM, limbs.split(), strict=True)
        names |= {side + part: prefix + limb.format(word) for part, limb in parts}
    return MappingProxyType(names)


_HUMANOID = "{}UpperLeg {}LowerLeg {}Foot {}Toes {}Shoulder {}UpperArm {}LowerArm {}Hand"
_UNREAL = "thigh{} calf{} foot{} ball{} clavicle{} upperarm{} lowerarm{} hand{}"
_MIXAMO = "{}UpLeg {}Leg {}Foot {}ToeBase {}Shoulder {}Arm {}ForeArm {}Hand"
NAMINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "vrm": _sides("left", "right", "hips spine chest neck head", _HUMANOID),
        "godot": _sides("Left", "Right", "Hips Spine Chest Neck Head", _HUMANOID),
        "unreal": _sides("_l", "_r", "pelvis spine_01 spine_03 neck_01 head", _UNREAL),
        "mixamo": _sides("Left", "Right", "Hips Spine Spine2 Neck Head", _MIXAMO, prefix="mixamorig:"),
    }
)
"""Role → joint name, by naming convention."""

# Of a back with a joint between its lowest and its highest: what that one is called, and the highest then.
_MIDDLE_AND_HIGHEST = {
    "vrm": ("chest", "upperChest"),
    "godot": ("Chest", "UpperChest"),
    "unreal": ("spine_02", "spine_03"),
    "mixamo": ("mixamorig:Spine1", "mixamorig:Spine2"),
}


def names_by_joint(skeleton: Skeleton, naming: str) -> dict[int, str]:
    """The names that joints have by a convention.

    ``naming`` is one of ``NAMINGS``. Only joints with a role are in it, and one between the lowest and the highest of
    the back.
    """
    roles = find_roles(skeleton)
    given = {joint: NAMINGS[naming][role] for role, joint in roles.items() if role in NAMINGS[naming]}
    if {"spine", "chest"} <= roles.keys() and roles["spine"] in (way := skeleton.path(roles["chest"])):
        between = way[1 : way.index(roles["spine"])]
        if between:
            middle, highest = _MIDDLE_AND_HIGHEST[naming]
            given |= {between[len(between) // 2]: middle, roles["chest"]: highest}
    return given


def named_for(clip: Clip, naming: str) -> Clip:
    """A clip whose joints have the names of a convention, as far as their roles are known.

    ``naming`` is one of ``NAMINGS``, or ``"as-captured"``, which changes nothing. Returns the same motion. Joints
    without a role keep their names, with underscores where another one has it now; roles stay with their joints. Raises
    ``MotionError`` where there is no such convention, or the skeleton has no roles to go by.
    """
    if naming == "as-captured":
        return clip
    if naming not in NAMINGS:
        raise MotionError(expected=f"names {', '.join(NAMINGS)} or as-captured", got=repr(naming))
    skeleton = clip.skeleton
    roles, given = find_roles(skeleton), names_by_joint(skeleton, naming)
    if not given:
        raise MotionError(f"{clip!r} has no joints with known roles to be named for {naming}; keep its own names")
    taken = set(given.values())
    names = []
    anew = {skeleton.names[joint]: name for joint, name in given.items()}
    for joint, old in enumerate(skeleton.names):
        below = anew.get(old.replace("__", "", 1)) if "__" in old else None  # MakeHuman's "__UpLeg_L" above "UpLeg_L"
        name = given.get(joint, old if below is None else f"__{below}")
        while joint not in given and name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    renamed = replace(skeleton, names=tuple(names), binding=None)
    return replace(clip, skeleton=renamed.with_roles({role: names[joint] for role, joint in roles.items()}))
