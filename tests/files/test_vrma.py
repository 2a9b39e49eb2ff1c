"""VRM animations: the specification's rules, and three-vrm's own reader on a VRM character."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.files.gltf.vrma import REQUIRED, humanoid
from mocapella.rig.naming import NAMINGS
from tests.characters import read_glb, write_glb

JS = Path(__file__).resolve().parents[1] / "js"
# The humanoid of VRM 1.0: the bone that each one hangs on, or the next above that is there.
SIDE = {
    "UpperLeg": "hips", "LowerLeg": "{}UpperLeg", "Foot": "{}LowerLeg", "Toes": "{}Foot", "Shoulder": "upperChest",
    "UpperArm": "{}Shoulder", "LowerArm": "{}UpperArm", "Hand": "{}LowerArm",
}  # fmt: skip
ABOVE = {"spine": "hips", "chest": "spine", "upperChest": "chest", "neck": "upperChest", "head": "neck"} | {
    side + bone: above.format(side) for side in ("left", "right") for bone, above in SIDE.items()
}


def broken_rules(path):
    """The rules of VRMC_vrm_animation 1.0 that a file breaks, in words."""
    doc, _ = read_glb(path)
    found = []
    extension = doc.get("extensions", {}).get("VRMC_vrm_animation", {})
    if "VRMC_vrm_animation" not in doc.get("extensionsUsed", []) or extension.get("specVersion") != "1.0":
        found.append("the extension is declared, of version 1.0")
    bones = {name: one["node"] for name, one in extension.get("humanoid", {}).get("humanBones", {}).items()}
    if not {NAMINGS["vrm"][role] for role in REQUIRED} <= set(bones):
        found.append("all required bones are there")
    if set(bones) & {"leftEye", "rightEye"} or not set(bones) <= {*NAMINGS["vrm"].values(), "upperChest"}:
        found.append("bones are those of VRM, without eyes")
    if len(set(bones.values())) != len(bones):
        found.append("each bone has a node of its own")
    parent = {child: number for number, node in enumerate(doc["nodes"]) for child in node.get("children", [])}
    places = {}
    for number in range(len(doc["nodes"])):
        place, at = np.zeros(3), number
        while at is not None:
            node = doc["nodes"][at]
            if "matrix" in node or node.get("rotation", [0, 0, 0, 1]) != [0, 0, 0, 1] or "scale" in node:
                found.append("nodes at rest are not turned, so that places add up")
            place, at = place + node.get("translation", [0, 0, 0]), parent.get(at)
        places[number] = place
    for bone, node in bones.items():
        above = ABOVE.get(bone)
        while above is not None and above not in bones:
            above = ABOVE.get(above)
        if above is not None and parent.get(node) != bones[above]:
            found.append(f"{bone} hangs on {above}")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = [places[bones[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand")]
        leg = [places[bones[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot")]
        for chain, way in ((arm, [sign, 0, 0]), (leg, [0, -1, 0])):
            for step in np.diff(chain, axis=0):
                if not np.allclose(step / np.linalg.norm(step), way, atol=1e-4):
                    found.append("the rest pose is VRM's T-pose, facing +z")
    if not 0.3 < places[bones["hips"]][1] < 2.0:
        found.append("the hips are above the ground")
    for animation in doc["animations"]:
        for channel in animation["channels"]:
            name = next((bone for bone, node in bones.items() if node == channel["target"]["node"]), "")
            if channel["target"]["path"] not in (("rotation", "translation") if name == "hips" else ("rotation",)):
                found.append("bones turn, and the hips travel; nothing else")
    return found


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", turn=0.4, frame_rate=30.0)


def character_of(clip, path):
    """A VRM character with the bones of a motion."""
    mo.save(clip[:2], path.with_suffix(".glb"), bones="as-captured")  # the same hips, so that nothing is scaled
    doc, data = read_glb(path.with_suffix(".glb"))
    numbers = {node["name"]: number for number, node in enumerate(doc["nodes"])}
    bones = {name: {"node": numbers[name]} for name in clip.skeleton.names}
    meta = {"name": "x", "version": "1", "authors": ["x"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}
    doc |= {"extensionsUsed": ["VRMC_vrm"]}
    doc["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": bones}}}
    write_glb(path, doc, data)
    return path


def test_a_vrm_animation_keeps_all_rules_of_the_specification(walk, tmp_path):
    for motion in (walk, mo.prepare(walk), [walk, mo.prepare(walk).to_clip(2)]):
        mo.save(motion, tmp_path / "walk.vrma")
        assert broken_rules(tmp_path / "walk.vrma") == []


def test_the_check_of_the_rules_can_fail(walk, tmp_path):
    mo.save(walk, tmp_path / "walk.glb", names="vrm")
    doc, data = read_glb(tmp_path / "walk.glb")
    mo.save(walk, tmp_path / "walk.vrma")
    own, _ = read_glb(tmp_path / "walk.vrma")
    numbers = {node["name"]: {"node": number} for number, node in enumerate(doc["nodes"])}
    humans = {name: numbers[name] for name in own["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]}
    doc["extensions"] = {"VRMC_vrm_animation": {"specVersion": "1.0-draft", "humanoid": {"humanBones": humans}}}
    write_glb(tmp_path / "wrong.vrma", doc, data)
    assert {"the extension is declared, of version 1.0", "nodes at rest are not turned, so that places add up"} <= set(
        broken_rules(tmp_path / "wrong.vrma")
    )


def test_bones_turn_as_their_joints_do_and_the_hips_are_where_they_were(walk):
    made = humanoid(walk)
    hips = walk.skeleton.index("Hips")
    np.testing.assert_allclose(made.root_positions, walk.positions[:, hips], atol=1e-12)
    for bone, joint in (("leftFoot", "LeftFoot"), ("rightToes", "RightToeBase"), ("leftLowerLeg", "LeftLeg")):
        own, other = made.skeleton.index(bone), walk.skeleton.index(joint)
        np.testing.assert_allclose(made.positions[:, own], walk.positions[:, other], atol=0.01)  # a knee is no T-pose


@pytest.mark.data
def test_backs_of_three_joints_and_necks_of_two_lose_nothing_but_a_length(data_folder):
    clip = mo.load(next(data_folder.rglob("07_01.amc")))[:60]
    made = humanoid(clip)
    assert {"spine", "chest", "upperChest"} <= set(made.skeleton.names)
    own, other = mo.find_roles(clip.skeleton), mo.find_roles(made.skeleton)
    for role, joint in other.items():
        most = 5e-3 if role == "head" else 1e-4  # two joints of the neck bend, and VRM has one
        np.testing.assert_allclose(made.positions[:, joint], clip.positions[:, own[role]], atol=most)


def test_three_vrm_plays_it_on_a_character_of_these_bones_to_a_tenth_of_a_millimetre(walk, tmp_path):
    node = shutil.which("node")
    if node is None or not (JS / "node_modules" / "@pixiv" / "three-vrm-animation").is_dir():
        reason = "needs Node.js and three-vrm: npm ci --prefix tests/js"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    made = humanoid(walk)
    character = character_of(made, tmp_path / "character.vrm")
    mo.save(walk, tmp_path / "walk.vrma")
    frames = [0, 11, 40, walk.n_frames - 2]
    words = [node, JS / "vrma.mjs", character, tmp_path / "walk.vrma", json.dumps([f / 30.0 for f in frames])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True, cwd=JS)
    said = json.loads(done.stdout)
    assert said["warnings"] == []
    for frame, pose in zip(frames, said["poses"], strict=True):
        there = [pose[bone] for bone in made.skeleton.names]
        np.testing.assert_allclose(there, made.positions[frame], atol=1e-4)


def test_a_skeleton_without_a_required_bone_is_refused_by_its_name(walk, tmp_path):
    lacking = walk.skeleton.with_roles({"left_elbow": "", "left_wrist": ""})
    with pytest.raises(mo.MotionError, match="left_elbow, left_wrist"):
        mo.save(replace(walk, skeleton=lacking), tmp_path / "walk.vrma")
