import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mocapella.errors import FormatError
from mocapella.files import bvh, parsed
from mocapella.files.bvh import read_bvh
from mocapella.geometry import quaternions
from mocapella.motion import kinematics

ARM = """\
HIERARCHY
ROOT shoulder
{
\tOFFSET 0 0 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT elbow
\t{
\t\tOFFSET 30 0 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 25 0 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.0083333
1 2 3 90 0 0 0 0 90
1 2 4 30 20 10 -40 50 60
"""


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "arm.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_bvh(path, **options)

    return read


def world(parsed):
    offsets = np.tile(parsed.skeleton.offsets, (len(parsed.root_positions), 1, 1))
    for i, joint in enumerate(parsed.sliding_joints):
        offsets[:, joint] = parsed.slides[:, i]
    return kinematics.forward(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz, offsets)


def ends(parsed):
    return kinematics.end_positions(parsed.skeleton, *world(parsed))


def same(a, b):
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.rotation_orders == b.skeleton.rotation_orders
    np.testing.assert_array_equal(a.skeleton.offsets, b.skeleton.offsets)
    np.testing.assert_array_equal(a.root_positions, b.root_positions)
    np.testing.assert_array_equal(a.rotations_wxyz, b.rotations_wxyz)
    np.testing.assert_array_equal(a.slides, b.slides)
    assert a.frame_rate == b.frame_rate


def chain(channels, rows, offsets=((0, 0, 0), (0, 10, 0))):
    """A file of joints below one another with these channel lines."""
    lines = ["HIERARCHY"]
    for i, (channel_line, offset) in enumerate(zip(channels, offsets, strict=True)):
        words = channel_line.split()
        lines += [f"{'JOINT' if i else 'ROOT'} j{i}", "{", "OFFSET " + " ".join(map(repr, offset))]
        lines += [f"CHANNELS {len(words)} {channel_line}"]
    lines += ["}"] * len(channels) + ["MOTION", f"Frames: {len(rows)}", "Frame Time: 0.01"]
    return "\n".join(lines + [" ".join(map(repr, row)) for row in rows]) + "\n"


# Poses


def test_the_pose_of_a_two_joint_arm_is_what_the_hand_computes(read):
    """Shoulder turned by 90° about z: the upper arm points along +y. Elbow turned by 90° about its own y: x to −z."""
    arm = read(ARM)
    positions, _ = world(arm)
    np.testing.assert_allclose(positions[0], [[1, 2, 3], [1, 32, 3]], atol=1e-9)
    np.testing.assert_allclose(ends(arm)[0], [[1, 32, 3 - 25]], atol=1e-9)
    c, s = np.cos(np.radians([30, 20, 10])), np.sin(np.radians([30, 20, 10]))
    x_axis = [c[0] * c[2] - s[0] * s[1] * s[2], s[0] * c[2] + c[0] * s[1] * s[2], -c[1] * s[2]]  # of Rz·Rx·Ry, by hand
    np.testing.assert_allclose(positions[1, 1], np.array([1, 2, 4]) + 30 * np.array(x_axis), atol=1e-9)


def test_with_all_channels_zero_joints_stand_at_the_sums_of_their_offsets(read):
    offsets = ((0.0, 0.0, 0.0), (1.0, 10.0, -2.0), (0.5, 7.25, 3.0))
    still = read(
        chain(["Xposition Yposition Zposition Zrotation Yrotation Xrotation", "Xrotation", ""], [[0] * 7], offsets)
    )
    np.testing.assert_allclose(world(still)[0][0], np.cumsum(offsets, axis=0), atol=1e-12)


@pytest.mark.parametrize("order", ["ZXY", "ZYX", "XYZ", "YXZ", "XZY", "YZX"])
def test_rotations_follow_the_order_of_their_channels(read, order):
    angles = [40.0, -25.0, 110.0]
    turned = read(chain(["", " ".join(f"{axis}rotation" for axis in order)], [angles]))
    expected = Rotation.from_euler(order, angles, degrees=True).as_matrix()
    np.testing.assert_allclose(quaternions.to_matrix(turned.rotations_wxyz[0, 1]), expected, atol=1e-12)
    assert turned.skeleton.rotation_orders == ("", order)


@given(order=st.permutations("XYZ"), letters=st.integers(1, 3), angles=st.tuples(*[st.floats(-720, 720)] * 3))
@settings(max_examples=40, deadline=None)
def test_one_to_three_rotation_channels_in_any_order_are_multiplied_left_to_right(
    tmp_path_factory, order, letters, angles
):
    order, angles = "".join(order[:letters]), list(angles[:letters])
    path = tmp_path_factory.mktemp("orders") / "turn.bvh"
    path.write_text(chain([" ".join(f"{axis}rotation" for axis in order)], [angles], [(0, 0, 0)]))
    turned = quaternions.to_matrix(read_bvh(path).rotations_wxyz[0, 0])
    np.testing.assert_allclose(turned, Rotation.from_euler(order, angles, degrees=True).as_matrix(), atol=1e-9)


def test_positions_may_stand_among_and_after_the_rotations(read):
    plain = read(ARM)
    mixed = ARM.replace("Xposition Yposition Zposition Zrotation Xrotation Yrotation",
                        "Zrotation Zposition Xrotation Yposition Yrotation Xposition")  # fmt: skip
    mixed = mixed.replace("1 2 3 90 0 0", "90 3 0 2 0 1").replace("1 2 4 30 20 10", "30 4 20 2 10 1")
    same(read(mixed), plain)


def test_a_joint_without_channels_never_turns_and_keeps_its_place(read):
    text = ARM.replace("\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n", "")
    text = text.replace(" 0 0 90\n", "\n").replace(" -40 50 60\n", "\n")
    arm = read(text)
    assert arm.skeleton.rotation_orders == ("ZXY", "")
    np.testing.assert_array_equal(arm.rotations_wxyz[:, 1], np.tile(quaternions.IDENTITY, (2, 1)))
    same(read(text.replace("\t\tEnd Site", "\t\tCHANNELS 0\n\t\tEnd Site")), arm)


def test_a_root_without_position_channels_stands_at_its_offset(read):
    still = read(chain(["Yrotation"], [[5.0], [6.0]], [(1.0, 2.0, 3.0)]))
    np.testing.assert_array_equal(still.root_positions, [[1, 2, 3], [1, 2, 3]])


# Position channels below the root

SIX = "Xposition Yposition Zposition Zrotation Yrotation Xrotation"


def test_position_channels_that_repeat_the_offset_are_folded_into_it(read):
    rows = [[0, 90, 0, 0, 0, 0, 0.0, 10.5, 0.25, 5, 0, 0], [0, 91, 0, 0, 0, 0, 0.0, 10.5, 0.25, 7, 0, 0]]
    folded = read(chain([SIX, SIX], rows))
    assert len(folded.sliding_joints) == 0
    np.testing.assert_array_equal(folded.skeleton.offsets[1], [0, 10.5, 0.25])
    assert folded.findings == ()


def test_position_channels_that_move_are_kept(read):
    rows = [[0, 90, 0, 0, 0, 0, 0.0, 10.0, 0.0, 5, 0, 0], [0, 91, 0, 90, 0, 0, 0.0, 12.0, 0.0, 7, 0, 0]]
    sliding = read(chain([SIX, SIX], rows))
    np.testing.assert_array_equal(sliding.sliding_joints, [1])
    np.testing.assert_array_equal(sliding.slides[:, 0], [[0, 10, 0], [0, 12, 0]])
    np.testing.assert_allclose(world(sliding)[0][1], [[0, 91, 0], [-12, 91, 0]], atol=1e-12)
    finding = sliding.findings[0]
    assert (finding.code, finding.doubtful) == ("sliding-joints", False)
    assert "j1" in finding.message


def test_position_channels_that_count_from_the_offset_are_added_to_it(read):
    zero = [[0, 90, 0, 0, 0, 0, 0.0, 0.0, 0.0, 5, 0, 0], [0, 91, 0, 0, 0, 0, 0.0, 2.0, 0.0, 7, 0, 0]]
    repeated = [[0, 90, 0, 0, 0, 0, 0.0, 10.0, 0.0, 5, 0, 0], [0, 91, 0, 0, 0, 0, 0.0, 12.0, 0.0, 7, 0, 0]]
    added, replaced = read(chain([SIX, SIX], zero)), read(chain([SIX, SIX], repeated))
    np.testing.assert_array_equal(added.slides, replaced.slides)
    assert [finding.code for finding in added.findings] == ["added-positions", "sliding-joints"]


def test_the_root_decides_for_itself_whether_its_positions_count_from_its_offset(read):
    rows = [[3.0, 1.0, 0.0, 0, 0, 0], [4.0, 1.0, 0.0, 0, 0, 0]]
    added = read(chain([SIX], rows, [(0.0, 90.0, 0.0)]))
    np.testing.assert_array_equal(added.root_positions, [[3, 91, 0], [4, 91, 0]])
    rows[0][1] = rows[1][1] = 92.0
    replaced = read(chain([SIX], rows, [(0.0, 90.0, 0.0)]))
    np.testing.assert_array_equal(replaced.root_positions, [[3, 92, 0], [4, 92, 0]])


def test_an_axis_without_a_position_channel_stays_at_the_offset(read):
    one = read(chain(["Xrotation", "Yposition"], [[0, 11.0], [0, 12.0]], [(0, 0, 0), (1.0, 10.0, 2.0)]))
    np.testing.assert_array_equal(one.slides[:, 0], [[1, 11, 2], [1, 12, 2]])


# Trees


def test_end_sites_may_be_missing(read):
    bare = ARM.replace("\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 25 0 0\n\t\t}\n", "")
    arm = read(bare)
    assert arm.skeleton.n_ends == 0
    np.testing.assert_array_equal(arm.rotations_wxyz, read(ARM).rotations_wxyz)


def test_a_joint_may_have_several_end_sites_and_children_too(read):
    end = "End Site\n{\nOFFSET 0 5 0\n}\n"
    arm = read(ARM.replace("\tJOINT elbow", end + end.replace("5", "7") + "JOINT elbow"))
    assert arm.skeleton.names == ("shoulder", "elbow")
    np.testing.assert_array_equal(arm.skeleton.end_joints, [0, 0, 1])
    np.testing.assert_array_equal(arm.skeleton.end_offsets, [[0, 5, 0], [0, 7, 0], [25, 0, 0]])


def test_joints_come_in_the_order_of_the_file_and_know_their_parents(read):
    joint = "JOINT {0}\n{{\nOFFSET 0 1 0\n{1}}}\n"
    tree = joint.format("a", joint.format("b", "") + joint.format("c", "")) + joint.format("d", "")
    head, tail = ARM.split("\tJOINT elbow")
    branched = read(head + tree + "JOINT elbow" + tail)
    assert branched.skeleton.names == ("shoulder", "a", "b", "c", "d", "elbow")
    np.testing.assert_array_equal(branched.skeleton.parents, [-1, 0, 1, 1, 0, 0])


@pytest.mark.parametrize(
    "name", ["mixamorig:LeftUpLeg", "Left Up Leg", "hüfte", "関節", "a.b-c_d|e/f", "End", "12", "#1"]
)
def test_names_may_hold_blanks_colons_and_any_letter(read, name):
    assert read(ARM.replace("elbow", name)).skeleton.names == ("shoulder", name)


def test_names_that_are_no_utf8_are_taken_byte_for_byte(read):
    assert read(ARM.encode().replace(b"elbow", b"h\xfcfte")).skeleton.names == ("shoulder", "hüfte")


# Spelling


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text.replace("\t", "    "),
        lambda text: text.replace("\t", ""),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\n", 9),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\r", 17),
        lambda text: "\r\r".join(text.rsplit("\n", 2)),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text.replace("\n{", " {"),
        lambda text: text.replace("{", "{\n\n").replace("}\n", "}"),
        lambda text: text.replace("1 2", "\n\n1 2") + "\n \n\t\n",
        lambda text: text.rstrip(),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("Frames:", "Frames :").replace("Time:", "Time :"),
        lambda text: text.replace("Frames: ", "Frames:\t").replace("Frame Time: ", "Frame  Time:   "),
        lambda text: text.replace("0.0083333", ".0083333"),
        lambda text: text.replace("0.0083333", "8.3333e-3"),
        lambda text: text.replace("0.0083333", "0.008333333333333333"),
        lambda text: text.replace("1 2 4", "1.0e+00 +2. 40E-1").replace("30 20", "3e1 2.0E1"),
        lambda text: text.replace("OFFSET 30 0", "OFFSET +3.0e1 -.0"),
        lambda text: text.replace("End Site", "End Site elbow_end"),
        lambda text: text.replace("\tOFFSET 0 0 0\n", "").replace("Zrotation Xrotation Yrotation\n\tJ",
                                                                  "Zrotation Xrotation Yrotation\n\tOFFSET 0 0 0\n\tJ"),
    ],
)  # fmt: skip
def test_spelling_changes_nothing(read, spell):
    assert spell(ARM) != ARM
    same(read(spell(ARM)), read(ARM))


def test_keywords_may_be_written_in_any_case(read):
    for change in (str.upper, str.lower, str.title):
        text = change(ARM)
        assert [name.lower() for name in read(text).skeleton.names] == ["shoulder", "elbow"]
        np.testing.assert_array_equal(read(text).rotations_wxyz, read(ARM).rotations_wxyz)


@pytest.mark.parametrize(
    ("frame_time", "rate"),
    [
        (".0083333", 120.0),
        (".00833", 1 / 0.00833),
        ("0.0333333", 30.0),
        ("0.033367", 29.97002997),
        ("0.041667", 24.0),
        ("0.0417083333", 23.976023976),
        ("1", 1.0),
        ("0.010000", 100.0),
        ("0.0130", 1 / 0.013),
        ("1e-6", 1e6),
        ("3600", 1 / 3600),
    ],
)
def test_frame_times_give_whole_or_film_rates_where_rounding_allows(read, frame_time, rate):
    np.testing.assert_allclose(read(ARM.replace("0.0083333", frame_time)).frame_rate, rate, rtol=1e-9)


# Refusals


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("HIERARCHY", "HIRARCHY", 1, "expected HIERARCHY, found 'HIRARCHY'"),
        ("ROOT", "RUUT", 2, "expected ROOT, found 'RUUT'"),
        ("ROOT shoulder", "ROOT", 3, "expected the name of a joint, found '{'"),
        ("JOINT elbow\n\t{", "JOINT elbow\n", 8, "expected {, found 'OFFSET'"),
        ("OFFSET 30 0 0", "OFFSET 30 0", 9, "expected a number for an offset, found 'CHANNELS'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 nan", 8, "expected a number for an offset, found 'nan'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 1e300", 8, "expected a number for an offset, found '1e300'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 1_0", 8, "found '1_0'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 0 0", 8, "expected OFFSET, CHANNELS, JOINT, End Site or }, found '0'"),
        ("\t\tOFFSET 30 0 0\n", "", 13, "joint 'elbow' ends without an OFFSET"),
        ("\t\tOFFSET 30 0 0\n", "\t\tOFFSET 30 0 0\n\t\tOFFSET 3 0 0\n", 9, "a second OFFSET"),
        ("CHANNELS 3", "CHANNELS three", 9, "expected a whole number for the count of channels, found 'three'"),
        ("CHANNELS 3", "CHANNELS -3", 9, "expected a whole number for the count of channels, found '-3'"),
        ("CHANNELS 3", "CHANNELS 1000000000000", 9, "at most 6 channels, found a count of 1000000000000"),
        ("CHANNELS 3", "CHANNELS " + "9" * 5000, 9, "expected a whole number for the count of channels, found '999"),
        ("CHANNELS 3", "CHANNELS 4", 10, "expected a channel such as Xposition or Zrotation, found 'End'"),
        ("CHANNELS 3", "CHANNELS 2", 9, "expected OFFSET, CHANNELS, JOINT, End Site or }, found 'Yrotation'"),
        ("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation", 9, "expected a channel such as Xposition or Zrotation"),
        ("CHANNELS 3 Zrotation Xr", "CHANNELS 3 Xrotation Xr", 9, "turns about X X Y, which is no rotation order"),
        ("CHANNELS 6 Xpos", "CHANNELS 6 Ypos", 5, "joint 'shoulder' lists a position channel twice"),
        ("\t\tEnd Site", "CHANNELS 1 Xrotation\n\t\tEnd Site", 10, "a second CHANNELS line"),
        ("JOINT elbow", "JOINT shoulder", 6, "two joints are called 'shoulder'; joint names must differ"),
        ("\t\t\tOFFSET 25 0 0\n", "", 12, "expected OFFSET, found '}'"),
        ("MOTION", "ROOT other\n{\n}\nMOTION", 16, "a second ROOT: the file holds several skeletons"),
        ("MOTION", "}\nMOTION", 16, "expected MOTION, found '}'"),
        ("Frames: 2", "Frames: many", 17, "expected a whole number for the count of frames, found 'many'"),
        ("Frames: 2", "Frames: -2", 17, "expected a whole number for the count of frames, found '-2'"),
        ("Frames: 2", "Frames: 2.5", 17, "found '2.5'"),
        ("Frames: 2", "2", 17, "expected Frames:, found '2'"),
        ("Frame Time: 0.0083333", "Frame Time: 0", 18, "expected a frame time above 0 seconds, found 0"),
        ("Frame Time: 0.0083333", "Frame Time: -0.01", 18, "expected a frame time above 0 seconds, found -0.01"),
        ("Frame Time: 0.0083333", "Frame Time: 1e-320", 18, "expected a frame time of a microsecond to an hour"),
        ("Frame Time: 0.0083333", "Frame Time: 1e9", 18, "expected a frame time of a microsecond to an hour"),
        ("Frame Time: 0.0083333", "Frame Time: inf", 18, "expected a number for the frame time, found 'inf'"),
        ("Frame Time: 0.0083333", "Frame Time: 0.01 s", 18, "expected the end of the line after the frame time"),
        ("1 2 3 90 0 0 0 0 90", "1 2 3 90 0 0 0 0", 19, "expected 9 values, one for each channel, found 8"),
        ("1 2 3 90 0 0 0 0 90", "1 2 3 90 0 0 0 0 90 1", 19, "expected 9 values, one for each channel, found more"),
        ("1 2 4 30", "1 2 nan 30", 20, "expected a number, found 'nan' as value 3"),
        ("1 2 4 30", "1 2 -inf 30", 20, "expected a number, found '-inf' as value 3"),
        ("1 2 4 30", "1 2 1e999 30", 20, "value 3 is too large: '1e999'"),
        ("1 2 4 30", "1 2 2000000000000 30", 20, "value 3 is too large: '2000000000000'"),
        ("1 2 4 30", "1 2 4,5 30", 20, "expected a number, found '4,5' as value 3"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(read, tmp_path, old, new, line, reason):
    assert old in ARM
    with pytest.raises(FormatError) as caught:
        read(ARM.replace(old, new, 1))
    assert reason in caught.value.reason
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path / 'arm.bvh'}:{line}: ")


@pytest.mark.parametrize("ends_with", ["\r\n", "\r"])
def test_the_place_is_right_whatever_the_line_ends(read, ends_with):
    with pytest.raises(FormatError, match=r"arm.bvh:20: expected a number, found 'x' as value 4"):
        read(ARM.replace("4 30", "4 x").replace("\n", ends_with))


def test_nothing_that_is_cut_short_passes_for_a_whole_file(read):
    for length in range(len(ARM) - 3):  # without the last digit of its last row a file looks whole
        with pytest.raises(FormatError):
            read(ARM[:length])


def test_without_any_channel_there_is_nothing_to_read(read):
    with pytest.raises(FormatError, match="no joint has a channel"):
        read(chain(["", ""], [[]]))


@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 5000,
        bytes(range(256)) * 40,
        b"\x89PNG\r\n\x1a\n" + b"\x00\xff" * 500,
        b"{" * 50_000,
        b"}" * 10,
        b"HIERARCHY",
    ],
    ids=["zeros", "all bytes", "a picture", "braces", "closing braces", "one word"],
)
def test_binary_junk_is_refused_at_its_first_line(read, content):
    with pytest.raises(FormatError, match=r"arm.bvh:[12]: expected (HIERARCHY|ROOT), found"):
        read(content)


# Too few rows and too many


def test_a_file_that_ends_too_early_is_refused_unless_what_there_is_is_asked_for(read):
    short = ARM.replace("Frames: 2", "Frames: 5")
    with pytest.raises(FormatError, match="promises 5 frames, the file ends after 2; ask for a partial read"):
        read(short)
    partial = read(short, partial=True)
    np.testing.assert_array_equal(partial.rotations_wxyz, read(ARM).rotations_wxyz)
    assert [(finding.code, finding.doubtful) for finding in partial.findings] == [("frame-count", True)]


@pytest.mark.parametrize(("promised", "lost"), [*((3, lost) for lost in range(2, 25)), (2, 4), (2, 12), (2, 24)])
def test_of_a_file_cut_within_a_row_the_rows_before_it_can_be_had(read, promised, lost):
    short = ARM.replace("Frames: 2", f"Frames: {promised}")[:-lost]
    with pytest.raises(FormatError):
        read(short)
    partial = read(short, partial=True)
    np.testing.assert_array_equal(partial.rotations_wxyz, read(ARM).rotations_wxyz[:1])
    assert [(finding.code, finding.frames) for finding in partial.findings] == [
        ("frame-count", ()),
        ("truncated", (1,)),
    ]


def test_a_partial_read_of_a_whole_file_is_the_whole_file(read):
    for text in (ARM, ARM.rstrip(), ARM + "\n\n", ARM.rstrip() + "  "):
        whole = read(text, partial=True)
        same(whole, read(ARM))
        assert whole.findings == ()


def test_a_partial_read_is_no_excuse_for_rows_that_are_wrong_in_the_middle(read):
    with pytest.raises(FormatError, match=r"arm.bvh:19: expected 9 values, one for each channel, found 8"):
        read(ARM.replace("1 2 3 90 0 0 0 0 90", "1 2 3 90 0 0 0 0"), partial=True)


def test_more_rows_than_promised_are_all_kept_and_reported(read):
    longer = read(ARM + "1 2 5 30 20 10 -40 50 60\n")
    assert len(longer.root_positions) == 3
    finding = longer.findings[0]
    assert (finding.code, finding.doubtful) == ("frame-count", True)
    assert "says 2 frames, the file has 3 rows" in finding.message


def test_a_promise_of_no_frames_and_none_there_is_refused(read):
    with pytest.raises(FormatError, match="promises 0 frames, the file holds none"):
        read(ARM.split("Frames: 2")[0] + "Frames: 0\nFrame Time: 0.01\n", partial=True)


# Bounds


def test_a_header_that_claims_a_million_million_frames_takes_no_memory_for_them(read):
    claim = ARM.replace("Frames: 2", "Frames: 1000000000000")
    tracemalloc.start()
    with pytest.raises(FormatError, match="promises 1,000,000,000,000 frames, the file ends after 2"):
        read(claim)
    assert len(read(claim, partial=True).root_positions) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def nested(depth):
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n" for i in range(1, depth))
    opening = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return f"{opening}{joints}{'}' * depth}\nMOTION\nFrames: 1\nFrame Time: 0.01\n5\n"


def test_ten_thousand_joints_below_one_another_are_refused(read):
    assert read(nested(bvh.DEEPEST)).skeleton.n_joints == bvh.DEEPEST
    with pytest.raises(FormatError, match=r"more than 10,000 joints, or 1,000 below one another"):
        read(nested(10_000))


def flat(n_joints, n_rows=1):
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n" for i in range(1, n_joints))
    opening = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return f"{opening}{joints}}}\nMOTION\nFrames: {n_rows}\nFrame Time: 0.01\n" + "5\n" * n_rows


def test_more_joints_than_any_body_has_are_refused(read, monkeypatch):
    assert bvh.MOST_JOINTS == 10_000
    monkeypatch.setattr(bvh, "MOST_JOINTS", 200)
    assert read(flat(200)).skeleton.n_joints == 200
    with pytest.raises(FormatError, match="more than 200 joints"):
        read(flat(201))
    end = "End Site\n{\nOFFSET 0 1 0\n}\n"
    with pytest.raises(FormatError, match="more than 200 end sites are not read"):
        read(ARM.replace("\tJOINT elbow", end * 201 + "\tJOINT elbow"))


def test_names_longer_than_any_message_are_refused(read):
    assert len(read(ARM.replace("elbow", "e" * 1000)).skeleton.names[1]) == 1000
    with pytest.raises(FormatError, match=r"arm.bvh:6: expected a name of at most 1,000 letters, found 'eeee"):
        read(ARM.replace("elbow", "e" * 1001))


def test_a_small_file_of_many_joints_without_channels_cannot_fill_the_memory(read):
    content = flat(500, 50_000)  # 125 kB that would become 800 MB
    tracemalloc.start()
    with pytest.raises(FormatError, match="500 joints with only 1 channels in 50,000 frames are not read"):
        read(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000
    assert parsed._MOST_UNSTATED >= 10_000 * 500  # a long capture with fingers that do not move


@pytest.mark.parametrize("word", ["1" * 300_000 + "x", "." * 300_000, "1." * 100_000, "+" * 300_000, "e" * 300_000])
def test_long_words_are_refused_as_soon_as_short_ones(read, word):
    """With a pattern that can match digits in two ways the first of these takes an hour."""
    for old in ("OFFSET 30", "Frame Time: 0.0083333", "Frames: 2", "CHANNELS 3", "1 2 4 30"):
        with pytest.raises(FormatError) as caught:
            read(ARM.replace(old, old.rsplit(" ", 1)[0] + " " + word))
        assert len(str(caught.value)) < 400


# Real captures


@pytest.mark.data
def test_a_swinging_chain_is_where_the_formula_says(data_folder):
    swing = read_bvh(data_folder / "odd-bvh" / "fairmotion-sinusoidal.bvh")
    assert swing.skeleton.n_ends == 0
    assert swing.rotations_wxyz.shape == (120, 4, 4)
    angles = np.radians(-90.0 + np.arange(45))  # the joint above the last turns about x by a degree a frame
    expected = np.stack([np.full(45, -8.0), 11 + 3 * np.cos(angles), 5 + 3 * np.sin(angles)], axis=-1)
    np.testing.assert_allclose(world(swing)[0][:45, 3], expected, atol=1e-9)


@pytest.mark.data
def test_files_with_several_rotation_orders_keep_each(data_folder):
    assert len(set(read_bvh(data_folder / "odd-bvh" / "pybvh-bvh_test1.bvh").skeleton.rotation_orders)) == 4
    mixed = read_bvh(data_folder / "odd-bvh" / "bvh11-131_01-3dsmax.bvh")
    assert set(mixed.skeleton.rotation_orders) == {"ZXY", "ZYX"}
