"""Captures without their tremor: waves quicker than anybody moves are gone, the motion stays."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.smoothness import jolts
from mocapella.actor import capture, perform
from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.hybrid.splice import splice
from mocapella.hybrid.transition import TREMOR, told_of_tremor, without_tremor
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.clip import Clip
from mocapella.storage.records import Stored
from mocapella.storage.stored_hybrids import TransitionRecord, read_transition, transition_record


@cache
def _walk() -> Clip:
    return perform("walk", seconds=3.0)[0]


@pytest.fixture(scope="module")
def walk() -> Clip:
    return _walk()


@pytest.fixture(scope="module")
def stop():
    return find_transition(capture("walk-stand")[0])


def swaying(clip: Clip, hertz: float, size: float = 0.01) -> Clip:
    """A clip with a wave on top of its root's height."""
    places = np.array(clip.root_positions)
    places[:, 1] += size * np.cos(2.0 * np.pi * hertz * np.arange(clip.n_frames) / clip.frame_rate)
    return replace(clip, root_positions=owned(places))


def share_left(clip: Clip, hertz: float, above: float) -> float:
    """How much of a wave is left, by what the same motion without it becomes; away from the ends."""
    swayed, plain = swaying(clip, hertz), clip
    before = (swayed.root_positions - plain.root_positions)[60:-60, 1]
    after = (without_tremor(swayed, above).root_positions - without_tremor(plain, above).root_positions)[60:-60, 1]
    return float(after @ before / (before @ before))


@settings(deadline=None, max_examples=15)
@given(above=st.floats(5.0, 30.0))
def test_half_of_a_wave_at_the_limit_is_left_and_nearly_all_of_slow_ones(above):
    clip = _walk()
    assert share_left(clip, above, above) == pytest.approx(0.5, abs=0.01)
    assert share_left(clip, 0.5 * above, above) > 0.9
    assert share_left(clip, 2.0 * above, above) < 0.201  # a fifth where the wave is half the frame rate


def test_nothing_comes_later_than_it_was_for_time_run_backwards_makes_no_difference(walk):
    backwards = replace(
        walk, root_positions=owned(walk.root_positions[::-1].copy()), rotations_wxyz=walk.rotations_wxyz[::-1].copy()
    )
    there, back = without_tremor(walk, 12.0), without_tremor(backwards, 12.0)
    np.testing.assert_allclose(back.root_positions[::-1], there.root_positions, atol=1e-12)
    np.testing.assert_allclose(np.abs(back.rotations_wxyz[::-1]), np.abs(there.rotations_wxyz), atol=1e-12)


def test_an_even_pace_stays_as_it_is_to_the_very_ends(walk):
    along = np.linspace(0.0, 3.0, walk.n_frames)
    places = np.stack([along, np.full_like(along, 0.9), 2.0 * along], axis=1)
    gliding = replace(walk, root_positions=owned(places))
    np.testing.assert_allclose(without_tremor(gliding).root_positions, places, atol=1e-9)


def test_frames_too_far_apart_or_too_few_to_shake_stay_as_they_are(walk):
    slow = walk.resampled(30.0)
    assert without_tremor(slow, 20.0) is slow
    assert without_tremor(walk, math.inf) is walk
    assert without_tremor(walk[:2], 20.0).n_frames == 2
    assert told_of_tremor(slow) == ()


@pytest.mark.parametrize("above", [0.0, -3.0, math.nan])
def test_a_limit_that_is_no_frequency_is_refused(walk, stop, above):
    with pytest.raises(MotionError, match=r"0\.1 Hz or more"):
        without_tremor(walk, above)
    with pytest.raises(MotionError, match=r"expected 0\.1 or more"):
        replace(stop, tremor=above)


def test_a_change_keeps_its_capture_and_tells_what_is_not_played(stop):
    clip, _ = capture("walk-stand")
    np.testing.assert_array_equal(stop.clip.rotations_wxyz, clip.rotations_wxyz)
    note = next(one for one in stop.decisions if one.step == "tremor")
    assert note.numbers["above_hz"] == TREMOR
    assert 1e-4 < note.numbers["usual_m"] < 1e-3 < note.numbers["most_m"] < 0.02
    assert np.median(jolts(stop.steady).kicks) < 0.5 * np.median(jolts(stop.clip).kicks)
    as_captured = find_transition(clip, tremor=math.inf)
    assert as_captured.steady is as_captured.clip
    assert all(one.step != "tremor" for one in as_captured.decisions)


def test_two_changes_cut_together_shake_no_more_than_either(stop):
    start = replace(find_transition(capture("stand-walk")[0]), tremor=12.0)
    assert splice(start, stop).tremor == 12.0


@pytest.mark.parametrize("tremor", [12.0, math.inf])
def test_files_remember_what_counts_as_tremor_and_older_ones_do_not_have_to(stop, tremor):
    record, arrays = transition_record(replace(stop, tremor=tremor), "a/")
    header = msgspec.json.encode(record)
    read = msgspec.json.decode(header, type=TransitionRecord)
    assert read_transition(read, Stored("f.moca", arrays, "a/"), stop.clip.skeleton).tremor == tremor
    older = {key: value for key, value in msgspec.json.decode(header).items() if key != "tremor"}
    read = msgspec.convert(older, TransitionRecord)
    assert read_transition(read, Stored("f.moca", arrays, "a/"), stop.clip.skeleton).tremor == TREMOR
