import numpy as np
import pytest

from mocapella.errors import FormatError
from mocapella.files.acclaim import asf as asf_bones
from mocapella.files.acclaim.asf import read_asf
from mocapella.geometry import quaternions
from tests.files.acclaim.asf_samples import ARM


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "arm.asf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def refusal(path):
    with pytest.raises(FormatError) as caught:
        read_asf(path)
    assert str(caught.value).startswith(f"{path}:{caught.value.line}: " if caught.value.line else f"{path}: ")
    return caught.value


def test_a_joint_sits_where_the_bone_above_it_ends(write):
    skeleton = read_asf(write(ARM)).skeleton
    assert skeleton.names == ("root", "stump", "upper", "lower")
    np.testing.assert_array_equal(skeleton.parents, [-1, 0, 0, 2])
    np.testing.assert_array_equal(skeleton.offsets, [[0, 0, 0], [0, 0, 0], [0, 0, 0], [3, 0, 0]])
    np.testing.assert_array_equal(skeleton.rest_end_positions, [[0, 0, 0], [3, -2, 0]])


def test_the_first_dof_turns_first_so_it_is_the_last_factor(write):
    asf = read_asf(write(ARM.replace("dof rx ry rz", "dof RY rX rz")))
    assert asf.dofs == ("XYZ", "", "YXZ", "XZ")
    assert asf.skeleton.rotation_orders == ("ZYX", "", "ZXY", "ZX")


def test_an_axis_is_turned_about_x_first_then_y_then_z(write):
    axis_wxyz = read_asf(write(ARM)).skeleton.axes_wxyz[3]
    turned = quaternions.rotate(axis_wxyz, np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(turned, [0.0, 0.0, -1.0], atol=1e-12)  # down by 90° about x; z leaves it there
    other = read_asf(write(ARM.replace("axis -90 0 20 XYZ", "axis -90 0 20 zyx"))).skeleton.axes_wxyz[3]
    turned = quaternions.rotate(other, np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(turned, [-np.sin(np.radians(20)), 0.0, -np.cos(np.radians(20))], atol=1e-12)


def test_limits_stand_on_one_line_or_several_and_may_be_infinite(write):
    limits = read_asf(write(ARM)).skeleton.limits
    np.testing.assert_allclose(np.degrees(limits[2]), [[-160, 20], [-70, 70], [-np.inf, np.inf]])
    np.testing.assert_allclose(np.degrees(limits[3]), [[-10, 170], [-np.inf, np.inf], [0, 5]])


def test_limits_that_do_not_fit_the_dofs_are_left_out_and_reported(write):
    asf = read_asf(write(ARM.replace("(-10 170) (0 5)", "(-10 170)")))
    assert [finding.code for finding in asf.findings] == ["limits"]
    assert np.isinf(asf.skeleton.limits[3]).all()


def test_radians_are_taken_as_radians(write):
    text = ARM.replace("angle deg", "angle rad").replace("axis 0 0 20", "axis 0 0 0.5").replace("-90 0 20", "0 0 0")
    asf = read_asf(write(text))
    assert not asf.degrees
    np.testing.assert_allclose(asf.skeleton.axes_wxyz[2], [np.cos(0.25), 0, 0, np.sin(0.25)])
    np.testing.assert_allclose(asf.skeleton.limits[2, 0], [-160, 20])


def test_line_ends_and_byte_order_marks_of_all_kinds_read_alike(write):
    plain = read_asf(write(ARM)).skeleton
    mixed = ARM.replace("\n", "\r\n", 20)
    for text in (ARM.replace("\n", "\r\n"), ARM.replace("\n", "\r"), mixed, "\ufeff" + ARM):
        assert read_asf(write(text)).skeleton.same_as(plain)


def test_a_root_order_in_any_order_and_case_is_kept(write):
    asf = read_asf(write(ARM.replace("TX TY TZ RX RY RZ", "rz rx ry tz tx ty")))
    assert asf.root_channels == ("RZ", "RX", "RY", "TZ", "TX", "TY")
    assert asf.skeleton.rotation_orders[0] == "YXZ"


def test_a_preset_of_the_root_is_reported(write):
    asf = read_asf(write(ARM.replace("position 0 0 0", "position 1 2 3").replace("entation 0 0 0", "entation 0 90 0")))
    assert [finding.code for finding in asf.findings] == ["root-preset"]
    np.testing.assert_array_equal(asf.root_position, [1, 2, 3])
    np.testing.assert_allclose(asf.root_orientation_wxyz, quaternions.about_y(np.pi / 2), atol=1e-12)


def test_the_length_unit_is_believed_where_nobody_writes_it_by_chance(write):
    assert read_asf(write(ARM)).metres_per_unit == pytest.approx(0.0254 / 0.45)
    assert read_asf(write(ARM.replace("length 0.45", "length 2.54"))).metres_per_unit == pytest.approx(0.01)
    assert read_asf(write(ARM.replace("length 0.45", "length 0.01"))).metres_per_unit is None


def test_directions_of_another_length_than_one_are_reported(write):
    asf = read_asf(write(ARM.replace("direction 1 0 0", "direction 2 0 0")))
    assert [finding.code for finding in asf.findings] == ["directions"]
    np.testing.assert_array_equal(asf.skeleton.offsets[3], [6, 0, 0])


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("  order TX TY TZ RX RY RZ\n", "", 10, "no order line"),
        ("order TX", "order TX TX", 11, "found 'TX'"),
        ("order TX", "order L TX", 11, "found 'L'"),
        ("angle deg", "angle grad", 7, "expected angle deg or angle rad, found 'grad'"),
        ("length 0.45", "length 0", 6, "above 0"),
        ("position 0 0 0", "position 0 0", 13, "expected 3 numbers after position, found 2"),
        ("position 0 0 0", "position 0 nan 0", 13, "expected a number for position, found 'nan'"),
        ("length 3", "length 1_0", 20, "expected a number for length, found '1_0'"),
        ("length 3", "length 1e999", 20, "expected a number"),
        ("length 3", "length -3", 20, "0 or more"),
        ("length 3\n", "\n", 29, "bone 'upper' has no length"),
        ("    axis 0 0 20 XYZ\n", "", 28, "bone 'upper' has no axis"),
        ("axis 0 0 20 XYZ", "axis 0 0 20 XYX", 21, "found 'XYX'"),
        ("dof rx ry rz", "dof rx ry rx", 22, "at most once"),
        ("dof rx ry rz", "dof rx tx", 22, "slide or stretch"),
        ("name upper", "name upper arm", 18, "one word"),
        ("name upper", "name root", 18, "cannot be called 'root'"),
        ("name upper", "name 12", 18, "cannot be called '12'"),
        ("name lower", "name upper", 38, "two bones are called 'upper'"),
        ("  end\n  begin\n    id 2", "  begin\n    id 2", 29, "expected the end of bone 'upper'"),
        ("    id 1\n", "    id 1\n    5 6\n", 18, "expected a keyword"),
        ("length 3", "length 3\n length 4", 21, "a second length for bone 'upper'"),
        (":hierarchy", ":bonedata", 46, "a second :bonedata"),
        ("upper lower", "upper lowr", 48, "'lowr' is not a bone"),
        ("upper lower", "upper", 46, "no way leads from the root to bone 'lower': it hangs on nothing"),
        ("root stump upper", "root stump\n lower upper", 46, "to bone 'upper': it hangs in a circle"),
        ("root stump upper", "root stump upper lower", 49, "one parent"),
        ("upper lower", "upper lower root", 48, "above the root"),
        (":version 1.10", "version 1.10", 2, "expected a section"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(write, old, new, line, reason):
    assert old in ARM
    error = refusal(write(ARM.replace(old, new, 1)))
    assert reason in error.reason
    assert error.line == line


@pytest.mark.parametrize(
    "content", [b"", b" \n\t\n", b"\x00\xff\xfe" * 1000, b"HIERARCHY\nROOT Hips\n", b":root\n" * 2]
)
def test_what_is_no_skeleton_is_refused(write, content):
    refusal(write(content))


@pytest.mark.parametrize("section", [":root", ":bonedata", ":hierarchy"])
def test_a_file_that_stops_before_a_section_is_refused(write, section):
    refusal(write(ARM[: ARM.index(section)]))


def test_every_prefix_of_a_file_is_refused_or_read_but_never_crashes(write):
    for end in range(0, len(ARM), 7):
        try:
            read_asf(write(ARM[:end]))
        except FormatError:
            continue
        assert ARM[end:].strip() in ("", "end", "nd", "d")


def chain(n_bones):
    bones = "".join(f"begin\nname b{i}\ndirection 0 1 0\nlength 1\nend\n" for i in range(n_bones))
    links = "".join(f"b{i} b{i + 1}\n" for i in range(n_bones - 1))
    return f":root\norder TX TY TZ RX RY RZ\n:bonedata\n{bones}:hierarchy\nroot b0\n{links}"


def test_a_chain_of_bones_may_be_long_but_not_endless(write, monkeypatch):
    assert read_asf(write(chain(300))).skeleton.n_joints == 301
    assert "below one another" in refusal(write(chain(1002))).reason
    monkeypatch.setattr(asf_bones, "MOST_BONES", 100)
    assert "more than 100 bones" in refusal(write(chain(101))).reason


def test_names_in_latin_1_and_utf_8_are_read(write):
    for encoding in ("latin-1", "utf-8"):
        text = ARM.replace("upper", "obéré").encode(encoding)
        assert "obéré" in read_asf(write(text)).skeleton.names


@pytest.mark.data
def test_all_skeletons_of_cmu_share_bones_and_dofs(data_folder):
    skeletons = [read_asf(path) for path in sorted(data_folder.glob("cmu-asfamc/*/*.asf"))]
    assert len(skeletons) == 7
    for asf in skeletons:
        assert asf.skeleton.n_joints == 31
        assert asf.skeleton.names == skeletons[0].skeleton.names
        assert asf.dofs == skeletons[0].dofs
        assert asf.metres_per_unit == pytest.approx(0.056444, abs=1e-6)
        assert asf.findings == ()
        tibia = asf.skeleton.index("ltibia")
        np.testing.assert_allclose(np.degrees(asf.skeleton.limits[tibia, 0]), [-10, 170])  # a knee


@pytest.mark.data
def test_a_skeleton_by_endorphin_is_read_with_its_joints_without_length(data_folder):
    asf = read_asf(data_folder / "odd-asfamc" / "endorphin-skeleton.asf")
    assert asf.skeleton.n_joints == 34
    assert asf.metres_per_unit is None
    assert np.isinf(asf.skeleton.limits).all()
    neck = asf.skeleton.index("LowerNeckJoint_dum")  # below UpperSpineJoint, which has no length
    np.testing.assert_array_equal(asf.skeleton.offsets[neck], np.zeros(3))
    assert asf.dofs[neck] == ""
