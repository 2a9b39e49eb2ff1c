"""Turns on the spot are cycles of two steps that go nowhere, in performances and in captures."""

import numpy as np
import pytest

from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.analysis.cycles.find import find_cycle
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.storage.values import load
from tests.analysis.plants.plant_masks import overlap, true_contacts


@pytest.mark.parametrize("turn", [-1.6, -0.4, 0.2, 1.0])
@pytest.mark.parametrize("flaws", [CLEAN, CAPTURED], ids=["clean", "captured"])
def test_a_turn_on_the_spot_is_a_cycle_of_two_steps_that_goes_nowhere(turn, flaws):
    clip, truth = perform("turn", turn=turn, seed=2, imperfections=flaws)
    found = find_cycle(clip, turning=True)
    assert found.n_steps == 2
    assert found.seconds == pytest.approx(truth.period, abs=0.02)
    assert found.turn / found.seconds == pytest.approx(turn, abs=0.02 + 0.02 * abs(turn))
    assert found.speed < 0.02
    assert find_period(clip).seconds == pytest.approx(truth.period, abs=0.02)


def test_the_cycle_closes_and_keeps_turn_and_place():
    cycle = prepare(perform("turn", turn=1.2, imperfections=CAPTURED, seed=5)[0], turning=True)
    assert cycle.turn / cycle.duration == pytest.approx(1.2, rel=0.05)
    assert cycle.speed < 0.02
    # Eight rounds on, the body is where it was: what it goes forward in one half it comes back in the other.
    ahead = cycle.dofs[:, -3:-1].mean(axis=0)
    assert np.abs(ahead).max() < 0.02


@pytest.mark.parametrize(("flaws", "least"), [(CLEAN, 0.98), (CAPTURED, 0.88)], ids=["clean", "captured"])
def test_feet_are_found_where_they_stand(flaws, least):
    for turn in (-1.6, 0.6):
        clip, truth = perform("turn", turn=turn, seed=3, imperfections=flaws)
        assert overlap(find_plants(clip), true_contacts(truth)) > least


def test_networks_look_for_the_turn_of_such_a_clip():
    assert turning_of(perform("turn", turn=-0.5, imperfections=CAPTURED)[0]) == "own"


# The captures at hand hold no plain turn on the spot. What comes nearest: somebody playing a zombie who turns round
# at the end of his walk, and a dancer who whirls for a quarter of a minute.


@pytest.mark.data
def test_a_walker_who_turns_round_is_found_turning_on_two_steps(data_folder):
    clip = load(data_folder / "odd-bvh" / "AnimatedDrawings-zombie.bvh")
    found = find_cycle(clip, turning=True)
    assert found.n_steps == 2
    assert abs(np.degrees(found.turn)) > 150.0
    assert found.speed < 0.25
    assert found.closing < 0.08
    assert find_cycle(clip, turning=False).speed > found.speed


@pytest.mark.data
def test_a_whirl_is_a_figure_of_six_steps_and_two_of_them_can_be_asked_for(data_folder):
    clip = load(data_folder / "cmu-bvh" / "55" / "55_01.bvh")
    whole = find_cycle(clip)
    assert whole.n_steps == 6
    assert whole.closing < 0.03
    pair = find_cycle(clip, within=(600, 1000))
    assert pair.n_steps == 2
    for found in (whole, pair):
        assert 120.0 < np.degrees(found.turn / found.seconds) < 145.0
        assert found.speed < 0.25
