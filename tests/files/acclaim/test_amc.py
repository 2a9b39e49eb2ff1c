"""AMC as it is read: laws, spelling, damage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.errors import FormatError, MotionError
from mocapella.files.acclaim import amc
from mocapella.files.acclaim.asf import read_asf
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from tests.files.acclaim.asf_samples import THREE_BONES, load_amc

HEADER = "#!OML:ASF arm.asf\n:FULLY-SPECIFIED\n:DEGREES\n"


def frame(number, shift=0.0):
    return f"{number}\nroot {1 + shift} 2 3 10 20 30\nupper 40 50 {60 + shift}\nlower -2.5e-015 0.5\n"


MOTION = HEADER + "".join(frame(number, number / 10) for number in range(1, 6))


@pytest.fixture
def read(amc_reader):
    return amc_reader


def world(parsed):
    return kinematics.forward(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz)


# Laws


@settings(max_examples=30, deadline=None)
@given(
    axis=st.tuples(*[st.floats(-180, 180)] * 3),
    direction=st.tuples(*[st.floats(-1, 1)] * 3),
    angle=st.floats(-360, 360),
    letter=st.sampled_from("xyz"),
)
def test_a_dof_keeps_its_bone_at_the_same_angle_to_its_own_axis(tmp_path_factory, axis, direction, angle, letter):
    folder = tmp_path_factory.mktemp("dof")
    path = folder / "one.asf"
    path.write_text(
        ":root\norder TX TY TZ RX RY RZ\n:bonedata\nbegin\nname arm\n"
        f"direction {direction[0]!r} {direction[1]!r} {direction[2]!r}\nlength 2\n"
        f"axis {axis[0]!r} {axis[1]!r} {axis[2]!r} XYZ\ndof r{letter}\nend\n:hierarchy\nroot arm\n"
    )
    motion = folder / "one.amc"
    motion.write_text(f"1\nroot 0 0 0 0 0 0\narm 0\n2\nroot 0 0 0 0 0 0\narm {angle!r}\n")
    parsed = load_amc(motion, path)
    ends = kinematics.end_positions(parsed.skeleton, *world(parsed))[:, 0]
    own = quaternions.rotate(parsed.skeleton.axes_wxyz[1], np.eye(3)["xyz".index(letter)])
    np.testing.assert_allclose(ends[0], 2 * np.array(direction), atol=1e-12)
    np.testing.assert_allclose(ends[1] @ own, ends[0] @ own, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(ends[1]), np.linalg.norm(ends[0]), atol=1e-12)


def test_bones_may_stand_in_any_order_within_a_frame(read):
    lines = MOTION.splitlines()
    lines[8], lines[9], lines[10] = lines[10], lines[8], lines[9]  # in frame 2 only
    shuffled = read("\n".join(lines))
    expected = read(MOTION)
    np.testing.assert_array_equal(shuffled.rotations_wxyz, expected.rotations_wxyz)
    np.testing.assert_array_equal(shuffled.root_positions, expected.root_positions)


def test_all_frames_at_once_and_line_by_line_give_the_same(read, monkeypatch):
    at_once = read(MOTION)
    monkeypatch.setattr(amc._Pattern, "decode", lambda *_: None)
    by_line = read(MOTION)
    np.testing.assert_array_equal(by_line.rotations_wxyz, at_once.rotations_wxyz)
    np.testing.assert_array_equal(by_line.root_positions, at_once.root_positions)


@pytest.mark.parametrize("chunk", [1, 60, 100, 250])
def test_the_size_of_chunks_makes_no_difference(read, monkeypatch, chunk):
    expected = read(MOTION)
    cut = read(MOTION[:-20], partial=True)
    monkeypatch.setattr(amc, "_CHUNK", chunk)
    np.testing.assert_array_equal(read(MOTION).rotations_wxyz, expected.rotations_wxyz)
    assert read(MOTION[:-20], partial=True).findings == cut.findings
    with pytest.raises(FormatError, match=r"swing.amc:10: expected 3 values for 'upper'"):
        read(MOTION.replace("upper 40 50 60.2", "upper 40 50"))


def test_root_channels_in_another_order_give_the_same_place(read, tmp_path):
    other = tmp_path / "other.asf"
    other.write_text(THREE_BONES.replace("TX TY TZ RX RY RZ", "rx tz ry tx rz ty"))
    text = HEADER + "1\nroot 10 3 20 1 30 2\nupper 40 50 60\nlower 0 0\n"
    plain = HEADER + "1\nroot 1 2 3 10 20 30\nupper 40 50 60\nlower 0 0\n"
    mixed = read(text, read_asf(other))
    np.testing.assert_allclose(mixed.root_positions, [[1, 2, 3]])
    np.testing.assert_allclose(mixed.rotations_wxyz, read(plain).rotations_wxyz, atol=1e-15)


def test_a_preset_moves_the_root_and_turns_it_before_the_motion_does(read, tmp_path):
    other = tmp_path / "other.asf"
    preset = THREE_BONES.replace("position 0 0 0", "position 5 0 0").replace("orientation 0 0 0", "orientation 0 90 0")
    other.write_text(preset)
    plain, moved = read(MOTION), read(MOTION, read_asf(other))
    np.testing.assert_allclose(moved.root_positions, plain.root_positions + np.array([5, 0, 0]))
    expected = quaternions.multiply(plain.rotations_wxyz[:, 0], quaternions.about_y(np.pi / 2))
    np.testing.assert_allclose(moved.rotations_wxyz[:, 0], expected, atol=1e-12)
    np.testing.assert_array_equal(moved.rotations_wxyz[:, 1:], plain.rotations_wxyz[:, 1:])


def test_radians_in_the_motion_overrule_degrees_in_the_skeleton(read):
    text = ":FULLY-SPECIFIED\n:RADIANS\n1\nroot 0 0 0 0 0.5 0\nupper 0 0 0\nlower 0 0\n"
    np.testing.assert_allclose(read(text).rotations_wxyz[0, 0], quaternions.about_y(0.5))


# Spelling


def test_line_ends_comments_blanks_and_plus_signs_change_nothing(read):
    expected = read(MOTION)
    spellings = [
        MOTION.replace("\n", "\r\n"),
        MOTION.replace("\n", "\r\n", 7),
        MOTION.replace("\n", "\r"),
        MOTION.replace("3\n", "3   # three\n").replace("lower", "\t lower\t"),
        MOTION.replace(" 2 3", "\t+2.   3.0e0").replace(" 0.5", " .5"),
        MOTION.replace("upper", "\n\n  upper"),
        MOTION.replace("upper", "link\nupper"),  # a bone without dofs may be named
        "\ufeff" + MOTION,
        MOTION.rstrip(),
    ]
    for text in spellings:
        parsed = read(text)
        np.testing.assert_array_equal(parsed.root_positions, expected.root_positions)
        np.testing.assert_array_equal(parsed.rotations_wxyz, expected.rotations_wxyz)


def test_a_frame_rate_is_assumed_only_where_nobody_states_it(read, tmp_path):
    assumed = read(MOTION)
    assert assumed.frame_rate == 120.0
    assert [(finding.code, finding.doubtful) for finding in assumed.findings] == [("frame-rate-assumed", False)]
    stated = read(MOTION.replace(":DEGREES", ":SAMPLES-PER-SECOND 60\n:DEGREES"))
    assert (stated.frame_rate, stated.findings) == (60.0, ())
    asked = read(MOTION, frame_rate=30.0)
    assert (asked.frame_rate, asked.findings) == (30.0, ())
    with pytest.raises(MotionError, match="frame rate above 0"):
        mo.load(tmp_path / "swing.amc", frame_rate=0.0)


def test_frames_that_do_not_count_upward_are_taken_as_they_come_and_reported(read):
    parsed = read(HEADER + frame(1) + frame(2) + frame(7) + frame(7))
    assert len(parsed.root_positions) == 4
    finding = parsed.findings[0]
    assert (finding.code, finding.frames, finding.doubtful) == ("frame-numbers", (2, 3), True)


# Damage


@pytest.mark.parametrize("lost", [4, 5, 6, 9, 12, 15, 19, 20, 21, 30, 37, 45, 59, 60])
def test_a_file_that_ends_within_a_frame_is_refused_unless_the_frames_before_it_are_asked_for(read, lost):
    whole = read(MOTION)
    with pytest.raises(FormatError, match=r"swing.amc:2[0123]: the file ends within frame 5; partial=True uses"):
        read(MOTION[:-lost])
    cut = read(MOTION[:-lost], partial=True)
    assert len(cut.root_positions) == 4
    np.testing.assert_array_equal(cut.rotations_wxyz, whole.rotations_wxyz[:4])
    assert [(f.code, f.frames) for f in cut.findings if f.doubtful] == [("truncated", (4,))]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("upper 40 50 60.2", "upper 40 50", 10, "expected 3 values for 'upper', one for each of its dofs in"),
        ("upper 40 50 60.2", "upper 40 50 60 70", 10, "found 4"),
        ("upper 40 50 60.2", "uper 40 50 60", 10, "'uper' is not a bone of"),
        ("upper 40 50 60.2", "link 1\nupper 40 50 60", 10, "expected 0 values for 'link'"),
        ("upper 40 50 60.2\n", "", 8, "frame 2 has no line for 'upper'"),
        ("upper 40 50 60.2\n", "upper 40 50 60\nupper 40 50 60\n", 11, "'upper' stands twice in frame 2"),
        ("root 1.2 2 3 10 20 30\n", "", 8, "no line for 'root'"),
        ("40 50 60.2", "40 nan 60", 10, "expected a number for 'upper', found 'nan'"),
        ("40 50 60.2", "40 1e999 60", 10, "expected a number for 'upper', found '1e999'"),
        ("40 50 60.2", "40 5_0 60", 10, "found '5_0'"),
        ("40 50 60.2", "40 5,0 60", 10, "found '5,0'"),
        ("40 50 60.2", "40 0x10 60", 10, "found '0x10'"),
        (frame(1, 0.1), frame(1, 0.1)[2:], 4, "expected the number of a frame, found 'root'"),
        (":DEGREES", ":SAMPLES-PER-SECOND fast", 3, "expected a frame rate above 0, found 'fast'"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(read, old, new, line, reason):
    assert old in MOTION
    with pytest.raises(FormatError) as caught:
        read(MOTION.replace(old, new, 1))
    assert reason in caught.value.reason
    assert caught.value.line == line


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n \n",
        HEADER.encode(),
        b"\x00\xff\x80" * 5000,
        b"1\n" * 50_000,
        b"1\nroot " + b"1 " * 100_000,
        (HEADER + frame(1)).encode()[:-20],
        b":x\n" * 50_000,
        b"9" * 50_000,
        b"\n" * 100_000 + b"x",
    ],
)
def test_what_is_no_motion_is_refused(read, content):
    with pytest.raises(FormatError):
        read(content)


def test_a_small_motion_of_many_bones_without_dofs_cannot_fill_the_memory(read, tmp_path):
    bones = "".join(f"begin\nname b{i}\ndirection 0 1 0\nlength 1\nend\n" for i in range(300))
    stiff = f":root\norder RX\n:bonedata\n{bones}:hierarchy\nroot {' '.join(f'b{i}' for i in range(300))}\n"
    path = tmp_path / "stiff.asf"
    path.write_text(stiff)
    motion = "".join(f"{number}\nroot 5\n" for number in range(40_000))  # 500 kB that would become 400 MB
    with pytest.raises(FormatError, match="a motion of 301 joints in 40,000 frames would take 4,592 MiB of memory"):
        read(motion, read_asf(path))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_read_but_never_crash(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    (folder / "arm.asf").write_text(THREE_BONES)
    content = bytearray(MOTION.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    (folder / "swing.amc").write_bytes(content)
    try:
        parsed = load_amc(folder / "swing.amc", folder / "arm.asf")
    except FormatError:
        return
    assert np.isfinite(parsed.rotations_wxyz).all()
    assert np.isfinite(parsed.root_positions).all()
