"""Foot plants that begin when the foot is down, and end before it rises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.tracks import foot_places
from mocapella.analysis.prepare import prepare
from mocapella.geometry.angles import TURN
from mocapella.hybrid.ends import FALLING, RISING, borrow_cycle, trim_contacts, trim_cycle_contacts
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.rig.legs import leg_length, leg_roles
from mocapella.storage.values import load


@pytest.fixture(scope="module")
def run():
    return perform("run", speed=3.0)


def rates(clip):
    """How fast foot points rise, legs per second."""
    roles = leg_roles(clip.skeleton)
    heights = foot_places(clip, roles)[..., 1]
    return np.gradient(heights, axis=0) * clip.frame_rate / leg_length(clip.skeleton, roles)


def test_feet_neither_fall_nor_rise_in_plants_that_were_too_long(run):
    clip, truth = run
    longer = {
        name: tuple((max(a - 4, 0), min(b + 4, clip.n_frames - 1)) for a, b in truth.contacts[name].tolist())
        for name in FOOT_POINTS
    }
    wide = Contacts(clip.n_frames, **longer)
    found, notes = trim_contacts(clip, wide)
    assert notes[0].numbers["frames"] > 0
    for i, name in enumerate(FOOT_POINTS):
        assert len(found.point(name)) == len(wide.point(name))
        for (first, last), (start, end) in zip(found.point(name), wide.point(name), strict=True):
            assert start <= first <= last <= end
            inside = rates(clip)[first : last + 1, i]
            middle = (start + end) // 2 - first
            assert np.all(np.delete(inside, slice(max(middle - 1, 0), middle + 2)) > -FALLING)
            assert np.all(np.delete(inside, slice(max(middle - 1, 0), middle + 2)) < RISING)


def test_plants_of_feet_that_rest_stay():
    clip, _ = perform("stand")
    still = Contacts(clip.n_frames, **dict.fromkeys(FOOT_POINTS, ((3, clip.n_frames - 5),)))
    assert trim_contacts(clip, still) == (still, ())


def lifted(clip, frames, by):
    """The same with the whole body higher in these frames."""
    places = np.array(clip.root_positions)
    places[frames, 1] += by
    return replace(clip, root_positions=places)


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_a_flicker_in_mid_plant_leaves_out_nothing_and_one_beside_its_end_only_what_comes_before(rate):
    clip = perform("stand", frame_rate=rate, imperfections=CLEAN)[0]
    whole = Contacts(clip.n_frames, **dict.fromkeys(FOOT_POINTS, ((10, 10 + round(rate)),)))
    mid = 10 + round(0.3 * rate)
    assert trim_contacts(lifted(clip, [mid], 0.03), whole) == (whole, ())
    early = trim_contacts(lifted(clip, [12], 0.03), whole)[0]  # it rises with frame 11 and has fallen with 13
    late = trim_contacts(lifted(clip, [8 + round(rate)], 0.03), whole)[0]
    for name in FOOT_POINTS:
        assert early.point(name) == ((14, 10 + round(rate)),)
        assert late.point(name) == ((10, 6 + round(rate)),)


def test_a_foot_that_bounces_as_it_comes_down_rests_when_it_has_settled():
    clip = perform("stand", frame_rate=120.0, imperfections=CLEAN)[0]
    whole = Contacts(clip.n_frames, **dict.fromkeys(FOOT_POINTS, ((10, 130),)))
    shaken = lifted(lifted(clip, [12], 0.03), [19], 0.03)  # four slow frames lie between the two
    for name in FOOT_POINTS:
        assert trim_contacts(shaken, whole)[0].point(name) == ((21, 130),)


def test_a_cycle_loses_the_same_ends_wherever_it_begins(run):
    cycle = prepare(run[0])
    short = trim_cycle_contacts(cycle).contacts
    for phase in (1.0, 4.0):
        steps = round(phase / TURN * cycle.n_frames)
        moved = cycle.starting_at(TURN * steps / cycle.n_frames)
        back = trim_cycle_contacts(moved).contacts.starting_at(-TURN * steps / cycle.n_frames)
        for name in FOOT_POINTS:
            np.testing.assert_allclose(sorted(back.point(name)), sorted(short.point(name)), atol=1e-6)


def test_a_heel_that_drops_is_no_plant_yet_unless_somebody_says_so(data_folder):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_08.bvh")
    found = find_transition(clip)
    plain = find_plants(found.clip)
    first, last = next((a, b) for a, b in plain.left_heel if a <= found.leave <= b)
    assert rates(found.clip)[first, 0] < -FALLING
    assert [first < a and b <= last for a, b in found.contacts.left_heel].count(True) == 1
    assert any(one.step == "landing" for one in found.decisions)
    known = plain.shifted(clip.n_frames - found.clip.n_frames, clip.n_frames)
    assert find_transition(clip, contacts=known).contacts == plain


def test_borrowed_cycles_are_bent_and_so_their_feet_come_down_at_other_times(run):
    clip = perform("run", speed=4.2)[0]
    bent = borrow_cycle(prepare(run[0]), 10, clip, 100, "quaternion")
    short = trim_cycle_contacts(bent)
    assert short.contacts != bent.contacts
    for name in FOOT_POINTS:
        assert short.contacts.share(name) <= bent.contacts.share(name)
