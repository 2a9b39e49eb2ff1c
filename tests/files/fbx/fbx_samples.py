"""A writer of ASCII FBX for tests, and where FBX's definition puts the joints of what it wrote."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

TICKS = 46_186_158_000  # of FBX's clock in a second
ORDERS = ("xyz", "xzy", "yzx", "yxz", "zxy", "zyx")  # the first letter turns first, about axes that stay
LETTERS = {"T": "Lcl Translation", "R": "Lcl Rotation", "S": "Lcl Scaling"}


@dataclass
class Bone:
    """A node of a file; angles in degrees."""

    name: str
    parent: int  # −1 for one at the top
    place: np.ndarray  # (3,) or (frames, 3)
    angles: np.ndarray
    order: int = 0
    pre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    post: tuple[float, float, float] = (0.0, 0.0, 0.0)
    pivot: tuple[float, float, float] = (0.0, 0.0, 0.0)
    kind: str = "LimbNode"
    scale: float = 1.0
    stacks: dict[str, np.ndarray] = field(default_factory=dict)  # other animations, of angles


def written(
    bones: list[Bone],
    *,
    rate: float = 30.0,
    unit: float = 1.0,
    axes: tuple[int, int, int] = (1, 2, 0),
    signs: tuple[int, int, int] = (1, 1, 1),
    names: tuple[str, ...] = ("Take 001",),
    times: np.ndarray | None = None,
) -> bytes:
    """A file; ``unit`` in centimetres, ``axes`` of up, front and right."""
    objects, links, number = [], [], 1000
    for stack, name in enumerate(names):
        objects.append(f'AnimationStack: {10 + stack}, "AnimStack::{name}", "" {{\n}}')
        objects.append(f'AnimationLayer: {20 + stack}, "AnimLayer::Base", "" {{\n}}')
        links.append(f'C: "OO",{20 + stack},{10 + stack}')
    for i, bone in enumerate(bones):
        node = 100 + i
        own = {"T": np.atleast_2d(bone.place), "R": np.atleast_2d(bone.angles)}
        rows = [
            _row("RotationActive", "bool", 1),
            _row("InheritType", "enum", 1),
            _row("RotationOrder", "enum", bone.order),
            _row("PreRotation", "Vector3D", *bone.pre),
            _row("PostRotation", "Vector3D", *bone.post),
            _row("RotationPivot", "Vector3D", *bone.pivot),
            _row("Lcl Scaling", "Lcl Scaling", *[bone.scale] * 3),
            *(_row(LETTERS[letter], LETTERS[letter], *values[0]) for letter, values in own.items()),
        ]
        objects.append(
            f'Model: {node}, "Model::{bone.name}", "{bone.kind}" {{\nVersion: 232\nProperties70: {{\n'
            + "\n".join(rows)
            + "\n}\n}"
        )
        links.append(f'C: "OO",{node},{100 + bone.parent if bone.parent >= 0 else 0}')
        if bone.kind == "LimbNode":
            objects.append(f'NodeAttribute: {500 + i}, "NodeAttribute::", "LimbNode" {{\nTypeFlags: "Skeleton"\n}}')
            links.append(f'C: "OO",{500 + i},{node}')
        for stack, name in enumerate(names):
            moved = own if stack == 0 else {"R": bone.stacks[name]} if name in bone.stacks else {}
            for letter, values in moved.items():
                if len(values) == 1:
                    continue
                seconds = np.arange(len(values)) / rate if times is None else times
                number += 10
                objects.append(f'AnimationCurveNode: {number}, "AnimCurveNode::{letter}", "" {{\n}}')
                links += [f'C: "OO",{number},{20 + stack}', f'C: "OP",{number},{node}, "{LETTERS[letter]}"']
                for axis in range(3):
                    objects.append(_curve(number + 1 + axis, seconds, values[:, axis]))
                    links.append(f'C: "OP",{number + 1 + axis},{number}, "d|{"XYZ"[axis]}"')
    mode = {24.0: 11, 25.0: 10, 30.0: 6, 60.0: 3, 120.0: 1}.get(rate, 6)
    settings = [
        *(
            _row(f"{word}Axis{end}", "int", value)
            for word, axis, sign in zip(("Up", "Front", "Coord"), axes, signs, strict=True)
            for end, value in (("", axis), ("Sign", sign))
        ),
        _row("UnitScaleFactor", "double", unit),
        _row("TimeMode", "enum", mode),
    ]
    lines = [
        "; FBX 7.4.0 project file",
        "FBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}",
        "GlobalSettings: {\nVersion: 1000\nProperties70: {\n" + "\n".join(settings) + "\n}\n}",
        "Objects: {\n" + "\n".join(objects) + "\n}",
        "Connections: {\n" + "\n".join(links) + "\n}",
    ]
    return "\n".join(lines).encode()


def _row(name: str, kind: str, *values: float) -> str:
    return f'P: "{name}", "{kind}", "", "A",' + ",".join(f"{value:.9g}" for value in values)


def _curve(number: int, seconds: np.ndarray, values: np.ndarray) -> str:
    count = len(values)
    ticks = ",".join(str(round(time * TICKS)) for time in seconds)
    return (
        f'AnimationCurve: {number}, "AnimCurve::", "" {{\nDefault: 0\nKeyVer: 4008\n'
        f"KeyTime: *{count} {{\na: {ticks}\n}}\n"
        f"KeyValueFloat: *{count} {{\na: {','.join(f'{value:.9g}' for value in values)}\n}}\n"
        "KeyAttrFlags: *1 {\na: 4\n}\nKeyAttrDataFloat: *4 {\na: 0,0,0,0\n}\n"
        f"KeyAttrRefCount: *1 {{\na: {count}\n}}\n}}"
    )


def places(bones: list[Bone], n_frames: int) -> np.ndarray:
    """Where the bones are in each frame, in the file's unit and axes: T · pivot · pre · R · post⁻¹ · pivot⁻¹ · S."""
    world = np.zeros((n_frames, len(bones), 4, 4))
    for i, bone in enumerate(bones):
        order = ORDERS[bone.order]
        angles = np.broadcast_to(bone.angles, (n_frames, 3))[:, ["xyz".index(letter) for letter in order]]
        turn = (
            Rotation.from_euler("xyz", bone.pre, degrees=True)
            * Rotation.from_euler(order, angles, degrees=True)
            * Rotation.from_euler("xyz", bone.post, degrees=True).inv()
        )
        pivot = np.array(bone.pivot)
        local = np.tile(np.eye(4), (n_frames, 1, 1))
        local[:, :3, :3] = turn.as_matrix() * bone.scale
        local[:, :3, 3] = np.broadcast_to(bone.place, (n_frames, 3)) + pivot - turn.apply(pivot)
        world[:, i] = local if bone.parent < 0 else world[:, bone.parent] @ local
    return world[..., :3, 3]


def person(n_frames: int = 12, *, prefix: str = "mixamorig:", seed: int = 3) -> list[Bone]:
    """A walking body with Mixamo's names, in centimetres, whose bones turn in every way that FBX has."""
    from tests.files.conftest import body_skeleton

    rng = np.random.default_rng(seed)
    skeleton = body_skeleton()
    bones = []
    for i, (name, parent, offset) in enumerate(zip(skeleton.names, skeleton.parents, skeleton.offsets, strict=True)):
        swing = 12.0 * np.sin(np.linspace(0, 5, n_frames)[:, None] + rng.uniform(0, 6, 3)) * rng.uniform(0.2, 1.0, 3)
        place = 100.0 * offset
        if parent < 0:
            place = place + np.linspace(0, 60, n_frames)[:, None] * [0.1, 0.0, 1.0]
        bones.append(Bone(prefix + name, int(parent), place, swing, order=i % 6))
    return bones
