"""Which part of a plant is rest: points that have risen do not, heels that stay down do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.analysis.fourier import analyse
from mocapella.analysis.plants.tracks import foot_places
from mocapella.analysis.prepare import prepare
from mocapella.gait.cycle_on_ground import N_SAMPLES, PHASES
from mocapella.gait.foot_constants import FOOT
from mocapella.gait.resting import (
    level_arcs,
    resting_arcs,
    until_heels_rise,
)
from mocapella.geometry.angles import TURN
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import CycleContacts
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.rig.legs import foot_points, leg_roles
from mocapella.storage.values import load

SAMPLE = TURN / N_SAMPLES


def still(foot, sample):
    return 0.0


def heights_of(**points):
    rows = {"left_heel": 0, "left_toe": 1, "right_heel": 2, "right_toe": 3}
    heights = np.zeros((4, N_SAMPLES))
    for name, values in points.items():
        heights[rows[name]] = values
    return heights.tolist()


def left_heel(contacts, heights, swivel=still):
    """The plant of the left heel, from what is scheduled."""
    arcs = until_heels_rise(resting_arcs(contacts, heights, 0.0), heights, swivel)
    ((start, length),) = arcs[0]
    return start, length


@given(st.floats(0.1, 6.2), st.floats(0.1, 3.0), st.floats(-0.03, 0.03))
def test_a_point_that_keeps_its_height_rests_all_through_its_plant(start, length, height):
    arcs = resting_arcs(CycleContacts(right_toe=((start, length),)), heights_of(right_toe=height), 0.0)
    np.testing.assert_allclose(arcs[3], [(start, length)], atol=1e-9)


def test_a_point_below_the_ground_rests_until_it_has_come_out():
    heights = heights_of(left_toe=np.interp(PHASES, [2.0, 4.0], [-0.03, 0.03]))
    toe = CycleContacts(left_toe=((1.0, 2.8),))
    ((start, unaware),) = resting_arcs(toe, heights)[1]
    ((_, length),) = resting_arcs(toe, heights, 0.0)[1]
    assert start + unaware < 2.9  # 14 mm above where it stands, still below the ground
    np.testing.assert_allclose(start + length, 3.0 + FOOT.clear / 0.03, atol=0.01)


@pytest.mark.parametrize("turned", [0.0, 2.0, 3.5, 5.9])
def test_a_heel_that_stays_down_is_held_until_it_rises(turned):
    heights = heights_of(left_heel=np.interp((PHASES - turned) % TURN, [3.0, 3.5, 6.0], [0.0, 0.1, 0.0]))
    start, length = left_heel(CycleContacts(((turned, 1.0),), ((turned + 0.2, 3.0),)), heights)
    np.testing.assert_allclose(start, turned)
    np.testing.assert_allclose(length, 3.0 + 0.5 * FOOT.risen / 0.1 - FOOT.sooner * SAMPLE, atol=0.6 * SAMPLE)


def test_a_heel_is_held_no_longer_than_its_toe_stands():
    contacts = CycleContacts(((1.0, 1.0),), ((1.2, 2.0),))
    np.testing.assert_allclose(left_heel(contacts, heights_of()), (1.0, 2.2 - FOOT.sooner * SAMPLE))


def test_a_heel_whose_toe_does_not_stand_is_let_go_of_when_its_plant_ends():
    np.testing.assert_allclose(left_heel(CycleContacts(((1.0, 1.0),)), heights_of()), (1.0, 1.0))


def test_a_heel_that_rises_at_once_is_let_go_of_at_once():
    heights = heights_of(left_heel=0.1 * np.maximum(np.sin(PHASES - 2.0), 0.0))
    np.testing.assert_allclose(left_heel(CycleContacts(((1.0, 1.0),), ((1.0, 3.0),)), heights), (1.0, 1.0))


def test_a_heel_that_rises_from_its_toe_does_not_rest_however_low_the_body_is():
    heights = heights_of(left_heel=0.01, left_toe=0.01 - 0.03 * (PHASES > 3.0))  # the body sinks, the heel stays
    contacts = CycleContacts(left_heel=((1.0, 3.0),), left_toe=((1.0, 3.0),))
    arcs = level_arcs(resting_arcs(contacts, heights, 0.0), heights)
    ((start, length),) = arcs[0]
    np.testing.assert_allclose(start, 1.0)
    assert 1.8 < length < 2.1
    np.testing.assert_allclose(arcs[1], [(1.0, 3.0)])


def hovering_heel(height, toe=(1.0, 3.0)):
    """How long a heel rests that is this high over its toe all the time, of a plant of 2 radians."""
    ((_, length),), *_ = level_arcs((((1.5, 2.0),), (toe,), (), ()), heights_of(left_heel=height))
    return length


def test_who_runs_on_the_balls_of_his_feet_does_not_rest_on_his_heels():
    assert hovering_heel(0.9 * FOOT.low) == 2.0
    assert hovering_heel(1.1 * FOOT.high) == 0.0
    lengths = np.array([hovering_heel(height) for height in np.linspace(FOOT.low, FOOT.high, 50)])
    assert (np.diff(lengths) <= 0.0).all()
    assert np.abs(np.diff(lengths)).max() < 0.1  # a blend that has it higher and higher does not let go at once


def test_who_stands_on_tilted_soles_rests_on_his_heels():
    arcs = level_arcs((((1.5, 5.0),), ((1.0, 6.0),), (), ()), heights_of(left_heel=0.9 * FOOT.high))
    assert arcs[0] == ((1.5, 5.0),)


def test_a_heel_that_hovers_is_held_where_its_toe_does_not_stand_all_along():
    assert hovering_heel(1.1 * FOOT.high, toe=(2.0, 3.0)) > 0.4


@given(st.floats(0.2, 0.9), st.floats(0.2, 0.9))
def test_no_foot_is_lifted_because_its_toe_comes_down_late(heel, late):
    heights = heights_of(left_toe=0.02 * (heel + late > PHASES - 1.0))
    first, second, *_ = level_arcs((((1.0, heel),), ((1.1, 4.0),), (), ()), heights)
    ((start, length),), ((begin, _),) = first, second
    np.testing.assert_allclose((start, length), (1.0, heel))
    np.testing.assert_allclose(begin, start + length)


def test_a_foot_that_swivels_on_its_toe_has_its_heel_let_go():
    contacts = CycleContacts(((1.0, 1.0),), ((1.0, 4.0),))

    def swivel(foot, sample):
        return -1.5 * FOOT.swivel if PHASES[sample] > 3.0 else 0.2

    start, length = left_heel(contacts, heights_of(), swivel)
    assert 3.0 - 2.0 * SAMPLE < start + length < 3.0 + SAMPLE


def test_a_foot_that_stands_all_the_time_stays():
    whole = CycleContacts(*[((0.5, TURN),)] * 4)
    assert until_heels_rise(resting_arcs(whole, heights_of(), 0.0), heights_of(), still) == (((0.5, TURN),),) * 4


def played(data_folder, take, **options):
    player = Player(analyse(prepare(load(data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh"), **options), harmonics=10))
    return record_with_contacts(player, seconds=2.2 * player.spectrum.duration, frame_rate=60)


@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_a_heel_that_a_capture_has_sliding_while_its_toe_stands_does_not_drift(data_folder):
    clip, contacts = played(data_folder, 29, turning=True)
    roles = leg_roles(clip.skeleton)
    heel = foot_places(clip, roles)[:, 0]
    low = heel[:, 1] - foot_points(clip.skeleton, roles)[2][0] < 0.003
    flat = low & contacts.planted("left_toe")
    steps = np.linalg.norm(np.diff(heel[:, ::2], axis=0), axis=1)[flat[1:] & flat[:-1]]
    assert len(steps) > 20
    assert steps.max() < 0.001


@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_toes_of_a_captured_runner_do_not_sink_in_as_they_leave(data_folder):
    clip, contacts = played(data_folder, 43)
    assert footing(clip, contacts).penetration_mm_max < 1.0


@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_toes_are_let_go_before_they_are_high_above_the_ground(data_folder):
    clip, contacts = played(data_folder, 29)
    toes = [slip.gap for slip in footing(clip, contacts).slips if slip.point.endswith("toe")]
    assert max(toes) < 0.02
