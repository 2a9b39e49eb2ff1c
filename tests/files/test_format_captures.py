"""Clips that go from format to format, and real captures: what is found out about each."""

import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import FormatError, MotionWarning
from tests.files.acclaim.asf_samples import LEGS


def joints(clip, names):
    return clip.positions[:, [clip.skeleton.index(name) for name in names]]


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
    with pytest.raises(FormatError, match=r"is not a bone of .*endorphin-skeleton.asf"):
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
