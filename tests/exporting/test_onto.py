"""Motions on a character that is not ours: nothing of it is lost, and three.js puts its joints where we do."""

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.analysis.plants.detect import find_plants
from mocapella.cli import main
from mocapella.editing.retarget import carried_to
from mocapella.exporting.grid import blend_grid, carried_grid
from mocapella.exporting.targets import export_grid
from mocapella.files.gltf.skinned_character import read_character
from mocapella.geometry import quaternions
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.loops import is_closed
from mocapella.storage.stored_characters import save_onto
from tests.characters import read_glb, write_character, write_glb

JS = Path(__file__).resolve().parents[1] / "js"
KINDS = {
    "centimetres below an armature and a root": {},
    "root at the origin": {"armature": False},
    "hips alone": {"armature": False, "root": False, "arms": 0.0},
    "hips below an armature": {"root": False, "size": 1.3},
    "VRM 1.0": {"vrm": 1},
    "VRM 0.x": {"vrm": 2, "armature": False},
}


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", speed=1.2, turn=0.3, frame_rate=30.0)


@pytest.fixture(scope="module")
def loop(walk):
    cycle = mo.prepare(walk)
    return cycle.to_clip(2)[: cycle.n_frames + 1]


@pytest.fixture(scope="module", params=KINDS)
def character(request, tmp_path_factory):
    options = KINDS[request.param]
    name = "character.vrm" if options.get("vrm") else "character.glb"
    return write_character(tmp_path_factory.mktemp("character") / name, **options)


def node(script, *words):
    found = shutil.which("node")
    if found is None or not (JS / "node_modules" / "three").is_dir():
        reason = "needs Node.js and three.js: npm ci --prefix tests/js"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    done = subprocess.run([found, JS / script, *words], capture_output=True, text=True, timeout=120, check=True, cwd=JS)
    return json.loads(done.stdout)


def test_three_js_puts_every_joint_where_the_retargeted_motion_has_it(character, walk, loop, tmp_path):
    own = read_character(character)
    for kind, motion in (("way", walk), ("round", loop)):
        for root_motion in ("hips", "root"):
            out = tmp_path / f"{kind}_{root_motion}.glb"
            (made,) = save_onto([motion.renamed("x")], out, own, loop=kind == "round", root_motion=root_motion)
            frames = [0, 7, made.n_frames // 2, made.n_frames - 2]
            name = "x-loop" if kind == "round" else "x"
            poses = node("poses.mjs", out, json.dumps({name: [frame / made.frame_rate for frame in frames]}))[name]
            for frame, places in zip(frames, poses, strict=True):
                there = [places[joint] for joint in made.skeleton.names]
                np.testing.assert_allclose(there, made.positions[frame], atol=1e-4)


def test_the_copy_has_all_of_the_character_byte_for_byte(character, walk, tmp_path):
    before, data = read_glb(character)
    for animations in ("keep", "replace"):
        mo.save(walk, tmp_path / "out.glb", onto=character, animations=animations)
        after, longer = read_glb(tmp_path / "out.glb")
        assert longer[: len(data)] == data
        for key in ("nodes", "meshes", "skins", "materials", "textures", "images", "scenes", "asset", "extensions"):
            assert after.get(key) == before.get(key)
        for key in ("accessors", "bufferViews"):
            assert after[key][: len(before[key])] == before[key]
        kept = before.get("animations", []) if animations == "keep" else []
        assert after["animations"][:-1] == kept
        assert after["animations"][-1]["name"] == walk.name


def test_the_validator_finds_no_error_and_no_warning_that_the_character_had_not(character, loop, tmp_path):
    out = tmp_path / "out.glb"
    mo.save(loop, out, onto=character, loop=True, root_motion="root")
    issues = node("validate.mjs", character, out)
    had = {one["code"] for one in issues[str(character)]["messages"] if one["severity"] < 2}
    assert {one["code"] for one in issues[str(out)]["messages"] if one["severity"] < 2} == had
    assert had <= {"INVALID_EXTENSION_NAME_FORMAT"}  # VRM 0.x is called just VRM


def test_feet_stay_where_they_rest_and_loops_close(character, walk, loop):
    skeleton = read_character(character).skeleton
    plants = find_plants(walk)
    made = carried_to(walk, skeleton, contacts=plants)
    assert figures(MOTION, MeasuredMotion(made, plants), ("slip_mm_max",))["slip_mm_max"] < 1.0
    round_ = carried_to(loop, skeleton, loop=True)
    assert is_closed(round_, within=1e-6)
    plants = find_plants(loop)
    assert figures(MOTION, MeasuredMotion(round_, plants), ("slip_mm_max",))["slip_mm_max"] < 1.0


def test_soles_of_the_mesh_are_known_and_reach_the_ground(tmp_path, walk):
    skeleton = read_character(write_character(tmp_path / "character.glb")).skeleton
    soles = skeleton.rest_end_positions[:, 1]
    assert len(soles) == 4
    np.testing.assert_allclose(soles, 0.0, atol=1e-6)  # the writer stands bodies on the ground
    made = carried_to(walk, skeleton)
    assert -0.02 < float(made.end_positions[..., 1].min()) < 0.01


def test_a_grid_goes_onto_a_character_at_the_speeds_that_it_has(tmp_path):
    asked = ((0.9, 0.0), (1.25, 0.6), (1.6, 0.0))
    network = mo.build_network([mo.example("walk", speed=speed, turn=turn) for speed, turn in asked])
    grid = blend_grid(network, columns=2, rows=2, uniform=True)
    own = read_character(write_character(tmp_path / "mine.glb", size=0.5))
    carried = carried_grid(grid, own.skeleton)
    for before, after in zip(grid.loops, carried.loops, strict=True):
        np.testing.assert_allclose(after.at, [before.at[0], before.at[1] * 0.5], rtol=0.02, atol=0.2)
    for target in ("three", "godot"):
        export_grid(carried, tmp_path / target, target, character=own, animations="replace")
        table = json.loads((tmp_path / target / "grid.json").read_text())
        doc, _ = read_glb(tmp_path / target / "character.glb")
        assert [one["name"] for one in doc["animations"]] == [one["animation"] for one in table["loops"]]
        assert (table["root"], table["root_is_bone"]) == ("Base", True)
        assert len(doc["meshes"]) == 1


def test_a_characters_name_adds_nothing_to_a_scene_of_godot(tmp_path):
    evil = 'x")\n\n[node name="Evil" type="Node"]\nscript = "'
    path = write_character(tmp_path / "mine.glb", names=lambda name: evil if name == "Base" else name)
    own = read_character(path)
    network = mo.build_network([mo.example("walk", speed=speed) for speed in (0.9, 1.5)])
    grid = carried_grid(blend_grid(network, columns=2, rows=2, uniform=True), own.skeleton)
    export_grid(grid, tmp_path / "out", "godot", character=own)
    text = (tmp_path / "out" / "character.tscn").read_text()
    assert json.loads((tmp_path / "out" / "grid.json").read_text())["root"] == evil
    assert [line for line in text.splitlines() if line.startswith("[node")] == [
        '[node name="Character" type="CharacterBody3D"]',
        '[node name="Model" parent="." instance=ExtResource("1")]',
        '[node name="AnimationTree" type="AnimationTree" parent="."]',
    ]


def test_commands_write_onto_characters(tmp_path, walk):
    character = write_character(tmp_path / "mine.glb")
    mo.save(walk, tmp_path / "walk.bvh")
    words = ["convert", str(tmp_path / "walk.bvh"), str(tmp_path / "out.glb"), "--onto", str(character)]
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == 0, done.output
    assert [one["name"] for one in read_glb(tmp_path / "out.glb")[0]["animations"]] == ["walk"]
    wrong = CliRunner().invoke(main, [*words, "--names", "vrm"])
    assert wrong.exit_code == 2
    assert "keeps its names" in wrong.output
    network = mo.build_network([mo.example("walk", speed=speed) for speed in (0.9, 1.5)])
    mo.save(network, tmp_path / "net.moca")
    words = ["play", str(tmp_path / "net.moca"), "-o", str(tmp_path / "played.glb"), "--onto", str(character)]
    done = CliRunner().invoke(main, [*words, "--loop", "1", "--root-motion", "root", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["slip_mm_max"] < 1.0


def test_what_is_no_character_is_refused_in_words(tmp_path, walk):
    with pytest.raises(mo.FormatError, match="a character is one file"):
        mo.save(walk, tmp_path / "out.glb", onto=tmp_path / "x.fbx")
    character = write_character(tmp_path / "mine.glb")
    with pytest.raises(mo.MotionError, match="would replace the character"):
        mo.save(walk, character, onto=character)
    with pytest.raises(mo.MotionError, match=r"written as \.glb or \.vrm"):
        mo.save(walk, tmp_path / "out.bvh", onto=character)
    with pytest.raises(mo.MotionError, match="names is for files without a character"):
        mo.save(walk, tmp_path / "out.glb", onto=character, names="vrm")
    doc, data = read_glb(character)
    doc["images"] = [{"uri": "cloth.png"}]
    write_glb(tmp_path / "parts.glb", doc, data)
    with pytest.raises(mo.FormatError, match="in other files"):
        read_character(tmp_path / "parts.glb")
    del doc["skins"]
    write_glb(tmp_path / "bare.glb", doc, data)
    with pytest.raises(mo.FormatError, match="no skin"):
        read_character(tmp_path / "bare.glb")


def test_nodes_that_are_placed_by_matrices_are_moved_all_the_same(tmp_path, walk):
    character = write_character(tmp_path / "mine.glb", armature=False)
    doc, data = read_glb(character)
    for node in doc["nodes"]:
        if "translation" in node:
            turn = np.roll(np.array(node.pop("rotation", [0.0, 0.0, 0.0, 1.0])), 1)
            matrix = np.eye(4)
            matrix[:3, :3] = quaternions.to_matrix(turn)
            matrix[:3, 3] = node.pop("translation")
            node["matrix"] = matrix.T.reshape(-1).tolist()
    del doc["animations"]
    write_glb(tmp_path / "matrices.glb", doc, data)
    (made,) = save_onto([walk], tmp_path / "out.glb", tmp_path / "matrices.glb")
    assert not any("matrix" in node and "rotation" in node for node in read_glb(tmp_path / "out.glb")[0]["nodes"])
    read = mo.load(tmp_path / "out.glb")
    joints = [read.skeleton.index(name) for name in made.skeleton.names]
    np.testing.assert_allclose(read.positions[:, joints], made.positions, atol=1e-4)
    issues = node_issues(tmp_path / "out.glb")
    assert not any(one["severity"] < 2 for one in issues)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_damaged_character_is_refused_in_words_or_used(tmp_path_factory, damaged, data):
    doc, content, walk = damaged
    places = list(_places(doc))
    broken = json.loads(json.dumps(doc))
    place = data.draw(st.sampled_from(places))
    at = broken
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = data.draw(st.sampled_from([None, -1, 10**9, "x", [], {}, 1e300, True]))
    folder = tmp_path_factory.mktemp("damaged")
    write_glb(folder / "mine.vrm", broken, bytearray(content))
    with contextlib.suppress(mo.MotionError):
        save_onto([walk], folder / "out.glb", folder / "mine.vrm", root_motion="root")


@pytest.fixture(scope="module")
def damaged(tmp_path_factory, walk):
    doc, content = read_glb(write_character(tmp_path_factory.mktemp("whole") / "mine.vrm", vrm=1))
    return doc, bytes(content), walk[:10]


def _places(value, above=()):
    """The way to every part of a JSON value; of long lists to the first few."""
    keys = value if isinstance(value, dict) else range(min(len(value), 4)) if isinstance(value, list) else ()
    for key in keys:
        yield (*above, key)
        yield from _places(value[key], (*above, key))


def node_issues(path):
    return node("validate.mjs", path)[str(path)]["messages"]
