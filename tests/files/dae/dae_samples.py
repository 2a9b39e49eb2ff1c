"""A writer of COLLADA files for tests, after the specification 1.4.1; bones are those of the samples of FBX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from tests.files.fbx.fbx_samples import ORDERS, Bone

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def written(
    bones: list[Bone],
    *,
    style: str = "angles",
    rate: float = 30.0,
    unit: float = 0.01,
    up: str = "Y_UP",
    clips: Sequence[tuple[str, float, float]] = (),
    skin: bool = True,
    joints: bool = True,
    curves: dict[str, np.ndarray] | None = None,
    above: str = "",
    prolog: str = "",
) -> bytes:
    """A file: ``angles`` by rotations about axes, as Maya's, or a ``matrix`` for each node, as Blender's.

    ``curves`` may have ``times``, and handles ``into`` and ``out_of``, (keys, 2) each, of all angles that are not 0.
    """
    moves = {"angles": _angles, "matrix": _matrices}[style]
    nodes, animations = {}, []
    for i, bone in enumerate(bones):
        lines, channels = moves(i, bone)
        kind = 'type="JOINT"' if joints else 'type="NODE"'
        nodes[i] = (f'<node id="b{i}" sid="s{i}" name="{bone.name}" {kind}>\n' + "\n".join(lines) + "\n", "</node>\n")
        for target, values in channels.items():
            animations.append(_animation(len(animations), f"b{i}/{target}", values, rate, curves))
    scene = _nested(nodes, [bone.parent for bone in bones], -1)
    if above:
        scene = f'<node id="above" name="Armature">\n{above}\n{scene}</node>\n'
    listed = "".join(f'<instance_animation url="#a{i}"/>' for i in range(len(animations)))
    ranges = "".join(
        f'<animation_clip id="c{i}" name="{name}" start="{start}" end="{end}">{listed}</animation_clip>\n'
        for i, (name, start, end) in enumerate(clips)
    )
    parts = [
        f'<asset><unit name="u" meter="{unit:g}"/><up_axis>{up}</up_axis></asset>',
        "<library_animations>\n" + "\n".join(animations) + "\n</library_animations>",
        f"<library_animation_clips>\n{ranges}</library_animation_clips>" if clips else "",
        _skin(bones) if skin else "",
        f'<library_visual_scenes><visual_scene id="Scene">\n{scene}</visual_scene></library_visual_scenes>',
        '<scene><instance_visual_scene url="#Scene"/></scene>',
    ]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n{prolog}'
    top = '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">\n'
    return (head + top + "\n".join(filter(None, parts)) + "\n</COLLADA>\n").encode()


def numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.9g}" for value in np.ravel(values))


def _nested(nodes: dict[int, tuple[str, str]], parents: list[int], parent: int) -> str:
    return "".join(
        nodes[i][0] + _nested(nodes, parents, i) + nodes[i][1] for i, above in enumerate(parents) if above == parent
    )


def _angles(_: int, bone: Bone) -> tuple[list[str], dict[str, np.ndarray]]:
    """Transforms of a bone with an orientation of its joint, and channels for its place and three angles."""
    place, angles = np.atleast_2d(bone.place), np.atleast_2d(bone.angles)
    lines = [f'<translate sid="translate">{numbers(place[0])}</translate>']
    for axis, angle in zip("zyx", bone.pre[::-1], strict=True):
        lines.append(f'<rotate sid="jointOrient{axis.upper()}">{AXES[axis]} {angle:g}</rotate>')
    channels = {"translate": place} if len(place) > 1 else {}
    for axis in reversed(ORDERS[bone.order]):  # the first that turns is the innermost
        column = angles[:, "xyz".index(axis)]
        lines.append(f'<rotate sid="rotate{axis.upper()}">{AXES[axis]} {column[0]:.9g}</rotate>')
        channels[f"rotate{axis.upper()}.ANGLE"] = column[:, None]
    lines.append('<scale sid="scale">1 1 1</scale>')
    return lines, channels


def _matrices(_: int, bone: Bone) -> tuple[list[str], dict[str, np.ndarray]]:
    """One matrix a frame."""
    order = ORDERS[bone.order]
    angles = np.atleast_2d(bone.angles)[:, ["xyz".index(letter) for letter in order]]
    turns = Rotation.from_euler("xyz", bone.pre, degrees=True) * Rotation.from_euler(order, angles, degrees=True)
    out = np.tile(np.eye(4), (len(angles), 1, 1))
    out[:, :3, :3] = turns.as_matrix()
    out[:, :3, 3] = bone.place
    return [f'<matrix sid="transform">{numbers(out[0])}</matrix>'], {"transform": out.reshape(-1, 16)}


def _animation(number: int, target: str, values: np.ndarray, rate: float, curves: dict[str, np.ndarray] | None) -> str:
    key = f"a{number}"
    times = np.arange(len(values)) / rate
    sources = {"INPUT": (times, 1), "OUTPUT": (values, values.shape[1])}
    way = "LINEAR"
    if curves is not None:
        sources["INPUT"] = (curves["times"], 1)
    if curves is not None and "into" in curves and values.shape[1] == 1 and values.any():
        way = "BEZIER"
        sources |= {"IN_TANGENT": (curves["into"], 2), "OUT_TANGENT": (curves["out_of"], 2)}
    out = [f'<animation id="{key}">']
    for semantic, (rows, stride) in sources.items():
        out.append(_source(f"{key}-{semantic}", "float_array", numbers(rows), np.size(rows), stride))
    out.append(_source(f"{key}-way", "Name_array", " ".join([way] * len(values)), len(values)))
    inputs = "".join(f'<input semantic="{semantic}" source="#{key}-{semantic}"/>' for semantic in sources)
    inputs += f'<input semantic="INTERPOLATION" source="#{key}-way"/>'
    out.append(f'<sampler id="{key}-sampler">{inputs}</sampler>')
    out.append(f'<channel source="#{key}-sampler" target="{target}"/></animation>')
    return "\n".join(out)


def _source(key: str, tag: str, text: str, count: int, stride: int = 1) -> str:
    """An array with its accessor."""
    params = '<param type="float"/>' * stride if tag == "float_array" else '<param type="name"/>'
    return (
        f'<source id="{key}"><{tag} id="{key}-array" count="{count}">{text}</{tag}><technique_common>'
        f'<accessor source="#{key}-array" count="{count // stride}" stride="{stride}">{params}</accessor>'
        "</technique_common></source>"
    )


def _skin(bones: list[Bone]) -> str:
    """A skin bound to all bones as they stand without angles; of a mesh that is not there."""
    world: list[np.ndarray] = []
    for bone in bones:
        local = np.eye(4)
        local[:3, :3] = Rotation.from_euler("xyz", bone.pre, degrees=True).as_matrix()
        local[:3, 3] = np.atleast_2d(bone.place)[0]
        world.append(local if bone.parent < 0 else world[bone.parent] @ local)
    names = " ".join(f"s{i}" for i in range(len(bones)))
    inverse = numbers(np.linalg.inv(np.stack(world)))
    return (
        '<library_controllers><controller id="c"><skin source="#mesh">\n'
        + _source("c-joints", "Name_array", names, len(bones))
        + "\n"
        + _source("c-bind", "float_array", inverse, 16 * len(bones), 16)
        + '\n<joints><input semantic="JOINT" source="#c-joints"/><input semantic="INV_BIND_MATRIX" source="#c-bind"/>'
        "</joints></skin></controller></library_controllers>"
    )
