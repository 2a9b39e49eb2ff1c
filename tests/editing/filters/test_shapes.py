"""Waveshaping, displacement, warping, limits and reaching."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.edits import UNREACHABLE, Edit, digest_of, edit
from mocapella.editing.filters.dof_columns import signals_of
from mocapella.editing.filters.joint_limits import clamp_limits
from mocapella.editing.filters.reaching import reach
from mocapella.editing.filters.shapes import displace, warp, waveshape
from mocapella.editing.parameters import EditError
from mocapella.geometry import quaternions
from mocapella.geometry.solvers import SOLVERS

KNEE = "left_knee.x"


@pytest.fixture(scope="module")
def walk():
    return perform("walk", speed=1.2, turn=0.3, cycles=2.4, imperfections=CLEAN)[0]


@pytest.fixture(scope="module")
def cycle():
    return mo.prepare(perform("walk", speed=1.2, imperfections=CLEAN)[0])


def degrees(motion, name=KNEE):
    return np.degrees(signals_of(motion, [name]).values[:, 0])


def test_a_hard_limit_is_a_clip(walk, cycle):
    for motion in (walk, cycle):
        made = waveshape(motion, dofs=[KNEE], low=10.0, high=40.0)
        np.testing.assert_allclose(degrees(made), np.clip(degrees(motion), 10.0, 40.0), atol=1e-9)


def test_a_soft_limit_has_no_corner_and_is_never_passed(walk):
    made = degrees(waveshape(walk, dofs=[KNEE], high=40.0, soft=10.0))
    before = degrees(walk)
    assert made.max() <= 40.0 + 1e-9
    np.testing.assert_allclose(made[before < 30.0], before[before < 30.0], atol=1e-9)
    order = np.argsort(before)
    steps = np.diff(before[order])
    slopes = np.diff(made[order])[steps > 1e-2] / steps[steps > 1e-2]
    assert np.abs(np.diff(slopes)).max() < 0.3


def test_a_shape_passes_its_values_and_the_straight_one_changes_nothing(walk):
    assert digest_of(waveshape(walk, dofs=[KNEE], low=-360.0)) == digest_of(walk)
    same = waveshape(walk, dofs=[KNEE], shape=[[0, 0], [50, 50]])
    np.testing.assert_allclose(degrees(same), degrees(walk), atol=1e-9)
    bent = waveshape(walk, dofs=[KNEE], shape=[[0, 0], [30, 10], [60, 60]])
    near = np.abs(degrees(walk) - 30.0) < 0.5
    np.testing.assert_allclose(degrees(bent)[near], 10.0, atol=1.5)


def test_a_displacement_passes_its_keys_and_is_nothing_beyond_its_span(walk):
    wanted = degrees(walk)[[100, 140]] + [15.0, -5.0]
    made = displace(walk, keys={KNEE: [[100, wanted[0]], [140, wanted[1]]]}, span=0.25)
    np.testing.assert_allclose(degrees(made)[[100, 140]], wanted, atol=1e-9)
    far = np.r_[0:69, 171 : walk.n_frames]
    np.testing.assert_array_equal(made.rotations_wxyz[far][:, 1:3], walk.rotations_wxyz[far][:, 1:3])


def test_a_displacement_leaves_detail_as_it_is(walk):
    made = displace(walk, keys={KNEE: [[120, degrees(walk)[120] + 20.0]]})
    change = degrees(made) - degrees(walk)
    power = np.abs(np.fft.rfft(np.concatenate([change, change[-2:0:-1]]))) ** 2
    hertz = np.arange(len(power)) * walk.frame_rate / (2 * (len(change) - 1))
    assert power[hertz > 4.0].sum() < 1e-4 * power.sum()


def test_keys_that_change_nothing_change_nothing(walk):
    value = degrees(walk)[77]
    made = displace(walk, keys={KNEE: [[77, value]]})
    np.testing.assert_allclose(made.positions, walk.positions, atol=1e-12)
    np.testing.assert_allclose(warp(walk, keys={KNEE: [[77, value]]}).positions, walk.positions, atol=1e-12)
    np.testing.assert_allclose(warp(walk, times=[[50, 50]]).positions, walk.positions, atol=1e-12)


def test_a_warp_reaches_its_keys_and_ends_act_as_keys(walk):
    made = warp(walk, keys={KNEE: [[60, degrees(walk)[60]], [100, 50.0], [140, degrees(walk)[140]]]})
    np.testing.assert_allclose(degrees(made)[100], 50.0, atol=1e-9)
    np.testing.assert_allclose(degrees(made)[[0, 60, 140, -1]], degrees(walk)[[0, 60, 140, -1]], atol=1e-9)
    scaled = warp(walk, keys={KNEE: [[100, 0.0, 0.0]]}, tension=1.0)
    np.testing.assert_allclose(degrees(scaled)[100], 0.0, atol=1e-9)


def test_time_is_warped_through_its_pairs(walk):
    made = warp(walk, times=[[100, 140]])
    np.testing.assert_allclose(made.rotations_wxyz[140], walk.rotations_wxyz[100], atol=1e-9)
    np.testing.assert_allclose(made.rotations_wxyz[[0, -1]], walk.rotations_wxyz[[0, -1]], atol=1e-12)
    back = warp(made, times=[[140, 100]])
    assert np.abs(back.positions - walk.positions).max() < 0.1


def test_a_foot_is_stepped_onto_a_block_at_its_key(walk):
    ankle = mo.find_roles(walk.skeleton)["left_ankle"]
    place = walk.positions[110, ankle] + [0.0, 0.15, 0.0]
    for solver in SOLVERS:
        made = reach(walk, joint="left_ankle", frame=110, place=place.tolist(), span=0.3, solver=solver)
        np.testing.assert_allclose(made.positions[110, ankle], place, atol=1e-3)
        np.testing.assert_array_equal(made.rotations_wxyz[:70], walk.rotations_wxyz[:70])
    assert reach(walk, joint="left_ankle", frame=110, place=place.tolist()).report.frames(UNREACHABLE) == ()
    far = reach(walk, joint="left_wrist", frame=110, place=[9.0, 9.0, 9.0], base="left_shoulder")
    assert far.report.frames(UNREACHABLE) == (110,)


def test_knees_and_elbows_stay_within_limits_and_what_keeps_them_keeps_every_bit(walk):
    assert digest_of(clamp_limits(walk)) == digest_of(walk)
    joint = mo.find_roles(walk.skeleton)["left_knee"]
    rotations = np.array(walk.rotations_wxyz)
    rotations[50:60, joint] = quaternions.from_rotvec(np.array([-0.8, 0.0, 0.0]))
    free = replace(walk.skeleton, limits=np.tile([-np.inf, np.inf], (walk.skeleton.n_joints, 3, 1)))
    broken = mo.Clip(free, walk.root_positions, rotations, walk.frame_rate)
    made = clamp_limits(broken)
    np.testing.assert_array_equal(clamp_limits(broken, defaults=False).rotations_wxyz, broken.rotations_wxyz)
    folds = np.degrees(quaternions.to_rotvec(made.rotations_wxyz[50:60, joint])[:, 0])
    np.testing.assert_allclose(folds, -10.0, atol=0.5)
    keep = np.r_[0:50, 60 : walk.n_frames]
    np.testing.assert_array_equal(made.rotations_wxyz[keep], broken.rotations_wxyz[keep])


def test_limits_are_kept_after_every_edit_on_request(walk):
    done = edit(walk, [Edit("exaggerate", gain=3.0), Edit("turn", angle=5)], limits=True)
    assert [one.name for one in done.edits] == ["exaggerate", "limits", "turn", "limits"]


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_no_sample_of_an_acclaim_capture_is_outside_its_limits_afterwards(data_folder):
    clip = mo.load(data_folder / "cmu-asfamc/07/07_01.amc").captured
    made = clamp_limits(exaggerate_all(clip))
    for name in ("ltibia", "rtibia", "lowerback", "lhumerus"):
        joint = clip.skeleton.index(name)
        for axis, letter in enumerate("xyz"):
            least, most = np.degrees(clip.skeleton.limits[joint, axis])
            if np.isfinite(least):
                values = degrees(made, f"{name}.{letter}")
                assert values.min() > least - 1e-6, (name, letter)
                assert values.max() < most + 1e-6, (name, letter)


def exaggerate_all(clip):
    return edit(clip, Edit("exaggerate", gain=2.5, travel=False)).result


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda walk: waveshape(walk, dofs=[KNEE]), "a limit or a shape"),
        (lambda walk: waveshape(walk, dofs=[KNEE], low=30, high=10), "a lower limit below"),
        (lambda walk: waveshape(walk, dofs=["left_knee"], low=3), "stands for a whole joint; name an axis"),
        (lambda walk: waveshape(walk, dofs=[], low=3), "name the dofs"),
        (lambda walk: waveshape(walk, dofs=[KNEE], shape=[[0, 1], [0, 2]]), "no value twice"),
        (lambda walk: displace(walk, keys={KNEE: [[10**6, 3]]}), "a key of left_knee.x at a frame"),
        (lambda walk: displace(walk, keys={KNEE: [[3, float("nan")]]}), r"\[frame, value\]"),
        (lambda walk: displace(walk, keys={KNEE: [[3, 1], [3, 2]]}), "frames that differ"),
        (lambda walk: warp(walk, times=[[50, 90], [60, 70]]), "backwards"),
        (lambda walk: warp(walk, times=[[50, 10**6]]), "within the clip"),
        (lambda walk: reach(walk, joint="left_ankle", frame=10**6, place=[0, 0, 0]), "a frame from 0"),
        (lambda walk: reach(walk, joint="left_ankle", frame=1, place=[0, 0]), "three numbers"),
        (lambda walk: reach(walk, joint="left_ankle", frame=1, place=[0, 0, 0], base="right_hip"), "does not carry"),
        (lambda walk: reach(walk, joint="hips", frame=1, place=[0, 0, 0]), "is the root"),
    ],
)
def test_what_cannot_be_shaped_is_refused(walk, make, says):
    with pytest.raises(EditError, match=says):
        make(walk)


def test_edits_that_name_joints_belong_to_their_skeleton(walk):
    done = edit(walk, Edit("waveshape", dofs=[KNEE], high=40.0))
    other = mo.Clip(walk.skeleton.scaled(1.2), walk.root_positions, walk.rotations_wxyz, walk.frame_rate)
    with pytest.raises(EditError, match="edit 1, waveshape: it names joints of another skeleton"):
        edit(other, done.edits)
    assert edit(other, Edit("waveshape", dofs=[KNEE], high=40.0)).result.n_frames == walk.n_frames
