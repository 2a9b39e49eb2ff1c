"""Draw what Blender, Godot and three.js show of an exported character.

    python docs/pictures/draw_engines.py [--blender PYTHON WITH BPY] [--godot GODOT 4]

Blender opens the file as by File > Import > glTF with nothing changed; bones, which it draws in its window only, are
shown as it would show them. Godot plays the exported scene and script with its OpenGL renderer, under Xvfb. three.js
runs in chromium.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import mocapella as mo
from mocapella.exporting.grid import blend_grid, carried_grid
from mocapella.exporting.targets import export_grid
from mocapella.files.gltf.skinned_character import read_character

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

IN_BLENDER = """
import math, sys
import bpy
from mathutils import Vector
source, goal = sys.argv[1:3]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=source)
scene = bpy.context.scene
armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
skinned = [thing for thing in bpy.data.objects if any(m.type == "ARMATURE" for m in thing.modifiers)]
for track in armature.animation_data.nla_tracks:
    track.mute = True
action = sorted(bpy.data.actions, key=lambda one: one.name)[0]
armature.animation_data.action = action
if hasattr(armature.animation_data, "action_slot") and action.slots:
    armature.animation_data.action_slot = action.slots[0]

def material(name, colour, alpha=1.0):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Alpha"].default_value = alpha
    shader.inputs["Roughness"].default_value = 0.7
    return made

def bone_shape(head, tail, look, wide=0.09):
    way = tail - head
    if way.length < 1e-4:
        return
    side = way.orthogonal().normalized() * wide * way.length
    up = way.cross(side).normalized() * wide * way.length
    waist = head + 0.15 * way
    points = [head, *(waist + one for one in (side, up, -side, -up)), tail]
    faces = [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 1, 4), (5, 1, 2), (5, 2, 3), (5, 3, 4), (5, 4, 1)]
    mesh = bpy.data.meshes.new("bone")
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(look)
    scene.collection.objects.link(bpy.data.objects.new("bone", mesh))

skin, steel = material("skin", (0.70, 0.40, 0.26)), material("bones", (0.12, 0.33, 0.75))
frame = 0.5 * action.frame_range[1]
scene.frame_set(int(frame), subframe=frame % 1.0)
for number in range(2):  # the body, and its bones beside it
    depsgraph = bpy.context.evaluated_depsgraph_get()
    root = armature.matrix_world @ armature.pose.bones[1].head
    shift = Vector((-root.x, 1.2 * number - 0.6 - root.y, 0.0))
    for thing in skinned if number == 0 else ():
        mesh = bpy.data.meshes.new_from_object(thing.evaluated_get(depsgraph), depsgraph=depsgraph)
        mesh.materials.clear()
        mesh.materials.append(skin)
        mesh.shade_smooth()
        copy = bpy.data.objects.new("body", mesh)
        copy.matrix_world = thing.matrix_world.copy()
        copy.location += shift
        scene.collection.objects.link(copy)
    for bone in armature.pose.bones if number == 1 else ():
        ends = [armature.matrix_world @ end + shift for end in (bone.head, bone.tail)]
        bone_shape(*ends, steel, 0.09 if bone.parent else 0.012)  # the root reaches from the ground to the hips
for thing in [*skinned, armature, *(one for one in bpy.data.objects if one.name.startswith("Icosphere"))]:
    thing.hide_render = True
bpy.ops.mesh.primitive_plane_add(size=30)
bpy.context.object.data.materials.append(material("ground", (0.42, 0.45, 0.5)))
world = bpy.data.worlds.new("light")
world.use_nodes = True
world.node_tree.nodes["Background"].inputs[0].default_value = (0.9, 0.93, 1.0, 1.0)
world.node_tree.nodes["Background"].inputs[1].default_value = 0.5
scene.world = world
sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
sun.data.energy, sun.rotation_euler = 2.2, (0.7, 0.2, 0.6)
scene.collection.objects.link(sun)
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location = (4.1, -1.9, 1.35)
camera.rotation_euler = (Vector((0.0, 0.0, 0.8)) - camera.location).to_track_quat("-Z", "Y").to_euler()
camera.data.lens = 42
scene.collection.objects.link(camera)
scene.camera = camera
scene.render.engine = "CYCLES"
scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 12, True
scene.cycles.max_bounces = 4
scene.cycles.transparent_max_bounces = 8
scene.view_settings.view_transform = "Standard"
scene.render.resolution_x, scene.render.resolution_y = 460, 360
scene.render.filepath = goal
bpy.ops.render.render(write_still=True)
"""

PROJECT = """config_version=5
[application]
config/name="picture"
[rendering]
renderer/rendering_method="gl_compatibility"
anti_aliasing/quality/msaa_3d=3
"""
IN_GODOT = """
extends SceneTree
const SECONDS := 1.3
var frame := 0
func _initialize() -> void:
	var grid: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://grid.json"))
	var fastest := 0.0
	for loop in grid["loops"]:
		fastest = maxf(fastest, loop["speed"])
	for i in 3:
		var character = load("res://character.tscn").instantiate()
		character.speed = fastest * [0.5, 0.75, 1.0][i]
		character.position = Vector3(1.1 * (i - 1), 0.0, -character.speed * SECONDS)  # abreast at the end
		root.add_child(character)
	var ground := MeshInstance3D.new()
	ground.mesh = PlaneMesh.new()
	ground.mesh.size = Vector2(60, 60)
	ground.material_override = StandardMaterial3D.new()
	ground.material_override.albedo_color = Color("838c98")
	root.add_child(ground)
	for i in range(-12, 13):
		for along in 2:
			var line := MeshInstance3D.new()
			line.mesh = BoxMesh.new()
			line.mesh.size = Vector3(0.015, 0.004, 24) if along else Vector3(24, 0.004, 0.015)
			line.position = Vector3(i, 0, 0) if along else Vector3(0, 0, i)
			line.material_override = StandardMaterial3D.new()
			line.material_override.albedo_color = Color("5d6673")
			root.add_child(line)
	var sun := DirectionalLight3D.new()
	sun.look_at_from_position(Vector3(2, 4, 3), Vector3.ZERO)
	sun.shadow_enabled = true
	sun.light_energy = 0.4
	root.add_child(sun)
	var world := WorldEnvironment.new()
	world.environment = Environment.new()
	world.environment.background_mode = Environment.BG_COLOR
	world.environment.background_color = Color("dfe6ef")
	world.environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	world.environment.ambient_light_color = Color("ffffff")
	world.environment.ambient_light_energy = 0.3
	root.add_child(world)
	var camera := Camera3D.new()
	camera.fov = 34
	root.add_child(camera)
	camera.look_at_from_position(Vector3(2.6, 1.5, 4.2), Vector3(0, 0.75, 0))
func _process(_delta: float) -> bool:
	frame += 1
	if frame == int(SECONDS * 60):
		await RenderingServer.frame_post_draw
		root.get_texture().get_image().save_png("res://shot.png")
		quit()
	return false
"""

PAGE = """<!doctype html><meta charset="utf-8"><style>body { margin: 0 }</style><script type="importmap">
{ "imports": { "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/" } }</script>
<script type="module">
import * as THREE from 'three'
import { load } from './blendspace.js'
const renderer = new THREE.WebGLRenderer({ antialias: true })
renderer.setSize(520, 400); document.body.append(renderer.domElement); renderer.shadowMap.enabled = true
const scene = new THREE.Scene(); scene.background = new THREE.Color('#dfe6ef')
scene.add(new THREE.HemisphereLight('#ffffff', '#8090a0', 1.6))
const sun = new THREE.DirectionalLight('#ffffff', 2.2); sun.position.set(2, 4, 3); sun.castShadow = true; scene.add(sun)
sun.shadow.camera.left = -6; sun.shadow.camera.right = 6
const ground = new THREE.Mesh(new THREE.PlaneGeometry(60, 60), new THREE.MeshLambertMaterial({ color: '#c7ced8' }))
ground.rotation.x = -Math.PI / 2; ground.receiveShadow = true; scene.add(ground)
scene.add(new THREE.GridHelper(60, 60, '#a6b0bd', '#b5bec9'))
const grid = await (await fetch('grid.json')).json()
const fastest = Math.max(...grid.loops.map(loop => loop.speed))
const camera = new THREE.PerspectiveCamera(34, 520 / 400, 0.1, 60)
const shown = []
for (const [i, share] of [0.55, 0.8, 1].entries()) {
  const one = await load('grid.json')
  one.object.traverse(part => { part.castShadow = true })
  scene.add(one.object)
  for (let frame = 0; frame < 60 + 11 * i; frame++) one.move(1 / 60, 0, share * fastest)
  one.object.position.set(1.1 * (i - 1), 0, 0)
  const skeleton = new THREE.SkeletonHelper(one.object); scene.add(skeleton)
  shown.push(one)
}
camera.position.set(2.6, 1.5, 4.2); camera.lookAt(0, 0.75, 0)
renderer.render(scene, camera)
document.title = 'ready'
</script>"""

SHOT = """
import { chromium } from 'playwright-core'
const [program, url, goal] = process.argv.slice(2)
const flags = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']
const browser = await chromium.launch({ executablePath: program, args: flags })
const page = await browser.newPage({ viewport: { width: 520, height: 400 } })
page.on('pageerror', error => { console.error(error.message); process.exit(1) })
await page.goto(url)
await page.waitForFunction(() => document.title === 'ready', null, { timeout: 120000 })
await page.screenshot({ path: goal })
await browser.close()
"""


def in_blender(python: str, source: Path, goal: Path, folder: Path) -> None:
    """Render a file as Blender's default import has it."""
    script = folder / "draw.py"
    script.write_text(IN_BLENDER)
    subprocess.run([python, str(script), str(source), str(goal)], check=True, capture_output=True, timeout=900)


def in_godot(program: str, folder: Path, goal: Path) -> None:
    """Take a picture of Godot's window while the exported scene walks at three speeds."""
    (folder / "project.godot").write_text(PROJECT)
    (folder / "shot.gd").write_text(IN_GODOT)
    screen = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24"]
    steps = (
        [program, "--headless", "--import"],
        [*screen, program, "--rendering-driver", "opengl3", "--audio-driver", "Dummy", "--resolution", "520x400",
         "--fixed-fps", "60", "-s", "shot.gd"],
    )  # fmt: skip
    for words in steps:
        subprocess.run(words, check=True, capture_output=True, cwd=folder, timeout=300)
    (folder / "shot.png").replace(goal)


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Say nothing."""


def in_three(modules: Path, folder: Path, goal: Path) -> None:
    """Take a picture of three.js steering the loops of a folder, in chromium."""
    (folder / "index.html").write_text(PAGE)
    (folder / "three").symlink_to(modules / "three")
    handler = functools.partial(_Silent, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (folder / "shot.mjs").write_text(SHOT)
    (folder / "node_modules").symlink_to(modules)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
    address = f"http://127.0.0.1:{server.server_port}/index.html"
    subprocess.run(["node", str(folder / "shot.mjs"), program, address, str(goal)], check=True, cwd=folder, timeout=300)
    server.shutdown()


def small(path: Path) -> None:
    """Write a picture again with few colours."""
    from PIL import Image

    Image.open(path).convert("RGB").quantize(80).save(path, optimize=True)


def main() -> None:
    """Draw all pictures that the programs at hand can draw."""
    asking = argparse.ArgumentParser(description=main.__doc__)
    asking.add_argument("--blender", help="a Python that has bpy")
    asking.add_argument("--godot", help="the program of Godot 4")
    programs = asking.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.characters import write_character

    asked = ((0.8, 0.0), (1.2, 0.6), (1.2, -0.6), (1.8, 0.0))
    network = mo.build_network([mo.example("walk", speed=v, turn=w) for v, w in asked])
    grid = blend_grid(network, columns=2, rows=2)
    drawn = []
    with TemporaryDirectory() as place:
        folder = Path(place)
        if programs.blender:
            mine = read_character(write_character(folder / "mine.glb", size=0.8, arms=45.0, armature=False))
            onto = carried_grid(grid, mine.skeleton)
            export_grid(grid, folder / "blender", "blender")
            export_grid(onto, folder / "onto", "blender", character=mine, animations="replace")
            for name in ("blender", "onto"):
                drawn.append(HERE / f"engine-{name}.png")
                in_blender(programs.blender, folder / name / "character.glb", drawn[-1], folder)
        if programs.godot:
            export_grid(blend_grid(network, columns=5, rows=5, uniform=True), folder / "godot", "godot")
            drawn.append(HERE / "engine-godot.png")
            in_godot(str(Path(programs.godot).absolute()), folder / "godot", drawn[-1])
        export_grid(grid, folder / "three", "three")
        drawn.append(HERE / "engine-three.png")
        in_three(ROOT / "web" / "node_modules", folder / "three", drawn[-1])
    for path in drawn:
        small(path)


if __name__ == "__main__":
    main()
