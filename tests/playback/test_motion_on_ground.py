"""Laws of the way in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.analysis.fourier import analyse
from mocapella.gait import root_motion
from mocapella.gait.foot_constants import FOOT
from mocapella.gait.resting import bearings_of, plants_of, resting_arcs
from mocapella.gait.root_motion import cycle_by_feet, cycle_by_root
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import CycleContacts
from mocapella.playback.playhead import Playhead, advance
from mocapella.rig.legs import LegDofs, legs_of


@pytest.fixture(scope="module")
def gait(turning):
    return cycle_by_feet(turning, LegDofs.of(turning.layout, legs_of(turning.layout.skeleton)))


def test_the_heading_is_the_integral_of_the_yaw_rate(gait, turning):
    phases = np.linspace(-1.0, 9.0, 7)
    found = [gait.way(float(phase))[0] for phase in phases]
    np.testing.assert_allclose(found, turning.integral_at(phases)[:, -1], atol=1e-12)


def test_each_round_adds_the_same_way_and_turn(gait):
    yaw, path = gait.way(TURN)
    for phase in (0.3, 2.0, 5.0):
        there, here = gait.way(phase + TURN), gait.way(phase)
        np.testing.assert_allclose(there[0], yaw + here[0], atol=1e-12)
        np.testing.assert_allclose(there[1], path + np.exp(1j * yaw) * here[1], atol=1e-9)


def test_the_blended_path_is_that_of_the_cycle(cycles, turning):
    clip = cycles[1].to_clip(2)
    gait = cycle_by_root(turning)
    head = advance(Playhead(), gait, turning.duration)
    goal = clip.root_positions[cycles[1].n_frames, ::2] - clip.root_positions[0, ::2]
    np.testing.assert_allclose(head.position, goal, atol=0.01)


def test_a_touch_moves_as_its_speed_says(gait):
    small = 1e-5
    for point in range(4):
        before, here, after = (gait.touch(point, 1.0 + d) for d in (-small, 0.0, small))
        np.testing.assert_allclose((after.place - before.place) / (2 * small), here.speed, atol=1e-6)


def test_planted_feet_hardly_move_on_the_path_that_they_ask_for(gait):
    for point, own in enumerate(gait.plants):
        for plant in own:
            middle = plant.start + plant.length * np.linspace(0.25, 0.75, 9)
            places = np.array([gait.touch(point, float(phase)).place for phase in middle])
            assert np.abs(places - places.mean()).max() < 0.01


def test_the_middle_of_a_way_without_sway_is_even(gait):
    phases = np.linspace(0.0, TURN, 13)
    yaws = [gait.way(float(phase))[0] - gait.sway(float(phase))[0] for phase in phases]
    np.testing.assert_allclose(np.diff(yaws, 2), 0.0, atol=1e-12)


def test_holds_ease_in_and_out_without_a_corner():
    (plant,) = plants_of((((1.0, 3.0),),), 1.0)[0]
    phases = np.linspace(0.0, TURN, 2001)
    holds = np.array([plant.hold(plant.since(float(phase))) for phase in phases])
    inside = (phases - 1.0) % TURN < 3.0
    assert (holds[inside] == 1.0).all()
    assert np.abs(np.diff(holds)).max() < 0.01
    assert np.abs(np.diff(holds, 2)).max() < 1e-3
    assert holds.min() == 0.0


def test_a_brake_takes_exactly_the_speed_at_the_ends_of_a_plant():
    (plant,) = plants_of((((1.0, 3.0),),), 1.0)[0]
    tiny = 1e-7
    np.testing.assert_allclose(plant.brake(-tiny) / -tiny, 1.0, atol=1e-5)
    np.testing.assert_allclose(plant.brake(plant.length + tiny) / tiny, 1.0, atol=1e-5)
    assert plant.brake(-plant.approach) == 0.0
    assert abs(plant.brake(plant.length + plant.release)) < 1e-12


def test_feet_hand_the_body_over_gradually():
    bearings = bearings_of((((0.0, 3.5),), (), ((np.pi, 3.5),), ()), 1.0, 400)
    assert bearings.max() == 1.0
    assert np.abs(np.diff(bearings, axis=0)).max() < 0.05
    np.testing.assert_array_equal(bearings[:, [1, 3]], 0.0)


def test_a_plant_that_blending_leaves_short_holds_little():
    ((short,), none, _) = plants_of((((1.0, 0.13),), ((1.0, 0.01),), ((2.0, 1.0),)), 1.0)
    assert short.firmness < 0.01
    assert none == ()
    assert not short.rests(1.05)


@pytest.mark.parametrize("start", [0.0, 0.7, 3.9, 6.0])
def test_plants_of_one_point_that_blending_lays_on_each_other_are_one(start):
    long, short = (start, 2.5), ((start + 2.3) % TURN, 0.3)
    ((whole,),) = plants_of((tuple(sorted((long, short))),), 1.0)
    np.testing.assert_allclose((whole.start, whole.length), (start, 2.6))
    assert whole.release > 0.1


def test_a_foot_that_stands_always_is_held_always():
    (plant,) = plants_of((((0.5, TURN),),), 2.0)[0]
    for phase in np.linspace(0.0, TURN, 50):
        assert plant.hold(plant.since(float(phase))) == 1.0


def test_the_end_of_a_plant_in_which_the_foot_is_up_is_no_rest():
    phases = TURN * np.arange(32) / 32
    heights = np.zeros((4, 32))
    heights[1] = 0.05 * (phases > 3.0)
    arcs = resting_arcs(CycleContacts(left_toe=((1.0, 3.0),)), heights.tolist())
    ((start, length),) = arcs[1]
    np.testing.assert_allclose(start, 1.0)
    assert 1.8 < length < 2.1
    assert arcs[0] == ()


def test_feet_of_the_legs_alone_are_those_of_the_whole_body(cycles, turning):
    from mocapella.analysis.plants.tracks import foot_places
    from mocapella.motion.layout import HEIGHT
    from mocapella.rig.legs import leg_roles

    cycle = cycles[1]
    clip = cycle.to_clip()
    legs = legs_of(clip.skeleton)
    part = LegDofs.of(cycle.layout, legs)
    (row,) = part.feet(cycle.dofs[:1, part.columns].T)
    feet = np.stack([row[1:8:2], row[8:], row[:8:2]], axis=1)
    whole = foot_places(clip, leg_roles(clip.skeleton))[0]
    root = clip.root_positions[0]
    np.testing.assert_allclose(feet + root * (1.0, 0.0, 1.0), whole, atol=1e-9)
    np.testing.assert_allclose(root[1], cycle.dofs[0, HEIGHT])


@pytest.mark.parametrize("harmonics", [3, 10, 20])
def test_the_dofs_at_a_moment_are_those_of_the_spectrum(cycles, harmonics):
    spectrum = analyse(cycles[1], harmonics=harmonics)
    gait = cycle_by_root(spectrum)
    for phase in (0.0, 1.3, 6.1):
        np.testing.assert_allclose(gait.dofs(phase), spectrum.at(np.array(phase)), atol=1e-12)


def test_the_lift_comes_nearest_to_what_the_feet_ask_for():
    rng = np.random.default_rng(5)
    weights, over = rng.uniform(0.0, 1.0, (32, 4)), rng.normal(size=(32, 4))
    _, (mean, swing) = root_motion._fitted(weights, over, np.zeros((32, 4), dtype=complex))
    angles = np.repeat(TURN * np.arange(32) / 32, 4)
    columns = np.stack([np.ones(128), 2.0 * np.cos(angles), -2.0 * np.sin(angles)], axis=1)
    stiff = np.diag([0.0, 1.0, 1.0]) * np.sqrt(2.0 * FOOT.stiffness * 32)
    roots = np.sqrt(weights.ravel())
    best = np.linalg.lstsq(
        np.concatenate([columns * roots[:, None], stiff]), np.concatenate([-over.ravel() * roots, np.zeros(3)])
    )[0]
    np.testing.assert_allclose((mean, swing.real, swing.imag), best, atol=1e-12)
