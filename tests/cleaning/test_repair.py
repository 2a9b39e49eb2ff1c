"""Repairs bridge what can be known, touch what they list, and leave the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.cleaning.faults import LONGEST_BRIDGE, find_faults
from mocapella.cleaning.repair import repaired
from mocapella.geometry import quaternions as qs
from mocapella.motion.report import Finding, Report
from tests.cleaning.faulty_walk import FIRST, KNEE, RATES, TOE, N, a_walk, listed, planted, reported, touched

laws = settings(max_examples=25, deadline=None)


@laws
@given(st.integers(0, N - 1), st.floats(0.0, LONGEST_BRIDGE), st.sampled_from(RATES))
def test_short_gaps_of_lost_frames_are_bridged_and_listed(start, seconds, frame_rate):
    length = max(int(seconds * frame_rate), 1)
    frames = list(range(start, min(start + length, N)))
    whole = a_walk(frame_rate)
    clip = planted(planted(whole, frames=frames, root=0.0), frames=frames, joint=KNEE, angle=2.0)
    mended = repaired(reported(clip))
    assert mended.report.frames("repaired-dropout") == tuple(frame + FIRST for frame in frames)
    assert touched(clip, mended) == listed(mended) == {frame + FIRST for frame in frames}
    assert mended.report.frames("root-dropout") == ()
    if start > 0 and start + length < N and frame_rate >= 60:
        np.testing.assert_allclose(mended.root_positions, whole.root_positions, atol=0.02)
        np.testing.assert_allclose(qs.angle_between(mended.rotations_wxyz, whole.rotations_wxyz), 0.0, atol=0.25)


@laws
@given(st.integers(1, N - 40), st.integers(19, 38), st.sampled_from([60.0, 120.0]))
def test_a_gap_too_long_to_know_what_was_done_in_it_stays_lost(start, length, frame_rate):
    lost = slice(start, start + length)
    clip = planted(planted(a_walk(frame_rate), frames=lost, root=0.0), frames=lost, joint=KNEE, angle=2.0)
    mended = repaired(reported(clip))
    assert touched(clip, mended) == set()
    assert mended.report.frames("root-dropout") == tuple(range(start + FIRST, start + length + FIRST))


def test_good_frames_strewn_in_a_long_gap_do_not_make_it_short_ones():
    lost = [frame for frame in range(20, 70) if frame % 4]
    clip = planted(a_walk(), frames=lost, root=0.0)
    assert touched(clip, repaired(reported(clip))) == set()


def test_a_joint_that_flickers_on_and_on_is_left_and_stays_doubtful():
    clip = planted(a_walk(n_frames=200), frames=list(range(20, 150, 2)), joint=KNEE, angle=1.0)
    mended = repaired(reported(clip))
    assert touched(clip, mended) == set()
    assert len(mended.report.frames("jump")) == 130


def test_bridged_hands_and_toes_are_listed_apart():
    clip = planted(planted(a_walk(), frames=[30], joint=TOE, angle=1.5), frames=[60], joint=KNEE, angle=1.5)
    report = repaired(reported(clip)).report
    assert (report.frames("repaired-outer-jump"), report.frames("repaired-jump")) == ((30 + FIRST,), (60 + FIRST,))


EACH = np.arange(N)


@pytest.mark.parametrize("kept", [EACH // 2 * 2, np.where(EACH % 12 > 7, EACH // 12 * 12 + 7, EACH)])
def test_frames_that_repeat_the_one_before_are_put_on_the_way_to_the_next(kept):
    """A clip at twice its frame rate, and one that stalls for four frames at a time."""
    whole = a_walk()
    clip = replace(whole, root_positions=whole.root_positions[kept], rotations_wxyz=whole.rotations_wxyz[kept])
    mended = repaired(reported(clip))
    assert {finding.code for finding in mended.report.findings} <= {"repaired-held"}
    np.testing.assert_allclose(mended.positions[:-5], whole.positions[:-5], atol=0.02)


@pytest.mark.parametrize(("lost", "good"), [(slice(0, 4), 4), (slice(N - 3, N), N - 4)])
def test_frames_lost_at_an_end_hold_the_nearest_good_pose(lost, good):
    mended = repaired(planted(planted(a_walk(), frames=lost, root=0.0), frames=lost, joint=KNEE, angle=2.0))
    same = np.broadcast_to(mended.rotations_wxyz[good], mended.rotations_wxyz[lost].shape)
    np.testing.assert_array_equal(mended.rotations_wxyz[lost], same)
    np.testing.assert_array_equal(mended.root_positions[lost] - mended.root_positions[good], 0.0)


def test_a_long_hold_is_said_to_be_frozen():
    mended = repaired(reported(planted(a_walk(), frames=slice(0, 20), root=0.0)))
    assert [(finding.code, len(finding.frames)) for finding in mended.report.findings] == [
        ("repaired-dropout", 20),
        ("frozen", 21),
    ]


@laws
@given(st.integers(1, N - 2), st.integers(1, 5), st.sampled_from([60.0, 120.0, 240.0]))
def test_a_joint_that_jumps_out_and_back_is_bridged_over_those_frames_only(frame, length, frame_rate):
    whole = a_walk(frame_rate)
    stop = min(frame + length, N - 1)
    clip = planted(whole, frames=slice(frame, stop), joint=KNEE, angle=1.5)
    mended = repaired(reported(clip))
    assert mended.report.frames("repaired-jump") == tuple(range(frame + FIRST, stop + FIRST))
    assert touched(clip, mended) == listed(mended)
    np.testing.assert_allclose(qs.angle_between(mended.rotations_wxyz, whole.rotations_wxyz), 0.0, atol=0.12)
    assert mended.report.warnings == ()


@laws
@given(st.integers(1, N - 1), st.sampled_from([0.6, 1.5, 3.1]), st.sampled_from([60.0, 120.0, 240.0]))
def test_a_joint_that_jumps_for_good_is_eased_and_jumps_no_more(frame, angle, frame_rate):
    clip = planted(a_walk(frame_rate), frames=slice(frame, None), joint=KNEE, angle=angle)
    mended = repaired(reported(clip))
    assert find_faults(mended) == []
    assert touched(clip, mended) == listed(mended)
    assert len(listed(mended)) <= 20
    others = [joint for joint in range(5) if joint != KNEE]
    np.testing.assert_array_equal(mended.rotations_wxyz[:, others], clip.rotations_wxyz[:, others])


@laws
@given(st.integers(1, N - 2), st.integers(1, 5), st.sampled_from([60.0, 120.0, 240.0]))
def test_a_root_that_leaps_away_and_back_is_bridged_over_those_frames_only(frame, length, frame_rate):
    whole = a_walk(frame_rate)
    stop = min(frame + length, N - 1)
    clip = planted(whole, frames=slice(frame, stop), root=[1.0, 4.0, 2.0])
    mended = repaired(reported(clip))
    assert mended.report.frames("repaired-root-jump") == tuple(range(frame + FIRST, stop + FIRST))
    assert touched(clip, mended) == listed(mended)
    np.testing.assert_allclose(mended.root_positions, whole.root_positions, atol=0.01)
    assert mended.report.warnings == ()


def test_a_root_that_leaps_for_good_stays_and_stays_doubtful():
    clip = a_walk()
    roots = np.array(clip.root_positions)
    roots[40:, 0] += 3.0
    clip = reported(replace(clip, root_positions=roots))
    mended = repaired(clip)
    assert touched(clip, mended) == set()
    assert mended.report.frames("root-jump") == (40 + FIRST,)


def test_offsets_of_sliding_joints_are_bridged_with_the_rest():
    slides = np.linspace(0.0, 1.0, N)[:, None, None] * np.ones(3)
    bad = np.array(slides)
    bad[30:34] = 9.0
    clip = planted(replace(a_walk(), sliding_joints=np.array([KNEE]), slides=bad), frames=slice(30, 34), root=0.0)
    np.testing.assert_allclose(repaired(clip).slides, slides, atol=1e-12)


def test_repairing_twice_changes_nothing_more():
    clip = planted(planted(a_walk(), frames=slice(40, None), joint=KNEE, angle=2.0), frames=[20], root=0.0)
    once = repaired(reported(clip))
    assert touched(once, repaired(once)) == set()


def test_what_else_the_report_says_is_kept():
    other = Finding("unit-unsure", "metres are assumed")
    clip = replace(planted(a_walk(), frames=[20], root=0.0), report=Report(height=1.7, findings=(other,)))
    report = repaired(clip).report
    assert report.height == 1.7
    assert [finding.code for finding in report.findings] == ["unit-unsure", "repaired-dropout"]
