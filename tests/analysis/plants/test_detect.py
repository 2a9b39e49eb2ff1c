import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, capture, ground_points, perform, skeleton_of
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.gait_rules import check_plants
from mocapella.analysis.plants.tracks import track_feet
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.legs import foot_points, leg_roles
from mocapella.rig.symmetry import mirrored_clip
from tests.analysis.plants.plant_masks import contacts_of, overlap, true_contacts

# 002, tables 4.2 to 4.5: what its detector found and what was marked by hand, of L heel, L toe, R heel, R toe.
MANUAL_07_01 = (
    ((63, 113), (197, 243)),
    ((71, 138), (201, 263)),
    ((0, 47), (131, 167), (259, 310)),
    ((7, 68), (136, 195), (265, 315)),
)
MANUAL_MARCHING = (
    ((52, 87), (156, 176), (258, 276), (360, 410)),
    ((1, 7), (50, 103), (153, 204), (254, 302), (355, 413)),
    ((6, 40), (107, 135), (207, 226), (306, 331)),
    ((0, 54), (102, 154), (204, 255), (303, 356)),
)
PUBLISHED = {
    "07_01": (
        316,
        0.91,
        (
            ((61, 110), (192, 243)),
            ((71, 135), (202, 263)),
            ((2, 46), (127, 165), (257, 310)),
            ((7, 57), (138, 189), (262, 312)),
        ),
        MANUAL_07_01,
    ),
    "relaxed": (
        671,
        0.77,
        (
            ((129, 177), (313, 354), (484, 558)),
            ((134, 203), (317, 397), (498, 567)),
            ((3, 98), (201, 286), (385, 466), (563, 661)),
            ((20, 108), (229, 305), (413, 485), (592, 669)),
        ),
        (
            ((102, 176), (293, 369), (473, 546)),
            ((1, 21), (113, 215), (313, 397), (485, 580)),
            ((0, 97), (206, 276), (385, 464), (566, 645)),
            ((23, 118), (215, 310), (394, 487), (585, 670)),
        ),
    ),
    "marching": (
        414,
        0.41,
        (
            ((48, 57), (149, 206), (250, 259), (286, 309), (352, 361), (390, 412)),
            ((183, 207), (286, 309), (400, 412)),
            ((6, 58), (107, 155), (209, 256), (310, 357)),
            ((8, 57), (108, 156), (209, 256)),
        ),
        MANUAL_MARCHING,
    ),
    "marching with velocity": (
        414,
        0.52,
        (
            ((52, 108), (156, 209), (256, 300), (389, 412)),
            ((82, 108), (181, 206), (285, 311), (389, 412)),
            ((7, 46), (107, 148), (209, 249), (310, 350), (412, 412)),
            ((9, 52), (108, 155), (209, 254), (412, 412)),
        ),
        MANUAL_MARCHING,
    ),
}


def backwards(clip):
    return Clip(clip.skeleton, clip.root_positions[::-1], clip.rotations_wxyz[::-1], clip.frame_rate)


def bare(clip):
    """A clip as it comes without a file: no report."""
    return replace(clip, report=type(clip.report)())


def test_heels_and_balls_lie_on_the_ground_in_a_flat_rest_pose():
    skeleton = skeleton_of(1.8)
    joints, offsets, thickness = foot_points(skeleton, leg_roles(skeleton))
    places = skeleton.rest_positions[joints] + offsets
    np.testing.assert_allclose(places[:, 1] - thickness, 0.0, atol=1e-9)


def test_a_heel_is_put_behind_an_ankle_that_has_none():
    skeleton = skeleton_of(1.8)
    ends = [(skeleton.names[j], o) for j, o in zip(skeleton.end_joints, skeleton.end_offsets, strict=True)]
    bald = Skeleton.of(
        skeleton.names, skeleton.parents, skeleton.offsets, ends=[(name, o) for name, o in ends if "Foot" not in name]
    )
    joints, offsets, thickness = foot_points(bald, leg_roles(bald))
    places = bald.rest_positions[joints] + offsets
    np.testing.assert_allclose(places[:, 1] - thickness, 0.0, atol=1e-9)
    assert places[0, 2] < bald.rest_positions[joints[0], 2] - 0.02


def test_moving_turning_and_scaling_a_clip_leave_its_plants(stroll):
    clip, _ = stroll
    plants = find_plants(clip)
    assert find_plants(clip.moved(5.0, -3.0, y=1.0)) == plants
    assert overlap(find_plants(clip.turned(2.2)), plants) > 0.995
    large = Clip(clip.skeleton.scaled(1.7), 1.7 * clip.root_positions, clip.rotations_wxyz, clip.frame_rate)
    assert find_plants(large) == plants


def test_a_mirrored_clip_has_mirrored_plants(stroll):
    clip, _ = stroll
    assert overlap(find_plants(mirrored_clip(clip)), find_plants(clip).mirrored()) > 0.98


def test_a_clip_played_backwards_has_its_plants_backwards(clean_walk):
    clip, _ = clean_walk
    assert overlap(find_plants(backwards(clip)), find_plants(clip).reversed()) > 0.99


def test_plants_of_a_part_are_part_of_the_plants(stroll):
    clip, _ = stroll
    assert overlap(find_plants(clip[60:400]), find_plants(clip)[60:400]) > 0.96


def test_half_the_frames_give_the_same_plants_to_a_frame(clean_walk):
    clip, _ = clean_walk
    whole, half = find_plants(clip), find_plants(clip.resampled(60.0))
    for name in FOOT_POINTS:
        np.testing.assert_allclose(np.array(half.point(name)) * 2, whole.point(name), atol=3)


CASES = [
    ("walk", {"speed": 0.6}),
    ("walk", {"speed": 1.7}),
    ("walk", {"speed": 1.2, "turn": 1.0}),
    ("walk", {"style": "marching"}),
    ("walk", {"style": "drunk"}),
    ("walk", {"style": "sad"}),
    ("walk", {"slope": 0.1}),
    ("walk", {"height": 1.3}),
    ("run", {"speed": 2.4}),
    ("run", {"speed": 3.6, "turn": -0.8}),
    ("run", {"speed": 4.2}),
    ("dance", {}),
    ("walk-run", {}),
    ("walk-stand", {}),
    ("stand", {}),
]


@pytest.mark.parametrize(("action", "options"), CASES, ids=[f"{a} {o}" for a, o in CASES])
def test_one_detector_finds_the_plants_of_every_gait(action, options):
    clip, truth = perform(action, imperfections=CLEAN, **options)
    assert overlap(find_plants(clip), true_contacts(truth)) >= 0.95
    clip, truth = perform(action, imperfections=CAPTURED, seed=5, **options)
    assert overlap(find_plants(clip), true_contacts(truth)) >= 0.89


@pytest.mark.parametrize(("frame_rate", "degrees", "least"), [(120.0, 0.7, 0.9), (30.0, 0.5, 0.85)])
def test_noise_in_every_joint_does_not_break_plants_into_pieces(clean_walk, frame_rate, degrees, least):
    clip, _ = clean_walk
    clip, rng = clip.resampled(frame_rate), np.random.default_rng(4)
    noise = quaternions.from_rotvec(np.radians(degrees) * rng.normal(size=(clip.n_frames, clip.skeleton.n_joints, 3)))
    noisy = find_plants(replace(clip, rotations_wxyz=quaternions.multiply(clip.rotations_wxyz, noise)))
    truth = find_plants(clip)
    assert overlap(noisy, truth) >= least
    assert [len(noisy.point(name)) for name in FOOT_POINTS] == [len(truth.point(name)) for name in FOOT_POINTS]


def test_the_ground_is_found_although_it_slopes():
    clip, truth = perform("walk", slope=0.08)
    x, y, z = truth.ground_normal
    np.testing.assert_allclose(track_feet(clip).ground[1:], [-x / y, -z / y], atol=0.01)
    points = ground_points(clip)
    heights = track_feet(clip).heights
    for i, name in enumerate(("left_heel", "left_toe")):
        rests = truth.planted(name)
        assert np.abs(heights[rests, i]).max() < 0.02
        assert len(points[name]) == len(heights)


@pytest.mark.parametrize("motion", PUBLISHED)
def test_our_yardstick_reads_the_published_tables_as_published(motion):
    n_frames, share, automatic, manual = PUBLISHED[motion]
    assert overlap(contacts_of(n_frames, automatic), contacts_of(n_frames, manual)) == pytest.approx(share, abs=0.005)


@pytest.mark.data
def test_the_plants_of_07_01_agree_with_those_marked_by_hand(data_folder):
    plants = find_plants(mo.load(data_folder / "cmu-asfamc/07/07_01.amc"))
    assert overlap(plants, contacts_of(316, MANUAL_07_01)) >= 0.91


@pytest.mark.data
@pytest.mark.parametrize(("name", "running"), [("07_04", False), ("16_17", False), ("35_17", True), ("16_46", True)])
def test_real_gaits_have_plausible_plants(data_folder, name, running):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        clip = mo.load(data_folder / "cmu-bvh" / name[:2] / f"{name}.bvh").captured
    plants = find_plants(clip)
    assert check_plants(plants, running=running) == []
    assert (plants.planted("left") & plants.planted("right")).any() != running


@pytest.mark.data
def test_acclaim_and_bvh_of_one_capture_have_the_same_plants(data_folder):
    amc = find_plants(mo.load(data_folder / "cmu-asfamc/07/07_04.amc"))
    bvh = find_plants(mo.load(data_folder / "cmu-bvh/07/07_04.bvh"))
    assert bvh.n_frames == amc.n_frames + 1  # the rest pose in front counts, and rests on nothing
    assert overlap(bvh[1:], amc) > 0.99
    assert not any(bvh.planted(name)[0] for name in FOOT_POINTS)


def test_lost_and_frozen_frames_do_not_spoil_the_plants_around_them(stroll):
    clip, _ = stroll
    whole = find_plants(clip)
    roots = np.array(clip.moved(2.0, 3.0).root_positions)
    roots[200:212] = 0.0
    lost = find_plants(Clip(clip.skeleton, roots, clip.rotations_wxyz, clip.frame_rate))
    assert not any(lost.planted(name)[200:212].any() for name in FOOT_POINTS)
    assert overlap(lost[:200], whole[:200]) > 0.9
    assert overlap(lost[212:], whole[212:]) > 0.9
    frozen = np.concatenate([np.arange(300), np.full(40, 300), np.arange(300, clip.n_frames)])
    held = find_plants(Clip(clip.skeleton, clip.root_positions[frozen], clip.rotations_wxyz[frozen], clip.frame_rate))
    for name in FOOT_POINTS:
        assert len(set(held.planted(name)[300:341])) == 1
    assert overlap(held[:300], whole[:300]) > 0.9


def test_standing_feet_rest_throughout():
    clip, _ = capture("stand")
    plants = find_plants(clip)
    assert all(plants.point(name) == ((0, clip.n_frames - 1),) for name in FOOT_POINTS)


def test_a_foot_held_up_still_does_not_rest(clean_walk):
    clip, _ = clean_walk
    rotations = np.array(np.repeat(clip.rotations_wxyz[:1], 240, axis=0))
    rotations[:, clip.skeleton.index("LeftUpLeg")] = quaternions.from_rotvec(np.array([-1.0, 0.0, 0.0]))
    rotations[:, clip.skeleton.index("Head")] = quaternions.from_rotvec(
        np.stack([0.1 * np.sin(np.arange(240) / 20.0), np.zeros(240), np.zeros(240)], axis=-1)
    )
    plants = find_plants(Clip(clip.skeleton, np.repeat(clip.root_positions[:1], 240, axis=0), rotations, 120.0))
    assert plants.foot("left") == ()


def test_a_skeleton_without_feet_says_which_roles_it_lacks(clean_walk):
    clip, _ = clean_walk
    footless = replace(clip, skeleton=clip.skeleton.with_roles({"left_ankle": "", "right_ankle": ""}))
    with pytest.raises(MotionError, match=r"no left_ankle, right_ankle.*roles="):
        find_plants(footless)
