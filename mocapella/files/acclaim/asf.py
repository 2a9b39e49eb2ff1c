"""ASF files, the skeletons of Acclaim, read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import NoReturn

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.errors import FormatError
from mocapella.files.conventions import INCH
from mocapella.files.disk import read_bytes
from mocapella.files.text import NUMBER, as_number, plain_lines, quoted, text
from mocapella.geometry import euler
from mocapella.geometry.quaternions import IDENTITY
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT, Skeleton

# Words: the lines of a file, sorted into its sections.

_LARGEST_SKELETON = 16 * 1024**2  # bytes; ten thousand bones take three million
_TO_BLANKS = str.maketrans("(),", "   ")  # the format's own rule
_WORDS_ONCE = ("root", "bonedata", "hierarchy")

Line = tuple[int, list[str]]  # its number, counted from 1, and its words, at least one


class _AsfWords:
    """A skeleton file cut into sections; knows how to read numbers and how to say where it stopped."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self.sections: dict[str, list[Line]] = {}
        self.starts: dict[str, int] = {}  # the lines of the sections' keywords
        self._sort(read_bytes(path, most=_LARGEST_SKELETON))

    def fail(self, line: int, reason: str) -> NoReturn:
        """Stop at a line."""
        raise FormatError(self.path, line, reason)

    def numbers(self, line: int, words: list[str], count: int) -> list[float]:
        """The finite numbers that follow a line's first word, exactly ``count`` of them."""
        if len(words) != count + 1:
            wanted = "one number" if count == 1 else f"{count} numbers"
            self.fail(line, f"expected {wanted} after {words[0].lower()}, found {len(words) - 1}")
        return [self.number(line, word, words[0].lower()) for word in words[1:]]

    def number(self, line: int, word: str, what: str) -> float:
        """One word as a number of usable size."""
        value = as_number(_ascii(word))
        if math.isnan(value):
            self.fail(line, f"expected a number for {what}, found {quoted(word)}")
        return value

    def axis_order(self, line: int, word: str) -> str:
        """A word such as XYZ in capitals: the axes in the order in which angles about them are applied."""
        letters = word.upper()
        if sorted(letters) != ["X", "Y", "Z"]:
            self.fail(line, f"expected an order of axes such as XYZ, found {quoted(word)}")
        return letters

    def _sort(self, content: bytes) -> None:
        lines: list[Line] | None = None
        for number, words in _lines(content):
            if words[0].startswith(":"):
                section = words[0][1:].lower()
                if section in self.sections and section in _WORDS_ONCE:
                    self.fail(number, f"a second :{section}; a file holds one skeleton")
                lines = self.sections[section] = []
                self.starts[section] = number
            elif lines is None:
                self.fail(number, f"expected a section such as :units or :root, found {quoted(words[0])}")
            else:
                lines.append((number, words))
        for section in _WORDS_ONCE:
            if section not in self.sections:
                self.fail(0, f"there is no :{section} section; is this an Acclaim skeleton, and is it complete?")


def is_number(word: str) -> bool:
    """Whether a word reads as a number, be it an infinite one: then it can be no name."""
    return NUMBER.fullmatch(_ascii(word)) is not None or word.lower().lstrip("+-") in ("inf", "nan")


def _ascii(word: str) -> bytes:
    """A word as bytes; what ASCII lacks becomes a question mark, which stands in no number."""
    return word.encode("ascii", "replace")


def _lines(content: bytes) -> Iterator[Line]:
    """The lines that have words, without comments, free text and the signs that count as blanks."""
    documenting = False
    for number, raw in enumerate(plain_lines(content).split(b"\n"), start=1):
        line = text(raw).strip()
        documenting = line.lower().startswith(":documentation") or (documenting and not line.startswith(":"))
        words = line.partition("#")[0].translate(_TO_BLANKS).split()
        if words and not documenting:
            yield number, words


# Bones, each as the file states it.

ROOT = "root"
MOST_BONES = 10_000  # of one skeleton; a body has about thirty
_ONCE = ("name", "direction", "length", "axis", "dof", "limits")
_UNLIMITED = ((-math.inf, math.inf),) * 3  # angles about x, y and z
_UNBOUNDED = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


@dataclass
class _Bone:
    """A bone: the lines between ``begin`` and ``end``; angles are in the file's unit."""

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
        return f"bone {quoted(self.name)}" if self.name else f"the bone begun on line {self.line}"


def _read_bones(words: _AsfWords) -> dict[str, _Bone]:
    """The bones by name, in file order; keywords that say nothing about motion are passed over."""
    bones: dict[str, _Bone] = {}
    bone: _Bone | None = None
    keyword = ""
    for line, here in words.sections["bonedata"]:
        first = here[0].lower()
        if bone is None:
            if first != "begin":
                words.fail(line, f"expected begin and then a bone, found {quoted(here[0])}")
            bone, keyword = _Bone(line), ""
        elif first == "end":
            _refuse_incomplete(words, line, bone)
            if bone.name in bones:
                words.fail(line, f"two bones are called {quoted(bone.name)}; bone names must differ")
            bones[bone.name] = bone
            if len(bones) > MOST_BONES:
                words.fail(line, f"more than {MOST_BONES:,} bones are not read")
            bone = None
        elif first == "begin":
            words.fail(line, f"expected the end of {bone}, found another begin")
        elif is_number(first):
            if keyword != "limits":  # limits go on over several lines, nothing else does
                words.fail(line, f"expected a keyword such as name or axis, found {quoted(first)}")
            bone.limits += _read_limits(words, line, here)
        else:
            keyword = first
            _read_line(words, line, here, bone)
    if bone is not None:
        words.fail(bone.line, "the bone begun here has no end")
    if not bones:
        words.fail(words.starts["bonedata"], "there is no bone in :bonedata")
    return bones


def _read_line(words: _AsfWords, line: int, here: list[str], bone: _Bone) -> None:
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


def _read_name(words: _AsfWords, line: int, here: list[str]) -> str:
    if len(here) != 2:
        name = quoted(" ".join(here[1:])) if len(here) > 1 else "none"
        words.fail(line, f"expected one word as the name of a bone, found {name}")
    name = here[1]
    if name == ROOT or name.startswith(":") or is_number(name):
        words.fail(line, f"a bone cannot be called {quoted(name)}: a motion file could not name it")
    return name


def _read_dofs(words: _AsfWords, line: int, here: list[str]) -> str:
    letters = ""
    for word in here[1:]:
        dof = word.upper()
        if dof in ("TX", "TY", "TZ", "L"):
            words.fail(line, f"dof {quoted(word)} lets a bone slide or stretch; only rx, ry and rz can be read")
        if dof not in ("RX", "RY", "RZ") or dof[1] in letters:
            words.fail(line, f"expected each of rx ry rz at most once, found {quoted(word)}")
        letters += dof[1]
    return letters


def _read_limits(words: _AsfWords, line: int, here: list[str]) -> list[float]:
    return [_UNBOUNDED[w.lower()] if w.lower() in _UNBOUNDED else words.number(line, w, "limits") for w in here]


def _refuse_incomplete(words: _AsfWords, line: int, bone: _Bone) -> None:
    """An axis matters only where there are angles about it."""
    for keyword in ("name", "direction", "length", *(("axis",) if bone.dofs else ())):
        if keyword not in bone.given:
            words.fail(line, f"{bone} has no {keyword}")


# The skeleton: bones, and which bone hangs on which.
#
# A bone starts where its parent ends. So a joint carries the name of the bone that turns about it, its offset is the
# parent's direction times length, and a bone without children leaves an end site.

CMU_LENGTH = 0.45  # inches per unit are 1 / 0.45 in CMU's files
# ``length L`` means that a file unit is 1/L inch, but many programs write anything there. These are believed, since
# they are not written by chance: the unit of Vicon and CMU, the metre, the centimetre, the millimetre.
KNOWN_LENGTHS = (CMU_LENGTH, 0.0254, 2.54, 25.4)
DEEPEST = 1_000  # bones below one another
CHANNELS = ("TX", "TY", "TZ", "RX", "RY", "RZ")


@dataclass(frozen=True, eq=False, repr=False)
class AsfSkeleton:
    """A skeleton in file units, and what else its motion files need to be understood."""

    path: str
    skeleton: Skeleton  # file units
    root_channels: tuple[str, ...]  # TX … RZ, in the order of a motion file's root line
    dofs: tuple[str, ...]  # per joint, the axes of its angles in the order of its line: "XYZ", "XZ", ""
    root_position: Float[np.ndarray, 3]  # file units
    root_orientation_wxyz: Float[np.ndarray, 4]
    degrees: bool = True  # the unit of angles, where a motion file does not state its own
    length: float = 1.0  # file units to the inch, as the file has it
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, np.float64, "root_position", "root_orientation_wxyz")

    @property
    def metres_per_unit(self) -> float | None:
        """How long a file unit is, where the stated length can be believed."""
        believed = any(math.isclose(self.length, length, rel_tol=1e-6) for length in KNOWN_LENGTHS)
        return INCH / self.length if believed else None


@dataclass
class _Root:
    """The root's channels and where the file presets it; without a word on either it is at the origin."""

    channels: tuple[str, ...] = ()
    axis_order: str = "XYZ"
    position: tuple[float, ...] = (0.0, 0.0, 0.0)
    orientation: tuple[float, ...] = (0.0, 0.0, 0.0)


def read_asf(path: str | PathLike[str]) -> AsfSkeleton:
    """The skeleton of an ASF file in its own units, joints depth first in the order of its hierarchy.

    Raises ``FormatError`` with line and reason for anything that is no complete skeleton. Sections and bone keywords
    that say nothing about motion, known or not, are passed over.
    """
    words = _AsfWords(path)
    length, degrees = _read_units(words)
    root = _read_root(words)
    bones = _read_bones(words)
    names, parents = _read_hierarchy(words, bones)
    tree = [bones[name] for name in names[1:]]
    root_dofs = "".join(channel[1] for channel in root.channels if channel.startswith("R"))
    dofs = (root_dofs, *(bone.dofs for bone in tree))
    findings: list[Finding] = []
    limits = [_limits(bone, degrees, findings) for bone in tree]
    findings += _doubts(root, tree)
    reach = np.array([np.zeros(3), *(bone.length * np.array(bone.direction) for bone in tree)])
    if not np.isfinite(reach).all():
        words.fail(0, "a bone's length times its direction is too large a number")
    leaves = np.setdiff1d(np.arange(1, len(names)), parents)
    skeleton = Skeleton(
        names=tuple(names),
        parents=np.array(parents, dtype=np.int64),
        offsets=np.concatenate([[root.position], reach[parents[1:]]]),
        end_joints=leaves,
        end_offsets=reach[leaves],
        rotation_orders=tuple(letters[::-1] for letters in dofs),  # the first angle turns first: rightmost factor
        axes_wxyz=np.array([IDENTITY, *(_turn(bone.axis, bone.axis_order, degrees) for bone in tree)]),
        limits=np.array([_UNLIMITED, *limits]),
    )
    return AsfSkeleton(
        path=fspath(path),
        skeleton=skeleton,
        root_channels=root.channels,
        dofs=dofs,
        root_position=np.array(root.position),
        root_orientation_wxyz=_turn(root.orientation, root.axis_order, degrees),
        degrees=degrees,
        length=length,
        findings=tuple(findings),
    )


def _read_units(words: _AsfWords) -> tuple[float, bool]:
    """File units to the inch, and whether angles are in degrees."""
    length, degrees = 1.0, True
    for line, here in words.sections.get("units", []):
        match here[0].lower():
            case "length":
                length = words.numbers(line, here, 1)[0]
                if length <= 0.0:
                    words.fail(line, f"expected a length unit above 0, found {here[1]}")
            case "angle":
                unit = here[1].lower() if len(here) > 1 else ""
                if unit[:3] not in ("deg", "rad"):
                    words.fail(line, f"expected angle deg or angle rad, found {quoted(unit) if unit else 'neither'}")
                degrees = unit.startswith("deg")
    return length, degrees


def _read_root(words: _AsfWords) -> _Root:
    root = _Root()
    for line, here in words.sections["root"]:
        match here[0].lower():
            case "order":
                root.channels = tuple(word.upper() for word in here[1:])
                for i, channel in enumerate(root.channels):
                    if channel not in CHANNELS or channel in root.channels[:i]:
                        words.fail(line, f"expected {' '.join(CHANNELS)} in any order, found {quoted(here[i + 1])}")
            case "axis":
                root.axis_order = words.axis_order(line, here[-1])
            case "position":
                root.position = tuple(words.numbers(line, here, 3))
            case "orientation":
                root.orientation = tuple(words.numbers(line, here, 3))
    if not root.channels:
        words.fail(words.starts["root"], "the root has no order line; expected one such as order TX TY TZ RX RY RZ")
    return root


def _read_hierarchy(words: _AsfWords, bones: dict[str, _Bone]) -> tuple[list[str], list[int]]:
    """Names and parents, depth first; every bone must hang on the root in exactly one way."""
    children = _read_children(words, bones)
    names: list[str] = []
    parents: list[int] = []
    waiting = [(ROOT, NO_PARENT, 0)]
    while waiting:
        name, parent, depth = waiting.pop()
        if depth > DEEPEST:
            words.fail(words.starts["hierarchy"], f"more than {DEEPEST:,} bones below one another are not read")
        names.append(name)
        parents.append(parent)
        waiting.extend((child, len(names) - 1, depth + 1) for child in reversed(children.get(name, [])))
    if len(names) <= len(bones):
        reached = set(names)
        lost = next(name for name in bones if name not in reached)
        placed = any(lost in below for below in children.values())
        why = "it hangs in a circle, or below one" if placed else "it hangs on nothing"
        words.fail(words.starts["hierarchy"], f"no way leads from the root to bone {quoted(lost)}: {why}")
    return names, parents


def _read_children(words: _AsfWords, bones: dict[str, _Bone]) -> dict[str, list[str]]:
    """Bone → those that hang on it; none hangs on two."""
    children: dict[str, list[str]] = {}
    placed: set[str] = set()
    for line, here in words.sections["hierarchy"]:
        if len(here) == 1 and here[0].lower() in ("begin", "end"):
            continue
        for name in here:
            if name != ROOT and name not in bones:
                words.fail(line, f"{quoted(name)} is not a bone of :bonedata")
        for name in here[1:]:
            if name == ROOT:
                words.fail(line, f"the root hangs on {quoted(here[0])}; nothing can stand above the root")
            if name in placed:
                words.fail(line, f"bone {quoted(name)} hangs on something twice; it can have one parent")
            placed.add(name)
        children.setdefault(here[0], []).extend(here[1:])
    return children


def _turn(angles: list[float] | tuple[float, ...], axis_order: str, degrees: bool) -> Float[np.ndarray, 4]:
    """The rotation by angles about x, y, z, those of the first letter applied first."""
    order = axis_order[::-1]
    values = np.array([angles["XYZ".index(letter)] for letter in order])
    return euler.to_quaternion(np.radians(values) if degrees else values, order)


def _limits(bone: _Bone, degrees: bool, findings: list[Finding]) -> Float[np.ndarray, "3 2"]:
    """Radians about x, y and z; a list that does not fit the dofs is left out, and a finding says so."""
    limits = np.array(_UNLIMITED)
    if bone.limits and len(bone.limits) != 2 * len(bone.dofs):
        message = f"{bone} has {len(bone.limits)} numbers as limits of {len(bone.dofs)} dofs; they are left out"
        findings.append(Finding("limits", message))
    elif bone.limits:
        values = np.array(bone.limits).reshape(-1, 2)
        limits[["XYZ".index(letter) for letter in bone.dofs]] = np.radians(values) if degrees else values
    return limits


def _doubts(root: _Root, tree: list[_Bone]) -> list[Finding]:
    """Findings about values that other programs may interpret differently."""
    findings = []
    if any(root.position) or any(root.orientation):
        message = (
            "the skeleton presets the root's place, and programs differ in what they make of that; here positions "
            "count from it, and rotations about the world's axes are added to it"
        )
        findings.append(Finding("root-preset", message))
    odd = [bone.name for bone in tree if bone.length > 0.0 and abs(math.hypot(*bone.direction) - 1.0) > 0.01]
    if odd:
        names = ", ".join(odd[:5]) + (", …" if len(odd) > 5 else "")
        message = f"directions that are not one unit long are taken times the length as they stand: {names}"
        findings.append(Finding("directions", message))
    return findings
