"""Clips aligned in time and blended."""

import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.editing.clip_blend import WAYS
from mocapella.editing.matched_frames import TimeMap
from mocapella.editing.registry import EDITS
from mocapella.geometry import quaternions
from tests.editing.conftest import known_walk


@pytest.fixture(scope="module")
def pair():
    return known_walk(speed=0.9, cycles=3.0), known_walk(speed=1.5, cycles=3.4)


def same(one, other, tolerance=1e-9):
    np.testing.assert_allclose(one.root_positions, other.root_positions, atol=tolerance)
    assert quaternions.angle_between(one.rotations_wxyz, other.rotations_wxyz).max() < 1e-6


@pytest.mark.parametrize("align", ["warp", "length"])
def test_no_weight_is_the_first_and_all_of_it_the_second(pair, align):
    (slow, _), (fast, _) = pair
    same(mo.blend_clips(slow, fast, 0.0, align=align), slow)
    same(mo.blend_clips(slow, fast, 1.0, align=align), fast)


def test_supports_of_both_motions_coincide_frame_by_frame(pair):
    (slow, plants), (fast, others) = pair
    found = mo.align_clips(slow, fast, "stances", contacts=(plants, others))
    frames = np.arange(np.ceil(found.first[1]), found.first[-2]).astype(int)  # between landings
    there = np.clip(np.round(found.second_at(frames.astype(float))).astype(int), 0, fast.n_frames - 1)
    for foot in ("left", "right"):
        differ = plants.planted(foot)[frames] != others.planted(foot)[there]
        changes = np.flatnonzero(np.diff(plants.planted(foot)[frames].astype(int)))
        near = np.abs(np.flatnonzero(differ)[:, None] - changes[None]).min(axis=1, initial=99)
        assert differ.mean() < 0.04
        assert (near <= 3).all()  # within the frames in which heel and toe follow one another


def test_half_way_lasts_and_goes_half_way(pair):
    (slow, _), (fast, _) = pair
    half = mo.blend_clips(slow, fast, 0.5, align="stances")
    found = mo.align_clips(slow, fast, "stances")
    spans = [np.ptp(frames) / 120.0 for frames in (found.first, found.second)]
    np.testing.assert_allclose((half.n_frames - 1) / half.frame_rate, np.mean(spans), atol=0.02)


def test_time_always_runs_on_however_the_weight_changes(pair):
    (slow, _), (fast, _) = pair
    rng = np.random.default_rng(1)
    blend = mo.blend_clips(slow, fast, rng.uniform(0.0, 1.0, 40), align="warp")
    ahead = np.diff(blend.root_positions[:, 2])
    assert ahead.min() > 0.0  # both walk ahead at every moment, and so does the blend
    least, most = sorted((slow.seconds, fast.seconds))
    assert least < blend.seconds < most


def test_keys_meet_and_rows_of_the_sources_are_meant(pair):
    (slow, _), (fast, _) = pair
    found = mo.align_clips(slow[10:], fast[20:], "keys", keys=[(70, 60)])
    assert found.second_at(np.array([60.0]))[0] == 40.0
    assert (found.first[0], found.second[0]) == (0.0, 0.0)


def test_a_motion_in_the_time_of_another_keeps_its_own_poses(pair):
    (slow, _), (fast, _) = pair
    made = mo.retime(slow, fast)
    assert made.n_frames == fast.n_frames
    np.testing.assert_allclose(made.root_positions[[0, -1]], slow.root_positions[[0, -1]], atol=1e-9)
    same(mo.retime(slow, slow), slow, 0.02)


def test_a_map_and_its_reverse_undo_each_other():
    found = TimeMap(np.array([0.0, 4.0, 10.0]), np.array([0.0, 8.0, 11.0]))
    frames = np.linspace(0.0, 10.0, 21)
    np.testing.assert_allclose(found.reversed().second_at(found.second_at(frames)), frames)


def test_the_edit_takes_every_way_to_align_and_is_what_the_function_gives(pair, tmp_path):
    (slow, _), (fast, _) = pair
    assert set(EDITS["blend"].parameters["align"].choices) == set(WAYS)
    done = mo.edit(slow, mo.Edit("blend", second=fast, weight=[0.0, 1.0], align="stances"))
    same(done.result, mo.blend_clips(slow, fast, (0.0, 1.0), align="stances"))


def test_what_cannot_be_blended_is_refused_with_what_helps(pair):
    (slow, _), (fast, _) = pair
    child = mo.retarget(fast, fast.skeleton.scaled(0.7))
    for call, words in (
        (lambda: mo.blend_clips(slow, child), r"another skeleton.*retarget\(second"),
        (lambda: mo.blend_clips(slow, fast, 9.0, align="length"), "would last no time.*nearer to 0"),
        (lambda: mo.blend_clips(slow, fast, np.nan), "weight"),
        (lambda: mo.blend_clips(slow, fast, 1e9, align="length"), r"weights up to 10 either way, got 1e\+09"),
        (lambda: mo.blend_clips(slow, fast, [0.5, np.inf]), "weights up to 10 either way, got inf"),
        (lambda: mo.blend_clips(slow, fast, align="sideways"), "no .*sideways|expected a way to align"),
        (lambda: mo.align_clips(slow, fast, "keys"), "needs some"),
        (lambda: mo.align_clips(slow, fast, "keys", keys=[(5, 9), (9, 5)]), "increase"),
        (lambda: mo.align_clips(slow, fast, "keys", keys=[(5, 99999)]), "among the rows"),
        (lambda: mo.align_clips(slow, fast, "keys", keys=[(5, 9, 3)]), "pairs of rows"),
        (lambda: mo.align_clips(slow, fast, "warp", keys=[(5, 9)]), "another way to align"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            call()


@pytest.mark.data
def test_two_captured_dances_blend_by_their_poses(data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        walk, other = (mo.load(data_folder / f"cmu-bvh/16/16_{n}.bvh", clean=True) for n in ("31", "33"))
    starting, stopping = walk.captured, other.captured
    half = mo.blend_clips(starting, stopping, 0.5)
    assert starting.seconds > half.seconds > stopping.seconds
    steps = np.linalg.norm(np.diff(half.root_positions, axis=0), axis=1)
    assert steps.max() < 1.5 * np.linalg.norm(np.diff(starting.root_positions, axis=0), axis=1).max()
