"""Loading and saving by suffix: options, doubts, refusals."""

import shutil
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import FormatError, MotionError, MotionWarning, SkeletonError, printable
from mocapella.files import formats
from mocapella.files.format_table import FORMATS, READABLE, WRITABLE, Format
from mocapella.geometry import quaternions
from mocapella.rig.names import ROLES
from tests.files.acclaim.asf_samples import ONE_BONE


@pytest.fixture
def walk_file(tmp_path, walk):
    mo.save(walk, tmp_path / "walk.bvh")
    return tmp_path / "walk.bvh"


# Loading


def test_a_clip_knows_where_it_came_from(walk_file):
    clip = mo.load(walk_file)
    assert (clip.name, clip.source, clip.first_row) == ("walk", str(walk_file), 0)
    assert (clip.report.unit, clip.report.metres_per_unit, clip.report.up_axis) == ("cm", 0.01, "y")
    np.testing.assert_allclose(clip.report.height, 1.74, atol=1e-6)
    assert clip.report.findings == ()


def test_paths_may_be_text(walk_file):
    np.testing.assert_array_equal(mo.load(str(walk_file)).positions, mo.load(walk_file).positions)


def test_suffixes_may_be_in_capitals(walk_file, tmp_path, walk):
    shutil.copy(walk_file, tmp_path / "WALK.BVH")
    assert mo.load(tmp_path / "WALK.BVH").n_frames == 20
    mo.save(walk, tmp_path / "OTHER.BVH")
    assert mo.load(tmp_path / "OTHER.BVH").n_frames == 20


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("walk.obj", r"expected a motion file \(.bvh, .amc, .asf, .glb, .gltf, .*\), found .obj"),
        ("walk", r"expected a motion file \(.bvh, .amc, .asf, .glb, .gltf, .*\), found no suffix"),
        ("walks", "there is no such file or folder"),
        ("x" * 5000, "cannot be read: File name too long"),
        (".", r"is a folder; name a motion file in it \(.bvh, .amc, .glb, .gltf, .*\)"),
        ("walk.bvh", "there is no such file"),
        ("walk.amc", "there is no such file"),
        ("walk.asf", "there is no such file"),
        ("no\0name.bvh", "is not a file name"),
        ("no\0name.amc", "there is no such file"),
        ("x" * 5000 + ".amc", "cannot be read: File name too long"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_name(tmp_path, name, reason):
    if "found" in reason:
        (tmp_path / name).write_text("something")
    with pytest.raises(FormatError, match=reason) as caught:
        mo.load(tmp_path / name)
    place = f"{tmp_path / name}"
    shown = place if len(place) <= 300 else f"{place[:300]} …"
    assert str(caught.value).startswith(printable(f"{shown}: "))


@pytest.mark.parametrize("suffix", READABLE)
def test_folders_and_empty_files_are_refused(tmp_path, suffix):
    (tmp_path / "skeleton.asf").write_text(ONE_BONE)
    folder, empty = tmp_path / f"folder{suffix}", tmp_path / f"empty{suffix}"
    folder.mkdir()
    empty.write_text(" \n")
    with pytest.raises(FormatError, match=f"folder{suffix}: expected a file, found a folder"):
        mo.load(folder, skeleton=tmp_path / "skeleton.asf")
    with pytest.raises(FormatError, match=f"empty{suffix}: the file is empty"):
        mo.load(empty, skeleton=tmp_path / "skeleton.asf")


def test_the_unit_can_be_named(walk_file):
    by_height, by_name = mo.load(walk_file), mo.load(walk_file, unit="inch")
    np.testing.assert_allclose(by_name.positions, by_height.positions * 2.54, atol=1e-9)
    assert (by_name.report.unit, by_name.report.metres_per_unit) == ("inch", 0.0254)
    with pytest.raises(MotionError, match="expected a unit of m, cm, mm, inch, cmu, dm, ft, mmd, got 'yard'"):
        mo.load(walk_file, unit="yard")


def test_roles_can_be_named_by_a_mapping_or_a_toml_file(walk_file, tmp_path):
    (tmp_path / "roles.toml").write_text('[roles]\nleft_knee = "LeftFoot"\nhead = ""\n')
    assert "head" in mo.find_roles(mo.load(walk_file).skeleton)
    for roles in (tmp_path / "roles.toml", str(tmp_path / "roles.toml"), {"left_knee": "LeftFoot", "head": ""}):
        skeleton = mo.load(walk_file, roles=roles).skeleton
        found = mo.find_roles(skeleton)
        assert skeleton.names[found["left_knee"]] == "LeftFoot"
        assert "head" not in found
    with pytest.raises(SkeletonError, match="no joint 'Tail'"):
        mo.load(walk_file, roles={"hips": "Tail"})
    with pytest.raises(MotionError):
        mo.load(walk_file, roles=tmp_path / "missing.toml")


def test_roles_that_are_named_are_believed_of_joints_that_go_by_numbers(tmp_path, walk):
    names = tuple(f"j{i}" for i in range(walk.skeleton.n_joints))
    blind = replace(walk, skeleton=replace(walk.skeleton, names=names))
    mo.save(blind, tmp_path / "blind.bvh", unit="cm")
    roles = {role: names[joint] for role, joint in mo.find_roles(walk.skeleton).items()}
    told = mo.load(tmp_path / "blind.bvh", roles=roles)
    assert told.report.unit == "cm"
    assert set(roles) <= set(mo.find_roles(told.skeleton))


# Warnings


def test_a_sound_file_gives_no_warning(walk_file):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mo.load(walk_file)


def test_all_doubts_together_are_one_motion_warning(walk_file):
    text = walk_file.read_text().replace("Frames: 20", "Frames: 19")
    walk_file.write_text(text)
    with pytest.warns(MotionWarning, match=r"walk.bvh: the header says 19 frames, the file has 20 rows") as caught:
        clip = mo.load(walk_file)
    assert len(caught) == 1
    assert [finding.code for finding in clip.report.warnings] == ["frame-count"]


def test_a_file_cut_short_needs_to_be_asked_for(walk_file):
    walk_file.write_bytes(walk_file.read_bytes()[:-100])
    with pytest.raises(FormatError):
        mo.load(walk_file)
    with pytest.warns(MotionWarning, match="the file ends within a row; that row is left out"):
        clip = mo.load(walk_file, partial=True)
    assert clip.n_frames == 19


def test_lost_frames_and_jumps_are_reported_and_bridged_on_request(tmp_path, walk):
    roots, rotations = np.array(walk.root_positions), np.array(walk.rotations_wxyz)
    roots[:, 2] += 2.0
    good = replace(walk, root_positions=roots)
    bad_roots = np.array(roots)
    bad_roots[8:10] = 0.0
    knee = walk.skeleton.index("LeftLeg")
    rotations[14, knee] = quaternions.multiply(rotations[14, knee], quaternions.from_rotvec(np.array([1.5, 0.0, 0.0])))
    mo.save(replace(walk, root_positions=bad_roots, rotations_wxyz=rotations), tmp_path / "bad.bvh")
    with pytest.warns(MotionWarning, match="the root is lost at 0, 0, 0 in frames 8–9"):
        doubtful = mo.load(tmp_path / "bad.bvh")
    assert doubtful.report.frames("root-dropout") == (8, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        clean = mo.load(tmp_path / "bad.bvh", clean=True)
    assert clean.report.frames("repaired-dropout") == (8, 9)
    assert 14 in clean.report.frames("repaired-jump")
    assert clean.report.frames("root-dropout") == ()
    order = [walk.skeleton.index(name) for name in clean.skeleton.names]
    np.testing.assert_allclose(clean.root_positions[8:10], roots[8:10], atol=0.01)
    np.testing.assert_allclose(clean.positions[14], good.positions[14, order], atol=0.05)
    untouched = [i for i in range(20) if i not in (*clean.report.frames("repaired-jump"), 8, 9)]
    np.testing.assert_allclose(clean.positions[untouched], good.positions[untouched][:, order], atol=1e-6)


# Bad input, whatever the format


@pytest.mark.parametrize("scale", ["1e-300", "1e-30", "1e11"])
def test_bodies_of_absurd_size_load_with_a_doubt_and_without_a_numpy_warning(tmp_path, walk, scale):
    mo.save(walk, tmp_path / "walk.bvh")
    head, rows = (tmp_path / "walk.bvh").read_text().split("Frame Time: ")
    lines = [
        " ".join(["OFFSET", *(repr(float(word) / 100 * float(scale)) for word in line.split()[1:])])
        if "OFFSET" in line
        else line
        for line in head.splitlines()
    ]
    (tmp_path / "walk.bvh").write_text("\n".join(lines) + "\nFrame Time: " + rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clip = mo.load(tmp_path / "walk.bvh", clean=True)
    assert all(warning.category is MotionWarning for warning in caught)
    assert "unit-unsure" in {finding.code for finding in clip.report.warnings}
    assert np.isfinite(clip.positions).all()


@pytest.mark.parametrize("text", ["OFFSET 0 1e13 0", "OFFSET 0 1e308 0", "OFFSET nan 0 0", "OFFSET 0 inf 0"])
def test_offsets_out_of_all_range_are_refused(walk_file, text):
    lines = walk_file.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if "OFFSET" in line)
    lines[at] = text
    walk_file.write_text("\n".join(lines))
    with pytest.raises(FormatError, match=f"walk.bvh:{at + 1}: expected a number for an offset"):
        mo.load(walk_file)


# Saving


@pytest.mark.parametrize("suffix", [one for one in WRITABLE if one != ".fbx"])  # that one takes Blender
def test_every_writable_suffix_writes_a_file(tmp_path, walk, suffix):
    mo.save(walk, tmp_path / f"walk{suffix}")
    assert (tmp_path / f"walk{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("name", ["walk.doc", "walk", "walk.asf", "walk.txt"])
def test_other_suffixes_are_refused_and_nothing_written(tmp_path, walk, name):
    with pytest.raises(MotionError, match=f"cannot write {name}: expected a suffix of .bvh, .amc, .glb, .gltf"):
        mo.save(walk, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_options_for_another_format_are_refused(tmp_path, walk):
    for option, value in (("root_motion", "root"), ("bones", "as-captured"), ("body", False)):
        with pytest.raises(MotionError, match=rf"{option} is for .glb, .gltf, .*usdz, not for .bvh"):
            mo.save(walk, tmp_path / "walk.bvh", **{option: value})
    with pytest.raises(MotionError, match=r"unit is for .bvh, not for .amc"):
        mo.save(walk, tmp_path / "walk.amc", unit="cm")
    with pytest.raises(MotionError, match="expected a unit of"):
        mo.save(walk, tmp_path / "walk.bvh", unit="yard")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [one for one in WRITABLE if one != ".fbx"])
def test_where_nothing_can_be_written_that_is_said(tmp_path, walk, suffix):
    with pytest.raises(MotionError, match="cannot write"):
        mo.save(walk, tmp_path / "no folder" / f"walk{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_new_format_is_one_function_and_one_line(tmp_path, walk, monkeypatch):
    def write_frames(clip, path, *, unit):
        path.write_text(f"{clip.n_frames} frames in {unit}")

    monkeypatch.setitem(FORMATS, ".txt", Format("text", write=write_frames, writing=("unit",)))
    monkeypatch.setattr(formats, "WRITABLE", (*WRITABLE, ".txt"))
    mo.save(walk, tmp_path / "walk.txt", unit="cm")
    assert (tmp_path / "walk.txt").read_text() == "20 frames in cm"
    with pytest.raises(FormatError, match="text can be written, not read yet"):
        mo.load(tmp_path / "walk.txt")
    with pytest.raises(MotionError, match=r"bones is for .glb, .gltf, .*usdz, not for .txt"):
        mo.save(walk, tmp_path / "walk.txt", bones="as-captured")


# Japanese names, one for each role in the order of ``ROLES``
MODEL = [
    "センター", "上半身", "上半身2", "首", "頭",
    "左足", "左ひざ", "左足首", "左つま先", "右足", "右ひざ", "右足首", "右つま先",
    "左肩", "左腕", "左ひじ", "左手首", "右肩", "右腕", "右ひじ", "右手首",
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "utf-16"])
def test_a_walk_with_japanese_names_is_the_same_walk(tmp_path, encoding):
    walk = mo.example("walk", frame_rate=30.0)
    roles, names = mo.find_roles(walk.skeleton), list(walk.skeleton.names)
    for role, name in zip(ROLES, MODEL, strict=True):
        names[roles[role]] = name
    mo.save(walk, tmp_path / "plain.bvh")
    mo.save(replace(walk, skeleton=replace(walk.skeleton, names=tuple(names), role_names={})), tmp_path / "named.bvh")
    text = (tmp_path / "named.bvh").read_text(encoding="utf-8")
    (tmp_path / "named.bvh").write_bytes(text.encode(encoding))
    plain, read = mo.load(tmp_path / "plain.bvh"), mo.load(tmp_path / "named.bvh")
    assert mo.find_roles(read.skeleton) == mo.find_roles(plain.skeleton)
    assert [read.skeleton.names[mo.find_roles(read.skeleton)[role]] for role in ROLES] == MODEL
    np.testing.assert_array_equal(read.positions, plain.positions)
