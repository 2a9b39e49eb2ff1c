"""What Godot makes of an exported character: Debian's Godot 3, and Godot 4 with the exported scene and script."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.exporting.grid import blend_grid, carried_grid
from mocapella.exporting.targets import export_grid
from mocapella.files.gltf.skinned_character import read_character
from tests.characters import write_character
from tests.exporting.test_targets import slip_of


@pytest.fixture(scope="module")
def grid():
    asked = ((0.9, 0.0), (1.25, 0.6), (1.6, 0.0))
    clips = [mo.example("walk", speed=speed, turn=turn).renamed(f"{speed}_walk_cycle") for speed, turn in asked]
    return blend_grid(mo.build_network(clips), columns=3, rows=3, uniform=True)


IN_GODOT_3 = """
extends SceneTree
func _init():
	var scene = load("res://character.glb").instance()
	var player = scene.find_node("AnimationPlayer", true, false)
	var skeleton = scene.find_node("*keleton*", true, false)
	var found = {"loops": {}, "first": skeleton.get_bone_name(0), "height": skeleton.get_bone_rest(1).origin.y}
	for name in player.get_animation_list():
		found["loops"][name] = [player.get_animation(name).loop, player.get_animation(name).length]
	print("FOUND" + to_json(found))
	quit()
"""


def test_godot_3_imports_loops_of_one_length_and_a_root_bone(grid, tmp_path):
    godot = shutil.which("godot3-server")
    if godot is None:
        pytest.skip("there is no godot3-server here")
    export_grid(grid, tmp_path, "godot")
    for name in ("character.gd", "character.tscn", "character.glb.import"):  # of Godot 4
        (tmp_path / name).unlink()
    (tmp_path / "project.godot").write_text('config_version=4\n[application]\nconfig/name="x"\n')
    (tmp_path / "look.gd").write_text(IN_GODOT_3)
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        [godot, "--editor"], cwd=tmp_path, **silent
    ) as editor:  # it imports, and does not end by itself
        for _ in range(240):
            time.sleep(0.5)
            if list((tmp_path / ".import").glob("character.glb-*.scn")):
                break
        editor.kill()
    done = subprocess.run(
        [godot, "-s", "look.gd"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    found = json.loads(done.stdout.split("FOUND")[1].splitlines()[0])
    assert set(found["loops"]) == {loop.name + "-loop" for loop in grid.loops}
    assert all(loops for loops, _ in found["loops"].values())
    np.testing.assert_allclose([length for _, length in found["loops"].values()], length_of(tmp_path), rtol=1e-5)
    assert found["first"] == "root"
    assert 0.8 < found["height"] < 1.1


def length_of(folder):
    """How long the loops in a folder are, seconds."""
    return json.loads((folder / "grid.json").read_text())["length"]


@pytest.fixture(scope="module")
def godot():
    """Run Godot 4 in a folder with a script, after it has imported what lies there; what the script found."""
    program = os.environ.get("MOCAPELLA_GODOT") or shutil.which("godot") or shutil.which("godot4")
    if program is None or not Path(program).exists():
        pytest.skip("there is no Godot 4 here: make interop lays one out where it can")

    def run(folder, script, *options):
        (folder / "project.godot").write_text('config_version=5\n[application]\nconfig/name="x"\n')
        (folder / "look.gd").write_text(script)
        words = [str(Path(program).absolute()), "--headless", "--path", str(folder)]
        subprocess.run([*words, "--import"], check=True, capture_output=True, timeout=300)
        done = subprocess.run(
            [*words, *options, "-s", "look.gd"], capture_output=True, text=True, timeout=300, check=True
        )
        assert "ERROR" not in done.stdout + done.stderr, done.stderr
        return json.loads(done.stdout.split("FOUND")[1].splitlines()[0])

    return run


JOINTS = """
extends SceneTree
func _initialize() -> void:
	var scene: Node = load("res://character.glb").instantiate()
	root.add_child(scene)
	read.call_deferred(scene)
func read(scene: Node) -> void:
	var player: AnimationPlayer = scene.get_node("AnimationPlayer")
	var skeleton: Skeleton3D = scene.find_children("*", "Skeleton3D", true, false)[0]
	player.callback_mode_process = AnimationMixer.ANIMATION_CALLBACK_MODE_PROCESS_MANUAL
	var found := {}
	for name in player.get_animation_list():
		var motion := player.get_animation(name)
		player.play(name)
		var poses := []
		for key in range(0, %d, 4):
			player.seek(key / %f, true)
			await process_frame
			var pose := []
			for bone in skeleton.get_bone_count():
				var place := (skeleton.global_transform * skeleton.get_bone_global_pose(bone)).origin
				pose.append([place.x, place.y, place.z])
			poses.append(pose)
		found[name] = {"poses": poses, "length": motion.length, "loops": motion.loop_mode == Animation.LOOP_LINEAR}
	print("FOUND" + JSON.stringify(found, "", false, true))
	quit()
"""


def test_godot_4_has_every_joint_where_the_loop_has_it(grid, tmp_path, godot):
    export_grid(grid, tmp_path, "godot")
    table = json.loads((tmp_path / "grid.json").read_text())
    last = grid.loops[0].clip.n_frames - 1
    found = godot(tmp_path, JOINTS % (last, table["frame_rate"]))
    assert set(found) == {loop.name for loop in grid.loops}
    assert not any(loop.name.endswith("cycle") for loop in grid.loops)  # an ending that Godot would take off
    for loop in grid.loops:
        assert found[loop.name]["loops"]
        np.testing.assert_allclose(found[loop.name]["length"], table["length"], rtol=1e-5)
        there = np.array(found[loop.name]["poses"])[:, 1:]  # the root bone comes first
        np.testing.assert_allclose(there, loop.clip.positions[0:last:4], atol=1e-4)


WALK = """
extends SceneTree
var points: Array = %s
var character: Node3D
var skeleton: Skeleton3D
var found := []
var ticks := 0
func _physics_process(_delta: float) -> bool:
	if character == null or ticks == 300:
		if character != null:
			character.free()
		if found.size() == points.size():
			print("FOUND" + JSON.stringify(found, "", false, true))
			quit()
			return true
		character = load("res://character.tscn").instantiate()
		character.turn = points[found.size()][0]
		character.speed = points[found.size()][1]
		root.add_child(character)
		skeleton = character.find_children("*", "Skeleton3D", true, false)[0]
		found.append([])
		ticks = 0
	ticks += 1
	var row := {"at": [character.position.x, character.position.z], "yaw": character.rotation.y, "feet": []}
	for name in ["LeftToes", "RightToes"]:
		if skeleton.find_bone(name) >= 0:
			var foot := skeleton.global_transform * skeleton.get_bone_global_pose(skeleton.find_bone(name)).origin
			row["feet"].append([foot.x, foot.y, foot.z])
	found[-1].append(row)
	return false
"""


def rates_of(rows, tick=1.0 / 60.0):
    """Degrees and metres per second, as walked in the last four seconds."""
    late = rows[60:]
    steps = np.linalg.norm(np.diff([row["at"] for row in late], axis=0), axis=-1)
    yaw = np.unwrap([row["yaw"] for row in late])
    seconds = tick * (len(late) - 1)
    return np.degrees(yaw[-1] - yaw[0]) / seconds, steps.sum() / seconds


@pytest.mark.parametrize("drawn", [60, 144], ids=lambda rate: f"drawn at {rate} Hz")
def test_the_scene_walks_as_it_is_told_and_its_feet_stay(grid, tmp_path, godot, drawn):
    export_grid(grid, tmp_path, "godot")
    loop = grid.loops[1]
    corners = [grid.loops[number] for number in grid.triangles[0]]
    points = [list(loop.at), np.mean([corner.at for corner in corners], axis=0).tolist()]
    periods = [loop.seconds, np.mean([corner.seconds for corner in corners])]
    found = godot(tmp_path, WALK % json.dumps(points), "--fixed-fps", str(drawn))
    for rows, point, period, most in zip(found, points, periods, (1.0, 5.0), strict=True):
        np.testing.assert_allclose(rates_of(rows), point, rtol=0.0005)
        frames = [{"phase": tick / 60.0 / period % 1.0, "feet": row["feet"]} for tick, row in enumerate(rows)]
        slips = [slip_of(frames[30:], foot, side, loop) for foot, side in ((0, "left"), (1, "right"))]
        assert 0.0 < 1000 * max(slips) < most  # millimetres; between loops Godot mixes poses, not feet


def test_loops_on_a_line_are_blended_too_and_a_wish_beyond_them_is_met_at_their_end(tmp_path, godot):
    line = blend_grid(mo.build_network([mo.example("walk", speed=speed) for speed in (0.9, 1.5)]), uniform=True)
    export_grid(line, tmp_path, "godot")
    found = godot(tmp_path, WALK % json.dumps([[0.0, 1.2], [9.0, 4.0]]), "--fixed-fps", "60")
    for rows, speed in zip(found, (1.2, max(loop.at[1] for loop in line.loops)), strict=True):
        np.testing.assert_allclose(rates_of(rows)[1], speed, rtol=0.0005)
        heights = np.array([row["feet"] for row in rows])[:, :, 1]
        assert float(np.ptp(heights, axis=0).min()) > 0.03  # both feet step


@pytest.mark.parametrize(
    "options", [{}, {"armature": False, "arms": 0.0}, {"root": False}, {"root": False, "armature": False}]
)
def test_a_character_of_ones_own_goes_at_its_speed(grid, tmp_path, godot, options):
    mine = read_character(write_character(tmp_path / "mine.glb", **options))
    carried = carried_grid(grid, mine.skeleton)
    export_grid(carried, tmp_path / "out", "godot", character=mine)
    at = carried.loops[1].at
    (rows,) = godot(tmp_path / "out", WALK % json.dumps([list(at)]), "--fixed-fps", "60")
    np.testing.assert_allclose(rates_of(rows), at, rtol=0.002)
