"""Two clips cut together where feet and poses agree."""

import warnings

import numpy as np
import pytest

import mocapella as mo
from benchmarks.smoothness import join_figures
from mocapella.editing.join import find_joins
from tests.editing.conftest import known_walk


@pytest.fixture(scope="module")
def clips():
    return known_walk(speed=1.2, cycles=3.0), known_walk(speed=1.3, turn=0.5, cycles=3.0)


def test_what_lies_beside_the_window_is_as_it_was(clips):
    (walk, _), (turn, _) = clips
    found = find_joins(walk, turn)[0]
    joined = mo.join_clips(walk, turn)
    half = 18
    np.testing.assert_array_equal(joined.positions[: found.first - half], walk.positions[: found.first - half])
    rest = turn.n_frames - found.second - half - 1
    steps = [np.linalg.norm(np.diff(clip.root_positions[-rest:], axis=0), axis=1) for clip in (joined, turn)]
    np.testing.assert_allclose(steps[0], steps[1], atol=1e-12)  # moved and turned, not changed
    assert joined.n_frames == found.first + turn.n_frames - found.second


def test_the_same_feet_rest_where_clips_meet(clips):
    (walk, plants), (turn, others) = clips
    for found in find_joins(walk, turn, contacts=(plants, others)):
        for foot in ("left", "right"):
            assert plants.planted(foot)[found.first] == others.planted(foot)[found.second]


def test_clips_whose_feet_never_rest_alike_are_not_joined(clips):
    (walk, plants), (turn, _) = clips
    none = mo.Contacts(turn.n_frames)
    always = mo.Contacts(walk.n_frames, left_heel=((0, walk.n_frames - 1),))
    with pytest.raises(mo.MotionError, match="never comes near enough"):
        find_joins(walk, turn, contacts=(always, none))
    assert plants.n_frames == walk.n_frames


def test_a_clip_joined_with_what_it_went_on_with_is_itself_again(clips):
    (walk, _), _ = clips
    joined = mo.join_clips(walk[:220], walk[150:], at=(190, 190))
    np.testing.assert_allclose(joined.positions, walk.positions, atol=1e-9)


def test_a_join_is_no_rougher_than_the_clips(clips):
    (walk, _), (turn, _) = clips
    found = find_joins(walk, turn, count=1)[0]
    figures = join_figures(mo.join_clips(walk, turn), found.first / walk.frame_rate, walk, then=turn, around=0.2)
    assert figures.step < 1.5
    assert figures.kick < 1.5


def test_joining_is_an_edit_and_says_where_it_was_done(clips):
    (walk, _), (turn, _) = clips
    done = mo.edit(walk, mo.Edit("join", second=turn)).result
    np.testing.assert_array_equal(done.positions, mo.join_clips(walk, turn).positions)
    assert done.report.findings[-1].code == "joined"


def test_what_does_not_fit_is_refused(clips):
    (walk, _), (turn, _) = clips
    for call, words in (
        (lambda: mo.join_clips(walk, mo.retarget(turn, turn.skeleton.scaled(0.5))), r"another skeleton.*retarget"),
        (lambda: mo.join_clips(walk, turn, at=(1, 60)), "to join at"),
        (lambda: mo.join_clips(walk, turn, at=(60,)), "a row of the first and a row of the second"),
        (lambda: mo.join_clips(walk[:20], turn), "too short"),
        (lambda: mo.join_clips(walk, turn, window=-1.0), "window"),
        (lambda: mo.join_clips(walk, known_walk()[0].resampled(60).captured[:10]), "too short"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            call()


@pytest.mark.data
@pytest.mark.parametrize(("one", "other"), [("16_15", "16_17"), ("16_31", "16_33")])
def test_captures_join_no_more_roughly_than_they_move(data_folder, one, other):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        first, second = (mo.load(data_folder / f"cmu-bvh/16/{name}.bvh", clean=True).captured for name in (one, other))
    found = find_joins(first, second, count=1)[0]
    figures = join_figures(mo.join_clips(first, second), found.first / 120.0, first, then=second, around=0.2)
    assert max(figures.step, figures.kick, figures.push) < 1.5
