"""FBX files that Blender wrote: the joints are where Blender has them."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.rig.names import ROLES

IN_BLENDER = """
import json, sys
import bpy
source, goal, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 60
bpy.ops.import_scene.gltf(filepath=source)
armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
scene.frame_start, scene.frame_end = 0, round(bpy.data.actions[0].frame_range[1])
poses = []
for frame in range(scene.frame_end + 1):
    scene.frame_set(frame)
    poses.append({bone.name: list(armature.matrix_world @ bone.head) for bone in armature.pose.bones})
bpy.ops.export_scene.fbx(filepath=goal, bake_anim_simplify_factor=0.0, **options)
print("\\nFOUND" + json.dumps(poses))
"""
WAYS = {
    "plain": {"add_leaf_bones": False},
    "leaves": {"add_leaf_bones": True, "armature_nodetype": "ROOT"},
    "z up": {"axis_forward": "X", "axis_up": "Z", "primary_bone_axis": "X", "secondary_bone_axis": "Y"},
    "x up": {"axis_forward": "-Y", "axis_up": "X", "apply_scale_options": "FBX_SCALE_UNITS"},
    "own space": {"axis_forward": "Y", "axis_up": "Z", "bake_space_transform": True},
}


@pytest.mark.parametrize("way", WAYS)
def test_joints_of_a_file_from_blender_are_within_a_tenth_of_a_millimetre(tmp_path, way):
    python = os.environ["MOCAPELLA_INTEROP"]
    if subprocess.run([python, "-c", "import bpy"], capture_output=True, check=False).returncode:
        pytest.skip("Blender's Python package is not to be had for this Python")
    mo.save(mo.example("walk", frame_rate=60.0)[:120], tmp_path / "walk.glb", names="mixamo")
    (tmp_path / "write.py").write_text(IN_BLENDER)
    words = [str(Path(python).absolute()), str(tmp_path / "write.py"), str(tmp_path / "walk.glb")]
    words += [str(tmp_path / "walk.fbx"), json.dumps(WAYS[way])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    poses = json.loads(done.stdout.split("\nFOUND")[1].splitlines()[0])
    clip = mo.load(tmp_path / "walk.fbx")
    assert (clip.n_frames, clip.frame_rate, len(mo.find_roles(clip.skeleton))) == (120, 60.0, len(ROLES))
    for frame in range(120):
        for name, (x, y, z) in poses[frame].items():
            place = clip.positions[frame, clip.skeleton.index(name)]
            np.testing.assert_allclose(place, [x, z, -y], atol=1e-4)
