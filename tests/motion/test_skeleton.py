"""Skeletons: a tree, its rest pose, and everything that is no tree refused at the door."""

from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import SkeletonError
from mocapella.motion.skeleton import Skeleton

laws = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 10**6)
ARM = Skeleton.of(
    ["shoulder", "elbow", "wrist"],
    [-1, 0, 1],
    [[0, 1.4, 0], [0.3, 0, 0], [0.25, 0, 0]],
    ends={"wrist": [0.1, 0, 0.02]},
    rotation_orders=["ZXY", "XYZ", ""],
)


def a_tree(seed):
    """Any tree of up to a dozen joints, with end sites on some."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13))
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n))]
    ends = [(f"j{rng.integers(0, n)}", rng.normal(size=3)) for _ in range(int(rng.integers(0, 4)))]
    return Skeleton.of([f"j{i}" for i in range(n)], parents, rng.normal(size=(n, 3)), ends=ends)


@laws
@given(seeds)
def test_levels_hold_every_joint_once_below_its_parent(seed):
    skeleton = a_tree(seed)
    assert sorted(np.concatenate(skeleton.levels).tolist()) == list(range(skeleton.n_joints))
    assert skeleton.levels[0].tolist() == [0]
    for upper, level in pairwise(skeleton.levels):
        assert set(skeleton.parents[level]) <= set(upper)


@laws
@given(seeds)
def test_a_joint_rests_its_offset_away_from_its_parent(seed):
    skeleton = a_tree(seed)
    rest = skeleton.rest_positions
    np.testing.assert_array_equal(rest[0], skeleton.offsets[0])
    np.testing.assert_allclose(rest[1:] - rest[skeleton.parents[1:]], skeleton.offsets[1:], atol=1e-14)
    np.testing.assert_allclose(rest[skeleton.end_joints] + skeleton.end_offsets, skeleton.rest_end_positions)


@laws
@given(seeds)
def test_paths_lead_to_the_root_over_parents(seed):
    skeleton = a_tree(seed)
    for joint in range(skeleton.n_joints):
        path = skeleton.path(joint)
        assert (path[0], path[-1]) == (joint, 0)
        assert all(lower in skeleton.children(upper) for lower, upper in pairwise(path))


@laws
@given(seeds, st.floats(0.01, 100.0))
def test_a_scaled_skeleton_is_larger_in_every_length(seed, factor):
    skeleton = a_tree(seed)
    scaled = skeleton.scaled(factor)
    np.testing.assert_allclose(scaled.rest_positions, factor * skeleton.rest_positions, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scaled.rest_end_positions, factor * skeleton.rest_end_positions, rtol=1e-12, atol=1e-12)


def test_joints_are_found_by_name():
    assert [ARM.index(name) for name in ARM.names] == [0, 1, 2]
    with pytest.raises(SkeletonError, match=r"no joint 'knee'; the joints are shoulder, elbow, wrist"):
        ARM.index("knee")


def test_one_joint_may_carry_several_end_sites():
    foot = Skeleton.of(["foot"], [-1], [[0, 0, 0]], ends=[("foot", [0, 0, 0.2]), ("foot", [0, -0.05, -0.05])])
    assert (foot.n_joints, foot.n_ends) == (1, 2)
    np.testing.assert_array_equal(foot.rest_end_positions, [[0, 0, 0.2], [0, -0.05, -0.05]])


def test_a_skeleton_shows_its_size_and_root():
    assert repr(ARM) == "Skeleton(3 joints, root 'shoulder')"


@pytest.mark.parametrize("name", ["parents", "offsets", "end_joints", "end_offsets", "axes_wxyz", "limits"])
def test_the_arrays_of_a_skeleton_cannot_be_written_to(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(ARM, name)[:] = 0
    with pytest.raises(FrozenInstanceError):
        setattr(ARM, name, None)


def test_later_writes_by_the_caller_do_not_leak_in():
    parents, offsets, roles = np.array([-1, 0]), np.ones((2, 3)), {"left_knee": "b"}
    skeleton = replace(Skeleton.of(["a", "b"], parents, offsets), role_names=roles)
    parents[1], offsets[:], roles["left_knee"] = 7, 7.0, "a"
    np.testing.assert_array_equal(skeleton.parents, [-1, 0])
    np.testing.assert_array_equal(skeleton.offsets, np.ones((2, 3)))
    assert skeleton.role_names == {"left_knee": "b"}


def test_the_users_roles_must_name_joints():
    assert ARM.with_roles({"left_elbow": "elbow", "left_toe": ""}).role_names == {"left_elbow": "elbow", "left_toe": ""}
    with pytest.raises(SkeletonError, match="no joint 'ellbow'"):
        ARM.with_roles({"left_elbow": "ellbow"})


def test_a_motion_fits_skeletons_that_differ_only_in_where_the_root_rests():
    elsewhere = replace(ARM, offsets=ARM.offsets + np.array([[5, 0, 0], [0, 0, 0], [0, 0, 0]]))
    assert ARM.same_as(elsewhere)
    assert not ARM.same_as(ARM.scaled(1.01))
    assert not ARM.same_as(replace(ARM, names=("a", "b", "c")))
    assert not ARM.same_as(replace(ARM, parents=np.array([-1, 0, 0])))
    assert not ARM.same_as(Skeleton.of(["shoulder"], [-1], [[0, 0, 0]]))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"names": ()}, "at least one joint"),
        ({"names": ("a", "b", "a")}, "two joints are called 'a'"),
        ({"names": ("a", "b")}, "2 joints need 2 parents, got 3"),
        ({"parents": np.array([0, 0, 1])}, "first joint is the root"),
        ({"parents": np.array([-1, -1, 1])}, "'elbow' has parent -1; parents come before"),
        ({"parents": np.array([-1, 2, 1])}, "'elbow' has parent 2; parents come before"),
        ({"offsets": np.array([[0, 0, 0], [0, np.nan, 0], [0, 0, 0]])}, "finite"),
        ({"end_offsets": np.array([[0, 0, np.inf]])}, "finite"),
        ({"end_joints": np.array([3])}, "hangs on joint 3; the joints are 0 to 2"),
        ({"end_joints": np.array([-1])}, "hangs on joint -1"),
        ({"rotation_orders": ("ZXY", "ZXY")}, "3 joints need 3 rotation_orders, got 2"),
        ({"rotation_orders": ("ZXY", "ZZY", "")}, "expected a rotation order such as 'ZXY'"),
    ],
)
def test_what_is_no_tree_is_refused(change, reason):
    with pytest.raises(SkeletonError, match=reason):
        replace(ARM, **change)


def test_an_end_site_on_no_joint_is_refused():
    with pytest.raises(SkeletonError, match="hangs on 'hand', which is not a joint of shoulder"):
        Skeleton.of(["shoulder"], [-1], [[0, 0, 0]], ends={"hand": [0, 0, 0]})
