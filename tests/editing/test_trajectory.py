"""Laws of blending two ways step by step (the layered database's increments)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.editing.trajectory import blend_frames, blend_trajectories
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.studies.published import blend_aligned


def arc(turn, radius=1.05, frames=200):
    angles = np.linspace(0.0, turn, frames)
    side = np.sign(turn) * radius
    return np.stack([side * (1.0 - np.cos(angles)), radius * np.sin(np.abs(angles))], axis=1)


def length(way):
    return np.linalg.norm(np.diff(way, axis=0), axis=1).sum()


def test_all_of_one_is_that_one():
    left, right = arc(1.5 * np.pi), arc(-0.7 * np.pi, 2.0)
    np.testing.assert_allclose(blend_trajectories(left, right, 1.0), left, atol=1e-12)
    np.testing.assert_allclose(blend_trajectories(left, right, 0.0), right, atol=1e-12)


def test_opposite_turns_keep_their_length_where_places_collapse():
    left, right = arc(1.5 * np.pi), arc(-1.5 * np.pi)
    between = blend_trajectories(left, right, 0.5)
    np.testing.assert_allclose(length(left), 4.95, atol=0.01)
    np.testing.assert_allclose(length(between), length(left), rtol=1e-3)
    np.testing.assert_allclose(between[:, 0], 0.0, atol=1e-9)  # straight on
    assert (np.diff(between[:, 1]) > 0.0).all()  # and never back
    assert length(0.5 * (left + right)) < 3.2


def test_a_way_that_wraps_past_half_a_turn_does_not_fold():
    circle = arc(2.0 * np.pi - 1e-3)
    between = blend_trajectories(circle, arc(np.pi), 0.5)
    steps = np.diff(between, axis=0)
    turns = np.diff(np.unwrap(np.arctan2(steps[:, 0], steps[:, 1])))
    assert turns.min() > 0.0
    assert np.ptp(turns) < 1e-6


def test_standing_has_no_direction_and_turns_nothing():
    still = np.zeros((50, 2))
    way = blend_trajectories(arc(0.5, frames=50), still, 0.5)
    np.testing.assert_allclose(length(way), 0.5 * length(arc(0.5, frames=50)), rtol=1e-9)


def test_two_clips_at_either_end_are_themselves():
    left, right = (perform("walk", speed=1.2, turn=turn, seconds=1.5)[0] for turn in (0.5, -0.5))
    for share, goal in ((1.0, left), (0.0, right)):
        found = blend_frames(left, right, share)
        np.testing.assert_allclose(found.root_positions, goal.root_positions, atol=1e-12)
        assert quaternions.angle_between(found.rotations_wxyz, goal.rotations_wxyz).max() < 1e-7
    half = blend_frames(left, right, 0.5)
    turned = np.unwrap(quaternions.yaw(half.rotations_wxyz[:, 0]))
    assert abs(turned[-1] - turned[0]) < 0.2  # the sway of the hips


@pytest.mark.parametrize(("share", "rate"), [(1.0, 120.0), (0.0, 60.0), (0.5, 80.0)])
def test_frame_times_of_two_clips_are_blended_too(share, rate):
    quick, slow = (perform("walk", speed=1.2, seconds=1.0, frame_rate=120.0)[0] for _ in range(2))
    slow = replace(slow, frame_rate=60.0)  # the same steps, taken at half the pace
    found = blend_frames(quick, slow, share)
    np.testing.assert_allclose(found.frame_rate, rate)
    np.testing.assert_allclose(found.seconds, share * quick.seconds + (1.0 - share) * slow.seconds)


def test_a_share_that_leaves_no_time_is_refused():
    walk = perform("walk", speed=1.2, seconds=1.0)[0]
    with pytest.raises(MotionError, match="would last"):
        blend_frames(walk, replace(walk, frame_rate=walk.frame_rate / 2), 3.0)


def test_clips_of_unlike_length_are_told_the_rate_that_helps():
    long = perform("walk", speed=1.2, seconds=2.0, frame_rate=60.0)[0]
    short = long[: long.n_frames // 2]
    with pytest.raises(MotionError, match=r"second\.resampled") as caught:
        blend_frames(long, short, 0.5)
    rate = float(str(caught.value).split("resampled(")[1].split(")")[0])
    half = blend_frames(long, short.resampled(rate), 0.5)
    span = (half.n_frames - 1) / half.frame_rate
    np.testing.assert_allclose(span, 0.5 * ((long.n_frames - 1) + (short.n_frames - 1)) / 60.0, rtol=1e-3)


def test_motions_of_unlike_length_are_refused():
    with pytest.raises(MotionError, match="resample"):
        blend_trajectories(np.zeros((3, 2)), np.zeros((4, 2)), 0.5)


@pytest.fixture(scope="module")
def parting():
    """A left turn and a right turn whose bearings end more than half a turn apart (figure 5.4)."""
    left, right = (perform("walk", speed=1.2, turn=turn, seconds=5.0, frame_rate=60.0)[0] for turn in (0.75, -0.6))
    ends = [np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))[-1] for clip in (left, right)]
    assert ends[0] - ends[1] > np.pi
    return left, right


@pytest.mark.parametrize("blend", [blend_frames, blend_aligned])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_bearings_more_than_half_a_turn_apart_do_not_fold_the_path(parting, blend, share):
    found = blend(*parting, share)
    way, ways = found.root_positions[:, ::2], [clip.root_positions[:, ::2] for clip in parting]
    wanted = share * length(ways[0]) + (1.0 - share) * length(ways[1])
    assert abs(length(way) / wanted - 1.0) < 0.05
    assert length(share * ways[0] + (1.0 - share) * ways[1]) < 0.85 * wanted  # places fold
    steps = np.diff(way, axis=0)
    facing = quaternions.yaw(found.rotations_wxyz[1:, 0])
    assert (steps[:, 0] * np.sin(facing) + steps[:, 1] * np.cos(facing)).min() > 0.0  # never backwards
    yaw = np.unwrap(quaternions.yaw(found.rotations_wxyz[:, 0]))
    turns = [np.ptp(np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))[[0, -1]]) for clip in parting]
    np.testing.assert_allclose(yaw[-1] - yaw[0], share * turns[0] - (1.0 - share) * turns[1], atol=0.2)


def test_bodies_laid_over_each_other_come_out_as_they_were_at_either_end(parting):
    for share, goal in ((1.0, parting[0]), (0.0, parting[1])):
        found = blend_aligned(*parting, share)
        np.testing.assert_allclose(found.root_positions, goal.root_positions, atol=1e-9)
        assert quaternions.angle_between(found.rotations_wxyz, goal.rotations_wxyz).max() < 1e-7


def test_where_two_motions_stand_in_the_world_changes_no_aligned_blend(parting):
    left, right = parting
    plain, moved = (blend_aligned(left, other, 0.4) for other in (right, right.turned(2.0).moved(3.0, -1.0)))
    for clip in (plain, moved):
        assert clip.n_frames == left.n_frames
    np.testing.assert_allclose(length(moved.root_positions[:, ::2]), length(plain.root_positions[:, ::2]), rtol=1e-9)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("apart", range(-180, 180, 20))
def test_a_blend_of_walks_that_go_different_ways_faces_where_it_goes(share, apart):
    # One begins with a half turn on the spot: the first headings are nearer to each other by another way round.
    walk = perform("walk", frame_rate=30.0)[0]
    spin = np.pi * np.clip(1.0 - np.arange(walk.n_frames) / 15.0, 0.0, 1.0)
    turned = np.array(walk.rotations_wxyz)
    turned[:, 0] = quaternions.multiply(quaternions.about_y(spin), turned[:, 0])
    other = replace(walk, rotations_wxyz=turned).turned(np.radians(apart))
    made = blend_frames(walk, other, share)
    late = slice(20, None)
    ahead = np.diff(made.ground_path[late]) * np.exp(-1j * made.headings[late][:-1])
    assert abs(np.degrees(np.angle(ahead.sum()))) < 20.0
