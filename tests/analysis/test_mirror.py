"""Motions in a mirror."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.errors import MotionWarning, SkeletonError
from mocapella.geometry import quaternions as q
from mocapella.motion.layout import HEIGHT, LEFT, YAW_RATE
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.symmetry import mirror_pairs, mirrored, mirrored_clip

KINDS = ("quaternion", "euler")


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirror_in_a_mirror_changes_nothing(walk, kind):
    cycle = cyclify(walk(200, turn=0.5, drift=0.02, uneven=0.3), (20, 140), layout=kind)
    np.testing.assert_allclose(mirrored(mirrored(cycle)).dofs, cycle.dofs, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirrored_left_turn_turns_right_by_exactly_as_much(walk, kind):
    cycle = cyclify(walk(200, turn=0.5), (20, 140), layout=kind)
    seen = mirrored(cycle)
    np.testing.assert_allclose(seen.dofs[:, [LEFT, YAW_RATE]], -cycle.dofs[:, [LEFT, YAW_RATE]])
    np.testing.assert_array_equal(seen.dofs[:, HEIGHT], cycle.dofs[:, HEIGHT])
    np.testing.assert_allclose(seen.turn, -cycle.turn)


def test_every_joint_is_where_the_mirror_shows_it(walk):
    clip = walk(100, turn=0.5, uneven=0.3, drift=0.1)
    pairs = mirror_pairs(clip.skeleton)
    np.testing.assert_allclose(mirrored_clip(clip).positions, clip.positions[:, pairs] * [-1.0, 1.0, 1.0], atol=1e-12)


def test_mirroring_before_or_after_closing_is_the_same(walk):
    clip = walk(200, turn=0.5, drift=0.05, uneven=0.2)
    before, after = cyclify(mirrored_clip(clip), (20, 140)), mirrored(cyclify(clip, (20, 140)))
    np.testing.assert_allclose(before.dofs, after.dofs, atol=1e-9)


def test_counterparts_are_found_by_place_where_names_tell_nothing():
    places = [[0, 1, 0], [0.1, 0, 0], [0, -0.4, 0], [-0.1, 0, 0], [0, -0.4, 0], [0, 0.3, 0]]
    body = Skeleton.of([f"bone{i}" for i in range(6)], [-1, 0, 1, 0, 3, 0], places)
    assert mirror_pairs(body).tolist() == [0, 3, 4, 1, 2, 5]


def test_counterparts_of_fingers_are_found_by_their_first_letter():
    names = ["root", "lthumb", "rthumb", "lower", "rower"]
    body = Skeleton.of(names, [-1, 0, 0, 0, 0], [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0.2, 0, 0], [-0.2, 0, 0]])
    assert mirror_pairs(body).tolist() == [0, 2, 1, 4, 3]


def test_left_and_right_that_hang_on_strangers_are_refused():
    body = Skeleton.of(
        ["root", "a", "LeftArm", "RightArm"], [-1, 0, 1, 0], [[0, 0, 0], [0, 1, 0], [1, 0, 0], [-1, 0, 0]]
    )
    with pytest.raises(SkeletonError, match="hang on"):
        mirror_pairs(body)


def test_what_pairs_hang_on_are_pairs_where_they_lie_in_one_place():
    places = [[0, 1, 0], [0, 0, 0], [0.1, 0, 0], [0, 0, 0], [-0.1, 0, 0], [0, 0, 0], [0, 0.3, 0]]
    body = Skeleton.of(["a", "b", "LeftUpLeg", "c", "RightUpLeg", "d", "e"], [-1, 0, 1, 0, 3, 0, 5], places)
    assert mirror_pairs(body).tolist() == [0, 3, 4, 1, 2, 5, 6]


def test_what_one_hand_alone_carries_stays_in_it():
    walk = mo.example("walk", cycles=3.0)
    body, hand = walk.skeleton, mo.find_roles(walk.skeleton)["right_wrist"]
    more = Skeleton.of(
        [*body.names, "sword", "tip"], [*body.parents, hand, body.n_joints], [*body.offsets, [0, 0, 0.3], [0, 0, 0.4]]
    )
    turns = q.from_rotvec(np.random.default_rng(3).normal(0.0, 0.3, (walk.n_frames, 2, 3)))
    armed = replace(walk, skeleton=more, rotations_wxyz=np.concatenate([walk.rotations_wxyz, turns], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mirror = mirrored_clip(armed)
    np.testing.assert_array_equal(mirror.rotations_wxyz[:, body.n_joints :], turns)
    np.testing.assert_allclose(mirror.rotations_wxyz[:, :-2], mirrored_clip(walk).rotations_wxyz, atol=1e-12)
    for layout in ("quaternion", "euler"):
        cycle = mo.prepare(armed, layout=layout)
        twice = mirrored(mirrored(cycle)).rotations_wxyz
        np.testing.assert_allclose(q.angle_between(twice, cycle.rotations_wxyz), 0.0, atol=1e-6)


def test_a_lopsided_rest_pose_is_said_to_be_one():
    body = Skeleton.of(["root", "LeftArm", "RightArm"], [-1, 0, 0], [[0, 0, 0], [0.5, 0, 0], [-0.3, 0.3, 0]])
    with pytest.warns(MotionWarning, match="differ by"):
        mirror_pairs(body)


@pytest.mark.parametrize("file", ["cmu-asfamc/07/07_01.amc", "cmu-bvh/16/16_58.bvh"])
def test_real_skeletons_have_every_side_joint_paired(data_folder, file):
    skeleton = mo.load(data_folder / file).skeleton
    pairs = mirror_pairs(skeleton)
    np.testing.assert_array_equal(pairs[pairs], np.arange(skeleton.n_joints))
    alone = [name for j, name in enumerate(skeleton.names) if pairs[j] == j]
    assert len(alone) == 7, alone  # root, three of the back, two of the neck, head
