"""The bones of an Acclaim skeleton file, each as the file states it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mocapella.files.asf_words import AsfWords, is_number
from mocapella.files.tokens import shown

ROOT = "root"
MOST_BONES = 10_000
_ONCE = ("name", "direction", "length", "axis", "dof", "limits")
_UNBOUNDED = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


@dataclass
class Bone:
    """What stands between ``begin`` and ``end``; angles are in the file's unit."""

    line: int  # where it begins
    name: str = ""
    direction: list[float] = field(default_factory=list)
    length: float = math.nan
    axis: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])  # about x, y, z
    axis_order: str = "XYZ"  # which of them turns first, second, third
    dofs: str = ""  # the axes of its angles in the order of a motion file: "XYZ", "XZ", "X"
    limits: list[float] = field(default_factory=list)  # least and most, dof by dof
    given: set[str] = field(default_factory=set)  # the keywords it had

    def __str__(self) -> str:
        return f"bone {shown(self.name)}" if self.name else f"the bone begun on line {self.line}"


def read_bones(words: AsfWords) -> dict[str, Bone]:
    """The bones by name, in file order; keywords that say nothing about motion are passed over."""
    bones: dict[str, Bone] = {}
    bone: Bone | None = None
    keyword = ""
    for line, here in words.sections["bonedata"]:
        first = here[0].lower()
        if bone is None:
            if first != "begin":
                words.fail(line, f"expected begin and then a bone, found {shown(here[0])}")
            bone, keyword = Bone(line), ""
        elif first == "end":
            _refuse_incomplete(words, line, bone)
            if bone.name in bones:
                words.fail(line, f"two bones are called {shown(bone.name)}; bone names must differ")
            bones[bone.name] = bone
            if len(bones) > MOST_BONES:
                words.fail(line, f"more than {MOST_BONES:,} bones are not read")
            bone = None
        elif first == "begin":
            words.fail(line, f"expected the end of {bone}, found another begin")
        elif is_number(first):
            if keyword != "limits":  # limits go on over several lines, nothing else does
                words.fail(line, f"expected a keyword such as name or axis, found {shown(first)}")
            bone.limits += _read_limits(words, line, here)
        else:
            keyword = first
            _read_line(words, line, here, bone)
    if bone is not None:
        words.fail(bone.line, "the bone begun here has no end")
    if not bones:
        words.fail(words.starts["bonedata"], "there is no bone in :bonedata")
    return bones


def _read_line(words: AsfWords, line: int, here: list[str], bone: Bone) -> None:
    keyword = here[0].lower()
    if keyword in _ONCE:
        if keyword in bone.given:
            words.fail(line, f"a second {keyword} for {bone}")
        bone.given.add(keyword)
    match keyword:
        case "name":
            bone.name = _read_name(words, line, here)
        case "direction":
            bone.direction = words.numbers(line, here, 3)
        case "length":
            bone.length = words.numbers(line, here, 1)[0]
            if bone.length < 0.0:
                words.fail(line, f"expected a length of 0 or more, found {here[1]}")
        case "axis":
            if len(here) == 5:
                bone.axis_order = words.axis_order(line, here[4])
            bone.axis = words.numbers(line, here[:4], 3)
        case "dof":
            bone.dofs = _read_dofs(words, line, here)
        case "limits":
            bone.limits += _read_limits(words, line, here[1:])


def _read_name(words: AsfWords, line: int, here: list[str]) -> str:
    if len(here) != 2:
        found = shown(" ".join(here[1:])) if len(here) > 1 else "none"
        words.fail(line, f"expected one word as the name of a bone, found {found}")
    name = here[1]
    if name == ROOT or name.startswith(":") or is_number(name):
        words.fail(line, f"a bone cannot be called {shown(name)}: a motion file could not name it")
    return name


def _read_dofs(words: AsfWords, line: int, here: list[str]) -> str:
    letters = ""
    for word in here[1:]:
        dof = word.upper()
        if dof in ("TX", "TY", "TZ", "L"):
            words.fail(line, f"dof {shown(word)} lets a bone slide or stretch; only rx, ry and rz can be read")
        if dof not in ("RX", "RY", "RZ") or dof[1] in letters:
            words.fail(line, f"expected each of rx ry rz at most once, found {shown(word)}")
        letters += dof[1]
    return letters


def _read_limits(words: AsfWords, line: int, here: list[str]) -> list[float]:
    return [_UNBOUNDED[w.lower()] if w.lower() in _UNBOUNDED else words.number(line, w, "limits") for w in here]


def _refuse_incomplete(words: AsfWords, line: int, bone: Bone) -> None:
    """An axis matters only where there are angles about it."""
    for keyword in ("name", "direction", "length", *(("axis",) if bone.dofs else ())):
        if keyword not in bone.given:
            words.fail(line, f"{bone} has no {keyword}")
