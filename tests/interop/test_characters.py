"""Characters, FBX and USD files in Blender: joints to a tenth of a millimetre of ours."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis.plants.detect import find_plants
from mocapella.storage.stored_characters import save_onto
from tests.characters import write_character
from tests.interop.blender import python_of_blender, seen

FRAMES = [0, 9, 40]


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", turn=0.4, frame_rate=30.0)


@pytest.mark.parametrize("options", [{}, {"armature": False, "arms": 0.0}, {"root": False, "size": 1.3}])
def test_blender_moves_a_character_as_the_retargeted_motion_goes_and_its_feet_stay(walk, tmp_path, options):
    character = write_character(tmp_path / "mine.glb", **options)
    (made,) = save_onto([walk.renamed("carried")], tmp_path / "out.glb", character, root_motion="root")
    found = seen(tmp_path / "out.glb", 30.0, "carried", [*FRAMES, *range(60, 80)])
    for frame, pose in zip([*FRAMES, *range(60, 80)], found["poses"], strict=True):
        there = np.array([pose[name] for name in made.skeleton.names])
        np.testing.assert_allclose(there, made.positions[frame], atol=1e-4)
    plants = find_plants(walk)
    for side, name in (("left", "mixamorig:LeftToeBase"), ("right", "mixamorig:RightToeBase")):
        down = [
            i for i in range(20) if plants.planted(f"{side}_toe")[60 + i] and plants.planted(f"{side}_heel")[60 + i]
        ]
        places = np.array([found["poses"][3 + i][name] for i in down]).reshape(-1, 3)
        assert len(places) == 0 or float(np.ptp(places[:, [0, 2]], axis=0).max()) < 1e-3


@pytest.mark.parametrize("root_motion", ["hips", "root"])
def test_fbx_comes_out_of_the_users_blender_with_every_key(walk, tmp_path, monkeypatch, root_motion):
    monkeypatch.setenv("BLENDER", python_of_blender())
    mo.save([walk, walk.renamed("second")], tmp_path / "walk.fbx", root_motion=root_motion)
    found = seen(tmp_path / "walk.fbx", 30.0, "second", FRAMES)
    assert len(found["actions"]) == 2
    assert sorted(kind for kind, _ in found["things"]) == ["ARMATURE", "MESH"]
    for frame, pose in zip(FRAMES, found["poses"], strict=True):
        for joint, name in enumerate(walk.skeleton.names):
            np.testing.assert_allclose(pose[name], walk.positions[frame, joint], atol=1e-4)


def test_usd_opens_in_blender(walk, tmp_path):
    pytest.importorskip("pxr", reason="needs usd-core")
    mo.save(walk, tmp_path / "walk.usdc")
    found = seen(tmp_path / "walk.usdc", 30.0, "", FRAMES)
    for frame, pose in zip(FRAMES, found["poses"], strict=True):
        for joint, name in enumerate(walk.skeleton.names):
            np.testing.assert_allclose(pose[name], walk.positions[frame, joint], atol=1e-4)
