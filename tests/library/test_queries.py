"""Motions found by words, figures and example."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.library.descriptors import buckets_of, signature_of, windows_of
from mocapella.library.queries import find, find_like

SIGNATURE = signature_of(mo.example("walk", cycles=1.0))


def names(found):
    return [one.name for one in found]


def test_kinds_figures_and_words_all_must_fit(library):
    assert set(names(find(library, "run"))) == {"run", "walk-run"}
    assert names(find(library, "walk turn:left")) == ["leftWalk"]
    assert names(find(library, "walk turn:right speed:1..1.4")) == ["right_walk"]
    assert set(names(find(library, "walk speed:..1.0"))) >= {"slow_walk"}
    assert names(find(library, "happy")) == ["take_03"]
    assert names(find(library, "word:happy walk")) == ["take_03"]
    assert find(library, "sad walk") == []
    assert len(find(library, "walk", most=2)) == 2


def test_one_figure_means_about_that(library):
    assert "walk" in names(find(library, "walk speed:1.3"))
    assert "slow_walk" not in names(find(library, "walk speed:1.3"))


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("speed:fast", "neither a number nor a range"),
        ("speed:", "neither a number nor a range"),
        ("speed:2..1", "ends below"),
        ("colour:red", "no 'colour'"),
        ("turn:up", "neither a number nor a range"),
        ("speed:1..2..3", "neither a number nor a range"),
    ],
)
def test_what_makes_no_sense_is_refused_with_an_example(library, query, reason):
    with pytest.raises(mo.MotionError, match=reason) as refused:
        find(library, query)
    assert "say it as: walk speed:1.0..1.3" in str(refused.value)


def test_queries_reach_the_database_as_values_alone(library):
    assert find(library, "walk';DROP--TABLE") == []
    assert find(library, "word:\"'%") == []
    assert len(library) == 9


def test_the_example_itself_comes_first_and_its_kind_next(library, captures):
    found = find_like(library, mo.load(captures / "run.bvh"))
    assert names(found)[:2] == ["run", "walk-run"]
    assert found[0].score < 1e-2
    scores = [one.score for one in found]
    assert scores == sorted(scores)


def test_a_larger_body_elsewhere_at_another_rate_finds_the_same(library, captures):
    clip = mo.load(captures / "leftWalk.bvh")
    moved = clip.resampled(45.0).turned(1.3).moved(5.0, -2.0)
    larger = mo.Clip(moved.skeleton.scaled(1.15), 1.15 * moved.root_positions, moved.rotations_wxyz, moved.frame_rate)
    assert names(find_like(library, larger, most=1)) == ["leftWalk"]


@pytest.mark.parametrize("name", ["run", "leftWalk", "slow_walk"])
def test_a_pose_finds_the_moment_it_was_taken_from(library, captures, name):
    """Wherever it stands and heads, and of a body of another size; moments are known every quarter of a second."""
    clip = mo.load(captures / f"{name}.bvh")
    moment = 45  # of 60 a second: a quarter of one
    pose = clip[moment : moment + 1].turned(2.0).moved(3.0, -1.0)
    larger = mo.Clip(pose.skeleton.scaled(1.1), 1.1 * pose.root_positions, pose.rotations_wxyz, pose.frame_rate)
    best = find_like(library, larger, most=1)[0]
    assert best.name == name
    assert best.frames == 1
    period = mo.find_period(clip).frames
    away = (best.start - clip.first_row - moment) % period
    assert min(away, period - away) <= 2
    assert best.score < 0.01


def test_windows_are_the_same_wherever_the_motion_is():
    clip = mo.example("walk", turn=0.4)
    here, there = windows_of(clip)[0], windows_of(clip.turned(2.2).moved(4.0, 1.0))[0]
    np.testing.assert_allclose(here.astype(float), there.astype(float), atol=2e-3)


def test_a_clip_shorter_than_a_window_has_one():
    numbers, starts = windows_of(mo.example("walk", cycles=2.0)[:20])
    assert len(numbers) == len(starts) == 1
    single, _ = windows_of(mo.example("walk", cycles=2.0)[:1])
    assert len(single) == 1


def test_an_empty_library_finds_nothing(tmp_path):
    from mocapella.library.store import Library

    with Library.at(tmp_path, create=True) as empty:
        assert find(empty, "walk") == []
        assert find_like(empty, mo.example("walk", cycles=1.0)) == []


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_signatures_that_are_near_enough_are_looked_for_in_each_others_buckets(seed):
    rng = np.random.default_rng(seed)
    one = SIGNATURE + np.float32(rng.normal(0.0, 0.5))
    other = one + rng.uniform(-0.0199, 0.0199, len(one)).astype(np.float32)
    assert buckets_of(other, width=0.1)[0] in buckets_of(one, width=0.1, within=0.02)
    assert len(buckets_of(one, width=0.1)) == 1
