from dataclasses import replace

import numpy as np
import pybvh
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.errors import MotionError, MotionWarning
from mocapella.files import bvh_writer
from mocapella.files.bvh import read_bvh
from mocapella.files.bvh_writer import write_bvh
from mocapella.geometry import euler, quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

seeds = st.integers(0, 2**32 - 1)
ORDERS = ("", "X", "ZY", "YXZ", *euler.ORDERS)


def random_clip(seed, n_frames=7):
    """Any tree with any orders, some joints without end sites, some sliding; motions within their orders."""
    rng = np.random.default_rng(seed)
    n_joints = int(rng.integers(1, 9))
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n_joints))]
    orders = [str(order) for order in rng.choice(np.array([o for o in ORDERS if len(set(o)) == len(o)]), n_joints)]
    names = [f"rig:joint {i}" for i in range(n_joints)]
    offsets = rng.normal(size=(n_joints, 3)) * rng.choice([0.0, 0.3, 1.0], size=(n_joints, 1))
    ends = [(names[int(rng.integers(0, n_joints))], rng.normal(size=3)) for _ in range(int(rng.integers(0, 4)))]
    skeleton = Skeleton.of(names, parents, offsets, ends=ends, rotation_orders=orders)
    rotations = np.tile(quaternions.IDENTITY, (n_frames, n_joints, 1))
    for joint, order in enumerate(orders):
        if order:
            angles = rng.uniform(-9, 9, len(order)) + np.cumsum(rng.normal(size=(n_frames, len(order))), axis=0)
            rotations[:, joint] = euler.to_quaternion(angles, order)
    sliding = np.flatnonzero(rng.random(n_joints) < 0.2)
    sliding = sliding[sliding > 0]
    slides = offsets[sliding] + 0.1 * rng.normal(size=(n_frames, len(sliding), 3))
    return Clip(
        skeleton,
        5 * rng.normal(size=(n_frames, 3)),
        rotations,
        frame_rate=float(rng.choice([24.0, 30.0, 59.94005994005994, 120.0])),
        sliding_joints=sliding,
        slides=slides,
    )


def read_back(path, metres_per_unit=0.01):
    parsed = read_bvh(path)
    return Clip(
        parsed.skeleton.scaled(metres_per_unit),
        parsed.root_positions * metres_per_unit,
        parsed.rotations_wxyz,
        parsed.frame_rate,
        sliding_joints=parsed.sliding_joints,
        slides=parsed.slides * metres_per_unit,
    )


def degrees_apart(a, b):
    return np.degrees(quaternions.angle_between(a, b)).max()


def assert_same_motion(a, b):
    assert a.skeleton.names == b.skeleton.names
    np.testing.assert_array_equal(a.skeleton.parents, b.skeleton.parents)
    np.testing.assert_array_equal(a.skeleton.end_joints, b.skeleton.end_joints)
    np.testing.assert_allclose(a.skeleton.end_offsets, b.skeleton.end_offsets, atol=1e-7)
    np.testing.assert_allclose(a.root_positions, b.root_positions, atol=1e-6)
    np.testing.assert_allclose(a.positions, b.positions, atol=1e-6)
    assert degrees_apart(a.rotations_wxyz, b.rotations_wxyz) < 3e-6  # three angles, each rounded to a millionth
    assert a.frame_rate == pytest.approx(b.frame_rate, rel=1e-12)


def by_depth(clip):
    """The clip with its joints in the order of a file, every joint followed by all that hangs on it."""
    parents = clip.skeleton.parents
    order, todo = [], [0]
    while todo:
        joint = todo.pop()
        order.append(joint)
        todo.extend(int(child) for child in np.flatnonzero(parents == joint)[::-1])
    return order


# Laws


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_what_was_written_is_read_back(tmp_path_factory, seed):
    clip = random_clip(seed)
    path = tmp_path_factory.mktemp("round") / "any.bvh"
    write_bvh(clip, path)
    order = by_depth(clip)
    back = read_back(path)
    assert back.skeleton.names == tuple(clip.skeleton.names[joint] for joint in order)
    np.testing.assert_allclose(back.positions, clip.positions[:, order], atol=1e-6)
    assert degrees_apart(back.rotations_wxyz, clip.rotations_wxyz[:, order]) < 3e-6
    expected_orders = [clip.skeleton.rotation_orders[joint] or "ZXY" for joint in order]
    assert list(back.skeleton.rotation_orders) == expected_orders
    assert sorted(np.array(order)[back.sliding_joints]) == clip.sliding_joints.tolist()
    assert sorted(np.array(order)[back.skeleton.end_joints]) == sorted(clip.skeleton.end_joints.tolist())
    again = path.with_name("again.bvh")
    write_bvh(back, again)
    assert_same_motion(read_back(again), back)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_another_reader_sees_the_joints_where_we_do(tmp_path_factory, seed):
    clip = random_clip(seed)
    still = np.zeros(0, dtype=np.int64)  # pybvh takes no notice of position channels below the root
    orders = tuple(order if len(order) == 3 else "ZXY" for order in clip.skeleton.rotation_orders)
    clip = replace(
        clip, skeleton=replace(clip.skeleton, rotation_orders=orders), sliding_joints=still, slides=np.zeros((7, 0, 3))
    )
    path = tmp_path_factory.mktemp("pybvh") / "any.bvh"
    write_bvh(clip, path)
    theirs = pybvh.read_bvh_file(path, world_up="+y").joint_positions() / 100
    np.testing.assert_allclose(theirs, clip.positions[:, by_depth(clip)], atol=1e-4)


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.01, 0.001, 0.0254, 0.0254 / 0.45])
def test_the_unit_changes_numbers_not_the_motion(tmp_path, walk, unit):
    write_bvh(walk, tmp_path / "walk.bvh", metres_per_unit=unit)
    assert_same_motion(read_back(tmp_path / "walk.bvh", unit), walk_by_depth(walk))


def walk_by_depth(walk):
    order = by_depth(walk)
    where = np.argsort(order)
    skeleton = walk.skeleton
    moved = Skeleton.of(
        [skeleton.names[joint] for joint in order],
        [-1, *(int(where[skeleton.parents[joint]]) for joint in order[1:])],
        skeleton.offsets[order],
        ends=[
            (skeleton.names[joint], skeleton.end_offsets[end])
            for joint in order
            for end in np.flatnonzero(skeleton.end_joints == joint)
        ],
    )
    return replace(walk, skeleton=moved, rotations_wxyz=walk.rotations_wxyz[:, order])


@pytest.mark.parametrize("rate", [24.0, 30.0, 1000 / 1001 * 30, 59.7, 100.0, 119.5, 120.0, 1 / 3, np.float64(60.0)])
def test_frame_rates_survive(tmp_path, walk, rate):
    write_bvh(replace(walk, frame_rate=rate), tmp_path / "walk.bvh")
    assert read_bvh(tmp_path / "walk.bvh").frame_rate == pytest.approx(float(rate), rel=1e-12)


def test_angles_run_on_from_frame_to_frame(tmp_path):
    n_frames = 200
    yaw = quaternions.about_y(np.linspace(0, 6 * np.pi, n_frames))
    clip = Clip(Skeleton.of(["top"], [-1], [[0, 0, 0]]), np.zeros((n_frames, 3)), yaw[:, None], frame_rate=60.0)
    write_bvh(clip, tmp_path / "top.bvh")
    rows = np.loadtxt((tmp_path / "top.bvh").read_text().split("Frame Time")[1].splitlines()[1:])
    assert np.abs(np.diff(rows[:, 3:], axis=0)).max() < 6.0
    np.testing.assert_allclose(rows[-1, 5] - rows[0, 5], 1080.0, atol=1e-5)


def test_a_motion_that_left_its_channels_gets_all_three(tmp_path):
    skeleton = Skeleton.of(["root", "knee"], [-1, 0], [[0, 0, 0], [0, -1, 0]], rotation_orders=["ZXY", "X"])
    bent = euler.to_quaternion(np.array([[0.5], [0.7]]), "X")
    rotations = np.stack([np.tile(quaternions.IDENTITY, (2, 1)), bent], axis=1)
    clip = Clip(skeleton, np.zeros((2, 3)), rotations, frame_rate=60.0)
    write_bvh(clip, tmp_path / "knee.bvh")
    assert read_bvh(tmp_path / "knee.bvh").skeleton.rotation_orders == ("ZXY", "X")
    twisted = np.array(rotations)
    twisted[:, 1] = quaternions.multiply(twisted[:, 1], quaternions.about_y(0.3))
    write_bvh(replace(clip, rotations_wxyz=twisted), tmp_path / "knee.bvh")
    back = read_bvh(tmp_path / "knee.bvh")
    assert len(back.skeleton.rotation_orders[1]) == 3
    assert degrees_apart(back.rotations_wxyz, twisted) < 3e-6


def test_long_clips_are_written_whole(tmp_path, walk, monkeypatch):
    write_bvh(walk, tmp_path / "at_once.bvh")
    monkeypatch.setattr(bvh_writer, "_BLOCK", 3)
    write_bvh(walk, tmp_path / "in_blocks.bvh")
    assert (tmp_path / "in_blocks.bvh").read_bytes() == (tmp_path / "at_once.bvh").read_bytes()


def test_a_chain_of_a_thousand_joints_is_written_without_a_call_within_a_call(tmp_path):
    n_joints = 1000
    names, parents = [f"j{i}" for i in range(n_joints)], list(range(-1, n_joints - 1))
    skeleton = Skeleton.of(names, parents, np.ones((n_joints, 3)), rotation_orders="")
    rotations = np.tile(quaternions.IDENTITY, (1, n_joints, 1))
    write_bvh(Clip(skeleton, np.zeros((1, 3)), rotations, frame_rate=60.0), tmp_path / "chain.bvh")
    assert read_bvh(tmp_path / "chain.bvh").skeleton.names == tuple(names)


def test_a_joint_that_slides_far_from_its_rest_offset_is_not_taken_to_count_from_it(tmp_path):
    skeleton = Skeleton.of(["root", "piston"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    slides = np.array([[[0.0, 0.1, 0.0]], [[0.0, 0.2, 0.0]]])
    rotations = np.tile(quaternions.IDENTITY, (2, 2, 1))
    sliding = np.array([1], dtype=np.int64)
    clip = Clip(skeleton, np.zeros((2, 3)), rotations, 60.0, sliding_joints=sliding, slides=slides)
    write_bvh(clip, tmp_path / "piston.bvh")
    np.testing.assert_allclose(read_back(tmp_path / "piston.bvh").positions, clip.positions, atol=1e-6)


# Names


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=12))
def test_a_name_survives_or_is_refused(tmp_path_factory, name):
    skeleton = Skeleton.of(["root", name or "x"], [-1, 0], np.zeros((2, 3))) if name != "root" else None
    if skeleton is None:
        return
    clip = Clip(skeleton, np.zeros((1, 3)), np.tile(quaternions.IDENTITY, (1, 2, 1)), frame_rate=60.0)
    path = tmp_path_factory.mktemp("names") / "named.bvh"
    try:
        write_bvh(clip, path)
    except MotionError:
        assert not path.exists()
        assert any(sign in name for sign in "{}\r\n") or name != name.strip() or not name.strip()
    else:
        assert read_bvh(path).skeleton.names == clip.skeleton.names


@pytest.mark.parametrize("name", ["a{b", "}", "two\nlines", "\r", " ", " outer", "outer ", "\ud800"])
def test_a_name_that_bvh_cannot_hold_is_refused_and_nothing_written(tmp_path, name):
    clip = Clip(
        Skeleton.of([name], [-1], [[0, 0, 0]]), np.zeros((1, 3)), quaternions.IDENTITY[None, None], frame_rate=60.0
    )
    with pytest.raises(MotionError, match="BVH cannot name a joint"):
        write_bvh(clip, tmp_path / "named.bvh")
    assert list(tmp_path.iterdir()) == []


# Interruptions


def test_an_interruption_leaves_no_half_file(tmp_path, walk, monkeypatch):
    path = tmp_path / "walk.bvh"
    path.write_text("what was there")

    def interrupted(*_):
        yield "HIERARCHY"
        raise KeyboardInterrupt

    monkeypatch.setattr(bvh_writer, "_hierarchy", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bvh(walk, path)
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


# Real captures

REAL = [
    "cmu-bvh/07/07_01.bvh",
    "odd-bvh/pybvh-bvh_test1.bvh",
    "odd-bvh/pybvh-bvh_test3.bvh",
    "odd-bvh/BVH.jl-Example.bvh",
    "odd-bvh/bvh-toolbox-walk01.bvh",
    "odd-bvh/100style-retarget-Geno_bind.bvh",
    "odd-bvh/AnimatedDrawings-zombie.bvh",
    "odd-bvh/fairmotion-sinusoidal.bvh",
    "makehuman/walk1.bvh",
    "makehuman/tpose.bvh",
]


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_a_capture_read_written_and_read_again_is_the_same(data_folder, tmp_path, name):
    clip = mo.load(data_folder / name)
    mo.save(clip, tmp_path / "again.bvh")
    again = mo.load(tmp_path / "again.bvh", unit=clip.report.unit)
    assert_same_motion(again, clip)
    expected = [order or "ZXY" for order in clip.skeleton.rotation_orders]
    assert list(again.skeleton.rotation_orders) == expected
    np.testing.assert_array_equal(again.sliding_joints, clip.sliding_joints)


@pytest.mark.data
@pytest.mark.parametrize("name", [*REAL[:6], "makehuman/walk1.bvh"])
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_pybvh_sees_our_captures_where_we_do(data_folder, tmp_path, name):
    clip = mo.load(data_folder / name)
    write_bvh(clip, tmp_path / "ours.bvh")
    theirs = pybvh.read_bvh_file(tmp_path / "ours.bvh", world_up="+y").joint_positions() / 100
    np.testing.assert_allclose(theirs, clip.positions, atol=1e-4)


@pytest.mark.data
def test_a_capture_goes_back_in_its_own_unit_unless_told_otherwise(data_folder, tmp_path):
    clip = mo.load(data_folder / "cmu-bvh" / "07" / "07_01.bvh")
    mo.save(clip, tmp_path / "own.bvh")
    np.testing.assert_allclose(
        read_bvh(tmp_path / "own.bvh").root_positions,
        read_bvh(data_folder / "cmu-bvh" / "07" / "07_01.bvh").root_positions,
        atol=1e-6,
    )
    mo.save(clip, tmp_path / "dm.bvh", unit="dm")
    np.testing.assert_allclose(read_bvh(tmp_path / "dm.bvh").root_positions * 0.1, clip.root_positions, atol=1e-6)


def test_what_a_reader_would_take_for_another_unit_is_written_with_a_warning(tmp_path):
    rod = Skeleton.of(["a", "b"], [-1, 0], [[0, 0, 0], [0, 3, 0]])
    clip = Clip(rod, np.zeros((1, 3)), np.tile(quaternions.IDENTITY, (1, 2, 1)), frame_rate=60.0)
    mo.save(clip, tmp_path / "rod.bvh")
    with pytest.warns(MotionWarning, match="written in units of 1 m; by its height it reads as cm, so name the unit"):
        mo.save(clip, tmp_path / "rod.bvh", unit="m")
