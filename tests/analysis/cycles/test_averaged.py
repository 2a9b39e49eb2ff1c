"""Cycles that are the mean of repetitions: when they are taken, what they say of themselves, what they obey."""

import math

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.analysis.cycles.averaged import averaged_cycles
from mocapella.analysis.examined import examine
from mocapella.analysis.likeness import joint_error
from mocapella.analysis.prepare import prepare, select
from mocapella.building.level_ground import levelled
from mocapella.building.takes import cycles_in
from mocapella.errors import MotionError
from mocapella.motion.clip import concatenate
from mocapella.motion.contacts import FEET
from tests.analysis.regression.noisy_clips import shaken


@pytest.fixture(scope="module")
def clean():
    return perform("walk", speed=1.2, cycles=5.0, frame_rate=30.0)[0]


@pytest.fixture(scope="module")
def noisy(clean):
    return shaken(clean, degrees=3.0, centimetres=2.0, seed=1)


def steps_of(cycle):
    return [decision.step for decision in cycle.decisions]


def test_a_noisy_clip_is_averaged_and_a_clean_one_cut(clean, noisy):
    assert "regress" in steps_of(prepare(noisy))
    assert "regress" not in steps_of(prepare(clean))
    assert "regress" not in steps_of(prepare(noisy, repetitions="best"))
    assert "regress" in steps_of(prepare(clean, repetitions="all"))


def test_the_record_tells_repetitions_noise_and_what_is_left_of_it(noisy):
    numbers = next(decision.numbers for decision in prepare(noisy).decisions if decision.step == "regress")
    assert numbers["repetitions"] == pytest.approx(5.0, abs=0.3)
    assert numbers["noise_deg"] == pytest.approx(4.7, rel=0.15)
    assert 0.0 < numbers["left_cm"] < numbers["spread_cm"] < 10.0
    assert 0 <= numbers["first"] < numbers["last"] < noisy.n_frames
    assert numbers["pace"] < 0.05


def test_a_mean_of_clean_repetitions_is_the_cycle_itself(clean):
    cut, mean = prepare(clean, repetitions="best"), prepare(clean, repetitions="all")
    assert joint_error(cut, mean) < 0.006
    assert mean.duration == pytest.approx(cut.duration, rel=0.01)
    assert mean.speed == pytest.approx(cut.speed, rel=0.01)
    assert [len(mean.contacts.foot(side)) for side in FEET] == [1, 1]


def test_the_cycle_begins_at_the_row_that_shows_its_first_pose(clean):
    shifted = clean[20:]
    cycle = prepare(shifted, repetitions="all")
    row = cycle.start_row - shifted.first_row
    assert 0 <= row < shifted.n_frames
    captured = np.abs(np.einsum("jc,jc->j", shifted.rotations_wxyz[row][1:], cycle.rotations_wxyz[0][1:]))
    assert np.degrees(2.0 * np.arccos(np.clip(captured, 0.0, 1.0))).max() < 12.0


def test_frames_that_are_given_are_cut_whatever_the_noise(noisy):
    assert "regress" not in steps_of(prepare(noisy, frames=(10, 43)))


def test_known_plants_are_voted_on(clean, noisy):
    cycle = prepare(noisy, contacts=mo.find_plants(clean))
    assert [len(cycle.contacts.foot(side)) for side in FEET] == [1, 1]
    true = prepare(clean).contacts
    for side in FEET:
        assert cycle.contacts.share(side) == pytest.approx(true.share(side), abs=0.05)


def test_within_says_which_frames_may_be_used(noisy):
    numbers = next(d.numbers for d in prepare(noisy, within=(30, 120)).decisions if d.step == "regress")
    assert numbers["first"] >= 30
    assert numbers["last"] <= 120


def test_a_wish_chooses_between_steady_stretches():
    slow, quick = perform("walk", speed=0.9, cycles=5.0)[0], perform("run", speed=3.0, cycles=7.0)[0]
    clip = shaken(concatenate([slow, quick], aligned=True).resampled(30.0), degrees=2.5, centimetres=1.5)
    for speed in (0.9, 3.0):
        assert averaged_cycles(examine(clip), speed=speed)[0].speed == pytest.approx(speed, rel=0.12)


def test_a_long_noisy_take_gives_one_cycle_of_each_kind():
    slow, quick = perform("walk", speed=0.9, cycles=5.0)[0], perform("run", speed=3.0, cycles=7.0)[0]
    clip = shaken(concatenate([slow, quick], aligned=True).resampled(30.0), degrees=2.5, centimetres=1.5)
    cycles = cycles_in(clip, turning=None, method="symmetric", layout="quaternion")
    speeds = sorted(cycle.speed for cycle in cycles)
    assert speeds[0] == pytest.approx(0.9, rel=0.12)
    assert speeds[-1] == pytest.approx(3.0, rel=0.12)


@pytest.mark.parametrize("slope", [0.12, -0.12])
def test_a_noisy_walk_on_a_slope_is_brought_to_level_ground(slope):
    clip = perform("walk", speed=1.2, slope=slope, cycles=5.0, frame_rate=30.0)[0]
    selection = levelled(select(shaken(clip, degrees=2.0, centimetres=1.0)))
    level = next(decision for decision in selection.decisions if decision.step == "level")
    assert level.numbers["slope_rad"] == pytest.approx(slope, abs=math.radians(1.5))
    assert selection.cycle.averaged is not None


def test_what_does_not_repeat_has_no_mean():
    stand = perform("stand")[0]
    with pytest.raises(MotionError, match="repetitions='best'"):
        prepare(stand, repetitions="all")
    with pytest.raises(MotionError, match="'all' or 'best' or None"):
        prepare(stand, repetitions="some")
    assert averaged_cycles(examine(stand)) == []


def test_closing_layout_and_smoothing_work_on_a_mean_as_on_a_cut(noisy):
    for options in ({"method": "feet_kept"}, {"layout": "euler"}, {"limp": True}, {"smooth": 0.1}):
        assert prepare(noisy, **options).speed == pytest.approx(1.2, rel=0.05)


def test_the_played_root_is_as_calm_as_without_noise(clean, noisy):
    def acceleration(cycle):
        network = mo.build_network([cycle])
        clip = mo.record(mo.Player(network, point=network.nodes[0].at), seconds=4.0, frame_rate=60)[20:]
        return np.quantile(np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1), 0.99)

    calm = acceleration(prepare(clean))
    assert acceleration(prepare(noisy)) < 1.5 * calm
    assert acceleration(prepare(noisy, repetitions="best")) > 3.0 * calm
