"""Gestures: their basic periods, and feelings carried from one to another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.editing.feelings.periods import BasicPeriods, basic_periods
from mocapella.editing.feelings.profile import SAMPLES, Profile, _amplified, _levels, _swings
from mocapella.geometry import quaternions


@pytest.fixture(scope="module")
def drinks():
    return tuple(perform("drink", style=style, imperfections=CLEAN)[0] for style in ("normal", "angry"))


@pytest.fixture(scope="module")
def knock():
    return perform("knock", imperfections=CLEAN)[0]


def even(count, amplitude=1.0, duration=1.0):
    timing = np.tile(np.linspace(0.0, 1.0, SAMPLES), (count, 1))
    return Profile("even", np.full(count, duration), timing, np.full((count, 4), amplitude))


@pytest.mark.parametrize("imperfections", [CLEAN, CAPTURED])
@pytest.mark.parametrize("seed", [0, 3])
def test_drinking_has_four_basic_periods(imperfections, seed):
    found = basic_periods(perform("drink", imperfections=imperfections, seed=seed)[0])
    assert (found.end, found.count) == ("right_wrist", 4)


def test_a_feeling_learnt_from_a_motion_and_itself_changes_nothing(drinks, knock):
    made = mo.apply_profile(knock, mo.learn_profile(drinks[0], drinks[0]))
    assert np.abs(made.positions - knock.positions).max() < 1e-12


def test_no_strength_changes_nothing(drinks, knock):
    made = mo.apply_profile(knock, mo.learn_profile(*drinks), 0.0)
    assert np.abs(made.positions - knock.positions).max() < 1e-9


def test_the_feeling_of_a_gesture_given_to_its_neutral_performance_lasts_as_the_emotional_one(drinks):
    neutral, angry = drinks
    profile = mo.learn_profile(neutral, angry)
    made = basic_periods(mo.apply_profile(neutral, profile), at_most=4)
    wanted = basic_periods(angry, at_most=4)
    np.testing.assert_allclose(np.diff(made.frames), np.diff(wanted.frames), atol=14)
    total = [frames[-1] - frames[0] for frames in (made.frames, wanted.frames)]
    assert abs(total[0] / total[1] - 1.0) < 0.05


def test_every_period_of_another_gesture_is_shortened_by_the_mean_ratio(drinks, knock):
    profile = mo.learn_profile(*drinks)
    ratio = np.exp(np.log(profile.durations).mean())
    found = basic_periods(knock)
    made = mo.apply_profile(knock, profile)
    gesture = found.frames[-1] - found.frames[0]
    assert made.n_frames == pytest.approx(knock.n_frames - gesture * (1.0 - ratio), abs=2)


@settings(max_examples=10)
@given(ratio=st.floats(0.3, 3.0))
def test_swings_scale_by_the_ratio_and_the_ends_of_periods_stay(knock, ratio):
    periods = BasicPeriods("right_wrist", (50, 120, 300))
    made = _amplified(knock, periods, even(2, amplitude=ratio))
    for frame in periods.frames:
        assert quaternions.angle_between(made.rotations_wxyz[frame], knock.rotations_wxyz[frame]).max() < 1e-12
    levels = _levels(knock.skeleton)
    before, after = (_swings(clip.rotations_wxyz[120:301], levels) for clip in (knock, made))
    for one, two in zip(before, after, strict=True):
        if one * ratio < 2.5:  # beyond half a turn a swing has no size
            assert two == pytest.approx(one * ratio, rel=1e-6, abs=1e-9)


def test_feet_and_hips_stay_where_they_were(drinks, knock):
    made = mo.apply_profile(knock, mo.learn_profile(*drinks), 1.5)
    roles = mo.find_roles(knock.skeleton)
    for clip in (knock, made):
        ankle = clip.positions[:, roles["left_ankle"]]
        assert np.ptp(ankle, axis=0).max() < np.ptp(knock.positions[:, roles["left_ankle"]], axis=0).max() + 1e-6


def test_a_profile_is_an_edit_that_can_be_kept_in_a_file(drinks, knock, tmp_path):
    profile = mo.learn_profile(*drinks)
    mo.save_edits([mo.Edit("feel", profile=profile.plain(), strength=0.7)], tmp_path / "angry.toml")
    done = mo.edit(knock, mo.load_edits(tmp_path / "angry.toml"))
    np.testing.assert_array_equal(done.result.positions, mo.apply_profile(knock, profile, 0.7).positions)
    learnt = mo.edit(knock, mo.Edit("feel", neutral=drinks[0], emotional=drinks[1], strength=0.7))
    np.testing.assert_array_equal(learnt.result.positions, done.result.positions)


def test_what_is_no_gesture_or_no_profile_is_refused(drinks, knock):
    neutral, angry = drinks
    still = knock[:30]
    for call, words in (
        (
            lambda: mo.learn_profile(neutral, angry, neutral_periods=(0, 50, 90), emotional_periods=(0, 50)),
            "2 basic .* one 1",
        ),
        (lambda: mo.learn_profile(neutral, mo.retarget(angry, angry.skeleton.scaled(0.5))), "another skeleton"),
        (lambda: basic_periods(knock, frames=(30, 20)), "in order"),
        (lambda: basic_periods(knock, end="nose"), "role of an end"),
        (lambda: mo.apply_profile(knock, even(2), np.nan), "strength"),
        (lambda: Profile.from_plain({"durations": [1.0]}), "timing"),
        (lambda: even(2, amplitude=-1.0), "above 0"),
        (lambda: mo.edit(knock, mo.Edit("feel")), "needs a profile"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            call()
    assert still.n_frames == 30
