"""Planted feet while a manner comes in or goes out."""

from dataclasses import replace

import numpy as np

import mocapella as mo
from mocapella.actor import perform
from mocapella.analysis.plants.tracks import foot_places
from mocapella.editing.stance_blend import fading_travel
from mocapella.editing.stances import find_stances
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import Contacts
from mocapella.rig.legs import leg_roles


def held(clip, frame):
    """One pose throughout."""
    return np.repeat(clip.rotations_wxyz[frame : frame + 1], clip.n_frames, axis=0)


def left_foot(clip, rotations):
    posed = replace(clip, root_positions=np.zeros((clip.n_frames, 3)), rotations_wxyz=rotations)
    return foot_places(posed, leg_roles(clip.skeleton))[:, :2].mean(axis=1) @ np.array([1j, 0.0, 1.0])


def test_an_unchanging_share_of_a_manner_moves_nobody(walk):
    clip, contacts = walk
    shares = np.full(clip.n_frames, 0.7)
    np.testing.assert_array_equal(fading_travel(clip, held(clip, 10), held(clip, 60), shares, contacts), 0.0)


def test_the_root_gives_way_by_as_much_as_the_planted_foot_would_slide(walk):
    clip, _ = walk
    own, manner = held(clip, 10), held(clip, 60)
    shares = np.linspace(0.0, 1.0, clip.n_frames)
    gone = fading_travel(clip, own, manner, shares, Contacts(clip.n_frames, left_heel=((0, clip.n_frames - 1),)))
    apart = (left_foot(clip, manner) - left_foot(clip, own))[0]
    assert abs(apart) > 0.1
    np.testing.assert_allclose(gone.sum(), -apart, atol=1e-12)


def test_nobody_gives_way_in_flight(walk):
    clip, _ = walk
    shares = np.linspace(0.0, 1.0, clip.n_frames)
    gone = fading_travel(clip, held(clip, 10), held(clip, 60), shares, Contacts(clip.n_frames))
    np.testing.assert_array_equal(gone, 0.0)


def test_the_foot_someone_steps_off_from_does_not_slide_as_the_manner_comes_in():
    clip, _ = perform("stand-walk")
    walk, _ = perform("walk", style="sad", cycles=4.3)
    plants = mo.find_plants(clip, gait=True)
    passing = next(stance for stance in find_stances(clip, plants) if not stance.pause)
    changed = mo.blend_stances(clip, mo.average_stances(walk), 1.0)
    own, slid = (
        max(s.slid for s in footing(each, plants).slips if s.first < passing.last and s.last > passing.first)
        for each in (clip, changed)
    )
    assert slid < own + 0.015
