"""Clips cut into stances, from landing to landing."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mocapella.actor import perform
from mocapella.analysis.plants.detect import find_plants
from mocapella.editing.stances import find_stances, pace_of, steady_stances
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts, intervals_of
from mocapella.motion.skeleton import Skeleton

POINT = Skeleton.of(["hips"], [-1], [[0, 1, 0]])


def still(n_frames):
    """A clip of one joint: stances are told by contacts alone."""
    return Clip(POINT, np.zeros((n_frames, 3)), np.tile(quaternions.IDENTITY, (n_frames, 1, 1)), frame_rate=100.0)


@given(
    st.lists(st.tuples(st.integers(2, 60), st.sampled_from(["left", "right", "both", "none"])), min_size=2, max_size=12)
)
def test_every_frame_belongs_to_exactly_one_stance(runs):
    down = [foot for length, foot in runs for _ in range(length)]
    contacts = Contacts(
        len(down),
        left_heel=intervals_of(np.array([foot in ("left", "both") for foot in down])),
        right_toe=intervals_of(np.array([foot in ("right", "both") for foot in down])),
    )
    try:
        stances = find_stances(still(len(down)), contacts)
    except MotionError:
        assume(False)
    assert stances[0].first == 0
    assert stances[-1].last == len(down) - 1
    assert all(after.first == before.last + 1 for before, after in itertools.pairwise(stances))
    pace = pace_of(stances)
    assert np.all((pace.shares >= 0.0) & (pace.shares <= pace.onward) & (pace.onward <= 1.0 + 1e-12))
    assert np.all((pace.stepping >= 0.0) & (pace.stepping <= 1.0))


def test_stances_begin_where_the_actor_put_his_feet_down(walk):
    clip, contacts = walk
    landings = sorted((first, foot) for foot in ("left", "right") for first, _ in contacts.foot(foot) if first > 10)
    stances = find_stances(clip, contacts)
    assert [(stance.first, stance.foot) for stance in stances[1:]] == landings
    assert [stance.complete for stance in stances] == [False, *[True] * (len(stances) - 2), False]
    found = find_stances(clip, find_plants(clip, gait=True))
    np.testing.assert_allclose([s.first for s in found], [s.first for s in stances], atol=2)


def test_a_foot_lands_when_the_first_of_heel_and_toe_does():
    contacts = Contacts(
        200, left_heel=((30, 50),), left_toe=((25, 60),), right_heel=((70, 90),), right_toe=((80, 110), (150, 160))
    )
    assert [stance.first for stance in find_stances(still(200), contacts)] == [0, 25, 70, 150]


def test_a_run_leaves_no_frame_out_though_nobody_stands_in_its_flights():
    clip, truth = perform("run", speed=3.0, cycles=3.2)
    contacts = find_plants(clip, gait=True)
    assert not (contacts.planted("left") | contacts.planted("right")).all()
    stances = find_stances(clip, contacts)
    assert sum(stance.n_frames for stance in stances) == clip.n_frames
    assert all(a.foot != b.foot for a, b in itertools.pairwise(stances))
    assert not any(stance.pause for stance in stances)
    assert stances[2].n_frames == pytest.approx(0.5 * truth.period * clip.frame_rate, abs=2)


def test_a_stance_that_the_clip_cuts_off_runs_at_the_usual_pace():
    contacts = Contacts(170, left_heel=((20, 30), (100, 110)), right_heel=((60, 70), (140, 150)))
    stances = find_stances(still(170), contacts)
    assert (stances[0].foot, stances[0].begin, stances[-1].end) == ("right", -20.0, 180.0)
    shares = pace_of(stances).shares
    np.testing.assert_allclose([shares[0], shares[20], shares[40], shares[160]], [0.5, 0.0, 0.5, 0.5])


def test_who_stands_about_is_not_stepping_and_the_steps_beside_him_pass_over():
    clip, _ = perform("stand-walk")
    stances = find_stances(clip, find_plants(clip, gait=True))
    pace = pace_of(stances)
    assert stances[0].pause
    assert not any(stance.pause for stance in stances[1:])
    assert np.all(pace.stepping[: stances[0].last + 1] == 0.0)
    assert np.all(np.diff(pace.stepping[stances[1].first : stances[1].last]) > 0.0)
    assert np.all(pace.stepping[stances[2].first : stances[-1].first] == 1.0)
    assert stances[1] not in steady_stances(stances, stances[1].foot)


def test_long_double_support_is_a_pause_even_where_it_ends_with_the_clip():
    left, right = ((0, 25), (60, 105), (140, 219)), ((20, 65), (100, 145), (170, 219))
    stances = find_stances(still(220), Contacts(220, left_heel=left, right_heel=right))
    assert [stance.pause for stance in stances] == [False] * 5 + [True]
    assert stances[-1].end == np.inf


def test_a_stance_of_more_than_twice_the_usual_length_is_a_pause_on_one_foot_too():
    left, right = ((20, 40), (100, 120), (180, 200), (340, 360)), ((60, 80), (140, 160), (300, 320))
    stances = find_stances(still(380), Contacts(380, left_heel=left, right_heel=right))
    assert [stance.first for stance in stances if stance.pause] == [180]
    stepping = pace_of(stances).stepping
    assert np.all(stepping[180:300] == 0.0)
    assert stepping[160] == pytest.approx(0.5)


def test_of_feet_that_land_at_once_the_one_that_stays_counts():
    contacts = Contacts(200, left_heel=((30, 35), (120, 130)), right_heel=((32, 90),))
    assert [(s.first, s.foot) for s in find_stances(still(200), contacts)[1:]] == [(30, "right"), (120, "left")]


@pytest.mark.parametrize(
    ("contacts", "words"),
    [
        (Contacts(100), "shows 0 landings of a foot, a step takes two"),
        (Contacts(100, left_heel=((40, 60),), right_heel=((0, 60),)), "shows 1 landing of a foot"),
        (Contacts(90, left_heel=((40, 60),)), "contacts of 90 frames do not belong to a clip of 100"),
    ],
)
def test_too_few_landings_are_refused(contacts, words):
    with pytest.raises(MotionError, match=words):
        find_stances(still(100), contacts)
