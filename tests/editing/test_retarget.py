"""Motions on other bodies: laws of carrying over, then made rigs, then captures that exist on two rigs."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.retarget import _nearness as nearness
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from tests.editing.bodies import body

LEGS = [f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle")]
LIMBS = [*LEGS, *(f"{side}_{part}" for side in ("left", "right") for part in ("elbow", "wrist"))]


@pytest.fixture(scope="module")
def steps():
    return perform("walk", speed=1.2, turn=0.3, imperfections=CLEAN)[0][:120]


def places(clip, roles):
    at = mo.find_roles(clip.skeleton)
    return clip.positions[:, [at[role] for role in roles]]


def off(one, other, roles=LIMBS):
    """The largest distance between joints of two clips, metres."""
    return np.linalg.norm(places(one, roles) - places(other, roles), axis=-1).max()


def test_a_motion_on_its_own_skeleton_is_itself(steps):
    assert np.abs(mo.retarget(steps, steps.skeleton).positions - steps.positions).max() < 1e-12


@settings(max_examples=8)
@given(size=st.floats(0.5, 1.6))
def test_a_body_of_another_size_moves_in_proportion(steps, size):
    made = mo.retarget(steps, steps.skeleton.scaled(size))
    np.testing.assert_allclose(made.positions, size * steps.positions, atol=1e-9)


@settings(max_examples=12)
@given(size=st.floats(0.6, 1.2), thigh=st.floats(0.34, 0.5), arms=st.floats(0.0, 1.4), vertebrae=st.integers(1, 5))
def test_there_and_back_is_where_it_began(steps, size, thigh, arms, vertebrae):
    there = mo.retarget(steps, body(size, thigh=thigh, arms=arms, vertebrae=vertebrae))
    back = mo.retarget(there, steps.skeleton)
    assert off(back, steps, LEGS) < 1e-3
    assert off(back, steps) < 0.01  # a back with fewer joints forgets how it was bent


@pytest.mark.parametrize("arms", [0.8, 1.5])
def test_it_does_not_matter_how_the_arms_of_a_rest_pose_are_held(steps, arms):
    stretched, lowered = (mo.retarget(steps, body(arms=angle)) for angle in (0.0, arms))
    assert off(stretched, lowered) < 1e-9


def test_neither_names_nor_the_number_of_vertebrae_decide_where_limbs_point(steps):
    one, other = mo.retarget(steps, body(vertebrae=1)), mo.retarget(steps, body(prefix="Bip01_", vertebrae=4))
    assert off(one, other, LEGS) < 1e-9
    arms = [places(clip, ["left_elbow"]) - places(clip, ["left_shoulder"]) for clip in (one, other)]
    np.testing.assert_allclose(arms[0], arms[1], atol=1e-9)


def test_turning_and_moving_a_motion_turns_and_moves_what_is_made_of_it(steps):
    target = body(0.8)
    made = mo.retarget(steps, target)
    moved = mo.retarget(steps.turned(1.1), target)
    np.testing.assert_allclose(moved.positions, made.turned(1.1).positions, atol=1e-9)


def test_thighs_and_shins_of_other_proportions_step_as_far(steps):
    target = body(thigh=0.34, shank=0.48)
    made = mo.retarget(steps, target)
    scale = made.skeleton.offsets[[made.skeleton.index(f"mixamorig:Left{part}") for part in ("Leg", "Foot")]]
    ratio = -scale[:, 1].sum() / sum(
        np.linalg.norm(steps.skeleton.offsets[mo.find_roles(steps.skeleton)[f"left_{part}"]])
        for part in ("knee", "ankle")
    )
    for side in ("left", "right"):
        legs = [np.diff(places(clip, [f"{side}_hip", f"{side}_ankle"]), axis=1) for clip in (steps, made)]
        np.testing.assert_allclose(legs[1], ratio * legs[0], atol=1e-6)


def test_a_knee_bent_backwards_stays_so_there_and_back(steps):
    knee = mo.find_roles(steps.skeleton)["left_knee"]
    rotations = np.array(steps.rotations_wxyz)
    backwards = np.linspace(0.2, -0.15, steps.n_frames)  # through straight, about the axis that knees bend about
    rotations[:, knee] = quaternions.from_rotvec(np.stack([backwards, 0.0 * backwards, 0.0 * backwards], axis=1))
    clip = replace(steps, rotations_wxyz=rotations)
    there = mo.retarget(clip, body(thigh=0.34, shank=0.48))
    assert off(mo.retarget(there, clip.skeleton), clip, LEGS) < 1e-3


def test_importance_goes_from_captured_angles_to_the_place(steps):
    target = body(arms=0.7, arm=0.8)
    roles = mo.find_roles(target)
    kept = mo.retarget(steps, target)
    reached = mo.retarget(steps, target, importance={"left_wrist": 1.0})
    none = mo.retarget(steps, target, importance={"left_wrist": 0.0, "left_ankle": 1.0})
    np.testing.assert_array_equal(none.rotations_wxyz, kept.rotations_wxyz)
    lengths = [np.linalg.norm(np.diff(places(clip, LEGS[:3]), axis=1), axis=-1).sum(axis=1) for clip in (steps, kept)]
    wanted = (lengths[1] / lengths[0])[:, None] * places(steps, ["left_wrist"])[:, 0]
    np.testing.assert_allclose(reached.positions[:, roles["left_wrist"]], wanted, atol=1e-6)
    free = mo.retarget(steps, target, importance={"left_ankle": 0.0, "right_ankle": 0.0})
    hips = [quaternions.angle_between(free.world[1][:, roles[r]], steps.world[1][:, mo.find_roles(steps.skeleton)[r]])
            for r in ("left_hip", "left_knee")]  # fmt: skip
    assert np.ptp(hips, axis=1).max() < 1e-6  # turned by the difference of rest poses alone


def test_a_pinned_hand_stays_where_it_is_pinned(steps):
    target = body()
    place = mo.retarget(steps, target).positions[0, mo.find_roles(target)["right_wrist"]] + [0.0, 0.05, 0.05]
    made = mo.retarget(steps[:40], target, pins={"right_wrist": place})
    assert np.abs(made.positions[:, mo.find_roles(target)["right_wrist"]] - place).max() < 1e-4


def test_a_cycle_stays_closed_and_goes_as_its_clip_does(steps):
    cycle = mo.prepare(perform("walk", speed=1.2, imperfections=CLEAN)[0])
    target = body(0.7)
    made = mo.retarget(cycle, target)
    assert (made.duration, made.contacts) == (cycle.duration, cycle.contacts)
    rounds, plain = made.to_clip(2), mo.retarget(cycle.to_clip(2), target)
    start = [clip.root_positions[0] * [1.0, 0.0, 1.0] for clip in (rounds, plain)]
    np.testing.assert_allclose(rounds.positions - start[0], plain.positions - start[1], atol=1e-6)
    assert made.decisions[-1].step == "retarget"


def test_retargeting_is_an_edit_like_others(steps, tmp_path):
    child = perform("walk", height=1.2)[0]
    mo.save(child, tmp_path / "child.bvh")
    wish = mo.Edit("retarget", skeleton=str(tmp_path / "child.bvh"), pins={"left_wrist": (0.2, 0.8, 0.2)})
    mo.save_edits([wish], tmp_path / "edits.toml")
    done = mo.edit(steps, mo.load_edits(tmp_path / "edits.toml"))
    wanted = mo.retarget(steps, mo.load(tmp_path / "child.bvh"), pins={"left_wrist": (0.2, 0.8, 0.2)})
    np.testing.assert_array_equal(done.result.positions, wanted.positions)
    assert done.undone().result is steps


def test_what_has_no_counterpart_is_named():
    walk = perform("walk")[0]
    bare = [name for name in walk.skeleton.names if "Toe" not in name]
    target = body(toes=False)
    made = mo.retarget(walk, target)
    assert mo.retarget(made, walk.skeleton).skeleton is walk.skeleton
    assert "not moved" not in mo.retarget(walk, walk.skeleton).report.findings[-1].message
    assert "roles" in made.report.findings[-1].message
    assert bare


def test_what_cannot_be_carried_over_is_refused_with_what_helps(steps):
    chain = mo.Skeleton.of(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    for call, words in (
        (lambda: mo.retarget(steps, chain), r"the skeleton to retarget to has no hips.*roles"),
        (lambda: mo.retarget(steps, body(), importance={"nose": 1.0}), r"role of an end.*'nose'"),
        (lambda: mo.retarget(steps, body(), importance={"left_wrist": 2.0}), "from 0 to 1"),
        (lambda: mo.retarget(steps, body(), pins={"left_wrist": [0.0, np.nan, 0.0]}), "finite"),
        (lambda: mo.retarget(steps, body(), pins={"left_wrist": [0.0, 1.0]}), "one for each of 120 frames"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            call()


def load(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        return mo.load(path, clean=True)


@pytest.mark.data
def test_the_same_capture_in_two_formats_is_one_motion(data_folder):
    acclaim = load(data_folder / "cmu-asfamc/16/16_15.amc")
    biovision = load(data_folder / "cmu-bvh/16/16_15.bvh").captured
    made = mo.retarget(acclaim, biovision)
    toes = [*LEGS, "left_toe", "right_toe"]
    assert off(made, biovision, toes) < 1e-3


@pytest.mark.data
@pytest.mark.parametrize("size", [0.6, 1.2])
def test_captured_bodies_go_there_and_back_within_five_millimetres(data_folder, size):
    clip = load(data_folder / "cmu-bvh/16/16_21.bvh").captured
    other = load(data_folder / "cmu-bvh/35/35_01.bvh").skeleton.scaled(size)
    back = mo.retarget(mo.retarget(clip, other), clip.skeleton)
    assert np.linalg.norm(back.positions - clip.positions, axis=-1).max() < 5e-3


@pytest.mark.data
def test_a_network_of_two_formats_and_three_bodies_plays_with_feet_that_stay(data_folder):
    files = ["cmu-asfamc/16/16_15.amc", "cmu-bvh/16/16_21.bvh", "cmu-bvh/35/35_01.bvh", "odd-bvh/GPmat-Swagger.bvh"]
    with pytest.warns(mo.MotionWarning, match="retargeted to the skeleton that most motions have"):
        network = mo.build_network([data_folder / file for file in files], thin=False)
    assert len(network.nodes) == 4
    player = mo.Player(network, point=network.nodes[0].at)
    from mocapella.playback.record import record_with_contacts

    clip, contacts = record_with_contacts(player, seconds=3.0, frame_rate=60.0)
    assert footing(clip, contacts).slip_mm_max < 1.0


def test_importance_grows_with_nearness_and_approach():
    line = np.column_stack([np.linspace(1.0, 0.0, 61), np.zeros(61), np.zeros(61)])
    there = nearness(line, (0.0, 0.0, 0.0), 60.0)
    assert there[0] == 0.0
    assert there[-1] == 1.0
    assert np.all(np.diff(there) >= 0.0)
    back = nearness(line[::-1], (0.0, 0.0, 0.0), 60.0)[::-1]
    assert np.all(there >= back)  # what comes nearer counts before what leaves
    assert np.any(there > back + 0.1)


def test_a_hand_touches_a_thing_on_another_body_and_moves_as_captured_far_from_it():
    drink = perform("drink", imperfections=CLEAN)[0]
    wrist = mo.find_roles(drink.skeleton)["right_wrist"]
    at = int(np.argmax(np.linalg.norm(drink.positions[:, wrist] - drink.positions[0, wrist], axis=-1)))
    thing = drink.positions[at, wrist]
    smaller = drink.skeleton.scaled(0.9)
    plain = mo.retarget(drink, smaller)
    touching = mo.retarget(drink, smaller, objects={"right_wrist": thing.tolist()})
    assert np.linalg.norm(plain.positions[at, wrist] - thing) > 0.05
    np.testing.assert_allclose(touching.positions[at, wrist], thing, atol=2e-3)
    far = np.linalg.norm(drink.positions[:, wrist] - thing, axis=-1) > 0.7
    if far.any():
        np.testing.assert_allclose(touching.positions[far], plain.positions[far], atol=1e-6)
    with pytest.raises(mo.MotionError, match="the place of what right_wrist touches"):
        mo.retarget(drink, smaller, objects={"right_wrist": [1.0, 2.0]})
