import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS, Contacts, CycleContacts, intervals_of, round_cycle

masks = st.lists(st.booleans(), min_size=1, max_size=60).map(lambda values: np.array(values))
WALK = Contacts(
    101,
    left_heel=((0, 30), (90, 100)),
    left_toe=((5, 55), (96, 100)),
    right_heel=((45, 80),),
    right_toe=((0, 8), (50, 100)),
)


@given(masks)
def test_masks_and_intervals_are_two_words_for_one_thing(mask):
    contacts = Contacts.from_masks({"left_heel": mask})
    np.testing.assert_array_equal(contacts.planted("left_heel"), mask)
    assert contacts.left_heel == intervals_of(mask)


@given(masks, st.integers(0, 59), st.integers(1, 60))
def test_contacts_are_cut_like_clips(mask, start, stop):
    if start >= min(stop, len(mask)):
        return
    cut = Contacts.from_masks({"right_toe": mask})[start:stop]
    np.testing.assert_array_equal(cut.planted("right_toe"), mask[start:stop])


def test_a_foot_rests_where_its_heel_or_its_toe_does():
    assert WALK.foot("left") == ((0, 55), (90, 100))
    np.testing.assert_array_equal(WALK.planted("right"), WALK.planted("right_heel") | WALK.planted("right_toe"))


def test_mirroring_twice_and_reversing_twice_change_nothing():
    assert WALK.mirrored().mirrored() == WALK
    assert WALK.reversed().reversed() == WALK
    assert WALK.mirrored().left_heel == WALK.right_heel


def test_shifting_there_and_back_loses_only_what_fell_out():
    assert WALK.shifted(3, 110).shifted(-3, 101) == WALK
    assert WALK.shifted(-10, 91) == WALK[10:]


@pytest.mark.parametrize("intervals", [((5, 3),), ((0, 4), (5, 9)), ((6, 9), (0, 2)), ((90, 101),), ((-1, 4),)])
def test_plants_out_of_order_touching_or_outside_are_refused(intervals):
    with pytest.raises(MotionError, match="left_toe"):
        Contacts(101, left_toe=intervals)


def test_an_unknown_foot_point_is_refused():
    with pytest.raises(MotionError, match="left_knee"):
        WALK.point("left_knee")


def test_the_frames_of_a_cut_keep_their_contacts_round_the_cycle():
    arcs = round_cycle(WALK, close=0.0)
    phases = TURN * np.arange(100) / 100
    for point in FOOT_POINTS:
        np.testing.assert_array_equal(arcs.planted(point, phases), WALK.planted(point)[:100])


def test_a_plant_over_the_seam_is_one_plant():
    arcs = round_cycle(WALK)
    assert len(arcs.left_heel) == 1
    np.testing.assert_allclose(arcs.share("left_heel"), 0.41)


def test_ends_that_disagree_by_a_few_frames_are_closed():
    contacts = Contacts(101, left_toe=((4, 50), (92, 97)))
    assert len(round_cycle(contacts).left_toe) == 1
    assert len(round_cycle(contacts, close=0.02).left_toe) == 2


@given(st.floats(0.0, 20.0), st.floats(-20.0, 20.0))
def test_starting_a_cycle_elsewhere_moves_its_contacts_along(phase, at):
    arcs = CycleContacts(left_heel=((0.4, 2.0),), right_toe=((5.0, 3.0),))
    moved = arcs.starting_at(phase)
    for point in ("left_heel", "right_toe"):
        edges = [abs(np.angle(np.exp(1j * (at - e)))) for s, n in arcs.point(point) for e in (s, s + n)]
        if min(edges) > 1e-6:
            assert arcs.planted(point, np.array(at)) == moved.planted(point, np.array(at - phase))


def test_overlapping_arcs_count_once():
    arcs = CycleContacts(left_heel=((6.0, 1.0),), left_toe=((0.2, 2.0),))
    assert len(arcs.foot("left")) == 1
    np.testing.assert_allclose(arcs.share("left"), (TURN - 6.0 + 2.2) / TURN)


def test_a_foot_that_never_lifts_rests_all_round():
    assert round_cycle(Contacts(51, left_heel=((0, 50),))).share("left") == pytest.approx(1.0)
