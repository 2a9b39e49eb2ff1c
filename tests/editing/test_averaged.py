"""Averaged motions: made of clips, blended among themselves, stored."""

import json
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.editing.averaged import AveragedMotion, AveragedStance, averaged
from mocapella.editing.stances import course_of, find_stances
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.kinematics import without_heading
from mocapella.storage.stored_averages import AVERAGED


def alike(a, b, atol=1e-9):
    np.testing.assert_allclose(quaternions.angle_between(a.rotations_wxyz, b.rotations_wxyz), 0.0, atol=atol)
    np.testing.assert_allclose(a.ways, b.ways, atol=atol)
    np.testing.assert_allclose(a.heights, b.heights, atol=atol)
    np.testing.assert_allclose(a.seconds, b.seconds)


def test_identical_stances_average_to_themselves(sad):
    for stance in sad.stances.values():
        alike(averaged([stance, stance, stance]), stance)


def test_the_steps_of_a_loop_average_to_each_of_them(loop):
    clip, contacts = loop
    found = mo.average_stances(clip, contacts=contacts)
    stances = find_stances(clip, contacts)
    course = course_of(clip, stances)
    for stance in stances[2:5]:
        own, frames = found.stances[stance.foot], slice(stance.first, stance.last + 2)
        assert len(own.heights) == stance.n_frames + 1
        apart = quaternions.angle_between(
            own.rotations_wxyz, without_heading(clip.rotations_wxyz[frames], course.headings[frames])
        )
        np.testing.assert_allclose(apart[:, 1:], 0.0, atol=1e-6)
        np.testing.assert_allclose(apart[:, 0], 0.0, atol=np.radians(0.2))  # the ends of the clip know less of sway
        np.testing.assert_allclose(own.heights, course.heights[frames], atol=1e-3)  # the ground is an estimate


def test_an_average_is_as_long_and_gets_as_far_as_its_stances_do_on_average(walk):
    clip, contacts = walk
    found = mo.average_stances(clip, contacts=contacts)
    whole = [stance for stance in find_stances(clip, contacts) if stance.complete]
    for foot in ("left", "right"):
        own = [stance for stance in whole if stance.foot == foot]
        assert found.stances[foot].count == len(own)
        assert found.stances[foot].seconds == pytest.approx(np.mean([s.n_frames for s in own]) / clip.frame_rate)
    steps = np.array([stance.step for stance in found.stances.values()])
    np.testing.assert_allclose(steps[:, 0].sum(), 1.3 * (found.left.seconds + found.right.seconds), rtol=0.02)
    assert abs(steps[:, 1].sum()) < 0.005  # to the left and back again


def test_stances_are_resampled_between_neighbouring_frames():
    turns = quaternions.about_y(np.array([0.0, 0.1, 0.3]))[:, None]
    stance = AveragedStance(turns, np.array([[0.0, 0.0], [0.2, 0.0], [0.6, 0.0]]), np.array([1.0, 1.1, 1.0]), 0.5)
    rotations, ways, heights = stance.at(np.array([0.0, 0.85, 1.0]))
    np.testing.assert_allclose(quaternions.yaw(rotations[:, 0]), [0.0, 0.1 + 0.7 * 0.2, 0.3])
    np.testing.assert_allclose(ways[1], [0.2 + 0.7 * 0.4, 0.0])
    np.testing.assert_allclose(heights[1], 1.1 - 0.7 * 0.1)


def test_where_on_the_ground_and_facing_which_way_a_clip_was_captured_does_not_matter(walk):
    clip, contacts = walk
    here = mo.average_stances(clip, contacts=contacts)
    there = mo.average_stances(clip.turned(2.0, about=(1.0, 3.0)).moved(4.0, -2.0, y=0.3), contacts=contacts)
    for foot in ("left", "right"):
        alike(here.stances[foot], there.stances[foot], atol=1e-6)


def test_a_turning_walk_averages_to_steps_that_go_straight_ahead(turning):
    clip, contacts = turning
    found = mo.average_stances(clip, contacts=contacts)
    together = found.left.step + found.right.step
    assert abs(np.degrees(np.arctan2(together[1], together[0]))) < 1.0
    yaws = np.concatenate([quaternions.yaw(stance.rotations_wxyz[:, 0]) for stance in found.stances.values()])
    assert abs(np.degrees(yaws.mean())) < 0.5


def test_ends_of_a_blend_of_averages_are_the_averages(walk, sad):
    plain = mo.average_stances(walk[0], contacts=walk[1])
    assert plain.blended(sad, 0) is plain
    assert plain.blended(sad, 1.0) is sad


def test_a_blend_of_averages_is_weighted_in_length_and_way_and_pose(walk, sad):
    plain = mo.average_stances(walk[0], contacts=walk[1])
    mixed = plain.blended(sad, 0.25)
    for foot in ("left", "right"):
        a, b, c = (each.stances[foot] for each in (plain, sad, mixed))
        np.testing.assert_allclose(c.seconds, 0.75 * a.seconds + 0.25 * b.seconds)
        np.testing.assert_allclose(c.step, 0.75 * a.step + 0.25 * b.step)
        np.testing.assert_allclose(c.heights[0], 0.75 * a.heights[0] + 0.25 * b.heights[0])
        whole = quaternions.angle_between(a.rotations_wxyz[0], b.rotations_wxyz[0])
        np.testing.assert_allclose(
            quaternions.angle_between(a.rotations_wxyz[0], c.rotations_wxyz[0]), 0.25 * whole, atol=1e-9
        )


def test_an_average_that_is_stored_blends_as_before(walk, sad, tmp_path):
    mo.save(sad, tmp_path / "sad.moca")
    again = mo.load(tmp_path / "sad.moca")
    direct, reloaded = (mo.blend_stances(walk[0], each, 0.7, contacts=walk[1]) for each in (sad, again))
    np.testing.assert_array_equal(direct.rotations_wxyz, reloaded.rotations_wxyz)
    np.testing.assert_array_equal(direct.root_positions, reloaded.root_positions)
    assert (again.name, again.left.count) == (sad.name, sad.left.count)


def test_a_file_that_holds_no_average_is_refused(walk, sad, tmp_path):
    path = tmp_path / "sad.moca"
    with pytest.raises(mo.MotionError, match=r"stored as \.moca, got 'sad.bvh'"):
        mo.save(sad, tmp_path / "sad.bvh")
    mo.save(sad, path)
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    header["__metadata__"]["mocapella"] = header["__metadata__"]["mocapella"].replace('"seconds"', '"minutes"')
    text = json.dumps(header).encode()
    (tmp_path / "odd.moca").write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])
    with pytest.raises(mo.FormatError, match="describes no averaged motion"):
        AVERAGED.load(tmp_path / "odd.moca")
    mo.save(mo.prepare(walk[0]), tmp_path / "cycle.moca")
    with pytest.raises(mo.FormatError, match="averaged"):
        AVERAGED.load(tmp_path / "cycle.moca")


def test_what_cannot_be_a_stance_is_refused(sad):
    left = sad.left
    for change, words in (
        ({"seconds": 0.0}, "takes some time"),
        (
            {"rotations_wxyz": left.rotations_wxyz[:1], "ways": left.ways[:1], "heights": left.heights[:1]},
            "2 to 100000",
        ),
        ({"ways": left.ways * np.nan}, "finite"),
        ({"rotations_wxyz": 2.0 * left.rotations_wxyz}, "unit quaternions"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            replace(left, **change)
    with pytest.raises(mo.MotionError, match="left and right, got left"):
        AveragedMotion(sad.skeleton, {"left": left})
    with pytest.raises(mo.MotionError, match="expected rotations of"):
        AveragedMotion(sad.skeleton, {"left": left, "right": replace(left, rotations_wxyz=left.rotations_wxyz[:, 1:])})


def test_averages_of_two_skeletons_or_by_no_number_do_not_blend(sad):
    tall = mo.average_stances(perform("walk", height=1.9, cycles=4.0)[0])
    with pytest.raises(mo.MotionError, match="only motions of one skeleton mix"):
        sad.blended(tall, 0.5)
    with pytest.raises(mo.MotionError, match="expected a ratio that is a number"):
        sad.blended(sad, float("nan"))
    quick = replace(sad, stances={foot: replace(own, seconds=0.1) for foot, own in sad.stances.items()})
    with pytest.raises(mo.MotionError, match="would take no time; try 0 to 1"):
        sad.blended(quick, 3)


def test_a_clip_without_a_whole_stance_of_each_foot_is_refused_and_one_that_has_one_warns(walk):
    clip, contacts = walk
    stances = find_stances(clip, contacts)
    two = slice(0, stances[3].first - 5)
    with pytest.raises(mo.MotionError, match=f"no whole stance of the {stances[2].foot} foot"):
        mo.average_stances(clip[two], contacts=contacts[two])
    three = slice(0, stances[3].first + 5)
    with pytest.warns(mo.MotionWarning, match="one whole stance of the (left|right) foot"):
        mo.average_stances(clip[three], contacts=contacts[three])
    with pytest.raises(mo.MotionError, match="plants over the"):
        mo.average_stances(clip, contacts=contacts[5:])


def test_the_average_of_a_walk_stands_as_well_as_the_walk(walk):
    clip, contacts = walk
    own = mo.blend_stances(clip, mo.average_stances(clip, contacts=contacts), 1.0, contacts=contacts)
    assert footing(own, contacts).slip_mm_mean < footing(clip, contacts).slip_mm_mean + 3.0
