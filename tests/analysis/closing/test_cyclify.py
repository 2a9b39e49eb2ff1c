"""Closing a cycle: the ends meet, and nothing else is harmed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import perform
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.closing.displacement import cut_dofs, end_moved, smooth, start_moved, symmetric
from mocapella.analysis.closing.merge import half_mirrored, neighbour_merged, there_and_back
from mocapella.analysis.closing.planted import without_limp
from mocapella.analysis.cycles.find import find_cycle
from mocapella.analysis.fourier import analyse
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.layout import YAW_RATE, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.symmetry import mirrored

KINDS = ("quaternion", "euler")
METHODS = (symmetric, smooth, start_moved, end_moved, neighbour_merged, half_mirrored)
CUT = (60, 180)


def steps_round(dofs):
    """The largest change of every dof from frame to frame: inside the cycle, and over its seam."""
    steps = np.abs(np.diff(np.concatenate([dofs, dofs[:1]]), axis=0))
    return steps[:-1].max(axis=0), steps[-1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: getattr(method, "name", "merge"))
def test_a_closed_cycle_repeats_without_a_step(walk, kind, method):
    cycle = cyclify(walk(300, drift=0.06), CUT, method=method, layout=kind)
    inside, seam = steps_round(cycle.dofs[:, :-3])
    assert cycle.n_frames == 120
    assert np.all(seam <= inside + 2e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS[:-1], ids=lambda method: getattr(method, "name", "merge"))
def test_a_cycle_that_closes_already_is_left_alone(walk, kind, method):
    clip = walk(300)
    cycle = cyclify(clip, CUT, method=method, layout=kind)
    raw = cut_dofs(clip[60:181], layout_of(kind, clip.skeleton))
    first = 1 if method is start_moved else 0
    np.testing.assert_allclose(cycle.dofs, raw[first : first + 120], atol=1e-9)


def test_both_ends_move_half_the_way(walk):
    clip = walk(300, drift=0.05)
    raw = cut_dofs(clip[60:181], layout_of("euler", clip.skeleton))
    cycle = cyclify(clip, CUT, layout="euler")
    gap = raw[-1] - raw[0]
    np.testing.assert_allclose(cycle.dofs[0, :-4], (raw[0] + 0.5 * gap)[:-4], atol=1e-12)
    np.testing.assert_allclose(cycle.dofs[90, :-4], (raw[90] - 0.25 * gap)[:-4], atol=1e-12)


def test_yaw_is_never_cyclified(walk):
    clip = walk(300, drift=0.05, turn=0.8)
    for method in (symmetric, smooth, start_moved, end_moved, neighbour_merged):
        cycle = cyclify(clip, CUT, method=method)
        yaws = clip.headings
        np.testing.assert_allclose(cycle.turn, yaws[180] - yaws[60], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_one_sided_closing_keeps_the_frame_that_runs_on_into_a_transition(walk, kind):
    clip = walk(300, drift=0.05, turn=0.4)
    before = cyclify(clip, CUT, method=start_moved, layout=kind)
    after = cyclify(clip, CUT, method=end_moved, layout=kind)
    last = quaternions.angle_between(before.rotations_wxyz[-1, 1:], clip.rotations_wxyz[180, 1:])
    first = quaternions.angle_between(after.rotations_wxyz[0, 1:], clip.rotations_wxyz[60, 1:])
    np.testing.assert_allclose(last, 0.0, atol=1e-7)
    np.testing.assert_allclose(first, 0.0, atol=1e-7)
    np.testing.assert_allclose(before.dofs[-1, -4], clip.root_positions[180, 1], atol=1e-12)


def test_smooth_closing_keeps_the_velocities_at_the_ends(walk):
    clip = walk(300, drift=0.05)
    raw = cut_dofs(clip[60:181], layout_of("euler", clip.skeleton))
    gentle, plain = (cyclify(clip, CUT, method=m, layout="euler").dofs for m in (smooth, symmetric))
    change = [np.abs((dofs[1] - dofs[0]) - (raw[1] - raw[0]))[:-4].max() for dofs in (gentle, plain)]
    assert change[0] < 0.05 * change[1]


@pytest.mark.parametrize("kind", KINDS)
@given(yaw=st.floats(-3.0, 3.0), x=st.floats(-5.0, 5.0), z=st.floats(-5.0, 5.0))
@settings(max_examples=8, deadline=None)
def test_turning_or_moving_the_whole_clip_changes_no_spectrum(walk, kind, yaw, x, z):
    clip = walk(200, drift=0.03, turn=0.5)
    here = analyse(cyclify(clip, (20, 140), layout=kind))
    there = analyse(cyclify(clip.turned(yaw).moved(x, z), (20, 140), layout=kind))
    np.testing.assert_allclose(there.coefficients, here.coefficients, atol=1e-9)


def test_a_cycle_walks_the_captured_path(walk):
    clip = walk(300, turn=1.1, heading=0.4)
    cycle = cyclify(clip, CUT)
    x, _, z = clip.root_positions[60]
    again = cycle.to_clip(heading=float(clip.headings[60]), position=(float(x), float(z)))
    np.testing.assert_allclose(again.root_positions, clip.root_positions[60:180], atol=1e-9)
    apart = quaternions.angle_between(again.rotations_wxyz, clip.rotations_wxyz[60:180])
    np.testing.assert_allclose(apart, 0.0, atol=1e-7)


def test_the_frame_rate_does_not_change_turn_or_speed(walk):
    fast = cyclify(walk(300, turn=0.6), CUT)
    slow = cyclify(walk(150, turn=0.6, period=60.0, frame_rate=60.0), (30, 90))
    np.testing.assert_allclose([slow.turn, slow.duration], [fast.turn, fast.duration])
    np.testing.assert_allclose(slow.speed, fast.speed, rtol=1e-3)
    np.testing.assert_allclose(slow.dofs[:, YAW_RATE], fast.dofs[::2, YAW_RATE], atol=1e-6)


def test_merging_with_the_neighbour_leaves_the_rest_as_captured(walk):
    clip = walk(300, drift=0.05)
    raw = cut_dofs(clip[60:181], layout_of("quaternion", clip.skeleton))
    np.testing.assert_allclose(cyclify(clip, CUT, method=neighbour_merged).dofs[:96], raw[:96], atol=1e-12)
    late = cyclify(clip, (0, 120), method=neighbour_merged)  # nothing before, so the frames after are taken
    np.testing.assert_allclose(late.dofs[24:, :-3], cut_dofs(clip[:121], late.layout)[24:120, :-3], atol=1e-12)


def test_merging_with_a_neighbour_needs_one(walk):
    with pytest.raises(MotionError, match="no frames beside the cycle"):
        cyclify(walk(121), method=neighbour_merged)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("last", [CUT[1], CUT[1] + 1])
def test_a_cycle_merged_with_its_mirror_image_is_the_same_on_both_sides(walk, kind, last):
    plants = Contacts(300, left_heel=((64, 95),), right_heel=((120, 160),), left_toe=((70, 80), (90, 99)))
    clip = walk(300, drift=0.05, uneven=0.2, turn=0.3)
    cycle = cyclify(clip, (CUT[0], last), method=half_mirrored, layout=kind, contacts=plants)
    here, there = analyse(cycle), analyse(mirrored(cycle)).starting_at(np.pi)  # exact between frames, too
    np.testing.assert_allclose(there.coefficients, here.coefficients, atol=1e-12)
    np.testing.assert_allclose(cycle.turn, 0.0, atol=1e-12)
    for point in FOOT_POINTS:
        np.testing.assert_allclose(there.contacts.point(point), here.contacts.point(point), atol=1e-12)
    assert cycle.contacts.share("left_heel") == pytest.approx(0.5 * (32 + 41) / cycle.n_frames)


def test_a_real_walk_of_an_odd_number_of_frames_is_made_alike_on_both_sides(data_folder):
    found = find_cycle(mo.load(data_folder / "cmu-bvh" / "07" / "07_01.bvh"))
    frames = found.start, found.start + found.n_frames + (found.n_frames % 2 == 0)
    cycle = cyclify(found.clip, frames, method=half_mirrored)
    assert cycle.n_frames % 2 == 1
    there = analyse(mirrored(cycle)).starting_at(np.pi)
    np.testing.assert_allclose(there.coefficients, analyse(cycle).coefficients, atol=1e-9)
    as_found = cyclify(found.clip, frames)
    legs = [cycle.skeleton.index(f"{side}{part}") for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot")]
    moved = quaternions.angle_between(cycle.rotations_wxyz[:, legs], as_found.rotations_wxyz[:, legs])
    assert moved.mean() < np.radians(6.0)


@pytest.mark.parametrize("method", [smooth, end_moved, half_mirrored], ids=lambda method: method.name)
def test_a_limp_is_mended_only_where_heights_were_closed_in_the_same_way(walk, method):
    clip = walk(300)
    cycle = cyclify(clip, CUT, method=method)
    with pytest.raises(MotionError, match=rf"closed \(symmetric\).*this one was closed \({method.name}\)"):
        without_limp(cycle, clip[CUT[0] : CUT[1] + 1])


def test_there_and_back_closes_a_kick():
    arm = Skeleton.of(["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]])
    swing = np.sin(np.linspace(0.0, np.pi, 41)) + np.linspace(0.0, 0.2, 41)
    rotations = np.tile(quaternions.IDENTITY, (41, 2, 1))
    rotations[:, 1] = quaternions.from_rotvec(swing[:, None] * [0.0, 0.0, 1.0])
    cycle = cyclify(Clip(arm, np.zeros((41, 3)), rotations, 40.0), method=there_and_back, layout="euler")
    angle = cycle.dofs[:, cycle.layout.index("elbow.z")]
    np.testing.assert_allclose([angle[0], angle[20]], [0.1, swing[20]], atol=1e-12)
    np.testing.assert_allclose(angle[1] - angle[-1], 0.0, atol=0.01)


def test_plants_are_laid_round_the_cycle(walk):
    plants = Contacts(300, left_heel=((70, 100),), right_toe=((170, 190),))
    cycle = cyclify(walk(300), CUT, contacts=plants)
    assert cycle.contacts is not None
    assert bool(cycle.contacts.planted("left_heel", cycle.phases)[20])
    assert not bool(cycle.contacts.planted("left_heel", cycle.phases)[60])
    np.testing.assert_allclose(cycle.contacts.share("left_heel"), 31 / 120)


def test_rows_of_the_source_and_numbers_are_on_record(walk):
    cycle = cyclify(walk(300, drift=0.05)[10:], (50, 170))
    assert cycle.start_row == 60
    assert [decision.step for decision in cycle.decisions] == ["select", "cyclify"]
    assert cycle.decisions[0].numbers == {"start": 60.0, "frames": 120.0}
    np.testing.assert_allclose(cycle.decisions[1].numbers["gap_deg"], 3.2, atol=0.3)


def test_a_joint_that_turns_right_round_is_said_to():
    wheel = Skeleton.of(["axle", "wheel"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]])
    rotations = np.tile(quaternions.IDENTITY, (41, 2, 1))
    rotations[:, 1] = quaternions.from_rotvec(np.linspace(0.0, 2 * np.pi, 41)[:, None] * [1.0, 0.0, 0.0])
    with pytest.warns(MotionWarning, match="wheel turn right round or leap"):
        cycle = cyclify(Clip(wheel, np.zeros((41, 3)), rotations, 40.0))
    np.testing.assert_allclose(quaternions.angle_between(cycle.rotations_wxyz, rotations[:40]), 0.0, atol=1e-6)


def test_frames_outside_the_clip_are_refused(walk):
    with pytest.raises(MotionError, match=r"frames=\(60, 300\) is not a range of frames of .*, which has 0 to 240"):
        cyclify(walk(241), (60, 300))


def test_too_few_frames_are_refused(walk):
    with pytest.raises(MotionError, match="at least 3 frames"):
        cyclify(walk(241), (60, 62))


def test_heading_and_tilt_make_the_root_again(walk):
    clip = walk(100, turn=4.0)
    tilts = kinematics.without_heading(clip.rotations_wxyz)[:, 0]
    together = quaternions.multiply(quaternions.about_y(clip.headings), tilts)
    np.testing.assert_allclose(quaternions.angle_between(together, clip.rotations_wxyz[:, 0]), 0.0, atol=1e-9)
    np.testing.assert_allclose(quaternions.yaw(tilts), 0.0, atol=1e-12)


def test_headings_run_on_beyond_a_full_turn(walk):
    turned = walk(481, turn=4.0).headings
    np.testing.assert_allclose(turned[480] - turned[0], 16.0, atol=1e-9)


def test_a_clip_whose_ends_are_far_apart_is_not_taken_for_a_cycle():
    clip = perform("walk", cycles=2.5)[0]
    with pytest.raises(MotionError, match=r"is not a cycle: .* differs by .*cyclify\(find_cycle\(clip\)\)"):
        cyclify(clip)
    cyclify(clip, method="there_and_back")  # which comes back whatever the ends are
