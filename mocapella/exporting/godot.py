"""A Godot 4 scene with an AnimationTree that blends the loops of a grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def blend_space_scene(table: Mapping[str, Any]) -> tuple[str, str]:
    """The scene of a character that is steered by a blend space.

    Parameters
    ----------
    table
        What ``grid.json`` says.

    Returns
    -------
    name, text
        Of the ``.tscn`` file. Its nodes: a body with ``character.gd``, the model, an animation tree.
    """
    loops = table["loops"]
    low = [min(loop["at"][axis] for loop in loops) for axis in (0, 1)]
    high = [max(loop["at"][axis] for loop in loops) for axis in (0, 1)]
    flat = [corner for triangle in table["triangles"] for corner in triangle]
    lines = [
        f"[gd_scene load_steps={len(loops) + 6} format=3]",
        "",
        f'[ext_resource type="PackedScene" path="{table["character"]}" id="1"]',
        '[ext_resource type="Script" path="character.gd" id="2"]',
        "",
    ]
    for number, loop in enumerate(loops):
        lines += [
            f'[sub_resource type="AnimationNodeAnimation" id="loop_{number}"]',
            f'animation = &"{loop["animation"]}"',
            "",
        ]
    lines.append('[sub_resource type="AnimationNodeBlendSpace2D" id="space"]')
    for number, loop in enumerate(loops):
        lines += [
            f'blend_point_{number}/node = SubResource("loop_{number}")',
            f"blend_point_{number}/pos = Vector2({loop['at'][0]}, {loop['at'][1]})",
        ]
    lines += [
        f"auto_triangles = {'false' if flat else 'true'}",
        *([f"triangles = PackedInt32Array({', '.join(map(str, flat))})"] if flat else []),
        f"min_space = Vector2({low[0]}, {low[1]})",
        f"max_space = Vector2({high[0]}, {high[1]})",
        f'x_label = "{table["axes"][0]}"',
        f'y_label = "{table["axes"][1]}"',
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
        f'root_motion_track = NodePath("{"Skeleton3D:" if table["root_is_bone"] else ""}{table["root"]}")',
        'tree_root = SubResource("tree")',
        'anim_player = NodePath("../Model/AnimationPlayer")',
        "parameters/scale/scale = 1.0",
        f"parameters/space/blend_position = Vector2({loops[0]['at'][0]}, {loops[0]['at'][1]})",
        "",
    ]
    return "character.tscn", "\n".join(lines)
