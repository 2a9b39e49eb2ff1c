"""FBX files: where their definition puts the joints, and a process that may crash."""

import re
import subprocess
import sys

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import FormatError
from mocapella.files import formats, opened_file
from mocapella.files.apart import run
from mocapella.files.fbx import fbx_reader
from mocapella.rig.names import ROLES
from tests.files.fbx.fbx_samples import Bone, person, places, written

pytest.importorskip("ufbx", reason="the extra fbx is not installed")

CENTIMETRES = 0.01


def load(tmp_path, content, **options):
    path = tmp_path / "a.fbx"
    path.write_bytes(content)
    return mo.load(path, **options)


def by_name(clip, bones):
    return clip.positions[:, [clip.skeleton.index(bone.name) for bone in bones]]


def test_joints_are_where_the_definition_puts_them_whatever_the_rotation_order(tmp_path):
    bones = person()
    clip = load(tmp_path, written(bones))
    np.testing.assert_allclose(by_name(clip, bones), CENTIMETRES * places(bones, 12), atol=1e-5)
    assert (clip.frame_rate, clip.n_frames, clip.report.unit) == (30.0, 12, "m")


def test_mixamo_names_give_every_role(tmp_path):
    clip = load(tmp_path, written(person()))
    assert set(mo.find_roles(clip.skeleton)) == set(ROLES)


def test_pre_and_post_rotations_and_pivots_are_obeyed(tmp_path):
    bones = person()
    rng = np.random.default_rng(1)
    for bone in bones[1:]:
        bone.pre, bone.post = tuple(rng.uniform(-90, 90, 3)), tuple(rng.uniform(-90, 90, 3))
        bone.pivot = tuple(rng.uniform(-5, 5, 3))
    clip = load(tmp_path, written(bones))
    np.testing.assert_allclose(by_name(clip, bones), CENTIMETRES * places(bones, 12), atol=1e-5)


def test_units_and_axes_of_the_file_are_brought_to_metres_and_y_up(tmp_path):
    bones = person()
    expected = CENTIMETRES * places(bones, 12)
    in_inches = load(
        tmp_path, written([Bone(**{**vars(bone), "place": bone.place / 2.54}) for bone in bones], unit=2.54)
    )
    np.testing.assert_allclose(by_name(in_inches, bones), expected, atol=1e-3)
    lying = [Bone("Armature", -1, np.zeros(3), np.array([90.0, 0, 0]), kind="Null")]
    lying += [Bone(**{**vars(bone), "parent": bone.parent + 1}) for bone in bones]
    z_up = load(tmp_path, written(lying, axes=(2, 1, 0), signs=(1, -1, 1)))
    np.testing.assert_allclose(by_name(z_up, bones), expected, atol=1e-5)
    assert "Armature" not in z_up.skeleton.names


def test_what_stands_above_the_bones_scales_and_turns_them(tmp_path):
    bones = person()
    above = Bone("Armature", -1, np.array([5.0, 0, 0]), np.array([0.0, 90.0, 0]), kind="Null", scale=0.8)
    all_nodes = [above, *(Bone(**{**vars(bone), "parent": bone.parent + 1}) for bone in bones)]
    clip = load(tmp_path, written(all_nodes))
    np.testing.assert_allclose(by_name(clip, bones), CENTIMETRES * places(all_nodes, 12)[:, 1:], atol=1e-5)


def test_one_of_several_animations_is_read_by_name_or_number(tmp_path):
    bones = person()
    for bone in bones:
        bone.stacks["wave"] = 2.0 * np.atleast_2d(bone.angles)[:6]
    content = written(bones, names=("walk", "wave"))
    first = load(tmp_path, content)
    assert "there are also wave" in next(one.message for one in first.report.findings if one.code == "animations")
    assert load(tmp_path, content, animation="wave").n_frames == 6
    assert load(tmp_path, content, animation=1).n_frames == 6
    assert load(tmp_path, content, animation="1").n_frames == 6
    with pytest.raises(FormatError, match="has no animation 'run'; there are walk, wave"):
        load(tmp_path, content, animation="run")


def pack(tmp_path):
    """Three animations: walk, the first half of it twice as wide, and one without keys."""
    bones = person()
    for bone in bones:
        bone.stacks["Rig|wave"] = 2.0 * np.atleast_2d(bone.angles)[:6]
    path = tmp_path / "pack.fbx"
    path.write_bytes(written(bones, names=("Rig|walk", "Rig|wave", "Rig|Take 001")))
    return path


@pytest.mark.parametrize(("rotations", "processes"), [(fbx_reader._ROTATIONS, 1), (300, 2)])
def test_animations_are_the_same_whether_one_process_reads_them_or_two(tmp_path, monkeypatch, rotations, processes):
    path, opened = pack(tmp_path), []
    expected = {name: mo.load(path, animation=name) for name in ("walk", "wave")}
    opened_file._opened_last.cache_clear()
    monkeypatch.setattr(fbx_reader, "_ROTATIONS", rotations)
    read = fbx_reader.read_apart
    monkeypatch.setattr(fbx_reader, "read_apart", lambda *given, **more: opened.append(1) or read(*given, **more))
    motions = formats.motions_in(path)
    assert [motion.path.name for motion in motions] == ["pack.fbx#walk", "pack.fbx#wave", "pack.fbx#Take 001"]
    assert ["pose" in motion.left_out for motion in motions] == [False, False, True]
    for motion in motions[:2]:
        clip = motion.read()
        assert np.array_equal(clip.positions, expected[clip.name.removeprefix("pack#")].positions)
    assert len(opened) == processes


def test_an_animation_for_which_no_room_is_left_is_refused_alone(tmp_path, monkeypatch):
    path = pack(tmp_path)
    monkeypatch.setattr(opened_file, "MOST_ROTATIONS", 12 * len(person()) - 1)
    walk, wave, _ = formats.motions_in(path)
    assert walk.read().n_frames == 12
    with pytest.raises(FormatError, match="no room is left for it"):
        wave.read()


def test_an_empty_take_beside_the_only_motion_leaves_it_its_plain_name(tmp_path):
    path = tmp_path / "walk.fbx"
    path.write_bytes(written(person(), names=("mixamo.com", "Take 001")))
    (motion,) = formats.used_motions(path)
    assert (motion.path, motion.read().name, mo.load(path).source) == (path, "walk", str(path))


def test_keys_decide_the_frame_rate_where_the_scene_states_another(tmp_path):
    bones = person()
    assert load(tmp_path, written(bones, rate=120.0)).frame_rate == 120.0
    assert load(tmp_path, written(bones, rate=50.0)).frame_rate == pytest.approx(50.0)
    sparse = load(tmp_path, written(bones, times=np.arange(12) / 5.0))
    assert (sparse.frame_rate, sparse.n_frames) == (30.0, 67)
    odd = load(tmp_path, written(bones, times=np.sort(np.random.default_rng(2).uniform(0, 2, 12))))
    assert odd.frame_rate == 30.0
    assert "resampled" in {one.code for one in odd.report.findings}
    assert load(tmp_path, written(bones), frame_rate=15.0).n_frames == 6


def test_a_character_without_animation_gives_its_rest_pose(tmp_path):
    bones = person(1)
    clip = load(tmp_path, written(bones))
    assert clip.n_frames == 1
    np.testing.assert_allclose(by_name(clip, bones), CENTIMETRES * places(bones, 1), atol=1e-5)
    assert "no-animation" in {one.code for one in clip.report.findings}


def test_the_largest_of_several_skeletons_is_read(tmp_path):
    bones = [Bone("prop", -1, np.zeros(3), np.zeros(3))]
    bones += [Bone(**{**vars(bone), "parent": bone.parent + 1 if bone.parent >= 0 else -1}) for bone in person()]
    clip = load(tmp_path, written(bones))
    assert "prop" not in clip.skeleton.names
    assert "skeletons" in {one.code for one in clip.report.findings}


# Files of strangers, and a process that may fail


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"something else entirely", "is not a readable FBX file"),
        (b"Kaydara FBX Binary  \x00\x1a\x00" + b"\xff" * 200, "is not a readable FBX file"),
        (written([]), "holds no bones: there is no skeleton in it"),
        (written(person())[:3000], "is not a readable FBX file|holds no bones"),
    ],
)
def test_what_is_no_fbx_is_refused_with_its_reason(tmp_path, content, reason):
    with pytest.raises(FormatError, match=reason) as caught:
        load(tmp_path, content)
    assert str(caught.value).startswith(str(tmp_path / "a.fbx"))


def failing(monkeypatch, tmp_path, code):
    script = tmp_path / "failing.py"
    script.write_text(code)
    monkeypatch.setattr(run.child_process, "__file__", str(script))


def test_a_crash_is_an_error_like_others(monkeypatch, tmp_path):
    failing(
        monkeypatch, tmp_path, "import os, signal, sys; sys.stdin.buffer.read(); os.kill(os.getpid(), signal.SIGSEGV)"
    )
    with pytest.raises(FormatError, match=r"ufbx, which reads FBX, failed on it \(signal 11\)"):
        load(tmp_path, written(person()))


def test_a_file_that_takes_too_long_is_given_up(monkeypatch, tmp_path):
    failing(monkeypatch, tmp_path, "import time; time.sleep(60)")
    monkeypatch.setattr(run, "_PATIENCE", 0.4)
    with pytest.raises(FormatError, match=r"is not read within 0.4 seconds"):
        load(tmp_path, written(person()))


def test_half_an_answer_is_none(monkeypatch, tmp_path):
    failing(monkeypatch, tmp_path, "import sys; sys.stdin.buffer.read(); sys.stdout.write('x' * 100)")
    with pytest.raises(FormatError, match="failed on it"):
        load(tmp_path, written(person()))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of memory for a process")
def test_memory_is_bounded(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "MEMORY", 1024**2)  # above what the process has once ufbx is there
    with pytest.raises(FormatError, match=r"memory|failed"):
        load(tmp_path, written(person(600)))


def test_without_ufbx_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(formats, "find_spec", lambda name: None)
    with pytest.raises(FormatError, match=re.escape("FBX files need another package: pip install 'mocapella[fbx]'")):
        load(tmp_path, written(person()))


def test_the_process_imports_nothing_of_ours():
    code = f"import runpy, sys; runpy.run_path({run.child_process.__file__!r}); print('mocapella' in sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
