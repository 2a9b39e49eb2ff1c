"""TRC, CSV and C3D files: joints by name, joints from markers, and files of strangers."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from tests.files.points.doubles import Y_TO_Z, c3d, joints, markers, trc


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


@pytest.mark.parametrize(("inner", "knees"), [(True, 0.001), (False, 0.03)])
def test_markers_give_joint_centres(tmp_path, walk, inner, knees):
    clip = mo.load(trc(tmp_path / "a.trc", markers(walk, inner=inner), 60.0))
    roles, own = mo.find_roles(clip.skeleton), mo.find_roles(walk.skeleton)
    off = {
        role: np.linalg.norm(clip.positions[:, roles[role]] - walk.positions[:, own[role]], axis=1).mean()
        for role in roles
        if role in own
    }
    assert max(off[f"{side}_hip"] for side in ("left", "right")) < 0.002
    assert max(off[f"{side}_{part}"] for side in ("left", "right") for part in ("knee", "ankle", "toe")) < knees
    assert max(off[f"{side}_{part}"] for side in ("left", "right") for part in ("shoulder", "elbow", "wrist")) < 0.015
    (told,) = [one for one in clip.report.findings if one.code == "marker-set"]
    assert "Harrington" in told.message
    assert ("between two markers" in told.message) == inner


def test_marker_files_can_be_built_and_played(tmp_path):
    names = []
    for speed in (1.0, 1.6):
        walk = mo.example("walk", frame_rate=60.0, speed=speed)
        names.append(str(trc(tmp_path / f"walk{speed}.trc", joints(walk), 60.0)))
    network = str(tmp_path / "net.moca")
    built = CliRunner().invoke(main, ["build", *names, "-o", network, "--json"], catch_exceptions=False)
    assert built.exit_code == 0, built.stderr
    assert len(json.loads(built.stdout)["nodes"]) >= 2
    words = ["play", network, "--point", "0", "1.3", "--seconds", "2", "-o", str(tmp_path / "out.bvh"), "--json"]
    assert json.loads(CliRunner().invoke(main, words, catch_exceptions=False).stdout)["slip_mm_max"] < 1.0


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
