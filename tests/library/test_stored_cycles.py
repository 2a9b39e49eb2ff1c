"""The cycles of walks and runs that a library keeps of captures."""

import numpy as np

import mocapella as mo
from mocapella.analysis.examined import examine
from mocapella.analysis.treadmill import travelling
from mocapella.geometry import quaternions
from mocapella.library.stored_cycles import kept_cycles, prepared_again
from mocapella.library.stretches import find_stretches


def kept(clip):
    known = examine(clip)
    return kept_cycles(known, find_stretches(known))


def straight_then_left(rate=0.9, frame_rate=60.0):
    """A walk of the actor at 1.2 m/s, whose second half is laid round a circle."""
    walk = mo.example("walk", speed=1.2, frame_rate=frame_rate, cycles=8.0)
    seconds = np.arange(walk.n_frames) / frame_rate
    yaws = rate * np.maximum(seconds - seconds[-1] / 2.0, 0.0)
    places = np.cumsum(np.gradient(walk.ground_path) * np.exp(1j * yaws))
    rotations = np.array(walk.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(yaws), rotations[:, 0])
    roots = np.stack([places.imag, walk.root_positions[:, 1], places.real], axis=-1)
    return mo.Clip(walk.skeleton, roots, rotations, frame_rate)


def test_of_a_long_take_a_straight_cycle_and_a_turn_are_kept():
    found = sorted(kept(straight_then_left()), key=lambda one: one.turn)
    assert [one.kind for one in found] == ["walk"] * len(found)
    np.testing.assert_allclose(found[0].turn, 0.0, atol=4.0)
    np.testing.assert_allclose(found[-1].turn, np.degrees(0.9), rtol=0.15)


def test_what_only_shuffles_or_hops_is_no_gait():
    """Steps far quicker than legs swing are noise of a dance, however well they repeat."""
    walk = mo.example("walk", speed=1.2, frame_rate=60.0)
    assert kept(walk)
    hurried = mo.Clip(walk.skeleton, walk.root_positions * [0.25, 1.0, 0.25], walk.rotations_wxyz, 240.0)
    assert not [one for one in kept(hurried) if one.kind == "walk"]


def test_a_gait_in_place_is_kept_with_the_travel_of_its_feet():
    walk = mo.example("walk", speed=1.2, frame_rate=60.0)
    held = mo.Clip(walk.skeleton, walk.root_positions * [0.0, 1.0, 0.0], walk.rotations_wxyz, 60.0)
    (one,) = kept(travelling(held, warns=False))
    assert one.kind == "walk"
    np.testing.assert_allclose(one.speed, 1.2, rtol=0.1)
    np.testing.assert_allclose(prepared_again(held, one).speed, one.speed, rtol=0.02)
