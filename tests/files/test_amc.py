import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import FormatError, MotionError
from mocapella.files import amc_frames
from mocapella.files.amc import load_amc, read_amc
from mocapella.files.asf import read_asf
from mocapella.files.bvh import read_bvh
from mocapella.geometry import quaternions
from mocapella.motion import kinematics

CMU = 0.0254 / 0.45  # metres

SKELETON = """\
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
    axis 30 0 20 XYZ
    dof rx ry rz
  end
  begin
    name link
    direction 0 0 1
    length 1
    axis 0 0 0 XYZ
  end
  begin
    name lower
    direction 0 -1 0
    length 2
    axis -90 10 20 XYZ
    dof rx rz
  end
:hierarchy
  root upper
  upper link
  link lower
"""
HEADER = "#!OML:ASF arm.asf\n:FULLY-SPECIFIED\n:DEGREES\n"


def frame(number, shift=0.0):
    return f"{number}\nroot {1 + shift} 2 3 10 20 30\nupper 40 50 {60 + shift}\nlower -2.5e-015 0.5\n"


MOTION = HEADER + "".join(frame(number, number / 10) for number in range(1, 6))


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.asf"
    path.write_text(SKELETON)
    return read_asf(path)


@pytest.fixture
def read(tmp_path, arm):
    def read(text, asf=arm, **options):
        path = tmp_path / "swing.amc"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_amc(path, asf, **options)

    return read


def rotation_matrix(letter, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[letter.lower()]
    out = np.eye(3)
    out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
    return out


def plain_skeleton(path):
    """An ASF file by split() and dicts, for files known to be well formed."""
    sections = path.read_text().replace("\r", "").split(":bonedata")[1].split(":hierarchy")
    bones = {}
    for block in sections[0].split("begin")[1:]:
        lines = [line.split() for line in block.splitlines() if line.split()]
        keys = {words[0]: words[1:] for words in lines}
        *angles, order = keys["axis"]
        turn = np.eye(3)
        for letter, angle in zip("xyz", angles, strict=True):
            turn = rotation_matrix(letter, float(angle)) @ turn
        assert order == "XYZ"
        reach = float(keys["length"][0]) * np.array([float(word) for word in keys["direction"]])
        bones[keys["name"][0]] = (reach, turn, [dof[1] for dof in keys.get("dof", [])])
    parents = {}
    for line in sections[1].splitlines():
        words = line.split()
        if len(words) > 1:
            parents |= dict.fromkeys(words[1:], words[0])
    return bones, parents


def plain_motion(path):
    """The frames of an AMC file, each a dict of name to values."""
    frames = []
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 1 and words[0].isdigit():
            frames.append({})
        elif frames and words:
            frames[-1][words[0]] = [float(word) for word in words[1:]]
    return frames


def bone_ends(bones, parents, values):
    """World places of all bones' ends: R = B·C·M·C⁻¹, P = K + R·(length·direction)."""
    x, y, z, *angles = values["root"]
    turns, ends = {"root": np.eye(3)}, {"root": np.array([x, y, z])}
    for letter, angle in zip("xyz", angles, strict=True):
        turns["root"] = rotation_matrix(letter, angle) @ turns["root"]
    for name, parent in parents.items():
        reach, turn, dofs = bones[name]
        motion = np.eye(3)
        for letter, angle in zip(dofs, values.get(name, []), strict=True):
            motion = rotation_matrix(letter, angle) @ motion
        turns[name] = turns[parent] @ turn @ motion @ turn.T
        ends[name] = ends[parent] + turns[name] @ reach
    return ends


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
    monkeypatch.setattr(amc_frames._Pattern, "decode", lambda *_: None)
    by_line = read(MOTION)
    np.testing.assert_array_equal(by_line.rotations_wxyz, at_once.rotations_wxyz)
    np.testing.assert_array_equal(by_line.root_positions, at_once.root_positions)


@pytest.mark.parametrize("chunk", [1, 60, 100, 250])
def test_the_size_of_chunks_makes_no_difference(read, monkeypatch, chunk):
    expected = read(MOTION)
    cut = read(MOTION[:-20], partial=True)
    monkeypatch.setattr(amc_frames, "_CHUNK", chunk)
    np.testing.assert_array_equal(read(MOTION).rotations_wxyz, expected.rotations_wxyz)
    assert read(MOTION[:-20], partial=True).findings == cut.findings
    with pytest.raises(FormatError, match=r"swing.amc:10: expected 3 values for 'upper'"):
        read(MOTION.replace("upper 40 50 60.2", "upper 40 50"))


def test_root_channels_in_another_order_give_the_same_place(read, tmp_path):
    other = tmp_path / "other.asf"
    other.write_text(SKELETON.replace("TX TY TZ RX RY RZ", "rx tz ry tx rz ty"))
    text = HEADER + "1\nroot 10 3 20 1 30 2\nupper 40 50 60\nlower 0 0\n"
    plain = HEADER + "1\nroot 1 2 3 10 20 30\nupper 40 50 60\nlower 0 0\n"
    mixed = read(text, read_asf(other))
    np.testing.assert_allclose(mixed.root_positions, [[1, 2, 3]])
    np.testing.assert_allclose(mixed.rotations_wxyz, read(plain).rotations_wxyz, atol=1e-15)


def test_a_preset_moves_the_root_and_turns_it_before_the_motion_does(read, tmp_path):
    other = tmp_path / "other.asf"
    preset = SKELETON.replace("position 0 0 0", "position 5 0 0").replace("orientation 0 0 0", "orientation 0 90 0")
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


def test_a_frame_rate_is_assumed_only_where_nobody_states_it(read):
    assumed = read(MOTION)
    assert assumed.frame_rate == 120.0
    assert [(finding.code, finding.doubtful) for finding in assumed.findings] == [("frame-rate-assumed", False)]
    stated = read(MOTION.replace(":DEGREES", ":SAMPLES-PER-SECOND 60\n:DEGREES"))
    assert (stated.frame_rate, stated.findings) == (60.0, ())
    asked = read(MOTION, frame_rate=30.0)
    assert (asked.frame_rate, asked.findings) == (30.0, ())
    with pytest.raises(MotionError, match="frame rate above 0"):
        read(MOTION, frame_rate=0.0)


def test_frames_that_do_not_count_upward_are_taken_as_they_come_and_reported(read):
    parsed = read(HEADER + frame(1) + frame(2) + frame(7) + frame(7))
    assert len(parsed.root_positions) == 4
    finding = parsed.findings[0]
    assert (finding.code, finding.frames, finding.doubtful) == ("frame-numbers", (2, 3), True)


# Damage


@pytest.mark.parametrize("lost", [4, 5, 6, 9, 12, 15, 19, 20, 21, 30, 37, 45, 59, 60])
def test_a_file_that_ends_within_a_frame_is_refused_unless_the_frames_before_it_are_asked_for(read, lost):
    whole = read(MOTION)
    with pytest.raises(FormatError, match=r"swing.amc:2[0123]: the file ends within frame 5; ask for a partial read"):
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
        ("upper 40 50 60.2", "uper 40 50 60", 10, "'uper' is no bone of"),
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
    with pytest.raises(FormatError, match="301 joints with only 1 channels in 40,000 frames are not read"):
        read(motion, read_asf(path))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_read_but_never_crash(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    (folder / "arm.asf").write_text(SKELETON)
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


# Real captures


@pytest.mark.data
@pytest.mark.parametrize("trial", ["07_01", "16_15", "60_10"])
def test_a_capture_stands_where_the_textbook_formula_puts_it(data_folder, trial):
    folder = data_folder / "cmu-asfamc" / trial[:2]
    parsed = load_amc(folder / f"{trial}.amc", folder / f"{trial[:2]}.asf")
    bones, parents = plain_skeleton(folder / f"{trial[:2]}.asf")
    frames = plain_motion(folder / f"{trial}.amc")
    assert len(frames) == len(parsed.root_positions)
    positions, world_wxyz = world(parsed)
    ends = kinematics.end_positions(parsed.skeleton, positions, world_wxyz)
    leaves = [parsed.skeleton.names[joint] for joint in parsed.skeleton.end_joints]
    for row in range(0, len(frames), 50):
        expected = bone_ends(bones, parents, frames[row])
        starts = [expected[parents[name]] for name in parsed.skeleton.names[1:]]
        np.testing.assert_allclose(positions[row, 1:], starts, atol=1e-10)
        np.testing.assert_allclose(ends[row], [expected[name] for name in leaves], atol=1e-10)


LEGS = {"lfemur": "LeftUpLeg", "ltibia": "LeftLeg", "lfoot": "LeftFoot", "ltoes": "LeftToeBase"}
LEGS |= {name.replace("l", "r", 1): bvh.replace("Left", "Right") for name, bvh in LEGS.items()}
SPINE = {"root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1"}
ABOVE = {"lowerneck": "Neck", "upperneck": "Neck1", "head": "Head", "lhumerus": "LeftArm", "rradius": "RightForeArm"}


@pytest.mark.data
@pytest.mark.parametrize("trial", ["07_01", "16_15", "60_10"])
def test_legs_agree_with_the_bvh_of_the_same_capture(data_folder, trial):
    folder = data_folder / "cmu-asfamc" / trial[:2]
    ours = load_amc(folder / f"{trial}.amc", folder / f"{trial[:2]}.asf")
    theirs = read_bvh(data_folder / "cmu-bvh" / trial[:2] / f"{trial}.bvh")
    positions, _ = world(ours)
    others = world(theirs)[0][1:]  # the first frame is a made-up T-pose
    for name, bvh_name in {**LEGS, **SPINE}.items():
        apart = positions[:, ours.skeleton.index(name)] - others[:, theirs.skeleton.index(bvh_name)]
        assert np.linalg.norm(apart, axis=-1).max() * CMU < 1e-4, name


@pytest.mark.data
def test_neck_head_and_arms_are_apart_from_the_bvh_by_the_thorax_bone_it_leaves_out(data_folder):
    folder = data_folder / "cmu-asfamc" / "07"
    ours = load_amc(folder / "07_01.amc", folder / "07.asf")
    theirs = read_bvh(data_folder / "cmu-bvh" / "07" / "07_01.bvh")
    positions, world_wxyz = world(ours)
    others = world(theirs)[0][1:]
    neck, thorax = ours.skeleton.index("lowerneck"), ours.skeleton.index("thorax")
    left_out = quaternions.rotate(world_wxyz[:, thorax], ours.skeleton.offsets[neck])
    assert 0.10 < np.linalg.norm(ours.skeleton.offsets[neck]) * CMU < 0.14
    for name, bvh_name in ABOVE.items():
        apart = positions[:, ours.skeleton.index(name)] - others[:, theirs.skeleton.index(bvh_name)]
        np.testing.assert_allclose(apart * CMU, left_out * CMU, atol=1e-4, err_msg=name)


@pytest.mark.data
def test_a_motion_with_three_angles_for_every_bone_is_refused(data_folder):
    with pytest.raises(FormatError, match=r"3dof.amc:5: expected 0 values for 'lhipjoint'.* found 3"):
        load_amc(data_folder / "odd-asfamc" / "16_11-all-3dof.amc", data_folder / "cmu-asfamc" / "16" / "16.asf")


@pytest.mark.data
def test_of_a_motion_that_stops_within_its_last_frame_the_whole_ones_can_be_had(data_folder):
    motion, skeleton = data_folder / "odd-asfamc" / "07_12-truncated.amc", data_folder / "cmu-asfamc" / "07" / "07.asf"
    with pytest.raises(FormatError, match="the file ends within frame 245"):
        load_amc(motion, skeleton)
    parsed = load_amc(motion, skeleton, partial=True)
    assert len(parsed.root_positions) == 244
    finding = parsed.findings[0]
    assert (finding.code, finding.frames, finding.doubtful) == ("truncated", (244,), True)
    assert "frame 245" in finding.message


@pytest.mark.data
def test_a_motion_by_endorphin_is_read_at_the_height_of_a_person(data_folder):
    folder = data_folder / "odd-asfamc"
    parsed = load_amc(folder / "endorphin-walking.amc", folder / "endorphin-skeleton.asf")
    assert parsed.rotations_wxyz.shape == (1741, 34, 4)
    positions, _ = world(parsed)
    assert 1.5 < np.ptp(positions[0, :, 1]) < 1.8  # metres, whatever its length unit says
    zeros = load_amc(folder / "zeros.amc", data_folder / "cmu-asfamc" / "07" / "07.asf")
    np.testing.assert_allclose(zeros.rotations_wxyz, np.broadcast_to(quaternions.IDENTITY, (7, 31, 4)), atol=1e-15)
