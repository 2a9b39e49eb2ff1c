"""glTF files, read back by things we did not write: pygltflib, and the validator of those who wrote the standard."""

import json
import os
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import mocapella as mo
from mocapella.body.skin import body_mesh, sole_thickness
from mocapella.errors import MotionError
from mocapella.files.bvh import read_bvh
from mocapella.files.gltf import gltf_writer as gltf
from mocapella.files.gltf.gltf_writer import write_glb, write_gltf
from mocapella.motion.clip import Clip
from mocapella.motion.report import Finding, Report
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.naming import NAMINGS

JS = Path(__file__).resolve().parents[1] / "js"
COMPONENTS = {5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def made(n_joints=6, n_frames=12, seed=0, *, sliding=(), name="made", frame_rate=30.0):
    """A clip of a random tree whose joints all turn smoothly; those in ``sliding`` slide as well."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n_joints))]
    names = [f"mixamorig:Joint.{i}" for i in range(n_joints)]
    ends = [(names[-1], np.array([0.0, 0.1, 0.0])), (names[-1], np.array([0.1, 0.0, 0.0]))]
    skeleton = Skeleton.of(names, parents, rng.uniform(-0.5, 0.5, (n_joints, 3)), ends=ends)
    phases = np.linspace(0, 3, n_frames)[:, None, None] + rng.uniform(0, 6, (n_joints, 3))
    turns = Rotation.from_rotvec((2.5 * np.sin(phases)).reshape(-1, 3)).as_quat(scalar_first=True)
    slides = skeleton.offsets[list(sliding)] + 0.1 * rng.standard_normal((n_frames, len(sliding), 3))
    return Clip(
        skeleton,
        np.cumsum(rng.uniform(-0.1, 0.1, (n_frames, 3)), axis=0),
        turns.reshape(n_frames, n_joints, 4),
        frame_rate,
        name=name,
        sliding_joints=np.array(sliding, dtype=np.int64),
        slides=slides,
    )


def captured(data_folder, name="07/07_01"):
    parsed = read_bvh(data_folder / "cmu-bvh" / f"{name}.bvh")
    scale = 0.0254 / 0.45
    return Clip(
        parsed.skeleton.scaled(scale), parsed.root_positions * scale, parsed.rotations_wxyz, parsed.frame_rate, "walk"
    )


class Read:
    """A file as pygltflib gives it, with its numbers unpacked and its skeleton posed by plain matrices."""

    def __init__(self, path):
        self.file = pygltflib.GLTF2().load(str(path))
        if path.suffix == ".gltf":
            self.file.convert_buffers(pygltflib.BufferFormat.BINARYBLOB)
        self.blob = self.file.binary_blob()
        self.animation = self.file.animations[0]
        self.extras = self.animation.extras["mocapella"]

    def numbers(self, accessor):
        a = self.file.accessors[accessor]
        view = self.file.bufferViews[a.bufferView]
        start, width = (view.byteOffset or 0) + (a.byteOffset or 0), WIDTHS[a.type]
        return np.frombuffer(self.blob, COMPONENTS[a.componentType], a.count * width, start).reshape(-1, width)

    @property
    def times(self):
        return self.numbers(self.animation.samplers[0].input)[:, 0]

    def channel(self, node, path):
        for channel in self.animation.channels:
            if (channel.target.node, channel.target.path) == (node, path):
                return self.numbers(self.animation.samplers[channel.sampler].output)
        return None

    def world(self, key=None):
        """A 4 × 4 matrix for every node: at rest, or at one key of the animation."""
        matrices = {}

        def visit(index, above):
            node = self.file.nodes[index]
            move, turn = np.array(node.translation or [0.0, 0.0, 0.0]), np.array(node.rotation or [0.0, 0.0, 0.0, 1.0])
            if key is not None:
                moves, turns = self.channel(index, "translation"), self.channel(index, "rotation")
                move = move if moves is None else moves[key]
                turn = turn if turns is None else turns[key]
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = Rotation.from_quat(turn).as_matrix(), move
            matrices[index] = above @ local
            for child in node.children or []:
                visit(child, matrices[index])

        for root in self.file.scenes[0].nodes:
            visit(root, np.eye(4))
        return matrices

    def joints(self, key=None):
        world = self.world(key)
        return np.array([world[joint] for joint in self.file.skins[0].joints])

    def skinned(self, key=None):
        """The vertices of the body as a viewer would place them."""
        attributes = self.file.meshes[0].primitives[0].attributes
        inverse_binds = self.numbers(self.file.skins[0].inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = self.joints(key) @ inverse_binds
        at = np.pad(self.numbers(attributes.POSITION), ((0, 0), (0, 1)), constant_values=1.0)
        mixed = np.einsum(
            "vi,vijk->vjk", self.numbers(attributes.WEIGHTS_0), matrices[self.numbers(attributes.JOINTS_0)]
        )
        return np.einsum("vjk,vk->vj", mixed, at)[:, :3]


def assert_plays(read, clip, keys):
    for key in keys:
        np.testing.assert_allclose(read.joints(key)[:, :3, 3], clip.positions[key], atol=1e-4)


def validated(paths):
    """What the Khronos validator finds, by path."""
    node = shutil.which("node")
    missing = (
        "node" if node is None else None if (JS / "node_modules" / "gltf-validator").is_dir() else "gltf-validator"
    )
    if missing is not None or node is None:
        reason = f"the glTF validator needs {missing}: install Node.js, then npm ci --prefix tests/js"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    done = subprocess.run([node, JS / "validate.mjs", *paths], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 12), st.integers(1, 8), st.integers(0, 10**6), st.booleans())
def test_the_nodes_of_any_clip_play_its_joint_positions(tmp_path_factory, n_joints, n_frames, seed, slide):
    clip = made(n_joints, n_frames, seed, sliding=(n_joints - 1,) if slide and n_joints > 1 else ())
    path = tmp_path_factory.mktemp("gltf") / "clip.glb"
    write_glb([clip], path)
    read = Read(path)
    assert_plays(read, clip, range(n_frames))
    np.testing.assert_allclose(read.times, np.arange(n_frames) / 30.0, rtol=1e-6)


def test_at_rest_the_skinned_body_is_the_body(tmp_path):
    clip = made()
    write_glb([clip], tmp_path / "clip.glb", bones="as-captured")
    read = Read(tmp_path / "clip.glb")
    np.testing.assert_allclose(read.joints()[:, :3, 3], clip.skeleton.rest_positions, atol=1e-6)
    np.testing.assert_allclose(read.skinned(), body_mesh(clip.skeleton).vertices, atol=1e-6)


def test_in_motion_the_skinned_body_is_our_posed_body(tmp_path):
    clip = made()
    write_glb([clip], tmp_path / "clip.glb")
    expected = body_mesh(clip.skeleton).posed(*clip.world)
    np.testing.assert_allclose(Read(tmp_path / "clip.glb").skinned(7), expected[7], atol=1e-4)


def test_the_same_clip_gives_the_same_bytes(tmp_path):
    for write, suffix in ((write_glb, "glb"), (write_gltf, "gltf")):
        write([made(sliding=(2,))], tmp_path / f"a.{suffix}")
        write([made(sliding=(2,))], tmp_path / f"b.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_text_and_binary_hold_the_same(tmp_path):
    write_glb([made()], tmp_path / "clip.glb")
    write_gltf([made()], tmp_path / "clip.gltf")
    binary, text = Read(tmp_path / "clip.glb"), Read(tmp_path / "clip.gltf")
    assert binary.blob == text.blob
    assert binary.file.animations == text.file.animations
    assert binary.file.nodes == text.file.nodes


def test_rotations_are_unit_and_their_signs_run_on(tmp_path):
    write_glb([made(n_frames=60)], tmp_path / "clip.glb")
    read = Read(tmp_path / "clip.glb")
    for joint in range(6):
        turns = read.channel(joint, "rotation")
        np.testing.assert_allclose(np.linalg.norm(turns, axis=-1), 1.0, atol=1e-6)
        assert (np.einsum("ki,ki->k", turns[1:], turns[:-1]) > 0.0).all()


def test_joints_at_rest_get_no_channel_and_bent_ones_do(tmp_path):
    clip = made()
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 2] = [1.0, 0.0, 0.0, 0.0]
    rotations[:, 3] = [0.8, 0.6, 0.0, 0.0]  # never moves either, but the rest pose does not show it so
    clip = replace(clip, rotations_wxyz=rotations)
    write_glb([clip], tmp_path / "clip.glb")
    read = Read(tmp_path / "clip.glb")
    assert read.channel(2, "rotation") is None
    assert read.channel(3, "rotation") is not None
    assert_plays(read, clip, [0, 5])


def test_the_skin_lists_every_joint_under_its_own_name(tmp_path):
    clip = made(9)
    write_glb([clip], tmp_path / "clip.glb")
    file = Read(tmp_path / "clip.glb").file
    assert [file.nodes[joint].name for joint in file.skins[0].joints] == list(clip.skeleton.names)
    assert file.skins[0].skeleton == 0
    ends = np.array(file.nodes[8].extras["end_sites"])
    np.testing.assert_allclose(
        np.linalg.norm(ends, axis=-1), np.linalg.norm(clip.skeleton.end_offsets, axis=-1), rtol=1e-6
    )
    write_glb([clip], tmp_path / "own.glb", bones="as-captured")
    own = Read(tmp_path / "own.glb").file
    np.testing.assert_allclose(own.nodes[8].extras["end_sites"], clip.skeleton.end_offsets, rtol=1e-6)


def test_the_body_takes_no_joint_s_name(tmp_path):
    lone = Clip(Skeleton.of(["body"], [-1], np.zeros((1, 3))), np.zeros((1, 3)), np.eye(4)[:1, None], 30.0)
    write_glb([lone], tmp_path / "b.glb")
    names = [node.name for node in Read(tmp_path / "b.glb").file.nodes]
    assert names == ["body", "body_"]


def test_a_loop_ends_in_the_pose_it_began_with(tmp_path):
    clip = made(sliding=(3,))
    write_glb([clip], tmp_path / "loop.glb", loop=True)
    read = Read(tmp_path / "loop.glb")
    assert len(read.times) == clip.n_frames + 1
    np.testing.assert_allclose(read.times[-1], clip.seconds, rtol=1e-6)
    for joint in range(1, 6):
        turns = read.channel(joint, "rotation")
        np.testing.assert_array_equal(np.abs(turns[-1]), np.abs(turns[0]))
    slides = read.channel(3, "translation")
    np.testing.assert_array_equal(slides[-1], slides[0])
    assert_plays(read, clip, range(clip.n_frames))
    assert read.extras["looping"] is True


def test_a_loop_in_place_ends_where_it_began(tmp_path):
    write_glb([made()], tmp_path / "loop.glb", loop=True, in_place=True)
    read = Read(tmp_path / "loop.glb")
    np.testing.assert_allclose(read.joints(-1), read.joints(0), atol=1e-6)
    np.testing.assert_array_equal(read.channel(0, "translation")[-1], read.channel(0, "translation")[0])


def test_in_place_without_a_loop_stays_above_the_origin(tmp_path):
    clip = made()
    write_glb([clip], tmp_path / "still.glb", in_place=True)
    moves = Read(tmp_path / "still.glb").channel(0, "translation")
    np.testing.assert_array_equal(moves[:, [0, 2]], 0.0)
    np.testing.assert_allclose(moves[:, 1], clip.root_positions[:, 1], rtol=1e-6)


def test_a_file_says_where_its_motion_came_from_but_not_from_which_folder(tmp_path):
    findings = (Finding("root-dropout", "the root jumps", (3,)), Finding("unit", "taken for cm", doubtful=False))
    clip = replace(made(), source="C:\\takes\\secret\\walk.bvh", report=Report(metres_per_unit=0.01, findings=findings))
    write_glb([clip], tmp_path / "clip.glb")
    extras = Read(tmp_path / "clip.glb").extras
    assert extras["source"] == "walk.bvh"
    assert extras["frame_rate"] == 30.0
    assert extras["metres_per_unit"] == 0.01
    assert extras["warnings"] == ["root-dropout"]
    assert b"secret" not in (tmp_path / "clip.glb").read_bytes()


@pytest.mark.parametrize(
    ("name", "source", "expected"), [("stroll", "a/b.bvh", "stroll"), ("", "a/b.bvh", "b"), ("", "", "motion")]
)
def test_the_animation_is_called_after_the_clip(tmp_path, name, source, expected):
    write_glb([replace(made(name=name), source=source)], tmp_path / "clip.glb")
    assert Read(tmp_path / "clip.glb").animation.name == expected


def test_a_binary_file_states_its_length_and_keeps_its_chunks_aligned(tmp_path):
    write_glb([made(name="ä")], tmp_path / "clip.glb")
    content = (tmp_path / "clip.glb").read_bytes()
    magic, version, total = struct.unpack_from("<4sII", content)
    text, kind = struct.unpack_from("<I4s", content, 12)
    assert (magic, version, total, kind) == (b"glTF", 2, len(content), b"JSON")
    assert text % 4 == 0
    assert total % 4 == 0


def test_what_does_not_fit_is_refused_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(gltf, "LARGEST", 1000)
    for write in (write_glb, write_gltf):
        with pytest.raises(MotionError, match="at most 4 are possible"):
            write([made()], tmp_path / "clip.glb")
    assert list(tmp_path.iterdir()) == []


def test_frames_that_32_bits_cannot_tell_apart_are_refused(tmp_path):
    clip = made()
    object.__setattr__(clip, "frame_rate", 1e60)  # as near to each other as those of millions of frames
    with pytest.raises(MotionError, match="cannot be told apart"):
        write_glb([clip], tmp_path / "clip.glb")


def test_lengths_beyond_32_bits_are_refused(tmp_path):
    clip = made()
    with pytest.raises(MotionError, match="is the length unit right"):
        write_glb([replace(clip, root_positions=clip.root_positions * 1e40)], tmp_path / "clip.glb")


def test_the_validator_has_nothing_to_say(tmp_path):
    point = Clip(Skeleton.of(["one"], [-1], np.zeros((1, 3))), np.zeros((1, 3)), np.eye(4)[:1, None], 120.0)
    write_glb([point], tmp_path / "point.glb")
    write_glb([made(sliding=(2,))], tmp_path / "plain.glb")
    write_gltf([made(name="Gähnen")], tmp_path / "text.gltf")
    write_glb([made(40, 50)], tmp_path / "loop.glb", loop=True)
    write_gltf([made(300, 2)], tmp_path / "many.gltf", loop=True, in_place=True)
    for path, issues in validated(sorted(tmp_path.iterdir())).items():
        assert issues["messages"] == [], path


@pytest.mark.data
def test_a_real_capture_plays_as_it_was_captured_and_passes_the_validator(tmp_path, data_folder):
    clip = captured(data_folder)
    write_glb([clip], tmp_path / "walk.glb")
    read = Read(tmp_path / "walk.glb")
    bones = [clip.skeleton.index(read.file.nodes[joint].name) for joint in read.file.skins[0].joints]
    assert set(clip.skeleton.names) - {clip.skeleton.names[bone] for bone in bones} >= {"LHipJoint", "RHipJoint"}
    for key in (0, 1, 100, 316):
        np.testing.assert_allclose(read.joints(key)[:, :3, 3], clip.positions[key, bones], atol=1e-4)
    body = body_mesh(clip.skeleton, soles=sole_thickness([clip]))
    expected = body.posed(*(values[100] for values in clip.world))
    assert abs(np.median(body.posed(*clip.world)[..., 1].min(axis=1))) < 0.005  # captured joints are inside of feet
    np.testing.assert_allclose(read.skinned(100), expected, atol=1e-4)
    assert read.file.accessors[read.file.meshes[0].primitives[0].indices].count < 3 * 3000
    (issues,) = validated([tmp_path / "walk.glb"]).values()
    assert issues["messages"] == []


# Bones as programs want them


def person():
    return mo.example("walk", speed=1.2, turn=0.5)


def cycle():
    return mo.prepare(person())


def by_name(read, key=None):
    world = read.world(key)
    return {read.file.nodes[index].name: matrix for index, matrix in world.items()}


def test_bones_lie_along_their_limbs_and_the_rest_pose_stands_on_the_ground(tmp_path):
    write_glb([person()], tmp_path / "walk.glb")
    read = Read(tmp_path / "walk.glb")
    rest = by_name(read)
    for joint, child in (("LeftUpLeg", "LeftLeg"), ("RightArm", "RightForeArm"), ("Spine", "Spine1")):
        limb = rest[child][:3, 3] - rest[joint][:3, 3]
        np.testing.assert_allclose(rest[joint][:3, 1], limb / np.linalg.norm(limb), atol=1e-5)
    assert abs(read.skinned()[:, 1].min()) < 1e-6
    np.testing.assert_allclose(rest["Hips"][[0, 2], 3], 0.0, atol=1e-6)
    np.testing.assert_allclose(rest["Hips"][1, 3], 0.9, atol=0.15)


def test_bones_along_limbs_change_no_pose_and_no_skin(tmp_path):
    clip = person()
    write_glb([clip], tmp_path / "walk.glb")
    read = Read(tmp_path / "walk.glb")
    assert_plays(read, clip, [0, 100, -1])
    np.testing.assert_allclose(
        read.skinned(100), body_mesh(clip.skeleton, soles=sole_thickness([clip])).posed(*clip.world)[100], atol=1e-4
    )


@pytest.mark.parametrize("loop", [False, True])
def test_a_root_on_the_ground_travels_evenly_and_changes_no_pose(tmp_path, loop):
    clip = cycle().to_clip() if loop else person()
    write_glb([clip], tmp_path / "walk.glb", root_motion="root", loop=loop)
    read = Read(tmp_path / "walk.glb")
    own = read.joints(7)[1:, :3, 3]  # all but the root
    np.testing.assert_allclose(own, clip.positions[7], atol=1e-5)
    ground = np.array([by_name(read, key)["root"] for key in range(0, len(read.times), 10)])
    np.testing.assert_array_equal(ground[:, 1, 3], 0.0)
    steps = np.linalg.norm(np.diff(ground[:, :3, 3], axis=0), axis=-1)
    assert np.ptp(steps) < (1e-5 if loop else 0.15) * steps.mean()
    hips = read.channel(1, "translation")
    assert np.abs(hips[:, [0, 2]]).max() < 0.12  # sway alone is left
    if loop:
        np.testing.assert_allclose(hips[-1], hips[0], atol=1e-6)


def test_a_loop_says_how_fast_it_goes_and_is_named_so_that_it_loops(tmp_path):
    motion = cycle()
    mo.save(motion, tmp_path / "walk.glb", root_motion="root")
    read = Read(tmp_path / "walk.glb")
    assert read.animation.name == f"{motion.name}-loop"
    assert len(read.times) == motion.n_frames + 1
    np.testing.assert_allclose(read.extras["turn"], np.degrees(motion.turn / motion.duration), rtol=1e-5)
    np.testing.assert_allclose(read.extras["speed"], motion.speed, rtol=0.02)
    np.testing.assert_allclose(read.extras["travel"], read.extras["speed"] * motion.duration, rtol=1e-6)


def test_several_motions_share_one_skeleton_in_a_file(tmp_path):
    clips = [mo.example("walk", cycles=2.0), mo.example("run", cycles=2.0).renamed("walk")]
    mo.save(clips, tmp_path / "set.glb")
    file = Read(tmp_path / "set.glb").file
    assert [animation.name for animation in file.animations] == ["walk", "walk_"]
    assert validated([tmp_path / "set.glb"])[str(tmp_path / "set.glb")]["messages"] == []
    with pytest.raises(MotionError, match="holds one motion, got 2"):
        mo.save(clips, tmp_path / "set.bvh")
    with pytest.raises(MotionError, match="another skeleton"):
        mo.save([clips[0], made()], tmp_path / "set.glb")


@pytest.mark.parametrize(
    ("names", "back"),
    [
        ("vrm", ("spine", "chest", "upperChest")),
        ("godot", ("Spine", "Chest", "UpperChest")),
        ("unreal", ("spine_01", "spine_02", "spine_03")),
        ("mixamo", ("mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2")),
    ],
)
def test_joints_are_named_as_a_program_expects_them(tmp_path, names, back):
    clip = person()
    mo.save(clip, tmp_path / "walk.glb", names=names)
    file = Read(tmp_path / "walk.glb").file
    known = {node.name for node in file.nodes}
    assert {*NAMINGS[names].values(), *back} <= known
    skeleton = mo.load(tmp_path / "walk.glb").skeleton
    assert [skeleton.names[j] for j in skeleton.path(skeleton.index(back[-1])) if skeleton.names[j] in back[::-1]] == [
        *back[::-1]
    ]
    assert len(known) == len(file.nodes)
    assert_plays(Read(tmp_path / "walk.glb"), clip, [10])


def test_without_a_body_bones_and_motion_are_left(tmp_path):
    mo.save(person(), tmp_path / "walk.glb", body=False)
    read = Read(tmp_path / "walk.glb")
    assert not read.file.meshes
    assert len(read.file.skins[0].joints) == 23
    assert validated([tmp_path / "walk.glb"])[str(tmp_path / "walk.glb")]["numErrors"] == 0


def test_a_joint_without_length_that_never_turns_gets_no_bone(tmp_path):
    offsets = [[0, 1, 0], [0, 0, 0], [0.1, -0.1, 0]]
    turns = np.tile([1.0, 0, 0, 0], (5, 3, 1))
    clip = mo.Clip.from_arrays(
        ["Hips", "LHipJoint", "LeftUpLeg"], [-1, 0, 1], offsets, np.zeros((5, 3)), turns, frame_rate=30
    )
    write_glb([clip], tmp_path / "still.glb")
    assert [node.name for node in Read(tmp_path / "still.glb").file.nodes] == ["Hips", "LeftUpLeg", "body"]
    bent = np.array(turns)
    bent[:, 1] = [0.8, 0.6, 0, 0]
    clip = replace(clip, rotations_wxyz=bent)
    write_glb([clip], tmp_path / "bent.glb")
    read = Read(tmp_path / "bent.glb")
    assert [node.name for node in read.file.nodes] == ["Hips", "LHipJoint", "LeftUpLeg", "body"]
    assert_plays(read, clip, [2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"root_motion": "feet"}, "root_motion hips, root or none"),
        ({"bones": "thick"}, "bones limbs or as-captured"),
        ({"names": "maya"}, "names vrm, godot, unreal, mixamo or as-captured"),
        ({"root_motion": "root", "bones": "as-captured"}, "along the limbs"),
    ],
)
def test_styles_that_do_not_exist_are_refused(tmp_path, options, message):
    with pytest.raises(MotionError, match=message):
        mo.save(person(), tmp_path / "walk.glb", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_cycle_in_place_as_bvh_repeats_without_a_step(tmp_path):
    motion = cycle()
    mo.save(motion, tmp_path / "walk.bvh", in_place=True)
    clip = mo.load(tmp_path / "walk.bvh")
    assert clip.n_frames == motion.n_frames
    ordinary = np.abs(np.diff(clip.positions, axis=0)).max()
    assert np.abs(clip.positions[0] - clip.positions[-1]).max() < 1.2 * ordinary
    assert np.abs(clip.root_positions[:, [0, 2]]).max() < 0.12
