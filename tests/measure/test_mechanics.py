"""Laws of mechanics: bodies that keep them, bodies that do not, and captures."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.measure.mechanics import GRAVITY, Mechanics, _from_feet, centre_of_mass, mechanics
from mocapella.motion.contacts import FOOT_POINTS, Contacts


@pytest.fixture(scope="module")
def thrown():
    """A rigid body that stands, is thrown, and stands again; and its plants."""
    stand = perform("stand", seconds=1.0)[0]
    n, rate, push = 120, stand.frame_rate, 3.0
    seconds = np.arange(48) / rate
    roots = np.tile(stand.root_positions[0], (n, 1))
    roots[36:84, 1] += push * seconds - 0.5 * GRAVITY * seconds**2
    roots[36:84, 2] += 0.7 * seconds
    roots[84:, 2] = roots[83, 2]
    clip = replace(stand[:n], root_positions=roots, rotations_wxyz=np.tile(stand.rotations_wxyz[:1], (n, 1, 1)))
    return clip, Contacts(n, **dict.fromkeys(FOOT_POINTS, ((0, 35), (84, n - 1))))


def test_what_is_thrown_falls_by_gravity_and_keeps_its_velocity(thrown):
    found = mechanics(*thrown)
    assert found.flights == ((36, 83),)
    assert found.gravity == pytest.approx(GRAVITY, abs=1e-6)
    assert found.drift == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("rate", [60.0, 240.0])
def test_the_same_frames_at_another_rate_fall_by_its_square(thrown, rate):
    clip, plants = thrown
    found = mechanics(replace(clip, frame_rate=rate), plants)
    assert found.gravity == pytest.approx(GRAVITY * (rate / clip.frame_rate) ** 2)


def test_what_stands_still_is_balanced_and_needs_no_friction():
    stand = perform("stand", seconds=2.0)[0]
    still = replace(stand, root_positions=stand.root_positions[:1].repeat(stand.n_frames, 0),
                    rotations_wxyz=stand.rotations_wxyz[:1].repeat(stand.n_frames, 0))  # fmt: skip
    found = mechanics(still)
    assert (found.flights, found.gravity, found.pulling) == ((), None, 0.0)
    assert found.friction == pytest.approx(0.0, abs=1e-6)
    assert found.balance == pytest.approx(0.0, abs=1e-3)


def test_feet_that_would_have_to_pull_are_told():
    stand = perform("stand", seconds=2.0)[0]
    roots = np.array(stand.root_positions)
    roots[:, 1] += 0.1 * np.sin(2 * np.pi * 3.0 * np.arange(len(roots)) / stand.frame_rate)  # up to 3.6 g
    plants = Contacts(len(roots), **dict.fromkeys(FOOT_POINTS, ((0, len(roots) - 1),)))
    assert mechanics(replace(stand, root_positions=roots), plants).pulling > 0.2


def test_place_and_direction_change_nothing():
    run = perform("run")[0]
    here, there = mechanics(run).to_dict(), mechanics(run.turned(1.3).moved(x=4.0, z=-2.0)).to_dict()
    assert here.pop("flights") == there.pop("flights")
    for key, value in here.items():
        assert there[key] == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_the_centre_of_mass_of_a_standing_body_is_where_books_have_it():
    stand = perform("stand", height=1.75)[0]
    assert 0.54 < centre_of_mass(stand)[0, 1] / 1.75 < 0.58


def test_a_glimpse_says_nothing():
    assert mechanics(perform("walk")[0][:3]) == Mechanics((), None, None, None, None, None, None)


def test_distance_from_feet_is_that_from_their_hull():
    rng = np.random.default_rng(0)
    corners = np.array([[0.0, 0.0], [0.0, 0.2], [0.3, 0.0], [0.3, 0.2]])
    places = rng.uniform(-0.5, 0.8, (200, 2))
    outside = np.maximum(np.maximum(-places, places - [0.3, 0.2]), 0.0)
    all_four = np.ones((200, 4), dtype=bool)
    found = _from_feet(places, np.tile(corners, (200, 1, 1)), all_four)
    np.testing.assert_allclose(found, np.linalg.norm(outside, axis=1), atol=1e-12)
    one_foot = all_four & [True, True, False, False]
    outside = np.maximum(np.maximum(-places, places - [0.0, 0.2]), 0.0)
    found = _from_feet(places, np.tile(corners, (200, 1, 1)), one_foot)
    np.testing.assert_allclose(found, np.linalg.norm(outside, axis=1), atol=1e-12)


def test_captured_runs_fall_by_gravity_and_slow_ones_do_not(data_folder):
    runs = [mo.load(data_folder / "cmu-bvh" / name) for name in ("16/16_36.bvh", "35/35_17.bvh", "09/09_06.bvh")]
    assert np.mean([mechanics(run).gravity for run in runs]) == pytest.approx(GRAVITY, rel=0.1)
    assert all(mechanics(run).balance_mean < 0.03 for run in runs)
    slowed = mo.edit(runs[0], [mo.Edit("speed", factor=0.7)]).result
    assert mechanics(slowed).gravity == pytest.approx(0.49 * mechanics(runs[0]).gravity, rel=0.1)


def test_captured_walks_are_balanced_and_hurried_ones_are_not(data_folder):
    walk = mo.load(data_folder / "cmu-bvh/16/16_15.bvh")
    hurried = mo.edit(walk, [mo.Edit("speed", factor=2.0)]).result
    assert mechanics(walk).balance_mean < 0.03 < mechanics(hurried).balance_mean
    assert mechanics(walk).gravity is None
