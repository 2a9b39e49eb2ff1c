import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.files.bvh_writer import write_bvh
from mocapella.files.conventions import Parsed
from mocapella.files.orientation import find_up, rest_basis, stood_upright
from mocapella.geometry import euler, quaternions
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles
from mocapella.rig.standing import TO_Y


def axis_rotations():
    """The 24 rotations that take axes to axes."""
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[np.arange(3), order] = signs
            if np.linalg.det(matrix) > 0:
                yield matrix


Y = np.eye(3)[1]
TURNS = list(axis_rotations())
turns = st.sampled_from(TURNS)


def as_parsed(clip):
    return Parsed(
        clip.skeleton,
        clip.root_positions,
        clip.rotations_wxyz,
        clip.frame_rate,
        sliding_joints=clip.sliding_joints,
        slides=clip.slides,
    )


def as_clip(parsed):
    return Clip(
        parsed.skeleton,
        parsed.root_positions,
        parsed.rotations_wxyz,
        parsed.frame_rate,
        sliding_joints=parsed.sliding_joints,
        slides=parsed.slides,
    )


def described_otherwise(clip, world, rest):
    """The same motion in a room turned by ``world`` and joint frames turned by ``rest``; worked out the long way."""
    positions, world_wxyz = clip.world
    turned_wxyz = quaternions.multiply(quaternions.from_matrix(world), world_wxyz)
    frames_wxyz = quaternions.multiply(turned_wxyz, quaternions.conjugate(quaternions.from_matrix(rest)))
    offsets = clip.skeleton.offsets @ rest.T
    skeleton = mo.Skeleton.of(
        clip.skeleton.names,
        clip.skeleton.parents,
        offsets,
        ends=[
            (clip.skeleton.names[joint], clip.skeleton.end_offsets[i] @ rest.T)
            for i, joint in enumerate(clip.skeleton.end_joints.tolist())
        ],
    )
    local = kinematics.local_rotations(skeleton, frames_wxyz)
    return Clip(skeleton, positions[:, 0] @ world.T, local, clip.frame_rate)


# Laws


@settings(max_examples=24, deadline=None)
@given(turns, turns, st.integers(0, 1000))
def test_joints_stay_where_they_are_in_the_room(world, rest, seed):
    rng = np.random.default_rng(seed)
    names, parents = ["a", "b", "c", "d"], [-1, 0, 1, 1]
    skeleton = mo.Skeleton.of(
        names,
        parents,
        rng.normal(size=(4, 3)),
        ends={"c": rng.normal(size=3)},
        rotation_orders=["XYZ", "ZYX", "X", "ZX"],
    )
    rotations = quaternions.normalise(rng.normal(size=(5, 4, 4)))
    slides = rng.normal(size=(5, 1, 3))
    clip = Clip(
        skeleton, rng.normal(size=(5, 3)), rotations, 60.0, sliding_joints=np.array([2], dtype=np.int64), slides=slides
    )
    turned = as_clip(stood_upright(as_parsed(clip), world, rest))
    np.testing.assert_allclose(turned.positions, clip.positions @ world.T, atol=1e-12)
    np.testing.assert_allclose(turned.end_positions, clip.end_positions @ world.T, atol=1e-12)


@pytest.mark.parametrize("rest", TURNS)
def test_an_angle_about_an_axis_becomes_one_about_that_axis_under_its_new_name(rest):
    """A knee that turns about x only still turns about one axis, whatever that is called now, within its limits."""
    limits = np.tile([-np.inf, np.inf], (2, 3, 1))
    limits[1, 0] = [-0.1, 2.5]
    skeleton = mo.Skeleton.of(
        ["hip", "knee"], [-1, 0], [[0, 0, 0], [0, -1, 0]], rotation_orders=["ZXY", "X"], limits=limits
    )
    angles = np.array([[0.5], [2.0], [-0.1]])
    rotations = np.stack([np.tile(quaternions.IDENTITY, (3, 1)), euler.to_quaternion(angles, "X")], axis=1)
    parsed = Parsed(skeleton, np.zeros((3, 3)), rotations, 60.0)
    turned = stood_upright(parsed, np.eye(3), rest)
    order = turned.skeleton.rotation_orders[1]
    assert len(order) == 1
    found = euler.from_quaternion(turned.rotations_wxyz[:, 1], euler.complete(order))
    np.testing.assert_allclose(found[:, 1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.abs(found[:, 0]), np.abs(angles[:, 0]), atol=1e-12)
    least, most = turned.skeleton.limits[1, "XYZ".index(order)]
    assert np.all((found[:, 0] >= least - 1e-12) & (found[:, 0] <= most + 1e-12))
    np.testing.assert_allclose(sorted(np.abs([least, most])), [0.1, 2.5])


@pytest.mark.parametrize("rest", TURNS)
def test_the_rest_pose_says_where_left_up_and_ahead_are(body, rest):
    turned = mo.Skeleton.of(body.names, body.parents, body.offsets @ rest.T)
    np.testing.assert_allclose(rest_basis(turned, find_roles(turned)), rest.T, atol=1e-12)


@pytest.mark.parametrize(
    ("up", "rest"),
    [(up, rest) for up in TO_Y for rest in TURNS if up in ("y", "z") or np.array_equal(TO_Y[up] @ rest[:, 1], Y)],
)
def test_a_file_described_in_any_axes_loads_upright_with_the_same_motion(tmp_path, walk, up, rest):
    """Of unusual axes those in which the rest pose stands along the same one."""
    write_bvh(described_otherwise(walk, TO_Y[up].T, rest), tmp_path / "walk.bvh")
    clip = mo.load(tmp_path / "walk.bvh", unit="cm")
    assert clip.report.up_axis == up
    np.testing.assert_allclose(
        clip.positions, walk.positions[:, [walk.skeleton.index(name) for name in clip.skeleton.names]], atol=1e-6
    )
    places = dict(zip(clip.skeleton.names, clip.skeleton.rest_positions, strict=True))
    assert places["LeftUpLeg"][0] > places["RightUpLeg"][0]
    assert places["Head"][1] > places["Hips"][1] > places["LeftFoot"][1]
    assert places["LeftToeBase"][2] > places["LeftFoot"][2] + 0.1


@pytest.fixture(scope="module")
def actor():
    return {name: mo.example(name, frame_rate=30.0) for name in ("walk", "run", "look-around")}


@pytest.mark.parametrize("motion", ["walk", "run", "look-around"])
@pytest.mark.parametrize("up", TO_Y)
def test_a_room_with_any_axis_up_is_told_by_the_body_on_its_feet(tmp_path, actor, motion, up):
    """The rest pose stands along y, whatever the room: as in rigs whose root turns the room."""
    clip = actor[motion]
    mo.save(clip, tmp_path / "plain.bvh")
    write_bvh(described_otherwise(clip, TO_Y[up].T, np.eye(3)), tmp_path / "turned.bvh")
    plain, turned = mo.load(tmp_path / "plain.bvh"), mo.load(tmp_path / "turned.bvh")
    assert turned.report.up_axis == up
    np.testing.assert_allclose(turned.positions, plain.positions, atol=1e-6)
    assert "up-unsure" not in {finding.code for finding in turned.report.findings}


@pytest.mark.parametrize("up", TO_Y)
def test_an_axis_that_is_asked_for_points_up(tmp_path, walk, up):
    write_bvh(walk, tmp_path / "walk.bvh")
    clip = mo.load(tmp_path / "walk.bvh", up=up)
    assert clip.report.up_axis == up
    order = [walk.skeleton.index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(clip.positions, walk.positions[:, order] @ TO_Y[up].T, atol=1e-6)
    row = TO_Y[up][1]
    assert f"{'-' if row.sum() < 0 else ''}{'xyz'[np.argmax(np.abs(row))]}" == up


@pytest.mark.parametrize("yaw", [0.5 * np.pi, np.pi, -0.5 * np.pi, 0.3])
def test_which_way_the_motion_goes_is_nobodys_business(tmp_path, walk, yaw):
    elsewhere = walk.turned(yaw).moved(3.0, -2.0)
    write_bvh(elsewhere, tmp_path / "walk.bvh")
    clip = mo.load(tmp_path / "walk.bvh", unit="cm")
    order = [walk.skeleton.index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(clip.positions, elsewhere.positions[:, order], atol=1e-6)
    assert clip.report.facing == 0.0


def test_facing_tells_which_way_the_rest_pose_of_the_file_looked(tmp_path, walk):
    for yaw in (0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi):
        turn = np.round(quaternions.to_matrix(quaternions.about_y(yaw)))
        write_bvh(described_otherwise(walk, np.eye(3), turn), tmp_path / "walk.bvh")
        facing = mo.load(tmp_path / "walk.bvh", unit="cm").report.facing
        np.testing.assert_allclose(np.cos(facing - yaw), 1.0, atol=1e-12)


def test_a_turned_rest_pose_is_said_and_is_no_reason_for_doubt(tmp_path, walk):
    write_bvh(described_otherwise(walk, np.eye(3), TO_Y["z"].T), tmp_path / "walk.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        findings = mo.load(tmp_path / "walk.bvh").report.findings
    assert [(finding.code, finding.doubtful) for finding in findings] == [("rest-turned", False)]
    assert "left, up and ahead along +x +z -y" in findings[0].message


# Where it cannot be told


def test_what_stands_along_no_axis_is_left_as_it_is(walk):
    tilt = quaternions.to_matrix(quaternions.from_rotvec(np.array([np.pi / 4, 0.0, 0.0])))
    still = Clip(walk.skeleton, walk.root_positions, np.tile(quaternions.IDENTITY, (20, 21, 1)), 60.0)
    tilted = described_otherwise(still, tilt, tilt)
    roles = find_roles(tilted.skeleton)
    assert find_up(as_parsed(tilted), roles).axis is None
    np.testing.assert_array_equal(rest_basis(tilted.skeleton, roles), np.eye(3))


def test_without_roles_nothing_is_turned():
    rod = mo.Skeleton.of(["a", "b"], [-1, 0], [[0, 0, 0], [0, 0, 1]])
    parsed = Parsed(rod, np.zeros((2, 3)), np.tile(quaternions.IDENTITY, (2, 2, 1)), 60.0)
    assert find_up(parsed, {}).axis is None
    np.testing.assert_array_equal(rest_basis(rod, {}), np.eye(3))


def test_a_body_that_hangs_upside_down_for_a_while_is_still_y_up(walk):
    roots = np.array(walk.rotations_wxyz)
    over = quaternions.from_rotvec(np.array([np.pi, 0.0, 0.0]))
    roots[:6, 0] = quaternions.multiply(over, roots[:6, 0])
    flip = Parsed(walk.skeleton, walk.root_positions, roots, 60.0)
    assert find_up(flip, find_roles(walk.skeleton)).axis == "y"


def test_a_body_on_its_head_or_on_its_back_does_not_turn_the_room(tmp_path, actor):
    """Along −y with a head that stays where it is; along x with hips that do."""
    walk = actor["walk"]
    roles = find_roles(walk.skeleton)
    for axis, resting in (("-y", "head"), ("x", "hips")):
        turned = described_otherwise(walk, TO_Y[axis].T, np.eye(3))
        places = turned.root_positions - turned.positions[:, roles[resting]]
        write_bvh(replace(turned, root_positions=places), tmp_path / "odd.bvh")
        report = mo.load(tmp_path / "odd.bvh").report
        assert report.up_axis == "y"
        assert [one.message for one in report.findings if one.code == "up-unsure"] == [
            f"the body is along {axis} in most frames, but not on its feet; y is taken as up"
        ]


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("up", ["x", "-y"])
def test_a_capture_turned_with_its_room_gives_the_same_spectrum(tmp_path, data_folder, up):
    clip = mo.load(data_folder / "cmu-bvh/07/07_01.bvh").captured
    write_bvh(clip, tmp_path / "plain.bvh")
    write_bvh(described_otherwise(clip, TO_Y[up].T, TO_Y[up].T), tmp_path / "turned.bvh")
    plain, turned = (mo.analyse(mo.prepare(mo.load(tmp_path / f"{name}.bvh"))) for name in ("plain", "turned"))
    np.testing.assert_allclose(turned.coefficients, plain.coefficients, atol=1e-6)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize(
    ("name", "up"),
    [
        ("makehuman/walk1.bvh", "z"),
        ("odd-bvh/AnimatedDrawings-zombie.bvh", "z"),
        ("odd-bvh/BVH.jl-Example.bvh", "z"),
        ("odd-bvh/pybvh-bvh_test1.bvh", "z"),
        ("odd-bvh/pybvh-bvh_test3.bvh", "z"),
        ("odd-bvh/pybvh-bvh_test2.bvh", "y"),
        ("cmu-bvh/07/07_01.bvh", "y"),
    ],
)
def test_captures_load_upright_facing_plus_z_at_rest(data_folder, name, up):
    clip = mo.load(data_folder / name)
    assert clip.report.up_axis == up
    roles = find_roles(clip.skeleton)
    rest = clip.skeleton.rest_positions
    np.testing.assert_array_equal(rest_basis(clip.skeleton, roles), np.eye(3))
    assert rest[roles["left_hip"], 0] > rest[roles["right_hip"], 0]
    hips, ankles = clip.positions[:, roles["hips"], 1], clip.positions[:, roles["left_ankle"], 1]
    assert np.median(hips - ankles) > 0.3 * clip.report.height
