"""Blender as a reader: where it puts the bones of a file, frame by frame."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

LOOK = """
import json, sys
import bpy
path, rate, wanted, frames = sys.argv[1], float(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = max(1, round(rate))
scene.render.fps_base = scene.render.fps / rate
if path.endswith(".fbx"):
    bpy.ops.import_scene.fbx(filepath=path)
elif path.endswith((".usd", ".usda", ".usdc", ".usdz")):
    bpy.ops.wm.usd_import(filepath=path)
else:
    bpy.ops.import_scene.gltf(filepath=path)
armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
data = armature.animation_data
for track in data.nla_tracks:
    track.mute = True
actions = [action for action in bpy.data.actions if wanted in action.name]
data.action = actions[0]
if hasattr(data, "action_slot") and actions[0].slots:
    data.action_slot = actions[0].slots[0]
first = 0 if not path.endswith(".fbx") else round(actions[0].frame_range[0])
poses = []
for frame in frames:
    scene.frame_set(first + frame)
    poses.append({bone.name: list(armature.matrix_world @ bone.head) for bone in armature.pose.bones})
things = [[thing.type, thing.name] for thing in bpy.data.objects]
actions = [action.name for action in bpy.data.actions]
print("\\nFOUND" + json.dumps({"actions": actions, "poses": poses, "things": things}))
"""


def python_of_blender():
    """The Python that has Blender; the test is skipped where there is none."""
    python = str(Path(os.environ["MOCAPELLA_INTEROP"]).absolute())
    if subprocess.run([python, "-c", "import bpy"], capture_output=True, check=False).returncode:
        pytest.skip("Blender's Python package is not to be had for this Python")
    return python


def seen(path, rate, action, frames):
    """What Blender makes of a file: actions, objects, and the places of bones, y up."""
    script = path.parent / "look.py"
    script.write_text(LOOK)
    words = [python_of_blender(), str(script), str(path), repr(rate), action, json.dumps(frames)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True, cwd=path.parent)
    found = json.loads(done.stdout.split("\nFOUND")[1].splitlines()[0])
    found["poses"] = [{name: np.array([x, z, -y]) for name, (x, y, z) in pose.items()} for pose in found["poses"]]
    return found
