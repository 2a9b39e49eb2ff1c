"""Clips blended with averaged motions, stance by stance."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.editing.stances import course_of, find_stances, pace_of
from mocapella.geometry import quaternions
from mocapella.rig.parts import joints_of


def blended(walk, averaged, ratio, **options):
    clip, contacts = walk
    return mo.blend_stances(clip, averaged, ratio, contacts=contacts, **options)


def course_like(clip, walk):
    """The course of a changed clip, which lands when the walk lands."""
    return course_of(clip, find_stances(*walk))


def steps_of(clip, walk):
    """How far the root gets in every whole stance of the walk, metres along its course."""
    travel = course_like(clip, walk).travel
    return np.array([np.abs(travel[s.first : s.last + 1].sum()) for s in find_stances(*walk) if s.complete])


def jumps(clip):
    """How much angular velocities change from frame to frame, rad/s, mean of the joints; the first is of frame 1."""
    q = clip.rotations_wxyz
    velocities = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(q[:-1]), q[1:])) * clip.frame_rate
    return np.linalg.norm(np.diff(velocities, axis=0), axis=-1).mean(axis=1)


def test_a_ratio_of_zero_is_the_clip(walk, sad):
    for part in ("all", "upper"):
        same = blended(walk, sad, 0, part=part)
        np.testing.assert_array_equal(same.rotations_wxyz, walk[0].rotations_wxyz)
        np.testing.assert_array_equal(same.root_positions, walk[0].root_positions)


def test_next_to_nothing_of_a_manner_is_next_to_the_clip(sad):
    clip, _ = perform("stand-walk")
    apart = mo.blend_stances(clip, sad, 1e-6).positions - clip.positions
    assert 0.0 < np.abs(apart).max() < 1e-5


def test_the_upper_body_at_one_is_the_averaged_motions_and_the_legs_are_the_clips(walk, sad):
    clip, contacts = walk
    changed = blended(walk, sad, 1, part="upper")
    upper = joints_of(clip.skeleton, "upper")
    np.testing.assert_array_equal(changed.rotations_wxyz[:, ~upper], clip.rotations_wxyz[:, ~upper])
    np.testing.assert_array_equal(changed.root_positions, clip.root_positions)
    for stance in find_stances(clip, contacts)[1:-1]:
        middle = (stance.first + stance.last + 1) // 2
        share = (middle - stance.first) / stance.n_frames
        wanted = sad.stances[stance.foot].at(np.array([share]))[0][0]
        apart = quaternions.angle_between(changed.rotations_wxyz[middle, upper], wanted[upper])
        np.testing.assert_allclose(apart, 0.0, atol=np.radians(0.1))


@pytest.mark.parametrize("part", ["left_leg", "right_arm", "spine", "head", "lower"])
def test_no_other_joint_than_those_of_the_part_changes(walk, sad, part):
    changed, own = blended(walk, sad, 0.6, part=part), joints_of(walk[0].skeleton, part)
    np.testing.assert_array_equal(changed.rotations_wxyz[:, ~own], walk[0].rotations_wxyz[:, ~own])
    apart = quaternions.angle_between(changed.rotations_wxyz[:, own], walk[0].rotations_wxyz[:, own])
    assert np.degrees(apart.max()) > 1.0
    assert (part == "lower") == (np.abs(changed.root_positions - walk[0].root_positions).max() > 0.01)


def test_joints_turn_in_proportion_to_the_ratio(walk, sad):
    half, full = (blended(walk, sad, ratio, part="upper") for ratio in (0.5, 1.0))
    whole = quaternions.angle_between(walk[0].rotations_wxyz, full.rotations_wxyz)
    np.testing.assert_allclose(
        quaternions.angle_between(walk[0].rotations_wxyz, half.rotations_wxyz), 0.5 * whole, atol=1e-9
    )


@pytest.mark.parametrize("ratio", [0.3, 1.0, 1.4])
def test_steps_grow_as_the_ratio_of_averaged_to_own_steps_says(slow, walk, ratio):
    averaged = mo.average_stances(walk[0], contacts=walk[1])
    own, changed = steps_of(slow[0], slow), steps_of(blended(slow, averaged, ratio, part="lower"), slow)
    feet = [stance.foot for stance in find_stances(*slow) if stance.complete]
    other = np.array([np.hypot(*averaged.stances[foot].step) for foot in feet])
    assert np.all(other > 1.2 * own)
    np.testing.assert_allclose(changed, own * (1.0 + ratio * (other / own - 1.0)), rtol=2e-3)


def test_a_step_that_goes_nowhere_is_not_divided_by(walk):
    clip, contacts = walk
    roots = clip.root_positions * np.array([0.0, 1.0, 0.0])
    spot = (replace(clip, root_positions=roots), contacts)
    averaged = mo.average_stances(clip, contacts=contacts)
    changed = steps_of(blended(spot, averaged, 0.5), spot)
    np.testing.assert_allclose(changed, 0.5 * np.hypot(*averaged.left.step), rtol=0.02)


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_the_heading_stays_that_of_the_path(turning, sad, ratio):
    changed = blended(turning, sad, ratio)
    before, after = course_like(turning[0], turning), course_like(changed, turning)
    assert np.degrees(np.abs(after.headings - before.headings).max()) < 1.0
    assert np.degrees(np.abs(after.directions - before.directions).max()) < 1.0
    assert changed.headings[-1] == pytest.approx(turning[0].headings[-1], abs=np.radians(12.0))


def test_tilts_do_not_add_up_over_many_turning_steps(sad):
    clip, _ = perform("walk", speed=1.2, turn=0.6, cycles=10.0)
    changed = mo.blend_stances(clip, sad, 0.5)
    up = quaternions.rotate(changed.rotations_wxyz[:, 0], np.array([0.0, 1.0, 0.0]))[:, 1]
    lean = np.degrees(np.arccos(up))
    assert abs(lean[-200:].mean() - lean[100:300].mean()) < 0.5


def test_legs_neither_lag_nor_lead(slow, walk):
    averaged = mo.average_stances(walk[0], contacts=walk[1])
    fast = blended(slow, averaged, 1.0)
    for ratio in (0.5, 1.0):
        changed = blended(slow, averaged, ratio)
        for stance in find_stances(*slow)[2:-2]:
            frames = slice(stance.first, stance.last + 1)
            wanted = (1.0 - ratio) * _ahead(slow[0], frames) + ratio * _ahead(fast, frames)
            assert _ahead(changed, frames) == pytest.approx(wanted, abs=0.01)
            assert abs(_ahead(changed, frames) - _ahead(slow[0], frames)) < 0.05


def _ahead(clip, frames):
    """How far the ankles are ahead of the hips in these frames, mean of both legs, metres."""
    roles = mo.find_roles(clip.skeleton)
    legs = [
        clip.positions[frames, roles[f"{s}_ankle"]] - clip.positions[frames, roles[f"{s}_hip"]]
        for s in ("left", "right")
    ]
    forward = np.stack([np.sin(clip.headings), 0.0 * clip.headings, np.cos(clip.headings)], axis=1)[frames]
    return float(np.mean([np.einsum("fi,fi->f", leg, forward) for leg in legs]))


def test_a_loop_blended_with_its_own_average_is_the_loop(loop):
    clip, contacts = loop
    changed = blended(loop, mo.average_stances(clip, contacts=contacts), 1.0)
    apart = quaternions.angle_between(changed.rotations_wxyz, clip.rotations_wxyz)
    landings = np.array([stance.first for stance in find_stances(*loop)[1:]])
    away = np.abs(np.arange(clip.n_frames)[:, None] - landings).min(axis=1) > 8
    assert np.degrees(apart[away].max()) < 0.5
    assert np.degrees(apart.max()) < 2.0  # about landings one stance runs softly into the next
    np.testing.assert_allclose(changed.root_positions, clip.root_positions, atol=0.02)


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_nothing_jerks_where_stances_change_but_what_the_clip_does_there(walk, sad, ratio):
    own, changed = jumps(walk[0]), jumps(blended(walk, sad, ratio))
    for stance in find_stances(*walk)[1:]:
        about = slice(stance.first - 2, stance.first + 1)
        assert changed[about].max() - (1.0 - ratio) * own[about].max() < 1.0 * np.median(changed)


def test_a_foot_that_lands_twice_running_does_not_make_the_body_jump(walk, sad):
    clip, contacts = walk
    missed = contacts.foot("right")[2]
    kept = tuple(plant for plant in contacts.foot("right") if plant != missed)
    hopping = mo.Contacts(clip.n_frames, left_heel=contacts.foot("left"), right_heel=kept)
    feet = [stance.foot for stance in find_stances(clip, hopping)]
    assert any(a == b for a, b in itertools.pairwise(feet))
    changed = mo.blend_stances(clip, sad, 1.0, contacts=hopping)
    turned = quaternions.angle_between(changed.rotations_wxyz[1:], changed.rotations_wxyz[:-1])
    assert np.degrees(turned.max()) < 12.0


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_a_manner_that_stands_higher_lifts_the_root_by_its_ratio(walk, sad, ratio):
    raised = replace(sad, stances={foot: replace(own, heights=own.heights + 0.05) for foot, own in sad.stances.items()})
    low, high = (blended(walk, each, ratio).root_positions for each in (sad, raised))
    np.testing.assert_allclose(high - low, np.broadcast_to([0.0, 0.05 * ratio, 0.0], low.shape), atol=1e-9)


def test_nobody_drops_where_the_averaged_stances_of_both_feet_stand_at_unlike_heights(walk, sad):
    limping = replace(sad, stances={"left": replace(sad.left, heights=sad.left.heights + 0.06), "right": sad.right})
    heights = blended(walk, limping, 1.0).root_positions[:, 1]
    assert np.abs(np.diff(heights)).max() < 0.006


def test_turning_and_moving_before_and_after_is_the_same(walk, sad):
    clip, contacts = walk
    before = mo.blend_stances(clip.turned(0.8, about=(1.0, 2.0)).moved(0.3, 0.1), sad, 0.6, contacts=contacts)
    after = mo.blend_stances(clip, sad, 0.6, contacts=contacts).turned(0.8, about=(1.0, 2.0)).moved(0.3, 0.1)
    np.testing.assert_allclose(before.positions, after.positions, atol=1e-4)


def test_who_stands_stays_as_he_was_and_takes_on_the_manner_as_he_walks(sad):
    clip, _ = perform("stand-walk")
    stances = find_stances(clip, mo.find_plants(clip, gait=True))
    changed = mo.blend_stances(clip, sad, 1.0)
    still = slice(0, stances[0].last + 1)
    np.testing.assert_allclose(changed.positions[still], clip.positions[still], atol=1e-9)
    assert pace_of(stances).stepping[stances[2].first] == 1.0
    head = joints_of(clip.skeleton, "head")
    frame = stances[2].first + 20
    apart = quaternions.angle_between(changed.rotations_wxyz[frame, head], clip.rotations_wxyz[frame, head])
    assert np.degrees(apart.max()) > 5.0


def test_the_ground_under_the_clip_is_the_ground_of_the_result(walk, sad):
    clip, contacts = walk
    high = mo.blend_stances(clip.moved(y=0.5), sad, 1.0, contacts=contacts)
    np.testing.assert_allclose(high.root_positions[:, 1], blended(walk, sad, 1.0).root_positions[:, 1] + 0.5, atol=1e-6)


def test_a_manner_captured_at_another_frame_rate_is_the_same_manner(walk):
    clip, _ = perform("walk", style="sad", cycles=4.3)
    fine, coarse = mo.average_stances(clip), mo.average_stances(clip.resampled(40.0))
    apart = blended(walk, fine, 1.0).positions - blended(walk, coarse, 1.0).positions
    assert np.linalg.norm(apart, axis=-1).max() < 0.08


def test_an_artificial_rest_pose_is_left_out(walk, sad):
    clip, contacts = walk
    rest = np.concatenate([np.tile(quaternions.IDENTITY, (1, clip.skeleton.n_joints, 1)), clip.rotations_wxyz])
    posed = replace(
        clip,
        root_positions=np.concatenate([clip.root_positions[:1], clip.root_positions]),
        rotations_wxyz=rest,
        report=replace(clip.report, n_rest_frames=1),
    )
    changed = mo.blend_stances(posed, sad, 0.5, contacts=contacts.shifted(1, posed.n_frames))
    assert (changed.n_frames, changed.first_row) == (clip.n_frames, 1)
    np.testing.assert_allclose(changed.positions, blended(walk, sad, 0.5).positions, atol=1e-9)


def test_what_does_not_fit_is_refused_in_words_that_help(walk, sad):
    clip, contacts = walk
    tall, _ = perform("walk", height=1.9)
    for wrong, words in (
        (lambda: mo.blend_stances(tall, sad, 0.5), "only motions of one skeleton mix"),
        (lambda: mo.blend_stances(clip, sad, float("inf")), "expected a ratio that is a number, .* got inf"),
        (lambda: mo.blend_stances(clip, sad, 0.5, part="middle"), "no part 'middle' of a body; there are lower"),
        (lambda: mo.blend_stances(clip[:60], sad, 0.5), "a step takes two; give a longer clip"),
        (lambda: mo.blend_stances(clip, sad, 0.5, contacts=contacts[4:]), "expected plants over the"),
        (lambda: mo.blend_stances(perform("stand", seconds=3.0)[0], sad, 0.5), "shows 0 landings"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            wrong()
