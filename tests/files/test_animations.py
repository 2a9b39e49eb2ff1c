"""Files with several animations: each is a motion with its own name, and the file is opened once."""

import json
import shutil
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mocapella as mo
from mocapella.errors import FormatError
from mocapella.files.animations import matching, named_apart, one_of
from mocapella.files.format_table import split_animation
from mocapella.files.formats import motions_in, used_motions
from mocapella.files.gltf import gltf_reader
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip

NAMES = st.lists(st.text(alphabet="ab|/\\ 1#*[.", max_size=5), max_size=6)


def in_json(path):
    """The JSON of a .glb, by the layout that glTF's definition gives it."""
    content = path.read_bytes()
    return json.loads(content[20 : 20 + struct.unpack_from("<I", content, 12)[0]])


@pytest.fixture
def pack(tmp_path, walk):
    """Four animations: a walk, the same once more, its second half, and a pose."""
    clips = [walk.renamed("walk"), walk.renamed("again"), walk[walk.n_frames // 2 :].renamed("late"), pose_of(walk)]
    path = tmp_path / "pack.glb"
    mo.save(clips, path)
    return path


def pose_of(clip: Clip) -> Clip:
    held = {name: np.repeat(getattr(clip, name)[:1], 2, axis=0) for name in ("root_positions", "rotations_wxyz")}
    return replace(clip, **held, slides=clip.slides[:2], name="T-Pose")


@given(NAMES)
def test_names_differ_and_each_finds_its_own_animation(names):
    short = named_apart(names)
    assert len(set(short)) == len(names)
    assert not any(letter in name for name in short for letter in "/\\|")
    for number, name in enumerate(short):
        assert number in matching(names, name)
    for number, name in enumerate(names):
        if names.count(name) == 1 and name not in short:
            assert matching(names, name) == [number]
    assert matching(names, None) == list(range(len(names)))


def test_what_all_names_share_is_left_out():
    assert named_apart(["Armature|Walk|Layer0", "Armature|Run|Layer0"]) == ["Walk", "Run"]
    assert named_apart(["Armature|Walk", "Armature|Walk"]) == ["Walk", "Walk_2"]
    assert named_apart(["mixamo.com"]) == ["mixamo.com"]
    assert [len(name) for name in named_apart(["a" * 5000, "a" * 5001])] == [120, 122]
    assert named_apart(["a/b", "", "Left|Walk"]) == ["a_b", "animation 1", "Left_Walk"]


def test_animations_are_chosen_by_name_number_or_pattern():
    names = ["Rig|Walk_A", "Rig|Walk_B", "Rig|Run", "Rig|[x]"]
    assert matching(names, "Walk_?") == [0, 1]
    assert matching(names, ("Run", "Rig|Walk_A", "3")) == [0, 2, 3]
    assert matching(names, "[x]") == [3]
    assert one_of(names, [3, 9, 9, 9], None) == 1
    assert one_of(names, [0, 0, 0, 0], None) is None
    with pytest.raises(ValueError, match=r"has no animation 'Jump'; there are Walk_A, Walk_B, Run, \[x\]"):
        matching(names, ["Run", "Jump"])
    with pytest.raises(ValueError, match=r"one animation is to be read, and 'Walk\*' fits Walk_A, Walk_B"):
        one_of(names, [1, 1, 1, 1], "Walk*")


def test_every_animation_is_a_motion_named_by_file_and_animation(pack):
    motions = motions_in(pack)
    assert [str(motion.path) for motion in motions] == [f"{pack}#{one['name']}" for one in in_json(pack)["animations"]]
    for motion in motions:
        clip, named = motion.read(), mo.load(motion.path)
        animation = str(motion.path).partition("#")[2]
        assert clip.name == named.name == f"pack#{animation}"
        assert clip.source == named.source == str(motion.path)
        assert clip.report.files == (str(pack),)
        other = mo.load(pack, animation=animation)
        for values in ("rotations_wxyz", "root_positions"):
            assert np.array_equal(getattr(clip, values), getattr(named, values))
            assert np.array_equal(getattr(clip, values), getattr(other, values))


def test_poses_and_twins_are_left_out_with_a_reason_unless_they_are_asked_for(pack):
    with pytest.warns(
        mo.MotionWarning, match=r"left out of 4 animations: again shows the very same motion as walk; T-P"
    ):
        motions = used_motions(pack)
    assert [motion.path.name for motion in motions] == ["pack.glb#walk", "pack.glb#late"]
    asked = used_motions(pack, animation=["T-Pose", "a*"])
    assert [motion.path.name for motion in asked] == ["pack.glb#again", "pack.glb#T-Pose"]
    assert [motion.path.name for motion in used_motions(f"{pack}#T-Pose")] == ["pack.glb#T-Pose"]


def test_a_file_of_poses_alone_keeps_them(tmp_path, walk):
    mo.save([pose_of(walk), pose_of(walk[9:]).renamed("other")], tmp_path / "poses.glb")
    assert [motion.left_out for motion in motions_in(tmp_path / "poses.glb")] == ["", ""]


def test_a_file_with_one_animation_keeps_its_plain_name(tmp_path, walk):
    mo.save(walk, tmp_path / "walk.glb")
    mo.save(walk, tmp_path / "walk.bvh")
    for name in ("walk.glb", "walk.bvh"):
        (motion,) = motions_in(tmp_path / name)
        assert motion.path == tmp_path / name
        assert (motion.read().name, motion.read().source) == ("walk", str(tmp_path / name))


def test_the_only_motion_beside_poses_goes_by_the_name_of_its_file(tmp_path, walk):
    path = tmp_path / "walk.glb"
    mo.save([pose_of(walk), walk.renamed("Take 001"), walk.renamed("again")], path)
    assert [motion.path.name for motion in motions_in(path)] == ["walk.glb#T-Pose", "walk.glb", "walk.glb#again"]
    assert [mo.load(path, animation=i).name for i in range(3)] == ["walk#T-Pose", "walk", "walk#again"]
    assert mo.load(path).n_frames == walk.n_frames


def test_the_file_is_opened_once_however_many_animations_it_has(pack, monkeypatch):
    opened = []
    read = gltf_reader.read_document
    monkeypatch.setattr(gltf_reader, "read_document", lambda path: opened.append(path) or read(path))
    assert len([motion.read() for motion in motions_in(pack)]) == 4
    assert opened == [pack]


def test_a_broken_animation_leaves_the_others_as_they_are(pack):
    content, document = pack.read_bytes(), in_json(pack)
    document["animations"][0]["channels"][0]["sampler"] = 999
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = content[20 + struct.unpack_from("<I", content, 12)[0] :]
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest)) + struct.pack("<I4s", len(text), b"JSON")
    pack.write_bytes(head + text + rest)
    first, *others = motions_in(pack)
    with pytest.raises(FormatError, match="names a sampler"):
        first.read()
    assert [motion.read().name for motion in others if not motion.left_out] == ["pack#again", "pack#late"]


def test_a_number_sign_in_the_name_of_a_file_or_folder_is_a_letter(tmp_path, pack):
    folder = tmp_path / "take #2"
    folder.mkdir()
    odd = folder / "walk.glb#1.glb"
    shutil.copy(pack, odd)
    assert split_animation(odd) == (odd, None)
    assert split_animation(f"{odd}#walk") == (odd, "walk")
    assert split_animation(folder / "walk.glb#late") == (folder / "walk.glb", "late")
    assert split_animation("take #2/walk.bvh") == (folder.relative_to(tmp_path) / "walk.bvh", None)
    assert split_animation("x.glb#" + "y" * 5000)[0].name == "x.glb"


def by_name(clip, names):
    return clip.positions[:, [clip.skeleton.index(name) for name in names]]


def test_animations_of_a_file_have_one_skeleton_and_every_joint_where_it_was(tmp_path, walk):
    knee = walk.skeleton.index("LeftLeg")
    stretch = np.linspace(1.0, 1.2, walk.n_frames)[:, None, None] * walk.skeleton.offsets[[knee]]
    longer = replace(walk, sliding_joints=np.array([knee]), slides=stretch, name="longer")
    turned = np.array(walk.rotations_wxyz)
    turned[:, 0] = quaternions.multiply(quaternions.from_rotvec(np.array([np.pi / 2, 0.0, 0.0])), turned[:, 0])
    lying = replace(walk, rotations_wxyz=turned, name="lying")
    clips = [longer, walk.renamed("walk"), walk[5:].renamed("late"), lying]
    mo.save(clips, tmp_path / "pack.glb", bones="as-captured")
    read = [motion.read() for motion in motions_in(tmp_path / "pack.glb")]
    for before, after in zip(clips, read, strict=True):
        assert after.skeleton.same_as(read[0].skeleton)
        assert after.report.up_axis == "y"
        np.testing.assert_allclose(by_name(after, walk.skeleton.names), before.positions, atol=1e-5)
    assert [len(clip.sliding_joints) for clip in read] == [1, 0, 0, 0]


@pytest.mark.data
def test_a_pack_of_loops_has_one_skeleton_in_all_its_files_and_stands_upright(data_folder):
    files = sorted((data_folder / "game-loops").glob("*.glb"))
    first = None
    for path in files:
        for motion, animation in zip(motions_in(path), gltf_reader.gltf_animations(path), strict=True):
            clip, parsed = motion.read(), animation.read()
            first = first or clip.skeleton
            assert clip.skeleton.same_as(first)
            assert clip.report.up_axis == "y"
            alone = Clip(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz, parsed.frame_rate,
                         sliding_joints=parsed.sliding_joints, slides=parsed.slides)  # fmt: skip
            np.testing.assert_allclose(clip.positions, by_name(alone, clip.skeleton.names), atol=1e-5)
    assert len(files) == 3


def test_all_motions_of_a_file_are_loaded_or_those_that_are_chosen(pack):
    with pytest.warns(mo.MotionWarning, match="T-Pose is a pose"):
        assert [clip.name for clip in mo.load_all(pack)] == ["pack#walk", "pack#late"]
    assert [clip.name for clip in mo.load_all(pack, animation=["late", 0])] == ["pack#walk", "pack#late"]
    assert [clip.name for clip in mo.load_all(f"{pack}#*a*e")] == ["pack#late"]
    with pytest.raises(FormatError, match="has no animation 'run'; there are walk, again, late, T-Pose"):
        mo.load_all(pack, animation="run")
    with pytest.raises(FormatError, match="no such file"):
        mo.load_all(pack.with_name("none.glb"))


def test_a_file_that_changed_is_read_again(pack, walk):
    assert mo.load(f"{pack}#late").n_frames == 10
    mo.save([walk.renamed("walk"), walk[3:].renamed("late")], pack)
    assert mo.load(f"{pack}#late").n_frames == 17


@pytest.mark.data
def test_a_pack_of_loops_is_read_animation_by_animation(data_folder):
    path = data_folder / "game-loops" / "Med_MovementBasic.glb"
    names = [one["name"].partition("|")[2] for one in in_json(path)["animations"]]
    motions = motions_in(path)
    assert [motion.path.name.partition("#")[2] for motion in motions] == names
    assert [motion.path.name for motion in motions if motion.left_out] == ["Med_MovementBasic.glb#T-Pose"]
