"""COLLADA files that Blender wrote, which could until version 4.5: the joints are where Blender has them."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from tests.interop.test_fbx import IN_BLENDER

WAYS = {
    "matrices": {},
    "decomposed": {
        "export_animation_transformation_type_selection": "decomposed",
        "export_object_transformation_type_selection": "decomposed",
    },
    "y up": {
        "apply_global_orientation": True,
        "export_global_forward_selection": "-Z",
        "export_global_up_selection": "Y",
    },
    "bind info": {"keep_bind_info": True},
}


@pytest.mark.parametrize("way", WAYS)
def test_joints_of_a_file_from_blender_are_within_a_quarter_of_a_millimetre(tmp_path, way):
    python = os.environ["MOCAPELLA_INTEROP"]
    able = "import bpy, sys; sys.exit(not bpy.app.build_options.collada)"
    if subprocess.run([python, "-c", able], capture_output=True, check=False).returncode:
        pytest.skip("this Blender writes no COLLADA; the last that does is 4.5")
    mo.save(mo.example("walk", frame_rate=60.0)[:120], tmp_path / "walk.glb", names="mixamo")
    script = IN_BLENDER.replace(
        "export_scene.fbx(filepath=goal, bake_anim_simplify_factor=0.0,", "wm.collada_export(filepath=goal,"
    )
    (tmp_path / "write.py").write_text(script)
    words = [str(Path(python).absolute()), str(tmp_path / "write.py"), str(tmp_path / "walk.glb")]
    words += [str(tmp_path / "walk.dae"), json.dumps(WAYS[way])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    poses = json.loads(done.stdout.split("\nFOUND")[1].splitlines()[0])
    clip = mo.load(tmp_path / "walk.dae")
    assert (clip.n_frames, clip.frame_rate) == (120, 60.0)
    for frame in range(120):
        for name, (x, y, z) in poses[frame].items():
            place = clip.positions[frame, clip.skeleton.index(name)]
            np.testing.assert_allclose(place, [x, z, -y], atol=2.5e-4)
