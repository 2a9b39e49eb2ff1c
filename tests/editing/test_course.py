"""Courses: where a clip faces and goes, without the sway of its steps."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.editing.stances import course_of, find_stances
from mocapella.geometry import quaternions


def course(walk):
    clip, contacts = walk
    return course_of(clip, find_stances(clip, contacts))


def skewed(clip, yaw):
    """The same way, with the body turned aslant to it."""
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(yaw), rotations[:, 0])
    return replace(clip, rotations_wxyz=rotations)


def test_turning_and_moving_a_clip_turns_its_course_and_nothing_else(turning):
    clip, contacts = turning
    here, there = course(turning), course((clip.turned(1.0, about=(2.0, 1.0)).moved(3.0, 1.0), contacts))
    np.testing.assert_allclose(there.headings - here.headings, 1.0, atol=1e-9)
    np.testing.assert_allclose(there.directions - here.directions, 1.0, atol=1e-9)
    np.testing.assert_allclose(there.travel, here.travel, atol=1e-12)
    np.testing.assert_allclose(there.heights, here.heights, atol=1e-6)


def test_the_course_of_a_straight_walk_does_not_sway(walk):
    found = course(walk)
    sway = quaternions.yaw(walk[0].rotations_wxyz[:, 0])
    assert np.degrees(np.ptp(sway)) > 8.0
    assert np.degrees(np.abs(found.headings).max()) < 0.5
    assert np.degrees(np.abs(found.directions).max()) < 0.5


def test_the_course_of_a_turning_walk_turns_evenly(turning):
    found, rate = course(turning), turning[0].frame_rate
    np.testing.assert_allclose(np.gradient(found.headings)[20:-20] * rate, 0.6, atol=0.12)
    whole = slice(0, None)
    slope = np.polyfit(np.arange(turning[0].n_frames)[whole] / rate, found.directions, 1)[0]
    assert slope == pytest.approx(0.6, abs=0.02)


def test_who_walks_aslant_faces_one_way_and_goes_another(walk):
    clip, contacts = walk
    plain, aslant = course(walk), course((skewed(clip, 0.4), contacts))
    np.testing.assert_allclose(aslant.headings - plain.headings, 0.4, atol=1e-9)
    np.testing.assert_allclose(aslant.directions, plain.directions, atol=1e-9)


def test_travel_along_the_course_adds_up_to_the_way(turning):
    found, places = course(turning), turning[0].ground_path
    np.testing.assert_allclose(
        places[0] + np.cumsum(found.travel * np.exp(1j * found.directions))[:-1], places[1:], atol=1e-12
    )


def test_who_steps_on_the_spot_goes_where_he_faces(walk):
    clip, contacts = walk
    roots = np.array(clip.root_positions)
    roots[:, 2] -= np.linspace(0.0, roots[-1, 2] - roots[0, 2], len(roots))
    found = course((replace(clip, root_positions=roots), contacts))
    np.testing.assert_allclose(found.directions, found.headings)
