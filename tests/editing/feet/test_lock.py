"""Locked feet: laws on made walks, then real captures."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.analysis.examined import examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.editing.edits import UNREACHABLE, digest_of
from mocapella.editing.feet.lock import lock, lock_feet
from mocapella.editing.feet.root import drift, follow_feet
from mocapella.editing.parameters import EditError
from mocapella.editing.rounds import contacts_of_rounds
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.rig.legs import foot_points, leg_roles


@pytest.fixture(scope="module")
def skating():
    """A walk whose root goes a tenth too fast, so that planted feet slide."""
    clip, truth = perform("walk", speed=1.2, turn=0.3, cycles=3.3, imperfections=CLEAN)
    plants = Contacts(clip.n_frames, **{name: tuple(map(tuple, truth.contacts[name].tolist())) for name in FOOT_POINTS})
    return mo.Clip(clip.skeleton, clip.root_positions * [1.1, 1.0, 1.1], clip.rotations_wxyz, clip.frame_rate), plants


def knees(clip):
    """How far each knee is folded forwards, radians."""
    roles, positions = leg_roles(clip.skeleton), clip.positions
    out = []
    for side in ("left", "right"):
        hip, knee, ankle = (positions[:, roles[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        across = quaternions.rotate(clip.world[1][:, roles[f"{side}_hip"]], np.array([1.0, 0.0, 0.0]))
        thigh, shank = knee - hip, ankle - knee
        fold = np.einsum("fi,fi->f", np.cross(thigh, shank), across)
        out.append(np.arctan2(fold, np.einsum("fi,fi->f", thigh, shank)))
    return np.stack(out, axis=1)


def test_held_points_stay_in_one_place_to_a_micrometre(skating):
    clip, plants = skating
    assert footing(clip, plants).slip_mm_max > 30.0
    done = lock(clip, constraints=plants)
    assert footing(done.clip, plants).slip_mm_max < 1e-3
    assert done.unreachable == ()
    places = foot_places(done.clip, leg_roles(clip.skeleton))
    for i, point in enumerate(FOOT_POINTS):
        for first, last in plants.point(point):
            np.testing.assert_allclose(np.ptp(places[first : last + 1, i], axis=0), 0.0, atol=1e-6)


def test_frames_beyond_the_blend_zone_are_untouched(skating):
    clip, _ = skating
    made = lock_feet(clip, constraints={"left_toe": [[100, 120]]}, zone=0.1, smoothing=0.05)
    far = np.ones(clip.n_frames, dtype=bool)
    far[100 - 30 : 120 + 30] = False
    np.testing.assert_array_equal(made.rotations_wxyz[far], clip.rotations_wxyz[far])
    np.testing.assert_array_equal(made.root_positions[far], clip.root_positions[far])
    assert not np.array_equal(made.rotations_wxyz[110], clip.rotations_wxyz[110])


def test_nothing_to_hold_leaves_every_bit_and_is_said(skating):
    clip, _ = skating
    with pytest.warns(mo.MotionWarning, match="nothing was locked"):
        made = lock_feet(clip, constraints={})
    np.testing.assert_array_equal(made.rotations_wxyz, clip.rotations_wxyz)
    np.testing.assert_array_equal(made.root_positions, clip.root_positions)


def test_locking_twice_gives_the_same_bits_as_once_did(skating):
    clip, plants = skating
    assert digest_of(lock(clip, constraints=plants).clip) == digest_of(lock(clip, constraints=plants).clip)


def test_feet_that_are_locked_stay_where_they_are_when_locked_again(skating):
    clip, plants = skating
    once = lock(clip, constraints=plants).clip
    places = [foot_places(one, leg_roles(clip.skeleton)) for one in (once, lock(once, constraints=plants).clip)]
    for i, point in enumerate(FOOT_POINTS):
        planted = plants.planted(point)
        np.testing.assert_allclose(places[0][planted, i], places[1][planted, i], atol=2e-3)


def test_turning_the_world_turns_the_result(skating):
    clip, plants = skating
    there = lock(clip.turned(1.1), constraints=plants).clip
    here = lock(clip, constraints=plants).clip.turned(1.1)
    np.testing.assert_allclose(there.positions, here.positions, atol=1e-6)


def test_bones_keep_their_lengths_and_knees_never_fold_backwards(skating):
    clip, plants = skating
    made = lock(clip, constraints=plants).clip
    assert len(made.sliding_joints) == 0
    assert knees(made).min() > min(0.0, knees(clip).min()) - 0.02


def test_the_root_moves_as_smoothly_as_before(skating):
    clip, plants = skating
    sizes = [
        np.percentile(np.linalg.norm(np.diff(one.root_positions, n=2, axis=0), axis=-1), 99)
        for one in (clip, lock(clip, constraints=plants).clip)
    ]
    assert sizes[1] < 1.2 * sizes[0]


def test_the_root_keeps_its_rotation(skating):
    clip, plants = skating
    np.testing.assert_array_equal(lock(clip, constraints=plants).clip.rotations_wxyz[:, 0], clip.rotations_wxyz[:, 0])


def test_a_foot_with_heel_and_toe_at_rest_lies_flat_on_level_ground(skating):
    clip, plants = skating
    sunk = clip.moved(y=-0.02)
    made = lock(sunk, constraints=plants, level_ground=True).clip
    roles = leg_roles(clip.skeleton)
    heights = foot_places(made, roles)[..., 1] - foot_points(clip.skeleton, roles)[2]
    for i, side in enumerate(("left", "right")):
        both = plants.planted(f"{side}_heel") & plants.planted(f"{side}_toe")
        np.testing.assert_allclose(heights[both, 2 * i : 2 * i + 2], 0.0, atol=1e-3)


@pytest.mark.parametrize("height", [-0.3, 0.07])
def test_on_level_ground_it_does_not_matter_how_high_a_capture_stands(skating, height):
    clip, plants = skating
    here, there = (lock(one, constraints=plants, level_ground=True).clip for one in (clip, clip.moved(y=height)))
    np.testing.assert_allclose(there.root_positions, here.root_positions, atol=1e-9)
    np.testing.assert_allclose(there.rotations_wxyz, here.rotations_wxyz, atol=1e-7)


def test_a_place_that_is_asked_for_is_reached(skating):
    clip, _ = skating
    wanted = foot_places(clip, leg_roles(clip.skeleton))[60, 1] + [0.05, 0.02, 0.0]
    made = lock_feet(clip, constraints={"left_toe": [[50, 70, *wanted]]})
    np.testing.assert_allclose(
        foot_places(made, leg_roles(clip.skeleton))[50:71, 1], np.tile(wanted, (21, 1)), atol=1e-6
    )


def test_a_hand_is_held_as_a_foot_is(skating):
    clip, _ = skating
    wrist = mo.find_roles(clip.skeleton)["right_wrist"]
    made = lock_feet(clip, constraints={"right_wrist": [[100, 115]]})
    np.testing.assert_allclose(np.ptp(made.positions[100:116, wrist], axis=0), 0.0, atol=1e-6)
    np.testing.assert_array_equal(made.root_positions, clip.root_positions)


def test_a_place_out_of_reach_stretches_the_limb_by_three_per_cent_and_is_reported(skating):
    clip, _ = skating
    roles = mo.find_roles(clip.skeleton)
    far = clip.positions[100, roles["left_shoulder"]] + [2.0, 0.0, 0.0]
    done = lock(clip, constraints={"left_wrist": [[100, 110, *far]]})
    np.testing.assert_allclose(done.stretch.max(), 0.03)
    assert done.unreachable == tuple(range(100, 111))
    assert done.clip.report.frames(UNREACHABLE) == done.unreachable
    elbow, wrist = roles["left_elbow"], roles["left_wrist"]
    lengths = [np.linalg.norm(one.positions[105, wrist] - one.positions[105, elbow]) for one in (clip, done.clip)]
    np.testing.assert_allclose(lengths[1] / lengths[0], 1.03)
    assert lock(clip, constraints={"left_wrist": [[100, 110, *far]]}, stretch=0.0).stretch.max() == 0.0


def test_a_cycle_with_locked_feet_is_still_a_cycle_and_its_feet_stay():
    cycle = mo.prepare(perform("walk", speed=1.2, imperfections=CAPTURED, seed=4)[0])
    made = lock_feet(cycle)
    plants = contacts_of_rounds(cycle)
    assert footing(cycle.to_clip(5), plants).slip_mm_max > 3.0
    assert footing(made.to_clip(5), plants).slip_mm_max < 0.5
    assert made.n_frames == cycle.n_frames


@pytest.mark.parametrize(
    ("constraints", "says"),
    [
        ({"tail": [[1, 2]]}, "no end 'tail' to hold; there are left_heel"),
        ({"left_toe": [[5, 2]]}, "frames for left_toe in order and apart"),
        ({"left_toe": [[5, 20], [10, 30]]}, "frames for left_toe in order and apart"),
        ({"left_toe": [[5, 10**6]]}, "among 0 to"),
        ({"left_toe": [[5, float("nan")]]}, r"expected \[first, last\]"),
        ({"left_toe": 3}, r"expected \[first, last\]"),
        ({"left_toe": [[5, 9, 0, 0, 1e5]]}, "within 10000 m"),
        ({"left_toe": [[5, 9, 0, 0, 0]], "left_heel": [[5, 9, 0, 0, 1]]}, "m apart on the body"),
    ],
)
def test_constraints_that_contradict_themselves_are_refused(skating, constraints, says):
    with pytest.raises(EditError, match=says):
        lock_feet(skating[0], constraints=constraints)


def test_a_skeleton_without_legs_is_refused():
    skeleton = mo.Skeleton.of(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    clip = mo.Clip(skeleton, np.zeros((9, 3)), np.tile(quaternions.IDENTITY, (9, 2, 1)), 30.0)
    with pytest.raises(mo.MotionError, match="left_hip"):
        lock_feet(clip)


def test_moving_the_root_alone_reduces_slip_and_says_how_far_it_drifts(skating):
    clip, plants = skating
    made = follow_feet(clip, contacts=plants)
    assert footing(made, plants).slip_mm_mean < 0.4 * footing(clip, plants).slip_mm_mean
    np.testing.assert_array_equal(made.rotations_wxyz, clip.rotations_wxyz)
    assert 0.05 < drift(clip, made) < 1.0  # a walk a tenth too fast gets a tenth less far


CAPTURES = ("cmu-bvh/16/16_15", "cmu-bvh/16/16_35", "cmu-bvh/137/137_29", "cmu-bvh/127/127_06", "cmu-bvh/104/104_01")


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("name", CAPTURES)
def test_captured_feet_are_locked_to_a_millimetre_near_the_captured_way(name, data_folder):
    known = examine(mo.load(data_folder / f"{name}.bvh").captured)
    done = lock(known)
    assert footing(done.clip, known.plants).slip_mm_max < 1.0
    assert np.linalg.norm(done.root_shift, axis=-1).mean() < 0.03
    assert done.unreachable == ()
    both = [
        np.percentile(np.linalg.norm(np.diff(one.root_positions, n=2, axis=0), axis=-1), 99)
        for one in (known.clip, done.clip)
    ]
    assert both[1] <= 1.2 * both[0]


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_a_rest_pose_in_front_stays_as_it_is(data_folder):
    clip = mo.load(data_folder / "cmu-bvh/16/16_15.bvh")
    assert clip.report.n_rest_frames == 1
    made = lock_feet(clip)
    assert made.n_frames == clip.n_frames
    np.testing.assert_array_equal(made.rotations_wxyz[0], clip.rotations_wxyz[0])


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_what_restyling_makes_slide_is_locked(data_folder):
    walk, style = (mo.load(data_folder / f"cmu-bvh/16/{name}.bvh") for name in ("16_17", "16_47"))
    plants = examine(walk.captured).plants
    restyled = mo.edit(walk, mo.Edit("restyle", style=style, lock_feet=False)).result
    assert footing(restyled, plants).slip_mm_max > 100.0
    assert footing(lock(restyled, constraints=plants).clip, plants).slip_mm_max < 1.0
    assert footing(mo.edit(walk, mo.Edit("restyle", style=style)).result, plants).slip_mm_max < 1.0
