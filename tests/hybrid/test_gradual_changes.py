"""Changes that go on all through a capture: boundaries are found all the same, where the blocks they join are given."""

from __future__ import annotations

import pytest

from mocapella.building.build import build
from mocapella.errors import MotionError
from mocapella.hybrid.transition_search import find_transition
from mocapella.storage.values import load

pytestmark = pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")


@pytest.fixture(scope="module")
def blocks(data_folder):
    folder = data_folder / "cmu-bvh" / "16"
    stems = (15, 21, 11, 13, 24, 26), (35, 45)
    return [build([folder / f"16_{n}.bvh" for n in files]).network for files in stems]


@pytest.mark.parametrize("first", [0, 4])
def test_who_speeds_up_all_the_time_is_found_to_begin_and_to_end(data_folder, blocks, first):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_56.bvh")[first:]
    found = find_transition(clip, before=blocks[0], after=blocks[1])
    n = found.clip.n_frames
    assert found.leave < n / 3
    assert n / 3 < found.arrive
    assert found.seconds > 0.4


@pytest.mark.parametrize("first", [0, 8, 20])
def test_a_walk_is_not_bent_into_a_run_but_where_somebody_chose_the_rows(data_folder, blocks, first):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_55.bvh")[first:]
    with pytest.raises(MotionError, match=r"they are 0\.[678]\d of the distance .* and 0\.6 is the most; give before="):
        find_transition(clip, before=blocks[0], after=blocks[1])
    found = find_transition(clip, boundaries=(first + 20, 150), before=blocks[0], after=blocks[1])
    assert found.leave + found.clip.first_row == first + 20
    note = next(one for one in found.decisions if one.step == "before")
    assert note.numbers["unlikeness"] > 0.6


def test_steps_that_both_ends_take_for_theirs_are_refused_where_nothing_is_given(data_folder):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_56.bvh")
    with pytest.raises(MotionError, match=r"nothing changes .* give boundaries|nothing repeats"):
        find_transition(clip)


def test_a_walk_that_goes_on_is_no_change_whatever_is_given(data_folder, blocks):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_15.bvh")
    with pytest.raises(MotionError, match="nothing changes"):
        find_transition(clip, before=blocks[0], after=blocks[0])


def test_an_end_with_a_good_cycle_keeps_it(data_folder, blocks):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_33.bvh")
    found = find_transition(clip, before=blocks[0])
    alone = find_transition(clip)
    assert (found.leave, found.arrive) == (alone.leave, alone.arrive)


@pytest.mark.parametrize("file", ["69_28", "69_31"])
def test_a_walk_round_a_corner_is_a_change_though_its_poses_go_on(data_folder, file):
    found = find_transition(load(data_folder / "cmu-bvh" / "69" / f"{file}.bvh"))
    assert 0.05 < found.leave / found.clip.n_frames < found.arrive / found.clip.n_frames < 0.95
