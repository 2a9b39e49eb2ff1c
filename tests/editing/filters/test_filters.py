"""Filters of motions: identities first, then what each should do, then real captures."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.edits import EDITS, Edit, digest_of, edit
from mocapella.editing.filters.bands import PRESETS, band_blend, band_gains, bands_between, n_bands, preset
from mocapella.editing.filters.dof_columns import signals_of
from mocapella.editing.filters.frequency import exaggerate, frequencies, speed, threshold
from mocapella.editing.parameters import EditError
from mocapella.editing.trajectory import blend_frames
from mocapella.geometry import quaternions
from mocapella.motion.cycle import Cycle


@pytest.fixture(scope="module")
def walk():
    return perform("walk", speed=1.2, turn=0.3, cycles=2.4, imperfections=CLEAN)[0]


@pytest.fixture(scope="module")
def cycle():
    return mo.prepare(perform("walk", speed=1.2, imperfections=CLEAN)[0])


IDENTITIES = {
    "threshold": {"share": 0.0},
    "frequencies": {"bands": [[0.0, 5.0, 1.0]]},
    "exaggerate": {"gain": 1.0},
    "speed": {"factor": 1.0},
    "bands": {"gains": [1.0] * 5},
    "preset": {"name": "twitch", "amount": 0.0},
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_filters_that_do_nothing_change_nothing(name, walk, cycle):
    for motion in (walk, cycle):
        made = edit(motion, Edit(name, **IDENTITIES[name])).result
        assert digest_of(made) == digest_of(motion)


def nearly_nothing(name):
    """Parameters by which a filter goes all its way, but changes next to nothing."""
    tiny = 1e-13
    return {
        "threshold": {"share": 1e-15},
        "frequencies": {"bands": [[0.0, 5.0, 1.0 + tiny]]},
        "exaggerate": {"gain": 1.0 + tiny, "travel": False},
        "bands": {"gains": [1.0 + tiny] * 5},
    }[name]


@pytest.mark.parametrize("name", ["threshold", "frequencies", "exaggerate", "bands"])
def test_taking_a_motion_apart_and_putting_it_together_is_exact_to_twelve_digits(name, walk, cycle):
    made = edit(walk, Edit(name, **nearly_nothing(name))).result
    np.testing.assert_allclose(made.positions, walk.positions, atol=1e-12)
    again = edit(cycle, Edit(name, **nearly_nothing(name))).result
    np.testing.assert_allclose(again.dofs, cycle.dofs, atol=1e-12)


def test_gains_of_bands_are_undone_by_their_inverses(walk):
    names = ("left_shoulder.x", "height")
    there = band_gains(walk, gains=[1.0, 1.0, 2.0], dofs=names)
    own, wanted = signals_of(there, names), signals_of(walk, names)
    assert np.abs(own.values - wanted.values).max() > 1e-4
    # A single band of a linear filter is subtracted again.
    band = own.values - wanted.values
    np.testing.assert_allclose(
        signals_of(band_gains(walk, gains=[1.0, 1.0, 3.0], dofs=names), names).values,
        wanted.values + 2.0 * band,
        atol=1e-9,
    )


def test_a_spike_of_one_frame_is_taken_out_and_the_mean_is_kept(walk):
    joint = mo.find_roles(walk.skeleton)["left_elbow"]
    rotations = np.array(walk.rotations_wxyz)
    rotations[140, joint] = quaternions.multiply(
        rotations[140, joint], quaternions.from_rotvec(np.array([0.6, 0.0, 0.0]))
    )
    spiked = mo.Clip(walk.skeleton, walk.root_positions, rotations, walk.frame_rate)
    made = threshold(spiked, share=0.1, dofs=["left_elbow"])
    off = [
        quaternions.angle_between(one.rotations_wxyz[140, joint], walk.rotations_wxyz[140, joint])
        for one in (spiked, made)
    ]
    assert off[0] > 0.55
    assert off[1] < 0.15
    np.testing.assert_array_equal(made.root_positions, walk.root_positions)


def test_gain_restores_the_range(walk):
    plain, loud = (threshold(walk, share=0.1, gain=gain, dofs=["left_knee.x"]) for gain in (1.0, 1.25))
    ranges = [np.ptp(signals_of(one, ["left_knee.x"]).values) for one in (plain, loud)]
    np.testing.assert_allclose(ranges[1] / ranges[0], 1.25, rtol=0.05)


def test_only_the_chosen_dof_changes(walk, cycle):
    joint = mo.find_roles(walk.skeleton)["left_knee"]
    for motion in (walk, cycle):
        made = frequencies(motion, bands=[[0.5, 3.0, 1.3]], dofs=["left_knee.x"])
        others = [i for i in range(walk.skeleton.n_joints) if i != joint]
        np.testing.assert_allclose(
            made.rotations_wxyz[:, others], motion.rotations_wxyz[:, others], atol=0 if motion is walk else 1e-15
        )
        change = {
            axis: np.subtract(*(signals_of(one, [f"left_knee.{axis}"]).values for one in (motion, made)))
            for axis in "xyz"
        }
        assert np.abs(change["x"]).max() > 0.05
        np.testing.assert_allclose(change["y"], 0.0, atol=1e-9)
        np.testing.assert_allclose(change["z"], 0.0, atol=1e-9)


def test_a_cycles_first_harmonic_is_scaled_by_its_gain(cycle):
    rate = 1.0 / cycle.duration
    made = frequencies(cycle, bands=[[0.5 * rate, 1.5 * rate, 1.5]], dofs=["left_knee.x"])
    before, after = (np.abs(np.fft.rfft(signals_of(one, ["left_knee.x"]).values[:, 0])) for one in (cycle, made))
    np.testing.assert_allclose(after[1] / before[1], 1.5, rtol=1e-6)
    np.testing.assert_allclose(after[2:6], before[2:6], rtol=1e-6)


def test_exaggeration_swings_legs_and_arms_further_and_keeps_the_height_of_the_root(walk):
    made = exaggerate(walk, gain=1.5)
    np.testing.assert_array_equal(made.root_positions[:, 1], walk.root_positions[:, 1])
    roles = mo.find_roles(walk.skeleton)
    for name, factor in (("left_knee", 1.5), ("left_elbow", 1.5)):
        ranges = [np.ptp(signals_of(one, [name]).values, axis=0).max() for one in (walk, made)]
        np.testing.assert_allclose(ranges[1] / ranges[0], factor, rtol=0.05)
    back = quaternions.about_y(-made.headings)
    feet = [
        quaternions.rotate(back, made.positions[:, roles[f"{side}_ankle"]] - made.root_positions)[:, 0]
        for side in ("left", "right")
    ]
    assert np.min(feet[0] - feet[1]) > -0.02  # legs do not cross
    assert np.linalg.norm(np.diff(made.root_positions[[0, -1]], axis=0)) > 1.15 * np.linalg.norm(
        np.diff(walk.root_positions[[0, -1]], axis=0)
    )


def test_speed_scales_the_period_and_shows_the_same_poses(walk, cycle):
    fast = speed(walk, factor=2.0)
    np.testing.assert_allclose(fast.rotations_wxyz, walk.rotations_wxyz[::2][: fast.n_frames], atol=1e-12)
    assert fast.frame_rate == walk.frame_rate
    slow = speed(cycle, factor=0.5)
    assert slow.n_frames == 2 * cycle.n_frames
    np.testing.assert_allclose(slow.speed, 0.5 * cycle.speed, rtol=1e-9)
    np.testing.assert_allclose(slow.turn, cycle.turn, atol=1e-9)
    np.testing.assert_allclose(slow.dofs[::2, 0], cycle.dofs[:, 0], atol=1e-9)
    back = speed(slow, factor=2.0)
    np.testing.assert_allclose(back.dofs, cycle.dofs, atol=1e-9)


def test_there_are_as_many_bands_as_octaves_and_a_motion_too_short_is_refused(walk):
    assert [n_bands(frames) for frames in (1, 2, 128, 255, 256)] == [0, 1, 7, 7, 8]
    with pytest.raises(EditError, match="a motion of 9 frames has 3 bands, and 4 gains were given"):
        band_gains(walk[:9], gains=[2.0] * 4)
    with pytest.raises(EditError, match="no band between"):
        preset(walk[:3], name="follow_through")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_changes_only_its_bands(name, walk):
    wanted = PRESETS[name]
    made = preset(walk, name=name)
    assert digest_of(made) != digest_of(walk)
    own = signals_of(walk, wanted.dofs)
    change = (signals_of(made, wanted.dofs).values - own.values)[:, :3] if name == "squash" else None
    if change is not None:  # one signal whose basis is the same before and after
        power = np.abs(np.fft.rfft(np.concatenate([change, change[-2:0:-1]]), axis=0))[:, 0] ** 2
        hertz = np.arange(len(power)) * walk.frame_rate / (2 * (len(change) - 1))
        inside = (hertz > 0.4 * wanted.hertz[0]) & (hertz < 2.5 * wanted.hertz[1])
        assert power[inside].sum() > 0.9 * power.sum()
    assert bands_between(120.0, wanted.hertz, 8).any()


def test_equal_weights_of_all_bands_are_a_plain_blend(walk):
    other = perform("walk", speed=0.9, cycles=2.4, imperfections=CLEAN)[0][: walk.n_frames]
    first = walk[: other.n_frames]
    for weight in (0.0, 1.0):
        made = band_blend(first, other=other, weights=[[weight]])
        np.testing.assert_allclose(made.positions, (first, other)[int(weight)].positions, atol=1e-9)
    half = band_blend(first, other=other, weights=[[0.5, 0.5, 0.5]])
    plain = blend_frames(first, other, 0.5)
    apart = quaternions.angle_between(half.rotations_wxyz, plain.rotations_wxyz)
    assert np.degrees(apart.max()) < 1.0  # a mean of rotation vectors is not quite that of rotations
    changing = band_blend(first, other=other, weights=[[0.0], [1.0]])
    np.testing.assert_allclose(changing.rotations_wxyz[0, 1:], first.rotations_wxyz[0, 1:], atol=1e-9)
    apart = quaternions.angle_between(changing.rotations_wxyz[-1, 1:], other.rotations_wxyz[-1, 1:])
    assert apart.max() < 1e-6


def test_everything_is_bit_equal_when_run_twice(walk):
    edits = [
        Edit("threshold", share=0.05),
        Edit("bands", gains=[1, 1, 2]),
        Edit("preset", name="squash"),
        Edit("exaggerate", gain=1.2),
        Edit("limits"),
    ]
    assert digest_of(edit(walk, edits).result) == digest_of(edit(walk, edits).result)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda walk: threshold(walk, dofs=["tail"]), "no joint or role 'tail'"),
        (lambda walk: threshold(walk, dofs=["left_knee.q"]), "no angle 'left_knee.q'; there are"),
        (lambda walk: threshold(walk, dofs=["left_knee", "left_knee.x"]), "named as a whole and by an axis"),
        (lambda walk: frequencies(walk, bands=[[3, 1, 2]]), "rows of lowest frequency"),
        (lambda walk: frequencies(walk, bands=[[1, 3, 2], [2, 4, 1]]), "overlap"),
        (lambda walk: frequencies(walk, bands=[[1, 3, np.nan]]), "rows of lowest frequency"),
        (lambda walk: speed(walk, factor=0.0), "a factor from 0.05"),
        (lambda walk: speed(walk[:3], factor=10.0), "too short"),
        (lambda walk: band_blend(walk, other=walk, weights=[]), "rows of one to"),
        (lambda walk: preset(walk, name="dance"), "dance"),
    ],
)
def test_what_filters_cannot_do_is_refused(walk, make, says):
    with pytest.raises(mo.MotionError, match=says):
        make(walk)


def test_filters_take_cycles_and_stay_cycles(cycle):
    for name, editor in EDITS.items():
        if editor.group == "filter" and editor.cycles and name in IDENTITIES:
            assert isinstance(edit(cycle, Edit(name, **IDENTITIES[name])).result, Cycle)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_bands_of_a_captured_lower_back_are_amplified_as_published(data_folder):
    clip = mo.load(data_folder / "cmu-asfamc/07/07_01.amc").captured
    made = edit(clip, Edit("bands", gains=[1, 1, 1, 1, 1, 1, 7.58, 7.58], dofs=["lowerback.y"])).result
    ranges = [np.ptp(signals_of(one, ["lowerback.y"]).values) for one in (clip, made)]
    assert 2.0 < ranges[1] / ranges[0] < 8.0
    np.testing.assert_array_equal(made.root_positions, clip.root_positions)
