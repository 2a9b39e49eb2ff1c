"""Two transitions spliced where their poses meet."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.hybrid.splice import Splice, find_splices, splice
from tests.hybrid.hybrids import transition

PAIRS = (("walk-twirl-walk", "walk-run"), ("walk-run", "run-twirl-run"), ("walk-twirl-walk", "walk-twirl-walk"))


@cache
def cuts(first, second) -> tuple[Splice, ...]:
    return find_splices(transition(first), transition(second), count=4)


def steps(clip):
    """The largest turn of any joint from each frame to the next, degrees."""
    q = clip.rotations_wxyz[:, 1:]
    return np.degrees(quaternions.angle_between(q[1:], q[:-1])).max(axis=1)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_cut_shows_no_step_that_the_clips_do_not_have(first, second):
    one, two = transition(first), transition(second)
    cut = cuts(first, second)[0]
    made = splice(one, two, cut)
    near = slice(cut.first - 40, cut.first + 40)
    assert steps(made.clip)[near].max() <= 1.1 * max(steps(one.clip).max(), steps(two.clip).max())
    moves = np.linalg.norm(np.diff(made.clip.root_positions, axis=0), axis=1)
    most = max(np.linalg.norm(np.diff(each.clip.root_positions, axis=0), axis=1).max() for each in (one, two))
    assert moves[near].max() <= 1.1 * most
    assert np.abs(np.diff(made.clip.headings))[near].max() < np.radians(3.0)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_both_changes_are_played_nearly_whole(first, second):
    one, two = transition(first), transition(second)
    made = splice(one, two, cuts(first, second)[0], name="both")
    assert made.seconds > 0.8 * (one.seconds + two.seconds)
    assert (made.name, made.leave, made.before, made.after) == ("both", one.leave, one.before, two.after)
    n = round(0.4 * (one.arrive - one.leave))
    np.testing.assert_array_equal(made.change.rotations_wxyz[:n], one.change.rotations_wxyz[:n])
    np.testing.assert_allclose(made.change.rotations_wxyz[-n:, 1:], two.change.rotations_wxyz[-n:, 1:], atol=1e-12)
    assert made.seams["arrive_pose_m"] < 1e-9


def test_the_same_feet_rest_on_both_sides_of_a_cut():
    one, two = transition("walk-twirl-walk"), transition("walk-run")
    two = replace(two, contacts=two.contacts.mirrored())  # a lie, so that the best poses rest on the wrong foot
    for cut in find_splices(one, two):
        for foot in ("left", "right"):
            assert one.contacts.planted(foot)[cut.first] == two.contacts.planted(foot)[cut.second]


def test_cuts_come_best_first_and_apart():
    found = cuts("walk-twirl-walk", "walk-run")
    assert len(found) == 4
    places = np.array([(cut.first, cut.second) for cut in found])
    gaps = np.abs(places[:, None] - places).max(axis=2)[np.triu_indices(4, k=1)]
    assert gaps.min() > 20
    assert all(cut.unlikeness <= 0.5 for cut in found)


def test_what_never_meets_is_refused():
    with pytest.raises(MotionError, match=r"never comes near enough to 'run-twirl-run'"):
        find_splices(transition("walk-stand"), transition("run-twirl-run"))


def test_other_skeletons_and_frame_rates_are_refused():
    one, two = transition("walk-run"), transition("run-walk")
    child = perform("run-walk", height=1.2)[0]
    n = min(child.n_frames, two.clip.n_frames)
    with pytest.raises(MotionError, match="another skeleton"):
        replace(two, clip=child[:n], contacts=two.contacts[:n])
    halved = replace(two.clip, frame_rate=60.0)
    with pytest.raises(MotionError, match=r"runs at 60 Hz.*resample"):
        find_splices(one, replace(two, clip=halved))
    cut = cuts("walk-twirl-walk", "walk-run")[0]
    with pytest.raises(MotionError, match="too near to the ends"):
        splice(one, two, replace(cut, first=2))
