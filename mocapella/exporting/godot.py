"""What Godot 4 needs beside a character: how to import it, and a scene whose AnimationTree blends its loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mocapella.files.gltf.style import LOOP
from mocapella.quoting import godot_name, godot_string


def godot_files(table: Mapping[str, Any]) -> dict[str, str]:
    """The scene of a character that is steered by a blend space, and the import settings of the character.

    ``table`` is the content of ``grid.json``. Returns texts by file name. The scene has a body with ``character.gd``,
    the model and an animation tree.
    """
    return {f"{table['character']}.import": _import_settings(table), "character.tscn": _scene(table)}


def _import_settings(table: Mapping[str, Any]) -> str:
    """Import at the rate of the keys, and leave none out: Godot would make chords of the curved ways of loops."""
    return f"""\
[remap]

importer="scene"
importer_version=1
type="PackedScene"

[params]

animation/fps={table["frame_rate"]:.0f}
_subresources={{"nodes": {{"PATH:AnimationPlayer": {{"optimizer/enabled": false}}}}}}
"""


def _scene(table: Mapping[str, Any]) -> str:
    loops = table["loops"]
    low = [min(loop["at"][axis] for loop in loops) for axis in (0, 1)]
    high = [max(loop["at"][axis] for loop in loops) for axis in (0, 1)]
    flat = [corner for triangle in table["triangles"] for corner in triangle]
    axis = int(high[0] - low[0] <= high[1] - low[1])  # along which loops on a line differ most

    def place(at: Sequence[float]) -> str:
        return f"Vector2({at[0]}, {at[1]})" if flat else str(at[axis])

    lines = [
        f"[gd_scene load_steps={len(loops) + 6} format=3]",
        "",
        f'[ext_resource type="PackedScene" path={godot_string(table["character"])} id="1"]',
        '[ext_resource type="Script" path="character.gd" id="2"]',
        "",
    ]
    for number, loop in enumerate(loops):
        lines += [
            f'[sub_resource type="AnimationNodeAnimation" id="loop_{number}"]',
            f"animation = &{godot_string(loop['animation'].removesuffix(LOOP))}",  # Godot takes the ending off
            "",
        ]
    lines.append(f'[sub_resource type="AnimationNodeBlendSpace{2 if flat else 1}D" id="space"]')
    for number, loop in enumerate(loops):
        lines += [
            f'blend_point_{number}/node = SubResource("loop_{number}")',
            f"blend_point_{number}/pos = {place(loop['at'])}",
        ]
    if flat:
        lines += ["auto_triangles = false", f"triangles = PackedInt32Array({', '.join(map(str, flat))})"]
        lines += [f"{x}_label = {godot_string(name)}" for x, name in zip("xy", table["axes"], strict=True)]
    else:
        lines.append(f"value_label = {godot_string(table['axes'][axis])}")
    lines += [
        f"min_space = {place(low)}",
        f"max_space = {place(high)}",
        "sync = true",
        "",
        '[sub_resource type="AnimationNodeTimeScale" id="scale"]',
        "",
        '[sub_resource type="AnimationNodeBlendTree" id="tree"]',
        'nodes/space/node = SubResource("space")',
        "nodes/space/position = Vector2(0, 100)",
        'nodes/scale/node = SubResource("scale")',
        "nodes/scale/position = Vector2(300, 100)",
        "nodes/output/position = Vector2(600, 100)",
        'node_connections = [&"output", 0, &"scale", &"scale", 0, &"space"]',
        "",
        '[node name="Character" type="CharacterBody3D"]',
        'script = ExtResource("2")',
        "",
        '[node name="Model" parent="." instance=ExtResource("1")]',
        "",
        '[node name="AnimationTree" type="AnimationTree" parent="."]',
        'root_node = NodePath("../Model")',
        f"root_motion_track = NodePath({godot_string(_root_path(table))})",
        "callback_mode_process = 0",  # with the physics, as the script that moves the body
        'tree_root = SubResource("tree")',
        'anim_player = NodePath("../Model/AnimationPlayer")',
        "parameters/scale/scale = 1.0",
        f"parameters/space/blend_position = {place(loops[0]['at'])}",
        "",
    ]
    return "\n".join(lines)


def _root_path(table: Mapping[str, Any]) -> str:
    """The bone or node of root motion, by the name that Godot gives it when it imports the character."""
    is_bone = table["root_is_bone"]
    return f"{'Skeleton3D:' if is_bone else ''}{godot_name(table['root'], bone=is_bone)}"
