import shutil
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import FormatError, MotionError, MotionWarning, SkeletonError
from mocapella.files.formats import READABLE, WRITABLE, find_skeleton
from mocapella.geometry import quaternions

ASF = """\
:units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    name upper
    direction 1 0 0
    length 3
    axis 0 0 0 XYZ
    dof rx ry rz
  end
:hierarchy
  root upper
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 10 20 30\nupper 40 50 60\n2\nroot 1 2 4 10 20 30\nupper 40 50 61\n"


@pytest.fixture
def walk_file(tmp_path, walk):
    mo.save(walk, tmp_path / "walk.bvh")
    return tmp_path / "walk.bvh"


def joints(clip, names):
    return clip.positions[:, [clip.skeleton.index(name) for name in names]]


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
        ("walk.fbx", r"expected a motion file \(.bvh, .amc, .asf\), found .fbx"),
        ("walk", r"expected a motion file \(.bvh, .amc, .asf\), found no suffix"),
        ("walk.glb", "glTF can be written, not read yet"),
        ("walk.bvh", "there is no such file"),
        ("walk.amc", "there is no such file"),
        ("walk.asf", "there is no such file"),
        ("no\0name.bvh", "is no file name"),
        ("no\0name.amc", "there is no such file"),
        ("x" * 5000 + ".amc", "cannot be read: File name too long"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_name(tmp_path, name, reason):
    with pytest.raises(FormatError, match=reason) as caught:
        mo.load(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}:0: ")


@pytest.mark.parametrize("suffix", READABLE)
def test_folders_and_empty_files_are_refused(tmp_path, suffix):
    (tmp_path / "skeleton.asf").write_text(ASF)
    folder, empty = tmp_path / f"folder{suffix}", tmp_path / f"empty{suffix}"
    folder.mkdir()
    empty.write_text(" \n")
    with pytest.raises(FormatError, match=f"folder{suffix}:0: expected a file, found a folder"):
        mo.load(folder, skeleton=tmp_path / "skeleton.asf")
    with pytest.raises(FormatError, match=f"empty{suffix}:0: the file is empty"):
        mo.load(empty, skeleton=tmp_path / "skeleton.asf")


def test_the_unit_can_be_named(walk_file):
    by_height, by_name = mo.load(walk_file), mo.load(walk_file, unit="inch")
    np.testing.assert_allclose(by_name.positions, by_height.positions * 2.54, atol=1e-9)
    assert (by_name.report.unit, by_name.report.metres_per_unit) == ("inch", 0.0254)
    with pytest.raises(MotionError, match="expected a unit of m, cm, mm, inch, cmu, dm, got 'yard'"):
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


# Acclaim pairs


def test_the_only_skeleton_beside_a_motion_is_taken_whatever_its_name(tmp_path):
    (tmp_path / "07_01.amc").write_text(AMC)
    (tmp_path / "any.ASF").write_text(ASF)
    assert find_skeleton(tmp_path / "07_01.amc") == tmp_path / "any.ASF"
    assert mo.load(tmp_path / "07_01.amc").n_frames == 2


def test_of_several_skeletons_the_one_whose_name_begins_the_motions_is_taken(tmp_path):
    (tmp_path / "07_01.amc").write_text(AMC)
    for name in ("07.asf", "0.asf", "08.asf"):
        (tmp_path / name).write_text(ASF)
    assert find_skeleton(tmp_path / "07_01.amc") == tmp_path / "07.asf"


def test_the_named_skeleton_beats_those_beside_the_motion(tmp_path):
    (tmp_path / "07_01.amc").write_text(AMC)
    (tmp_path / "07.asf").write_text("no skeleton at all")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.asf").write_text(ASF)
    assert mo.load(tmp_path / "07_01.amc", skeleton=tmp_path / "elsewhere" / "mine.asf").n_frames == 2


def test_without_a_skeleton_to_be_sure_of_a_motion_is_refused(tmp_path):
    (tmp_path / "07_01.amc").write_text(AMC)
    with pytest.raises(FormatError, match=r"07_01.amc:0: an .amc needs its .asf; beside it there is none"):
        mo.load(tmp_path / "07_01.amc")
    for name in ("08.asf", "09.asf"):
        (tmp_path / name).write_text(ASF)
    with pytest.raises(FormatError, match="beside it there is 2 of them, none named as the motion begins"):
        mo.load(tmp_path / "07_01.amc")


def test_a_skeleton_of_another_body_is_refused_with_the_line_that_does_not_fit(tmp_path):
    (tmp_path / "a.amc").write_text(AMC)
    (tmp_path / "a.asf").write_text(ASF.replace("upper", "lower"))
    with pytest.raises(FormatError, match=r"a.amc:5: 'upper' is no bone of .*a.asf; does the motion belong"):
        mo.load(tmp_path / "a.amc")
    (tmp_path / "a.asf").write_text(ASF.replace("dof rx ry rz", "dof rx"))
    with pytest.raises(FormatError, match=r"a.amc:5: expected 1 value for 'upper'.* found 3; does the motion belong"):
        mo.load(tmp_path / "a.amc")


@pytest.mark.parametrize(
    ("hierarchy", "reason"),
    [
        ("root upper\nupper upper", "hangs on something twice"),
        ("upper upper", "hangs in a circle, or below one"),
        ("root", "it hangs on nothing"),
        ("upper root", "nothing can stand above the root"),
    ],
)
def test_a_hierarchy_that_runs_in_a_circle_is_refused(tmp_path, hierarchy, reason):
    (tmp_path / "a.asf").write_text(ASF.replace("root upper", hierarchy))
    with pytest.raises(FormatError, match=f"a.asf:[0-9]+: .*{reason}"):
        mo.load(tmp_path / "a.asf")


def test_a_motion_cut_within_a_frame_needs_to_be_asked_for(tmp_path):
    (tmp_path / "a.amc").write_text(AMC[:-4])
    (tmp_path / "a.asf").write_text(ASF)
    with pytest.raises(FormatError, match=r"a.amc:8: the file ends within frame 2"):
        mo.load(tmp_path / "a.amc")
    with pytest.warns(MotionWarning, match="the file ends within frame 2; that frame is left out"):
        assert mo.load(tmp_path / "a.amc", partial=True).n_frames == 1


def test_the_frame_rate_of_a_motion_can_be_named(tmp_path):
    (tmp_path / "a.amc").write_text(AMC)
    (tmp_path / "a.asf").write_text(ASF)
    assert mo.load(tmp_path / "a.amc").frame_rate == 120.0
    assert mo.load(tmp_path / "a.amc", frame_rate=60.0).frame_rate == 60.0
    for rate in (0.0, -1.0, float("nan"), float("inf"), 1e300, 1e-300):
        with pytest.raises(MotionError, match="expected a frame rate above 0"):
            mo.load(tmp_path / "a.amc", frame_rate=rate)
    (tmp_path / "a.amc").write_text(":SAMPLES-PER-SECOND 1e-320\n" + AMC)
    with pytest.raises(FormatError, match=r"a.amc:1: expected a frame rate above 0, found '1e-320'"):
        mo.load(tmp_path / "a.amc")


def test_a_skeleton_alone_loads_as_its_rest_pose(tmp_path):
    (tmp_path / "a.asf").write_text(ASF)
    rest = mo.load(tmp_path / "a.asf")
    assert rest.n_frames == 1
    np.testing.assert_allclose(rest.end_positions[0], [[3 * 0.0254 / 0.45, 0, 0]], atol=1e-12)


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


@pytest.mark.parametrize("suffix", WRITABLE)
def test_every_writable_suffix_writes_a_file(tmp_path, walk, suffix):
    mo.save(walk, tmp_path / f"walk{suffix}")
    assert (tmp_path / f"walk{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("name", ["walk.fbx", "walk", "walk.asf", "walk.txt"])
def test_other_suffixes_are_refused_and_nothing_written(tmp_path, walk, name):
    with pytest.raises(MotionError, match=f"cannot write {name}: expected a suffix of .bvh, .amc, .glb, .gltf"):
        mo.save(walk, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_options_for_another_format_are_refused(tmp_path, walk):
    for option in ({"loop": True}, {"in_place": True}):
        with pytest.raises(MotionError, match=r"loop and in_place are for .glb and .gltf, not for .bvh"):
            mo.save(walk, tmp_path / "walk.bvh", **option)
    with pytest.raises(MotionError, match="expected a unit of"):
        mo.save(walk, tmp_path / "walk.bvh", unit="yard")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", WRITABLE)
def test_where_nothing_can_be_written_that_is_said(tmp_path, walk, suffix):
    with pytest.raises(MotionError, match="cannot write"):
        mo.save(walk, tmp_path / "no folder" / f"walk{suffix}")
    assert list(tmp_path.iterdir()) == []


# Conversions


def test_a_clip_goes_from_bvh_to_acclaim_and_back_and_stays_where_it_is(tmp_path, walk):
    mo.save(walk, tmp_path / "a.bvh")
    first = mo.load(tmp_path / "a.bvh")
    mo.save(first, tmp_path / "b.amc")
    second = mo.load(tmp_path / "b.amc")
    mo.save(second, tmp_path / "c.bvh")
    third = mo.load(tmp_path / "c.bvh")
    common = [name for name in first.skeleton.names if name in second.skeleton.names]
    assert len(common) >= first.skeleton.n_joints - 1  # Acclaim calls the root "root"
    for clip in (second, third):
        assert clip.frame_rate == 60.0
        np.testing.assert_allclose(joints(clip, common), joints(first, common), atol=1e-6)
        np.testing.assert_allclose(clip.root_positions, first.root_positions, atol=1e-6)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("name", ["cmu-bvh/07/07_01.bvh", "odd-bvh/pybvh-bvh_test2.bvh", "makehuman/zombieWalk1.bvh"])
def test_captures_in_bvh_survive_acclaim(data_folder, tmp_path, name):
    first = mo.load(data_folder / name)
    mo.save(first, tmp_path / "b.amc")
    second = mo.load(tmp_path / "b.amc")
    mo.save(second, tmp_path / "c.bvh")
    third = mo.load(tmp_path / "c.bvh")
    common = [joint for joint in first.skeleton.names if joint in second.skeleton.names]
    assert len(common) > 0.9 * first.skeleton.n_joints
    for clip in (second, third):
        np.testing.assert_allclose(joints(clip, common), joints(first, common), atol=1e-6)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("trial", ["07_01", "16_15"])
def test_captures_in_acclaim_survive_bvh(data_folder, tmp_path, trial):
    first = mo.load(data_folder / "cmu-asfamc" / trial[:2] / f"{trial}.amc")
    mo.save(first, tmp_path / "b.bvh")
    second = mo.load(tmp_path / "b.bvh")
    mo.save(second, tmp_path / "c.amc")
    third = mo.load(tmp_path / "c.amc")
    for clip in (second, third):
        assert set(first.skeleton.names) <= set(clip.skeleton.names)
        np.testing.assert_allclose(joints(clip, first.skeleton.names), first.positions, atol=1e-6)


# Real captures

LEGS = {"lfemur": "LeftUpLeg", "ltibia": "LeftLeg", "lfoot": "LeftFoot", "ltoes": "LeftToeBase"}
LEGS |= {acclaim.replace("l", "r", 1): bvh.replace("Left", "Right") for acclaim, bvh in LEGS.items()}


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("trial", ["07_01", "16_15", "60_10"])
def test_one_trial_in_both_formats_agrees_on_hips_legs_and_feet(data_folder, trial):
    acclaim = mo.load(data_folder / "cmu-asfamc" / trial[:2] / f"{trial}.amc")
    bvh = mo.load(data_folder / "cmu-bvh" / trial[:2] / f"{trial}.bvh").captured
    assert acclaim.n_frames == bvh.n_frames
    np.testing.assert_allclose(bvh.root_positions, acclaim.root_positions, atol=1e-4)
    apart = joints(bvh, LEGS.values()) - joints(acclaim, LEGS)
    assert np.linalg.norm(apart, axis=-1).max() < 1e-4
    for role in ("left_knee", "right_ankle", "hips"):
        a, b = mo.find_roles(acclaim.skeleton)[role], mo.find_roles(bvh.skeleton)[role]
        np.testing.assert_allclose(bvh.positions[:, b], acclaim.positions[:, a], atol=1e-4)


ODD = {  # unit, up axis, frames per second, doubts
    "makehuman/tpose.bvh": ("dm", "z", 24, set()),
    "makehuman/walk1.bvh": ("dm", "z", 24, set()),
    "makehuman/zombieWalk1.bvh": ("dm", "z", 24, set()),
    "odd-bvh/100style-retarget-Geno_bind.bvh": ("cm", "y", 60, set()),
    "odd-bvh/AnimatedDrawings-zombie.bvh": ("inch", "z", 30, set()),
    "odd-bvh/BVH.jl-DAZ3D.bvh": ("cm", "y", 100, set()),
    "odd-bvh/GPmat-Swagger.bvh": ("cm", "y", 120, set()),
    "odd-bvh/assimp-Boxing_Toes.bvh": ("cm", "y", 100, {"frame-count", "jump"}),
    "odd-bvh/bvh-python-test_mocapbank.bvh": ("cm", "y", 30, set()),
    "odd-bvh/bvh-toolbox-walk01.bvh": ("cm", "y", 24, set()),
    "odd-bvh/bvh11-131_01-3dsmax.bvh": ("cmu", "y", 120, {"jump"}),
    "odd-bvh/bvh_anim-test_simple.bvh": ("cm", "y", 30, {"unit-unsure"}),
    "odd-bvh/bvhio-example.bvh": ("inch", "y", 30, set()),
    "odd-bvh/fairmotion-sinusoidal.bvh": ("cm", "y", 60, {"unit-unsure"}),
    "odd-bvh/pybvh-bvh_test2.bvh": ("cm", "y", 120, set()),
    "odd-bvh/pybvh-full_precision_frame_time.bvh": ("cm", "y", 24000 / 1001, {"unit-unsure"}),
    "odd-asfamc/endorphin-walking.amc": ("m", "y", 120, set()),
    "three-js/pirouette.bvh": ("cm", "y", 120, {"jump"}),
}


@pytest.mark.data
@pytest.mark.parametrize("name", ODD)
def test_of_an_odd_capture_what_should_be_found_out_is(data_folder, name):
    unit, up, rate, doubts = ODD[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clip = mo.load(data_folder / name)
    assert (clip.report.unit, clip.report.up_axis) == (unit, up)
    assert clip.frame_rate == pytest.approx(rate, rel=1e-9)
    assert {finding.code for finding in clip.report.warnings} == doubts
    assert [warning.category for warning in caught] == ([MotionWarning] if doubts else [])


REFUSED = {
    "07_12-truncated.amc": "the file ends within frame 245",
    "16_11-all-3dof.amc": "expected 0 values for 'lhipjoint'",
}


@pytest.mark.data
@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_motion_is_refused_for_the_right_reason(data_folder, name):
    skeleton = data_folder / "cmu-asfamc" / name[:2] / f"{name[:2]}.asf"
    with pytest.raises(FormatError, match=REFUSED[name]):
        mo.load(data_folder / "odd-asfamc" / name, skeleton=skeleton)
    with pytest.raises(FormatError, match=r"is no bone of .*endorphin-skeleton.asf"):
        mo.load(data_folder / "odd-asfamc" / name)  # the only skeleton beside it is another's


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_every_other_capture_loads_as_a_person_of_usual_size(data_folder):
    paths = [*data_folder.glob("cmu-bvh/*/*.bvh"), *data_folder.glob("cmu-asfamc/*/*.a*")]
    assert len(paths) > 100
    for path in paths:
        clip = mo.load(path)
        report = clip.report
        assert (report.unit, report.up_axis, report.facing, clip.frame_rate) == ("cmu", "y", 0.0, 120.0), path
        assert 1.35 < report.height < 1.95, path
        assert report.n_rest_frames == (path.suffix == ".bvh"), path
        assert len(mo.find_roles(clip.skeleton)) == 21, path
        assert clip.skeleton.n_joints == 31, path


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize(("name", "lost"), [("07/07_12", 1), ("09/09_10", 4), ("104/104_01", 55)])
def test_frames_whose_root_was_lost_are_found_and_bridged(data_folder, name, lost):
    path = data_folder / "cmu-bvh" / f"{name}.bvh"
    assert mo.load(path).report.frames("root-dropout") == tuple(range(1, lost + 1))
    clean = mo.load(path, clean=True)
    assert clean.report.frames("root-dropout") == ()
    assert clean.report.frames("repaired-dropout") == tuple(range(1, lost + 1))
    assert np.linalg.norm(np.diff(clean.captured.root_positions, axis=0), axis=1).max() < 0.15
