"""Cycles fall in step."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.fourier import analyse
from mocapella.analysis.synchronise import shifted, synchronise, synchronised_to, with_like_signs
from mocapella.errors import MotionError
from mocapella.geometry import quaternions

KINDS = ("quaternion", "euler")


def frames_off(cycle) -> float:
    """How far a cycle is from where it began, in frames, the shorter way round."""
    return min(cycle.offset, 1.0 - cycle.offset) * cycle.n_frames


@pytest.mark.parametrize("kind", KINDS)
@given(share=st.floats(0.0, 1.0))
@settings(max_examples=20, deadline=None)
def test_a_cycle_shifted_by_any_fraction_is_brought_back(walk, kind, share):
    cycle = cyclify(walk(200, drift=0.03, uneven=0.2), (20, 140), layout=kind)
    back = synchronise([cycle, cycle.starting_at(2 * np.pi * share)])[1]
    assert frames_off(back) < 1e-3


def test_the_first_cycle_stays_as_it_is(walk):
    cycles = [cyclify(walk(200, start=start), (20, 140)) for start in (0.0, 0.3, 0.8)]
    np.testing.assert_allclose(synchronise(cycles)[0].dofs, cycles[0].dofs)


@given(starts=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=5))
@settings(max_examples=15, deadline=None)
def test_walks_of_unlike_length_size_and_start_fall_in_step(walk, starts):
    cycles = []
    for i, start in enumerate(starts):
        n = 100 + 7 * i
        cycles.append(cyclify(walk(250, period=float(n), start=start, size=1.0 - 0.1 * i), (20, 20 + n)))
    angles = [analyse(cycle, 1).dof("LeftUpLeg.x")[1] for cycle in synchronise(cycles)]
    np.testing.assert_allclose(np.angle(np.array(angles) / angles[0]), 0.0, atol=np.radians(3.0))


def test_the_order_of_the_others_does_not_matter(walk):
    cycles = [cyclify(walk(200, start=s, uneven=u), (20, 140)) for s, u in ((0.0, 0.0), (0.4, 0.3), (0.7, 0.1))]
    one, other = synchronise(cycles), synchronise([cycles[0], cycles[2], cycles[1]])
    np.testing.assert_allclose(one[1].dofs, other[2].dofs, atol=1e-6)


def test_a_new_cycle_falls_in_step_with_two_that_are(walk):
    cycles = [cyclify(walk(200, start=start), (20, 140)) for start in (0.0, 0.45, 0.9)]
    corner, other = synchronise(cycles[:2])
    new = synchronised_to(cycles[2], [corner, other])
    np.testing.assert_allclose(new.dofs[:, :-4], corner.dofs[:, :-4], atol=1e-3)


def test_aligning_a_to_b_and_b_to_c_aligns_a_to_c(walk):
    a, b, c = (cyclify(walk(200, start=start), (20, 140)) for start in (0.0, 0.3, 0.6))
    b = synchronised_to(b, [a])
    c = synchronised_to(c, [b])
    np.testing.assert_allclose(synchronised_to(c, [a]).offset, c.offset, atol=1e-6)


def test_an_offset_by_hand_moves_frames_and_its_complement_moves_them_back(walk):
    cycle = cyclify(walk(200), (20, 140))
    moved = shifted(cycle, 37)
    np.testing.assert_array_equal(moved.dofs, np.roll(cycle.dofs, -37, axis=0))
    np.testing.assert_array_equal(shifted(moved, 120 - 37).dofs, cycle.dofs)
    assert moved.decisions[-1].numbers == {"frames": 37.0}


def test_signs_agree_over_a_set(walk):
    cycles = [cyclify(walk(200, start=start), (20, 140)) for start in (0.0, 0.3)]
    flipped = np.array(cycles[1].dofs)
    flipped[:, 4:12] *= -1.0
    alike = with_like_signs([cycles[0], replace(cycles[1], dofs=flipped)])
    np.testing.assert_array_equal(alike[0].dofs, cycles[0].dofs)
    np.testing.assert_array_equal(alike[1].dofs, cycles[1].dofs)
    np.testing.assert_allclose(quaternions.angle_between(alike[1].rotations_wxyz, cycles[1].rotations_wxyz), 0.0)


def test_whole_turns_of_angles_agree_over_a_set(walk):
    cycles = [cyclify(walk(200, start=start), (20, 140), layout="euler") for start in (0.0, 0.3)]
    turned = np.array(cycles[1].dofs)
    turned[:, 5] += 2 * np.pi
    alike = with_like_signs([cycles[0], replace(cycles[1], dofs=turned)])
    np.testing.assert_allclose(alike[1].dofs, cycles[1].dofs, atol=1e-12)


def test_a_cycle_that_does_not_move_is_left_where_it_is(walk):
    cycle = cyclify(walk(200), (20, 140))
    still = replace(cycle, dofs=np.repeat(cycle.dofs[:1], 120, axis=0))
    np.testing.assert_array_equal(synchronise([cycle, still])[1].dofs, still.dofs)


def test_an_empty_set_is_in_step():
    assert synchronise([]) == []


def test_strangers_do_not_fall_in_step(walk):
    clip = walk(200)
    with pytest.raises(MotionError, match=r"the euler layout, .* the quaternion; prepare all cycles with the same"):
        synchronise([cyclify(clip, (20, 140)), cyclify(clip, (20, 140), layout="euler")])


def test_nothing_to_synchronise_with_is_refused(walk):
    with pytest.raises(MotionError, match="nothing to synchronise with"):
        synchronised_to(cyclify(walk(200), (20, 140)), [])
