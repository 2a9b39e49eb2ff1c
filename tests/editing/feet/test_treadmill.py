"""Gaits in place, given the travel of their feet again."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.analysis.examined import examine
from mocapella.analysis.treadmill import walks_in_place, with_travel
from mocapella.editing.basic import off_treadmill
from mocapella.editing.parameters import EditError
from mocapella.errors import MotionWarning
from mocapella.motion.contacts import FOOT_POINTS

TO_THE_SIDE = np.array([0.0, 1.0, 0.0])  # what of a place stays where a body is held in one


def held(clip):
    return replace(clip, root_positions=clip.root_positions * TO_THE_SIDE)


def way(clip):
    """Metres along the ground, without the sway of steps."""
    return np.abs(np.diff(clip.captured.ground_path[:: int(clip.frame_rate / 10)])).sum()


@pytest.mark.parametrize("file", ["16/16_15", "137/137_29", "16/16_17", "09/09_06"])
def test_a_capture_held_in_place_goes_its_way_again(data_folder, file):
    clip = mo.load(data_folder / f"cmu-bvh/{file}.bvh").captured
    assert not walks_in_place(clip)
    assert walks_in_place(held(clip))
    again = off_treadmill(held(clip))
    np.testing.assert_allclose(way(again), way(clip), rtol=0.09)  # feet slide by 3 to 7 % in the captures themselves
    np.testing.assert_array_equal(again.rotations_wxyz, clip.rotations_wxyz)
    np.testing.assert_array_equal(again.root_positions[:, 1], clip.root_positions[:, 1])


def test_it_goes_the_same_way_wherever_it_faces():
    walk = held(mo.example("walk", speed=1.2))
    one, other = off_treadmill(walk), off_treadmill(walk.turned(1.0))
    np.testing.assert_allclose(other.ground_path, one.ground_path * np.exp(1j), atol=1e-9)


def test_what_stands_or_travels_has_nothing_to_be_given():
    for clip in (mo.example("walk"), mo.example("stand")):
        with pytest.raises(EditError, match="do not slide below it"):
            off_treadmill(clip)


def test_a_network_is_built_of_a_walk_in_place():
    walk = held(mo.example("walk", speed=1.3)).renamed("in place")
    with pytest.warns(MotionWarning, match="in place walks in place, as on a treadmill"):
        network = mo.build_network([walk])
    np.testing.assert_allclose(network.nodes[0].at, (0.0, 1.3), atol=0.1)


def test_plants_and_cycles_of_a_walk_in_place_are_those_of_the_walk():
    walk = mo.example("walk", speed=1.3)
    still = held(walk).renamed("in place")
    with pytest.warns(MotionWarning, match="in place walks in place, as on a treadmill"):
        plants = mo.find_plants(still)
    for point in FOOT_POINTS:
        own, found = mo.find_plants(walk).planted(point), plants.planted(point)
        assert (own & found).sum() > 0.9 * (own | found).sum()
    for call in (mo.find_cycle, mo.prepare):
        with pytest.warns(MotionWarning, match="in place walks in place") as said:
            cycle = call(still)
        assert len(said) == 1
        np.testing.assert_allclose(cycle.speed, 1.3, rtol=0.05)


def test_what_was_examined_stays_in_place_and_so_does_what_is_not_cleaned(recwarn):
    still = held(mo.example("walk", speed=1.3))
    assert mo.find_cycle(examine(still)).speed < 0.01
    assert mo.prepare(still, clean=False).speed < 0.01
    assert not any(mo.find_plants(examine(still)).planted(point).any() for point in FOOT_POINTS)
    assert not recwarn.list


def test_edits_leave_a_walk_in_place_where_it_is(recwarn):
    still = held(mo.example("walk", speed=1.3))
    with pytest.warns(MotionWarning, match="nothing was locked"):
        locked = mo.lock_feet(still)
    for edited in (
        locked,
        mo.edit(still, mo.Edit("sync_mirror")).result,
        mo.retarget(still, still.skeleton),
    ):
        assert way(edited) < 0.1
    assert not recwarn.list


def test_drawn_loops_in_place_travel(data_folder):
    for name, frames in (("walk1", 13), ("zombieWalk1", 31)):  # the last frame of walk1 all but repeats the first
        with pytest.warns(MotionWarning, match="walks in place"):
            network = mo.build_network([data_folder / f"makehuman/{name}.bvh"])
        np.testing.assert_allclose(network.nodes[0].spectrum.duration, frames / 24)
        assert network.nodes[0].spectrum.speed > 0.4


def test_a_body_that_no_foot_carries_does_not_walk_in_place():
    walk = perform("walk", speed=1.3, imperfections=CLEAN)[0].resampled(10.0)
    hopping = np.array(walk.root_positions * [0.0, 1.0, 0.0])
    hopping[::2, 1] += 0.1  # no foot is low in two frames that follow each other
    clip = replace(walk, root_positions=hopping)
    assert not walks_in_place(clip)
    mo.find_plants(clip)
    with pytest.raises(mo.MotionError, match="no foot stays near the ground for two frames"):
        with_travel(clip)
