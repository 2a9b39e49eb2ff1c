"""Forward kinematics: the nested chain by hand, lengths that never change, and other libraries' word."""

import numpy as np
import pybvh
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymotion.ops import skeleton as pymotion
from scipy.spatial.transform import Rotation

from mocapella.files.bvh import read_bvh
from mocapella.geometry import euler
from mocapella.geometry import quaternions as qs
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

laws = settings(max_examples=40, deadline=None)
ARM = Skeleton.of(
    ["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]], ends={"elbow": [0.25, 0, 0], "shoulder": [0, 0.1, 0]}
)
QUARTER = 0.5 * np.pi


def a_body(rng, n_joints=14):
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n_joints))]
    ends = [(f"j{rng.integers(0, n_joints)}", rng.normal(size=3)) for _ in range(4)]
    return Skeleton.of([f"j{i}" for i in range(n_joints)], parents, rng.normal(size=(n_joints, 3)), ends=ends)


def a_motion(seed, *batch):
    """A body of any shape in any poses."""
    rng = np.random.default_rng(seed)
    body = a_body(rng)
    rotations = qs.normalise(rng.normal(size=(*batch, body.n_joints, 4)))
    return body, rng.normal(size=(*batch, 3)), rotations


def posed(skeleton, *rotvecs, at=(0.0, 0.0, 0.0)):
    positions, world = kinematics.forward(skeleton, np.array(at, dtype=float), qs.from_rotvec(np.array(rotvecs)))
    return positions, kinematics.end_positions(skeleton, positions, world)


def test_a_two_joint_arm_reaches_where_the_nested_chain_says():
    # The shoulder turns the upper arm up; the elbow, in the turned frame, bends the forearm towards the viewer.
    joints, ends = posed(ARM, [0, 0, QUARTER], [0, -QUARTER, 0], at=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(joints, [[1.0, 2.0, 3.0], [1.0, 2.3, 3.0]], atol=1e-15)
    np.testing.assert_allclose(ends, [[1.0, 2.3, 3.25], [0.9, 2.0, 3.0]], atol=1e-15)


@laws
@given(st.integers(0, 2**32 - 1))
def test_a_single_pose_is_one_of_many(seed):
    body, root, rotations = a_motion(seed)
    for one, many in zip(
        kinematics.forward_pose(body, root, rotations), kinematics.forward(body, root, rotations), strict=True
    ):
        np.testing.assert_allclose(one, many, rtol=0.0, atol=1e-12)


@laws
@given(st.lists(st.floats(-3, 3), min_size=9, max_size=9))
def test_the_chain_is_nested_not_a_plain_sum(numbers):
    root, mid, end = (Rotation.from_rotvec(numbers[i : i + 3]) for i in (0, 3, 6))
    leg = Skeleton.of(["hip", "knee", "ankle"], [-1, 0, 1], [[0, 0, 0], [0.1, -0.4, 0], [0, -0.4, 0.05]])
    toe = np.array([0.0, -0.05, 0.15])
    with_toe = Skeleton.of(leg.names, leg.parents, leg.offsets, ends={"ankle": toe})
    _, ends = posed(with_toe, *np.reshape(numbers, (3, 3)))
    t_mid, t_end = leg.offsets[1:]
    np.testing.assert_allclose(ends[0], root.apply(t_mid + mid.apply(t_end + end.apply(toe))), atol=1e-14)


def test_with_nothing_turned_the_joints_are_at_the_summed_offsets():
    body, *_ = a_motion(3)
    still = np.tile(qs.IDENTITY, (body.n_joints, 1))
    positions, world = kinematics.forward(body, body.offsets[0], still)
    np.testing.assert_allclose(positions, body.rest_positions, atol=1e-14)
    np.testing.assert_allclose(kinematics.end_positions(body, positions, world), body.rest_end_positions, atol=1e-14)


@laws
@given(st.integers(0, 10**6))
def test_lengths_never_change(seed):
    body, roots, rotations = a_motion(seed, 5)
    positions, world = kinematics.forward(body, roots, rotations)
    lengths = np.linalg.norm(positions[:, 1:] - positions[:, body.parents[1:]], axis=-1)
    expected = np.linalg.norm(body.offsets[1:], axis=-1)
    np.testing.assert_allclose(lengths, np.tile(expected, (5, 1)), rtol=0, atol=1e-9)
    ends = kinematics.end_positions(body, positions, world) - positions[:, body.end_joints]
    reach = np.linalg.norm(body.end_offsets, axis=-1)
    np.testing.assert_allclose(np.linalg.norm(ends, axis=-1), np.tile(reach, (5, 1)), rtol=0, atol=1e-9)


@laws
@given(st.integers(0, 10**6), st.floats(-10, 10))
def test_any_yaw_leaves_every_height_as_it_is(seed, yaw):
    body, roots, rotations = a_motion(seed, 4)
    before, _ = kinematics.forward(body, roots, rotations)
    rotations[:, 0] = qs.multiply(qs.about_y(yaw), rotations[:, 0])
    after, _ = kinematics.forward(body, roots, rotations)
    np.testing.assert_allclose(after[..., 1], before[..., 1], atol=1e-12)


def test_adding_to_the_y_angle_keeps_heights_in_order_yxz_but_not_in_zxy():
    chain = Skeleton.of(["hips", "neck"], [-1, 0], [[0, 0, 0], [0.1, 0.5, 0.2]])
    rise = {}
    for order in ("YXZ", "ZXY"):
        angles = np.radians([[10.0, 20.0, 30.0], [10.0, 20.0, 30.0]])
        angles[1, order.index("Y")] += np.radians(40.0)
        turned = np.stack([euler.to_quaternion(angles, order), np.tile(qs.IDENTITY, (2, 1))], axis=1)
        heights = kinematics.forward(chain, np.zeros((2, 3)), turned)[0][:, 1, 1]
        rise[order] = abs(float(heights[1] - heights[0]))
    assert rise["YXZ"] < 1e-12
    assert rise["ZXY"] > 0.05


@laws
@given(st.integers(0, 10**6))
def test_local_rotations_are_found_again_from_the_world(seed):
    body, roots, rotations = a_motion(seed, 3)
    _, world = kinematics.forward(body, roots, rotations)
    np.testing.assert_allclose(kinematics.local_rotations(body, world), rotations, atol=1e-12)


@laws
@given(st.integers(0, 10**6))
def test_a_sliding_joint_goes_where_its_own_offset_says(seed):
    body, roots, rotations = a_motion(seed, 3)
    joint = 1 + seed % (body.n_joints - 1)
    slides = np.random.default_rng(seed).normal(size=(3, 1, 3))
    clip = Clip(body, roots, rotations, 60.0, sliding_joints=np.array([joint]), slides=slides)
    for frame in range(3):
        offsets = np.array(body.offsets)
        offsets[joint] = slides[frame, 0]
        other = Skeleton.of(body.names, body.parents, offsets)
        expected, _ = kinematics.forward(other, roots[frame], rotations[frame])
        np.testing.assert_allclose(clip.positions[frame], expected, atol=1e-13)


@pytest.mark.parametrize("batch", [(), (1,), (0,), (2, 3), (2049,)])
def test_leading_axes_come_free(batch):
    body, roots, rotations = a_motion(5, *batch)
    positions, world = kinematics.forward(body, roots, rotations)
    assert positions.shape == (*batch, body.n_joints, 3)
    assert world.shape == (*batch, body.n_joints, 4)
    assert kinematics.end_positions(body, positions, world).shape == (*batch, body.n_ends, 3)


def test_many_poses_at_once_are_the_same_as_one_by_one():
    body, roots, rotations = a_motion(6, 4100)  # more than two blocks
    positions, world = kinematics.forward(body, roots, rotations)
    for frame in (0, 1, 2047, 2048, 4099):
        alone = kinematics.forward(body, roots[frame], rotations[frame])
        np.testing.assert_allclose(positions[frame], alone[0], atol=1e-14)
        np.testing.assert_allclose(world[frame], alone[1], atol=1e-14)


def test_rotations_of_another_skeleton_are_refused():
    with pytest.raises(ValueError, match="has 2 joints, the rotations are of 3"):
        kinematics.forward(ARM, np.zeros(3), np.tile(qs.IDENTITY, (3, 1)))


def test_pymotion_puts_the_joints_in_the_same_places():
    body, roots, rotations = a_motion(8, 500)
    positions, world = kinematics.forward(body, roots, rotations)
    offsets = np.array(body.offsets)
    offsets[0] = 0.0
    theirs, matrices = pymotion.fk(rotations, roots, offsets, np.maximum(body.parents, 0))
    np.testing.assert_allclose(positions, theirs, atol=1e-5)  # they reckon in single precision
    np.testing.assert_allclose(qs.to_matrix(world), matrices, atol=1e-5)


@pytest.mark.filterwarnings("ignore:Rest pose suggests")
@pytest.mark.parametrize(
    "name",
    ["cmu-bvh/16/16_17.bvh", "odd-bvh/pybvh-bvh_test1.bvh", "odd-bvh/pybvh-bvh_test3.bvh", "odd-bvh/GPmat-Swagger.bvh"],
)
def test_pybvh_puts_joints_and_end_sites_of_real_captures_in_the_same_places(data_folder, name):
    parsed, theirs = read_bvh(data_folder / name), pybvh.read_bvh_file(data_folder / name)
    frames = slice(0, None, 7)
    positions, world = kinematics.forward(parsed.skeleton, parsed.root_positions[frames], parsed.rotations_wxyz[frames])
    ends = kinematics.end_positions(parsed.skeleton, positions, world)
    expected = theirs.node_positions()[frames]
    is_end = np.array([node.is_end_site() for node in theirs.nodes])
    size = float(np.abs(expected).max())
    np.testing.assert_allclose(positions, expected[:, ~is_end], atol=1e-9 * size)
    np.testing.assert_allclose(ends, expected[:, is_end], atol=1e-9 * size)


def test_headings_taken_off_leave_tilts_that_make_the_roots_again():
    yaws = np.linspace(0.3, 16.3, 481)
    tilts = euler.to_quaternion(np.random.default_rng(5).uniform(-0.4, 0.4, (481, 2)), "XZ")
    rotations = np.stack([qs.multiply(qs.about_y(yaws), tilts), np.tile(qs.from_rotvec(np.ones(3)), (481, 1))], axis=1)
    clip = Clip(ARM, np.zeros((481, 3)), rotations, 120.0)
    tilted = kinematics.without_heading(clip.rotations_wxyz)
    np.testing.assert_allclose(clip.headings, yaws, atol=1e-9)  # beyond a full turn, too
    np.testing.assert_allclose(qs.yaw(tilted[:, 0]), 0.0, atol=1e-12)
    np.testing.assert_allclose(qs.angle_between(tilted[:, 0], tilts), 0.0, atol=1e-7)
    np.testing.assert_array_equal(tilted[:, 1:], clip.rotations_wxyz[:, 1:])
    own = kinematics.without_heading(clip.rotations_wxyz, clip.headings)
    np.testing.assert_allclose(qs.angle_between(own, tilted), 0.0, atol=1e-7)
