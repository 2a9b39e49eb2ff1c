"""Laws of measuring how feet stand."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.errors import MotionError
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import Contacts
from mocapella.playback.record import record_with_contacts


@pytest.fixture(scope="module")
def walked():
    clip, truth = perform("walk", speed=1.2, seconds=2.5)
    contacts = Contacts.from_masks({name: truth.planted(name) for name in truth.contacts})
    return clip, contacts


def test_the_actor_neither_slides_nor_sinks(walked):
    feet = footing(*walked)
    assert feet.slip_mm_max < 0.5
    assert feet.slip_mm_mean <= feet.slip_mm_max
    assert feet.penetration_mm_max < 0.5


def test_sliding_is_measured_as_far_as_it_goes(walked):
    clip, contacts = walked
    drifting = np.array(clip.root_positions)
    drifting[:, 0] += 0.05 * np.arange(clip.n_frames) / clip.frame_rate  # metres per second
    slid = type(clip)(clip.skeleton, drifting, clip.rotations_wxyz, clip.frame_rate)
    longest = max(last - first for name in ("left_heel", "left_toe") for first, last in contacts.point(name))
    np.testing.assert_allclose(footing(slid, contacts).slip_mm_max, 50.0 * longest / clip.frame_rate, rtol=0.15)


def test_sinking_is_measured_below_the_ground(walked):
    clip, contacts = walked
    np.testing.assert_allclose(footing(clip.moved(y=-0.02), contacts).penetration_mm_max, 20.0, atol=0.5)
    assert footing(clip.moved(y=-0.02), contacts, ground=-0.02).penetration_mm_max < 0.5


def test_feet_that_still_move_in_the_three_frames_before_their_plants_are_measured(walked):
    clip, _ = walked
    still = clip[:1]
    frames = np.arange(30)
    for stops, speed in ((20, 1.5), (17, 1.5), (16, 0.0)):  # the last step of 1.5 m/s leads to the frame it stops at
        roots = np.repeat(still.root_positions, 30, axis=0)
        roots[:, 2] += 1.5 / clip.frame_rate * np.minimum(frames, stops)
        slid = type(clip)(clip.skeleton, roots, np.repeat(still.rotations_wxyz, 30, axis=0), clip.frame_rate)
        plants = Contacts.from_masks({"left_heel": frames >= 19})
        np.testing.assert_allclose(footing(slid, plants).approach, speed, atol=1e-9)
    assert footing(clip, Contacts(clip.n_frames)).approach == 0.0


def test_without_plants_nothing_slides(walked):
    clip, _ = walked
    feet = footing(clip, Contacts(clip.n_frames))
    assert feet.slip_mm_max == 0.0
    assert feet.slip_mm_mean == 0.0


def test_plants_are_found_where_none_are_given(walked):
    assert len(footing(walked[0]).slips) > 4


@pytest.mark.parametrize("frame_rate", [0.5, 1.0, 2.0, 3.0])
def test_steps_between_frames_are_no_slides(network, frame_rate):
    player = mo.Player(network, point=(0.0, 1.3))
    feet = footing(*record_with_contacts(player, seconds=20.0, frame_rate=frame_rate))
    assert (feet.slip_mm_max, feet.approach) == (0.0, 0.0)


def test_slides_are_seen_by_few_frames_as_by_many(network):
    player = [mo.Player(network, point=(0.0, 1.3), feet="velocity") for _ in range(2)]
    few, many = (
        footing(*record_with_contacts(one, seconds=12.0, frame_rate=rate))
        for one, rate in zip(player, (10, 60), strict=True)
    )
    assert many.slip_mm_max > 10.0
    np.testing.assert_allclose(few.slip_mm_max, many.slip_mm_max, rtol=0.3)


def test_contacts_of_another_clip_are_refused(walked):
    with pytest.raises(MotionError, match="do not belong"):
        footing(walked[0], Contacts(3))
