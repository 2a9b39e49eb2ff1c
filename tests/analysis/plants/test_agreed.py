"""Plants on which the repetitions of a cycle agree."""

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.plants.agreed import agreed_arcs
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.prepare import prepare
from mocapella.motion.contacts import FEET, FOOT_POINTS
from tests.analysis.plants.plant_masks import overlap, true_contacts
from tests.analysis.regression.noisy_clips import shaken

TURN = 2.0 * np.pi


@pytest.fixture(scope="module")
def cycle():
    return prepare(perform("walk", speed=1.3)[0])


def masks_at(contacts, phases):
    return np.stack([contacts.planted(point, phases) for point in FOOT_POINTS], axis=1)


def test_where_all_repetitions_agree_their_plants_are_taken(cycle):
    phases = TURN * np.arange(400) / 100.0
    arcs = agreed_arcs(cycle, masks_at(cycle.contacts, phases), phases, trust=1.0)
    grid = np.linspace(0.0, TURN, 500, endpoint=False)
    assert (masks_at(arcs, grid) == masks_at(cycle.contacts, grid)).mean() > 0.98


def test_a_majority_decides(cycle):
    phases = TURN * np.arange(500) / 100.0
    votes = masks_at(cycle.contacts, phases)
    votes[100:200] = False  # one repetition of five has no plants at all
    arcs = agreed_arcs(cycle, votes, phases, trust=1.0)
    plain = agreed_arcs(cycle, masks_at(cycle.contacts, phases), phases, trust=1.0)
    assert (masks_at(arcs, phases) == masks_at(plain, phases)).mean() > 0.97
    votes[100:400] = False
    assert agreed_arcs(cycle, votes, phases, trust=1.0).foot("left") == ()


def test_without_any_vote_speeds_find_one_stance_of_each_foot(cycle):
    phases = TURN * np.arange(100) / 100.0
    arcs = agreed_arcs(cycle, np.zeros((100, 4), dtype=bool), phases, trust=0.0)
    assert [len(arcs.foot(side)) for side in FEET] == [1, 1]
    grid = np.linspace(0.0, TURN, 500, endpoint=False)
    found, true = masks_at(arcs, grid), masks_at(cycle.contacts, grid)
    assert (found & true).sum() / (found | true).sum() > 0.8


def test_a_foot_whose_heel_stands_and_whose_toe_is_down_stands_flat(cycle):
    phases = TURN * np.arange(400) / 100.0
    votes = masks_at(cycle.contacts, phases)
    start, length = cycle.contacts.left_toe[0]
    late = (phases - start) % TURN < 0.15 * length
    votes[late, 1] = False  # the toe is said to come to rest later than it is down
    strict, flat = (agreed_arcs(cycle, votes, phases, trust=trust) for trust in (1.0, 0.99))
    assert flat.left_toe[0][1] > strict.left_toe[0][1]
    assert flat.left_toe[0][1] == pytest.approx(length, abs=0.2)


@pytest.mark.parametrize(("action", "speed", "least"), [("walk", 1.0, 0.85), ("walk", 1.5, 0.85), ("run", 3.0, 0.65)])
def test_plants_of_a_noisy_gait_are_those_of_the_performance(action, speed, least):
    clip, truth = perform(action, speed=speed, cycles=5.0, frame_rate=30.0)
    noisy = shaken(clip, degrees=3.0, centimetres=2.0, seed=2)
    true, before, after = true_contacts(truth), find_plants(noisy, method="resting"), find_plants(noisy)
    assert overlap(after, true) > least
    assert overlap(after, true) > overlap(before, true) + 0.1


def test_plants_of_a_clean_clip_are_those_of_single_frames():
    clip, _ = perform("walk", speed=1.2, seed=3)
    assert find_plants(clip) == find_plants(clip, method="resting")


def test_feet_of_a_noisy_body_that_stands_are_smoothed_before_it_is_decided():
    clip = perform("stand", seconds=4.0, frame_rate=30.0)[0]
    noisy = shaken(clip, degrees=2.0, centimetres=1.0)
    single, smoothed = (
        np.mean([plants.planted(side) for side in FEET])
        for plants in (find_plants(noisy, method="resting"), find_plants(noisy))
    )
    assert smoothed > single
    assert smoothed > 0.8
