"""TRC, CSV and C3D files: joints by name, joints from markers, and files of strangers."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from tests.files.points.doubles import MARKER_SETS, WALKING_SETS, Y_TO_Z, c3d, joints, markers, trc


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", frame_rate=60.0)[:120]


def apart(clip, points):
    known = [name for name in points if name in clip.skeleton.names]
    assert len(known) >= 10
    found = clip.positions[:, [clip.skeleton.index(name) for name in known]]
    return np.linalg.norm(found - np.stack([points[name] for name in known], axis=1), axis=2)


ALL = ("Hips", "Spine", "Spine1", "Neck", "Head")


def bones(clip):
    """All joints by the rig's own names."""
    return dict(zip(clip.skeleton.names, np.moveaxis(clip.positions, 1, 0), strict=True))


@pytest.mark.parametrize(("unit", "z_up"), [("mm", False), ("m", True)])
def test_joints_of_a_trc_file_are_where_it_puts_them(tmp_path, walk, unit, z_up):
    points = bones(walk)
    clip = mo.load(trc(tmp_path / "walk.trc", points, 60.0, unit=unit, z_up=z_up))
    assert apart(clip, points).max() < 1e-4
    assert (clip.frame_rate, clip.n_frames, clip.report.up_axis) == (60.0, 120, "z" if z_up else "y")
    assert clip.report.unit == unit


def test_joints_of_a_csv_file_are_where_it_puts_them(tmp_path, walk):
    points = bones(walk)
    walk.to_dataframe().to_csv(tmp_path / "two_rows.csv")
    assert apart(mo.load(tmp_path / "two_rows.csv"), points).max() < 1e-4
    names = [f"{name}_{axis}" for name in points for axis in "xyz"]
    table = np.concatenate([np.arange(120)[:, None] / 60.0, *points.values()], axis=1)
    np.savetxt(tmp_path / "one.csv", table, delimiter=";", header=";".join(["time", *names]), comments="")
    clip = mo.load(tmp_path / "one.csv")
    assert apart(clip, points).max() < 1e-4
    assert clip.frame_rate == 60.0
    np.savetxt(tmp_path / "bare.csv", table[:, 1:], delimiter=",", header=",".join(names), comments="")
    with pytest.raises(FormatError, match="states no times; name the frame rate"):
        mo.load(tmp_path / "bare.csv")
    assert mo.load(tmp_path / "bare.csv", frame_rate=50.0).frame_rate == 50.0


def test_a_folder_of_motions_is_read_without_its_tables(tmp_path, walk):
    mo.save(walk, tmp_path / "a.bvh")
    (tmp_path / "script.csv").write_text("time,x,y\n0,0,1\n")
    answer = CliRunner().invoke(main, ["info", str(tmp_path), "--json"], catch_exceptions=False)
    assert [one["format"] for one in json.loads(answer.stdout)["files"]] == ["bvh"]


def test_joints_of_a_c3d_file_are_where_another_reader_puts_them(tmp_path, walk):
    pytest.importorskip("ezc3d", reason="the extra c3d is not installed")
    other = pytest.importorskip("c3d")
    points = bones(walk)
    path = c3d(tmp_path / "walk.c3d", points, 60.0, prefix="Subject:")
    with path.open("rb") as file:
        reader = other.Reader(file)
        rows = np.array([frame[1][:, :3] for frame in reader.read_frames()])
        labels = [label.strip().removeprefix("Subject:") for label in reader.point_labels]
    found = {label: 0.001 * rows[:, i] @ Y_TO_Z for i, label in enumerate(labels)}
    clip = mo.load(path)
    names = {name.removeprefix("Subject:"): name for name in clip.skeleton.names}
    read = {plain: clip.positions[:, clip.skeleton.index(name)] for plain, name in names.items()}
    assert len(read) >= 20
    assert max(np.abs(read[name] - found[name]).max() for name in read) < 1e-4
    assert (clip.report.unit, clip.report.up_axis, clip.frame_rate) == ("mm", "z", 60.0)


def test_points_that_were_not_seen_are_gaps(tmp_path, walk):
    points = {name: np.array(places) for name, places in bones(walk).items()}
    points["LeftHand"][20:24] = np.nan
    for path in (trc(tmp_path / "a.trc", points, 60.0), c3d(tmp_path / "a.c3d", points, 60.0)):
        (gaps,) = [one for one in mo.load(path).report.findings if one.code == "gaps"]
        assert gaps.frames == (20, 21, 22, 23)


def off_by(clip, walk):
    """Mean distances of joints from the true ones by part of the body, centimetres."""
    roles, own = mo.find_roles(clip.skeleton), mo.find_roles(walk.skeleton)
    out = {}
    for role in roles:
        off = np.linalg.norm(clip.positions[:, roles[role]] - walk.positions[:, own[role]], axis=1).mean()
        part = role.rpartition("_")[2]
        out[part] = max(out.get(part, 0.0), 100.0 * float(off))
    return out


def finding(clip, code):
    return next((one.message for one in clip.report.findings if one.code == code), "")


# Centimetres, on a pelvis that the regressions were not made from; markers are 5 mm off their places, and 1 mm noisy.
HIPS, BETWEEN, OUTSIDE, TOES, SHOULDERS = 1.0, 1.1, 2.0, 1.8, 1.5


@pytest.mark.parametrize("name", MARKER_SETS)
def test_the_markers_of_a_set_give_joint_centres(tmp_path, walk, name):
    points = markers(walk, MARKER_SETS[name], misplaced=0.005, noise=0.001, seed=1)
    clip = mo.load(trc(tmp_path / "a.trc", points, 60.0, z_up=True))
    off, told = off_by(clip, walk), finding(clip, "marker-set")
    between = "knees between two markers" in told
    assert between == any("knee in" in landmark for landmark in MARKER_SETS[name].values())
    assert off["hip"] < HIPS
    assert max(off["knee"], off["ankle"]) < (BETWEEN if between else OUTSIDE)
    assert off["toe"] < TOES
    assert off.get("shoulder", 0.0) < SHOULDERS
    assert not clip.report.warnings
    wanted = "Harrington" if "L psis" in MARKER_SETS[name].values() else "Bell"
    assert f"hips by the regression of {wanted}" in told


def test_markers_in_their_places_give_knees_and_ankles_within_millimetres(tmp_path, walk):
    for name in ("Plug-in Gait, inner knees and ankles", "OpenSim full body", "IOR", "CAST"):
        off = off_by(mo.load(trc(tmp_path / "a.trc", markers(walk, MARKER_SETS[name]), 60.0)), walk)
        assert off["hip"] < 0.6
        assert max(off["knee"], off["ankle"]) < 0.3


@pytest.mark.parametrize("suffix", ["trc", "c3d"])
@pytest.mark.parametrize("name", WALKING_SETS)
def test_knees_and_ankles_that_are_marked_in_a_static_trial_alone_are_carried_by_other_markers(
    tmp_path, walk, name, suffix
):
    if suffix == "c3d":
        pytest.importorskip("ezc3d", reason="the extra c3d is not installed")
    write, stand = {"trc": trc, "c3d": c3d}[suffix], mo.example("stand", frame_rate=60.0)[:30]
    off_places = {"misplaced": 0.005, "noise": 0.001, "seed": 1}
    path = write(tmp_path / f"walk.{suffix}", markers(walk, WALKING_SETS[name], **off_places), 60.0)
    static = trc(tmp_path / "static.trc", markers(stand, MARKER_SETS[name], **off_places), 60.0, unit="m")
    if suffix == "c3d":  # the axes of both trials are those of the room
        static = c3d(tmp_path / "static.c3d", markers(stand, MARKER_SETS[name], **off_places), 60.0)
    with pytest.raises(FormatError, match=r"no left knee, .* skeleton=FILE names it"):
        mo.load(path)
    clip = mo.load(path, skeleton=static)
    off = off_by(clip, walk)
    assert off["hip"] < HIPS
    assert max(off["knee"], off["ankle"]) < BETWEEN
    assert "carried by others" in finding(clip, "static-trial")
    info = CliRunner().invoke(main, ["info", str(path), "--skeleton", str(static), "--json"], catch_exceptions=False)
    assert len(json.loads(info.stdout)["files"][0]["roles"]) >= 9
    told = CliRunner().invoke(main, ["info", str(path)], catch_exceptions=False)
    assert "--skeleton FILE names it" in " ".join(told.stderr.split())


def test_a_static_trial_of_another_kind_or_of_nothing_near_is_refused(tmp_path, walk):
    path = trc(tmp_path / "a.trc", markers(walk, WALKING_SETS["CAST"]), 60.0)
    with pytest.raises(FormatError, match=r"a.bvh: expected a static trial \(.trc, .c3d\), found .bvh"):
        mo.load(path, skeleton=tmp_path / "a.bvh")
    few = {name: place for name, place in markers(walk, MARKER_SETS["CAST"]).items() if "F" in name or "T" in name[2:4]}
    few = {name: place for name, place in few.items() if name[2:4] not in ("TH", "FM", "FC")}
    with pytest.raises(FormatError, match="no left knee"):
        mo.load(path, skeleton=trc(tmp_path / "static.trc", few, 60.0))


def test_joint_centres_of_a_gait_model_are_taken_before_markers(tmp_path, walk):
    own = mo.find_roles(walk.skeleton)
    points = markers(walk, MARKER_SETS["Plug-in Gait"])
    for side in ("left", "right"):
        for part, label in (("hip", "HJC"), ("knee", "KJC"), ("ankle", "AJC")):
            points[f"{side[0].upper()}{label}"] = walk.positions[:, own[f"{side}_{part}"]]
    off = off_by(mo.load(trc(tmp_path / "a.trc", points, 60.0)), walk)
    assert max(off["hip"], off["knee"], off["ankle"]) < 0.01


def test_of_two_people_in_one_file_one_is_read_and_the_other_named(tmp_path, walk):
    points = markers(walk, MARKER_SETS["IOR"])
    other = {f"Tom:{label}": place + np.array([1.0, 0.0, 0.0]) for label, place in list(points.items())[:-1]}
    clip = mo.load(trc(tmp_path / "a.trc", {f"Mary:{label}": place for label, place in points.items()} | other, 60.0))
    assert off_by(clip, walk)["knee"] < 0.3
    assert "of 2 subjects 'Mary' is read; others are Tom" in finding(clip, "skeletons")


@pytest.mark.parametrize("name", ["Plug-in Gait", "IOR", "Helen Hayes"])
def test_files_of_markers_go_through_info_plants_cycles_and_convert(tmp_path, name):
    walk = mo.example("walk", frame_rate=100.0)
    path = str(trc(tmp_path / "walk.trc", markers(walk, MARKER_SETS[name], misplaced=0.005, noise=0.001), 100.0))

    def run(*words):
        done = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)

    (info,) = run("info", path)["files"]
    assert {"hips", "left_knee", "right_ankle", "left_toe"} <= set(info["roles"])
    assert info["up_axis"] == "y"
    plants = run("plants", path)
    assert min(len(plants[f"{side}_{part}"]) for side in ("left", "right") for part in ("heel", "toe")) >= 3
    mo.save(walk, tmp_path / "walk.bvh")
    cycle, plain = (run("cycles", file)["cycles"][0] for file in (path, str(tmp_path / "walk.bvh")))
    assert cycle["steps"] == 2
    assert cycle["seconds"] == pytest.approx(plain["seconds"], rel=0.03)
    assert cycle["speed"] == pytest.approx(plain["speed"], rel=0.03)
    assert run("convert", path, str(tmp_path / "out.glb"))["frames"] == walk.n_frames


@pytest.mark.parametrize(("kind", "slip"), [("joints", 1.0), ("Plug-in Gait", 3.0)])
def test_marker_files_can_be_built_and_played(tmp_path, kind, slip):
    names = []
    for speed in (1.0, 1.6):
        walk = mo.example("walk", frame_rate=60.0, speed=speed)
        marked = {} if kind == "joints" else MARKER_SETS[kind]
        points = markers(walk, marked, misplaced=0.005, noise=0.001) if marked else joints(walk)
        names.append(str(trc(tmp_path / f"walk{speed}.trc", points, 60.0)))
    network = str(tmp_path / "net.moca")
    built = CliRunner().invoke(main, ["build", *names, "-o", network, "--json"], catch_exceptions=False)
    assert built.exit_code == 0, built.stderr
    assert len(json.loads(built.stdout)["nodes"]) >= 2
    words = ["play", network, "--point", "0", "1.3", "--seconds", "2", "-o", str(tmp_path / "out.bvh"), "--json"]
    assert json.loads(CliRunner().invoke(main, words, catch_exceptions=False).stdout)["slip_mm_max"] < slip


# Files of strangers


def changed(tmp_path, walk, change):
    path = trc(tmp_path / "a.trc", joints(walk[:5]), 60.0)
    lines = path.read_text().split("\n")
    change(lines)
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        (0, "nothing", "a.trc:1: expected PathFileType, found 'nothing'"),
        (2, "x\t60\t5\t17\tmm", "a.trc:3: expected DataRate as a number, found 'x'"),
        (2, "0\t60\t5\t17\tmm", "a.trc:3: expected DataRate as a usable number"),
        (2, "60\t60\t5\t17\tyard", "a.trc:3: expected a unit of m, cm"),
        (2, "60\t60\t9\t17\tmm", "ends after 5 of 9 frames; partial"),
        (2, "60\t60\t5\t99\tmm", "a.trc:4: expected 99 names of markers, found 17"),
        (8, "3\t0.1\t" + "\t".join(["1"] * 60), "a.trc:9: expected 53 numbers, found 62"),
        (8, "3\t0.1\t1\tx", "a.trc:9: expected a number, found 'x'"),
        (8, "3\t0.1\t1e300", "a.trc:9: expected a position"),
    ],
)
def test_a_damaged_trc_file_is_refused_with_its_line(tmp_path, walk, line, text, reason):
    def change(lines):
        lines[line] = text

    with pytest.raises(FormatError, match=reason):
        mo.load(changed(tmp_path, walk, change))


def test_a_trc_file_that_ends_early_is_read_on_request(tmp_path, walk):
    path = changed(tmp_path, walk, lambda lines: lines.__setitem__(2, "60\t60\t9\t17\tmm"))
    with pytest.warns(mo.MotionWarning, match="the header states 9 frames, there are 5"):
        assert mo.load(path, partial=True).n_frames == 5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n", "expected a row of names, then rows of numbers"),
        ("1,2,3\n", "expected a row of names, then rows of numbers"),
        ("a_x,a_y\n1,2\n", "expected three columns for each joint"),
        ("time,a_x,a_y,a_z\n0,1,2,3\n1,1,2,3\n", "no body is known by these points: a"),
        ("time,a_x,a_y,a_z\n0,1,2,3\n0,1,2,3\n", "its times do not rise"),
        ("time,a_x,a_y,a_z\n0,1,2,3\n1,1,2,3\n9,1,2,3\n", "its times are uneven"),
    ],
)
def test_a_table_that_is_no_motion_is_refused(tmp_path, text, reason):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FormatError, match=reason):
        mo.load(tmp_path / "a.csv")


@pytest.mark.parametrize("content", [b"something", b"\x02\x50" + b"\xff" * 2000, b"\x02\x50" + bytes(510)])
def test_what_is_no_c3d_is_refused(tmp_path, content):
    pytest.importorskip("ezc3d", reason="the extra c3d is not installed")
    (tmp_path / "a.c3d").write_bytes(content)
    with pytest.raises(FormatError, match=r"is not a readable C3D file|failed on it|holds no labelled points"):
        mo.load(tmp_path / "a.c3d")
