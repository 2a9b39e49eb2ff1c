"""A COLLADA file opened: its nodes with their transforms, its arrays, and the skins that say which nodes are joints.

A node is placed by transforms one after another, the first outermost: matrices (row after row), translations, rotations
about an axis (degrees) and scales. Each may have a name of its own in its node, by which animations find it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np
from jaxtyping import Float

from mocapella.checks import is_usable
from mocapella.errors import FormatError
from mocapella.files.budget import Budget
from mocapella.files.nodes import MOST_JOINTS, bound_turns
from mocapella.files.text import quoted
from mocapella.files.xml_tree import XmlElement, number_rows, read_xml
from mocapella.motion.skeleton import NO_PARENT

SIZES = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}  # of transforms, in numbers
_NOT_READ = ("lookat", "skew")
_AXES = {"X_UP": "x", "Y_UP": "y", "Z_UP": "z"}
# Blender 2.8 to 4.5 writes decomposed transforms in this order and means them the other way round: places outermost.
_BLENDERS = ["scale", "rotationZ", "rotationY", "rotationX", "location"]
_MOST_NODES = 100_000  # of a scene, meshes and all
_LONGEST_COUNT = 10  # digits


@dataclass(frozen=True, eq=False)
class DaeTransform:
    """One of the transforms of a node."""

    kind: str
    name: str  # in its node
    values: Float[np.ndarray, " numbers"]


@dataclass(frozen=True, eq=False)
class _Node:
    """A node of the scene."""

    element: XmlElement
    parent: int

    @property
    def name(self) -> str:
        """What people call it."""
        words = self.element.attributes
        return words.get("name") or words.get("id") or words.get("sid", "")

    @property
    def is_joint(self) -> bool:
        """Whether the file calls it one."""
        return self.element.attributes.get("type") == "JOINT"


@dataclass(frozen=True, eq=False)
class DaeDocument:
    """A file, its XML read."""

    path: Path
    root: XmlElement
    budget: Budget
    _arrays: dict[str, Float[np.ndarray, "rows columns"]] = field(default_factory=dict)

    def fail(self, element: XmlElement, reason: str) -> NoReturn:
        """Stop reading at an element."""
        raise FormatError(self.path, element.line, reason)

    @property
    def metres_per_unit(self) -> float:
        """Stated, or a metre."""
        unit = self.root.first("asset", "unit")
        word = "1" if unit is None else unit.attributes.get("meter", "1")
        try:
            metres = float(word)
        except ValueError:
            metres = 0.0
        if unit is not None and not is_usable(metres):
            self.fail(unit, f"expected a unit in metres, found {quoted(word)}")
        return metres

    @property
    def up_axis(self) -> str:
        """Stated, or y."""
        return _AXES.get(self.root.words("asset", "up_axis"), "y")

    @cached_property
    def nodes(self) -> list[_Node]:
        """The nodes of the scene that is shown, parents before children."""
        scenes = self.root.all("library_visual_scenes", "visual_scene")
        shown = self.root.first("scene", "instance_visual_scene")
        url = "" if shown is None else shown.attributes.get("url", "").removeprefix("#")
        scene = next((scene for scene in scenes if scene.attributes.get("id") == url), next(iter(scenes), None))
        if scene is None:
            self.fail(self.root, "holds no scene: there is no <visual_scene> in it")
        nodes: list[_Node] = []
        waiting = [(element, NO_PARENT) for element in reversed(scene.all("node"))]
        while waiting:
            element, parent = waiting.pop()
            nodes.append(_Node(element, parent))
            if len(nodes) > _MOST_NODES:
                self.fail(element, f"has more than {_MOST_NODES:,} nodes")
            waiting += [(child, len(nodes) - 1) for child in reversed(element.all("node"))]
        return nodes

    @cached_property
    def numbers_of_nodes(self) -> dict[str, int]:
        """The number of each node by its id; of the first where several have one."""
        out: dict[str, int] = {}
        for number, node in enumerate(self.nodes):
            out.setdefault(node.element.attributes.get("id", ""), number)
        return out

    def transforms(self, number: int) -> list[DaeTransform]:
        """What places a node, in order; refused where something does that is not read."""
        out = []
        for child in self.nodes[number].element.children:
            if child.tag in _NOT_READ:
                self.fail(child, f"a joint is placed by <{child.tag}>, which is not read")
            if child.tag in SIZES:
                values = number_rows(self.path, [child], SIZES[child.tag])[0]
                out.append(DaeTransform(child.tag, child.attributes.get("sid", ""), values))
        return [out[-1], *out[1:-1], out[0]] if [one.name for one in out] == _BLENDERS else out

    # Arrays

    @cached_property
    def _sources(self) -> dict[str, XmlElement]:
        """The elements of animations and skins that have an id."""
        out: dict[str, XmlElement] = {}
        waiting = [*self.root.all("library_animations"), *self.root.all("library_controllers")]
        while waiting:
            element = waiting.pop()
            if "id" in element.attributes:
                out.setdefault(element.attributes["id"], element)
            waiting += element.children
        return out

    def named(self, reference: str, at: XmlElement, tag: str) -> XmlElement:
        """The element of animations or skins that a reference such as ``#walk-input`` names."""
        element = self._sources.get(reference.removeprefix("#"))
        if element is None or element.tag != tag:
            self.fail(at, f"names a <{tag}> that is not there: {quoted(reference)}")
        return element

    def inputs(self, element: XmlElement) -> dict[str, XmlElement]:
        """Semantic → source of an element's inputs."""
        return {
            entry.attributes.get("semantic", ""): self.named(entry.attributes.get("source", ""), entry, "source")
            for entry in element.all("input")
        }

    def numbers(self, source: XmlElement) -> Float[np.ndarray, "rows columns"]:
        """The numbers of a source, as many to a row as its accessor says; read once."""
        key = source.attributes["id"]
        if key not in self._arrays:
            array = source.first("float_array")
            if array is None:
                self.fail(source, "expected a <float_array> in a source of numbers")
            self.budget.take_numbers(len(array.text) // 2 + 1, "a <float_array>")
            values = number_rows(self.path, [array])[0]
            stride = self._stride(source)
            if not 0 < stride <= max(len(values), 1) or len(values) % stride:
                self.fail(array, f"{len(values):,} numbers do not make rows of {stride}")
            self._arrays[key] = values.reshape(-1, stride)
        return self._arrays[key]

    def _stride(self, source: XmlElement) -> int:
        accessor = source.first("technique_common", "accessor")
        word = "1" if accessor is None else accessor.attributes.get("stride", "1")
        return int(word) if word.isdecimal() and len(word) < _LONGEST_COUNT else 0

    # Skins

    @cached_property
    def skins(self) -> list[dict[int, Float[np.ndarray, "4 4"] | None]]:
        """For each skin its joints, with the matrix from the room to each when the mesh was bound, where known."""
        by_word: dict[str, int] = {}
        for key in ("name", "id", "sid"):  # skins name joints by sid, or by id; some programs by name
            for number, node in reversed([*enumerate(self.nodes)]):
                if word := node.element.attributes.get(key, ""):
                    by_word[word] = number
        out = []
        for skin in self.root.all("library_controllers", "controller", "skin"):
            inputs = self.inputs(joints) if (joints := skin.first("joints")) is not None else {}
            listed = inputs["JOINT"].all("Name_array") + inputs["JOINT"].all("IDREF_array") if "JOINT" in inputs else []
            words = listed[0].text.split() if listed else []
            matrices = self.numbers(inputs["INV_BIND_MATRIX"]) if "INV_BIND_MATRIX" in inputs else np.empty((0, 16))
            whole = matrices.shape == (len(words), SIZES["matrix"])
            joints_of: dict[int, Float[np.ndarray, "4 4"] | None] = {}
            for row, word in enumerate(words[:MOST_JOINTS]):
                if word in by_word:
                    joints_of[by_word[word]] = matrices[row].reshape(4, 4) if whole else None
            out.append(joints_of)
        return out

    def bound(self, joints: set[int]) -> dict[int, Float[np.ndarray, 4]]:
        """How joints were turned in the room when a mesh was bound to them; none where a skin does not say."""
        found: dict[int, Float[np.ndarray, "3 3"]] = {}
        for skin in self.skins:
            for joint, matrix in skin.items():
                if matrix is not None and joint in joints:
                    found.setdefault(joint, matrix[:3, :3].T)  # the inverse's inverse where it only turns
        return bound_turns(found)


def read_dae(path: Path) -> DaeDocument:
    """A file opened; ``FormatError`` with its line where it is no COLLADA."""
    root, budget = read_xml(path)
    if root.tag != "COLLADA":
        raise FormatError(path, root.line, f"expected <COLLADA>, found <{root.tag[:40]}>")
    return DaeDocument(path, root, budget)
