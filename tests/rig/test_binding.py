"""Skeletons with a still root or a zero pose that does not stand are bound to ones that travel and stand."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from benchmarks.strangers.doubles import ZERO_POSES, one_leg_longer, still_root, with_axes
from mocapella.actor import CLEAN, perform
from mocapella.geometry import quaternions
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.rig.binding import bound, faced, rebound, same_rig, unbound
from mocapella.rig.roles import find_roles
from mocapella.rig.standing import zero_pose_stands

ODD = [name for name in ZERO_POSES if name != "lying"]  # a zero pose that only lies is turned as a whole


@pytest.fixture(scope="module")
def walk():
    return perform("walk", speed=1.3, imperfections=CLEAN)[0]


@pytest.fixture(scope="module")
def left_turn():
    return perform("walk", speed=1.1, turn=0.5, imperfections=CLEAN)[0]


def double(clip, name, folder):
    """The clip, written with another zero pose and read again."""
    path = folder / f"{clip.name or 'clip'}-{name}.bvh"
    mo.save(with_axes(clip, ZERO_POSES[name](clip.skeleton)), path)
    return mo.load(path)


def same_places(one, other):
    indices = [other.skeleton.index(name) for name in one.skeleton.names]
    np.testing.assert_allclose(other.positions[:, indices], one.positions, atol=1e-6)


def overlap(one, other):
    shares = []
    for point in FOOT_POINTS:
        a, b = one.planted(point), other.planted(point)
        shares.append((a & b).sum() / (a | b).sum())
    return float(np.mean(shares))


def test_the_actors_zero_pose_stands(walk):
    assert zero_pose_stands(walk.skeleton, find_roles(walk.skeleton))


@pytest.mark.parametrize("name", ODD)
def test_zero_poses_that_do_not_stand_are_told(walk, name):
    posed = with_axes(walk, ZERO_POSES[name](walk.skeleton))
    assert not zero_pose_stands(posed.skeleton, find_roles(posed.skeleton))


@pytest.mark.parametrize("name", ODD)
def test_binding_moves_no_joint_and_is_undone_on_writing(walk, name, tmp_path):
    read = double(walk, name, tmp_path)
    assert [finding.code for finding in read.report.findings if finding.code == "standing-pose"]
    assert zero_pose_stands(read.skeleton, find_roles(read.skeleton))
    same_places(walk, read)
    mo.save(read, tmp_path / "again.bvh")
    first, again = ((tmp_path / file).read_text() for file in (f"{walk.name or 'clip'}-{name}.bvh", "again.bvh"))
    assert first.split("MOTION")[0].split() == again.split("MOTION")[0].split()


@pytest.mark.parametrize("name", ODD)
def test_feet_are_found_planted_whatever_the_zero_pose(walk, name, tmp_path):
    read = double(walk, name, tmp_path)
    assert overlap(mo.find_plants(read), mo.find_plants(walk)) > 0.95
    assert abs(mo.find_cycle(read).n_frames - mo.find_cycle(walk).n_frames) <= 1
    np.testing.assert_allclose(read.report.height, walk.skeleton.rest_end_positions[:, 1].max(), rtol=0.06)


@pytest.mark.parametrize("name", ODD)
def test_a_mirrored_motion_is_the_mirror_image_whatever_the_zero_pose(left_turn, name, tmp_path):
    true = mo.mirrored(mo.prepare(left_turn)).to_clip()
    found = mo.mirrored(mo.prepare(double(left_turn, name, tmp_path))).to_clip()
    frames = min(true.n_frames, found.n_frames)
    apart = np.linalg.norm(found.positions[:frames] - true.positions[:frames], axis=-1)
    assert np.median(apart) < 0.03  # metres; cycles may begin a frame apart


def test_a_still_root_above_the_hips_gives_way_to_the_hips(walk, tmp_path):
    mo.save(walk, tmp_path / "walk.bvh")
    read = mo.load(still_root(tmp_path / "walk.bvh", tmp_path / "still.bvh"))
    assert read.skeleton.names == walk.skeleton.names
    same_places(walk, read)
    assert mo.find_cycle(read).n_frames == mo.find_cycle(walk).n_frames
    mo.save(read, tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_text().split()[:3] == ["HIERARCHY", "ROOT", "joint_Root"]
    same_places(walk, mo.load(tmp_path / "again.bvh"))


def test_a_root_that_turns_is_left_alone(walk, tmp_path):
    mo.save(walk, tmp_path / "walk.bvh")
    text = still_root(tmp_path / "walk.bvh", tmp_path / "still.bvh").read_text()
    head, _, rows = text.partition("Frame Time")
    first, *frames = rows.splitlines()
    turned = [f"0 0 0 0 0 {i % 40} {' '.join(row.split()[6:])}" for i, row in enumerate(frames)]
    (tmp_path / "turned.bvh").write_text("\n".join([f"{head}Frame Time{first}", *turned]) + "\n")
    assert mo.load(tmp_path / "turned.bvh").skeleton.names[0] == "joint_Root"


def root_motion(path, out, *, helpers=()):
    """A BVH file whose root travels over the ground and never turns; the hips below it turn, rise and sink.

    ``helpers`` are still joints that hang on the root beside the hips.
    """
    head, _, rows = still_root(path, out, "root").read_text().partition("Frame Time")
    beside = "".join(
        f"JOINT {name}\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}}\n" for name in helpers
    )
    first, *frames = rows.splitlines()
    moved = []
    for row in frames:
        x, y, z, *rest = row.split()[6:]
        moved.append(" ".join([x, "0", z, "0 0 0", "0", y, "0", *rest, *["0"] * 3 * len(helpers)]))
    body, end, tail = head.rpartition("}\nMOTION")
    out.write_text("\n".join([f"{body}{beside}{end}{tail}Frame Time{first}", *moved]) + "\n")
    return out


def test_a_root_that_travels_without_turning_gives_way_to_the_hips_and_travels_again_in_a_written_file(
    left_turn, tmp_path
):
    mo.save(left_turn, tmp_path / "turn.bvh")
    read = mo.load(root_motion(tmp_path / "turn.bvh", tmp_path / "root.bvh"))
    assert read.skeleton.names == left_turn.skeleton.names
    assert "'root' travels without turning above 'Hips'" in str(read.report.findings)
    same_places(left_turn, read)
    assert abs(mo.find_cycle(read).turn - mo.find_cycle(left_turn).turn) < 1e-4
    mo.save(read, tmp_path / "again.bvh")
    first, again = (np.array(_rows(tmp_path / name)) for name in ("root.bvh", "again.bvh"))
    np.testing.assert_allclose(again[:, :3], first[:, :3], atol=1e-4)
    mo.save(mo.cyclify(mo.find_cycle(read)), tmp_path / "cycle.moca")
    assert mo.load_cycle(tmp_path / "cycle.moca").skeleton.binding.travels


def _rows(path):
    rows = path.read_text().partition("Frame Time")[2].splitlines()[1:]
    return [[float(word) for word in row.split()] for row in rows]


def test_joints_that_hang_on_a_still_root_beside_the_hips_do_not_keep_it_the_root(walk, tmp_path):
    mo.save(walk, tmp_path / "walk.bvh")
    path = root_motion(tmp_path / "walk.bvh", tmp_path / "root.bvh", helpers=["ik_foot_root", "ik_hand_root"])
    read = mo.load(path)
    assert read.skeleton.names == walk.skeleton.names
    assert "left out, for the body does not hang on them: ik_foot_root, ik_hand_root" in str(read.report.findings)
    same_places(walk, read)
    mo.save(read, tmp_path / "again.bvh")
    assert "JOINT ik_foot_root" in (tmp_path / "again.bvh").read_text()


def test_a_body_whose_spine_does_not_hang_on_the_hips_is_left_alone(walk, tmp_path):
    mo.save(walk, tmp_path / "walk.bvh")
    read = mo.load(
        root_motion(tmp_path / "walk.bvh", tmp_path / "root.bvh", helpers=["chest"]), roles={"chest": "chest"}
    )
    assert read.skeleton.names[0] == "root"


@pytest.mark.parametrize("up", ["z", "x"])
def test_a_rig_with_a_still_root_and_another_up_axis_is_written_upright(left_turn, up, tmp_path):
    mo.save(left_turn, tmp_path / "turn.bvh")
    still_root(tmp_path / "turn.bvh", tmp_path / "still.bvh")
    lying = replace_axes(tmp_path / "still.bvh", tmp_path / "lying.bvh", {"z": "yzx", "x": "zxy"}[up])
    read = mo.load(lying)
    assert (read.report.up_axis, read.skeleton.names) == (up, left_turn.skeleton.names)
    mo.save(read, tmp_path / "again.bvh")
    same_places(read, mo.load(tmp_path / "again.bvh"))


def replace_axes(path, out, names):
    """A BVH file in other axes: x, y and z are called as ``names`` says, in offsets and channels."""
    places = [names.index(axis) for axis in "xyz"]
    lines = []
    for line in path.read_text().splitlines():
        if line.strip().startswith("OFFSET"):
            numbers = line.split()[1:]
            line = f"OFFSET {' '.join(numbers[place] for place in places)}"
        elif line.strip().startswith("CHANNELS"):
            line = re.sub(r"([XYZ])(?=position|rotation)", lambda m: names["XYZ".index(m[1])].upper(), line)
        lines.append(line)
    out.write_text("\n".join(lines) + "\n")
    return out


def test_binding_a_bound_skeleton_leads_back_to_the_file(walk, tmp_path):
    read = double(walk, ODD[0], tmp_path)
    turned = faced(read, 90.0)
    same_places(read, turned)
    assert turned.skeleton.binding.original is read.skeleton.binding.original
    back, first = unbound(turned), unbound(read)
    assert float(quaternions.angle_between(back.rotations_wxyz, first.rotations_wxyz).max()) < 1e-6
    mo.save(mo.cyclify(mo.find_cycle(turned)), tmp_path / "cycle.moca")
    mo.load_cycle(tmp_path / "cycle.moca")


def test_unbinding_undoes_binding_exactly(walk):
    rng = np.random.default_rng(3)
    axes = quaternions.normalise(rng.normal(size=(walk.skeleton.n_joints, 4)))
    there = bound(walk, np.arange(walk.skeleton.n_joints), axes)
    np.testing.assert_allclose(there.positions, walk.positions, atol=1e-12)
    back = unbound(there)
    assert back.skeleton is walk.skeleton
    angles = quaternions.angle_between(back.rotations_wxyz, walk.rotations_wxyz)
    assert float(angles.max()) < 1e-6
    assert unbound(walk) is walk


def test_cycles_of_one_rig_are_brought_to_one_skeleton(walk, left_turn, tmp_path):
    clips = [
        double(replace(clip, name=name), "bones along x", tmp_path) for clip, name in ((walk, "a"), (left_turn, "b"))
    ]
    assert same_rig(clips[0].skeleton, clips[1].skeleton)
    cycles = [mo.prepare(clip) for clip in clips]
    assert not cycles[1].skeleton.same_as(cycles[0].skeleton)
    together = rebound(cycles[1], cycles[0].skeleton)
    np.testing.assert_allclose(together.to_clip().positions, cycles[1].to_clip().positions, atol=1e-9)
    in_step = mo.synchronise(cycles)
    assert in_step[1].skeleton.same_as(in_step[0].skeleton)


def test_what_is_stored_is_written_as_the_file_had_it(walk, tmp_path):
    read = double(walk, "bones along x", tmp_path)
    network = mo.Network([mo.Node("walk", (0.0, 0.0), mo.analyse(mo.prepare(read), harmonics=8))])
    mo.save(network, tmp_path / "network.moca")
    again = mo.load(tmp_path / "network.moca")
    take = mo.record(mo.Player(again), seconds=1.0, frame_rate=30)
    mo.save(take, tmp_path / "played.bvh")
    first, played = ((tmp_path / file).read_text() for file in (f"{walk.name}-bones along x.bvh", "played.bvh"))
    assert first.split("MOTION")[0].split() == played.split("MOTION")[0].split()
    same_places(take, mo.load(tmp_path / "played.bvh"))


def test_a_longer_leg_needs_no_binding(walk, tmp_path):
    mo.save(one_leg_longer(walk), tmp_path / "longer.bvh")
    assert mo.load(tmp_path / "longer.bvh").skeleton.binding is None
