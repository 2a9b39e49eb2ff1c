import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, capture, perform
from mocapella.analysis.period import (
    autocorrelation,
    best_lag,
    find_period,
    joint_autocorrelation,
    spectral_period,
    spectral_support,
    vote,
)
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.symmetry import mirrored_clip

TABLE_4_7 = {"l_femur": 126.0, "r_femur": 125.0, "l_tibia": 129.0, "r_tibia": 195.0, "l_foot": 129.0, "r_foot": 130.0}
ARMS_4_7 = {"l_radius": 123.0, "r_radius": 0.0, "l_humerus": 119.0, "r_humerus": 127.0}
TABLE_4_9 = {"l_femur": 101.0, "r_femur": 101.0, "l_tibia": 101.0, "r_tibia": 101.0, "l_foot": 101.0, "r_foot": 201.0}
TABLE_4_11 = {"l_femur": 74.0, "r_femur": 71.0, "l_tibia": 73.0, "r_tibia": 41.0, "l_foot": 73.0, "r_foot": 73.0}


@pytest.fixture(scope="module")
def stroll():
    return perform("walk", speed=1.2, imperfections=CAPTURED, seed=2)


def gait_signals(n_frames, period, rng=None):
    phases = 2 * np.pi * np.arange(n_frames) / period
    columns = []
    for late in (0.0, np.pi):
        step = phases + late
        columns += [0.4 * np.cos(step), 0.6 * np.cos(step - 1) + 0.35 * np.cos(2 * step + 0.4), 0.3 * np.cos(2 * step)]
    signals = np.stack(columns, axis=1)
    return signals if rng is None else signals + 0.03 * rng.standard_normal(signals.shape)


def test_a_signal_is_like_itself_one_period_on_and_opposite_half_a_period_on():
    signal = np.cos(2 * np.pi * np.arange(400) / 80)[:, None]
    curve = autocorrelation(signal, 120)[:, 0]
    np.testing.assert_allclose(curve[[0, 40, 80]], [1.0, -1.0, 1.0], atol=1e-3)


@pytest.mark.parametrize("period", [126.0, 99.37, 60.5])
def test_a_periodic_gait_gives_its_period_to_a_fraction_of_a_frame(period):
    signals = gait_signals(470, period, np.random.default_rng(1))
    assert best_lag(joint_autocorrelation(signals, 300), 42) == pytest.approx(period, abs=0.3)


def test_multiples_of_the_period_are_passed_over():
    signals = gait_signals(900, 101.0)
    assert best_lag(joint_autocorrelation(signals, 400), 42) == pytest.approx(101.0, abs=0.1)


def test_feet_that_move_twice_a_cycle_do_not_halve_it():
    signals = gait_signals(300, 120.0)
    assert best_lag(autocorrelation(signals, 200)[:, 2], 42) == pytest.approx(60.0, abs=0.5)  # one dof alone is fooled
    assert best_lag(joint_autocorrelation(signals, 200), 42) == pytest.approx(120.0, abs=0.5)


def test_a_constant_dof_has_no_period():
    assert best_lag(autocorrelation(np.ones((200, 1)), 100)[:, 0], 10) is None
    assert spectral_period(np.full((200, 1), 3.0)) == 0.0


@pytest.mark.parametrize(("padded", "bin_", "period"), [(512, 4, 128.0), (512, 5, 102.4), (256, 3, 85.3)])
def test_the_published_bins_give_the_published_periods(padded, bin_, period):
    signal = 5.0 + np.cos(2 * np.pi * bin_ * np.arange(padded) / padded)
    assert spectral_period(signal[:, None], padded=padded) == pytest.approx(period, abs=0.05)


def test_the_published_tables_vote_for_129_101_and_73_frames():
    assert vote(TABLE_4_7.values()) == 129
    assert vote(TABLE_4_9.values()) == 101
    assert vote(TABLE_4_11.values()) == 73
    assert vote((TABLE_4_7 | ARMS_4_7).values()) == 127


def test_where_every_dof_abstains_there_is_no_vote():
    with pytest.raises(MotionError, match="nothing to vote on"):
        vote([0.0])


def test_moving_turning_and_scaling_a_clip_leave_its_period(stroll):
    clip, truth = stroll
    period = find_period(clip).frames
    assert period == pytest.approx(truth.period * clip.frame_rate, abs=1.0)
    assert find_period(clip.moved(3.0, -2.0, y=0.4)).frames == pytest.approx(period, abs=1e-6)
    assert find_period(clip.turned(2.0)).frames == pytest.approx(period, abs=1e-6)
    large = Clip(clip.skeleton.scaled(1.7), 1.7 * clip.root_positions, clip.rotations_wxyz, clip.frame_rate)
    assert find_period(large).frames == pytest.approx(period, abs=1e-6)


def test_a_mirrored_clip_and_one_played_backwards_have_the_same_period(stroll):
    clip, _ = stroll
    period = find_period(clip).frames
    back = Clip(clip.skeleton, clip.root_positions[::-1], clip.rotations_wxyz[::-1], clip.frame_rate)
    assert find_period(back).frames == pytest.approx(period, abs=0.2)
    assert find_period(mirrored_clip(clip)).frames == pytest.approx(period, abs=0.05)


def test_the_same_seconds_are_found_at_another_frame_rate(stroll):
    clip, truth = stroll
    assert find_period(clip.resampled(30.0)).seconds == pytest.approx(truth.period, abs=0.02)


@pytest.mark.parametrize("imperfections", [CLEAN, CAPTURED])
@pytest.mark.parametrize(("action", "speed", "turn"), [("walk", 0.7, 0.0), ("walk", 1.7, 0.9), ("run", 3.5, -0.5)])
def test_one_step_is_never_taken_for_a_cycle(action, speed, turn, imperfections):
    clip, truth = perform(action, speed=speed, turn=turn, imperfections=imperfections)
    period = find_period(clip)
    assert period.frames == pytest.approx(truth.period * clip.frame_rate, abs=1.0)
    assert period.confidence > 0.9
    assert period.spectral == pytest.approx(period.frames, rel=0.05)


@pytest.mark.parametrize(
    "name", ["07_03.amc", "07_05.amc", "07_10.amc", "16_21.bvh", "16_26.bvh", "82_12.bvh", "104_56.bvh"]
)
def test_the_spectra_of_left_against_right_take_no_step_for_a_cycle_either(data_folder, name):
    folder = data_folder / ("cmu-asfamc" if name.endswith("amc") else "cmu-bvh") / name.split("_")[0]
    period = find_period(mo.load(folder / name))
    assert period.spectral == pytest.approx(period.frames, rel=0.1)


def test_spectra_that_see_another_period_lower_the_confidence():
    times = np.arange(600)
    slow, fast = np.sin(2 * np.pi * times / 130), np.sin(2 * np.pi * times / 90)
    assert spectral_support(slow[:, None], 130.0, (42.0, 360.0), 0.15) == pytest.approx(1.0)
    assert spectral_support((0.3 * slow + fast)[:, None], 130.0, (42.0, 360.0), 0.15) < 0.5
    assert spectral_support((0.3 * slow + fast)[:, None], 270.0, (42.0, 360.0), 0.15) > 0.95  # three times a period


def test_a_drift_is_no_period_of_a_spectrum():
    times = np.arange(300)
    signal = np.sin(2 * np.pi * times / 75.0) + 0.006 * times
    assert spectral_period(signal[:, None], (42.0, 280.0)) == pytest.approx(75.0, rel=0.05)


def test_gaps_are_bridged_and_a_clip_that_stays_in_pieces_says_so_where_it_has_no_period(stroll):
    clip, truth = stroll
    roots = clip.root_positions + np.array([2.0, 0.0, 0.0])
    roots[40::60] = 0.0
    gaps = Clip(clip.skeleton, roots, clip.rotations_wxyz, clip.frame_rate)
    assert find_period(gaps).seconds == pytest.approx(truth.period, rel=0.02)
    for first in range(0, clip.n_frames, 60):
        roots[first : first + 30] = 0.0
    with pytest.raises(MotionError, match="in pieces"):
        find_period(Clip(clip.skeleton, roots, clip.rotations_wxyz, clip.frame_rate))


def test_someone_who_stands_about_has_a_long_period_once_it_is_seen_twice():
    clip, truth = capture("look-around")
    assert find_period(clip).seconds == pytest.approx(truth.period, abs=0.05)
    with pytest.raises(MotionError, match="no motion repeats"):
        find_period(clip[: round(1.5 * truth.period * clip.frame_rate)])


def test_a_start_from_standing_gives_the_period_of_the_walk_that_follows():
    clip, truth = perform("stand-walk")
    assert find_period(clip).seconds == pytest.approx(truth.period_after, abs=0.02)


@pytest.mark.parametrize("imperfections", [CLEAN, CAPTURED])
def test_a_twirl_in_a_walk_has_no_say_in_how_long_its_steps_last(imperfections):
    clip, truth = perform("walk-twirl-walk", imperfections=imperfections)
    assert find_period(clip).frames == pytest.approx(truth.period * clip.frame_rate, abs=1.0)


def test_a_statue_has_no_period():
    clip, _ = perform("walk", speed=1.2)
    roots, rotations = (np.repeat(values[:1], 300, axis=0) for values in (clip.root_positions, clip.rotations_wxyz))
    with pytest.raises(MotionError, match="nothing moves enough"):
        find_period(Clip(clip.skeleton, roots, rotations, 120.0))


def test_less_than_one_cycle_has_no_period(stroll):
    clip, truth = stroll
    with pytest.raises(MotionError, match="no motion repeats"):
        find_period(clip[: round(0.8 * truth.period * clip.frame_rate)])
    with pytest.raises(MotionError, match="too few to hold a cycle"):
        find_period(clip[:30])


def test_a_gesture_that_happens_once_has_no_period():
    clip, _ = capture("drink neutral")
    with pytest.raises(MotionError, match="no motion repeats"):
        find_period(clip)


def test_a_chain_without_legs_still_has_a_period():
    chain = Skeleton.of(["base", "rod"], [-1, 0], [[0, 0, 0], [0, 1, 0]], ends={"rod": [0, 1, 0]})
    half = 0.2 * np.cos(2 * np.pi * np.arange(300) / 70)
    rotations = np.zeros((300, 2, 4))
    rotations[:, 0, 0] = 1.0
    rotations[:, 1, 0], rotations[:, 1, 3] = np.cos(half), np.sin(half)
    period = find_period(Clip(chain, np.zeros((300, 3)), rotations, 60.0))
    assert period.frames == pytest.approx(70.0, abs=0.2)
    assert period.per_dof["rod z"] == pytest.approx(70.0, abs=0.2)
    assert period.per_dof["base x"] == 0.0


def test_lost_frames_are_left_out(stroll):
    clip, truth = stroll
    roots = np.array(clip.root_positions)
    roots[40:50] = 0.0
    lost = Clip(clip.skeleton, roots, clip.rotations_wxyz, clip.frame_rate)
    assert find_period(lost).seconds == pytest.approx(truth.period, abs=0.02)


@pytest.mark.data
@pytest.mark.parametrize("file", ["cmu-asfamc/07/07_01.amc", "cmu-bvh/07/07_01.bvh"])
def test_the_published_walk_lasts_126_to_130_frames(data_folder, file):
    period = find_period(mo.load(data_folder / file))
    assert 126.0 <= period.frames <= 130.0
    assert set(period.per_dof) == {f"{s}_{p}" for s in ("left", "right") for p in ("hip", "knee", "ankle")}
    np.testing.assert_allclose(list(period.per_dof.values()), 129.5, atol=2.0)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "seconds"),
    [("16/16_15", 1.17), ("35/35_17", 0.75), ("16/16_45", 0.69), ("104/104_22", 1.19), ("137/137_42", 1.87)],
)
def test_real_walks_and_runs_have_the_period_of_their_strides(data_folder, file, seconds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        clip = mo.load(data_folder / "cmu-bvh" / f"{file}.bvh")
    assert find_period(clip).seconds == pytest.approx(seconds, abs=0.02)
