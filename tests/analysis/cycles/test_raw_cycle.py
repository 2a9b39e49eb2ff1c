"""Cycles marked by hand: taken as they are, described as found ones are, refused where frames were lost."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CAPTURED, perform
from mocapella.analysis.closing.cyclify import CLOSING_METHODS, closing_method
from mocapella.analysis.cycles.find import find_cycle
from mocapella.analysis.cycles.raw_cycle import frame_range, mark_cycle
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.prepare import prepare, select, turning_of
from mocapella.errors import MotionError
from mocapella.motion.contacts import round_cycle


@pytest.fixture(scope="module")
def stroll():
    return perform("walk", speed=1.2, turn=0.3, imperfections=CAPTURED, seed=4, cycles=5.0)[0]


def test_a_found_cycle_marked_by_hand_is_described_alike(stroll):
    found = find_cycle(stroll)
    marked = mark_cycle(stroll, (found.start, found.start + found.n_frames))
    assert (marked.start, marked.n_frames, marked.n_steps) == (found.start, found.n_frames, found.n_steps)
    assert marked.contacts == found.contacts
    assert marked.speed == found.speed
    assert marked.turn == found.turn
    assert marked.closing == pytest.approx(found.closing, abs=1e-3)
    assert marked.unlikeness == pytest.approx(found.unlikeness, abs=0.02)


@pytest.mark.parametrize("frames", [(10, 200), (57, 61), (0, 599)])
def test_marked_frames_are_taken_to_the_frame_whatever_lies_between(stroll, frames):
    cycle = prepare(stroll, frames=frames)
    assert (cycle.start_row, cycle.n_frames) == (frames[0], frames[1] - frames[0])
    assert [d.text.split(":")[0] for d in cycle.decisions if d.step == "find"] == ["marked by hand"]


def test_rows_of_a_cut_clip_count_on_from_its_source(stroll):
    found = find_cycle(stroll[100:])
    assert found.start_row == found.start + 100
    assert f"from row {found.start_row}," in repr(found)


def test_frames_that_were_lost_make_no_cycle_however_sure_someone_is(stroll):
    roots = np.array(stroll.moved(5.0).root_positions)
    roots[200:260] = 0.0
    with pytest.raises(MotionError, match="frames 180 to 320 make no cycle: the root is lost"):
        prepare(replace(stroll, root_positions=roots), frames=(180, 320))


@pytest.mark.parametrize("wish", [{"turning": True}, {"speed": 1.0}, {"turn": 0.1}, {"within": (0, 300)}])
def test_wishes_beside_marked_frames_have_nothing_to_choose(stroll, wish):
    with pytest.raises(MotionError, match=f"{next(iter(wish))}=.* has nothing to choose"):
        select(stroll, frames=(10, 150), **wish)


@pytest.mark.parametrize("given", [5, "ab", (1, 2, 3), (None, 4)])
def test_what_is_no_pair_of_frames_is_refused_with_what_was_expected(stroll, given):
    with pytest.raises(MotionError, match=r"expected within=\(first, last\), two frames of the clip, got "):
        frame_range(given, stroll, "within")


def test_a_way_of_closing_goes_by_its_name(stroll):
    by_name, by_hand = (prepare(stroll, method=method) for method in ("smooth", CLOSING_METHODS["smooth"]))
    np.testing.assert_array_equal(by_name.dofs, by_hand.dofs)
    assert "method smooth" in by_name.decisions[0].text
    assert [closing_method(name).name.replace(" ", "_") for name in CLOSING_METHODS] == list(CLOSING_METHODS)
    with pytest.raises(MotionError, match=r"expected a way to close a cycle, one of symmetric, smooth.*, got 'smoth'"):
        prepare(stroll, method="smoth")


def test_all_that_was_asked_for_is_on_record(stroll):
    cycle = prepare(stroll, turning=True, within=(20, 500), layout="euler", clean=False)
    assert cycle.decisions[0].step == "ask"
    assert cycle.decisions[0].text == "turning True; within (20, 500); method symmetric; layout euler; not cleaned"


def test_overruled_plants_reach_the_cycle(stroll):
    found = find_cycle(stroll)
    middle = found.start + found.n_frames // 2
    plants = find_plants(stroll, override={"left_heel": [(middle, middle + 9)]})
    cycle = prepare(stroll, frames=(found.start, found.start + found.n_frames), contacts=plants)
    assert cycle.contacts == round_cycle(plants[found.start : found.start + found.n_frames + 1])
    assert cycle.contacts.share("left_heel") == pytest.approx(10 / found.n_frames)
    with pytest.raises(MotionError, match=f"expected plants over the {stroll.n_frames} frames"):
        prepare(stroll, contacts=plants[10:])


def test_a_network_asks_for_the_turn_of_clips_captured_for_one():
    straight, turning = (perform("walk", turn=turn)[0] for turn in (0.0, 0.5))
    assert (turning_of(straight), turning_of(turning)) == (None, "own")
    assert turning_of(turning, False) is False
    assert turning_of(turning, within=(0, 200)) is None
