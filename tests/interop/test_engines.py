"""What Blender makes of an exported character."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.exporting.grid import blend_grid
from mocapella.exporting.targets import export_grid


@pytest.fixture(scope="module")
def grid():
    asked = ((0.9, 0.0), (1.25, 0.6), (1.6, 0.0))
    network = mo.build_network([mo.example("walk", speed=speed, turn=turn) for speed, turn in asked])
    return blend_grid(network, columns=3, rows=3)


IN_BLENDER = """
import json, runpy, sys
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
runpy.run_path(sys.argv[1] + "/import_in_blender.py")
armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
poses = {}
for key in (0, 5, 17):
    frame = key * bpy.context.scene.render.fps / float(sys.argv[2])
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
    poses[key] = {bone.name: list(armature.matrix_world @ bone.head) for bone in armature.pose.bones}
rest = {bone.name: [list(bone.head_local), list(bone.tail_local)] for bone in armature.data.bones}
print("\\nFOUND" + json.dumps([
    {action.name: [action.use_cyclic, *action.frame_range] for action in bpy.data.actions}, rest, poses
]))
"""


def test_blender_shows_bones_along_limbs_and_poses_to_a_tenth_of_a_millimetre(grid, tmp_path):
    python = os.environ["MOCAPELLA_INTEROP"]
    if subprocess.run([python, "-c", "import bpy"], capture_output=True, check=False).returncode:
        pytest.skip("Blender's Python package is not to be had for this Python")
    export_grid(grid, tmp_path, "blender")
    (tmp_path / "look.py").write_text(IN_BLENDER)
    words = [str(Path(python).absolute()), str(tmp_path / "look.py"), str(tmp_path), str(grid.loops[0].clip.frame_rate)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    actions, rest, poses = json.loads(done.stdout.split("\nFOUND")[1].splitlines()[0])
    assert len(actions) == len(grid.loops)
    assert all(cyclic and first == 0.0 for cyclic, first, _ in actions.values())
    clip = grid.loops[0].clip
    for frame, bones in poses.items():
        for name, (x, y, z) in bones.items():
            if name != "root":
                expected = clip.positions[int(frame), clip.skeleton.index(name)]
                np.testing.assert_allclose([x, z, -y], expected, atol=1e-4)
    thigh, knee = rest["LeftUpLeg"], rest["LeftLeg"]
    np.testing.assert_allclose(thigh[1], knee[0], atol=2e-2)  # a bone ends where the next begins
    assert min(head[2] for head, _ in rest.values()) > -1e-3
    assert min(tail[2] for _, tail in rest.values()) > -0.06  # Blender draws last bones as long as those before them
