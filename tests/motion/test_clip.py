"""Clips: frozen frames; cutting, resampling, joining, moving and turning give new ones that say the same motion."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella import load
from mocapella.errors import MotionError
from mocapella.geometry import quaternions as qs
from mocapella.motion.clip import Clip, concatenate
from mocapella.motion.report import Finding, Report
from mocapella.motion.skeleton import Skeleton

laws = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 10**6)
LEG = Skeleton.of(
    ["hips", "knee", "ankle"], [-1, 0, 1], [[0, 0, 0], [0.1, -0.4, 0], [0, -0.4, 0]], ends={"ankle": [0, -0.1, 0.15]}
)
SLIDING = {"sliding_joints": np.array([2])}


def wander(at, *, speed=1.2, turn=0.5):
    """Where a swinging leg is at some seconds: it walks round a circle."""
    yaw = 0.3 + turn * at
    roots = np.stack([speed / turn * -np.cos(yaw), 0.9 + 0.02 * np.sin(9 * at), speed / turn * np.sin(yaw)], axis=-1)
    swing = np.zeros((len(at), 2, 3))
    swing[:, 0, 0], swing[:, 1, 0] = 0.5 * np.sin(4 * at), 0.6 - 0.4 * np.cos(4 * at)
    rotations = np.concatenate([qs.about_y(yaw)[:, None], qs.from_rotvec(swing)], axis=1)
    return roots, rotations


def a_walk(n_frames=60, frame_rate=60.0, **kwargs):
    return Clip(LEG, *wander(np.arange(n_frames) / frame_rate), frame_rate, **kwargs)


def any_clip(seed, n_frames=6, **kwargs):
    rng = np.random.default_rng(seed)
    return Clip(LEG, rng.normal(size=(n_frames, 3)), rng.normal(size=(n_frames, 3, 4)), 30.0, **kwargs)


def with_rest_pose(clip):
    """The clip behind an artificial rest pose, as some files begin."""
    still = np.tile(qs.IDENTITY, (1, 3, 1))
    return replace(
        clip,
        root_positions=np.concatenate([np.zeros((1, 3)), clip.root_positions]),
        rotations_wxyz=np.concatenate([still, clip.rotations_wxyz]),
        report=Report(n_rest_frames=1, findings=(Finding("rest-pose", "", (0,)), Finding("unit-unsure", ""))),
    )


def same_motion(a, b, atol=1e-9):
    np.testing.assert_allclose(a.positions, b.positions, atol=atol)
    np.testing.assert_allclose(qs.angle_between(a.rotations_wxyz, b.rotations_wxyz), 0.0, atol=atol)


# The value ------------------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.sampled_from([np.float64, np.float32]))
def test_rotations_become_unit_quaternions_whose_signs_run_on(seed, dtype):
    raw = np.random.default_rng(seed).normal(size=(8, 3, 4)).astype(dtype)
    clip = Clip(LEG, np.zeros((8, 3), dtype=dtype), raw, 30.0)
    np.testing.assert_allclose(np.linalg.norm(clip.rotations_wxyz, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(qs.angle_between(clip.rotations_wxyz, qs.normalise(raw)), 0.0, atol=1e-5)
    assert np.all(np.sum(clip.rotations_wxyz[1:] * clip.rotations_wxyz[:-1], axis=-1) >= 0)


@pytest.mark.parametrize("name", ["root_positions", "rotations_wxyz", "sliding_joints", "slides", "positions"])
def test_the_arrays_of_a_clip_cannot_be_written_to(name):
    clip = any_clip(0, slides=np.ones((6, 1, 3)), **SLIDING)
    with pytest.raises(ValueError, match="read-only"):
        getattr(clip, name)[:] = 0
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(clip, name, None)


def test_later_writes_by_the_caller_do_not_leak_in():
    roots, rotations, slides = np.zeros((4, 3)), np.tile(qs.IDENTITY, (4, 3, 1)), np.ones((4, 1, 3))
    clip = Clip(LEG, roots, rotations, 30.0, slides=slides, **SLIDING)
    roots[:], rotations[:], slides[:] = 7.0, 7.0, 7.0
    np.testing.assert_array_equal(clip.root_positions, 0.0)
    np.testing.assert_array_equal(clip.rotations_wxyz, np.tile(qs.IDENTITY, (4, 3, 1)))
    np.testing.assert_array_equal(clip.slides, 1.0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"frame_rate": 0.0}, "frame rate above 0, got 0"),
        ({"frame_rate": float("nan")}, "frame rate above 0, got nan"),
        ({"frame_rate": float("inf")}, "frame rate above 0, got inf"),
        ({"frame_rate": 1e300}, r"got 1e\+300; there are rates from one frame in an hour to 1e\+06 in a second"),
        ({"frame_rate": 1e-300}, "got 1e-300; there are rates"),
        ({"root_positions": np.full((6, 3), np.nan)}, "positions must be finite"),
        ({"rotations_wxyz": np.full((6, 3, 4), np.inf)}, "rotations must be finite"),
        ({"rotations_wxyz": np.zeros((6, 3, 4))}, "zero length"),
        ({"rotations_wxyz": np.ones((6, 2, 4))}, r"expected rotations of shape \(6, 3, 4\)"),
        ({"root_positions": np.zeros((0, 3)), "rotations_wxyz": np.ones((0, 3, 4))}, "at least one frame"),
        ({"slides": np.ones((5, 1, 3)), **SLIDING}, "one offset per frame and sliding joint"),
        ({"slides": np.full((6, 1, 3), np.inf), **SLIDING}, "positions must be finite"),
        ({"slides": np.ones((6, 1, 3)), "sliding_joints": np.array([3])}, "joints 1 to 2 can slide, got"),
        ({"slides": np.ones((6, 1, 3)), "sliding_joints": np.array([0])}, "joints 1 to 2 can slide, got"),
    ],
)
def test_what_is_no_motion_is_refused(change, reason):
    clip = any_clip(0)
    with pytest.raises(MotionError, match=reason):
        replace(clip, **change)


def test_a_clip_shows_its_name_and_size():
    assert repr(a_walk(name="stroll")) == "Clip('stroll', 60 frames at 60 Hz, 3 joints)"
    assert repr(a_walk(2, 29.97)) == "Clip(2 frames at 29.97 Hz, 3 joints)"
    assert a_walk(90).renamed("jog").name == "jog"
    assert (len(a_walk(90)), a_walk(90).seconds) == (90, 1.5)


# Cutting --------------------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.integers(0, 8), st.integers(0, 9), st.integers(0, 5))
def test_a_cut_remembers_its_row_and_shows_the_same_frames(seed, start, stop, first_row):
    slides = np.random.default_rng(seed).normal(size=(10, 1, 3))
    clip = any_clip(seed, 10, first_row=first_row, slides=slides, **SLIDING)
    if start >= stop:
        with pytest.raises(MotionError, match="hold nothing; the clip has 10"):
            clip[start:stop]
    else:
        cut = clip[start:stop]
        assert (cut.n_frames, cut.first_row) == (stop - start, first_row + start)
        np.testing.assert_allclose(cut.positions, clip.positions[start:stop], atol=1e-14)
        same_motion(cut[0:], cut)


def test_cutting_a_cut_counts_rows_from_the_source():
    assert a_walk()[10:50][5:].first_row == 15
    assert a_walk()[-10:].first_row == 50
    assert a_walk()[:20].first_row == 0


def test_cutting_copies_nothing():
    clip = a_walk()
    assert np.shares_memory(clip[10:20].rotations_wxyz, clip.rotations_wxyz)


def test_only_plain_stretches_can_be_cut():
    with pytest.raises(MotionError, match=r"steps of 1, got 2; use clip\.resampled"):
        a_walk()[::2]


def test_the_rest_pose_in_front_is_no_part_of_the_capture():
    clip = with_rest_pose(a_walk())
    assert (clip.captured.n_frames, clip.captured.first_row) == (60, 1)
    assert clip[5:].captured.first_row == 5
    assert clip[:1].captured.n_frames == 1  # there is nothing else
    assert a_walk().captured.n_frames == 60


# Resampling -----------------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.sampled_from([30.0, 15.0, 10.0, 60.0, 90.0, 240.0, 1470.0, 30.0 / 7]), st.integers(1, 12))
def test_frames_that_coincide_stay_exact(seed, frame_rate, n_frames):
    clip = any_clip(seed, n_frames, slides=np.random.default_rng(seed).normal(size=(n_frames, 1, 3)), **SLIDING)
    other = clip.resampled(frame_rate)
    at = np.arange(other.n_frames) * 30.0 / frame_rate
    assert at[-1] <= n_frames - 1 < at[-1] + 30.0 / frame_rate
    same = np.flatnonzero(at == np.round(at))
    old = at[same].astype(int)
    np.testing.assert_array_equal(other.root_positions[same], clip.root_positions[old])
    np.testing.assert_array_equal(other.slides[same], clip.slides[old])
    np.testing.assert_allclose(qs.angle_between(other.rotations_wxyz[same], clip.rotations_wxyz[old]), 0.0, atol=1e-14)


def test_resampling_to_the_same_rate_changes_nothing():
    same_motion(a_walk().resampled(60.0), a_walk(), atol=0.0)
    for frame_rate in (23.976, 29.97):
        clip = a_walk(120, frame_rate)
        assert all(clip[:n].resampled(frame_rate).n_frames == n for n in (1, 2, 3, 30, 56, 59, 62, 98))


@pytest.mark.parametrize("frame_rate", [24.0, 29.97, 50.0, 100.0, 120.0, 144.0])
def test_resampling_keeps_to_the_motion_between_the_frames(frame_rate):
    n_frames = int(1.5 * frame_rate)
    expected = Clip(LEG, *wander(np.arange(n_frames) / frame_rate), frame_rate)
    resampled = a_walk(121).resampled(frame_rate)[:n_frames]
    same_motion(resampled, expected, atol=2e-4)


def test_resampling_is_smooth():
    fine = a_walk(61).resampled(960.0)
    acceleration = np.diff(fine.positions, 2, axis=0) * 960.0**2
    assert np.abs(acceleration).max() < 20.0  # the walk's own is 12 m/s²; corners would show as hundreds


def test_resampling_there_and_back_gives_the_clip_again():
    same_motion(a_walk(61).resampled(180.0).resampled(60.0), a_walk(61), atol=1e-12)


@pytest.mark.parametrize(("frame_rate", "n_rest"), [(60.0, 1), (30.0, 1), (120.0, 2), (240.0, 4)])
def test_a_rest_pose_is_not_mixed_into_the_capture(frame_rate, n_rest):
    resampled = with_rest_pose(a_walk()).resampled(frame_rate)
    assert resampled.report.n_rest_frames == n_rest
    np.testing.assert_array_equal(resampled.root_positions[:n_rest], 0.0)
    lengths = np.linalg.norm(resampled.captured.root_positions[:, [0, 2]], axis=1)
    np.testing.assert_allclose(lengths, 2.4, atol=1e-4)  # on the circle from the first frame on


def test_resampled_rows_count_from_zero_and_findings_that_name_rows_are_left_behind():
    resampled = with_rest_pose(a_walk())[10:].resampled(30.0)
    assert resampled.first_row == 0
    assert [finding.code for finding in resampled.report.findings] == ["unit-unsure"]


@pytest.mark.parametrize("frame_rate", [0.0, -30.0, float("nan"), float("inf")])
def test_an_impossible_frame_rate_is_refused(frame_rate):
    with pytest.raises(MotionError, match="expected a frame rate above 0"):
        a_walk().resampled(frame_rate)


def test_a_single_frame_can_be_resampled():
    assert a_walk(1).resampled(120.0).n_frames == 1


# Moving and turning ---------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.floats(-5, 5), st.floats(-5, 5), st.floats(-2, 2))
def test_moving_a_clip_moves_every_joint(seed, x, z, y):
    clip = any_clip(seed, slides=np.ones((6, 1, 3)), **SLIDING)
    moved, offset = clip.moved(x, z, y=y), np.array([x, y, z])
    np.testing.assert_allclose(moved.positions, clip.positions + offset, atol=1e-12)
    np.testing.assert_allclose(moved.end_positions, clip.end_positions + offset, atol=1e-12)


@laws
@given(seeds, st.floats(-7, 7), st.floats(-5, 5), st.floats(-5, 5))
def test_turning_a_clip_turns_every_joint_round_the_point(seed, yaw, x, z):
    clip = any_clip(seed, slides=np.ones((6, 1, 3)), **SLIDING)
    turned = clip.turned(yaw, about=(x, z))
    centre, turn = np.array([x, 0.0, z]), qs.about_y(yaw)
    for before, after in ((clip.positions, turned.positions), (clip.end_positions, turned.end_positions)):
        np.testing.assert_allclose(after, qs.rotate(turn, before - centre) + centre, atol=1e-12)
        np.testing.assert_allclose(after[..., 1], before[..., 1], atol=1e-12)


@laws
@given(seeds, st.floats(-7, 7))
def test_turning_back_gives_the_clip_again(seed, yaw):
    clip = any_clip(seed)
    same_motion(clip.turned(yaw, about=(1.0, 2.0)).turned(-yaw, about=(1.0, 2.0)), clip)


# Joining --------------------------------------------------------------------------------------------------------------


def test_the_parts_of_a_clip_joined_are_the_clip():
    whole = a_walk(first_row=7)
    same_motion(concatenate([whole[:20], whole[20:21], whole[21:]]), whole, atol=0.0)
    assert concatenate([whole[:20], whole[20:]]).first_row == 7


@laws
@given(st.floats(-7, 7), st.floats(-5, 5), st.floats(-5, 5), st.integers(2, 58))
def test_aligned_parts_join_wherever_they_were_put(yaw, x, z, cut):
    whole = a_walk(frame_rate=120.0)
    joined = concatenate([whole[:cut], whole[cut:].turned(yaw).moved(x, z)], aligned=True)
    same_motion(joined, whole, atol=5e-4)  # the step between the parts is carried on straight


def test_aligned_clips_keep_their_heights():
    joined = concatenate([a_walk(), a_walk(), a_walk()], aligned=True)
    np.testing.assert_allclose(joined.positions[..., 1], np.tile(a_walk().positions[..., 1], (3, 1)), atol=1e-12)
    steps = np.linalg.norm(np.diff(joined.root_positions[:, [0, 2]], axis=0), axis=1)
    np.testing.assert_allclose(steps, 1.2 / 60, atol=1e-5)


def test_a_clip_of_one_frame_can_be_carried_on():
    joined = concatenate([a_walk(1), a_walk(5).turned(2.0)], aligned=True)
    same_motion(joined[1:], a_walk(5))
    behind_rest = concatenate([with_rest_pose(a_walk(1)), a_walk(5).turned(2.0)], aligned=True)
    same_motion(behind_rest[2:], a_walk(5))


def test_rest_poses_stay_out_of_the_middle():
    clip = with_rest_pose(a_walk())
    for aligned in (False, True):
        joined = concatenate([clip, clip], aligned=aligned)
        assert joined.n_frames == 121
        assert joined.captured.first_row == 1
    steps = np.linalg.norm(np.diff(joined.captured.root_positions[:, [0, 2]], axis=0), axis=1)
    np.testing.assert_allclose(steps, 1.2 / 60, atol=1e-5)


def test_joints_that_slide_in_one_part_rest_in_the_other():
    sliding = replace(a_walk(4), sliding_joints=np.array([2]), slides=np.full((4, 1, 3), 0.7))
    joined = concatenate([a_walk(3), sliding])
    np.testing.assert_array_equal(joined.slides[:, 0], [LEG.offsets[2]] * 3 + [[0.7] * 3] * 4)
    np.testing.assert_allclose(joined.positions[3:], sliding.positions, atol=1e-14)


def test_unlike_clips_do_not_join():
    with pytest.raises(MotionError, match="nothing to concatenate"):
        concatenate([])
    with pytest.raises(MotionError, match=r"runs at 30 Hz, .* at 60; resample it first"):
        concatenate([a_walk(), a_walk().resampled(30.0)])
    with pytest.raises(MotionError, match="another skeleton"):
        concatenate([a_walk(), replace(a_walk(), skeleton=LEG.scaled(2.0))])


@pytest.mark.data
def test_captures_of_one_subject_join(data_folder):
    clips = [load(data_folder / f"cmu-bvh/16/16_{n}.bvh") for n in (21, 36)]
    joined = concatenate(clips, aligned=True)
    assert joined.n_frames == sum(clip.n_frames for clip in clips) - 1
    assert np.linalg.norm(np.diff(joined.captured.root_positions, axis=0), axis=1).max() < 0.1
