"""Gestures: their basic periods, and feelings carried from one to another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.editing.feelings.periods import BasicPeriods, basic_periods, end_path, end_speed
from mocapella.editing.feelings.profile import Profile
from mocapella.editing.feelings.reshaping import SAMPLES, amplified, extended, levels_of, swings
from mocapella.editing.feelings.usual import usual_profile
from mocapella.geometry import quaternions
from mocapella.rig.symmetry import mirrored_clip


@pytest.fixture(scope="module")
def drinks():
    return tuple(perform("drink", style=style, imperfections=CLEAN)[0] for style in ("normal", "angry"))


@pytest.fixture(scope="module")
def knock():
    return perform("knock", imperfections=CLEAN)[0]


def even(count, amplitude=1.0, duration=1.0):
    timing = np.tile(np.linspace(0.0, 1.0, SAMPLES), (count, 1))
    ones = np.ones(count)
    return Profile("even", duration * ones, timing, np.full((count, 4), amplitude), ones, ones, np.zeros((4, 3)))


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


def test_every_period_of_another_gesture_is_shortened_by_the_mean_ratio_down_to_the_quickest_stroke(drinks, knock):
    profile = mo.learn_profile(*drinks)
    ratio = np.exp(np.log(profile.durations).mean())
    seconds = np.diff(basic_periods(knock).frames) / knock.frame_rate
    assert (ratio * seconds < 0.1).sum() == 5  # blows
    rest = knock.seconds - seconds.sum()
    expected = rest + np.maximum(ratio * seconds, 0.1).sum()
    assert mo.apply_profile(knock, profile).seconds == pytest.approx(expected, abs=2.0 / knock.frame_rate)


def figures(clip):
    """Greatest speed of the hand, how far ahead of the hips it gets, and how far the head is on average."""
    path, roles = end_path(clip, "right_wrist"), mo.find_roles(clip.skeleton)
    first, *_, last = basic_periods(clip, end="right_wrist").frames
    head = (clip.positions[:, roles["head"]] - clip.root_positions)[first:last, 2].mean()
    return np.array([end_speed(clip, "right_wrist", smoothing=0.01).max(), path[:, 2].max(), head])


def test_anger_is_more_than_haste(drinks, knock):
    """Learnt from a drink that has no blows: the knock of the same actor was left out."""
    true = figures(perform("knock", style="angry", imperfections=CLEAN)[0])
    plain, angry = figures(knock), figures(mo.apply_profile(knock, mo.learn_profile(*drinks)))
    assert (np.abs(angry - true) < 0.3 * np.abs(plain - true)).all()


def test_a_blow_learnt_is_longer_and_a_slow_movement_learnt_from_the_same_gesture_is_not(drinks):
    knocks = [perform("knock", style=style, imperfections=CLEAN)[0] for style in ("normal", "angry")]
    profile = mo.learn_profile(*knocks)
    assert (profile.ranges[1:-1] > 2.0).all()
    assert (profile.ranges[[0, -1]] == 1.0).all()
    drink = drinks[0]
    angry = mo.apply_profile(drink, profile)
    places = [end_path(clip, "right_wrist")[list(basic_periods(clip, at_most=4).frames)] for clip in (drink, angry)]
    np.testing.assert_allclose(places[1], places[0], atol=0.06)  # the cup still comes to the mouth, leaning aside


def test_the_feeling_of_a_left_handed_gesture_is_the_mirror_image(drinks, knock):
    profile = mo.learn_profile(*drinks)
    expected = mirrored_clip(mo.apply_profile(knock, profile))
    np.testing.assert_allclose(mo.apply_profile(mirrored_clip(knock), profile).positions, expected.positions, atol=1e-4)


@settings(max_examples=10)
@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=2))
def test_poses_between_periods_move_apart_and_the_first_and_the_last_stay(knock, ranges):
    periods = BasicPeriods("right_wrist", (50, 150, 172))
    moved = extended(knock, periods, np.array(ranges))
    for frame in (periods.frames[0], periods.frames[-1]):
        assert quaternions.angle_between(moved.rotations_wxyz[frame], knock.rotations_wxyz[frame]).max() < 1e-12
    same = extended(knock, periods, np.ones(2))
    assert same is knock


@settings(max_examples=10)
@given(ratio=st.floats(0.3, 3.0))
def test_swings_scale_by_the_ratio_and_the_ends_of_periods_stay(knock, ratio):
    periods = BasicPeriods("right_wrist", (50, 120, 300))
    made = amplified(knock, periods, np.full((2, 4), ratio))
    for frame in periods.frames:
        assert quaternions.angle_between(made.rotations_wxyz[frame], knock.rotations_wxyz[frame]).max() < 1e-12
    levels = levels_of(knock.skeleton)
    before, after = (swings(clip, (120, 300), levels) for clip in (knock, made))
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


def test_a_usual_feeling_needs_no_performance_to_learn_it_from(knock):
    done = mo.edit(knock, mo.Edit("feel", feeling="angry"))
    np.testing.assert_array_equal(done.result.positions, mo.apply_profile(knock, usual_profile("angry")).positions)
    assert done.result.seconds < 0.8 * knock.seconds


def test_profiles_that_were_kept_before_they_had_ranges_and_postures_are_still_read(drinks):
    kept = mo.learn_profile(*drinks).plain()
    old = Profile.from_plain({key: kept[key] for key in ("name", "durations", "timing", "amplitudes")})
    assert not old.posture.any()
    assert (old.ranges == 1.0).all()
    assert old.peak == 1.0
    assert Profile.from_plain(kept).plain() == kept


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
        (lambda: mo.edit(knock, mo.Edit("feel")), "needs a name, a profile"),
        (lambda: mo.edit(knock, mo.Edit("feel", feeling="grumpy")), "angry"),
        (lambda: mo.learn_profile(neutral, mirrored_clip(neutral), end="right_wrist"), "no basic period|stands still"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            call()
    assert still.n_frames == 30
