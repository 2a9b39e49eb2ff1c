"""Faults: what is planted is found in its rows, and nothing is found in smooth motion."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.cleaning.faults import count_rest_frames, find_faults, sound_stretches
from mocapella.cleaning.repair import repaired
from mocapella.geometry import quaternions as qs
from mocapella.motion.clip import Clip
from mocapella.motion.report import Finding, Report
from tests.cleaning.faulty_walk import (
    ANKLE,
    FIRST,
    KNEE,
    LEG,
    RATES,
    TOE,
    N,
    a_walk,
    listed,
    planted,
    rows_by_code,
    touched,
)

laws = settings(max_examples=25, deadline=None)


# Finding --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame_rate", RATES)
@pytest.mark.parametrize("n_frames", [1, 2, 3, 4, N])
def test_nothing_is_found_in_smooth_motion(frame_rate, n_frames):
    clip = a_walk(frame_rate, n_frames)
    assert find_faults(clip) == []
    assert touched(clip, repaired(clip)) == set()
    assert repaired(clip).report == clip.report


def test_nothing_is_found_in_a_body_that_never_moves():
    still = Clip(LEG, np.zeros((30, 3)), np.tile(qs.IDENTITY, (30, 5, 1)), 60.0)
    assert find_faults(still) == []
    assert find_faults(still.moved(1.0, 2.0)) == []


@laws
@given(st.integers(0, N - 1), st.integers(1, 12), st.sampled_from(RATES))
def test_a_root_lost_at_the_origin_is_found_wherever_it_is(start, length, frame_rate):
    frames = range(start, min(start + length, N))
    clip = planted(a_walk(frame_rate), frames=list(frames), root=0.0)
    rows = rows_by_code(clip)
    assert rows.pop("root-dropout") == tuple(frame + FIRST for frame in frames)
    assert rows == {}  # the steps there and back are not held against the frames around


def test_a_body_that_stays_near_the_origin_is_not_lost():
    clip = planted(a_walk().moved(-1.0, -2.0, y=-0.9), frames=[0], root=0.0)
    assert "root-dropout" not in rows_by_code(clip)


@laws
@given(st.integers(0, N - 5), st.integers(5, 20), st.sampled_from(RATES))
def test_a_stretch_of_equal_frames_is_found(start, length, frame_rate):
    clip = a_walk(frame_rate)
    stop = min(start + length, N)
    frames = np.arange(N)
    frames[start:stop] = start
    frozen = replace(clip, root_positions=clip.root_positions[frames], rotations_wxyz=clip.rotations_wxyz[frames])
    frozen = replace(frozen, frame_rate=1.0)  # slow enough for the step out of the ice to be no jump of its own
    assert rows_by_code(frozen) == {"frozen": tuple(range(start + FIRST, stop + FIRST))}


def test_four_equal_frames_are_not_yet_frozen():
    clip = a_walk()
    frames = np.array([0, 1, 2, 3, 3, 3, 3, 7, 8, 9])
    held = replace(clip, root_positions=clip.root_positions[frames], rotations_wxyz=clip.rotations_wxyz[frames])
    assert rows_by_code(held) == {"held": tuple(frame + FIRST for frame in (4, 5, 6))}
    assert rows_by_code(held[:7]) == rows_by_code(held[3:]) == {}  # nothing tells what came next, or before


@laws
@given(st.integers(1, N - 2), st.sampled_from([40.0, 90.0, 170.0]), st.sampled_from([60.0, 120.0, 240.0]))
def test_a_one_frame_spike_is_found_going_out_and_coming_back(frame, degrees, frame_rate):
    clip = planted(a_walk(frame_rate), frames=[frame], joint=KNEE, angle=np.radians(degrees))
    assert rows_by_code(clip) == {"jump": (frame + FIRST, frame + 1 + FIRST)}


@laws
@given(st.integers(1, N - 1), st.sampled_from([40.0, 90.0, 170.0]), st.sampled_from([60.0, 120.0, 240.0]))
def test_a_step_is_found_in_the_frame_it_leads_to(frame, degrees, frame_rate):
    clip = planted(a_walk(frame_rate), frames=slice(frame, None), joint=ANKLE, angle=np.radians(degrees))
    (finding,) = find_faults(clip)
    assert (finding.code, finding.frames) == ("jump", (frame + FIRST,))
    assert finding.message == f"LeftFoot jump within one frame at frame {frame + FIRST}"
    assert finding.doubtful


@pytest.mark.parametrize(
    ("frame_rate", "least"), [(24.0, 75.0), (30.0, 60.0), (60.0, 30.0), (120.0, 15.0), (240.0, 15.0)]
)
def test_slower_cameras_see_larger_steps_without_calling_them_jumps(frame_rate, least):
    still = Clip(LEG, np.ones((30, 3)) + 1e-6 * np.arange(30)[:, None], np.tile(qs.IDENTITY, (30, 5, 1)), frame_rate)
    for degrees, found in ((least - 0.5, False), (least + 0.5, True)):
        clip = planted(still, frames=slice(12, None), joint=KNEE, angle=np.radians(degrees))
        assert ("jump" in rows_by_code(clip)) == found


def test_at_ten_frames_a_second_any_turn_is_possible():
    assert rows_by_code(planted(a_walk(10.0, 20), frames=[7], joint=KNEE, angle=np.pi)) == {}


def test_jumps_of_toes_are_worth_knowing_but_not_doubtful():
    (finding,) = find_faults(planted(a_walk(), frames=slice(40, None), joint=TOE, angle=1.0))
    assert (finding.code, finding.frames, finding.doubtful) == ("outer-jump", (40 + FIRST,), False)


def test_turning_the_sign_of_a_quaternion_is_no_jump():
    clip = a_walk()
    flipped = np.array(clip.rotations_wxyz)
    flipped[30:] *= -1
    assert find_faults(replace(clip, rotations_wxyz=flipped)) == []


@laws
@given(st.integers(1, N - 2), st.sampled_from(RATES))
def test_a_root_that_leaps_away_and_back_is_found(frame, frame_rate):
    clip = planted(a_walk(frame_rate), frames=[frame], root=[1.0, 4.0, 2.0])
    assert rows_by_code(clip) == {"root-jump": (frame + FIRST, frame + 1 + FIRST)}


@pytest.mark.parametrize("n_frames", [1, 2, 3])
def test_clips_of_few_frames_are_looked_at_too(n_frames):
    clip = planted(a_walk(n_frames=n_frames), frames=slice(n_frames - 1, None), joint=KNEE, angle=1.0)
    assert rows_by_code(clip) == ({"jump": (FIRST + n_frames - 1,)} if n_frames > 1 else {})
    mended = repaired(clip)
    assert find_faults(mended) == []
    assert touched(clip, mended) == listed(mended)


def test_many_rows_are_listed_in_runs():
    clip = planted(a_walk(), frames=[3, 20, 21, 22, 40, 50, 60, 70, 80], root=0.0)
    (finding,) = find_faults(clip)
    assert finding.message == "the root is lost at 0, 0, 0 in frames 13, 30–32, 50, 60, 70, 80, …"


# The artificial rest pose ---------------------------------------------------------------------------------------------


def behind_a_rest_pose(clip):
    still = np.tile(qs.IDENTITY, (1, 5, 1))
    roots = np.concatenate([np.zeros((1, 3)), clip.root_positions])
    return Clip(LEG, roots, np.concatenate([still, clip.rotations_wxyz]), clip.frame_rate)


def test_an_artificial_rest_pose_is_seen_and_not_held_against_the_capture():
    clip = behind_a_rest_pose(a_walk())
    assert count_rest_frames(clip.rotations_wxyz) == 1
    clip = replace(clip, report=Report(n_rest_frames=1))
    assert find_faults(clip) == []
    assert find_faults(planted(clip, frames=slice(6), root=0.0))[0].frames == (1, 2, 3, 4, 5)


def test_motion_that_begins_near_its_rest_pose_has_no_artificial_one():
    at = np.linspace(0, 1, 30)
    swing = np.zeros((30, 5, 3))
    swing[..., 0] = at[:, None]
    assert count_rest_frames(qs.from_rotvec(swing)) == 0
    assert count_rest_frames(a_walk().rotations_wxyz) == 0
    assert count_rest_frames(behind_a_rest_pose(a_walk()).rotations_wxyz[:2]) == 0  # two poses are no capture


@pytest.mark.parametrize(("turned", "axis", "rest"), [([0], 0, 0), ([2, 3, 4], 1, 0), ([0], 1, 1)])
def test_a_rest_pose_may_face_any_way_but_stands_upright_with_most_joints_unturned(turned, axis, rest):
    rotations = np.array(behind_a_rest_pose(a_walk()).rotations_wxyz)
    rotations[0, turned] = qs.from_rotvec(np.eye(3)[axis])
    assert count_rest_frames(rotations) == rest


# The report -----------------------------------------------------------------------------------------------------------


def test_a_report_tells_doubts_from_things_worth_knowing():
    doubt, note = Finding("jump", "", (3, 4)), Finding("outer-jump", "", (5,), doubtful=False)
    report = Report(findings=(doubt, note, Finding("jump", "", (9,))))
    assert [finding.frames for finding in report.warnings] == [(3, 4), (9,)]
    assert report.frames("jump") == (3, 4, 9)
    assert report.frames("frozen") == ()


def test_without_rows_a_report_keeps_what_concerns_the_whole():
    whole = Finding("unit-unsure", "")
    assert Report(findings=(Finding("jump", "", (3,)), whole)).without_rows() == Report(findings=(whole,))


# Real captures --------------------------------------------------------------------------------------------------------

CLEAN = """07_01 07_04 08_01 08_04 08_11 09_06 16_08 16_11 16_13 16_21 16_24 16_26 16_31 16_33 16_35 16_36 16_37 16_39
    16_45 16_46 16_47 16_48 16_49 16_50 16_53 16_55 16_56 16_57 16_58 35_02 35_07 35_12 35_17 35_18 35_21 35_24 35_29
    35_33 69_20 82_10 82_13 127_04 127_05 127_06 127_10 127_12 127_15 127_17 137_20 137_24 137_42"""
# Hips that pass the singular angle: large steps in the file, none in the body.
FLIPPED = " 16_19 16_27 16_41 16_51 69_24 69_28 69_31 55_01 61_10 104_11 104_22"


@cache
def cmu(folder, name, clean=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        return mo.load(folder / "cmu-bvh" / name.split("_")[0] / f"{name}.bvh", clean=clean)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "code", "rows"),
    [
        ("104_01", "root-dropout", range(1, 56)),
        ("07_12", "root-dropout", [1]),
        ("09_10", "root-dropout", range(1, 5)),
        ("104_01", "frozen", range(386 - 108, 386)),
        ("08_07", "frozen", range(1, 7)),
        ("49_04", "frozen", range(252 - 7, 252)),
    ],
)
def test_lost_and_frozen_frames_of_real_captures_are_found_in_their_rows(data_folder, name, code, rows):
    assert cmu(data_folder, name).report.frames(code) == tuple(rows)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "row", "joint"),
    [
        ("16_15", 3, "LeftArm"),
        ("16_17", 475, "Hips"),
        ("16_23", 4, "RightArm"),
        ("16_25", 272, "RightArm"),
        ("16_29", 108, "LeftFoot"),
        ("16_43", 116, "Hips"),
        ("35_01", 100, "LeftFoot"),
        ("82_12", 324, "LeftArm"),
        ("137_16", 753, "LeftLeg"),
        ("137_29", 2, "LeftUpLeg"),
    ],
)
def test_jumps_in_real_captures_are_found_and_mended(data_folder, name, row, joint):
    (finding,) = cmu(data_folder, name).report.warnings
    assert (finding.code, joint in finding.message) == ("jump", True)
    assert row in finding.frames
    assert max(abs(other - row) for other in finding.frames) <= 5
    mended = cmu(data_folder, name, clean=True)
    assert mended.report.warnings == ()
    assert touched(cmu(data_folder, name), mended) <= listed(mended)


@pytest.mark.data
def test_clean_captures_and_such_that_only_look_broken_in_their_angles_are_not_doubted(data_folder):
    doubts = {name: cmu(data_folder, name).report.warnings for name in (CLEAN + FLIPPED).split()}
    assert {name: found for name, found in doubts.items() if found} == {}


@pytest.mark.data
def test_the_rest_pose_of_every_cmu_capture_is_counted_but_not_judged(data_folder):
    for name in ("07_01", "104_01", "137_42"):
        clip = cmu(data_folder, name)
        assert (clip.report.n_rest_frames, clip.report.frames("rest-pose"), clip.captured.first_row) == (1, (0,), 1)


@pytest.mark.data
def test_a_lost_capture_made_clean_walks_on_without_leaps(data_folder):
    lost, mended = cmu(data_folder, "104_01"), cmu(data_folder, "104_01", clean=True)
    assert np.linalg.norm(np.diff(lost.captured.root_positions, axis=0), axis=1).max() > 1.0
    assert np.linalg.norm(np.diff(mended.captured.root_positions, axis=0), axis=1).max() < 0.1
    assert mended.report.frames("repaired-dropout") == tuple(range(1, 56))
    assert touched(lost, mended) <= listed(mended)


# Sound stretches ------------------------------------------------------------------------------------------------------


def leaping(n_frames, *leaps):
    """A walk whose root leaps for good at some frames."""
    clip = a_walk(n_frames=n_frames)
    steps = np.zeros((n_frames, 3))
    steps[list(leaps), 0] = 3.0
    return replace(clip, root_positions=clip.root_positions + np.cumsum(steps, axis=0))


def stretches_of(clip):
    return [(stretch.start, stretch.stop) for stretch in sound_stretches(clip, find_faults(clip)).stretches]


def test_a_leap_ends_a_stretch_and_the_next_begins():
    assert stretches_of(leaping(90, 4, 40)) == [(0, 4), (4, 40), (40, 90)]


def test_crumbs_of_a_root_that_leaps_in_nearly_every_frame_are_not_examined_one_by_one():
    quiet = range(300, 360)
    assert stretches_of(leaping(600, *(i for i in range(1, 600) if i not in quiet))) == [(299, 360)]


@laws
@given(st.sets(st.integers(1, 399), max_size=300))
def test_stretches_lie_between_leaps_and_are_all_of_them_where_they_are_few(leaps):
    clip = leaping(400, *leaps)
    sound = sound_stretches(clip, find_faults(clip))
    edges = [0, *sorted(leaps), 400]
    between = list(pairwise(edges))
    few = len(between) <= 20
    assert stretches_of(clip) == [(a, b) for a, b in between if few or b - a > 10]
    assert all(sound.within_one(stretch.start, stretch.stop) for stretch in sound.stretches)
    assert not any(sound.within_one(leap - 1, leap + 1) for leap in leaps)
