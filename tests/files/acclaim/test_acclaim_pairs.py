"""A motion and its skeleton in two files: which belongs to which, and what is refused."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import FormatError, MotionError, MotionWarning
from mocapella.files.format_table import find_skeleton
from tests.files.acclaim.asf_samples import CMU
from tests.files.acclaim.asf_samples import ONE_BONE as ASF

AMC = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 10 20 30\nupper 40 50 60\n2\nroot 1 2 4 10 20 30\nupper 40 50 61\n"


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
    with pytest.raises(FormatError, match=r"07_01.amc: an .amc needs its .asf; beside it there is none"):
        mo.load(tmp_path / "07_01.amc")
    for name in ("08.asf", "09.asf"):
        (tmp_path / name).write_text(ASF)
    with pytest.raises(
        FormatError, match="beside it there are 2 of them, none named as the motion begins: skeleton=FILE names it"
    ):
        mo.load(tmp_path / "07_01.amc")


def test_a_skeleton_of_another_body_is_refused_with_the_line_that_does_not_fit(tmp_path):
    (tmp_path / "a.amc").write_text(AMC)
    (tmp_path / "a.asf").write_text(ASF.replace("upper", "lower"))
    with pytest.raises(FormatError, match=r"a.amc:5: 'upper' is not a bone of .*a.asf; does the motion belong"):
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
    np.testing.assert_allclose(rest.end_positions[0], [[3 * CMU, 0, 0]], atol=1e-12)
