"""BVH as it is read: poses, position channels, trees, spelling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mocapella.files.bvh import read_bvh
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from tests.files.bvh_samples import ARM, chain, same


@pytest.fixture
def read(bvh_reader):
    return bvh_reader


def world(parsed):
    offsets = np.tile(parsed.skeleton.offsets, (len(parsed.root_positions), 1, 1))
    for i, joint in enumerate(parsed.sliding_joints):
        offsets[:, joint] = parsed.slides[:, i]
    return kinematics.forward(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz, offsets)


def ends(parsed):
    return kinematics.end_positions(parsed.skeleton, *world(parsed))


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


def test_names_in_shift_jis_are_read_without_loss_and_said(read):
    """The second bytes of ボ and 能 are a brace and a backslash."""
    japanese = ARM.replace("shoulder", "左肩").replace("elbow", "左ボタン 能")
    told = read(japanese.encode("cp932"))
    same(told, read(japanese))
    assert told.skeleton.names == ("左肩", "左ボタン 能")
    assert [(one.code, one.doubtful) for one in told.findings] == [("shift-jis", False)]
    assert read(japanese).findings == ()


@pytest.mark.parametrize("name", ["épaule", "Fuß", "Hüfte", "ÅÄÖ"])
def test_names_of_other_8_bit_text_are_not_taken_for_japanese(read, name):
    told = read(ARM.replace("elbow", name).encode("latin-1"))
    assert (told.skeleton.names, told.findings) == (("shoulder", name), ())


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
