"""Folders for engines, read back by programs we did not write."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest

import mocapella as mo
from mocapella.exporting.grid import blend_grid
from mocapella.exporting.targets import TARGETS, export_grid
from tests.test_quoting import NASTY

WEB = Path(__file__).resolve().parents[2] / "web"


@pytest.fixture(scope="module")
def grid():
    asked = ((0.9, 0.0), (1.25, 0.6), (1.6, 0.0))
    network = mo.build_network([mo.example("walk", speed=speed, turn=turn) for speed, turn in asked])
    return blend_grid(network, columns=3, rows=3, uniform=True)


@pytest.mark.parametrize("target", TARGETS)
def test_a_folder_has_the_character_the_table_and_what_puts_them_to_use(grid, tmp_path, target):
    written = export_grid(grid, tmp_path / target, target)
    assert {"character", "table", "script"} <= {one["kind"] for one in written}
    assert all(Path(one["path"]).stat().st_size for one in written)
    table = json.loads((tmp_path / target / "grid.json").read_text())
    file = pygltflib.GLTF2().load(str(tmp_path / target / table["character"]))
    assert [one.name for one in file.animations] == [loop["animation"] for loop in table["loops"]]
    assert file.nodes[0].name == table["root"]
    for animation, loop in zip(file.animations, table["loops"], strict=True):
        last = file.accessors[animation.samplers[0].input].max[0]
        path = grid.loops[table["loops"].index(loop)].clip.ground_path
        assert (
            abs(path[-1] - path[0]) <= loop["stride"] + 1e-6 <= 1.05 * abs(path[-1] - path[0])
        )  # a chord, and its arc
        np.testing.assert_allclose(last, table["length"] if target == "godot" else loop["seconds"], rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_names_of_loops_and_axes_reach_the_table_alone_and_add_nothing_to_scripts_and_scenes(grid, tmp_path, target):
    odd = [f"{i} {name}" for i, name in zip(range(len(grid.loops)), NASTY, strict=False)]
    renamed = replace(grid, loops=tuple(replace(loop, name=name) for loop, name in zip(grid.loops, odd, strict=True)))
    evil = 'x"\n[node name="Evil"]\n*/ evil(); // \\'
    plain = {Path(one["path"]).name for one in export_grid(grid, tmp_path / "plain", target)}
    assert {
        Path(one["path"]).name for one in export_grid(renamed, tmp_path / "odd", target, axes=(evil, evil))
    } == plain
    for script in TARGETS[target].scripts:
        assert (tmp_path / "odd" / script).read_bytes() == (tmp_path / "plain" / script).read_bytes()
    table = json.loads((tmp_path / "odd" / "grid.json").read_text())
    assert [loop["name"] for loop in table["loops"]] == odd
    assert table["axes"] == [evil, evil]
    for scene in (tmp_path / "odd").glob("*.tscn"):
        headings = [line for line in scene.read_text().splitlines() if line.startswith("[")]
        before = (tmp_path / "plain" / scene.name).read_text().splitlines()
        assert headings == [line for line in before if line.startswith("[")]


def test_the_scripts_are_sound_python(grid, tmp_path):
    for target, script in (("blender", "import_in_blender.py"), ("unreal", "import_in_unreal.py")):
        export_grid(grid, tmp_path, target)
        compile((tmp_path / script).read_text(), script, "exec")


def test_the_scene_for_godot_names_what_it_uses(grid, tmp_path):
    export_grid(grid, tmp_path, "godot")
    text = (tmp_path / "character.tscn").read_text()
    made = set(re.findall(r'\[sub_resource type="\w+" id="(\w+)"\]', text))
    assert set(re.findall(r'SubResource\("(\w+)"\)', text)) == made - {"tree"} | {"tree"}
    assert set(re.findall(r'animation = &"([^"]+)"', text)) == {
        loop.name for loop in grid.loops
    }  # Godot takes -loop off
    corners = [int(number) for number in re.search(r"PackedInt32Array\(([^)]*)\)", text)[1].split(",")]
    assert corners == grid.triangles.ravel().tolist()
    assert f"load_steps={len(made) + 3}" in text
    for path in re.findall(r'path="([^"]+)"', text):
        assert (tmp_path / path).exists()


def test_godot_reads_every_key_where_it_lies(grid, tmp_path):
    """It samples files at a whole rate, and would leave out keys that it takes for dispensable."""
    export_grid(grid, tmp_path, "godot")
    settings = (tmp_path / "character.glb.import").read_text()
    rate = int(re.search(r"animation/fps=(\d+)", settings)[1])
    assert '"optimizer/enabled": false' in settings
    file = pygltflib.GLTF2().load(str(tmp_path / "character.glb"))
    frames = {file.accessors[sampler.input].count for motion in file.animations for sampler in motion.samplers}
    lasts = [file.accessors[motion.samplers[0].input].max[0] for motion in file.animations]
    np.testing.assert_allclose(lasts, (frames.pop() - 1) / rate, rtol=1e-6)
    assert not frames


def test_loops_of_unlike_numbers_of_frames_are_refused_where_they_must_be_alike(grid, tmp_path):
    short = replace(grid.loops[0], clip=grid.loops[0].clip[:-2])
    with pytest.raises(mo.MotionError, match="uniform=True"):
        export_grid(replace(grid, loops=(short, *grid.loops[1:])), tmp_path, "godot")


def test_an_unknown_target_and_a_folder_that_cannot_be_made_are_refused(grid, tmp_path):
    with pytest.raises(mo.MotionError, match="a target of blender, godot, unreal, unity, three"):
        export_grid(grid, tmp_path, "maya")
    (tmp_path / "file").write_text("")
    with pytest.raises(mo.MotionError, match="cannot write into"):
        export_grid(grid, tmp_path / "file" / "below", "three")


STEERED = """
import { readFile } from 'node:fs/promises'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import { Vector3 } from 'three'
import { Character } from './blendspace.js'
globalThis.self = globalThis
const grid = JSON.parse(await readFile('grid.json'))
const bytes = await readFile(grid.character)
const part = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
const gltf = await new GLTFLoader().parseAsync(part, '')
const out = []
for (const [turn, speed] of JSON.parse(process.argv[2])) {
  const character = new Character(grid, gltf)
  character.object.position.set(0, 0, 0); character.object.quaternion.identity()
  const frames = []
  let had
  for (let i = 0; i < 300; i++) {
    had = character.move(1 / 60, turn, speed)
    character.object.updateMatrixWorld(true)
    const place = name => character.object.getObjectByName(name).getWorldPosition(new Vector3()).toArray()
    const feet = ['LeftToeBase', 'RightToeBase'].map(place)
    frames.push({ phase: character.phase, feet })
  }
  out.push({ had, frames })
  character.mixer.stopAllAction()
}
console.log(JSON.stringify(out))
"""


def test_three_js_steers_the_loops_without_sliding(grid, tmp_path):
    node = shutil.which("node")
    if node is None or not (WEB / "node_modules" / "three").is_dir():
        reason = "needs Node.js and three.js: make web"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    export_grid(grid, tmp_path, "three")
    (tmp_path / "node_modules").symlink_to(WEB / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "steer.mjs").write_text(STEERED)
    loop = grid.loops[1]
    points = [list(loop.at), [5.0, 1.2]]
    words = [node, "steer.mjs", json.dumps(points)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    for (turn, speed), said, most in zip(points, json.loads(done.stdout), (1.0, 5.0), strict=True):
        np.testing.assert_allclose([said["had"]["turn"], said["had"]["speed"]], [turn, speed], rtol=1e-4)
        slips = [slip_of(said["frames"], foot, side, loop) for foot, side in ((0, "left"), (1, "right"))]
        assert 0.0 < 1000 * max(slips) < most  # millimetres; between loops an engine mixes poses, not feet


def slip_of(frames, foot, side, loop):
    """How far a ball of the foot slides on the ground while it is flat, metres."""
    worst, start = 0.0, None
    for frame in frames:
        lasting = [(first + 0.12, last - 0.15) for first, last in loop.plants[side]]
        down = any(first < frame["phase"] + turn < last for first, last in lasting for turn in (0.0, 1.0))
        place = np.array(frame["feet"][foot])[[0, 2]]
        start = place if down and start is None else start if down else None
        worst = max(worst, float(np.linalg.norm(place - start))) if down else worst
    return worst
